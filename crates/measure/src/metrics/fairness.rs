//! Unfairness of predictions made from codes (Locatello et al. 2019, arXiv:1905.13662): with ŷ a
//! classifier of one factor and s another factor, the sensitive variable,
//!
//! ```text
//! unfairness(ŷ) = Σ_a p(s = a) TV( p(ŷ), p(ŷ | s = a) ),   TV(p, q) = 1/2 Σ |p - q|
//! ```
//!
//! The paper samples new observations with s set to each of its values in turn; here the test rows
//! are grouped by s. That is the same where factors are independent in the table.

use ndarray::Axis;

use super::{Better, Metric, Needs, Reading, Score};
use crate::error::{Error, Result};
use crate::info::Info;
use crate::predictors::boosting::{Task, teach};
use crate::representation::Representation;
use crate::rng::Rng;
use crate::watch::Stage;

const PAGE: &str = "\
## What it measures

Demographic parity of classifiers trained on the codes: whether the prediction of one factor is
independent of the other factors. Say one factor is whether a loan is paid back and another is sex:
do predictions of the first differ between the sexes, though the factors themselves do not?

## How

For each factor, gradient boosted trees (100 rounds of depth 3, as scikit-learn's) are trained to
predict its value from all codes, on the training rows. Then the test rows are grouped by each other
factor, the sensitive variable. The distribution of predictions within a group is compared with that
over all rows by total variation: the share of rows that would have to change their prediction. The
unfairness of a pair of factors is the mean over groups, weighted by their sizes; the value is the
mean over pairs. Continuous factors are discretised into 20 bins of equal width first. Constant
factors are refused.

## Reading it

From 0 to 1, and low is good. 0: predictions never depend on a sensitive variable. The part `max`
has the largest distance among groups in place of the mean. `predicting/FACTOR` is the mean over
sensitive variables for one predicted factor, `sensitive/FACTOR` the mean over predicted factors for
one sensitive variable: the second shows which factor leaks.

## Cautions

- Uninformative codes are perfectly fair: read it beside `dci` or `downstream-gbt`.
- If factors are dependent in the table, predictions must differ between groups, and that is not the
  fault of the codes. Score a table with independent factors.
- Small groups differ by chance: groups of m rows by about sqrt(values / m) / 3. Give thousands of
  test rows.

## Reference

Locatello, Abbati, Rainforth, Bauer, Schölkopf and Bachem, On the Fairness of Disentangled
Representations, NeurIPS 2019, arXiv:1905.13662.";

/// Unfairness of predictions made from codes.
#[derive(Clone, Copy, Debug)]
pub struct Fairness;

impl Metric for Fairness {
    fn info(&self) -> Info {
        Info {
            name: "fairness",
            title: "Unfairness",
            summary: "do predictions of one factor depend on the other factors?",
            paper: "Locatello et al., On the Fairness of Disentangled Representations, NeurIPS 2019",
            page: PAGE,
        }
    }

    fn reading(&self) -> Reading {
        let line = "no prediction of a factor depends on another factor";
        Reading { low: 0.0, high: 1.0, better: Better::Lower, line }
    }

    fn needs(&self) -> Needs {
        Needs::Split
    }

    fn score(&self, representation: &Representation, _: &mut Rng, watch: &Stage) -> Result<Score> {
        representation.check_change("fairness")?;
        let (train, test) = representation.split_rows()?;
        let tasks = Task::of_each(&representation.classes(), &train, &test);
        if tasks.len() < 2 {
            return Err(Error::Missing(
                "fairness cannot be computed, because it needs a factor to predict and another to \
                 be sensitive, and there is one only; score two or more"
                    .into(),
            ));
        }
        Task::check_taught(&tasks, &representation.factors, "fairness")?;
        let codes = &representation.codes;
        let models = teach(codes.view(), &train, &tasks, |share| watch.advance(share))?;
        let judged = codes.select(Axis(0), &test);
        let told: Vec<Vec<u32>> = models.iter().map(|model| model.predict(judged.view())).collect();
        let names: Vec<&str> =
            tasks.iter().map(|task| representation.factors[task.factor].name.as_str()).collect();
        Ok(summary(&tasks, &told, &names))
    }
}

/// From the predictions of each task on the test rows.
fn summary(tasks: &[Task], told: &[Vec<u32>], names: &[&str]) -> Score {
    let pair = |(i, j): (usize, usize)| ((i, j), Unfairness::new(&told[i], &tasks[j].test));
    let places = (0..tasks.len()).flat_map(|i| (0..tasks.len()).map(move |j| (i, j)));
    let pairs: Vec<_> = places.filter(|(i, j)| i != j).map(pair).collect();
    let mean = |wanted: &dyn Fn(usize, usize) -> bool, read: fn(&Unfairness) -> f64| {
        let chosen = || pairs.iter().filter(|((i, j), _)| wanted(*i, *j));
        chosen().map(|(_, unfairness)| read(unfairness)).sum::<f64>() / chosen().count() as f64
    };
    let mut parts = vec![("max".to_string(), mean(&|_, _| true, |unfairness| unfairness.max))];
    for (k, name) in names.iter().enumerate() {
        let of_factor = mean(&|i, _| i == k, |unfairness| unfairness.mean);
        parts.push((format!("predicting/{name}"), of_factor));
    }
    for (k, name) in names.iter().enumerate() {
        let of_factor = mean(&|_, j| j == k, |unfairness| unfairness.mean);
        parts.push((format!("sensitive/{name}"), of_factor));
    }
    let value = mean(&|_, _| true, |unfairness| unfairness.mean);
    Score { value, parts, matrix: None }
}

/// How far the predictions of groups are from those of all rows.
struct Unfairness {
    /// Over groups, weighted by their sizes.
    mean: f64,
    /// Of the farthest group.
    max: f64,
}

impl Unfairness {
    /// From the prediction and the group of each row.
    fn new(told: &[u32], groups: &[u32]) -> Self {
        let size = |labels: &[u32]| labels.iter().max().map_or(0, |last| *last as usize + 1);
        let classes = size(told);
        let mut counts = vec![0.0; size(groups) * classes];
        let mut all = vec![0.0; classes];
        for (class, group) in told.iter().zip(groups) {
            counts[*group as usize * classes + *class as usize] += 1.0;
            all[*class as usize] += 1.0;
        }
        let rows = told.len() as f64;
        let mut unfairness = Self { mean: 0.0, max: 0.0 };
        for counts in counts.chunks_exact(classes) {
            let group: f64 = counts.iter().sum();
            if group > 0.0 {
                let shares = counts.iter().zip(&all);
                let apart: f64 =
                    shares.map(|(count, all)| (count / group - all / rows).abs()).sum();
                unfairness.mean += group / rows * apart / 2.0;
                unfairness.max = unfairness.max.max(apart / 2.0);
            }
        }
        unfairness
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::representation::{Split, grid};

    #[test]
    fn distances_of_groups_by_hand() {
        // Counts [[0, 100], [100, 100]]: shares 1/3 and 2/3; distances 1/3 and 1/6.
        let told: Vec<u32> = (0..300).map(|row| u32::from(row < 200)).collect();
        let groups: Vec<u32> = (0..300).map(|row| u32::from(row >= 100)).collect();
        let found = Unfairness::new(&told, &groups);
        assert!((found.mean - 2.0 / 9.0).abs() < 1e-12 && (found.max - 1.0 / 3.0).abs() < 1e-12);
        // A group number without rows does not count.
        let shifted: Vec<u32> = groups.iter().map(|group| 3 * group + 1).collect();
        assert_eq!(Unfairness::new(&told, &shifted).mean, found.mean);
    }

    /// Three factors with 2 values each on their grid, fifty times.
    fn score(code: impl Fn(f32, f32, f32) -> Vec<f32>) -> Score {
        let mut table = grid([2, 2, 2], 50, |[a, b, c]| code(a, b, c));
        table.protocol.split = Split::Ends { train: 200, test: 200 };
        Fairness.score(&table, &mut Rng::new(0), &Stage::unwatched()).unwrap()
    }

    #[test]
    fn codes_of_their_own_are_fair_and_a_mixture_tells_who_leaks() {
        let fair = score(|a, b, c| vec![c, a, b]);
        assert!(fair.value.abs() < 1e-12 && fair.parts[0].1.abs() < 1e-12);
        // a and b cannot both be told from their sum: where it is 1, one value of each is guessed,
        // and that guess is right for all rows with one value of the other.
        let mixed = score(|a, b, c| vec![a + b, c]);
        let part = |name: &str| mixed.part(name).unwrap();
        assert!(part("sensitive/c") < 1e-12 && part("predicting/c") < 1e-12, "{mixed:?}");
        assert!(part("predicting/a") > 0.1 && part("sensitive/b") > 0.1, "{mixed:?}");
        assert!(part("max") >= mixed.value);
    }
}
