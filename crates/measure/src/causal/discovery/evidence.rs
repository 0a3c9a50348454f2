//! The one question of the search, "does b help to predict a beyond S?":
//!
//! ```text
//! gain = mean of  (a - â(S))² - (a - â(S, b))²,     a of variance 1, predictions held out
//! ```
//!
//! It counts if it is more than a hundredth of the variance and clearly more than chance. Only means
//! are predicted: what moves nothing but the spread of a is not seen.

use std::collections::BTreeMap;

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::prediction::predict;
use crate::rng::Rng;
use crate::stats::order::sorted;

/// The share of a variance that counts. Less than this is within reach of what the regression
/// gets wrong, of rounded labels, and of how rows were picked.
pub(super) const COUNTS: f64 = 0.01;
/// A mean this many standard errors from zero is not chance, even among the hundreds looked at.
const CLEAR: f64 = 3.0;
/// More rows make every step slower and no answer clearer.
const ROWS: usize = 4000;

/// How much one column helps to predict another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Gain {
    /// Of the variance of what is predicted; below zero if it only disturbs.
    pub(super) share: f64,
    /// In standard errors.
    pub(super) clarity: f64,
}

impl Gain {
    pub(super) fn counts(self) -> bool {
        self.share > COUNTS && self.clarity > CLEAR
    }
}

/// The rows looked at, and what was learned from them so far.
pub(super) struct Evidence {
    /// Columns as inputs: see [`scores`].
    scores: Array2<f64>,
    /// Columns as targets: mean 0 and variance 1, or all 0.
    targets: Array2<f64>,
    /// Of every column given a set: what is left of it.
    left: BTreeMap<Vec<usize>, Array2<f32>>,
    rng: Rng,
}

impl Evidence {
    pub(super) fn new(labels: ArrayView2<f32>, rng: &Rng) -> Self {
        let count = labels.nrows().min(ROWS);
        let rows = rng.split("rows").distinct(count, labels.nrows());
        let labels = labels.select(Axis(0), &rows);
        let mut scored = Array2::zeros(labels.dim());
        let mut targets = Array2::zeros(labels.dim());
        for (j, column) in labels.columns().into_iter().enumerate() {
            scored.column_mut(j).assign(&scores(column));
            targets.column_mut(j).assign(&standardised(column.mapv(f64::from)));
        }
        Self { scores: scored, targets, left: BTreeMap::new(), rng: rng.clone() }
    }

    pub(super) fn columns(&self) -> usize {
        self.targets.ncols()
    }

    /// A column as an input.
    pub(super) fn scores(&self, column: usize) -> ArrayView1<'_, f64> {
        self.scores.column(column)
    }

    /// A column as a target.
    pub(super) fn target(&self, column: usize) -> ArrayView1<'_, f64> {
        self.targets.column(column)
    }

    /// Randomness for one purpose, the same whenever it is asked for.
    pub(super) fn rng(&self, purpose: &str) -> Rng {
        self.rng.split(purpose)
    }

    /// What is left of `target` where `given` is known, row by row.
    pub(super) fn left(&mut self, target: usize, given: &[usize]) -> ArrayView1<'_, f32> {
        let mut given = given.to_vec();
        given.sort_unstable();
        let (scores, targets, rng) = (&self.scores, &self.targets, &self.rng);
        let left = self.left.entry(given).or_insert_with_key(|given| {
            let inputs = scores.select(Axis(1), given);
            // The same draws whatever was asked before.
            let draws = rng.split("bumps");
            let mut rng = given.iter().fold(draws, |rng, column| rng.at(*column as u64));
            (targets - &predict(inputs.view(), targets.view(), &mut rng)).mapv(|left| left as f32)
        });
        left.column(target)
    }

    /// The share of the variance of `target` that is left.
    pub(super) fn share_left(&mut self, target: usize, given: &[usize]) -> f64 {
        let left = self.left(target, given);
        left.iter().map(|left| f64::from(left * left)).sum::<f64>() / left.len() as f64
    }

    /// What `by` adds to the prediction of `target` beyond `given`.
    pub(super) fn gain(&mut self, target: usize, by: usize, given: &[usize]) -> Gain {
        let before = self.left(target, given).to_owned();
        let after = self.left(target, &[given, &[by]].concat());
        let drops = before.iter().zip(after).map(|(b, a)| f64::from(b * b) - f64::from(a * a));
        let drops: Array1<f64> = drops.collect();
        let share = drops.sum() / drops.len() as f64;
        Gain { share, clarity: clarity(drops.view()) }
    }
}

