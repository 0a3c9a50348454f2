//! Mutual information gap (Chen et al. 2018, arXiv:1802.04942), as computed by
//! Locatello et al. (2019): with I the mutual information of code j, discretised, and factor k,
//!
//! ```text
//! MIG = mean over k of  ( I(z_j*; v_k) - max over j != j* of I(z_j; v_k) ) / H(v_k),
//! j* = argmax over j of I(z_j; v_k)
//! ```
//!
//! The original paper integrates over the posterior instead of discretising its mean.

use super::{Asks, Better, Metric, Reading, Score};
use crate::error::Result;
use crate::info::Info;
use crate::representation::Representation;
use crate::rng::Rng;
use crate::stats::information::{entropy, information_matrix};
use crate::stats::matrix_scores::gaps;
use crate::watch::Stage;

const PAGE: &str = "\
## What it measures

Whether each ground-truth factor has a code of its own: one code that is informative about the
factor, while no second code is nearly as informative.

## How

Each code is discretised into 20 bins of equal width, and so is a continuous factor. For each pair
of code and factor the mutual information is computed, in nats. The gap of a factor is the largest
information of any code about it, minus the second largest, divided by the factor's entropy. MIG is
the mean gap. Constant factors are refused.

## Reading it

From 0 to 1. 1: every factor is determined by one code alone. 0: for every factor, at least two
codes are equally informative, or none is. The parts `mig/FACTOR` show which factor is found; the
matrix shows by which code.

## Cautions

- It requires one code per factor. An angle stored as its sine and cosine scores near 0.
- It does not require one factor per code: a code that encodes two factors is not penalised.
- Bins have equal width, so one far outlier can push all other values into one bin.
- A factor with more than 20 values cannot reach 1: 20 bins carry at most ln 20 nats.
- With few rows the information is overestimated, by about (bins - 1)(values - 1) / (2 rows).
- It assumes independent factors; if factors are dependent in the data, they share information.

## Reference

Chen, Li, Grosse and Duvenaud, Isolating Sources of Disentanglement in Variational Autoencoders,
2018, arXiv:1802.04942; settings of Locatello et al. 2019, arXiv:1811.12359.";

/// Mutual information gap.
#[derive(Clone, Copy, Debug)]
pub struct Mig;

impl Metric for Mig {
    fn info(&self) -> Info {
        Info {
            name: "mig",
            title: "MIG",
            summary: "mutual information gap: does each factor have one code of its own?",
            paper: "Chen et al., Isolating Sources of Disentanglement, NeurIPS 2018",
            page: PAGE,
        }
    }

    fn reading(&self) -> Reading {
        let line = "each factor is told by one code alone";
        Reading { low: 0.0, high: 1.0, better: Better::Higher, line }
    }

    fn is_quick(&self) -> bool {
        true
    }

    fn asks(&self) -> &'static [Asks] {
        &[Asks::Compact, Asks::Informative]
    }

    fn score(&self, representation: &Representation, _: &mut Rng, _: &Stage) -> Result<Score> {
        representation.check_rivals()?;
        representation.check_change("mig")?;
        let factors = representation.classes();
        let matrix = information_matrix(&representation.binned_codes(), &factors);
        let part = |(k, gap): (usize, f64)| {
            (format!("mig/{}", representation.factors[k].name), gap / entropy(&factors[k]))
        };
        let parts: Vec<_> = gaps(matrix.view()).into_iter().enumerate().map(part).collect();
        Ok(Score::mean_of(parts, Some(matrix)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::representation::grid;
    use ndarray::{Array2, array};

    /// All combinations of two factors with two values each.
    fn score(codes: Array2<f32>) -> Score {
        let table = Representation { codes: codes.into(), ..grid([2, 2], 1, |_| vec![0.0]) };
        Mig.score(&table, &mut Rng::new(0), &Stage::unwatched()).unwrap()
    }

    #[test]
    fn parts_and_matrix_say_which_code_tells_which_factor() {
        // Code 0 is b; nothing tells a.
        let score = score(array![[3.0, 7.0], [5.0, 7.0], [3.0, 7.0], [5.0, 7.0]]);
        let (a, b) = (&score.parts[0], &score.parts[1]);
        assert_eq!((a.0.as_str(), b.0.as_str()), ("mig/a", "mig/b"));
        assert!(a.1.abs() < 1e-12 && (b.1 - 1.0).abs() < 1e-12, "{:?}", score.parts);
        assert!((score.value - 0.5).abs() < 1e-12);
        let matrix = score.matrix.unwrap();
        assert!((matrix[[0, 1]] - 2f64.ln()).abs() < 1e-12);
        assert_eq!(matrix[[1, 0]], 0.0);
    }

    #[test]
    fn one_code_has_no_gap() {
        let lone = grid([2], 1, |[a]| vec![a]);
        let error = Mig.score(&lone, &mut Rng::new(0), &Stage::unwatched()).unwrap_err();
        assert!(error.to_string().starts_with("one code has no rival"), "{error}");
    }

    #[test]
    fn a_factor_that_never_changes_has_no_entropy_to_divide_by() {
        let both = grid([2, 1], 1, |[a, _]| vec![a, 0.3]);
        let error = Mig.score(&both, &mut Rng::new(0), &Stage::unwatched()).unwrap_err();
        assert!(matches!(error, Error::Missing(_)));
    }
}
