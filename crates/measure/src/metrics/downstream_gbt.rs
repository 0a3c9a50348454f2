//! Downstream prediction with gradient boosted trees, as in Locatello et al. (2019,
//! arXiv:1811.12359): the accuracy of a nonlinear classifier of the factors from the codes, and its
//! sample efficiency,
//!
//! ```text
//! accuracy(n) = mean over factors of the accuracy of a classifier trained on n rows,
//! statistical efficiency = accuracy(100) / accuracy(10,000)
//! ```
//!
//! If all n rows have the same value of a factor, the reference fails; here that value is
//! predicted. Locatello et al. sample n fresh rows for each n; here these are the first n of the
//! training rows.

use std::borrow::Cow;

use ndarray::Axis;

use super::{Asks, Better, Metric, Needs, Reading, Score};
use crate::error::Result;
use crate::info::Info;
use crate::predictors::boosting::{Classifier, Task, teach};
use crate::representation::Representation;
use crate::rng::Rng;
use crate::stats::classes::accuracy;
use crate::stats::learning_curve::{LearningCurve, STUDY_SIZES, sizes_within};
use crate::watch::Stage;

const PAGE: &str = "\
## What it measures

How well a nonlinear classifier predicts the ground-truth factors from the codes, and from how few
samples: the usefulness of a representation for downstream tasks.

## How

For each factor, gradient boosted trees (100 rounds of depth 3, exactly scikit-learn's
GradientBoostingClassifier) are trained to predict its values from all codes, on the first 10, 100,
1,000 and 10,000 training rows; sizes that are not available are left out. If the training rows are
a random split, so is their order. The accuracy on the test rows is averaged over factors.
Continuous factors are discretised into 20 bins of equal width first. Constant factors are refused;
if a factor is constant among the rows of a small size, that value is predicted.

## Reading it

From 0 to 1: the mean accuracy at the largest size. 1: every factor is always predicted. Chance is
about 1 / (number of values), averaged over factors. The parts `test/N` and `train/N` are the mean
accuracies with N training rows, `test/N/FACTOR` those of each factor at the largest size, and
`statistical_efficiency` is `test/100` divided by `test/10000`: near 1 if 100 rows are as good as
10,000.

## Cautions

- It does not require disentangled codes. Trees split along codes, so they need more rows for
  factors that are spread over several codes, and that is all.
- `train/N` is near 1 for small N, whatever the codes: trees overfit 100 rows.
- High efficiency with a low accuracy says only that there was little to learn.
- Factors with many values need many rows for each; 10 rows do not contain most of their values.

## Reference

Locatello et al., Challenging Common Assumptions in the Unsupervised Learning of Disentangled
Representations, 2019, arXiv:1811.12359.";

/// Downstream accuracy of gradient boosted trees.
#[derive(Clone, Debug)]
pub struct DownstreamGbt {
    /// The numbers of training rows, ascending.
    pub sizes: Cow<'static, [usize]>,
}

impl DownstreamGbt {
    /// The sizes of Locatello et al. 2019.
    pub const STUDY: Self = Self { sizes: Cow::Borrowed(STUDY_SIZES) };
}

impl Metric for DownstreamGbt {
    fn info(&self) -> Info {
        Info {
            name: "downstream-gbt",
            title: "Downstream accuracy (GBT)",
            summary: "how well do boosted trees predict factors, and from how few rows?",
            paper: "Locatello et al., Challenging Common Assumptions, ICML 2019",
            page: PAGE,
        }
    }

    fn reading(&self) -> Reading {
        let line = "boosted trees tell every factor";
        Reading { low: 0.0, high: 1.0, better: Better::Higher, line }
    }

    fn needs(&self) -> Needs {
        Needs::Split
    }

