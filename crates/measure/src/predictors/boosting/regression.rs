//! Gradient boosting of regression trees, as `GradientBoostingRegressor` of scikit-learn does it
//! with its default settings: 100 rounds, trees of depth 3, rate 0.1, squared error. From the mean,
//! each round fits a tree to the residuals r and adds to the prediction 0.1 times the mean residual
//! of each leaf. Importances are those of the classifier.

use ndarray::ArrayView2;
use rayon::prelude::*;

use super::columns::Columns;
use super::histogram::Grid;
use super::tree::{Ground, LEAVES, Tree};
use super::{BLOCK, RATE, ROUNDS};
use crate::error::Result;
use crate::stats::mean;

/// A fitted regression.
#[derive(Clone, Debug)]
pub struct Regressor {
    /// The prediction before the first round.
    start: f64,
    rounds: Vec<Tree>,
    /// The share of each column in what all splits gained; zeros if nothing was split.
    pub importances: Vec<f64>,
    /// What it predicts for the rows it was fitted to.
    pub fitted: Vec<f64>,
}

/// A regression for each target, all taught by the same rows. `advance` gets shares of the work,
/// which add up to 1.
pub fn regress_each(
    columns: &Columns,
    targets: &[Vec<f64>],
    advance: impl Fn(f64) -> Result<()> + Sync,
) -> Result<Vec<Regressor>> {
    let share = 1.0 / (targets.len() * ROUNDS).max(1) as f64;
    let fit = |target: &Vec<f64>| Regressor::fit(columns, target, &|| advance(share));
    targets.par_iter().map(fit).collect()
}

impl Regressor {
    /// Fit to rows and their numbers; `advance` is called after each round.
    pub fn fit(
        columns: &Columns,
        target: &[f64],
        advance: &(dyn Fn() -> Result<()> + Sync),
    ) -> Result<Self> {
        let start = mean(target.iter().copied());
        let grid = Grid::new(columns.rows);
        let mut ground = Ground::new(columns);
        let mut residuals: Vec<f64> = target.iter().map(|value| value - start).collect();
        let mut leaves = vec![0; columns.rows];
        let mut gained = vec![0.0; columns.values.len()];
        let mut rounds = Vec::with_capacity(ROUNDS);
        for round in 0..ROUNDS {
            // The grid is for residuals between -1 and 1.
            let unit = residuals.iter().fold(0.0, |most: f64, r| most.max(r.abs()));
            if unit > 0.0 {
                let wholes = ground.wholes.iter_mut().zip(&residuals);
                wholes.for_each(|(whole, residual)| *whole = grid.whole(residual / unit));
                let mut gains = vec![0.0; gained.len()];
                let mut tree = ground.grow(columns, grid, &mut leaves, &mut gains, round as u64);
                gained.iter_mut().zip(&gains).for_each(|(sum, gain)| *sum += unit * unit * gain);
                tree.values = steps(&ground.sums.map(|sum| sum as f64 / grid.scale), &leaves);
                tree.values.iter_mut().for_each(|value| *value *= unit);
                let rows = residuals.iter_mut().zip(&leaves);
                rows.for_each(|(residual, leaf)| *residual -= tree.values[usize::from(*leaf)]);
                rounds.push(tree);
            }
            advance()?;
        }
        let total: f64 = gained.iter().sum();
        if total > 0.0 {
            for gain in &mut gained {
                *gain /= total;
            }
        }
        let fitted = target.iter().zip(&residuals).map(|(value, left)| value - left).collect();
        Ok(Self { start, rounds, importances: gained, fitted })
    }

    /// The prediction for each row of codes `[rows, columns]`.
    pub fn predict(&self, codes: ArrayView2<f32>) -> Vec<f64> {
        let columns: Vec<Vec<f32>> =
            codes.columns().into_iter().map(|code| code.to_vec()).collect();
        let block = |start: usize| {
            let rows = start..codes.nrows().min(start + BLOCK);
            let columns: Vec<&[f32]> = columns.iter().map(|code| &code[rows.clone()]).collect();
            let mut leaves = vec![0; rows.len()];
            let mut told = [self.start; BLOCK];
            for tree in &self.rounds {
                tree.find_leaves(&columns, &mut leaves);
                tree.add(&leaves, &mut told);
            }
            told[..rows.len()].to_vec()
        };
        let starts: Vec<usize> = (0..codes.nrows()).step_by(BLOCK).collect();
        starts.into_par_iter().flat_map_iter(block).collect()
    }
}

/// 0.1 times the mean residual of each leaf; nothing in an empty one.
fn steps(sums: &[f64; LEAVES], leaves: &[u8]) -> [f64; LEAVES] {
    let mut counts = [0.0_f64; LEAVES];
    for leaf in leaves {
        counts[usize::from(*leaf)] += 1.0;
    }
    std::array::from_fn(|leaf| RATE * sums[leaf] / counts[leaf].max(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    fn fit(codes: &Array2<f32>, target: &[f64]) -> Regressor {
        Regressor::fit(&Columns::new(codes.view()), target, &|| Ok(())).unwrap()
    }

    #[test]
    fn a_step_is_approached_by_a_tenth_each_round() {
        // Two levels, 0 and 10, parted by the first tree; the rest is 5 · 0.9^100 from the mean.
        let codes = Array2::from_shape_fn((40, 2), |(row, j)| (row * (1 + 2 * j) % 40) as f32);
        let target: Vec<f64> = (0..40).map(|row| if row < 20 { 0.0 } else { 10.0 }).collect();
        let model = fit(&codes, &target);
        let left = 5.0 * 0.9_f64.powi(100);
        assert!((model.fitted[0] - left).abs() < 1e-9 && (model.fitted[39] + left - 10.0) < 1e-9);
        assert!(model.importances[0] > 0.999_999, "{:?}", model.importances);
        for (told, fitted) in model.predict(codes.view()).iter().zip(&model.fitted) {
            assert!((told - fitted).abs() < 1e-9);
        }
    }

    #[test]
    fn a_new_scale_of_the_target_is_a_new_scale_of_the_prediction() {
        let codes = Array2::from_shape_fn((300, 3), |(row, j)| ((row * (7 + j)) % 101) as f32);
        let target: Vec<f64> =
            codes.rows().into_iter().map(|row| f64::from(row[0] * row[1] - row[2])).collect();
        let large: Vec<f64> = target.iter().map(|value| 1024.0 * value).collect();
        let (one, other) = (fit(&codes, &target), fit(&codes, &large));
        assert_eq!(one.importances, other.importances);
        assert!((one.fitted[7] * 1024.0 - other.fitted[7]).abs() < 1e-6);
    }

    #[test]
    fn nothing_to_learn_or_to_learn_from_leaves_the_mean() {
        let codes = Array2::from_shape_fn((10, 1), |(row, _)| row as f32);
        assert_eq!(fit(&codes, &[3.0; 10]).predict(codes.view()), [3.0; 10]);
        let target: Vec<f64> = (0..10).map(f64::from).collect();
        let model = fit(&Array2::zeros((10, 1)), &target);
        assert!((model.fitted[0] - 4.5).abs() < 1e-9);
        assert_eq!(model.importances, [0.0]);
    }
}
