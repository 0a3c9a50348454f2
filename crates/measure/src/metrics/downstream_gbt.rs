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

use super::{Better, Metric, Needs, Reading, Score};
use crate::error::{Error, Result};
use crate::info::Info;
use crate::predictors::boosting::{Columns, Task, accuracy, fit_each};
use crate::representation::{Representation, Split};
use crate::rng::Rng;
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
    pub const STUDY: Self = Self { sizes: Cow::Borrowed(&[10, 100, 1000, 10_000]) };
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

    fn score(
        &self,
        representation: &Representation,
        rng: &mut Rng,
        watch: &Stage,
    ) -> Result<Score> {
        representation.check_change("downstream-gbt")?;
        let (mut train, test) = representation.split_rows()?;
        if let Split::Random { .. } = representation.protocol.split {
            // A table is often sorted, and its first rows then all alike.
            let order = rng.split("order of rows that teach").permutation(train.len());
            train = order.into_iter().map(|position| train[position]).collect();
        }
        let tasks = Task::of_each(&representation.classes(), &train, &test);
        let sizes: Vec<usize> =
            self.sizes.iter().copied().filter(|size| *size <= train.len()).collect();
        if sizes.is_empty() {
            return Err(Error::Missing(format!(
                "downstream-gbt cannot be computed, because there are {} rows that teach; give at \
                 least {}",
                train.len(),
                self.sizes.first().copied().unwrap_or(1)
            )));
        }
        let work: f64 = sizes.iter().map(|size| work(*size)).sum();
        let mut accuracies = Vec::new();
        for &size in &sizes {
            let advance = |share: f64| watch.advance(share * self::work(size) / work);
            let table = (representation, &train[..size], &test[..]);
            accuracies.push(accuracies_of(table, &tasks, advance)?);
        }
        Ok(summary(representation, &tasks, &sizes, &accuracies))
    }
}

/// Roughly proportional to the training time with so many rows: the search for a split takes as
/// long as a few thousand rows, however few there are.
fn work(size: usize) -> f64 {
    size as f64 + 4000.0
}

/// On the test rows and on the training rows, for each task. Tasks may have more training rows than
/// are given.
fn accuracies_of(
    (representation, train, test): (&Representation, &[usize], &[usize]),
    tasks: &[Task],
    advance: impl Fn(f64) -> Result<()> + Sync,
) -> Result<Vec<[f64; 2]>> {
    let codes = |rows: &[usize]| representation.codes.select(Axis(0), rows);
    let columns = Columns::new(codes(train).view());
    let classes: Vec<&[u32]> = tasks.iter().map(|task| &task.train[..train.len()]).collect();
    let models = fit_each(&columns, &classes, advance)?;
    let test = codes(test);
    let both = |(model, task): (_, &Task)| {
        let model: &crate::predictors::boosting::Classifier = model;
        let taught = accuracy(&model.fitted, &task.train[..train.len()]);
        [accuracy(&model.predict(test.view()), &task.test), taught]
    };
    Ok(models.iter().zip(tasks).map(both).collect())
}

/// `accuracies` by size, task, and test or train.
fn summary(
    representation: &Representation,
    tasks: &[Task],
    sizes: &[usize],
    accuracies: &[Vec<[f64; 2]>],
) -> Score {
    let mean = |of_size: &Vec<[f64; 2]>, which: usize| {
        of_size.iter().map(|both| both[which]).sum::<f64>() / tasks.len() as f64
    };
    let mut parts = Vec::new();
    for (which, rows) in ["test", "train"].into_iter().enumerate() {
        let of_sizes = sizes.iter().zip(accuracies);
        parts.extend(of_sizes.map(|(size, all)| (format!("{rows}/{size}"), mean(all, which))));
    }
    let at = |size: usize| {
        let place = sizes.iter().position(|other| *other == size)?;
        Some(mean(&accuracies[place], 0))
    };
    if let (Some(few), Some(many)) = (at(100), at(10_000))
        && many > 0.0
    {
        parts.push(("statistical_efficiency".into(), few / many));
    }
    let (size, largest) = (sizes[sizes.len() - 1], &accuracies[sizes.len() - 1]);
    for (task, both) in tasks.iter().zip(largest) {
        let name = &representation.factors[task.factor].name;
        parts.push((format!("test/{size}/{name}"), both[0]));
    }
    Score { value: mean(largest, 0), parts, matrix: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::factors::Factor;
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

    fn part(score: &Score, name: &str) -> Option<f64> {
        score.parts.iter().find(|(part, _)| part == name).map(|(_, value)| *value)
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
        assert_eq!(part(&found, "test/100/a"), Some(1.0));
        let guessed = part(&found, "test/100/b").unwrap();
        assert!((guessed - 0.2).abs() < 0.12, "{guessed}");
        assert!((found.value - f64::midpoint(1.0, guessed)).abs() < 1e-12);
    }

    #[test]
    fn rows_of_one_value_teach_that_value() {
        // The first ten of 300 rows all have the first value of a; of the last 60, none does.
        let table = table(300, Split::Ends { train: 10, test: 60 });
        let found =
            DownstreamGbt::STUDY.score(&table, &mut Rng::new(0), &Stage::unwatched()).unwrap();
        assert_eq!((part(&found, "test/10/a"), part(&found, "test/10/b")), (Some(0.0), Some(0.2)));
        // With nothing to split by, b is always its first value: 2 of 10 rows.
        assert_eq!(part(&found, "train/10"), Some(0.6));
    }

    #[test]
    fn efficiency_compares_a_hundred_rows_with_ten_thousand() {
        let table = table(10_100, Split::Ends { train: 10_000, test: 100 });
        let quick = DownstreamGbt { sizes: Cow::Borrowed(&[100, 10_000]) };
        let found = quick.score(&table, &mut Rng::new(0), &Stage::unwatched()).unwrap();
        let ratio = part(&found, "test/100").unwrap() / part(&found, "test/10000").unwrap();
        assert_eq!(part(&found, "statistical_efficiency"), Some(ratio));
    }

    #[test]
    fn too_few_rows_are_refused() {
        let table = table(12, Split::Random { seed: 0 });
        let error = DownstreamGbt::STUDY.score(&table, &mut Rng::new(0), &Stage::unwatched());
        let error = error.unwrap_err().to_string();
        assert!(error.contains("there are 8 rows that teach"), "{error}");
    }
}
