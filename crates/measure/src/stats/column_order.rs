//! An order of columns that depends on their numbers only. Sums round differently in another order,
//! and a fit that is stopped early makes much of little: with its columns in this order first, a
//! score does not depend on the order in which codes were given.

use std::cmp::Ordering;

use ndarray::{Array2, ArrayView2, Axis};

/// The columns of a table, sorted as words are: by the first row in which they differ.
pub fn in_order_of_columns(table: ArrayView2<f32>) -> Array2<f32> {
    let compare = |&i: &usize, &j: &usize| {
        let pairs = table.column(i).into_iter().zip(table.column(j));
        pairs.map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    };
    let mut order: Vec<usize> = (0..table.ncols()).collect();
    order.sort_by(compare);
    table.select(Axis(1), &order)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn columns_come_in_the_same_order_whatever_theirs_was() {
        let sorted = array![[1.0, 1.0, 2.0], [0.0, 5.0, -1.0]];
        assert_eq!(in_order_of_columns(sorted.view()), sorted);
        for order in [[2, 1, 0], [1, 0, 2], [2, 0, 1]] {
            assert_eq!(in_order_of_columns(sorted.select(Axis(1), &order).view()), sorted);
        }
    }
}
