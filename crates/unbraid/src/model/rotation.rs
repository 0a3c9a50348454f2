//! The impossibility result of Locatello et al. 2019 (arXiv:1811.12359, theorem 1), demonstrated:
//! rotate the latents of a trained model by an orthogonal matrix that leaves the prior unchanged.
//!
//! ```text
//! A = I − 2 v vᵀ,  |v| = 1:   orthogonal, symmetric, its own inverse, and every entry but zero
//! encode: A z      decode: the old decoder of A z'
//! ```
//!
//! Since A z ~ N(0, I) where z is, the rotated model has the same prior, the same reconstructions
//! and the same ELBO: no unsupervised objective can prefer one of them. Yet each of its latents is
//! a mixture of all. The posterior of the rotated model is a Gaussian with the covariance A
//! diag(σ²) A; [`Turned`] gives the square roots of its diagonal.
//!
//! v has most of its weight on the active latents. With equal weights on n of them A has 1 − 2/n on
//! its diagonal and −2/n beside it: four latents are mixed evenly. Two are rotated by 45 degrees.

use ndarray::{Array1, Array2, ArrayView2, Zip};
use unbraid_measure::data::Draw;
use unbraid_measure::rng::Rng;

use crate::error::{Error, Result};
use crate::model::Step;
use crate::model::batch::Seen;
use crate::model::learner::{ACTIVE, Learner, Posterior, Terms};
use crate::model::optimizer::Rule;
use crate::model::weights::Weights;

/// The share of |v|² on inactive latents: no entry of A is zero.
const UNUSED_SHARE: f64 = 0.02;

/// v for latents with these KL divergences, in nats.
pub fn direction(kl: &[f32]) -> Vec<f64> {
    let used = kl.iter().filter(|kl| **kl > ACTIVE).count();
    let unused = kl.len() - used;
    let rest = if unused == 0 || used == 0 { 0.0 } else { UNUSED_SHARE };
    let mut place = 0;
    let weight = |&kl: &f32| {
        if kl <= ACTIVE {
            return if used == 0 { 1.0 / unused as f64 } else { rest / unused as f64 };
        }
        place += 1;
        (1.0 - rest)
            * match (used, place) {
                // Equal weights on two latents would only swap them: cos² and sin² of π/8 instead.
                (2, 1) => 0.5 + 0.125f64.sqrt(),
                (2, _) => 0.5 - 0.125f64.sqrt(),
                (used, _) => 1.0 / used as f64,
            }
    };
    kl.iter().map(weight).map(f64::sqrt).collect()
}

/// A = I − 2 v vᵀ
pub fn matrix(direction: &[f64]) -> Array2<f64> {
    let v = Array1::from(direction.to_vec());
    Array2::from_shape_fn((v.len(), v.len()), |(i, j)| {
        f64::from(u8::from(i == j)) - 2.0 * v[i] * v[j]
    })
}

/// Refuse a direction that is no rotation, or that fits other latents: it could not be undone before
/// decoding.
pub fn check(direction: &[f64], latents: Option<usize>) -> Result<()> {
    let refused = |reason: String| Err(Error::setting("rotation", reason));
    let numbers = direction.len();
    if let Some(latents) = latents.filter(|latents| *latents != numbers) {
        return refused(format!("has {numbers} numbers, but the model {latents} latents"));
    }
    let length = direction.iter().map(|number| number * number).sum::<f64>().sqrt();
    if (length - 1.0).abs() > 1e-6 {
        return refused(format!("must have length 1, not {length}; `unbraid rotate` makes it"));
    }
    Ok(())
}

/// A learner with rotated latents.
pub struct Turned {
    inner: Box<dyn Learner>,
    matrix: Array2<f64>,
}

impl Turned {
    /// Rotate the latents of a learner, of which there are so many.
    pub fn new(inner: Box<dyn Learner>, direction: &[f64], latents: usize) -> Result<Self> {
        check(direction, Some(latents))?;
        Ok(Self { inner, matrix: matrix(direction) })
    }

    /// Rotate rows of latents. A is its own inverse.
    fn turn(&self, codes: ArrayView2<f32>) -> Array2<f32> {
        codes.mapv(f64::from).dot(&self.matrix).mapv(|code| code as f32)
    }
}

impl Learner for Turned {
    fn optimize_by(&mut self, rule: Rule) {
        self.inner.optimize_by(rule);
    }

    fn step(&mut self, draw: &Draw, step: Step, rate: f64) -> Terms {
        self.inner.step(draw, step, rate)
    }

    fn posterior(&self, seen: &Seen) -> Posterior {
        let Posterior { mean, deviation, .. } = self.inner.posterior(seen);
        // (A diag(σ²) A)_ii = Σ_j A_ij² σ_j²
        let squares = self.matrix.mapv(|entry| entry * entry);
        let turned = |deviation: Array2<f32>| {
            let variance = deviation.mapv(|d| f64::from(d) * f64::from(d)).dot(&squares);
            variance.mapv(|variance| variance.sqrt() as f32)
        };
        Posterior { mean: self.turn(mean.view()), deviation: deviation.map(turned), kl: None }
    }

