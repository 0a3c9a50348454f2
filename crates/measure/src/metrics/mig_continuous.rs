//! Mutual information gap without bins: MIG (Chen et al. 2018, arXiv:1802.04942) with the
//! information of a code about a factor estimated by nearest neighbours (Ross 2014):
//!
//! ```text
//! MIG = mean over k of  ( I(z_j*; v_k) - max over j != j* of I(z_j; v_k) ) / H(v_k),
//! j* = argmax over j of I(z_j; v_k)
//! ```
//!
//! Chen et al. integrate over the posterior q(z_j | x), which needs its variances. A table has
//! codes only, so this is the information of the codes themselves, be they means or samples.

use ndarray::Array2;
use rayon::prelude::*;

use super::{Asks, Better, Metric, Reading, Score};
use crate::error::{Error, Result};
use crate::info::Info;
use crate::representation::Representation;
use crate::rng::Rng;
use crate::stats::matrix_scores::gaps;
use crate::stats::neighbours::Classes;
use crate::stats::order::sorted;
use crate::watch::Stage;

const PAGE: &str = "\
## What it measures

Whether each ground-truth factor has a code of its own, as `mig` does, without discretising codes:
one far outlier, or a code with more levels than bins, makes no difference.

## How

The mutual information of a code with a factor is estimated from nearest neighbours (Ross 2014). For
each row, take the distance of its code to the third nearest row with the same value of the factor;
the fewer rows of other values lie within that distance, the more informative the code is. Rows with
equal codes are all counted. The gap of a factor is the largest information of any code about it,
minus the second largest, divided by that of a code that determines the factor (its entropy). The
score is the mean gap. Continuous factors are discretised into 20 bins of equal width first; codes
never are. Values that only one row has, and constant factors, are left out.

## Reading it

From 0 to 1. 1: each factor has one code that determines it, and no other code is informative. 0:
the two best codes are equally informative, or none is. Only the order and spacing of a code count,
not its scale. The parts `mig-continuous/FACTOR` show which factor is found; the matrix shows by
which code, in nats.

## Cautions

- This is not the MIG of Chen et al. for beta-TCVAE, which is computed on samples of the posterior
  and needs its variances. The two agree if the codes are such samples; codes that are posterior
  means score higher, since the means have no noise.
- Nor is it `mig`: bins lose information, so that a code with fine levels scores higher here.
- A mean has no noise, so tiny effects count as much as large ones: a code that encodes one factor
  and, a thousand times smaller, another is fully informative about both.
- Rows must be drawn without replacement. Copies of a row are neighbours at distance 0 and look like
  certainty, so bootstrap intervals come out too high.
- It requires one code per factor. An angle stored as its sine and cosine scores near 0.
- With few rows per value the estimate is noisy; below zero it is set to zero.
## Reference

Chen, Li, Grosse and Duvenaud, Isolating Sources of Disentanglement in Variational Autoencoders,
2018, arXiv:1802.04942; Ross, Mutual Information between Discrete and Continuous Data Sets, 2014,
doi:10.1371/journal.pone.0087357.";

/// Mutual information gap by nearest neighbours.
#[derive(Clone, Copy, Debug)]
pub struct MigContinuous {
    /// How many neighbours of the same value to look at, at least one. More are smoother; fewer see
    /// finer detail.
    pub neighbours: usize,
}

impl MigContinuous {
    /// Three neighbours, as is usual.
    pub const USUAL: Self = Self { neighbours: 3 };
}

impl Metric for MigContinuous {
    fn info(&self) -> Info {
        Info {
            name: "mig-continuous",
            title: "MIG (continuous)",
            summary: "mutual information gap by nearest neighbours, without bins",
            paper: "Chen et al., Isolating Sources of Disentanglement, NeurIPS 2018",
            page: PAGE,
        }
    }

    fn reading(&self) -> Reading {
        let line = "each factor is told by one code alone";
        Reading { low: 0.0, high: 1.0, better: Better::Higher, line }
    }

