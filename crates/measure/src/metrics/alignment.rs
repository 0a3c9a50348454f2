//! Alignment of sets of codes with factors: the R² and Spearman scores, diagonal and separation, of
//! CITRIS (Lippe et al. 2022, arXiv:2202.03169), with the assignment of codes to factors of BISCUIT
//! (Lippe et al. 2023, arXiv:2306.09643). One network predicts every factor v from every set s of
//! codes; on rows it has not seen,
//!
//! ```text
//! R²_sv = 1 - mean (v̂_s - v)² / mean (v - mean v)²
//! diagonal = mean_s R²_ss          separation = mean_s max_{v ≠ s} R²_sv
//! ```
//!
//! Differences from the authors' code:
//! - Every factor is a number to regress on. There, the kind of each factor is declared: classes
//!   have a softmax, and angles a sine and a cosine. Here, no file says so.
//! - The outputs are linear and the factors standardised, in place of a tanh over a declared range.
//! - The training is bounded ([`Training::BOUNDED`]; [`Alignment::PAPER`] has theirs).
//! - The information of a single code is estimated from bins, not by a network of all single codes.
//! - A code that is not predictive of any factor by itself belongs to none; there, noise decides.

use std::cmp::Ordering;

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};
use rayon::prelude::*;

use super::{Better, Metric, Needs, Reading, Score};
use crate::error::{Error, Result};
use crate::info::Info;
use crate::predictors::bin_regression;
use crate::predictors::subset_predictor::{SubsetPredictor, Training};
use crate::representation::Representation;
use crate::rng::Rng;
use crate::stats::correlation::spearman;
use crate::stats::{is_constant, mean};
use crate::watch::Stage;

const PAGE: &str = "\
## What it measures

Whether each factor can be predicted from its own set of codes, and from no other set.

## How

Codes are assigned to sets, one for each factor: by the method itself, where it gives blocks, and
otherwise by the predictive power of each code alone. For that, a code is discretised, each bin
predicts its mean of the factor on the training rows, and R2 is 1 - (squared error) / (variance) on
the test rows. R2 is divided by that of the best code of the factor (at least 0.1), and the code
goes to the factor with the largest quotient; a code with no R2 above 0 goes to none.

Then one small network (two layers of 128, tanh) learns to predict every factor from every set; it
sees the codes of one set at a time. On the test rows this gives an R2 for each set and each factor,
and likewise Spearman's correlation of predicted and true values. The diagonal is the mean over sets
of the score on their own factor; the separation is the mean over sets of the largest score on any
other factor. An empty set scores 0. Every factor is a regression target, continuous or not, without
bins; words count by their class numbers. Factors that are constant among the training rows or among
the test rows are left out.

## Reading it

The value is the diagonal of R2, at most 1. 1: each factor can be predicted from its codes. About 0:
they predict it no better than its mean; below 0: the network overfitted. `r2_separation` should be
near 0; a high one says that the codes of one factor predict another. The parts
`spearman_diagonal` and `spearman_separation` are the same for rank correlations,
`r2_diagonal/FACTOR` and `r2_separation/FACTOR` the numbers behind the means, and `codes/FACTOR` the
size of each set. The matrix has the R2 of each factor from each code alone.

## Cautions

- A high diagonal says little without a low separation: read both. The separation also sees factors
  that depend on each other in the data; draw them independently to judge the codes alone.
- Spearman's separation is the largest of several correlations of noise, so it stays above 0.
- The network takes at most 1000 steps that start large and fall to 0, in batches of 512; the
  authors take 100 epochs of equal steps. On tables of thousands of rows, diagonal and separation of
  R2 differ by at most 0.01 from theirs, upwards where theirs have not converged.
- The numbers of unordered classes are arbitrary, and an angle jumps where it starts again: the
  authors' code predicts classes and angles as such, and gives other values for them.
- Two codes that predict a factor only together, as sine and cosine do an angle, predict little
  alone, and may be assigned to other factors or to none; give blocks.
