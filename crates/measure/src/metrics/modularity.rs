//! Modularity (Ridgeway and Mozer 2018, arXiv:1802.05312), as computed by Locatello et
//! al. (2019): with I the mutual information of code j, discretised, and factor k,
//!
//! ```text
//! modularity = mean over all j of  1 - Σ over k != k* of I(z_j; v_k)² / ( I(z_j; v_k*)² (K - 1) ),
//! k* = argmax over k of I(z_j; v_k),  0 for a code without information
//! ```
//!
//! The original paper averages over informative codes; Locatello et al. average over all.

use super::{Asks, Better, Metric, Reading, Score};
use crate::error::{Error, Result};
use crate::info::Info;
use crate::representation::Representation;
use crate::rng::Rng;
use crate::stats::information::information_matrix;
use crate::stats::matrix_scores::modularities;
use crate::watch::Stage;

const PAGE: &str = "\
## What it measures

Whether each code is informative about one factor only. The converse of `mig`: several codes may
encode a factor, but no code may mix factors.

## How

Each code is discretised into 20 bins of equal width, and so is a continuous factor. The mutual
information of each code with each factor is computed. For each code, the squared information about
every factor but its best is compared with that about its best: modularity is 1 if there is none,
and 0 if the code is equally informative about all factors. A code without any information counts 0.
The score is the mean over all codes. A constant factor is one more that no code encodes.

## Reading it

From 0 to 1. 1: each code belongs to one factor. The parts `modularity/code-J` are those of the
codes, counted from 0; the matrix shows which factors a code encodes.

## Cautions

- Constant codes count as 0: 2 good codes and 8 inactive ones score 0.2.
- Noise codes have a little information about every factor by chance, and count by that.
- A factor that no code encodes costs nothing, nor does a factor that many codes encode.
- Squares make small mixtures look harmless: half the information about a second of five factors
  costs 0.06.
- Bins have equal width, so one far outlier can push all other values into one bin.
- One factor alone gives no score: there is nothing to mix it with.

## Reference

Ridgeway and Mozer, Learning Deep Disentangled Embeddings with the F-Statistic Loss, 2018,
arXiv:1802.05312; settings of Locatello et al. 2019, arXiv:1811.12359.";

/// Modularity.
#[derive(Clone, Copy, Debug)]
pub struct Modularity;

impl Metric for Modularity {
    fn info(&self) -> Info {
        Info {
            name: "modularity",
            title: "Modularity",
            summary: "is each code informative about one factor only?",
            paper: "Ridgeway and Mozer, Learning Deep Disentangled Embeddings, NeurIPS 2018",
            page: PAGE,
        }
    }

    fn reading(&self) -> Reading {
        let line = "each code tells about one factor only";
        Reading { low: 0.0, high: 1.0, better: Better::Higher, line }
    }

    fn is_quick(&self) -> bool {
        true
    }

    fn asks(&self) -> &'static [Asks] {
        &[Asks::Modular]
    }

    fn score(&self, representation: &Representation, _: &mut Rng, _: &Stage) -> Result<Score> {
        if representation.factors.len() < 2 {
            return Err(Error::Missing(
                "one factor cannot be mixed with another, so modularity cannot be computed; score \
                 a table with two factors or more"
                    .into(),
            ));
        }
        let matrix = information_matrix(&representation.binned_codes(), &representation.classes());
        let each = modularities(matrix.view()).into_iter().enumerate();
        let parts = each.map(|(j, modularity)| (format!("modularity/code-{j}"), modularity));
        Ok(Score::mean_of(parts.collect(), Some(matrix)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::representation::grid;

    fn score(table: &Representation) -> Result<Score> {
        Modularity.score(table, &mut Rng::new(0), &Stage::unwatched())
    }

    #[test]
    fn pure_codes_are_modular_mixed_ones_are_not_and_dead_ones_count_as_zero() {
        // Pure, both factors in full, dead: 1, 0 and 0.
        let found = score(&grid([5, 5], 1, |[a, b]| vec![a, 5.0 * a + b, 0.3])).unwrap();
        let parts: Vec<f64> = found.parts.iter().map(|(_, part)| *part).collect();
        // 25 equal steps in 20 bins tell nearly, but not exactly, as much of b as of a.
        assert!(parts[0] == 1.0 && parts[1] < 0.4 && parts[2] == 0.0, "{parts:?}");
        assert!((found.value - (1.0 + parts[1]) / 3.0).abs() < 1e-12);
        assert_eq!(found.parts[1].0, "modularity/code-1");
        assert_eq!(found.matrix.unwrap().dim(), (3, 2));
    }

    #[test]
    fn one_factor_is_refused() {
        let error = score(&grid([5], 1, |[a]| vec![a])).unwrap_err();
        assert!(matches!(error, Error::Missing(_)));
    }
}
