//! The best one-to-one matching of rows to columns (the assignment problem).

use ndarray::{Array2, ArrayView2};
use ordered_float::OrderedFloat;
use pathfinding::kuhn_munkres::kuhn_munkres;
use pathfinding::matrix::Matrix;

/// Pairs `(row, column)` with the largest sum of entries, each row and column at most once and the
/// shorter side completely; sorted by row. Entries must be finite.
pub fn best_matching(weights: ArrayView2<f64>) -> Vec<(usize, usize)> {
    // The algorithm gives each row a column, so there must not be more rows than columns.
    if weights.nrows() > weights.ncols() {
        let mut pairs: Vec<_> =
            best_matching(weights.t()).into_iter().map(|(column, row)| (row, column)).collect();
        pairs.sort_unstable();
        return pairs;
    }
    if weights.is_empty() {
        return Vec::new();
    }
    let (_, columns) = kuhn_munkres(&in_order(&weights.to_owned()));
    columns.into_iter().enumerate().collect()
}

/// The matrix in the crate's own type, with numbers that have a total order.
fn in_order(weights: &Array2<f64>) -> Matrix<OrderedFloat<f64>> {
    assert!(weights.iter().all(|weight| weight.is_finite()), "NaN would never finish matching");
    let entries = weights.iter().copied().map(OrderedFloat).collect();
    Matrix::from_vec(weights.nrows(), weights.ncols(), entries)
        .expect("an array has as many numbers as its shape says")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn the_best_whole_beats_the_best_single_pair() {
        // Taking 0.9 first would leave 0.1 for the other row.
        let weights = array![[0.9, 0.8], [0.8, 0.1]];
        assert_eq!(best_matching(weights.view()), [(0, 1), (1, 0)]);
    }

    #[test]
    fn a_rectangle_is_matched_on_its_shorter_side_both_ways() {
        let wide = array![[0.1, 0.2, 0.9], [0.3, 0.2, 0.8]];
        assert_eq!(best_matching(wide.view()), [(0, 2), (1, 0)]);
        assert_eq!(best_matching(wide.t()), [(0, 1), (2, 0)]);
        assert_eq!(best_matching(Array2::zeros((0, 3)).view()), []);
    }

    #[test]
    fn no_other_matching_of_a_random_matrix_is_better() {
        let mut rng = crate::rng::Rng::new(0);
        for _ in 0..50 {
            let weights = Array2::from_shape_simple_fn((4, 4), || rng.uniform());
            let found: f64 = best_matching(weights.view()).iter().map(|&pair| weights[pair]).sum();
            assert!((found - best_by_trying_all(&weights, 0, &mut vec![false; 4])).abs() < 1e-12);
        }
    }

    fn best_by_trying_all(weights: &Array2<f64>, row: usize, taken: &mut Vec<bool>) -> f64 {
        let mut best = if row == weights.nrows() { 0.0 } else { f64::NEG_INFINITY };
        for column in 0..taken.len() {
            if row < weights.nrows() && !taken[column] {
                taken[column] = true;
                best =
                    best.max(weights[[row, column]] + best_by_trying_all(weights, row + 1, taken));
                taken[column] = false;
            }
        }
        best
    }
}
