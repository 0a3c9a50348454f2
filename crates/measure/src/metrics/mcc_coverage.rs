//! MCC over all factors: as `mcc`, but the sum of the matched correlations is divided by the number
//! of factors, so that a factor without a code counts as zero (Joshi et al., UAI 2026). With m codes
//! and d factors,
//!
//! ```text
//! coverage = 1/d Σ over matched (j, k) of |r(z_j, v_k)|,     matched = 1/min(m, d) Σ …
//! ```
//!
//! A code or factor that never changes has correlation 0, as there; `mcc` refuses it.

use ndarray::{Array2, ArrayView2};

use super::{Asks, Better, Metric, Reading, Score};
use crate::error::Result;
use crate::info::Info;
use crate::representation::Representation;
use crate::rng::Rng;
use crate::stats::assignment::best_matching;
use crate::stats::correlation::{pearson, spearman};
use crate::watch::Stage;

const PAGE: &str = "\
## What it measures

Whether each ground-truth factor is a linear function of one code, with a different code for each:
`mcc`, but a factor that is left without a code counts as zero.

## How

Pearson's absolute correlation of every code with every factor; codes and factors are matched one to
one so that the sum is largest. The score is this sum divided by the number of factors. A code or
factor that never changes has correlation 0.

## Reading it

From 0 to 1. 1: each factor has a code of its own that is the factor up to sign, scale and shift.
With fewer codes than factors it is at most (codes) / (factors). The part `matched` divides by the
number of pairs instead, as `mcc` does: the two differ only if there are fewer codes than factors.
The parts `mcc-coverage/FACTOR` are the correlations of each factor, 0 for one without a code; the
matrix has all of them, with their signs.

## Cautions

- Two factors rotated by 45 degrees still score 0.71: compare a value with that, not with 0.
- Unrelated codes score above 0, the more so the more codes and the fewer rows there are:
  `mcc-crossfit` does not have this.
- Unmatched codes are free: duplicates and noise beside the right codes cost nothing.
- The values of a factor must be ordinal. For shapes or colours their order is arbitrary.

## Reference

Joshi et al., Who Guards the Guardians? The Challenges of Evaluating Identifiability of Learned
Representations, UAI 2026, PMLR 337; Khemakhem et al. 2020, arXiv:1907.04809.";

/// MCC with every factor counted.
#[derive(Clone, Copy, Debug)]
pub struct MccCoverage {
    /// Whether to correlate ranks (Spearman) in place of values (Pearson).
    pub ranks: bool,
}

impl MccCoverage {
    /// With Pearson's correlation: `mcc-coverage`.
    pub const PEARSON: Self = Self { ranks: false };
}

impl Metric for MccCoverage {
    fn info(&self) -> Info {
        Info {
            name: "mcc-coverage",
            title: "MCC (coverage)",
            summary: "mean correlation over all factors; one without a code counts as zero",
            paper: "Joshi et al., Who Guards the Guardians?, UAI 2026",
            page: PAGE,
        }
    }

    fn reading(&self) -> Reading {
        let line = "each factor has a code and lies on a line over it";
        Reading { low: 0.0, high: 1.0, better: Better::Higher, line }
    }

    fn asks(&self) -> &'static [Asks] {
        &[Asks::Matched, Asks::Linear]
    }

    fn score(&self, representation: &Representation, _: &mut Rng, _: &Stage) -> Result<Score> {
        let (codes, values) = (representation.codes.view(), representation.values.view());
        let correlation = correlations(codes, values, self.ranks);
        let strength = correlation.mapv(f64::abs);
        let pairs = best_matching(strength.view());
        let mut found = vec![0.0; values.ncols()];
        for &(j, k) in &pairs {
            found[k] = strength[[j, k]];
        }
        let sum: f64 = found.iter().sum();
        let mut parts = vec![("matched".to_string(), sum / pairs.len() as f64)];
        let factors = representation.factors.iter().zip(&found);
        parts.extend(factors.map(|(factor, r)| (format!("mcc-coverage/{}", factor.name), *r)));
        Ok(Score { value: sum / found.len() as f64, parts, matrix: Some(correlation) })
    }
}

/// Correlations `[codes, factors]`, 0 where one of the two never changes.
fn correlations(codes: ArrayView2<f32>, values: ArrayView2<f32>, ranks: bool) -> Array2<f64> {
    let found = if ranks { spearman(codes, values) } else { pearson(codes, values) };
    found.mapv(|r| if r.is_nan() { 0.0 } else { r })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::representation::grid;

    fn score(table: &Representation) -> Score {
        MccCoverage::PEARSON.score(table, &mut Rng::new(0), &Stage::unwatched()).unwrap()
    }

    #[test]
    fn a_factor_without_a_code_counts_as_zero() {
        let found = score(&grid([4, 3, 2], 2, |[a, _, c]| vec![-2.0 * c, a]));
        assert!((found.value - 2.0 / 3.0).abs() < 1e-12);
        assert!((found.part("matched").unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(found.part("mcc-coverage/b"), Some(0.0));
    }

    #[test]
    fn what_never_changes_has_no_correlation_and_takes_no_place() {
        let found = score(&grid([4, 3], 2, |[a, b]| vec![7.0, b, a]));
        assert!((found.value - 1.0).abs() < 1e-12);
        assert_eq!(score(&grid([4, 3], 2, |_| vec![7.0])).value, 0.0);
        let fixed = score(&grid([4, 1], 2, |[a, b]| vec![a, b]));
        assert!((fixed.value - 0.5).abs() < 1e-12);
    }
}
