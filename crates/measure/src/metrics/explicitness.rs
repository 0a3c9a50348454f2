//! Explicitness (Ridgeway and Mozer 2018, arXiv:1802.05312), as computed by Locatello
//! et al. (2019): how well a linear classifier predicts the value of each factor from all codes,
//!
//! ```text
//! explicitness = mean over factors of  mean over values v of  AUC( p(v | z), [value = v] )
//! ```
//!
//! with p from logistic regression (C = 1, with scikit-learn's stopping rule) on codes standardised
//! by the training rows. The paper fits each value against all others, and maps the area from [½,
//! 1] to [0, 1]; Locatello et al. do neither.

use ndarray::Array2;
use rayon::prelude::*;

use super::{Asks, Better, Metric, Needs, Reading, Score};
use crate::error::{Error, Result};
use crate::factors::{Factor, Kind};
use crate::info::Info;
use crate::predictors::logistic::{Logistic, Strips};
use crate::representation::Representation;
use crate::rng::Rng;
use crate::stats::classes::Classes;
use crate::stats::column_order::in_order_of_columns;
use crate::stats::mean;
use crate::stats::roc_auc::macro_roc_auc;
use crate::watch::Stage;

const PAGE: &str = "\
## What it measures

Whether the value of each factor is linearly decodable from all codes together.

## How

For each factor, logistic regression is trained to predict its values from all codes, on the
training rows; codes are standardised first. On the test rows, each value is then compared with all
others by the area under the ROC curve: the probability that a row with the value gets a higher
probability for it than a row without. Explicitness is the mean area over values and then over
factors. Continuous factors are discretised into 20 bins of equal width; bins without a test row are
left out of the mean. Constant factors are refused.

## Reading it

From 0 to 1. 1: every value of every factor is linearly decodable. 0.5: chance. Values between 0.9
and 1 are common. The parts `explicitness/FACTOR` are those of each factor; `train` is the same
number on the training rows.

## Cautions

- It does not require one code per factor: a rotation of perfect codes scores as high as they do.
- An intermediate value of a code cannot be separated from both sides by one hyperplane, so even a
  perfect code of a factor with many values stays a little below 1.
- A constant code cannot be standardised, as in the reference; leave it out.
- Every value of a factor must occur among the training rows and among the test rows.
- The optimiser stops after 100 steps, as in the reference.

## Reference

Ridgeway and Mozer, Learning Deep Disentangled Embeddings with the F-Statistic Loss, 2018,
arXiv:1802.05312; settings of Locatello et al. 2019, arXiv:1811.12359.";

/// Explicitness.
#[derive(Clone, Copy, Debug)]
pub struct Explicitness;

impl Metric for Explicitness {
    fn info(&self) -> Info {
        Info {
            name: "explicitness",
            title: "Explicitness",
            summary: "can a linear classifier predict the value of each factor from the codes?",
            paper: "Ridgeway and Mozer, Learning Deep Disentangled Embeddings, NeurIPS 2018",
            page: PAGE,
        }
    }

    fn reading(&self) -> Reading {
        let line = "the values of each factor can be told by a linear classifier";
        Reading { low: 0.0, high: 1.0, better: Better::Higher, line }
    }

    fn needs(&self) -> Needs {
        Needs::Split
    }

    fn asks(&self) -> &'static [Asks] {
        &[Asks::Linear]
    }

    fn score(&self, representation: &Representation, _: &mut Rng, watch: &Stage) -> Result<Score> {
        let (train, test) = representation.split_rows()?;
        representation.check_change("explicitness")?;
        let inputs = standardised(representation, &train)?;
        let tasks = tasks(representation, &train, &test)?;
        let [taught, judged] = [&train, &test].map(|rows| Strips::new(inputs.view(), rows));
        let work: usize = tasks.iter().map(|task| task.classes.count()).sum();
        let area = |task: &Task| {
            let labels = &task.classes.labels;
            let model = Logistic::fit(&taught, labels, task.classes.count(), 1.0);
            let truth: Vec<_> = labels.iter().copied().map(Some).collect();
            let all: Vec<_> = (0..task.classes.count()).collect();
            let train = macro_roc_auc(model.probabilities(&taught).view(), &truth, &all);
            let test = model.probabilities(&judged);
            watch.advance(task.classes.count() as f64 / work as f64)?;
            Ok([macro_roc_auc(test.view(), &task.truth, &task.judged), train])
        };
        let areas = tasks.par_iter().map(area).collect::<Result<Vec<[f64; 2]>>>()?;
        let mean = |i: usize| mean(areas.iter().map(|area| area[i]));
        let part = |(task, area): (&Task, &[f64; 2])| {
            let name = &representation.factors[task.factor].name;
            (format!("explicitness/{name}"), area[0])
        };
        let mut parts = vec![("train".to_string(), mean(1))];
        parts.extend(tasks.iter().zip(&areas).map(part));
        Ok(Score { value: mean(0), parts, matrix: None })
    }
}

