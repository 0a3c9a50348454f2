//! T-MEX, Test-based Measurement EXclusivity (Yao et al. 2025, arXiv:2505.17708): does a code depend on one factor
//! only, once the other factors are known? Each pair of code i and factor j is tested for
//!
//! ```text
//! H0:  E[ z_i | v_j, v_-j ] = E[ z_i | v_-j ]
//! ```
//!
//! with the projected covariance measure (`projected_covariance.rs`), and an encoder should be
//! rejected for one factor per code, and for no other. The statistics of nine random halves are
//! averaged; above 1.645, the 95 % quantile of one normal number, H0 is rejected.
//!
//! Differences from the authors' code, in Joshi et al. (UAI 2026):
//! - All pairs share their halves. There, each pair draws its own.
//! - The sign of the projection is left out: with linear regressions it is never negative.
//! - Regressions leave out a factor that is the sum of others to twelve digits. There, the solver
//!   decides.
//! - Errors are also counted after matching, since theirs charge a permuted encoder, and with
//!   Holm's correction for the number of tests.

use ndarray::{Array2, ArrayView2, Axis};
use rayon::prelude::*;

use self::projected_covariance::Halves;
use super::{Asks, Better, Metric, Reading, Score};
use crate::error::{Error, Result};
use crate::info::Info;
use crate::representation::Representation;
use crate::rng::Rng;
use crate::stats::assignment::best_matching;
use crate::stats::normal::above;
use crate::watch::Stage;

mod projected_covariance;

const PAGE: &str = "\
## What it measures

Whether each code depends on one factor alone once all other factors are known, by statistical tests
for every pair of code and factor.

## How

The pair's null hypothesis: given the other factors, the code's mean does not depend on this factor.
It is tested with the projected covariance measure and linear regressions: rows are cut in half at
random; one half learns how the code depends on the factor beyond the others, the other half tests
whether that is more than chance. The statistics of 9 such halvings are averaged, and the hypothesis
is rejected above 1.645 (5 %, one-sided). Codes are matched with factors so that as many pairs as
possible are rejected; the score is their number divided by the smaller of codes and factors.

## Reading it

From 0 to 1. 1: for each factor (or code, if these are fewer) there is a pair of its own with a
dependence. Read it with its errors: `errors` are the entries in which the table of rejections
differs from ones on the diagonal, as published, which charges perfect codes in another order;
`errors_matched` are those that differ after matching, and `errors_holm` the same with Holm's
correction for the number of tests. `rejections` is how many pairs were rejected. The matrix has the
mean statistics.

## Cautions

- The score ignores rejections beside the matched ones: a dense mixture of factors scores 1. Only
  its errors tell.
- Linear regressions see linear dependence only: a code that is an even function of its factor is
  not found.
- If a factor is a linear function of others, nothing is left to reject, also for perfect codes.
- With many codes, chance rejections suffice for a match: noise scores above 0, about 0.1 for 5 and
  0.5 to 0.8 for 50. `errors_holm` is better then.
- The mean of 9 dependent statistics varies less than each, so tests reject less often than 5 %.
- A code with a standard deviation below about 0.001 is never rejected: variances of products below
  1e-12 count as that. Standardise codes if they are so small.
- A factor that never changes is never rejected. One factor and fewer than 50 rows are refused.

## Reference

Yao, Huang, Cadei, Zhang and Locatello, The Third Pillar of Causal Analysis? A Measurement
Perspective on Causal Representations, NeurIPS 2025, arXiv:2505.17708; the projected covariance
measure: Lundborg, Kim, Shah and Samworth, arXiv:2211.02039; settings of Joshi et al., UAI 2026.";

/// Fewer rows are too few to test in halves.
const FEWEST_ROWS: usize = 50;

/// Test-based measurement exclusivity.
#[derive(Clone, Copy, Debug)]
pub struct TMex {
    /// How many times rows are halved.
    pub halvings: u64,
    /// The level of each test.
    pub level: f64,
}

impl TMex {
    /// As Joshi et al. run it.
    pub const PAPER: Self = Self { halvings: 9, level: 0.05 };
}

