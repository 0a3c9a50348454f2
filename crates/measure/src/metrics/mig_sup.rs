//! MIG-sup (Li, Murkute, Gyawali and Wang 2020, arXiv:2002.10549): the gap of `mig` with codes and
//! factors exchanged. With I the mutual information of code j, discretised, and factor k,
//!
//! ```text
//! MIG-sup = mean over j of ( I_jk* - max over k != k* of I_jk ),   I_jk = I(z_j; v_k) / H(v_k),
//! k* = argmax over k of I_jk
//! ```
//!
//! Codes that are about nothing count as 0, as in the original.

use super::{Asks, Better, Metric, Reading, Score};
use crate::error::{Error, Result};
use crate::info::Info;
use crate::representation::Representation;
use crate::rng::Rng;
use crate::stats::information::{entropy, information_matrix};
use crate::stats::matrix_scores::gaps;
use crate::watch::Stage;

const PAGE: &str = "\
## What it measures

Whether each code is informative about one factor only: the counterpart of `mig`, which asks whether
each factor has one code only.

## How

Each code is discretised into 20 bins of equal width, and so is a continuous factor. For each pair
of code and factor the mutual information is computed and divided by the factor's entropy. The gap
of a code is the largest of these, minus the second largest. The score is the mean gap over codes.
Constant factors are refused.

## Reading it

From 0 to 1. 1: every code determines one factor and is about no other. 0: every code is equally
informative about two factors, or about none. The parts `mig-sup/code-J` (counted from 0) are the
gaps; the matrix has the shares of information.

## Cautions

- Codes that never change, or are noise, count as 0: unused codes lower the score, however good the
  others are. Read it beside `modularity` or `infomec`, which do not count what a code tells.
- Several codes may be about one factor: copies cost nothing, unlike in `mig`.
- A factor with more than 20 values cannot reach 1: 20 bins carry at most ln 20 nats.
- With few rows the information is overestimated, by about (bins - 1)(values - 1) / (2 rows).
- It assumes independent factors; if factors are dependent in the data, they share information.

## Reference

Li, Murkute, Gyawali and Wang, Progressive Learning and Disentanglement of Hierarchical
Representations, ICLR 2020, arXiv:2002.10549.";

/// MIG-sup.
#[derive(Clone, Copy, Debug)]
pub struct MigSup;

impl Metric for MigSup {
    fn info(&self) -> Info {
        Info {
            name: "mig-sup",
            title: "MIG-sup",
            summary: "is each code informative about one factor only, and fully so?",
            paper: "Li et al., Progressive Learning and Disentanglement, ICLR 2020",
            page: PAGE,
        }
    }

    fn reading(&self) -> Reading {
        let line = "each code tells one factor and no other";
        Reading { low: 0.0, high: 1.0, better: Better::Higher, line }
    }

    fn asks(&self) -> &'static [Asks] {
        &[Asks::Modular]
    }

    fn score(&self, representation: &Representation, _: &mut Rng, _: &Stage) -> Result<Score> {
        if representation.factors.len() < 2 {
            return Err(Error::Missing(
                "mig-sup cannot be computed, because it compares factors with each other and there \
                 is one only; score two or more"
                    .into(),
            ));
        }
        representation.check_change("mig-sup")?;
        let factors = representation.classes();
        let mut matrix = information_matrix(&representation.binned_codes(), &factors);
        for (mut column, factor) in matrix.columns_mut().into_iter().zip(&factors) {
            let entropy = entropy(factor);
            column.mapv_inplace(|information| information / entropy);
        }
        let part = |(j, gap): (usize, f64)| (format!("mig-sup/code-{j}"), gap);
        let parts = gaps(matrix.t()).into_iter().enumerate().map(part).collect();
        Ok(Score::mean_of(parts, Some(matrix)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::representation::grid;

    fn score(table: &Representation) -> Result<Score> {
        MigSup.score(table, &mut Rng::new(0), &Stage::unwatched())
    }

    #[test]
    fn copies_cost_nothing_and_a_dead_code_counts() {
        let found = score(&grid([4, 3], 3, |[a, b]| vec![a, -a, b, 0.5])).unwrap();
        assert!((found.value - 0.75).abs() < 1e-12, "{found:?}");
        assert_eq!(found.part("mig-sup/code-3"), Some(0.0));
    }

    #[test]
    fn information_is_a_share_of_each_factor() {
        // The code tells all of b, and all of a: 1 - 1, though a has more nats.
        let found = score(&grid([4, 2], 3, |[a, b]| vec![a + 4.0 * b])).unwrap();
        assert!(found.value.abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn one_factor_is_refused() {
        let reason = score(&grid([5], 1, |[a]| vec![a])).unwrap_err().to_string();
        assert!(reason.contains("there is one only"), "{reason}");
    }
}
