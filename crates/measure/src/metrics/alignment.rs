//! Alignment of sets of codes with factors: the R² and Spearman scores, diagonal and separation, of
//! CITRIS (Lippe et al. 2022, arXiv:2202.03169), with the assignment of codes to factors of BISCUIT
//! (Lippe et al. 2023, arXiv:2306.09643). One network predicts every factor v from every set s of
//! codes; on rows it has not seen,
//!
//! ```text
//! R²_sv = 1 - mean d(v̂_s, v)² / mean d(mean v, v)²
//! diagonal = mean_s R²_ss          separation = mean_s max_{v ≠ s} R²_sv
//! ```
//!
//! where d is the difference of numbers, and of angles the degrees between them (`heads.rs`); s and
//! v go over the factors that the method was to find, where this is known (`report.rs`).
//!
//! Differences from the authors' code:
//! - A discrete factor is a number to regress on. There, a softmax predicts its class, and d is 0
//!   or 1, against the most frequent class; but no file says whether values have an order, and
//!   those of most data sets have one.
//! - The outputs are linear, with a squared loss, and the factors standardised. There, numbers have
//!   a tanh over a declared range, and angles a loss of 1 - cosine similarity, with a penalty on
//!   the length of the point. Both answer with the direction of the point.
//! - The training is bounded ([`Training::BOUNDED`]; [`Alignment::PAPER`] has theirs), on the
//!   training rows of the table's split, not on half of the rows.
//! - The information of a single code is estimated from bins, not by a network of all single codes.
//! - A code that is not predictive of any factor by itself belongs to none; there, noise decides.
//! - With targets, diagonal and separation exist where there are more factors than sets (Pong has 7
//!   and 5); there, they are left out unless the matrix is square.

use std::cmp::Ordering;

use ndarray::{Array2, ArrayView1, ArrayView2, Axis};
use rayon::prelude::*;

use self::heads::{Head, heads, wanted};
use self::report::Report;
use self::sets::{Sets, targets};
use super::{Asks, Better, Metric, Needs, Reading, Score};
use crate::error::Result;
use crate::info::Info;
use crate::predictors::subset_predictor::{SubsetPredictor, Training};
use crate::predictors::{bin_regression, wave_regression};
use crate::representation::Representation;
use crate::rng::Rng;
use crate::watch::Stage;

mod heads;
mod report;
mod sets;

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
other factor. An empty set scores 0. Factors that are constant among the training rows or among the
test rows are left out.

An angle, where the data set says that a factor is one, is predicted as a point on the circle: its
sine and its cosine. Its error is the angle between prediction and truth, the shorter way round, and
R2 is 1 - (squared error) / (squared error of the circular mean). Its Spearman's correlation is the
mean of that of the sine and that of the cosine. Every other factor is a number to predict,
continuous or not, without bins; words count by their class numbers.

Some methods are to find some of the factors only, the targets: in Interventional Pong, the five
that are intervened on, and not the two scores. Where the targets are known, the diagonal is the
mean over them, and the separation looks at the other targets only; `r2_separation_all` looks at all
other factors. A set that holds what belongs to no target (psi0 in CITRIS) is judged too. Codes
without blocks still choose among all factors.

## Reading it

The value is the diagonal of R2, at most 1. 1: each factor can be predicted from its codes. About 0:
they predict it no better than its mean; below 0: the network overfitted. `r2_separation` should be
near 0; a high one says that the codes of one factor predict another. The parts
`spearman_diagonal` and `spearman_separation` are the same for rank correlations,
`r2_diagonal/FACTOR` and `r2_separation/FACTOR` the numbers behind the means, and `codes/FACTOR` the
size of each set. The matrix has the R2 of each factor from each code alone.

Where blocks or targets are given, `r2/SET/FACTOR` is the R2 of any factor from any set, which goes
by the name of its own factor. Where targets are given, `r2_rest/FACTOR` and `spearman_rest/FACTOR`
are the scores of the codes that belong to no factor, and `codes_rest` is how many there are: the
factors that are no targets should be found there, and targets should not.

## Cautions

- A high diagonal says little without a low separation: read both. The separation also sees factors
  that depend on each other in the data; draw them independently to judge the codes alone.
- Spearman's separation is the largest of several correlations of noise, so it stays above 0.
- The network takes at most 1000 steps that start large and fall to 0, in batches of 512; the
  authors take 100 epochs of equal steps. On tables of thousands of rows, diagonal and separation of
  R2 differ by at most 0.01 from theirs, upwards where theirs have not converged; a single R2 of a
  large set, such as the rest, by up to 0.03.