    fn asks(&self) -> &'static [Asks] {
        &[Asks::Compact, Asks::Informative]
    }

    fn score(&self, representation: &Representation, _: &mut Rng, watch: &Stage) -> Result<Score> {
        representation.check_rivals()?;
        let codes = &representation.codes;
        let classes = representation.classes();
        let factors: Vec<Classes> = classes.iter().map(|column| Classes::new(column)).collect();
        let share = 1.0 / (codes.ncols() * factors.len()) as f64;
        let row = |j: usize| {
            let numbers = sorted(codes.column(j));
            let entry = |factor: &Classes| {
                watch.advance(share)?;
                Ok(factor.information(&numbers, self.neighbours))
            };
            factors.par_iter().map(entry).collect::<Result<Vec<f64>>>()
        };
        let rows: Vec<Vec<f64>> =
            (0..codes.ncols()).into_par_iter().map(row).collect::<Result<_>>()?;
        let matrix = Array2::from_shape_fn((rows.len(), factors.len()), |(j, k)| rows[j][k]);
        let mut parts = Vec::new();
        for (k, gap) in gaps(matrix.view()).into_iter().enumerate() {
            let entropy = factors[k].entropy();
            if entropy > 0.0 {
                let name = format!("mig-continuous/{}", representation.factors[k].name);
                parts.push((name, gap / entropy));
            }
        }
        if parts.is_empty() {
            return Err(Error::Missing(
                "no factor takes two values with two rows each, so there is nothing to find; score \
                 more rows"
                    .into(),
            ));
        }
        Ok(Score::mean_of(parts, Some(matrix)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::factors::Factor;

    fn score(values: Array2<f32>, codes: Array2<f32>, factor: Factor) -> Result<Score> {
        let table = Representation::new(codes, values, vec![factor]).unwrap();
        MigContinuous::USUAL.score(&table, &mut Rng::new(0), &Stage::unwatched())
    }

    #[test]
    fn an_outlier_and_fine_levels_do_no_harm() {
        // 60 levels, more than bins, and one row a thousand times as far out.
        let values = Array2::from_shape_fn((1800, 1), |(row, _)| (row % 60) as f32);
        let mut rng = Rng::new(0);
        let mut codes =
            Array2::from_shape_fn(
                (1800, 2),
                |(row, j)| {
                    if j == 0 { (row % 60) as f32 } else { rng.normal() }
                },
            );
        codes[[1799, 0]] = 60_000.0;
        let factor = Factor::discrete("a", (0..60).map(|value| value as f32));
        let found = score(values, codes, factor).unwrap();
        assert!(found.value > 0.95, "{found:?}");
        assert_eq!(found.parts[0].0, "mig-continuous/a");
    }

    #[test]
    fn a_continuous_factor_is_cut_into_bins_and_its_own_code_tells_nearly_all() {
        let mut rng = Rng::new(1);
        let values = Array2::from_shape_simple_fn((4000, 1), || rng.uniform() as f32);
        let noise = Array2::from_shape_simple_fn((4000, 1), || rng.normal());
        let codes = ndarray::concatenate![ndarray::Axis(1), values, noise];
        let found = score(values, codes, Factor::continuous("a")).unwrap();
        assert!((0.93..1.0).contains(&found.value), "{found:?}");
        assert!((found.matrix.unwrap()[[0, 0]] - 20f64.ln()).abs() < 0.15);
    }

    #[test]
    fn a_factor_with_no_two_shared_values_is_refused() {
        let values = Array2::from_shape_fn((5, 1), |(row, _)| row as f32);
        let codes = Array2::from_shape_fn((5, 2), |(row, j)| (row + j) as f32);
        let factor = Factor::discrete("a", (0..5).map(|value| value as f32));
        assert!(matches!(score(values, codes, factor), Err(Error::Missing(_))));
    }
}
