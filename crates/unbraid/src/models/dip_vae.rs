//! The DIP-VAE: Kumar et al., Variational Inference of Disentangled Latent Concepts, ICLR 2018,
//! arXiv:1711.00848, in both forms.
//!
//! ```text
//! L = E_q(z|x)[−log p(x|z)] + KL(q(z|x) ‖ N(0, I)) + λ_od Σ_{i≠j} C_ij² + λ_d Σ_i (C_ii − 1)²
//! I:   C = Cov(mean(x))
//! II:  C = Cov(mean(x)) + E diag(variance(x)),   which is Cov(z)
//! ```
//!
//! Covariances are of the batch, divided by B; both C_ij and C_ji count. disent adds the mean of
//! the variances to every entry of C in form II, which is not followed.

use burn::module::Module;
use burn::tensor::{Device, Tensor};
use serde::{Deserialize, Serialize};
use unbraid_measure::data::Supervision;
use unbraid_measure::info::Info;
use unbraid_measure::rng::Rng;

use crate::error::Result;
use crate::model::batch::Batch;
use crate::model::{Abilities, Code, Loss, Model, Settings, Step, Task};
use crate::parts::distributions::correlation::covariance;
use crate::parts::distributions::gaussian::Gaussian;
use crate::parts::nets::autoencoder::{Autoencoder, NetSettings};
use crate::parts::schedule::Schedule;

/// Which covariance is pulled to the identity.
pub trait Form: Clone + std::fmt::Debug + Send + Sync + 'static {
    /// What it is.
    const INFO: Info;
    /// λ_d as a multiple of λ_od, unless it is given.
    const RATIO: f64;
    /// C, `[latents, latents]`.
    fn covariance(q: &Gaussian) -> Tensor<2>;
}

/// Form I: of the posterior means.
#[derive(Clone, Debug)]
pub struct One;

/// Form II: of samples from the posterior.
#[derive(Clone, Debug)]
pub struct Two;

impl Form for One {
    const INFO: Info = Info {
        name: "dip-vae-i",
        title: "DIP-VAE-I",
        summary: "a VAE whose posterior means must be uncorrelated with unit variance",
        paper: "Kumar et al., Variational Inference of Disentangled Latent Concepts, ICLR 2018",
        page: PAGE_OF_ONE,
    };
    const RATIO: f64 = 10.0;

    fn covariance(q: &Gaussian) -> Tensor<2> {
        covariance(q.mean.clone())
    }
}

impl Form for Two {
    const INFO: Info = Info {
        name: "dip-vae-ii",
        title: "DIP-VAE-II",
        summary: "a VAE whose aggregate posterior must be uncorrelated with unit variance",
        paper: "Kumar et al., Variational Inference of Disentangled Latent Concepts, ICLR 2018",
        page: PAGE_OF_TWO,
    };
    const RATIO: f64 = 1.0;

    fn covariance(q: &Gaussian) -> Tensor<2> {
        let latents = q.mean.dims()[1];
        let variances = q.log_variance.clone().exp().mean_dim(0).reshape([latents]);
        let identity = Tensor::<2>::eye(latents, &variances.device());
        covariance(q.mean.clone()) + identity * variances.reshape([1, latents])
    }
}

const PAGE_OF_ONE: &str = "\
## What it is
A VAE that penalises the covariance of its posterior means:

    L = E[-log p(x|z)] + KL(q(z|x) || N(0, I))
        + off_diagonal sum_{i != j} C_ij^2 + diagonal sum_i (C_ii - 1)^2,   C = Cov(mean(x))

## Settings
off_diagonal (10; Locatello et al. 2019 tried 1, 2, 5, 10, 20 and 50), diagonal (0 = ten times
off_diagonal), and those of `vae`: latents, net, width, likelihood, noise. Both weights may follow a
schedule.

## What to expect
Posterior means that are nearly uncorrelated, and no inactive latent: each mean must have variance 1.
Samples from the posterior may still be dependent.";

const PAGE_OF_TWO: &str = "\
## What it is
A VAE that penalises the covariance of samples from its posterior:

    L = E[-log p(x|z)] + KL(q(z|x) || N(0, I))
        + off_diagonal sum_{i != j} C_ij^2 + diagonal sum_i (C_ii - 1)^2,
    C = Cov(mean(x)) + E diag(variance(x)) = Cov(z)

## Settings
off_diagonal (10; Locatello et al. 2019 tried 1, 2, 5, 10, 20 and 50), diagonal (0 = as off_diagonal),
and those of `vae`: latents, net, width, likelihood, noise. Both weights may follow a schedule.

## What to expect
As `dip-vae-i`, but a latent may be inactive: noise of variance 1 satisfies the diagonal penalty too.";