- The numbers of unordered classes are arbitrary. The authors' code predicts the class, and counts
  wrong ones, against the most frequent class: it gives other values for discrete factors.
- An angle that comes as a plain column of numbers is a number, and jumps where it starts again.
- Codes choose their factor alone. Two that predict a factor only together may be assigned to other
  factors or to none; give blocks. Sine and cosine of an angle each predict it well enough alone,
  if it is known to be one.
- Codes are divided by their standard deviation, but by no less than 0.01; smaller ones fade.
- The time hardly grows with the rows, but it does with the codes: raw pixels take minutes.

## Reference

Lippe, Magliacane, Löwe, Asano, Cohen and Gavves, CITRIS: Causal Identifiability from Temporal
Intervened Sequences, 2022, arXiv:2202.03169; assignment of Lippe et al., BISCUIT, 2023,
arXiv:2306.09643.";

/// Codes with a smaller standard deviation are divided by this, so that a collapsed code stays
/// small.
const LEAST_SPREAD: f64 = 0.01;
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

    fn asks(&self) -> &'static [Asks] {
        &[Asks::Modular, Asks::Informative]
    }

    fn score(
        &self,
        representation: &Representation,
        rng: &mut Rng,
        watch: &Stage,
    ) -> Result<Score> {
        let (train, test) = representation.split()?;
        let heads = heads(&train, &test)?;
        let targets = targets(representation, &heads)?;
        let codes = order_of_codes(representation.codes.view());
        let train_rows = Rows::new(&train, &train, &codes, &heads);
        let test_rows = Rows::new(&test, &train, &codes, &heads);
        let alone = r2_alone(&train_rows, &test_rows, &heads);
        let (blocks, factors) = (&representation.readings.blocks, &representation.factors);
        let sets = match blocks {
            Some(blocks) => Sets::given(blocks, factors.len(), &codes, &heads)?,
            None => Sets::chosen(&alone, self.relative),
        };
        let mut judged = sets.own.clone();
        judged.extend(targets.is_some().then(|| sets.rest.clone()));
        let [r2, ranks] = self.judged(&judged, &heads, [&train_rows, &test_rows], (rng, watch))?;
        let mut matrix = Array2::zeros((codes.len(), factors.len()));
        for ((j, k), r2) in alone.indexed_iter() {
            matrix[[codes[j], heads[k].factor]] = *r2;
        }
        let names = heads.iter().map(|head| factors[head.factor].name.as_str()).collect();
        let whole = blocks.is_some() || targets.is_some();
        let report = Report { names, sets: &sets, r2, ranks, targets, matrix: whole };
        Ok(Score { value: report.value(), parts: report.parts(), matrix: Some(matrix) })
    }
}

/// The factor that each code predicts best, alone; none for a code that predicts nothing. For methods that do
/// not say themselves what their codes stand for.
pub fn assigned(representation: &Representation) -> Result<Vec<Option<usize>>> {
    let (train, test) = representation.split()?;
    let heads = heads(&train, &test)?;
    let codes: Vec<usize> = (0..representation.codes.ncols()).collect();
    let rows = [&test, &train].map(|rows| Rows::new(rows, &train, &codes, &heads));
    let alone = r2_alone(&rows[1], &rows[0], &heads);
    let sets = Sets::chosen(&alone, Alignment::BOUNDED.relative);
    let owner = |code: &usize| sets.own.iter().position(|set| set.contains(code));
    Ok(codes.iter().map(|code| owner(code).map(|head| heads[head].factor)).collect())
}

/// A quick look at an alignment, while a model learns: the same sets of codes, but a regression instead of the network.
/// R² of each factor that the method was to find from its own set, by the number of the factor; 0 where the set is
/// empty. Factors that do not change are left out.
pub fn glimpse(representation: &Representation) -> Result<Vec<(usize, f64)>> {
    let (train, test) = representation.split()?;
    let heads = heads(&train, &test)?;
    let targets = targets(representation, &heads)?;
    let codes: Vec<usize> = (0..representation.codes.ncols()).collect();
    let [train, test] = [&train, &test].map(|rows| Rows::new(rows, &train, &codes, &heads));
    let sets = match &representation.readings.blocks {
        Some(blocks) => Sets::given(blocks, representation.factors.len(), &codes, &heads)?,
        None => Sets::chosen(&r2_alone(&train, &test, &heads), Alignment::BOUNDED.relative),
    };
    let r2 = |head: &Head, set: &[usize]| {
        let [known, asked] = [&train, &test].map(|rows| rows.codes.select(Axis(1), set));
        let answers = wave_regression::predict(known.view(), train.wanted.view(), asked.view());
        head.r2(answers.view(), test.wanted.view())
    };
    let asked = |k: usize| targets.as_ref().is_none_or(|targets| targets[k]);
    let found = |(k, head): (usize, &Head)| match sets.own[k].is_empty() {
        true => (head.factor, 0.0),
        false => (head.factor, r2(head, &sets.own[k])),
    };
    Ok(heads.iter().enumerate().filter(|(k, _)| asked(*k)).map(found).collect())
}

