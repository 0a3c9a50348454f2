//! Covariance of the columns of a matrix, and the eigenvalues of such symmetric matrices.

use faer::{Mat, Side};
use ndarray::linalg::general_mat_mul;
use ndarray::parallel::prelude::*;
use ndarray::{Array, Array1, Array2, ArrayView2, Axis, Dimension, Zip};

use crate::error::{Error, Result};

/// Rows are summed in this many strips on any machine, so that threads do not change the result.
const STRIPS: usize = 16;
/// From this width on one strip must do: each has a matrix of its own.
const WIDE: usize = 512;
/// Rows that are centred and multiplied at once: few enough to stay in the cache.
const ROWS: usize = 256;

/// S = Σ (x - mean)(x - mean)ᵀ / (n - 1), `[columns, columns]`. The row and column of a constant
/// one are exactly zero; all is NaN with fewer than two rows.
pub fn covariance(x: ArrayView2<f32>) -> Array2<f64> {
    let width = x.ncols();
    if x.nrows() < 2 {
        return Array2::from_elem((width, width), f64::NAN);
    }
    // Measured from the first row, a constant column is zero, whatever rounding does to its mean.
    let first = x.row(0).mapv(f64::from);
    let sums = sum_of_strips(x, Array1::zeros(width), |sums, rows| {
        for row in rows.rows() {
            let add = |sum: &mut f64, value: &f32, first: &f64| *sum += f64::from(*value) - first;
            Zip::from(&mut *sums).and(row).and(&first).for_each(add);
        }
    });
    let means = first + sums / x.nrows() as f64;
    let products = sum_of_strips(x, Array2::zeros((width, width)), |products, rows| {
        let centred = rows.mapv(f64::from) - &means;
        general_mat_mul(1.0, &centred.t(), &centred, 1.0, products);
    });
    products / (x.nrows() - 1) as f64
}

/// The eigenvalues of a symmetric matrix, from the smallest to the largest.
pub fn eigenvalues(symmetric: &Array2<f64>) -> Result<Vec<f64>> {
    Mat::from_fn(symmetric.nrows(), symmetric.ncols(), |i, j| symmetric[[i, j]])
        .self_adjoint_eigenvalues(Side::Lower)
        .map_err(|_| Error::Array("a matrix has no eigenvalues: are all numbers finite?".into()))
}

/// Add up blocks of rows in parallel; the strips are joined in their order.
fn sum_of_strips<D: Dimension>(
    x: ArrayView2<f32>,
    zero: Array<f64, D>,
    add: impl Fn(&mut Array<f64, D>, ArrayView2<f32>) + Sync,
) -> Array<f64, D> {
    let strip_sum = |strip: ArrayView2<f32>| {
        let mut sum = zero.clone();
        strip.axis_chunks_iter(Axis(0), ROWS).for_each(|rows| add(&mut sum, rows));
        sum
    };
    let count = if x.ncols() < WIDE { STRIPS } else { 1 };
    let strips = x.axis_chunks_iter(Axis(0), x.nrows().div_ceil(count));
    let sums: Vec<_> = strips.into_par_iter().map(strip_sum).collect();
    sums.iter().fold(zero.clone(), |total, sum| total + sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn covariance_by_hand_with_a_constant_column() {
        let s = covariance(array![[1.0, 0.1, 2.0], [2.0, 0.1, 0.0], [6.0, 0.1, 1.0]].view());
        // Means 3 and 1: (-2, -1, 3) and (1, -1, 0).
        assert_eq!(s, array![[7.0, 0.0, -0.5], [0.0, 0.0, 0.0], [-0.5, 0.0, 1.0]]);
        assert!(covariance(array![[1.0, 2.0]].view()).iter().all(|entry| entry.is_nan()));
    }

    #[test]
    fn a_small_spread_around_a_large_mean_is_not_lost() {
        let x = Array2::from_shape_fn((5000, 2), |(row, j)| 1e6 + (row % 2 * (j + 1)) as f32);
        let s = covariance(x.view());
        // Half 0, half 1: 1/4, times n / (n - 1).
        for (entry, expected) in s.iter().zip([0.25, 0.5, 0.5, 1.0]) {
            assert!((entry - expected * 5000.0 / 4999.0).abs() < 1e-12, "{s}");
        }
    }

    #[test]
    fn eigenvalues_rise() {
        let found = eigenvalues(&array![[1.0, 0.9], [0.9, 1.0]]).unwrap();
        assert!((found[0] - 0.1).abs() < 1e-12 && (found[1] - 1.9).abs() < 1e-12);
    }
}