/// The settings of a DIP-VAE.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Config {
    /// λ_od, the weight of the off-diagonal entries.
    pub off_diagonal: Schedule,
    /// λ_d, the weight of the diagonal; 0 for the multiple of λ_od in Locatello et al. 2019.
    pub diagonal: Schedule,
    /// The networks.
    #[serde(flatten)]
    pub net: NetSettings,
}

impl Default for Config {
    fn default() -> Self {
        let net = NetSettings::default();
        Self { off_diagonal: 10.0.into(), diagonal: 0.0.into(), net }
    }
}

impl Settings for Config {
    fn latents(&self) -> Option<usize> {
        self.net.latents()
    }

    fn resolve(&mut self, task: &Task) -> Result<()> {
        self.off_diagonal.check("model.off_diagonal", 0.0)?;
        self.diagonal.check("model.diagonal", 0.0)?;
        self.net.resolve(task)
    }
}

/// The DIP-VAE.
#[derive(Module, Debug)]
pub struct DipVae<F: Form> {
    net: Autoencoder,
    #[module(skip)]
    off_diagonal: Schedule,
    #[module(skip)]
    diagonal: Schedule,
    #[module(skip)]
    form: std::marker::PhantomData<F>,
}

/// Σ_{i≠j} C_ij² and Σ_i (C_ii − 1)².
fn penalties(c: Tensor<2>) -> (Tensor<1>, Tensor<1>) {
    let identity = Tensor::<2>::eye(c.dims()[0], &c.device());
    let diagonal = c.clone() * identity.clone();
    ((c - diagonal.clone()).square().sum(), (diagonal - identity).square().sum())
}

impl<F: Form> Model for DipVae<F> {
    type Config = Config;
    const INFO: Info = F::INFO;
    const SUPERVISION: Supervision = Supervision::None;

    fn supervision(config: &Config) -> Supervision {
        config.net.supervision()
    }

    fn init(config: &Config, task: &Task, rng: &Rng, device: &Device) -> Self {
        let net = Autoencoder::new(&config.net, task, rng, device);
        let (off_diagonal, diagonal) = (config.off_diagonal, config.diagonal);
        Self { net, off_diagonal, diagonal, form: std::marker::PhantomData }
    }

    fn loss(&self, batch: &Batch, step: &mut Step) -> Loss {
        let evidence = self.net.evidence(batch, step);
        let (beside, on) = penalties(F::covariance(&evidence.posterior));
        let off_diagonal = self.off_diagonal.at(step);
        let diagonal = match self.diagonal.at(step) {
            0.0 => F::RATIO * off_diagonal,
            given => given,
        };
        let penalty = beside.clone() * off_diagonal + on.clone() * diagonal;
        let penalty = evidence.kl.clone() + penalty;
        evidence.loss(penalty).term("off_diagonal", beside).term("diagonal", on)
    }

    fn encode(&self, seen: &Batch) -> Code {
        self.net.posterior(seen.x()).into()
    }

    fn abilities(&self) -> Abilities<'_> {
        self.net.abilities()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::device;
    use crate::model::batch;

    fn of<F: Form>(mean: &[f32], log_variance: &[f32]) -> [f32; 2] {
        let matrix = |values: &[f32]| batch::matrix(values, 4, 2, &device::inference());
        let q = Gaussian { mean: matrix(mean), log_variance: matrix(log_variance) };
        let (beside, on) = penalties(F::covariance(&q));
        [beside.into_scalar(), on.into_scalar()]
    }

    const WHITE: [f32; 8] = [1.0, 1.0, 1.0, -1.0, -1.0, 1.0, -1.0, -1.0];

    #[test]
    fn whitened_means_cost_nothing_in_form_one() {
        assert_eq!(of::<One>(&WHITE, &[0.3; 8]), [0.0, 0.0]);
        // A copy: covariance 1 beside the diagonal, twice.
        let copy = [1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0];
        assert_eq!(of::<One>(&copy, &[0.3; 8]), [2.0, 0.0]);
    }

    #[test]
    fn in_form_two_the_variances_count_and_only_on_the_diagonal() {
        let half = WHITE.map(|mean| mean * 0.5f32.sqrt());
        let [beside, on] = of::<Two>(&half, &[0.5f32.ln(); 8]);
        assert!(beside < 1e-12 && on < 1e-12, "{beside} {on}");
        // Unused codes: noise alone has variance 1.
        assert_eq!(of::<Two>(&[0.0; 8], &[0.0; 8]), [0.0, 0.0]);
        let [beside, on] = of::<Two>(&WHITE, &[0.0; 8]);
        assert!(beside < 1e-12 && (on - 2.0).abs() < 1e-6, "{beside} {on}");
    }
}