/// The statistics of one halving, `[codes, factors]`, learned on some rows and tested on others.
pub fn statistics(
    codes: ArrayView2<f32>,
    factors: ArrayView2<f32>,
    learn: &[usize],
    test: &[usize],
) -> Array2<f64> {
    let halves = Halves::new(factors, learn, test);
    let rows: Vec<Vec<f64>> =
        codes.axis_iter(Axis(1)).into_par_iter().map(|code| halves.statistics(code)).collect();
    Array2::from_shape_fn((rows.len(), factors.ncols()), |(i, j)| rows[i][j])
}

impl Metric for TMex {
    fn info(&self) -> Info {
        Info {
            name: "t-mex",
            title: "T-MEX",
            summary: "does each code depend on one factor only, by tests?",
            paper: "Yao et al., The Third Pillar of Causal Analysis?, NeurIPS 2025",
            page: PAGE,
        }
    }

    fn reading(&self) -> Reading {
        let line = "each factor has a code that depends on it beyond the others";
        Reading { low: 0.0, high: 1.0, better: Better::Higher, line }
    }

    fn asks(&self) -> &'static [Asks] {
        &[Asks::Matched]
    }

    fn score(
        &self,
        representation: &Representation,
        rng: &mut Rng,
        watch: &Stage,
    ) -> Result<Score> {
        let rows = representation.rows();
        check(rows, representation.factors.len())?;
        let mut sum = Array2::zeros((representation.codes.ncols(), representation.factors.len()));
        for halving in 0..self.halvings {
            let order = rng.split("halves").at(halving).permutation(rows);
            let (learn, test) = order.split_at(rows / 2);
            sum +=
                &statistics(representation.codes.view(), representation.values.view(), learn, test);
            watch.advance(1.0 / self.halvings as f64)?;
        }
        let means: Array2<f64> = sum / self.halvings as f64;
        let p = means.mapv(above);
        let rejected = p.mapv(|p| p < self.level);
        let holm = holm(&p, self.level);
        let matched = matched(&rejected);
        let smaller = rejected.nrows().min(rejected.ncols());
        let parts = vec![
            ("rejections".to_string(), count(&rejected) as f64),
            ("errors".into(), errors_in_order(&rejected) as f64),
            ("errors_matched".into(), errors_matched(&rejected) as f64),
            ("errors_holm".into(), errors_matched(&holm) as f64),
        ];
        Ok(Score { value: matched as f64 / smaller as f64, parts, matrix: Some(means) })
    }
}

fn check(rows: usize, factors: usize) -> Result<()> {
    let reason = match (factors, rows) {
        (0 | 1, _) => {
            "it holds all other factors fixed and there is one only; score two or more".into()
        }
        (_, 0..FEWEST_ROWS) => format!(
            "{rows} rows are too few to test in halves; score at least {FEWEST_ROWS}, and better \
             thousands"
        ),
        _ => return Ok(()),
    };
    Err(Error::Missing(format!("t-mex cannot be computed, because {reason}")))
}

fn count(table: &Array2<bool>) -> usize {
    table.iter().filter(|entry| **entry).count()
}

/// The most rejected pairs that share neither a code nor a factor.
fn matched(rejected: &Array2<bool>) -> usize {
    let weights = rejected.mapv(|rejected| f64::from(u8::from(rejected)));
    best_matching(weights.view()).into_iter().filter(|pair| rejected[*pair]).count()
}

/// Entries that differ from ones where code and factor have the same number.
fn errors_in_order(rejected: &Array2<bool>) -> usize {
    rejected.indexed_iter().filter(|((i, j), rejected)| (i == j) != **rejected).count()
}

/// Entries that differ from one rejection for each code or factor, whichever are fewer.
fn errors_matched(rejected: &Array2<bool>) -> usize {
    let matched = matched(rejected);
    let missing = rejected.nrows().min(rejected.ncols()) - matched;
    count(rejected) - matched + missing
}