/// Codes `[rows, codes]`, with mean 0 and variance 1 among the training rows, and what the network
/// should say, `[rows, outputs]`.
struct Rows {
    codes: Array2<f32>,
    wanted: Array2<f32>,
}

impl Rows {
    fn new(rows: &Representation, train: &Representation, codes: &[usize], heads: &[Head]) -> Self {
        Self {
            codes: standardised(rows.codes.view(), train.codes.view(), codes),
            wanted: wanted(heads, rows.values.view()),
        }
    }
}

/// (x - mean) / spread of some columns, with mean and spread of the same columns of `train`.
fn standardised(x: ArrayView2<f32>, train: ArrayView2<f32>, columns: &[usize]) -> Array2<f32> {
    let mut out = Array2::zeros((x.nrows(), columns.len()));
    for (mut out, &column) in out.columns_mut().into_iter().zip(columns) {
        let known = train.column(column).mapv(f64::from);
        let mean = known.mean().expect("a split has rows that teach");
        let spread = known.std(0.0).max(LEAST_SPREAD);
        out.zip_mut_with(&x.column(column), |out, x| {
            *out = ((f64::from(*x) - mean) / spread) as f32;
        });
    }
    out
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

/// R² of each factor from each code alone, `[codes, heads]`.
fn r2_alone(train: &Rows, test: &Rows, heads: &[Head]) -> Array2<f64> {
    let of_code = |j: usize| {
        let (known, asked) = (train.codes.column(j), test.codes.column(j));
        let answers = bin_regression::predict(known, train.wanted.view(), asked);
        let r2 = |head: &Head| head.r2_of_one_code(answers.view(), test.wanted.view());
        heads.iter().map(r2).collect()
    };
    let rows: Vec<Vec<f64>> = (0..train.codes.ncols()).into_par_iter().map(of_code).collect();
    Array2::from_shape_fn((rows.len(), heads.len()), |(j, k)| rows[j][k])
}

impl Alignment {
    /// R² and Spearman's correlation of each factor as predicted from each set, `[sets, heads]`.
    fn judged(
        &self,
        sets: &[Vec<usize>],
        heads: &[Head],
        [train, test]: [&Rows; 2],
        (rng, watch): (&Rng, &Stage),
    ) -> Result<[Array2<f64>; 2]> {
        let shape = (sets.len(), heads.len());
        let (mut r2s, mut ranks) = (Array2::zeros(shape), Array2::zeros(shape));
        let used: Vec<usize> = (0..sets.len()).filter(|&s| !sets[s].is_empty()).collect();
        if used.is_empty() {
            return Ok([r2s, ranks]);
        }
        let subsets: Vec<Vec<usize>> = used.iter().map(|&s| sets[s].clone()).collect();
        let known = (train.codes.view(), train.wanted.view());
        let predictor =
            SubsetPredictor::teach(known, &subsets, self.training, rng, (watch, TRAINING))?;
        for (&s, subset) in used.iter().zip(&subsets) {
            let answers = predictor.predict(test.codes.view(), subset);
            let judge = |head: &Head| {
                let (answers, truth) = (answers.view(), test.wanted.view());
                [head.r2(answers, truth), head.rank(answers, truth)]
            };
            let judged: Vec<[f64; 2]> = heads.par_iter().map(judge).collect();
            for (k, [r2, rank]) in judged.into_iter().enumerate() {
                r2s[[s, k]] = r2;
                ranks[[s, k]] = rank;
            }
            watch.advance((1.0 - TRAINING) / used.len() as f64)?;
        }
        Ok([r2s, ranks])
    }
}

#[cfg(test)]
mod glimpses;
#[cfg(test)]
mod pong;
#[cfg(test)]
mod tests;