/// All codes, standardised by the training rows.
fn standardised(representation: &Representation, train: &[usize]) -> Result<Array2<f64>> {
    for (j, column) in representation.codes.columns().into_iter().enumerate() {
        if train.iter().all(|&row| column[row] == column[train[0]]) {
            return Err(Error::Missing(format!(
                "explicitness cannot be computed, because code {j} is the same in every row that \
                 teaches and cannot be scaled; leave it out of the codes"
            )));
        }
    }
    let mut inputs = in_order_of_columns(representation.codes.view()).mapv(f64::from);
    for mut column in inputs.columns_mut() {
        let taught = || train.iter().map(|&row| column[row]);
        let rows = train.len() as f64;
        let mean = taught().sum::<f64>() / rows;
        let deviation = (taught().map(|value| (value - mean).powi(2)).sum::<f64>() / rows).sqrt();
        column.mapv_inplace(|value| (value - mean) / deviation);
    }
    Ok(inputs)
}

/// The prediction of one factor.
struct Task {
    factor: usize,
    classes: Classes,
    /// The classes of the test rows.
    truth: Vec<Option<usize>>,
    /// The classes that occur among them, ascending.
    judged: Vec<usize>,
}

/// One for each factor.
fn tasks(representation: &Representation, train: &[usize], test: &[usize]) -> Result<Vec<Task>> {
    let mut tasks = Vec::new();
    for (factor, column) in representation.classes().iter().enumerate() {
        let Factor { name, kind, .. } = &representation.factors[factor];
        let classes = Classes::new(column, train);
        let truth = classes.of_others(column, test);
        let mut judged: Vec<usize> = truth.iter().flatten().copied().collect();
        judged.sort_unstable();
        judged.dedup();
        let everywhere = judged.len() == classes.count() && truth.iter().all(Option::is_some);
        let enough = classes.count() > 1 && judged.len() > 1;
        if !enough || (!everywhere && matches!(kind, Kind::Discrete(_))) {
            return Err(Error::Missing(format!(
                "explicitness cannot be computed, because some value of factor `{name}` is only \
                 among the rows that teach, or only among those that judge; score more rows, or \
                 leave the factor out"
            )));
        }
        tasks.push(Task { factor, classes, truth, judged });
    }
    Ok(tasks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::representation::Split;
    use ndarray::array;

    /// 20 rows of a code and a factor, the first 10 of which teach.
    fn table(
        codes: impl Fn(usize) -> f32,
        value: impl Fn(usize) -> f32,
        factor: Factor,
    ) -> Representation<'static> {
        let codes = Array2::from_shape_fn((20, 1), |(row, _)| codes(row));
        let values = Array2::from_shape_fn((20, 1), |(row, _)| value(row));
        let mut table = Representation::new(codes, values, vec![factor]).unwrap();
        table.protocol.split = Split::Ends { train: 10, test: 10 };
        table
    }

    fn score(table: &Representation) -> Result<Score> {
        Explicitness.score(table, &mut Rng::new(0), &Stage::unwatched())
    }

    fn two() -> Factor {
        Factor::discrete("two", [0.0, 1.0])
    }

    #[test]
    fn a_code_that_follows_is_explicit_and_one_that_turns_in_the_test_is_wrong() {
        let parity = |row: usize| (row % 2) as f32;
        let found = score(&table(|row| 5.0 - 3.0 * parity(row), parity, two())).unwrap();
        assert_eq!(found.value, 1.0);
        assert_eq!(found.parts, [("train".into(), 1.0), ("explicitness/two".into(), 1.0)]);
        let turned = |row: usize| if row < 10 { parity(row) } else { 1.0 - parity(row) };
        let found = score(&table(turned, parity, two())).unwrap();
        assert_eq!((found.value, found.parts[0].1), (0.0, 1.0));
    }

    #[test]
    fn what_the_reference_cannot_do_is_refused() {
        let parity = |row: usize| (row % 2) as f32;
        let reason = |table: &Representation| score(table).unwrap_err().to_string();
        let found = reason(&table(|row| if row < 10 { 0.7 } else { row as f32 }, parity, two()));
        assert!(found.contains("code 0 is the same in every row that teaches"), "{found}");
        let once = Factor::discrete("rare", [0.0, 1.0, 2.0]);
        let found =
            reason(&table(|row| row as f32, |row| if row == 3 { 2.0 } else { parity(row) }, once));
        assert!(found.contains("some value of factor `rare`"), "{found}");
        let found = reason(&table(|row| row as f32, |_| 1.0, Factor::discrete("fixed", [1.0])));
        assert!(found.contains("never changes"), "{found}");
    }

    #[test]
    fn bins_of_a_continuous_factor_need_not_occur_everywhere() {
        let value = |row: usize| if row == 3 { 40.0 } else { (row % 10) as f32 };
        let found = score(&table(value, value, Factor::continuous("any"))).unwrap();
        assert!((0.0..=1.0).contains(&found.value));
    }

    #[test]
    fn codes_are_scaled_by_the_rows_that_teach() {
        let codes = array![[1.0], [3.0], [7.0]];
        let values = array![[0.0], [1.0], [1.0]];
        let table = Representation::new(codes, values, vec![two()]).unwrap();
        assert_eq!(standardised(&table, &[0, 1]).unwrap(), array![[-1.0], [1.0], [5.0]]);
    }
}
