//! FactorVAE score (Kim and Mnih 2018, arXiv:1802.05983), with the settings of Locatello et al.
//! (2019). One vote: choose a factor k and rows that share its value; the code with the smallest
//! normalised variance among them is
//!
//! ```text
//! j* = argmin over active j of  Var_rows(z_j) / Var(z_j)
//! ```
//!
//! and votes for k. The score is the accuracy, on fresh votes, of the majority-vote classifier from
//! code to factor. Rows come from the table: on a full grid this is what sampling new observations
//! would give.
//!
//! Var(z_j) is estimated from a sample, not from all rows, and that matters: two codes that hold a
//! rotated pair of factors tie in every vote, and the sampling error breaks the tie the same way
//! every time. With exact variances rounding would break it, and rounding depends on the factor.

use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;

use super::{Asks, Better, Metric, Reading, Score};
use crate::error::{Error, Result};
use crate::info::Info;
use crate::representation::Representation;
use crate::rng::Rng;
use crate::stats::groups::Groups;
use crate::watch::Stage;

const PAGE: &str = "\
## What it measures

Whether each ground-truth factor has a code that is constant if, and only if, that factor is fixed.

## How

A vote: choose a factor at random, and 64 rows with the same value of it. For each code, divide its
variance among these rows by its variance among 10,000 rows drawn from all; the code with the
smallest ratio votes for the factor. 10,000 votes train a majority-vote classifier from code to
factor; the score is its accuracy on 5,000 fresh votes. Codes with a standard deviation below 0.05
are inactive and do not vote. Continuous factors are discretised into 20 bins of equal width first.
Values that only one row has, and constant factors, are not chosen.

## Reading it

From 0 to 1. 1: each factor has a code of its own. Chance is 1 / (number of factors). A factor that
no code encodes costs its share: 4 of 5 factors score 0.8. 0 means that no code is active. The part
`train` is the accuracy on the training votes; `active_codes` is the number of codes that may vote;
the matrix counts their votes for each factor.

## Cautions

- Codes that mix factors can score high: the smallest ratio need not be near 0. Four codes that each
  add 0.8 of the next factor to their own score above 0.99.
- Several codes may encode one factor at no cost.
- It depends on the threshold for inactive codes, in the units of the codes.
- Rows are sampled with replacement from the table. If a value has few rows, its batches repeat
  them, and variances are underestimated; score 10,000 rows or a full grid.

## Reference

Kim and Mnih, Disentangling by Factorising, 2018, arXiv:1802.05983; settings of Locatello et al.
2019, arXiv:1811.12359.";

/// FactorVAE score.
#[derive(Clone, Copy, Debug)]
pub struct FactorVaeScore {
    /// Rows per vote, at least two.
    pub batch: usize,
    /// Votes to train the classifier on.
    pub train_votes: usize,
    /// Votes to test it on.
    pub test_votes: usize,
    /// Rows from which the variance of each code is estimated, at least two.
    pub variance_rows: usize,
    /// Codes with a smaller standard deviation do not vote. With 0, a constant code votes always
    /// (its ratio is 0/0), as in the reference.
    pub threshold: f64,
}

impl FactorVaeScore {
    /// The settings of Locatello et al. 2019.
    pub const STUDY: Self = Self {
        batch: 64,
        train_votes: 10_000,
        test_votes: 5_000,
        variance_rows: 10_000,
        threshold: 0.05,
    };
}

impl Metric for FactorVaeScore {
    fn info(&self) -> Info {
        Info {
            name: "factor-vae-score",
            title: "FactorVAE score",
            summary: "does the code with the least variance predict which factor was fixed?",
            paper: "Kim and Mnih, Disentangling by Factorising, ICML 2018",
            page: PAGE,
        }
    }

    fn reading(&self) -> Reading {
        let line = "the code that varies least tells which factor was held fixed";
        Reading { low: 0.0, high: 1.0, better: Better::Higher, line }
    }

    fn is_quick(&self) -> bool {
        true
    }

    fn asks(&self) -> &'static [Asks] {
        &[Asks::Modular, Asks::Informative]
    }

    fn score(&self, representation: &Representation, rng: &mut Rng, _: &Stage) -> Result<Score> {
        let classes = representation.classes();
        let groups = Groups::of_all(&classes);
        if groups.is_empty() {
            return Err(Error::Missing(
                "no factor can be held fixed: none takes two values with two rows that share one; \
                 score more rows"
                    .into(),
            ));
        }
        let codes = self.active_codes(representation.codes.view(), &mut rng.split("variances"));
        let mut votes = Array2::zeros((representation.codes.ncols(), classes.len()));
        if codes.columns.is_empty() {
            let parts = vec![("train".into(), 0.0), ("active_codes".into(), 0.0)];
            return Ok(Score { value: 0.0, parts, matrix: Some(votes) });
        }
        for vote in self.votes(self.train_votes, &codes, &groups, &rng.split("train")) {
            votes[vote] += 1.0;
        }
        let meaning = majority(&votes);
        let test = self.votes(self.test_votes, &codes, &groups, &rng.split("test"));
        let right = test.iter().filter(|(code, factor)| meaning[*code] == *factor).count();
        let trained: f64 = meaning.iter().enumerate().map(|(j, &k)| votes[[j, k]]).sum();
        let parts = vec![
            ("train".into(), trained / self.train_votes as f64),
            ("active_codes".into(), codes.columns.len() as f64),
        ];
        Ok(Score { value: right as f64 / self.test_votes as f64, parts, matrix: Some(votes) })
    }
}

