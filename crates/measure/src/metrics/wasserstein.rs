//! Wasserstein correlation of codes under a Gaussian assumption, as computed by Locatello
//! et al. (2019): with S the covariance of the codes and D its diagonal,
//!
//! ```text
//! W = ( 2-Wasserstein distance of N(0, S) and N(0, D) )² = 2 tr S - 2 tr ( D^½ S D^½ )^½
//! ```
//!
//! Locatello et al. take the root of D S, which has the same eigenvalues.

use ndarray::Array2;

use super::{Better, Metric, Needs, Reading, Score};
use crate::error::Result;
use crate::info::Info;
use crate::representation::Representation;
use crate::rng::Rng;
use crate::stats::covariance::{covariance_of_codes, eigenvalues};
use crate::watch::Stage;

const PAGE: &str = "\
## What it measures

Whether codes are correlated: the optimal transport distance to uncorrelated codes. It needs no
factors.

## How

The codes are taken as jointly Gaussian. The score is the squared 2-Wasserstein distance of this
Gaussian from the product of its marginals: the mean squared distance that a row of codes must move.

## Reading it

From 0 to infinity, lower is better, in the squared unit of the codes. 0: no two codes are
correlated. The part `normalised` is the score divided by the sum of variances, and invariant to one
scale for all codes: two codes of equal variance with correlation 0.9 give 0.31.

## Cautions

- Low is not disentangled: any rotation to principal axes gives 0, and so does noise.
- It depends on the scale of each code: codes with a small variance hardly count, and constant codes
  do not count at all. If all are constant the score is 0, and there is no part `normalised`.
- Nonlinear dependence is not seen.
- Compare `normalised` between models, and models with equally many codes.

## Reference

Locatello et al., Challenging Common Assumptions in the Unsupervised Learning of Disentangled
Representations, 2019, arXiv:1811.12359; Olkin and Pukelsheim, The Distance between Two Random
Vectors with Given Dispersion Matrices, 1982.";

/// Gaussian Wasserstein correlation.
#[derive(Clone, Copy, Debug)]
pub struct Wasserstein;

impl Metric for Wasserstein {
    fn info(&self) -> Info {
        Info {
            name: "wasserstein",
            title: "Wasserstein correlation",
            summary: "Gaussian 2-Wasserstein distance of the codes from uncorrelated ones",
            paper: "Locatello et al., Challenging Common Assumptions, ICML 2019",
            page: PAGE,
        }
    }

    fn reading(&self) -> Reading {
        let line = "no two codes are correlated";
        Reading { low: 0.0, high: f64::INFINITY, better: Better::Lower, line }
    }

    fn needs(&self) -> Needs {
        Needs::Codes
    }

    fn score(&self, representation: &Representation, _: &mut Rng, _: &Stage) -> Result<Score> {
        let codes = representation.codes.view();
        let covariance = covariance_of_codes(codes, "the Wasserstein correlation")?;
        let value = wasserstein(&covariance)?;
        let total = covariance.diag().sum();
        let normalised = (total > 0.0).then(|| ("normalised".to_string(), value / total));
        Ok(Score { value, parts: normalised.into_iter().collect(), matrix: None })
    }
}

fn wasserstein(covariance: &Array2<f64>) -> Result<f64> {
    let variances = covariance.diag();
    // D^½ S D^½, symmetric.
    let product = Array2::from_shape_fn(covariance.dim(), |(i, j)| {
        covariance[[i, j]] * (variances[i] * variances[j]).sqrt()
    });
    // Rounding may leave an eigenvalue that is zero, or the distance, a hair below it.
    let root: f64 = eigenvalues(&product)?.iter().map(|value| value.max(0.0).sqrt()).sum();
    Ok((2.0 * variances.sum() - 2.0 * root).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn two_codes_in_closed_form() {
        // 4 - 2 (√1.9 + √0.1).
        let found = wasserstein(&array![[1.0, 0.9], [0.9, 1.0]]).unwrap();
        assert!((found - (4.0 - 2.0 * (1.9f64.sqrt() + 0.1f64.sqrt()))).abs() < 1e-12);
        // A copy at twice the scale: D^½ S D^½ = [[1, 4], [4, 16]] has the eigenvalues 17 and 0.
        let copy = wasserstein(&array![[1.0, 2.0], [2.0, 4.0]]).unwrap();
        assert!((copy - (10.0 - 2.0 * 17f64.sqrt())).abs() < 1e-7);
    }

    #[test]
    fn dead_codes_do_not_count_and_nothing_is_normalised_by_zero() {
        let score = |codes: Array2<f32>| {
            let values = Array2::zeros((codes.nrows(), 0));
            let table = Representation::new(codes, values, Vec::new()).unwrap();
            Wasserstein.score(&table, &mut Rng::new(0), &Stage::unwatched())
        };
        let codes = array![[1.0, 0.0, 0.1], [0.0, 1.0, 0.1], [0.5, 0.7, 0.1]];
        let alive = score(codes.select(ndarray::Axis(1), &[0, 1])).unwrap();
        let with_dead = score(codes).unwrap();
        assert!((alive.value - with_dead.value).abs() < 1e-12);
        assert_eq!(with_dead.parts[0].0, "normalised");
        let dead = score(array![[0.7, 0.7], [0.7, 0.7]]).unwrap();
        assert!(dead.value == 0.0 && dead.parts.is_empty());
        assert!(score(array![[1.0], [2.0]]).is_err() && score(array![[1.0, 2.0]]).is_err());
    }
}
