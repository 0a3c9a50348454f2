//! Covariance of the columns of a matrix, and the eigenvalues of such symmetric matrices.

use faer::{Mat, Side};
use ndarray::linalg::general_mat_mul;
use ndarray::parallel::prelude::*;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, Zip};

use crate::error::{Error, Result};
use crate::stats::lanes;

/// Rows are taken in this many strips on any machine, so that threads do not change the result.
const STRIPS: usize = 16;
/// From this width on one strip must do: each has a matrix of its own.
const WIDE: usize = 512;
/// Below this width a matrix product packs more than it computes, and columns are paired directly.
const NARROW: usize = 64;
/// Rows that are centred and multiplied at once: few enough to stay in the cache.
const ROWS: usize = 256;
/// Fewer numbers than this are done before a second thread has woken up.
const FEW: usize = 1 << 17;

/// S = Σ (x - mean)(x - mean)ᵀ / (n - 1), `[columns, columns]`. The row and column of a constant
/// one are exactly zero; all is NaN with fewer than two rows.
pub fn covariance(x: ArrayView2<f32>) -> Array2<f64> {
    let width = x.ncols();
    if x.nrows() < 2 {
        return Array2::from_elem((width, width), f64::NAN);
    }
    // Measured from the first row, a constant column is zero, whatever rounding does to its mean.
    let origin = x.row(0).mapv(f64::from);
    let count = if width < WIDE { STRIPS } else { 1 };
    let strips = x.axis_chunks_iter(Axis(0), x.nrows().div_ceil(count));
    let moments = |strip: ArrayView2<f32>| {
        let mut all = Moments::none(width);
        let mut columns = Array2::zeros((width, ROWS));
        for rows in strip.axis_chunks_iter(Axis(0), ROWS) {
            all.join(&Moments::of(rows, &origin, &mut columns));
        }
        all
    };
    let parts: Vec<Moments> = match x.len() < FEW {
        true => strips.into_iter().map(moments).collect(),
        false => strips.into_par_iter().map(moments).collect(),
    };
    let mut all = Moments::none(width);
    for part in &parts {
        all.join(part);
    }
    all.products / (x.nrows() - 1) as f64
}

/// The k largest eigenvalues of a symmetric matrix, the largest first, and their vectors as columns; none if some number
/// is not finite.
pub fn eigenvectors(matrix: &Array2<f64>, k: usize) -> Option<(Vec<f64>, Array2<f64>)> {
    let size = matrix.nrows();
    let found =
        Mat::from_fn(size, size, |i, j| matrix[[i, j]]).self_adjoint_eigen(Side::Lower).ok()?;
    // faer sorts from the smallest to the largest.
    let (values, vectors) = (found.S().column_vector(), found.U());
    let largest = (0..k).map(|i| values[size - 1 - i]).collect();
    Some((largest, Array2::from_shape_fn((size, k), |(row, i)| vectors[(row, size - 1 - i)])))
}

/// The same of codes, for a metric that compares them: two or more, over two rows or more.
pub fn covariance_of_codes(codes: ArrayView2<f32>, metric: &str) -> Result<Array2<f64>> {
    match codes.ncols() < 2 || codes.nrows() < 2 {
        false => Ok(covariance(codes)),
        true => Err(Error::Missing(format!(
            "{metric} cannot be computed, because it compares codes over rows; score two codes or \
             more on two rows or more"
        ))),
    }
}

/// Rows so far: how many, their means, and Σ (x - mean)(x - mean)ᵀ.
struct Moments {
    count: f64,
    means: Array1<f64>,
    products: Array2<f64>,
}

impl Moments {
    fn none(width: usize) -> Self {
        Self { count: 0.0, means: Array1::zeros(width), products: Array2::zeros((width, width)) }
    }

    /// Of one block; `columns` is where it is laid out column by column.
    fn of(rows: ArrayView2<f32>, origin: &Array1<f64>, columns: &mut Array2<f64>) -> Self {
        let mut block = Self::none(rows.ncols());
        block.count = rows.nrows() as f64;
        for (j, mut column) in columns.rows_mut().into_iter().enumerate() {
            let column = column.as_slice_mut().expect("made as rows side by side");
            let (column, behind) = column.split_at_mut(rows.nrows());
            behind.fill(0.0);
            for (to, value) in column.iter_mut().zip(rows.column(j)) {
                *to = f64::from(*value) - origin[j];
            }
            let mean = ArrayView1::from(&*column).sum() / block.count;
            for value in &mut *column {
                *value -= mean;
            }
            block.means[j] = mean;
        }
        match rows.ncols() < NARROW {
            true => pair_columns(columns, &mut block.products),
            false => general_mat_mul(1.0, columns, &columns.t(), 0.0, &mut block.products),
        }
        block
    }

    /// Add other rows (Chan, Golub and LeVeque 1979): with d the difference of means,
    /// Σ = Σ₁ + Σ₂ + d dᵀ n₁ n₂ / (n₁ + n₂).
    fn join(&mut self, other: &Self) {
        let count = self.count + other.count;
        let apart = &other.means - &self.means;
        let weight = self.count * other.count / count;
        for (i, mut row) in self.products.rows_mut().into_iter().enumerate() {
            let step = apart[i] * weight;
            let add = |sum: &mut f64, product: &f64, apart: &f64| *sum += product + step * apart;
            Zip::from(&mut row).and(other.products.row(i)).and(&apart).for_each(add);
        }
        self.means.scaled_add(other.count / count, &apart);
        self.count = count;
    }
}

/// The products of every two columns, which are rows of `columns` here.
fn pair_columns(columns: &Array2<f64>, products: &mut Array2<f64>) {
    let column = |j: usize| columns.row(j).to_slice().expect("made as rows side by side");
    for i in 0..columns.nrows() {
        for j in 0..=i {
            let product = lanes::dot(column(i), column(j));
            (products[[i, j]], products[[j, i]]) = (product, product);
        }
    }
}

/// The eigenvalues of a symmetric matrix, from the smallest to the largest.
pub fn eigenvalues(symmetric: &Array2<f64>) -> Result<Vec<f64>> {
    Mat::from_fn(symmetric.nrows(), symmetric.ncols(), |i, j| symmetric[[i, j]])
        .self_adjoint_eigenvalues(Side::Lower)
        .map_err(|_| Error::Array("a matrix has no eigenvalues: are all numbers finite?".into()))
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