/// The rejections that are left if any false one among all tests shall be as rare as the level
/// (Holm 1979): from the smallest p on, as long as p < level / (tests that are left).
fn holm(p: &Array2<f64>, level: f64) -> Array2<bool> {
    let mut order: Vec<((usize, usize), f64)> = p.indexed_iter().map(|(at, p)| (at, *p)).collect();
    order.sort_by(|one, other| one.1.total_cmp(&other.1));
    let mut rejected = Array2::from_elem(p.dim(), false);
    for (number, (at, p)) in order.iter().enumerate() {
        if *p >= level / (order.len() - number) as f64 {
            break;
        }
        rejected[*at] = true;
    }
    rejected
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::factors::Factor;
    use crate::representation::grid;
    use ndarray::array;

    fn score(codes: impl Fn([f32; 3], f32) -> Vec<f32>) -> Score {
        let mut rng = Rng::new(6);
        let values = Array2::from_shape_fn((1000, 3), |_| rng.normal());
        let rows: Vec<f32> = values
            .rows()
            .into_iter()
            .flat_map(|v| codes([v[0], v[1], v[2]], rng.normal()))
            .collect();
        let codes = Array2::from_shape_vec((1000, rows.len() / 1000), rows).unwrap();
        let factors = ["a", "b", "c"].map(Factor::continuous);
        let table = Representation::new(codes, values, factors.into()).unwrap();
        TMex::PAPER.score(&table, &mut Rng::new(0), &Stage::unwatched()).unwrap()
    }

    #[test]
    fn perfect_codes_in_another_order_have_errors_until_they_are_matched() {
        let found = score(|[a, b, c], noise| vec![2.0 * c, -a + 0.1 * noise, b]);
        assert_eq!((found.value, found.part("rejections")), (1.0, Some(3.0)));
        assert_eq!((found.part("errors"), found.part("errors_matched")), (Some(6.0), Some(0.0)));
        let matrix = found.matrix.unwrap();
        assert!(matrix[[1, 0]] > 10.0 && matrix[[1, 1]].abs() < 2.0, "{matrix}");
    }

    #[test]
    fn a_mixture_scores_one_and_its_errors_tell() {
        let found = score(|[a, b, c], _| vec![a + b + c, a - b, b - c]);
        assert_eq!((found.value, found.part("errors_holm")), (1.0, Some(4.0)), "{found:?}");
    }

    #[test]
    fn noise_a_constant_and_an_even_function_are_not_found() {
        let found = score(|[a, _, _], noise| vec![0.3, noise, a * a]);
        assert_eq!(found.part("errors_holm"), Some(3.0), "{found:?}");
    }

    #[test]
    fn a_factor_that_follows_from_the_others_leaves_nothing_to_reject() {
        let table = grid([5, 5], 20, |[a, b]| vec![a, b]);
        let values = Array2::from_shape_fn((500, 3), |(row, k)| match k {
            2 => table.values[[row, 0]] + table.values[[row, 1]],
            k => table.values[[row, k]],
        });
        let factors = ["a", "b", "sum"].map(Factor::continuous);
        let table = Representation::new(table.codes, values, factors.into()).unwrap();
        let found = TMex::PAPER.score(&table, &mut Rng::new(0), &Stage::unwatched()).unwrap();
        assert_eq!(found.part("rejections"), Some(0.0));
    }

    #[test]
    fn holm_stops_at_the_first_that_is_not_small_enough() {
        let p = array![[0.001, 0.2], [0.016, 0.026]];
        assert_eq!(holm(&p, 0.05), array![[true, false], [true, false]]);
        assert_eq!(errors_matched(&holm(&p, 0.05)), 2);
    }

    #[test]
    fn one_factor_and_few_rows_are_refused() {
        let reason = |table: &Representation| {
            TMex::PAPER.score(table, &mut Rng::new(0), &Stage::unwatched()).unwrap_err().to_string()
        };
        assert!(reason(&grid([5], 20, |v| v.to_vec())).contains("there is one only"));
        assert!(reason(&grid([7, 7], 1, |v| v.to_vec())).contains("49 rows are too few"));
    }
}
