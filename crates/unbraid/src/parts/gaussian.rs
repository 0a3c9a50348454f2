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
    /// z = mean + exp(log_variance / 2) ε, ε ~ N(0, I): one draw per row, gradients pass through.
    pub fn sample(&self, step: &mut Step) -> Tensor<2> {
        let noise = step.noise(self.mean.dims(), &self.mean.device());
        self.mean.clone() + (self.log_variance.clone() * 0.5).exp() * noise
    }

    /// KL(q(z|x) ‖ N(0, I)) = ½ Σ_l (mean² + variance − log variance − 1), averaged over the batch.
    pub fn kl(&self) -> Tensor<1> {
        self.kl_per_latent().sum()
    }

    /// The summands of [`kl`](Self::kl), `[latents]`.
    pub fn kl_per_latent(&self) -> Tensor<1> {
        let [rows, latents] = self.mean.dims();
        let variance = self.log_variance.clone().exp();
        let terms = self.mean.clone().square() + variance - self.log_variance.clone() - 1.0;
        terms.sum_dim(0).reshape([latents]) * (0.5 / rows as f64)
    }

    /// The same numbers without a gradient.
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

impl From<Gaussian> for Code {
    fn from(q: Gaussian) -> Self {
        Self { mean: q.mean, log_variance: Some(q.log_variance), kl: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{batch, device};
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
