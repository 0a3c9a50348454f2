//! The Gaussian posterior q(z|x) = N(mean, exp(log_variance)) with a diagonal covariance.

use burn::tensor::Tensor;

use crate::model::{Code, Step};

/// One Gaussian per row.
#[derive(Clone, Debug)]
pub struct Gaussian {
    /// `[batch, latents]`
    pub mean: Tensor<2>,
    /// `[batch, latents]`
    pub log_variance: Tensor<2>,
}

impl Gaussian {
    /// z = mean + exp(log_variance / 2) ε, ε ~ N(0, I): one reparameterised sample per row.
    pub fn sample(&self, step: &mut Step) -> Tensor<2> {
        let noise = step.noise(self.mean.dims(), &self.mean.device());
        self.mean.clone() + (self.log_variance.clone() * 0.5).exp() * noise
    }

    /// KL(q(z|x) ‖ N(0, I)) = ½ Σ_l (mean² + variance − log variance − 1), averaged over the batch.
    pub fn kl(&self) -> Tensor<1> {
        self.kl_per_latent().sum()
    }

    /// The terms of [`kl`](Self::kl) per latent, `[latents]`.
    pub fn kl_per_latent(&self) -> Tensor<1> {
        let [rows, latents] = self.mean.dims();
        let variance = self.log_variance.clone().exp();
        let terms = self.mean.clone().square() + variance - self.log_variance.clone() - 1.0;
        terms.sum_dim(0).reshape([latents]) * (0.5 / rows as f64)
    }

    /// N(0, 1) in the shape of this tensor.
    pub fn standard_like(numbers: &Tensor<2>) -> Self {
        Self { mean: numbers.zeros_like(), log_variance: numbers.zeros_like() }
    }

    /// log N(z; mean, variance) of each row and latent.
    pub fn log_density(&self, z: &Tensor<2>) -> Tensor<2> {
        let apart = (z.clone() - self.mean.clone()).square();
        let apart = apart * (self.log_variance.clone() * -1.0).exp();
        (apart + self.log_variance.clone() + std::f64::consts::TAU.ln()) * -0.5
    }

    /// The normalised product of two Gaussians: precisions add up, and weight the means.
    pub fn merged(&self, other: &Self) -> Self {
        let precision = |q: &Self| (q.log_variance.clone() * -1.0).exp();
        let (one, two) = (precision(self), precision(other));
        let both = one.clone() + two.clone();
        let mean = (self.mean.clone() * one + other.mean.clone() * two) / both.clone();
        Self { mean, log_variance: both.log() * -1.0 }
    }

    /// Each row `times` times, consecutively: `[rows · times, latents]`.
    pub fn repeated(self, times: usize) -> Self {
        let Self { mean, log_variance } = self;
        Self { mean: repeated(mean, times), log_variance: repeated(log_variance, times) }
    }

    /// The same without a gradient.
    pub fn detach(self) -> Self {
        Self { mean: self.mean.detach(), log_variance: self.log_variance.detach() }
    }

    /// KL(q ‖ p) of each row and latent: with r = variance_q / variance_p,
    /// ½ ((mean_q − mean_p)² / variance_p + r − log r − 1).
    pub fn kl_from(&self, p: &Self) -> Tensor<2> {
        let log_ratio = self.log_variance.clone() - p.log_variance.clone();
        let apart = (self.mean.clone() - p.mean.clone()).square();
        let apart = apart * (p.log_variance.clone() * -1.0).exp();
        (apart + log_ratio.clone().exp() - log_ratio - 1.0) * 0.5
    }
}

/// Each row `times` times, consecutively: `[rows, numbers]` to `[rows · times, numbers]`.
pub fn repeated(rows: Tensor<2>, times: usize) -> Tensor<2> {
    let [count, size] = rows.dims();
    rows.reshape([count, 1, size]).repeat_dim(1, times).reshape([count * times, size])
}

