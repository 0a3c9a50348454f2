//! Downstream prediction with logistic regression, as in Locatello et al. (2019, arXiv:1811.12359):
//! the accuracy of a linear classifier of the factors from the codes, and its sample efficiency,
//!
//! ```text
//! accuracy(n) = mean over factors of the accuracy of a classifier trained on n rows,
//! statistical efficiency = accuracy(100) / accuracy(10,000)
//! ```
//!
//! The classifier is scikit-learn's `LogisticRegressionCV(Cs=10, cv=KFold(5))` on unscaled codes,
//! with the same stopping rule. If all n rows have the same value of a factor, that one fails; here
//! that value is predicted. Locatello et al. sample n fresh rows for each n; here these are the
//! first n of the training rows.

use std::borrow::Cow;

use ndarray::{Array2, Axis};
use rayon::prelude::*;

use super::{Asks, Better, Metric, Needs, Reading, Score};
use crate::error::Result;
use crate::info::Info;
use crate::predictors::logistic::{Strips, fit_with_best_penalty};
use crate::representation::Representation;
use crate::rng::Rng;
use crate::stats::classes::{Classes, accuracy};
use crate::stats::column_order::in_order_of_columns;
use crate::stats::learning_curve::{LearningCurve, STUDY_SIZES, sizes_within};
use crate::watch::Stage;

const PAGE: &str = "\
## What it measures

How well a linear classifier predicts the ground-truth factors from the codes, and from how few
samples: the usefulness of a representation for downstream tasks.

## How

For each factor, logistic regression is trained to predict its values from all codes, on the first
10, 100, 1,000 and 10,000 training rows; sizes that are not available are left out. If the training
rows are a random split, so is their order. The regularisation strength is chosen among ten by
5-fold cross-validation. The accuracy on the test rows is averaged over factors. Continuous factors
are discretised into 20 bins of equal width first. Constant factors are refused; if a factor is
constant among the rows of a small size, that value is predicted.

## Reading it

From 0 to 1: the mean accuracy at the largest size. 1: every factor is always predicted. Chance is
about 1 / (number of values), averaged over factors. The parts `test/N` and `train/N` are the mean
accuracies with N training rows, `test/N/FACTOR` those of each factor at the largest size, and
`statistical_efficiency` is `test/100` divided by `test/10000`: near 1 if 100 rows are as good as
10,000.

## Cautions

- It does not require disentangled codes: it is nearly invariant to rotations.
- The classifier is linear: an angle stored as its sine and cosine is predicted, a factor that is
  not monotonic in a code is not.
- Codes are not scaled and the optimiser stops after 100 steps, as in the reference, so the same
  codes times ten can score differently.
- High efficiency with a low accuracy says only that there was little to learn.

## Reference

Locatello et al., Challenging Common Assumptions in the Unsupervised Learning of Disentangled
Representations, 2019, arXiv:1811.12359.";

/// Downstream accuracy of logistic regression.
#[derive(Clone, Debug)]
pub struct DownstreamLr {
    /// The numbers of training rows, ascending; at least 5 each.
    pub sizes: Cow<'static, [usize]>,
}

impl DownstreamLr {
    /// The sizes of Locatello et al. 2019.
    pub const STUDY: Self = Self { sizes: Cow::Borrowed(STUDY_SIZES) };
}

impl Metric for DownstreamLr {
    fn info(&self) -> Info {
        Info {
            name: "downstream-lr",
            title: "Downstream accuracy (LR)",
            summary: "how well does logistic regression predict factors, and from how few rows?",
            paper: "Locatello et al., Challenging Common Assumptions, ICML 2019",
            page: PAGE,
        }
    }

    fn reading(&self) -> Reading {
        let line = "logistic regression tells every factor";
        Reading { low: 0.0, high: 1.0, better: Better::Higher, line }
    }

    fn needs(&self) -> Needs {
        Needs::Split
    }

    fn asks(&self) -> &'static [Asks] {
        &[Asks::Linear]
    }

    fn score(
        &self,
        representation: &Representation,
        rng: &mut Rng,
        watch: &Stage,
    ) -> Result<Score> {
        representation.check_change("downstream-lr")?;
        let (train, test) = representation.shuffled_split_rows(rng)?;
        let sizes = sizes_within(train.len(), &self.sizes, FEWEST, "downstream-lr")?;
        let columns = representation.classes();
        let codes = in_order_of_columns(representation.codes.view()).mapv(f64::from);
        let table = Table { codes, train, test };
        // The longest first.
        let tasks: Vec<(usize, &Vec<u32>)> =
            sizes.iter().rev().flat_map(|&size| columns.iter().map(move |c| (size, c))).collect();
        let work: usize = tasks.iter().map(|(size, _)| size).sum();
        let both = |&(size, column): &(usize, &Vec<u32>)| {
            let advance = |share: f64| watch.advance(share * size as f64 / work as f64);
            table.accuracies(column, size, advance)
        };
        let mut found = tasks.par_iter().map(both).collect::<Result<Vec<_>>>()?.into_iter();
        let of_size = |_| found.by_ref().take(columns.len()).collect();
        let mut accuracies: Vec<Vec<[f64; 2]>> = sizes.iter().map(of_size).collect();
        accuracies.reverse();
        let curve = LearningCurve { sizes, accuracies };
        let parts = curve.parts(&representation.factors);
        Ok(Score { value: curve.value(), parts, matrix: None })
    }
}

/// Cross-validation needs a row per fold.
const FEWEST: usize = 5;

/// Codes, and the train/test split.
struct Table {
    /// `[rows, codes]`
    codes: Array2<f64>,
    train: Vec<usize>,
    test: Vec<usize>,
}

impl Table {
    /// On the test rows, and on the training rows, if the first `size` are trained on.
    fn accuracies(
        &self,
        column: &[u32],
        size: usize,
        advance: impl Fn(f64) -> Result<()> + Sync,
    ) -> Result<[f64; 2]> {
        let taught = &self.train[..size];
        let classes = Classes::new(column, taught);
        let truth = [classes.of_others(column, &self.test), classes.of_others(column, taught)];
        if classes.count() == 1 {
            advance(1.0)?;
            return Ok(truth.map(|truth| accuracy(std::iter::repeat(Some(0)), &truth)));
        }
        let inputs = self.codes.select(Axis(0), taught);
        let labels = &classes.labels;
        let model = fit_with_best_penalty(inputs.view(), labels, classes.count(), advance)?;
        let told = |rows: &[usize]| {
            model.predict(&Strips::new(self.codes.view(), rows)).into_iter().map(Some)
        };
        Ok([accuracy(told(&self.test), &truth[0]), accuracy(told(taught), &truth[1])])
    }
}
