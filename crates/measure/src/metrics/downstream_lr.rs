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

use super::{Better, Metric, Needs, Reading, Score};
use crate::error::{Error, Result};
use crate::info::Info;
use crate::predictors::logistic::{Strips, fit_with_best_penalty};
use crate::representation::{Representation, Split};
use crate::rng::Rng;
use crate::stats::classes::Classes;
use crate::stats::column_order::in_order_of_columns;
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
    pub const STUDY: Self = Self { sizes: Cow::Borrowed(&[10, 100, 1000, 10_000]) };
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

    fn score(
        &self,
        representation: &Representation,
        rng: &mut Rng,
        watch: &Stage,
    ) -> Result<Score> {
        representation.check_change("downstream-lr")?;
        let (mut train, test) = representation.split_rows()?;
        if let Split::Random { .. } = representation.protocol.split {
            // A table is often sorted, and its first rows then all alike.
            let order = rng.split("order of rows that teach").permutation(train.len());
            train = order.into_iter().map(|position| train[position]).collect();
        }
        let sizes: Vec<usize> =
            self.sizes.iter().copied().filter(|size| *size <= train.len()).collect();
        let (columns, factors) = (representation.classes(), representation.factors.len());
        let Some(&largest) = sizes.last() else {
            return Err(Error::Missing(format!(
                "downstream-lr cannot be computed, because there are {} rows that teach; give at \
                 least {}",
                train.len(),
                self.sizes.first().copied().unwrap_or(FEWEST).max(FEWEST)
            )));
        };
        let codes = in_order_of_columns(representation.codes.view()).mapv(f64::from);
        let table = Table { codes, train, test };
        let tasks: Vec<(usize, usize)> =
            sizes.iter().rev().flat_map(|&size| (0..factors).map(move |k| (size, k))).collect();
        let work: usize = tasks.iter().map(|(size, _)| size).sum();
        let accuracy = |&(size, k): &(usize, usize)| {
            let advance = |share: f64| watch.advance(share * size as f64 / work as f64);
            table.accuracies(&columns[k], size, advance)
        };
        let found = tasks.par_iter().map(accuracy).collect::<Result<Vec<[f64; 2]>>>()?;
        let mean = |size: usize, i: usize| {
            let of_size = || tasks.iter().zip(&found).filter(move |(task, _)| task.0 == size);
            of_size().map(|(_, accuracies)| accuracies[i]).sum::<f64>() / factors as f64
        };
        let mut parts = Vec::new();
        for (i, rows) in ["test", "train"].into_iter().enumerate() {
            parts.extend(sizes.iter().map(|&size| (format!("{rows}/{size}"), mean(size, i))));
        }
        if sizes.contains(&100) && sizes.contains(&10_000) && mean(10_000, 0) > 0.0 {
            parts.push(("statistical_efficiency".into(), mean(100, 0) / mean(10_000, 0)));
        }
        for ((_, k), [test, _]) in
            tasks.iter().zip(&found).filter(|((size, _), _)| *size == largest)
        {
            parts.push((format!("test/{largest}/{}", representation.factors[*k].name), *test));
        }
        Ok(Score { value: mean(largest, 0), parts, matrix: None })
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
            return Ok(truth.map(|truth| Classes::accuracy(&vec![0; truth.len()], &truth)));
        }
        let inputs = self.codes.select(Axis(0), taught);
        let labels = &classes.labels;
        let model = fit_with_best_penalty(inputs.view(), labels, classes.count(), advance)?;
        let accuracy = |rows: &[usize], truth: &[Option<usize>]| {
            Classes::accuracy(&model.predict(&Strips::new(self.codes.view(), rows)), truth)
        };
        Ok([accuracy(&self.test, &truth[0]), accuracy(taught, &truth[1])])
    }
}