- Codes are divided by their standard deviation, but by no less than 0.01; smaller ones fade.
- The time hardly grows with the rows, but it does with the codes: raw pixels take minutes.

## Reference

Lippe, Magliacane, Löwe, Asano, Cohen and Gavves, CITRIS: Causal Identifiability from Temporal
Intervened Sequences, 2022, arXiv:2202.03169; assignment of Lippe et al., BISCUIT, 2023,
arXiv:2306.09643.";

/// Codes with a smaller standard deviation are divided by this, so that a collapsed code stays
/// small.
const LEAST_SPREAD: f64 = 0.01;
/// The smallest divisor, where R² is divided by the factor's best.
const LEAST_BEST: f64 = 0.1;
/// The share of the time that the training takes; testing has the rest.
const TRAINING: f64 = 0.9;

/// Alignment of sets of codes with factors.
#[derive(Clone, Copy, Debug)]
pub struct Alignment {
    /// Whether R² is divided by that of the factor's best code before a code chooses its factor
    /// (BISCUIT), or taken as it is (CITRIS).
    pub relative: bool,
    /// How the network is trained.
    pub training: Training,
}

impl Alignment {
    /// In a time that does not grow with the rows.
    pub const BOUNDED: Self = Self { relative: true, training: Training::BOUNDED };
    /// With the training of the authors' code, some ten times as long on 10,000 rows.
    pub const PAPER: Self = Self { relative: true, training: Training::PAPER };
}

impl Metric for Alignment {
    fn info(&self) -> Info {
        Info {
            name: "alignment",
            title: "Alignment (R2 and Spearman)",
            summary: "how well each set of codes predicts its factor, and the others",
            paper: "Lippe et al., CITRIS: Causal Identifiability from Temporal Intervened \
                    Sequences, ICML 2022",
            page: PAGE,
        }
    }

    fn reading(&self) -> Reading {
        let line = "each factor can be read off its own codes; see r2_separation for the others";
        Reading { low: f64::NEG_INFINITY, high: 1.0, better: Better::Higher, line }
    }

    fn needs(&self) -> Needs {
        Needs::Split
    }

    fn score(
        &self,
        representation: &Representation,
        rng: &mut Rng,
        watch: &Stage,
    ) -> Result<Score> {
        let (train, test) = representation.split()?;
        let factors = varying_factors(&train, &test)?;
        let codes = order_of_codes(representation.codes.view());
        let train_rows = Rows::new(&train, &train, &codes, &factors);
        let test_rows = Rows::new(&test, &train, &codes, &factors);
        let alone = r2_alone(&train_rows, &test_rows);
        let sets = match &representation.readings.blocks {
            Some(blocks) => given_sets(blocks, representation, &codes, &factors)?,
            None => self.chosen_sets(&alone),
        };
        let [r2, ranks] = self.judged(&sets, &train_rows, &test_rows, rng, watch)?;
        let names = factors.iter().map(|&k| representation.factors[k].name.as_str());
        let sizes = sets.iter().map(Vec::len);
        let mut matrix = Array2::zeros((codes.len(), representation.factors.len()));
        for ((j, k), r2) in alone.indexed_iter() {
            matrix[[codes[j], factors[k]]] = *r2;
        }
        let parts = parts(&r2, &ranks, names.zip(sizes));
        Ok(Score { value: mean(diagonal(&r2)), parts, matrix: Some(matrix) })
    }
}

/// Codes `[rows, codes]` and values `[rows, factors]` that are used, with mean 0 and variance 1
/// among the training rows.
struct Rows {
    codes: Array2<f32>,
    values: Array2<f32>,
}

impl Rows {
    fn new(
        rows: &Representation,
        train: &Representation,
        codes: &[usize],
        factors: &[usize],
    ) -> Self {
        Self {
            codes: standardised(rows.codes.view(), train.codes.view(), codes, LEAST_SPREAD),
            values: standardised(rows.values.view(), train.values.view(), factors, 0.0),
        }
    }
}