/// The mean in standard errors; 0 if there is no spread to compare it with.
pub(super) fn clarity(values: ArrayView1<f64>) -> f64 {
    let spread = values.std(1.0);
    match spread > 0.0 {
        true => values.sum() / (values.len() as f64).sqrt() / spread,
        false => 0.0,
    }
}

/// Ranks, stretched to look like a bell curve: log u / (1 - u) of the share u of rows below, with
/// variance about 1. Outliers come near, and any rising function of a column gives the same.
/// Equal values share the middle of their ranks.
pub(super) fn scores(column: ArrayView1<f32>) -> Array1<f64> {
    /// The standard deviation of the logistic distribution.
    const SPREAD: f64 = std::f64::consts::PI / 1.732_050_807_568_877_2;
    let sorted = sorted(column);
    let mut scores = Array1::zeros(column.len());
    let mut from = 0;
    for run in sorted.values.chunk_by(|one, next| one == next) {
        let u = (from as f64 + 0.5 * run.len() as f64) / column.len() as f64;
        for &row in &sorted.rows[from..from + run.len()] {
            scores[row as usize] = (u / (1.0 - u)).ln() / SPREAD;
        }
        from += run.len();
    }
    standardised(scores)
}

/// Mean 0 and variance 1; a constant column is 0.
fn standardised(mut column: Array1<f64>) -> Array1<f64> {
    let first = column.first().copied().unwrap_or(0.0);
    // Measured from the first row, a constant is zero whatever rounding does.
    column -= first;
    let mean = column.mean().unwrap_or(0.0);
    column -= mean;
    let spread = column.std(0.0);
    if spread > 0.0 { column / spread } else { column * 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn scores_only_see_the_order_and_ties_share() {
        let one = scores(array![3.0, 1.0, 2.0, 2.0, 1e9].view());
        assert_eq!(one, scores(array![30.0, -1.0, 2.5, 2.5, 31.0].view()));
        assert_eq!(one[2], one[3]);
        assert!(one[1] < one[2] && one[2] < one[0] && one[0] < one[4]);
        assert_eq!(scores(array![7.0, 7.0].view()), array![0.0, 0.0]);
    }

    #[test]
    fn a_cause_gains_what_it_explains_and_nothing_beyond_a_mediator() {
        // x -> y -> z; x explains 1/2 of y, y 4/5 of z.
        let mut rng = Rng::new(0);
        let mut labels = Array2::zeros((4000, 4));
        for mut row in labels.rows_mut() {
            row[0] = rng.normal();
            row[1] = row[0] + rng.normal();
            row[2] = 2.0 * row[1] + std::f32::consts::SQRT_2 * rng.normal();
            row[3] = 5.0;
        }
        let mut evidence = Evidence::new(labels.view(), &rng);
        let direct = evidence.gain(1, 0, &[]);
        assert!((direct.share - 0.5).abs() < 0.03 && direct.clarity > 20.0, "{direct:?}");
        assert!(evidence.gain(2, 0, &[]).counts());
        assert!(!evidence.gain(2, 0, &[1]).counts());
        assert!(evidence.gain(2, 1, &[0]).counts());
        for other in 0..3 {
            assert!(
                !evidence.gain(3, other, &[]).counts() && !evidence.gain(other, 3, &[]).counts()
            );
        }
    }
}
