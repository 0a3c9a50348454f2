//! An order of columns that depends on their numbers only. Sums round differently in another order,
//! and a fit that is stopped early makes much of little: with its columns in this order first, a
//! score does not depend on the order in which codes were given. Nor on their signs: columns are
//! compared by the sizes of their numbers first, so that a column keeps its place when it is negated.

use std::cmp::Ordering;

use ndarray::{Array2, ArrayView2, Axis};

/// The columns of a table, sorted as words are: by the first row in which their sizes differ. Those
/// that are equal but for signs go by their numbers.
pub fn in_order_of_columns(table: ArrayView2<f32>) -> Array2<f32> {
    table.select(Axis(1), &order_of_columns(table))
}

/// Which column comes first, second and so on.
pub fn order_of_columns(table: ArrayView2<f32>) -> Vec<usize> {
    let compare = |i: usize, j: usize, order: &dyn Fn(&f32, &f32) -> Ordering| {
        let mut pairs = table.column(i).into_iter().zip(table.column(j));
        pairs.find_map(|(a, b)| Some(order(a, b)).filter(|order| order.is_ne()))
    };
    let mut order: Vec<usize> = (0..table.ncols()).collect();
    order.sort_by(|&i, &j| {
        compare(i, j, &|a, b| a.abs().total_cmp(&b.abs()))
            .or_else(|| compare(i, j, &f32::total_cmp))
            .unwrap_or(Ordering::Equal)
    });
    order
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

    #[test]
    fn a_negated_column_keeps_its_place() {
        let sorted = array![[1.0, 1.0, -2.0], [0.0, 5.0, 1.0]];
        for signs in [[-1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, -1.0, -1.0]] {
            let negated = &sorted * &ndarray::arr1(&signs);
            assert_eq!(in_order_of_columns(negated.view()), negated);
        }
        // Equal but for the sign: there is nothing else to tell them apart by.
        let mirrored = array![[2.0, -2.0], [1.0, -1.0]];
        assert_eq!(in_order_of_columns(mirrored.view()), array![[-2.0, 2.0], [-1.0, 1.0]]);
    }
}