/// (x - mean) / spread of some columns, with mean and spread of the same columns of `train`.
fn standardised(
    x: ArrayView2<f32>,
    train: ArrayView2<f32>,
    columns: &[usize],
    least_spread: f64,
) -> Array2<f32> {
    let mut out = Array2::zeros((x.nrows(), columns.len()));
    for (mut out, &column) in out.columns_mut().into_iter().zip(columns) {
        let known = train.column(column).mapv(f64::from);
        let mean = known.mean().expect("a split has rows that teach");
        let spread = known.std(0.0).max(least_spread);
        out.zip_mut_with(&x.column(column), |out, x| {
            *out = ((f64::from(*x) - mean) / spread) as f32;
        });
    }
    out
}

fn varying_factors(train: &Representation, test: &Representation) -> Result<Vec<usize>> {
    let varies = |rows: &Representation, k: usize| !is_constant(rows.values.column(k));
    let factors = 0..train.factors.len();
    let found: Vec<usize> = factors.filter(|&k| varies(train, k) && varies(test, k)).collect();
    match found.is_empty() {
        true => Err(Error::Missing(
            "no factor changes both among the rows that teach and among those that judge; score \
             rows in which factors change"
                .into(),
        )),
        false => Ok(found),
    }
}

/// The codes sorted by their content: the order of codes in the table must not decide which random
/// weights of the network a code gets.
fn order_of_codes(codes: ArrayView2<f32>) -> Vec<usize> {
    let by_contents = |a: ArrayView1<f32>, b: ArrayView1<f32>| {
        let mut differences = a.iter().zip(b).map(|(a, b)| a.total_cmp(b));
        differences.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    };
    let mut order: Vec<usize> = (0..codes.ncols()).collect();
    order.sort_by(|&a, &b| by_contents(codes.column(a), codes.column(b)));
    order
}

/// R² of each factor from each code alone, `[codes, factors]`.
fn r2_alone(train: &Rows, test: &Rows) -> Array2<f64> {
    let of_code = |j: usize| {
        let (known, asked) = (train.codes.column(j), test.codes.column(j));
        let predicted = bin_regression::predict(known, train.values.view(), asked);
        let columns = predicted.columns().into_iter().zip(test.values.columns());
        columns.map(|(predicted, truth)| r2(predicted.iter().copied(), truth)).collect()
    };
    let rows: Vec<Vec<f64>> = (0..train.codes.ncols()).into_par_iter().map(of_code).collect();
    Array2::from_shape_fn((rows.len(), train.values.ncols()), |(j, k)| rows[j][k])
}

/// 1 - Σ (v̂ - v)² / Σ (v - mean v)²
fn r2(predicted: impl Iterator<Item = f64>, truth: ArrayView1<f32>) -> f64 {
    let mean = mean(truth.iter().copied().map(f64::from));
    let (mut off, mut spread) = (0.0, 0.0);
    for (predicted, value) in predicted.zip(truth) {
        off += (predicted - f64::from(*value)).powi(2);
        spread += (f64::from(*value) - mean).powi(2);
    }
    1.0 - off / spread
}

/// The codes of each factor, as the method assigned them.
fn given_sets(
    blocks: &[Option<usize>],
    representation: &Representation,
    codes: &[usize],
    factors: &[usize],
) -> Result<Vec<Vec<usize>>> {
    let most = representation.factors.len();
    if blocks.len() != codes.len() || blocks.iter().flatten().any(|&factor| factor >= most) {
        return Err(Error::Array(format!(
            "the blocks {blocks:?} do not fit {} codes and {most} factors; give the number of a \
             factor, from 0, or none, for each code",
            codes.len()
        )));
    }
    let set =
        |factor: &usize| (0..codes.len()).filter(|&j| blocks[codes[j]] == Some(*factor)).collect();
    Ok(factors.iter().map(set).collect())
}

