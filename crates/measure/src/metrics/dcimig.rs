//! DCIMIG (Sepliarskaia, Kiseleva and de Rijke 2019, arXiv:1910.05587): a gap between factors in
//! place of one between codes. With I the mutual information of code j, discretised, and factor k,
//!
//! ```text
//! G_j = I(z_j; v_k*) - max over k != k* of I(z_j; v_k),    k* = argmax over k of I(z_j; v_k)
//! DCIMIG = Σ_k ( max over the j whose k* is k of G_j ) / Σ_k H(v_k)
//! ```
//!
//! A factor that is the best of no code counts as 0. Published code uses 10 bins; here it is the
//! bins of the table, 20 unless another number is asked for.

use ndarray::ArrayView2;

use super::{Asks, Better, Metric, Reading, Score};
use crate::error::{Error, Result};
use crate::info::Info;
use crate::representation::Representation;
use crate::rng::Rng;
use crate::stats::information::{entropy, information_matrix};
use crate::watch::Stage;

const PAGE: &str = "\
## What it measures

Whether each factor has a code that is informative about it and about no other factor.

## How

Each code is discretised into 20 bins of equal width, and so is a continuous factor. A code belongs
to the factor about which it is most informative; its gap is that information minus the second
largest, in nats. A factor has the largest gap of the codes that belong to it, or 0 without one. The
score is the sum over factors divided by the sum of their entropies. Constant factors are refused.

## Reading it

From 0 to 1. 1: every factor is determined by a code that is about nothing else. 0: every code is as
informative about a second factor as about its first. The parts `dcimig/FACTOR` are the gaps divided
by the factor's entropy; the matrix has the information.

## Cautions

- It does not require one code per factor: copies of a code cost nothing, unlike in `mig`.
- Factors with many values weigh more, as their entropy does.
- A factor with more than 20 values cannot reach 1: 20 bins carry at most ln 20 nats.
- With few rows the information is overestimated, by about (bins - 1)(values - 1) / (2 rows).
- It assumes independent factors; if factors are dependent in the data, they share information.
- Published values were computed with 10 bins.

## Reference

Sepliarskaia, Kiseleva and de Rijke, How to Not Measure Disentanglement, 2019, arXiv:1910.05587.";

/// DCIMIG.
#[derive(Clone, Copy, Debug)]
pub struct Dcimig;

impl Metric for Dcimig {
    fn info(&self) -> Info {
        Info {
            name: "dcimig",
            title: "DCIMIG",
            summary: "does each factor have a code that is about it alone?",
            paper: "Sepliarskaia et al., How to Not Measure Disentanglement, 2019",
            page: PAGE,
        }
    }

    fn reading(&self) -> Reading {
        let line = "each factor is told by a code that tells no other";
        Reading { low: 0.0, high: 1.0, better: Better::Higher, line }
    }

    fn asks(&self) -> &'static [Asks] {
        &[Asks::Matched, Asks::Compact]
    }

    fn score(&self, representation: &Representation, _: &mut Rng, _: &Stage) -> Result<Score> {
        if representation.factors.len() < 2 {
            return Err(Error::Missing(
                "dcimig cannot be computed, because it compares factors with each other and there \
                 is one only; score two or more"
                    .into(),
            ));
        }
        representation.check_change("dcimig")?;
        let factors = representation.classes();
        let matrix = information_matrix(&representation.binned_codes(), &factors);
        let gaps = largest_gaps(matrix.view());
        let entropies: Vec<f64> = factors.iter().map(|column| entropy(column)).collect();
        let part = |((factor, gap), entropy): ((&crate::factors::Factor, &f64), &f64)| {
            (format!("dcimig/{}", factor.name), gap / entropy)
        };
        let parts = representation.factors.iter().zip(&gaps).zip(&entropies).map(part).collect();
        let value = gaps.iter().sum::<f64>() / entropies.iter().sum::<f64>();
        Ok(Score { value, parts, matrix: Some(matrix) })
    }
}

/// For each factor the largest gap of the codes that are about it.
fn largest_gaps(information: ArrayView2<f64>) -> Vec<f64> {
    let mut gaps = vec![0.0_f64; information.ncols()];
    for row in information.rows() {
        let best = (1..row.len()).fold(0, |best, k| if row[k] > row[best] { k } else { best });
        let others = row.iter().enumerate().filter(|(k, _)| *k != best);
        let second = others.fold(0.0, |second: f64, (_, other)| second.max(*other));
        gaps[best] = gaps[best].max(row[best] - second);
    }
    gaps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::representation::grid;
    use ndarray::array;

    #[test]
    fn a_code_counts_for_its_best_factor_only() {
        // Codes 0 and 2 are about factor 0, code 1 about factor 1; code 3 about both alike.
        let information = array![[0.5, 0.1], [0.2, 0.3], [0.9, 0.2], [0.6, 0.6]];
        let gaps = largest_gaps(information.view());
        assert!((gaps[0] - 0.7).abs() < 1e-12 && (gaps[1] - 0.1).abs() < 1e-12, "{gaps:?}");
    }

    #[test]
    fn a_missing_factor_costs_its_entropy() {
        let score = |table: &Representation| {
            Dcimig.score(table, &mut Rng::new(0), &Stage::unwatched()).map(|found| found.value)
        };
        // ln 4 of ln 4 + ln 2.
        let one = score(&grid([4, 2], 5, |[a, _]| vec![a, a])).unwrap();
        assert!((one - 2.0 / 3.0).abs() < 1e-12, "{one}");
        let reason = score(&grid([4], 5, |[a]| vec![a])).unwrap_err().to_string();
        assert!(reason.contains("there is one only"), "{reason}");
    }
}