    fn decode(&self, codes: ArrayView2<f32>) -> Option<Array2<f32>> {
        self.inner.decode(self.turn(codes).view())
    }

    /// A rotation changes neither p(x, z) nor q(z|x).
    fn log_weights(
        &self,
        seen: &Seen,
        draws: usize,
        number: u64,
        rng: &Rng,
    ) -> Option<Array2<f32>> {
        self.inner.log_weights(seen, draws, number, rng)
    }

    fn is_bernoulli(&self) -> bool {
        self.inner.is_bernoulli()
    }

    fn noise(&self) -> Option<f64> {
        self.inner.noise()
    }

    fn sees_labels(&self) -> bool {
        self.inner.sees_labels()
    }

    fn weights(&self) -> Weights {
        self.inner.weights()
    }

    fn set_weights(&mut self, weights: Weights) -> Result<()> {
        self.inner.set_weights(weights)
    }

    fn optimizer_state(&self) -> Vec<u8> {
        self.inner.optimizer_state()
    }

    fn set_optimizer_state(&mut self, state: &[u8]) -> Result<()> {
        self.inner.set_optimizer_state(state)
    }
}

/// The negative ELBO per row, of a model and of the same model with rotated latents, from the same
/// samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// −log p(x|z)
    pub reconstruction: f64,
    /// log q(z|x) − log p(z)
    pub kl: f64,
}

/// The negative ELBO of one sample per row before and after rotation: the decoder sees A A z, the prior
/// A z, and the density of a posterior is invariant. The likelihood is Bernoulli, or Gaussian with this
/// noise.
pub fn bounds(
    learner: &dyn Learner,
    direction: &[f64],
    seen: &Seen,
    noise: Option<f64>,
    rng: &mut Rng,
) -> Option<[Bound; 2]> {
    let posterior = learner.posterior(seen);
    let z = posterior.draw(rng)?;
    let (rows, observed) = (z.nrows() as f64, seen.observations.view());
    let deviation = posterior.deviation.as_ref()?;
    let given = Zip::from(&z).and(&posterior.mean).and(deviation).fold(0.0, |sum, z, mean, sd| {
        sum + log_normal(f64::from((z - mean) / sd)) - f64::from(sd.ln())
    });
    let a = matrix(direction);
    let turned = z.mapv(f64::from).dot(&a);
    let back = turned.dot(&a).mapv(|code| code as f32);
    let plain = z.mapv(f64::from);
    let bound = |seen: &Array2<f32>, code: &Array2<f64>| {
        let decoded = learner.decode(seen.view())?;
        let error = match noise {
            None => bernoulli(observed, decoded.view()),
            Some(noise) => gaussian(observed, decoded.view(), noise),
        };
        let prior: f64 = code.iter().map(|code| log_normal(*code)).sum();
        Some(Bound { reconstruction: error / rows, kl: (given - prior) / rows })
    };
    Some([bound(&z, &plain)?, bound(&back, &turned)?])
}

/// log N(x; 0, 1)
fn log_normal(x: f64) -> f64 {
    -0.5 * (x * x + std::f64::consts::TAU.ln())
}

fn bernoulli(x: ArrayView2<f32>, p: ArrayView2<f32>) -> f64 {
    Zip::from(x).and(p).fold(0.0, |sum, x, p| {
        let (x, p) = (f64::from(*x), f64::from(*p).clamp(1e-7, 1.0 - 1e-7));
        sum - x * p.ln() - (1.0 - x) * (1.0 - p).ln()
    })
}

fn gaussian(x: ArrayView2<f32>, mean: ArrayView2<f32>, noise: f64) -> f64 {
    Zip::from(x)
        .and(mean)
        .fold(0.0, |sum, x, mean| sum - log_normal(f64::from(x - mean) / noise) + noise.ln())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_identity(a: &Array2<f64>) -> bool {
        a.indexed_iter().all(|((i, j), x)| (x - f64::from(u8::from(i == j))).abs() < 1e-12)
    }

    #[test]
    fn the_matrix_is_its_own_inverse_and_has_no_zero() {
        for kl in [
            vec![2.0, 1.0, 0.0],
            vec![1.0; 4],
            vec![3.0, 2.0, 1.0, 1.0, 0.5, 0.0, 0.0],
            vec![0.0; 3],
        ] {
            let a = matrix(&direction(&kl));
            assert!(is_identity(&a.dot(&a)), "{kl:?}");
            assert!(a.iter().all(|entry| entry.abs() > 1e-3), "{kl:?}: {a}");
        }
    }

    #[test]
    fn two_codes_are_turned_by_45_degrees_and_four_are_mixed_evenly() {
        let two = matrix(&direction(&[1.0, 1.0]));
        assert!(two.iter().all(|entry| (entry.abs() - 0.5f64.sqrt()).abs() < 1e-12), "{two}");
        let four = matrix(&direction(&[1.0; 4]));
        assert!(four.iter().all(|entry| (entry.abs() - 0.5).abs() < 1e-12), "{four}");
    }
}
