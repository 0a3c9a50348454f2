//! Linear regression by least squares. Of the coefficients that fit equally well, those of the
//! smallest length: with X = Σ s_i u_i v_iᵀ,
//!
//! ```text
//! w = Σ over i with s_i² > ε n s_1² of  v_i v_iᵀ Xᵀy / s_i²
//! ```
//!
//! from the products XᵀX and Xᵀy alone, so that the time grows with the rows and not with their
//! square. Columns that are copies of each other share a coefficient, and a constant one gets none.

use faer::{Mat, Side};
use ndarray::{Array2, ArrayView1, ArrayView2};

use crate::error::{Error, Result};

/// Coefficients for several targets.
#[derive(Clone, Debug, PartialEq)]
pub struct LeastSquares {
    /// Subtracted from each column, and what each is divided by then, `[inputs]`.
    centre: Vec<f64>,
    scale: Vec<f64>,
    /// Added to each prediction, `[targets]`.
    intercepts: Vec<f64>,
    /// `[inputs, targets]`
    weights: Array2<f64>,
}

impl LeastSquares {
    /// Fit targets `[rows, targets]` to inputs `[rows, inputs]`: inputs are standardised, and there
    /// is an intercept.
    pub fn fit(x: ArrayView2<f64>, y: ArrayView2<f64>) -> Result<Self> {
        let rows = x.nrows() as f64;
        let means = |table: ArrayView2<f64>| -> Vec<f64> {
            table.columns().into_iter().map(|column| column.sum() / rows).collect()
        };
        let (centre, intercepts) = (means(x), means(y));
        let deviation = |(column, mean): (ArrayView1<f64>, &f64)| {
            let squares = column.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
            // Rounding leaves a constant column a spread of its own; it must not be blown up.
            match column.iter().all(|value| *value == column[0]) || squares == 0.0 {
                true => f64::INFINITY,
                false => (squares / rows).sqrt(),
            }
        };
        let scale: Vec<f64> = x.columns().into_iter().zip(&centre).map(deviation).collect();
        let fitted = Self { centre, scale, intercepts, weights: Array2::zeros((0, 0)) };
        let y = &y - &ArrayView1::from(&fitted.intercepts);
        let weights = solve(fitted.standardised(x).view(), y.view())?;
        Ok(Self { weights, ..fitted })
    }

    /// The same without an intercept and without scaling.
    pub fn through_the_origin(x: ArrayView2<f64>, y: ArrayView2<f64>) -> Result<Self> {
        let (centre, scale) = (vec![0.0; x.ncols()], vec![1.0; x.ncols()]);
        Ok(Self { centre, scale, intercepts: vec![0.0; y.ncols()], weights: solve(x, y)? })
    }

    /// `[rows, targets]`
    pub fn predict(&self, x: ArrayView2<f64>) -> Array2<f64> {
        self.standardised(x).dot(&self.weights) + ArrayView1::from(&self.intercepts)
    }

    fn standardised(&self, x: ArrayView2<f64>) -> Array2<f64> {
        (&x - &ArrayView1::from(&self.centre)) / ArrayView1::from(&self.scale)
    }
}

/// (XᵀX)⁺ Xᵀy
fn solve(x: ArrayView2<f64>, y: ArrayView2<f64>) -> Result<Array2<f64>> {
    // By the largest number, so that squares of huge ones stay finite.
    let most = x.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
    if most == 0.0 {
        return Ok(Array2::zeros((x.ncols(), y.ncols())));
    }
    let x = x.mapv(|value| value / most);
    let products = x.t().dot(&x);
    let size = products.nrows();
    let eigen =
        Mat::from_fn(size, size, |i, j| products[[i, j]]).self_adjoint_eigen(Side::Lower).map_err(
            |_| Error::Array("a regression has no solution: are all numbers finite?".into()),
        )?;
    let vectors = Array2::from_shape_fn((size, size), |(i, j)| eigen.U()[(i, j)]);
    let squares: Vec<f64> = (0..size).map(|i| eigen.S()[i]).collect();
    let largest = squares.iter().copied().fold(0.0, f64::max);
    let least = f64::EPSILON * x.nrows().max(size) as f64 * largest;
    let mut along = vectors.t().dot(&x.t().dot(&y));
    for (mut row, square) in along.rows_mut().into_iter().zip(squares) {
        let inverse = if square > least { 1.0 / square } else { 0.0 };
        row.mapv_inplace(|entry| entry * inverse);
    }
    Ok(vectors.dot(&along) / most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn a_line_is_found_with_its_intercept_and_without_it_is_not() {
        let x = array![[1.0], [2.0], [3.0], [4.0]];
        let y = x.mapv(|x| 3.0 * x + 2.0);
        let told = LeastSquares::fit(x.view(), y.view()).unwrap().predict(array![[10.0]].view());
        assert!((told[[0, 0]] - 32.0).abs() < 1e-9);
        // Through the origin: Σ x y / Σ x² = (90 + 20) / 30.
        let bare = LeastSquares::through_the_origin(x.view(), y.view()).unwrap();
        assert!((bare.predict(array![[1.0]].view())[[0, 0]] - 110.0 / 30.0).abs() < 1e-9);
    }

    #[test]
    fn copies_share_and_constants_have_nothing() {
        let x = array![[1.0, 2.0, 5.0, 1.0], [2.0, 4.0, 5.0, -1.0], [3.0, 6.0, 5.0, 1.0]];
        let y = x.column(0).insert_axis(ndarray::Axis(1)).to_owned();
        let model = LeastSquares::fit(x.view(), y.view()).unwrap();
        assert!((model.predict(x.view()) - &y).iter().all(|off| off.abs() < 1e-9));
        assert!((model.weights[[0, 0]] - model.weights[[1, 0]]).abs() < 1e-9);
        assert_eq!(model.predict(array![[2.0, 4.0, 9.0, 0.0]].view()).len(), 1);
        assert_eq!(model.weights[[2, 0]], 0.0);
    }

    #[test]
    fn huge_numbers_stay_finite() {
        let x = array![[1e300, 1.0], [-2e300, 1.0], [4e300, 1.0]];
        let y = array![[1.0], [-2.0], [4.0]];
        let told = LeastSquares::through_the_origin(x.view(), y.view()).unwrap().predict(x.view());
        assert!((told - y).iter().all(|off| off.abs() < 1e-9));
    }
}
