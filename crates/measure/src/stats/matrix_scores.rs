//! Scores of a matrix of codes (rows) against factors (columns) whose entries say how much each
//! code has to do with each factor, none below zero: information, importance, accuracy.
//!
//! Any of them can be asked of any such matrix (the "unified" view of disentanglement_lib); which
//! matrix makes which metric is the metric's business.

use ndarray::{ArrayView1, ArrayView2};

/// Added to each entry before shares are taken, so that a row of zeros has shares: equal ones.
const NOTHING: f64 = 1e-11;

/// Per factor, the largest entry less the second largest. A lone code has no rival, so its gap is
/// its whole entry.
pub fn gaps(matrix: ArrayView2<f64>) -> Vec<f64> {
    let gap = |column: ArrayView1<f64>| {
        let [first, second] = two_largest(column);
        first - second
    };
    matrix.columns().into_iter().map(gap).collect()
}

/// Per factor, the largest entry less the sum of all others, as a share of the largest; 0 where
/// the others weigh more, or where there is nothing.
pub fn alignments(matrix: ArrayView2<f64>) -> Vec<f64> {
    let alignment = |column: ArrayView1<f64>| {
        let [first, _] = two_largest(column);
        let others = column.sum() - first;
        if first > 0.0 { ((first - others) / first).max(0.0) } else { 0.0 }
    };
    matrix.columns().into_iter().map(alignment).collect()
}

/// Per code, 1 - Σ over k != k* of m_k² / ( m_k*² (factors - 1) ) with k* the largest entry; 0 for
/// a row of zeros. NaN with a single factor.
pub fn modularities(matrix: ArrayView2<f64>) -> Vec<f64> {
    let rivals = matrix.ncols() as f64 - 1.0;
    let modularity = |row: ArrayView1<f64>| {
        let (mut largest, mut others) = (0.0, 0.0);
        for square in row.iter().map(|entry| entry * entry) {
            others += square.min(largest);
            largest = square.max(largest);
        }
        if largest == 0.0 { 0.0 } else { 1.0 - others / (largest * rivals) }
    };
    matrix.rows().into_iter().map(modularity).collect()
}

/// The disentanglement of DCI (Eastwood and Williams 2018): per code 1 - H(shares of its row) with
/// the logarithm to the base of the number of factors; the mean weighs codes by their row sums, or
/// equally where the matrix is zero. NaN with a single factor.
pub fn disentanglement(matrix: ArrayView2<f64>) -> f64 {
    let weights = match matrix.sum() {
        0.0 => vec![1.0; matrix.nrows()],
        _ => matrix.rows().into_iter().map(|row| row.sum()).collect(),
    };
    let weighted: f64 = disentanglements(matrix).iter().zip(&weights).map(|(d, w)| d * w).sum();
    weighted / weights.iter().sum::<f64>()
}

/// The disentanglement of each code, without weights.
pub fn disentanglements(matrix: ArrayView2<f64>) -> Vec<f64> {
    let base = (matrix.ncols() as f64).ln();
    let one = |row: ArrayView1<f64>| {
        let total = row.sum() + NOTHING * row.len() as f64;
        let shares = row.iter().map(|entry| (entry + NOTHING) / total);
        1.0 + shares.map(|share| share * share.ln()).sum::<f64>() / base
    };
    matrix.rows().into_iter().map(one).collect()
}

/// The completeness of DCI: as [`disentanglement`], factors and codes exchanged. NaN with a single
/// code.
pub fn completeness(matrix: ArrayView2<f64>) -> f64 {
    disentanglement(matrix.t())
}

fn two_largest(entries: ArrayView1<f64>) -> [f64; 2] {
    let (mut first, mut second) = (0.0, 0.0);
    for &entry in entries {
        if entry > first {
            (first, second) = (entry, first);
        } else if entry > second {
            second = entry;
        }
    }
    [first, second]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::mean;
    use ndarray::{Array2, array};

    /// Disentanglement, completeness and modularity.
    fn assert_scores(matrix: &Array2<f64>, expected: [f64; 3]) {
        let matrix = matrix.view();
        let found = [disentanglement(matrix), completeness(matrix), mean(modularities(matrix))];
        for (found, expected) in found.into_iter().zip(expected) {
            assert!((found - expected).abs() < 1e-8, "{found}, not {expected}: {matrix}");
        }
    }

    #[test]
    fn closed_forms() {
        assert_scores(&Array2::eye(5), [1.0, 1.0, 1.0]);
        assert_scores(&Array2::zeros((3, 2)), [0.0, 0.0, 0.0]);
        assert_scores(&array![[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]], [1.0, 1.0, 2.0 / 3.0]);
        let half = 1.0 - 2f64.ln() / 10f64.ln();
        // Five codes that tell two of ten factors each, and five factors told by two of ten codes.
        let two = Array2::from_shape_fn((5, 10), |(j, k)| f64::from(u8::from(k / 2 == j)));
        assert_scores(&two, [half, 1.0, 1.0 - 1.0 / 9.0]);
        assert_scores(&two.t().to_owned(), [1.0, half, 1.0]);
    }

    #[test]
    fn gaps_and_alignments_are_per_factor() {
        let matrix = array![[0.1, 0.7, 0.0], [0.8, 0.7, 0.0], [0.3, 0.2, 0.0]];
        let close = |found: Vec<f64>, expected: [f64; 3]| {
            found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-12)
        };
        assert!(close(gaps(matrix.view()), [0.5, 0.0, 0.0]));
        // (0.8 - 0.4) / 0.8; the others of the second factor weigh more than its largest.
        assert!(close(alignments(matrix.view()), [0.5, 0.0, 0.0]));
        assert_eq!(gaps(array![[0.7]].view()), [0.7]);
    }

    #[test]
    fn modularity_squares_and_does_not_mind_where_the_largest_stands() {
        for row in [[0.5, 1.0, 0.2], [1.0, 0.2, 0.5], [0.2, 0.5, 1.0]] {
            let matrix = Array2::from_shape_vec((1, 3), row.to_vec()).unwrap();
            assert!((modularities(matrix.view())[0] - (1.0 - 0.29 / 2.0)).abs() < 1e-12);
        }
        assert!(modularities(array![[1.0]].view())[0].is_nan());
        assert!(disentanglement(array![[1.0], [2.0]].view()).is_nan());
    }
}
