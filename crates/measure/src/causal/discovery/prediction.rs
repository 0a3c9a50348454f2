//! What some columns tell about others: regression on Gaussian bumps around some of the rows, with
//! weights kept small (ridge), each row predicted from the folds it is not in.
//!
//! ```text
//! k(x, c) = exp(-|x - c|² / (2 ℓ² inputs))     β = (KᵀK / n + λ I)⁻¹ KᵀY / n     Ŷ = K β
//! ```
//!
//! ℓ and λ are chosen for each target by the error of these predictions: nine candidates are too
//! few to fit the noise of hundreds of rows. The matrices do not depend on the target, so that all
//! targets of a set of inputs cost little more than one.

use std::ops::Range;

use faer::linalg::solvers::Solve;
use faer::{Mat, Side};
use ndarray::{Array2, ArrayView2, Axis};
use rayon::prelude::*;

use crate::rng::Rng;

/// ℓ: widths of a bump, where inputs have variance 1.
const WIDTHS: [f64; 3] = [0.25, 0.6, 1.5];
/// λ
const RIDGES: [f64; 3] = [1e-7, 1e-5, 1e-3];
/// Enough for a surface over two inputs with a few sharp folds: what the regression misses of it,
/// another column that folds in the same place would seem to explain. Half as many miss too much.
const BUMPS: usize = 256;
const FOLDS: usize = 4;

/// Predictions `[rows, targets]` from `inputs`, `[rows, inputs]`, each column with variance 1 and
/// mean 0, as those of `targets`. Rows must be in random order, as folds are runs of them.
pub(super) fn predict(
    inputs: ArrayView2<f64>,
    targets: ArrayView2<f64>,
    rng: &mut Rng,
) -> Array2<f64> {
    if inputs.ncols() == 0 {
        return Array2::zeros(targets.dim());
    }
    // Fewer bumps than a third of the rows: what is held out must not be fitted by luck.
    let count = BUMPS.min(inputs.nrows() / 3);
    let centres = inputs.select(Axis(0), &rng.distinct(count, inputs.nrows()));
    let candidates: Vec<Array2<f64>> = WIDTHS
        .par_iter()
        .flat_map_iter(|width| {
            let folds = Folds::new(bumps(inputs, centres.view(), *width), targets);
            RIDGES.map(|ridge| folds.predict(ridge))
        })
        .collect();
    let mut best = Array2::zeros(targets.dim());
    for (j, target) in targets.columns().into_iter().enumerate() {
        let error = |candidate: &&Array2<f64>| {
            let off = &candidate.column(j) - &target;
            off.dot(&off)
        };
        let least = candidates.iter().min_by(|one, other| error(one).total_cmp(&error(other)));
        if let Some(least) = least {
            best.column_mut(j).assign(&least.column(j));
        }
    }
    best
}

/// K, `[rows, bumps]`.
fn bumps(inputs: ArrayView2<f64>, centres: ArrayView2<f64>, width: f64) -> Array2<f64> {
    let scale = -0.5 / (width * width * inputs.ncols() as f64);
    // |x - c|² column by column: a few columns, many rows.
    let mut k = Array2::zeros((inputs.nrows(), centres.nrows()));
    for (column, centre) in inputs.columns().into_iter().zip(centres.columns()) {
        for (mut row, x) in k.rows_mut().into_iter().zip(column) {
            row.zip_mut_with(&centre, |distance: &mut f64, c| *distance += (x - c) * (x - c));
        }
    }
    k.mapv_inplace(|distance| (scale * distance).exp());
    k
}

/// KᵀK and KᵀY of each fold.
struct Folds {
    k: Array2<f64>,
    targets: usize,
    products: Vec<[Array2<f64>; 2]>,
}

impl Folds {
    fn new(k: Array2<f64>, targets: ArrayView2<f64>) -> Self {
        let products = (0..FOLDS)
            .map(|fold| {
                let run = run(fold, k.nrows());
                let rows = k.slice_axis(Axis(0), run.clone().into());
                [rows.t().dot(&rows), rows.t().dot(&targets.slice_axis(Axis(0), run.into()))]
            })
            .collect();
        Self { k, targets: targets.ncols(), products }
    }

