//! MCC on rows that did not choose the matching (Joshi et al., UAI 2026): for each fold, codes are
//! matched with factors, and signs are chosen, on the other folds; with r⁻ a correlation there and r
//! one on the fold,
//!
//! ```text
//! score = mean over folds, by their rows, of  mean over matched (j, k) of  sign(r⁻_jk) r_jk
//! ```
//!
//! Chance that a matching makes use of is not there again on other rows, so unrelated codes score 0
//! in the mean. Joshi et al. clip at 0; here, what is below stays, so that the mean of many runs
//! does not hide it.

use ndarray::{Array2, Axis};

use super::{Asks, Better, Metric, Reading, Score};
use crate::error::{Error, Result};
use crate::info::Info;
use crate::representation::Representation;
use crate::rng::Rng;
use crate::stats::assignment::best_matching;
use crate::stats::correlation::pearson;
use crate::stats::folds::{folds_of, shuffled_folds};
use crate::watch::Stage;

const PAGE: &str = "\
## What it measures

Whether each ground-truth factor is a linear function of one code, with a different code for each:
`mcc`, without the luck of having many codes to choose from.

## How

Rows are cut into 5 folds at random. For each fold, the correlations on the other folds decide which
code belongs to which factor, and with which sign; on the fold itself, the correlations of these
pairs, with these signs, are averaged. The score is the mean over folds, weighted by their rows. A
code or factor that never changes has correlation 0.

## Reading it

From -1 to 1. 1: the codes are the factors up to permutation, sign, scale and shift. 0: the matching
is of no use on other rows; unrelated codes score a little above or below 0. The parts
`mcc-crossfit/FACTOR` are the means of each factor over the folds in which it was matched.

## Cautions

- Two factors rotated by 45 degrees still score 0.71: compare a value with that, not with 0.
- If there are fewer codes than factors, the factors left over do not count; see `mcc-coverage`.
- Where two codes serve a factor equally well, folds may choose differently, which costs nothing.
- Rows must be drawn without replacement: a copy of a row may be on both sides, so bootstrap
  intervals come out too high.
- The values of a factor must be ordinal. For shapes or colours their order is arbitrary.
- Fewer than 15 rows are refused.

## Reference

Joshi et al., Who Guards the Guardians? The Challenges of Evaluating Identifiability of Learned
Representations, UAI 2026, PMLR 337.";

/// MCC, cross-fitted.
#[derive(Clone, Copy, Debug)]
pub struct MccCrossfit {
    /// How many folds.
    pub folds: usize,
    /// Whether the rows of a fold are drawn at random, or follow each other.
    pub shuffled: bool,
}

impl MccCrossfit {
    /// Five folds at random, as published.
    pub const PAPER: Self = Self { folds: 5, shuffled: true };
}

impl Metric for MccCrossfit {
    fn info(&self) -> Info {
        Info {
            name: "mcc-crossfit",
            title: "MCC (cross-fitted)",
            summary: "mean correlation of codes and factors, on rows that did not match them",
            paper: "Joshi et al., Who Guards the Guardians?, UAI 2026",
            page: PAGE,
        }
    }

    fn reading(&self) -> Reading {
        let line = "each factor lies on a line over one code";
        Reading { low: -1.0, high: 1.0, better: Better::Higher, line }
    }

    fn asks(&self) -> &'static [Asks] {
        &[Asks::Matched, Asks::Linear]
    }

    fn score(
        &self,
        representation: &Representation,
        rng: &mut Rng,
        watch: &Stage,
    ) -> Result<Score> {
        let rows = representation.rows();
        if rows < 3 * self.folds {
            return Err(Error::Missing(format!(
                "mcc-crossfit cannot be computed, because {rows} rows are too few for {} folds of \
                 three; score at least {}, and better thousands",
                self.folds,
                3 * self.folds
            )));
        }
        let folds = match self.shuffled {
            true => shuffled_folds(rows, self.folds, rng),
            false => folds_of(&(0..rows).collect::<Vec<_>>(), self.folds),
        };
        let mut value = 0.0;
        let mut sums = vec![[0.0; 2]; representation.factors.len()];
        for [teach, judge] in &folds {
            let [chosen, found] = [teach, judge].map(|rows| correlations(representation, rows));
            let pairs = best_matching(chosen.mapv(f64::abs).view());
            let weight = judge.len() as f64 / rows as f64;
            for &(j, k) in &pairs {
                let r = sign(chosen[[j, k]]) * found[[j, k]];
                value += weight * r / pairs.len() as f64;
                sums[k] = [sums[k][0] + weight * r, sums[k][1] + weight];
            }
            watch.advance(1.0 / folds.len() as f64)?;
        }
        let part = |(factor, [sum, weight]): (usize, [f64; 2])| {
            let name = format!("mcc-crossfit/{}", representation.factors[factor].name);
            (weight > 0.0).then_some((name, sum / weight))
        };
        let parts = sums.into_iter().enumerate().filter_map(part).collect();
        Ok(Score { value, parts, matrix: None })
    }
}

/// Correlations on these rows `[codes, factors]`, 0 where one of the two never changes there.
fn correlations(table: &Representation, rows: &[usize]) -> Array2<f64> {
    let [codes, values] = [&table.codes, &table.values].map(|array| array.select(Axis(0), rows));
    pearson(codes.view(), values.view()).mapv(|r| if r.is_nan() { 0.0 } else { r })
}

fn sign(r: f64) -> f64 {
    if r == 0.0 { 0.0 } else { r.signum() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::factors::Factor;
    use crate::representation::grid;

    fn score(table: &Representation) -> Result<Score> {
        MccCrossfit::PAPER.score(table, &mut Rng::new(0), &Stage::unwatched())
    }

    #[test]
    fn a_line_that_falls_is_as_good_as_one_that_rises() {
        let found = score(&grid([4, 3], 5, |[a, b]| vec![-3.0 * b, 2.0 * a + 1.0])).unwrap();
        assert!((found.value - 1.0).abs() < 1e-9, "{found:?}");
        assert!((found.part("mcc-crossfit/b").unwrap() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn many_unrelated_codes_gain_nothing() {
        let mut rng = Rng::new(8);
        let mut sum = 0.0;
        for _ in 0..20 {
            let values = Array2::from_shape_fn((50, 3), |_| rng.normal());
            let codes = Array2::from_shape_fn((50, 40), |_| rng.normal());
            let factors = ["a", "b", "c"].map(Factor::continuous);
            let table = Representation::new(codes, values, factors.into()).unwrap();
            sum += score(&table).unwrap().value / 20.0;
        }
        // In-sample, the best of 40 has about 0.35.
        assert!(sum.abs() < 0.1, "{sum}");
    }

    #[test]
    fn few_rows_are_refused() {
        let reason = score(&grid([7, 2], 1, |v| v.to_vec())).unwrap_err().to_string();
        assert!(reason.contains("14 rows are too few for 5 folds"), "{reason}");
    }
}