impl FactorVaeScore {
    fn active_codes(&self, codes: ArrayView2<f32>, rng: &mut Rng) -> Codes {
        let sample = (0..self.variance_rows).map(|_| codes.row(rng.below(codes.nrows())));
        let variances = variances(codes.ncols(), sample);
        let columns: Vec<usize> =
            (0..codes.ncols()).filter(|&j| variances[j].sqrt() >= self.threshold).collect();
        Codes {
            values: Array2::from_shape_fn((codes.nrows(), columns.len()), |(row, j)| {
                codes[[row, columns[j]]]
            }),
            variances: columns.iter().map(|&j| variances[j]).collect(),
            columns,
        }
    }

    /// Pairs (code, factor). Each vote has its own generator, so threads do not change them.
    fn votes(
        &self,
        count: usize,
        codes: &Codes,
        groups: &[Groups],
        rng: &Rng,
    ) -> Vec<(usize, usize)> {
        let vote = |number: usize| {
            let mut rng = rng.at(number as u64);
            let group = &groups[rng.below(groups.len())];
            let (_, alike) = group.draw(&mut rng);
            let drawn = (0..self.batch).map(|_| alike[rng.below(alike.len())]);
            (codes.stillest(drawn), group.factor)
        };
        (0..count).into_par_iter().map(vote).collect()
    }
}

/// The codes that vote.
struct Codes {
    /// Their columns in the representation.
    columns: Vec<usize>,
    /// `[rows, active]`
    values: Array2<f32>,
    /// Var(z_j), `[active]`.
    variances: Vec<f64>,
}

impl Codes {
    /// The code with the smallest variance among these rows relative to its Var(z_j). As in NumPy's
    /// argmin, NaN comes before every number, and the first of equals wins.
    fn stillest(&self, rows: impl Iterator<Item = usize>) -> usize {
        let local = variances(self.columns.len(), rows.map(|row| self.values.row(row)));
        let shares = local.iter().zip(&self.variances).map(|(local, all)| local / all);
        let key = |share: f64| if share.is_nan() { f64::NEG_INFINITY } else { share };
        let (j, _) = shares
            .enumerate()
            .min_by(|a, b| key(a.1).total_cmp(&key(b.1)))
            .expect("votes are cast only if a code is active");
        self.columns[j]
    }
}

/// Var = ( Σ d² - (Σ d)² / n ) / (n - 1) per column, with d the difference from the first row: one
/// pass, and exactly zero where nothing differs.
fn variances<'a>(
    width: usize,
    mut rows: impl Iterator<Item = ndarray::ArrayView1<'a, f32>>,
) -> Vec<f64> {
    let mut sums = vec![[0.0; 2]; width];
    let mut n = 1.0;
    let Some(first) = rows.next() else { return vec![f64::NAN; width] };
    for row in rows {
        n += 1.0;
        for ((sum, value), start) in sums.iter_mut().zip(row).zip(first) {
            let d = f64::from(*value) - f64::from(*start);
            sum[0] += d;
            sum[1] += d * d;
        }
    }
    sums.iter().map(|[sum, squares]| (squares - sum * sum / n).max(0.0) / (n - 1.0)).collect()
}

/// For each code the factor with most votes, the first of equals.
fn majority(votes: &Array2<f64>) -> Vec<usize> {
    let first_largest = |row: ndarray::ArrayView1<f64>| {
        (0..row.len()).fold(0, |best, k| if row[k] > row[best] { k } else { best })
    };
    votes.rows().into_iter().map(first_largest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::representation::grid;
    use ndarray::array;

    const QUICK: FactorVaeScore =
        FactorVaeScore { train_votes: 400, test_votes: 200, ..FactorVaeScore::STUDY };

    /// The grid of two factors with 5 values each.
    fn score(metric: FactorVaeScore, code: impl Fn(f32, f32) -> Vec<f32>) -> Score {
        let table = grid([5, 5], 1, |[a, b]| code(a, b));
        metric.score(&table, &mut Rng::new(0), &Stage::unwatched()).unwrap()
    }

    #[test]
    fn inactive_codes_do_not_vote_and_are_not_counted() {
        let score = score(QUICK, |a, b| vec![0.0, b, 0.01 * a, 3.0 * a]);
        assert_eq!(score.value, 1.0);
        assert_eq!(score.part("train"), Some(1.0));
        assert_eq!(score.part("active_codes"), Some(2.0));
        let votes = score.matrix.unwrap();
        assert_eq!(votes.row(0).sum() + votes.row(2).sum(), 0.0);
        assert_eq!(votes[[1, 1]] + votes[[3, 0]], 400.0);
    }

    #[test]
    fn without_active_codes_the_score_is_zero_and_with_threshold_zero_a_dead_code_wins_all() {
        let dead = score(QUICK, |_, _| vec![7.0]);
        assert_eq!((dead.value, dead.part("active_codes")), (0.0, Some(0.0)));
        let all = FactorVaeScore { threshold: 0.0, ..QUICK };
        let votes = score(all, |a, b| vec![a, 0.25, b]).matrix.unwrap();
        assert_eq!(votes.row(1).sum(), 400.0);
    }

    #[test]
    fn variances_are_unbiased_and_exactly_zero_for_equal_values() {
        let rows = array![[1.0, 0.1], [2.0, 0.1], [4.0, 0.1]];
        let found = variances(2, rows.rows().into_iter());
        assert!((found[0] - 7.0 / 3.0).abs() < 1e-12);
        assert_eq!(found[1], 0.0);
    }
}