impl From<Gaussian> for Code {
    fn from(q: Gaussian) -> Self {
        Self { mean: q.mean, log_variance: Some(q.log_variance), kl: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::device;
    use crate::model::batch;
    use unbraid_measure::rng::Rng;

    #[test]
    fn kl_is_the_formula_and_zero_at_the_prior() {
        let device = device::inference();
        let gaussian = |mean: &[f32], log_variance: &[f32]| Gaussian {
            mean: batch::matrix(mean, 1, 2, &device),
            log_variance: batch::matrix(log_variance, 1, 2, &device),
        };
        assert_eq!(gaussian(&[0.0, 0.0], &[0.0, 0.0]).kl().into_scalar::<f32>(), 0.0);
        // ½ (1 + e − 1 − 1) + ½ (4 + 1 − 0 − 1)
        let kl = gaussian(&[1.0, 2.0], &[1.0, 0.0]).kl().into_scalar::<f32>();
        assert!((kl - (0.5 * (1f32.exp() - 1.0) + 2.0)).abs() < 1e-6, "{kl}");
    }

    #[test]
    fn kl_from_another_gaussian_is_the_formula() {
        let device = device::inference();
        let gaussian = |mean: f32, log_variance: f32| Gaussian {
            mean: batch::matrix(&[mean], 1, 1, &device),
            log_variance: batch::matrix(&[log_variance], 1, 1, &device),
        };
        let kl = |q: Gaussian, p: Gaussian| q.kl_from(&p).into_scalar::<f32>();
        assert!(
            (kl(gaussian(2.0, 0.5), gaussian(0.0, 0.0))
                - gaussian(2.0, 0.5).kl().into_scalar::<f32>())
            .abs()
                < 1e-6
        );
        assert!(kl(gaussian(1.5, -1.0), gaussian(1.5, -1.0)).abs() < 1e-6);
        // log(σ_p/σ_q) + (σ_q² + (1 − 3)²) / (2 σ_p²) − ½ with σ_q² = 1, σ_p² = 4
        let found = kl(gaussian(1.0, 0.0), gaussian(3.0, 4f32.ln()));
        assert!((found - (2f32.ln() + 5.0 / 8.0 - 0.5)).abs() < 1e-6, "{found}");
    }

    #[test]
    fn a_merge_adds_precisions_and_an_unsure_side_says_nothing() {
        let device = device::inference();
        let gaussian = |mean: f32, variance: f32| Gaussian {
            mean: batch::matrix(&[mean], 1, 1, &device),
            log_variance: batch::matrix(&[variance.ln()], 1, 1, &device),
        };
        let merged = |a: &Gaussian, b: &Gaussian| {
            let both = a.merged(b);
            let log_variance = both.log_variance.into_scalar::<f32>();
            (both.mean.into_scalar::<f32>(), log_variance.exp())
        };
        let near = |found: (f32, f32), mean: f32, variance: f32| {
            let off = (found.0 - mean).abs().max((found.1 - variance).abs());
            assert!(off < 1e-5, "{found:?} in place of {mean}, {variance}");
        };
        let (a, b) = (gaussian(1.0, 0.5), gaussian(-2.0, 1e12));
        near(merged(&a, &b), 1.0, 0.5);
        near(merged(&b, &a), 1.0, 0.5);
        near(merged(&gaussian(1.0, 2.0), &gaussian(3.0, 2.0)), 2.0, 1.0);
        near(merged(&gaussian(0.0, 1.0), &gaussian(4.0, 1.0 / 3.0)), 3.0, 0.25);
    }

    #[test]
    fn log_density_is_the_formula() {
        let device = device::inference();
        let q = Gaussian {
            mean: batch::matrix(&[1.0], 1, 1, &device),
            log_variance: batch::matrix(&[4f32.ln()], 1, 1, &device),
        };
        let found = q.log_density(&batch::matrix(&[2.0], 1, 1, &device)).into_scalar::<f32>();
        let exact = -0.5 * (0.25 + 4f32.ln() + std::f32::consts::TAU.ln());
        assert!((found - exact).abs() < 1e-6, "{found} and {exact}");
    }

    #[test]
    fn samples_have_the_mean_and_the_spread_of_the_posterior() {
        let device = device::inference();
        let rows = 20_000;
        let posterior = Gaussian {
            mean: batch::matrix(&vec![3.0; rows], rows, 1, &device),
            log_variance: batch::matrix(&vec![2.0 * 0.5f32.ln(); rows], rows, 1, &device),
        };
        let drawn = batch::numbers(posterior.sample(&mut Step::new(0, 1, &Rng::new(0))));
        let mean = drawn.iter().sum::<f32>() / rows as f32;
        let variance = drawn.iter().map(|z| (z - mean).powi(2)).sum::<f32>() / rows as f32;
        assert!((mean - 3.0).abs() < 0.02, "{mean}");
        assert!((variance.sqrt() - 0.5).abs() < 0.02, "{variance}");
    }
}