    /// Each fold from the others.
    fn predict(&self, ridge: f64) -> Array2<f64> {
        let mut predictions = Array2::zeros((self.k.nrows(), self.targets));
        for fold in 0..FOLDS {
            let run = run(fold, self.k.nrows());
            let rows = self.k.slice_axis(Axis(0), run.clone().into());
            let predicted = rows.dot(&self.weights(fold, ridge));
            predictions.slice_axis_mut(Axis(0), run.into()).assign(&predicted);
        }
        predictions
    }

    /// β without one fold; zero if even the ridge leaves the matrix singular.
    fn weights(&self, without: usize, ridge: f64) -> Array2<f64> {
        let bumps = self.k.ncols();
        let sum = |part: usize, shape| {
            let others = self.products.iter().enumerate().filter(|(fold, _)| *fold != without);
            others.fold(Array2::<f64>::zeros(shape), |sum, (_, products)| sum + &products[part])
        };
        let (left, right) = (sum(0, (bumps, bumps)), sum(1, (bumps, self.targets)));
        let rows = self.k.nrows() - run(without, self.k.nrows()).len();
        let price = ridge * rows as f64;
        let left =
            Mat::from_fn(bumps, bumps, |i, j| left[[i, j]] + if i == j { price } else { 0.0 });
        let right = Mat::from_fn(bumps, self.targets, |i, j| right[[i, j]]);
        match left.llt(Side::Lower) {
            Ok(factor) => {
                let solved = factor.solve(&right);
                Array2::from_shape_fn((bumps, self.targets), |(i, j)| solved[(i, j)])
            }
            Err(_) => Array2::zeros((bumps, self.targets)),
        }
    }
}

/// The rows of a fold.
fn run(fold: usize, rows: usize) -> Range<usize> {
    fold * rows / FOLDS..(fold + 1) * rows / FOLDS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normal(shape: (usize, usize), rng: &mut Rng) -> Array2<f64> {
        Array2::from_shape_simple_fn(shape, || f64::from(rng.normal()))
    }

    fn error(predictions: &Array2<f64>, targets: &Array2<f64>, column: usize) -> f64 {
        let off = &predictions.column(column) - &targets.column(column);
        off.dot(&off) / off.len() as f64
    }

    #[test]
    fn a_bent_surface_is_predicted_noise_is_not_and_each_target_has_its_own_fit() {
        let mut rng = Rng::new(0);
        let x = normal((3000, 2), &mut rng);
        let noise = normal((3000, 1), &mut rng);
        let targets = Array2::from_shape_fn((3000, 3), |(row, j)| match j {
            0 => (1.5 * (x[[row, 0]] - x[[row, 1]])).tanh() + 0.6 * x[[row, 0]] * x[[row, 1]],
            1 => noise[[row, 0]],
            _ => 0.6 * x[[row, 0]] + 0.8 * noise[[row, 0]],
        });
        let found = predict(x.view(), targets.view(), &mut rng);
        let errors = [0, 1, 2].map(|j| error(&found, &targets, j));
        assert!(errors[0] < 0.03, "{errors:?}");
        // Held out, noise cannot be told; fitted, it would seem so.
        assert!((0.95..1.1).contains(&errors[1]), "{errors:?}");
        assert!((0.6..0.7).contains(&errors[2]), "{errors:?}");
    }

    #[test]
    fn few_values_many_times_over_are_no_trouble() {
        let mut rng = Rng::new(1);
        let x = Array2::from_shape_simple_fn((400, 2), || rng.below(2) as f64 * 2.0 - 1.0);
        let y = Array2::from_shape_fn((400, 1), |(row, _)| x[[row, 0]] * x[[row, 1]]);
        let found = predict(x.view(), y.view(), &mut rng);
        assert!(error(&found, &y, 0) < 1e-4);
    }

    #[test]
    fn nothing_tells_nothing() {
        let y = normal((100, 1), &mut Rng::new(2));
        let found = predict(Array2::zeros((100, 0)).view(), y.view(), &mut Rng::new(3));
        assert_eq!(found, Array2::<f64>::zeros((100, 1)));
        let found = predict(Array2::zeros((100, 1)).view(), y.view(), &mut Rng::new(3));
        assert!((error(&found, &y, 0) - 1.0).abs() < 0.3);
    }
}