    fn asks(&self) -> &'static [Asks] {
        &[Asks::Informative]
    }

    fn score(
        &self,
        representation: &Representation,
        rng: &mut Rng,
        watch: &Stage,
    ) -> Result<Score> {
        representation.check_change("downstream-gbt")?;
        let (train, test) = representation.shuffled_split_rows(rng)?;
        let sizes = sizes_within(train.len(), &self.sizes, 1, "downstream-gbt")?;
        let tasks = Task::of_each(&representation.classes(), &train, &test);
        let codes = &representation.codes;
        let judged = codes.select(Axis(0), &test);
        let work: f64 = sizes.iter().map(|size| work(*size)).sum();
        let mut accuracies = Vec::new();
        for &size in &sizes {
            let advance = |share: f64| watch.advance(share * self::work(size) / work);
            let models = teach(codes.view(), &train[..size], &tasks, advance)?;
            let both = |(model, task): (Classifier, &Task)| {
                let told = model.predict(judged.view());
                [accuracy(told, &task.test), accuracy(model.fitted, &task.train[..size])]
            };
            accuracies.push(models.into_iter().zip(&tasks).map(both).collect());
        }
        let curve = LearningCurve { sizes, accuracies };
        let parts = curve.parts(&representation.factors);
        Ok(Score { value: curve.value(), parts, matrix: None })
    }
}

/// Roughly proportional to the training time with so many rows: the search for a split takes as
/// long as a few thousand rows, however few there are.
fn work(size: usize) -> f64 {
    size as f64 + 4000.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::factors::Factor;
    use crate::representation::Split;
    use ndarray::Array2;

    /// Two factors with 3 and 5 values, row by row in order, and the first as its code.
    fn table(rows: usize, split: Split) -> Representation<'static> {
        let values =
            Array2::from_shape_fn((rows, 2), |(row, k)| [row * 3 / rows, row % 5][k] as f32);
        let codes = values.select(Axis(1), &[0]);
        let factor = |name: &str, size| Factor::discrete(name, (0..size).map(|v| v as f32));
        let factors = vec![factor("a", 3), factor("b", 5)];
        let mut table = Representation::new(codes, values, factors).unwrap();
        table.protocol.split = split;
        table
    }

    #[test]
    fn the_largest_size_is_the_value_and_sizes_that_are_not_there_are_left_out() {
        let table = table(300, Split::Random { seed: 0 });
        let found =
            DownstreamGbt::STUDY.score(&table, &mut Rng::new(0), &Stage::unwatched()).unwrap();
        let names: Vec<_> = found.parts.iter().map(|(name, _)| name.as_str()).collect();
        let expected = ["test/10", "test/100", "train/10", "train/100", "test/100/a", "test/100/b"];
        assert_eq!(names, expected);
        // a is told, b is guessed: one value of five.
        assert_eq!(found.part("test/100/a"), Some(1.0));
        let guessed = found.part("test/100/b").unwrap();
        assert!((guessed - 0.2).abs() < 0.12, "{guessed}");
        assert!((found.value - f64::midpoint(1.0, guessed)).abs() < 1e-12);
    }

    #[test]
    fn rows_of_one_value_teach_that_value() {
        // The first ten of 300 rows all have the first value of a; of the last 60, none does.
        let table = table(300, Split::Ends { train: 10, test: 60 });
        let found =
            DownstreamGbt::STUDY.score(&table, &mut Rng::new(0), &Stage::unwatched()).unwrap();
        assert_eq!((found.part("test/10/a"), found.part("test/10/b")), (Some(0.0), Some(0.2)));
        // With nothing to split by, b is always its first value: 2 of 10 rows.
        assert_eq!(found.part("train/10"), Some(0.6));
    }

    #[test]
    fn efficiency_compares_a_hundred_rows_with_ten_thousand() {
        let table = table(10_100, Split::Ends { train: 10_000, test: 100 });
        let quick = DownstreamGbt { sizes: Cow::Borrowed(&[100, 10_000]) };
        let found = quick.score(&table, &mut Rng::new(0), &Stage::unwatched()).unwrap();
        let ratio = found.part("test/100").unwrap() / found.part("test/10000").unwrap();
        assert_eq!(found.part("statistical_efficiency"), Some(ratio));
    }

    #[test]
    fn too_few_rows_are_refused() {
        let table = table(12, Split::Random { seed: 0 });
        let error = DownstreamGbt::STUDY.score(&table, &mut Rng::new(0), &Stage::unwatched());
        let error = error.unwrap_err().to_string();
        assert!(error.contains("there are 8 rows that teach"), "{error}");
    }
}
