//! Axis alignment metric (Dubois's disentangling-vae, 2019): with I the mutual information of code
//! j, discretised, and factor k,
//!
//! ```text
//! AAM = mean over k of  max( 0, I(z_j*; v_k) - Σ over j != j* of I(z_j; v_k) ) / I(z_j*; v_k),
//! j* = argmax over j of I(z_j; v_k),  0 where no code is informative about the factor
//! ```
//!
//! The original integrates over the posterior instead of discretising its mean.

use super::{Asks, Better, Metric, Reading, Score};
use crate::error::{Error, Result};
use crate::info::Info;
use crate::representation::Representation;
use crate::rng::Rng;
use crate::stats::information::{entropy, information_matrix};
use crate::stats::matrix_scores::alignments;
use crate::watch::Stage;

const PAGE: &str = "\
## What it measures

Whether the information about a factor is concentrated in one code. Stricter than `mig`, since all
other codes count and not only the second best; milder, since the amount of information does not.

## How

Each code is discretised into 20 bins of equal width, and so is a continuous factor. For each pair
of code and factor the mutual information is computed. The alignment of a factor is the information
of its best code minus that of all other codes together, relative to the best; 0 if the others have
more, or if no code is informative. AAM is the mean over factors. Constant factors are left out.

## Reading it

From 0 to 1. 1: all information about a factor, little as it may be, is in one code. 0: the other
codes together are as informative as the best. The parts `aam/FACTOR` show which factors are
aligned; the matrix shows with which code.

## Cautions

- A weakly informative code without rivals scores 1. Read it beside `mig` or an accuracy.
- Information is overestimated by about (bins - 1)(values - 1) / (2 rows) for every code, and these
  sums grow with the number of codes: score many rows, and compare models with as many codes.
- An angle stored as its sine and cosine scores near 0.
- Values published for disentangling-vae use another estimate of the information (with a known
  mistake), and are not comparable.

## Reference

Dubois, Kastanos, Lines and Melman, Disentangling VAE, 2019, the metric AAM of its code.";

/// Axis alignment metric.
#[derive(Clone, Copy, Debug)]
pub struct Aam;

impl Metric for Aam {
    fn info(&self) -> Info {
        Info {
            name: "aam",
            title: "AAM",
            summary: "axis alignment: is the information about each factor in one code?",
            paper: "Dubois et al., Disentangling VAE, 2019",
            page: PAGE,
        }
    }

    fn reading(&self) -> Reading {
        let line = "what is known of each factor is in one code";
        Reading { low: 0.0, high: 1.0, better: Better::Higher, line }
    }

    fn asks(&self) -> &'static [Asks] {
        &[Asks::Compact, Asks::Informative]
    }

    fn score(&self, representation: &Representation, _: &mut Rng, _: &Stage) -> Result<Score> {
        let factors = representation.classes();
        let matrix = information_matrix(&representation.binned_codes(), &factors);
        let alignments = alignments(matrix.view());
        let varying = (0..factors.len()).filter(|&k| entropy(&factors[k]) > 0.0);
        let part = |k: usize| (format!("aam/{}", representation.factors[k].name), alignments[k]);
        let parts: Vec<(String, f64)> = varying.map(part).collect();
        if parts.is_empty() {
            return Err(Error::Missing(
                "no factor changes in these rows, so no code can be aligned with one; score rows \
                 in which some factor takes at least two values"
                    .into(),
            ));
        }
        Ok(Score::mean_of(parts, Some(matrix)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::representation::grid;
    use ndarray::{Array2, array};

    /// All combinations of two factors with two values each, and a third that never changes.
    fn score(codes: Array2<f32>) -> Result<Score> {
        let table = Representation { codes: codes.into(), ..grid([2, 2, 1], 1, |_| vec![0.0]) };
        Aam.score(&table, &mut Rng::new(0), &Stage::unwatched())
    }

    #[test]
    fn a_factor_in_one_code_is_aligned_and_one_in_two_is_not() {
        // Code 0 is a, codes 1 and 2 are b.
        let codes = array![[0.0, 0.0, 5.0], [0.0, 1.0, 3.0], [1.0, 0.0, 5.0], [1.0, 1.0, 3.0]];
        let found = score(codes).unwrap();
        assert_eq!(found.parts, [("aam/a".to_string(), 1.0), ("aam/b".to_string(), 0.0)]);
        assert_eq!(found.value, 0.5);
    }

    #[test]
    fn unlike_the_gap_all_other_codes_count() {
        // Codes 1 to 3 each tell a third of what code 0 tells of a: I(x; a) with x = a but for one
        // row of four is 0.2158 nats.
        let codes = array![
            [0.0, 1.0, 0.0, 0.0],
            [0.0, 0.0, 1.0, 0.0],
            [1.0, 1.0, 1.0, 0.0],
            [1.0, 1.0, 1.0, 1.0]
        ];
        let found = score(codes).unwrap();
        let others = 3.0 * 0.215_761_554_338_837_8;
        assert!((found.parts[0].1 - (1.0 - others / 2f64.ln())).abs() < 1e-9, "{:?}", found.parts);
    }
}