impl Alignment {
    /// The codes of each factor: those that predict it best, alone.
    fn chosen_sets(&self, alone: &Array2<f64>) -> Vec<Vec<usize>> {
        let best = |column: ArrayView1<f64>| match self.relative {
            true => column.iter().fold(LEAST_BEST, |best, r2| best.max(r2.abs())),
            false => 1.0,
        };
        let best: Array1<f64> = alone.map_axis(Axis(0), best);
        let mut sets = vec![Vec::new(); alone.ncols()];
        for (j, row) in alone.rows().into_iter().enumerate() {
            let share = &row / &best;
            // The first of equals.
            let most =
                (1..share.len()).fold(0, |most, k| if share[k] > share[most] { k } else { most });
            if share[most] > 0.0 {
                sets[most].push(j);
            }
        }
        sets
    }

    /// R² and Spearman's correlation of each factor as predicted from each set, `[sets, factors]`.
    fn judged(
        &self,
        sets: &[Vec<usize>],
        train: &Rows,
        test: &Rows,
        rng: &Rng,
        watch: &Stage,
    ) -> Result<[Array2<f64>; 2]> {
        let shape = (sets.len(), sets.len());
        let (mut r2s, mut ranks) = (Array2::zeros(shape), Array2::zeros(shape));
        let used: Vec<usize> = (0..sets.len()).filter(|&s| !sets[s].is_empty()).collect();
        if used.is_empty() {
            return Ok([r2s, ranks]);
        }
        let subsets: Vec<Vec<usize>> = used.iter().map(|&s| sets[s].clone()).collect();
        let known = (train.codes.view(), train.values.view());
        let predictor =
            SubsetPredictor::teach(known, &subsets, self.training, rng, (watch, TRAINING))?;
        for (&s, subset) in used.iter().zip(&subsets) {
            let predicted = predictor.predict(test.codes.view(), subset);
            let judged: Vec<[f64; 2]> = (0..sets.len())
                .into_par_iter()
                .map(|k| judge(predicted.column(k), test.values.column(k)))
                .collect();
            for (k, [r2, rank]) in judged.into_iter().enumerate() {
                r2s[[s, k]] = r2;
                ranks[[s, k]] = rank;
            }
            watch.advance((1.0 - TRAINING) / used.len() as f64)?;
        }
        Ok([r2s, ranks])
    }
}

/// R² and Spearman's correlation, which is 0 where all predictions are the same.
fn judge(predicted: ArrayView1<f32>, truth: ArrayView1<f32>) -> [f64; 2] {
    let column = |values| ArrayView1::insert_axis(values, Axis(1));
    let rank = spearman(column(predicted), column(truth))[[0, 0]];
    let r2 = r2(predicted.iter().map(|value| f64::from(*value)), truth);
    [r2, if rank.is_nan() { 0.0 } else { rank }]
}

fn parts<'a>(
    r2: &Array2<f64>,
    ranks: &Array2<f64>,
    sets: impl Iterator<Item = (&'a str, usize)>,
) -> Vec<(String, f64)> {
    let mut parts = Vec::new();
    let mut push = |name: String, number: f64| parts.push((name, number));
    for (name, matrix) in [("r2", r2), ("spearman", ranks)] {
        push(format!("{name}_diagonal"), mean(diagonal(matrix)));
        // A single factor has no other to be separated from.
        if matrix.nrows() > 1 {
            push(format!("{name}_separation"), mean(separation(matrix)));
        }
    }
    for (s, (name, size)) in sets.enumerate() {
        push(format!("r2_diagonal/{name}"), r2[[s, s]]);
        if r2.nrows() > 1 {
            push(format!("r2_separation/{name}"), separation(r2)[s]);
        }
        push(format!("codes/{name}"), size as f64);
    }
    parts
}

fn diagonal(matrix: &Array2<f64>) -> Vec<f64> {
    matrix.diag().to_vec()
}

/// The largest entry of each row off the diagonal.
fn separation(matrix: &Array2<f64>) -> Vec<f64> {
    let largest = |(s, row): (usize, ArrayView1<f64>)| {
        let others = row.into_iter().enumerate().filter(|(k, _)| *k != s);
        others.map(|(_, entry)| *entry).fold(f64::NEG_INFINITY, f64::max)
    };
    matrix.rows().into_iter().enumerate().map(largest).collect()
}

#[cfg(test)]
mod tests;
