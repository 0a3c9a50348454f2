//! Quadratic discriminant analysis: a Gaussian for each class, and which of them a row is likely of.
//!
//! ```text
//! log p(class | x) = −½ |W_c (x − m_c)|² + log |W_c| + log share_c + constant,   W_cᵀ W_c = Σ_c⁻¹
//! ```
//!
//! The covariance of a class is drawn a tenth of the way to that within all classes, so that one with few rows, or with
//! rows that do not vary, has one too.

use faer::{Mat, Side};
use ndarray::{Array1, Array2, Array3, ArrayView2, Axis};

use crate::error::{Error, Result};
use crate::stats::covariance::covariance;

/// How far each covariance is drawn to that within all classes.
const SHRINKAGE: f64 = 0.1;
/// What is added to each variance, as a share of the mean one: columns may be constant.
const RIDGE: f64 = 1e-4;
/// Of a class without rows.
const NEVER: f32 = -1e9;

/// A Gaussian for each class.
#[derive(Clone, Debug, PartialEq)]
pub struct Discriminant {
    /// m, `[classes, columns]`
    pub means: Array2<f32>,
    /// W of each class, `[classes, columns, columns]`
    pub whitening: Array3<f32>,
    /// log |W| + log share of each class.
    pub constants: Vec<f32>,
}

impl Discriminant {
    /// Of rows with their classes, numbers below `classes`.
    pub fn fit(x: ArrayView2<f32>, classes: &[usize], count: usize) -> Result<Self> {
        let width = x.ncols();
        let rows = |class: usize| -> Vec<usize> {
            (0..x.nrows()).filter(|row| classes[*row] == class).collect()
        };
        let mut all: Vec<Option<(Array2<f64>, usize)>> = Vec::new();
        let (mut means, mut within) =
            (Array2::zeros((count, width)), Array2::zeros((width, width)));
        for class in 0..count {
            let own = x.select(Axis(0), &rows(class));
            if let Some(mean) = own.mean_axis(Axis(0)) {
                means.row_mut(class).assign(&mean);
            }
            // One row has no covariance; it has that of the others.
            let spread = (own.nrows() > 1).then(|| covariance(own.view()));
            if let Some(spread) = &spread {
                within.scaled_add((own.nrows() - 1) as f64, spread);
            }
            let none = Array2::zeros((width, width));
            all.push((own.nrows() > 0).then(|| (spread.unwrap_or(none), own.nrows())));
        }
        within /= (x.nrows().saturating_sub(count)).max(1) as f64;
        let ridge = RIDGE * within.diag().mean().unwrap_or(0.0).max(1e-12);
        let mut whitening = Array3::zeros((count, width, width));
        let mut constants = vec![NEVER; count];
        for (class, found) in all.iter().enumerate() {
            let Some((spread, rows)) = found else { continue };
            let few = (width + 1) as f64 / (*rows as f64 + width as f64);
            let share = SHRINKAGE.max(few).min(1.0);
            let mut matrix = spread * (1.0 - share) + &within * share;
            matrix.diag_mut().map_inplace(|variance| *variance += ridge);
            let (whiten, log_determinant) = whitener(&matrix)?;
            whitening.index_axis_mut(Axis(0), class).assign(&whiten);
            constants[class] = (log_determinant + (*rows as f64 / x.nrows() as f64).ln()) as f32;
        }
        Ok(Self { means, whitening, constants })
    }

    /// log p(class, x) up to a constant of each row, `[rows, classes]`.
    pub fn log_joint(&self, x: ArrayView2<f32>) -> Array2<f32> {
        let classes = self.constants.len();
        let mut found = Array2::zeros((x.nrows(), classes));
        for class in 0..classes {
            let apart = &x - &self.means.row(class);
            let whiten = self.whitening.index_axis(Axis(0), class);
            let white = apart.dot(&whiten.t());
            let squares: Array1<f32> = white.map_axis(Axis(1), |row| row.dot(&row));
            found.column_mut(class).assign(&(squares * -0.5 + self.constants[class]));
        }
        found
    }
}

/// W with Wᵀ W = Σ⁻¹, the inverse of the lower Cholesky factor, and log |W|.
fn whitener(matrix: &Array2<f64>) -> Result<(Array2<f32>, f64)> {
    let width = matrix.nrows();
    let symmetric = Mat::from_fn(width, width, |a, b| matrix[[a, b]]);
    let factor = symmetric.llt(Side::Lower).map_err(|_| {
        Error::Missing("the covariance of these rows has no inverse: some are not numbers".into())
    })?;
    let lower = factor.L();
    // Row by row: W L = 1.
    let mut inverse = Array2::<f64>::zeros((width, width));
    for column in 0..width {
        for row in column..width {
            let sum: f64 = (column..row).map(|k| lower[(row, k)] * inverse[[k, column]]).sum();
            let one = if row == column { 1.0 } else { 0.0 };
            inverse[[row, column]] = (one - sum) / lower[(row, row)];
        }
    }
    let log_determinant = -(0..width).map(|k| lower[(k, k)].ln()).sum::<f64>();
    Ok((inverse.mapv(|value| value as f32), log_determinant))
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;
    use crate::rng::Rng;

    /// Two classes around the same place that only their spread tells apart, and one beside them.
    #[test]
    fn classes_are_told_by_place_and_by_spread() {
        let (mut rng, count) = (Rng::new(3), 3000);
        let classes: Vec<usize> = (0..count).map(|k| k % 3).collect();
        let mut x = Array2::zeros((count, 2));
        for (k, class) in classes.iter().enumerate() {
            let (place, spread) = [(0.0, 0.1), (0.0, 3.0), (20.0, 1.0)][*class];
            x[[k, 0]] = place + spread * rng.normal();
            x[[k, 1]] = 5.0 + spread * rng.normal();
        }
        let found = Discriminant::fit(x.view(), &classes, 3).unwrap();
        let likely = found.log_joint(array![[0.05, 5.0], [3.0, 2.0], [19.0, 5.5]].view());
        for (row, class) in likely.rows().into_iter().zip([0, 1, 2]) {
            let best = (0..3).max_by(|a, b| row[*a].total_cmp(&row[*b])).unwrap();
            assert_eq!(best, class, "{row}");
        }
        // The density of the class with spread 3 at its middle: −log(2π 9) + log(1/3), up to log 2π.
        let middle = found.log_joint(array![[0.0, 5.0]].view())[[0, 1]];
        assert!((middle - (-(9.0f32.ln()) - 3.0f32.ln())).abs() < 0.4, "{middle}");
    }

    #[test]
    fn constant_columns_single_rows_and_missing_classes_are_no_accident() {
        let x = array![[0.0, 7.0], [1.0, 7.0], [0.5, 7.0], [9.0, 7.0]];
        let found = Discriminant::fit(x.view(), &[0, 0, 0, 2], 3).unwrap();
        let likely = found.log_joint(x.view());
        assert!(likely.iter().all(|number| number.is_finite()));
        assert!(likely.column(1).iter().all(|never| *never < -1e8));
        assert!(likely[[3, 2]] > likely[[3, 0]] && likely[[0, 0]] > likely[[0, 2]]);
        let broken = array![[f32::NAN], [1.0]];
        assert!(Discriminant::fit(broken.view(), &[0, 0], 1).is_err());
    }
}
