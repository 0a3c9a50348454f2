//! Total correlation of codes under a Gaussian assumption, as computed by Locatello et al.
//! (2019): with S the covariance of the codes and R their correlation,
//!
//! ```text
//! TC = KL( N(0, S) || N(0, diag S) ) = ( Σ ln S_jj - ln det S ) / 2 = -( ln det R ) / 2
//! ```

use ndarray::Array2;

use super::{Better, Metric, Needs, Reading, Score};
use crate::error::{Error, Result};
use crate::info::Info;
use crate::representation::Representation;
use crate::rng::Rng;
use crate::stats::covariance::{covariance_of_codes, eigenvalues};
use crate::watch::Stage;

const PAGE: &str = "\
## What it measures

Whether codes are dependent, as far as second moments can show. It needs no factors.

## How

The codes are taken as jointly Gaussian. The score is the Kullback-Leibler divergence in nats of
this Gaussian from the product of its marginals: half of the sum of log variances minus half of the
log determinant of the covariance.

## Reading it

From 0 to infinity, lower is better. 0: no two codes are correlated. Two codes with correlation 0.9
give 0.83. Rescaling a code changes nothing. The part `total-correlation/off-diagonal` is the sum of
the squared covariances of different codes, which a DIP-VAE penalises; it depends on scale.

## Cautions

- Low is not disentangled: any rotation to principal axes gives 0, and so does noise.
- Nonlinear dependence is not seen: a code and its square may score 0.
- A constant code has no correlation, and a code that is a sum of others makes the score infinite;
  both are refused. Leave the code out to score the others.
- More codes have more pairs that can be correlated: compare models with equally many codes.
- Codes of unequal scale count alike; the noise in a collapsed latent counts as much as a signal.

## Reference

Locatello et al., Challenging Common Assumptions in the Unsupervised Learning of Disentangled
Representations, 2019, arXiv:1811.12359; Watanabe, Information Theoretical Analysis of Multivariate
Correlation, 1960.";

/// Rounding of sums over many rows may leave this much of an eigenvalue that is zero.
const ZERO: f64 = 1e-13;

/// Gaussian total correlation.
#[derive(Clone, Copy, Debug)]
pub struct TotalCorrelation;

impl Metric for TotalCorrelation {
    fn info(&self) -> Info {
        Info {
            name: "total-correlation",
            title: "Total correlation",
            summary: "Gaussian total correlation of the codes, in nats",
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
        let covariance = covariance_of_codes(codes, "total correlation")?;
        let value = total_correlation(&covariance)?;
        let all: f64 = covariance.iter().map(|entry| entry * entry).sum();
        let diagonal: f64 = covariance.diag().iter().map(|entry| entry * entry).sum();
        let parts = vec![("total-correlation/off-diagonal".into(), all - diagonal)];
        Ok(Score { value, parts, matrix: None })
    }
}

fn total_correlation(covariance: &Array2<f64>) -> Result<f64> {
    let variances = covariance.diag();
    if let Some(j) = variances.iter().position(|variance| *variance == 0.0) {
        return Err(Error::Missing(format!(
            "code {j} is the same in every row, so total correlation cannot be computed; leave this \
             column out to score the other codes"
        )));
    }
    let correlation = Array2::from_shape_fn(covariance.dim(), |(i, j)| {
        covariance[[i, j]] / (variances[i] * variances[j]).sqrt()
    });
    let eigenvalues = eigenvalues(&correlation)?;
    if eigenvalues[0] < ZERO {
        return Err(Error::Missing(
            "a code is a copy or a sum of others, or there are fewer rows than codes, so total \
             correlation is infinite; leave such a code out, or score more rows"
                .into(),
        ));
    }
    // Rounding may leave uncorrelated codes a hair below zero.
    Ok((-0.5 * eigenvalues.iter().map(|value| value.ln()).sum::<f64>()).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn two_codes_in_closed_form_whatever_their_scale() {
        // -ln(1 - 0.81) / 2.
        for scale in [1.0, 1e-6] {
            let s = array![[1.0, 0.9 * scale], [0.9 * scale, scale * scale]];
            assert!((total_correlation(&s).unwrap() - 0.830_365_603).abs() < 1e-8);
        }
    }

    #[test]
    fn dead_and_dependent_codes_are_refused() {
        let refused = |s: Array2<f64>| total_correlation(&s).unwrap_err().to_string();
        assert!(refused(array![[1.0, 0.0], [0.0, 0.0]]).starts_with("code 1 is the same"));
        assert!(refused(array![[0.3, 0.6], [0.6, 1.2]]).contains("a copy or a sum of others"));
        let few =
            crate::stats::covariance::covariance(array![[1.0, 2.0, 0.0], [2.0, 0.5, 1.0]].view());
        assert!(refused(few).contains("fewer rows than codes"));
    }
}
