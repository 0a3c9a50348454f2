//! Average mutual information of codes, as computed by Locatello et al. (2019): with I
//! the mutual information of two codes, each discretised,
//!
//! ```text
//! score = mean over pairs i != j of  I(z_i; z_j)
//! ```

use super::{Better, Metric, Needs, Reading, Score};
use crate::error::{Error, Result};
use crate::info::Info;
use crate::representation::Representation;
use crate::rng::Rng;
use crate::stats::information::pairwise_information;
use crate::watch::Stage;

const PAGE: &str = "\
## What it measures

Whether pairs of codes are dependent. It needs no factors.

## How

Each code is discretised into 20 bins of equal width. The score is the mean over all pairs of their
mutual information, in nats.

## Reading it

From 0 to ln 20 = 3.0 nats, lower is better. 0: all pairs of codes are independent. The parts
`mutual-info/code-J` are the means over the pairs of one code, counted from 0: a copy of another
code stands out.

## Cautions

- Low is not disentangled: noise scores 0, and so do constant codes.
- Independent codes score above 0 by chance, by about (bins in use - 1)² / (2 rows).
- Three codes may be dependent though any two of them are not; that is not seen.
- Bins have equal width, so one far outlier can push all other values into one bin.
- It assumes that the ground-truth factors are independent in these rows. If they are not, good
  codes are not either.

## Reference

Locatello et al., Challenging Common Assumptions in the Unsupervised Learning of Disentangled
Representations, 2019, arXiv:1811.12359.";

/// Average mutual information of pairs of codes.
#[derive(Clone, Copy, Debug)]
pub struct MutualInfo;

impl Metric for MutualInfo {
    fn info(&self) -> Info {
        Info {
            name: "mutual-info",
            title: "Mutual information",
            summary: "mean mutual information of pairs of codes, in nats",
            paper: "Locatello et al., Challenging Common Assumptions, ICML 2019",
            page: PAGE,
        }
    }

    fn reading(&self) -> Reading {
        let line = "no code tells about another";
        Reading { low: 0.0, high: f64::INFINITY, better: Better::Lower, line }
    }

    fn needs(&self) -> Needs {
        Needs::Codes
    }

    fn score(&self, representation: &Representation, _: &mut Rng, _: &Stage) -> Result<Score> {
        let codes = representation.codes.ncols();
        if codes < 2 {
            return Err(Error::Missing(
                "one code has no other to tell about, so the information of pairs cannot be \
                 computed; score two codes or more"
                    .into(),
            ));
        }
        let mut matrix = pairwise_information(&representation.binned_codes());
        matrix.diag_mut().fill(0.0);
        let part =
            |j: usize| (format!("mutual-info/code-{j}"), matrix.row(j).sum() / (codes - 1) as f64);
        Ok(Score {
            value: matrix.sum() / (codes * (codes - 1)) as f64,
            parts: (0..codes).map(part).collect(),
            matrix: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    fn score(codes: usize, code: impl Fn(usize, usize, usize) -> f32) -> Result<Score> {
        let codes = Array2::from_shape_fn((100, codes), |(row, j)| code(row / 10, row % 10, j));
        let table = Representation::new(codes, Array2::zeros((100, 0)), Vec::new()).unwrap();
        MutualInfo.score(&table, &mut Rng::new(0), &Stage::unwatched())
    }

    #[test]
    fn a_copy_stands_out() {
        // a, b and -2 a: one pair of three tells all of ln 10.
        let found = score(3, |a, b, j| [a as f32, b as f32, -2.0 * a as f32][j]).unwrap();
        assert!((found.value - 10f64.ln() / 3.0).abs() < 1e-12);
        let parts: Vec<f64> = found.parts.iter().map(|(_, part)| *part).collect();
        assert!((parts[0] - 10f64.ln() / 2.0).abs() < 1e-12 && parts[1] < 1e-12, "{parts:?}");
        assert_eq!(found.parts[2].0, "mutual-info/code-2");
    }

    #[test]
    fn one_code_is_refused() {
        assert!(matches!(score(1, |a, _, _| a as f32), Err(Error::Missing(_))));
    }
}
