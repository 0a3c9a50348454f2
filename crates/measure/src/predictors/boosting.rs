//! Gradient boosting of classification trees (Friedman 2001), as `GradientBoostingClassifier` of
//! scikit-learn does it with its default settings: 100 rounds, trees of depth 3, rate 0.1.
//!
//! With p_k the softmax of the scores F_k, which start from the logarithms of the class shares, each
//! round fits one regression tree per class to the residuals r = 1[y = k] - p_k and adds to F_k, in
//! each leaf, a Newton step
//!
//! ```text
//! 0.1 (K - 1) / K  Σ r / Σ p_k (1 - p_k)
//! ```
//!
//! With two classes there is one tree per round, the softmax is the logistic function, and the
//! factor (K - 1) / K is left out. The importance of a column is the sum of what its splits take off
//! the squared error of the residuals, over all trees, as a share.
//!
//! Splits are exact: the best of all thresholds midway between neighbouring values. Where several are
//! equally good, scikit-learn takes the first column of a random order; here the order is as random
//! but fixed, and depends on what is in the columns, not on where they stand. Everything else is as
//! there; `histogram.rs` and `edges.rs` say how it can be fast.

use ndarray::{Array2, ArrayView2, Axis};
use rayon::prelude::*;

use crate::error::Result;

mod columns;
mod edges;
mod fit;
mod histogram;
mod probability;
mod regression;
mod split;
mod tasks;
mod tree;

pub use columns::Columns;
use fit::Fit;
use probability::{BLOCK, logistic, softmax};
pub use regression::{Regressor, regress_each};
pub use tasks::Task;
use tree::Tree;

/// How many trees each class gets.
const ROUNDS: usize = 100;

/// The share of its step that a tree goes.
const RATE: f64 = 0.1;

/// A fitted classifier.
#[derive(Clone, Debug)]
pub struct Classifier {
    /// The classes that the training rows have, rising.
    classes: Vec<u32>,
    /// The score of each class before the first round; one number for two classes.
    start: Vec<f64>,
    /// `[rounds][classes]`, one tree per round for two classes.
    rounds: Vec<Vec<Tree>>,
    /// The share of each column in what all splits gained; zeros if nothing was split.
    pub importances: Vec<f64>,
    /// What it predicts for the rows it was fitted to.
    pub fitted: Vec<u32>,
}

/// A classifier for each list of classes, all taught by the same rows. `advance` gets shares of the
/// work, which add up to 1.
pub fn fit_each(
    columns: &Columns,
    tasks: &[&[u32]],
    advance: impl Fn(f64) -> Result<()> + Sync,
) -> Result<Vec<Classifier>> {
    let fits: Vec<Fit> = tasks.iter().map(|classes| Fit::new(columns, classes)).collect();
    let trees: usize = fits.iter().map(Fit::trees).sum();
    let fit = |fit: Fit| {
        let share = fit.trees() as f64 / (trees * ROUNDS).max(1) as f64;
        fit.run(&|| advance(share))
    };
    fits.into_par_iter().map(fit).collect()
}

/// A classifier for each task, taught by these rows of codes `[rows, columns]`: the first of those
/// that the tasks have.
pub fn teach(
    codes: ArrayView2<f32>,
    rows: &[usize],
    tasks: &[Task],
    advance: impl Fn(f64) -> Result<()> + Sync,
) -> Result<Vec<Classifier>> {
    let columns = Columns::new(codes.select(Axis(0), rows).view());
    let classes: Vec<&[u32]> = tasks.iter().map(|task| &task.train[..rows.len()]).collect();
    fit_each(&columns, &classes, advance)
}

impl Classifier {
    /// Fit to rows and their classes; `advance` is called after each round. If all rows are of one
    /// class, that class is what it predicts.
    pub fn fit(
        columns: &Columns,
        classes: &[u32],
        advance: &(dyn Fn() -> Result<()> + Sync),
    ) -> Result<Self> {
        Fit::new(columns, classes).run(advance)
    }

    /// The most probable class of each row of codes `[rows, columns]`.
    pub fn predict(&self, codes: ArrayView2<f32>) -> Vec<u32> {
        let decide = |block: Vec<[f64; BLOCK]>, rows| self.decide(&block, rows);
        self.score(codes, decide).concat()
    }

    /// The probability of each class, `[rows, classes]`, classes rising.
    pub fn probabilities(&self, codes: ArrayView2<f32>) -> Array2<f64> {
        let block = |scores: Vec<[f64; BLOCK]>, rows| {
            let mut shares = vec![[0.0; BLOCK]; self.classes.len()];
            match &scores[..] {
                [] => shares[0] = [1.0; BLOCK],
                [one] => {
                    logistic(one, &mut shares[1]);
                    shares[0] = shares[1].map(|share| 1.0 - share);
                }
                scores => softmax(scores, &mut shares),
            }
            Array2::from_shape_fn((rows, shares.len()), |(row, class)| shares[class][row])
        };
        let blocks = self.score(codes, block);
        let views: Vec<_> = blocks.iter().map(|block| block.view()).collect();
        ndarray::concatenate(Axis(0), &views).expect("blocks have a column for each class")
    }

    /// Scores `[trees of a round][rows]` of each block of rows, made into something else.
    fn score<T: Send>(
        &self,
        codes: ArrayView2<f32>,
        make: impl Fn(Vec<[f64; BLOCK]>, usize) -> T + Sync,
    ) -> Vec<T> {
        let columns: Vec<Vec<f32>> =
            codes.columns().into_iter().map(|code| code.to_vec()).collect();
        let block = |start: usize| {
            let rows = start..codes.nrows().min(start + BLOCK);
            let columns: Vec<&[f32]> = columns.iter().map(|code| &code[rows.clone()]).collect();
            let mut scores: Vec<_> = self.start.iter().map(|start| [*start; BLOCK]).collect();
            let mut leaves = vec![0; rows.len()];
            for round in &self.rounds {
                for (tree, scores) in round.iter().zip(&mut scores) {
                    tree.find_leaves(&columns, &mut leaves);
                    tree.add(&leaves, scores);
                }
            }
            make(scores, rows.len())
        };
        let starts: Vec<usize> = (0..codes.nrows()).step_by(BLOCK).collect();
        starts.into_par_iter().map(block).collect()
    }

    /// The class with the largest score, the first of equals; of two, the second if it is not less
    /// probable.
    fn decide(&self, scores: &[[f64; BLOCK]], rows: usize) -> Vec<u32> {
        let place = |row: usize| match scores {
            [] => 0,
            [one] => usize::from(one[row] >= 0.0),
            all => (1..all.len()).fold(0, |best, k| match all[k][row] > all[best][row] {
                true => k,
                false => best,
            }),
        };
        (0..rows).map(|row| self.classes[place(row)]).collect()
    }
}

#[cfg(test)]
mod tests;
