//! Small matrices.

use ndarray::Array2;

/// The inverse of a small matrix and its log |det|, by Gauss-Jordan elimination with partial pivoting. No
/// pivot is taken as smaller than `least`, so that what is singular has an inverse too, a large one.
pub fn inverse(mut m: Array2<f64>, least: f64) -> (Array2<f64>, f64) {
    let n = m.nrows();
    let mut out: Array2<f64> = Array2::eye(n);
    let mut log_determinant = 0.0;
    for column in 0..n {
        let largest =
            (column..n).max_by(|&a, &b| m[[a, column]].abs().total_cmp(&m[[b, column]].abs()));
        let from = largest.unwrap_or(column);
        for k in 0..n {
            m.swap([column, k], [from, k]);
            out.swap([column, k], [from, k]);
        }
        let pivot = m[[column, column]];
        let pivot = if pivot.abs() < least { least.copysign(pivot) } else { pivot };
        log_determinant += pivot.abs().ln();
        m[[column, column]] = pivot;
        for k in 0..n {
            m[[column, k]] /= pivot;
            out[[column, k]] /= pivot;
        }
        for row in (0..n).filter(|row| *row != column) {
            let times = m[[row, column]];
            for k in 0..n {
                m[[row, k]] -= times * m[[column, k]];
                out[[row, k]] -= times * out[[column, k]];
            }
        }
    }
    (out, log_determinant)
}
