//! Unified scores: one matrix, every way to aggregate it (disentanglement_lib's `unified_scores`).
//! With I the mutual information of code j, discretised, and factor k, the value is the
//! disentanglement of DCI (Eastwood and Williams 2018) with I in place of importance:
//!
//! ```text
//! D = Σ_j w_j ( 1 - H_K(shares of row j of I) ),   w_j = share of row j in the sum of I
//! ```

use ndarray::Axis;

use super::{Asks, Better, Metric, Reading, Score};
use crate::error::{Error, Result};
use crate::info::Info;
use crate::representation::Representation;
use crate::rng::Rng;
use crate::stats::information::{entropy, information_matrix};
use crate::stats::matrix_scores::{completeness, disentanglement, gaps, modularities};
use crate::stats::mean;
use crate::watch::Stage;

const PAGE: &str = "\
## What it measures

What `dci`, `mig`, `sap` and `modularity` would give for the same code-factor matrix. Their values
differ for two reasons: the matrix (mutual information, importance in a predictor, accuracy) and its
aggregation. Here only the second differs.

## How

Each code is discretised into 20 bins of equal width, and so is a continuous factor. The mutual
information of each code with each factor makes a matrix, which is aggregated in five ways:
`disentanglement` (the value: 1 minus the entropy of each row's shares, rows weighted by their
sums), `completeness` (the same of columns), `mig` (mean gap of the two largest in a column, divided
by the factor's entropy), `gap` (the same in nats, as in `sap`) and `modularity` (by squares, rows
weighted equally). Constant factors are left out.

## Reading it

From 0 to 1, but for `gap`, which is in nats. `disentanglement` of 1: each code is informative about
one factor only; `completeness` of 1: each factor is encoded by one code only. Where two parts
disagree, the aggregation makes the difference; where `disentanglement` here and that of `dci`
disagree, the matrix does: `dci` may find combinations of codes.

## Cautions

- Information is overestimated by about (bins - 1)(values - 1) / (2 rows), which fills a sparse
  matrix and lowers every part: score many rows.
- Inactive codes have no weight in `disentanglement` and lower `modularity`.
- Shares depend on the number of factors, and those of `completeness` on the number of codes:
  compare models with equally many codes.

## Reference

Locatello et al., A Sober Look at the Unsupervised Learning of Disentangled Representations and
their Evaluation, 2020, arXiv:2010.14766; Eastwood and Williams, A Framework for the Quantitative
Evaluation of Disentangled Representations, 2018.";

/// One matrix of mutual information, aggregated in every way.
#[derive(Clone, Copy, Debug)]
pub struct Unified;

impl Metric for Unified {
    fn info(&self) -> Info {
        Info {
            name: "unified",
            title: "Unified scores",
            summary: "DCI, MIG, SAP and modularity of one matrix, the mutual information",
            paper: "Locatello et al., A Sober Look at Unsupervised Learning, JMLR 2020",
            page: PAGE,
        }
    }

    fn reading(&self) -> Reading {
        let line = "each code tells about one factor only";
        Reading { low: 0.0, high: 1.0, better: Better::Higher, line }
    }

    fn asks(&self) -> &'static [Asks] {
        &[Asks::Modular]
    }

    fn score(&self, representation: &Representation, _: &mut Rng, _: &Stage) -> Result<Score> {
        let factors = representation.classes();
        let matrix = information_matrix(&representation.binned_codes(), &factors);
        let entropies: Vec<f64> = factors.iter().map(|factor| entropy(factor)).collect();
        let varying: Vec<usize> = (0..factors.len()).filter(|&k| entropies[k] > 0.0).collect();
        if varying.len() < 2 || matrix.nrows() < 2 {
            return Err(Error::Missing(
                "unified scores cannot be computed, because they compare codes and factors with \
                 each other; score two codes and two factors that change, or more"
                    .into(),
            ));
        }
        let of_varying = matrix.select(Axis(1), &varying);
        let gaps = gaps(of_varying.view());
        let shares = gaps.iter().zip(&varying).map(|(gap, &k)| gap / entropies[k]);
        let value = disentanglement(of_varying.view());
        let parts = [
            ("disentanglement", value),
            ("completeness", completeness(of_varying.view())),
            ("mig", mean(shares)),
            ("gap", mean(gaps)),
            ("modularity", mean(modularities(of_varying.view()))),
        ];
        let parts = parts.map(|(name, part)| (name.to_string(), part)).to_vec();
        Ok(Score { value, parts, matrix: Some(matrix) })
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
        Unified.score(&table, &mut Rng::new(0), &Stage::unwatched())
    }

    #[test]
    fn every_way_of_one_matrix() {
        // Code 0 is a and b at once, code 1 is b: the matrix is ln 2 times [[1, 1], [0, 1]].
        let found = score(array![[0.0, 0.0], [1.0, 1.0], [2.0, 0.0], [3.0, 1.0]]).unwrap();
        // Disentanglement 0 and 1 with weights 2/3 and 1/3; completeness 1 and 0 with 1/3 and 2/3.
        let expected = [1.0 / 3.0, 1.0 / 3.0, 0.5, 0.5 * 2f64.ln(), 0.5];
        for ((name, part), expected) in found.parts.iter().zip(expected) {
            assert!((part - expected).abs() < 1e-8, "{name}: {part}, not {expected}");
        }
        assert_eq!(found.value, found.parts[0].1);
        assert_eq!(found.matrix.unwrap().dim(), (2, 3));
    }

    #[test]
    fn one_code_is_refused() {
        assert!(matches!(score(array![[0.0], [1.0], [2.0], [3.0]]), Err(Error::Missing(_))));
    }
}
