//! SlowVAE: Klindt, Schott, Sharma, Ustyuzhaninov, Brendel, Bethge, Paiton, Towards Nonlinear Disentanglement
//! in Natural Data with Temporal Sparse Coding, ICLR 2021, arXiv:2007.10930.
//!
//! ```text
//! L = Σ_frames E[−log p(x|z)] + β Σ_frames KL(q(z|x) ‖ N(0, I)) + γ Σ_j (CE_1 + CE_2 − mean entropy)
//! CE_1 = λ E_{z ~ q_1} |z − mean_2| − log(λ/2)
//! ```
//!
//! Latents are expected to change by a Laplace distribution from frame to frame: rarely, and then by a lot.
//! The code of CITRIS, which this is compared in, feeds log deviations where log variances are meant, and
//! encodes through a flow that its loss never trains; neither is copied.

use std::f64::consts::{FRAC_2_PI, SQRT_2, TAU};

use burn::module::Module;
use burn::tensor::{Device, Tensor};
use serde::{Deserialize, Serialize};
use unbraid_measure::data::{Dataset, Supervision, Window};
use unbraid_measure::info::Info;
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::Watch;

use crate::error::{Error, Result};
use crate::model::batch::Batch;
use crate::model::{Abilities, Code, Loss, Model, Settings, Step, Task};
use crate::parts::distributions::gaussian::Gaussian;
use crate::parts::nets::simple::{Limit, Simple, SimpleSettings};
use crate::parts::schedule::Schedule;
use crate::parts::time::RECIPE;

/// The settings of a SlowVAE.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Config {
    /// The weight of the KL divergence of single frames; may follow a schedule.
    pub beta: Schedule,
    /// The weight of the temporal prior; the SlowVAE paper has 10, CITRIS compares with 1.
    pub gamma: Schedule,
    /// λ, the rate of the Laplace distribution.
    pub laplace_rate: f64,
    /// The networks.
    #[serde(flatten)]
    pub net: SimpleSettings,
}

impl Default for Config {
    fn default() -> Self {
        let net = SimpleSettings::default();
        Self { beta: 1.0.into(), gamma: 1.0.into(), laplace_rate: 1.0, net }
    }
}

impl Settings for Config {
    fn latents(&self) -> Option<usize> {
        self.net.latents()
    }

    fn resolve(&mut self, task: &Task) -> Result<()> {
        self.beta.check("model.beta", 0.0)?;
        self.gamma.check("model.gamma", 0.0)?;
        if !(self.laplace_rate.is_finite() && self.laplace_rate > 0.0) {
            return Err(Error::setting("model.laplace_rate", "must be a positive number"));
        }
        self.net.resolve(task)
    }
}

/// The SlowVAE.
#[derive(Module, Debug)]
pub struct SlowVae {
    net: Simple,
    #[module(skip)]
    beta: Schedule,
    #[module(skip)]
    gamma: Schedule,
    #[module(skip)]
    rate: f64,
}

impl Model for SlowVae {
    type Config = Config;
    const INFO: Info = Info {
        name: "slow-vae",
        title: "SlowVAE",
        summary: "a VAE of transitions in which latents change rarely",
        paper: "Klindt et al., Towards Nonlinear Disentanglement in Natural Data with Temporal Sparse \
                Coding, ICLR 2021",
        page: "\
## What it is
A VAE of transitions. Latents are expected to change by a Laplace distribution from one frame to the next:
rarely, and then by much. It needs sequences and nothing beside them.

    L = sum over both frames of E[-log p(x|z)] + beta KL(q(z|x) || N(0, I))
        + gamma sum_j (CE_1 + CE_2 - mean entropy),   CE = -E_q log Laplace(z - mean of the other frame)

## Settings
beta (1), gamma (1; the SlowVAE paper has 10), laplace_rate (1), latents (16), channels (16, of the first
layers), width (256, of dense layers), pixel_weights (standardised; see `unbraid show autoencoder`), noise (0.354: the sum of squared errors of images from -1 to 1). beta and gamma may follow a
schedule.

## What to expect
By the papers, variables that move rarely and independently are separated, and those that influence each
other are not.

## Good to know
It is new here: it has not been trained to its published numbers yet.

The code of CITRIS feeds log deviations where log variances are meant, and encodes through a flow that is
never trained, so the published row of SlowVAE is lower than it need be. Neither is copied.",
    };
    const RECIPE: &'static str = RECIPE;
    const SUPERVISION: Supervision = Supervision::Time(Window::TRANSITION);

    fn init(config: &Config, task: &Task, rng: &Rng, device: &Device) -> Self {
        Self {
            net: Simple::new(&config.net, Limit::Fixed, task, rng, device),
            beta: config.beta,
            gamma: config.gamma,
            rate: config.laplace_rate,
        }
    }

    fn prepare(self, data: &dyn Dataset, rng: &Rng, _: &dyn Watch) -> Result<Self> {
        Ok(Self { net: self.net.fitted(data, rng), ..self })
    }

    fn largest_gradient(&self) -> Option<f64> {
        Some(1.0)
    }

    fn loss(&self, batch: &Batch, step: &mut Step) -> Loss {
        let (from, to) = batch.transition();
        let rows = to.dims()[0];
        let x = Tensor::cat(vec![from, to], 0);
        let q = self.net.posterior(x.clone());
        // Means over both frames, of which the loss is the sum.
        let reconstruction = self.net.error(q.sample(step), x) * 2.0;
        let kl = q.kl_per_latent() * 2.0;
        let part = |from: usize| Gaussian {
            mean: q.mean.clone().narrow(0, from, rows),
            log_variance: q.log_variance.clone().narrow(0, from, rows),
        };
        let slow = slowness(&part(0), &part(rows), self.rate);
        let total = reconstruction.clone()
            + kl.clone().sum() * self.beta.at(step)
            + slow.clone() * self.gamma.at(step);
        Loss::new(total)
            .term("reconstruction", reconstruction)
            .term("kl", kl.clone().sum())
            .term("slowness", slow)
            .latents(kl)
    }

    fn encode(&self, seen: &Batch) -> Code {
        self.net.posterior(seen.x()).into()
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { decoder: Some(&self.net), ..Abilities::default() }
    }
}

/// Σ_j (CE_1 + CE_2 − mean entropy), averaged over the batch.
fn slowness(first: &Gaussian, second: &Gaussian, rate: f64) -> Tensor<1> {
    let rows = first.mean.dims()[0] as f64;
    let entropy = |q: &Gaussian| (q.log_variance.clone() + TAU.ln() + 1.0) * 0.5;
    let cross = from_mean(first, &second.mean) + from_mean(second, &first.mean);
    let cross = cross * rate - 2.0 * (rate / 2.0).ln();
    (cross - (entropy(first) + entropy(second)) * 0.5).sum() / rows
}

/// E_{z ~ q} |z − at|, of each row and latent: with d = |mean − at|,
/// σ √(2/π) exp(−d² / 2σ²) + d erf(d / σ√2).
fn from_mean(q: &Gaussian, at: &Tensor<2>) -> Tensor<2> {
    let deviation = (q.log_variance.clone() * 0.5).exp();
    let away = q.mean.clone() - at.clone();
    let apart = away.clone() / deviation.clone();
    let bell = (apart.clone().square() * -0.5).exp() * FRAC_2_PI.sqrt();
    deviation * bell + away * (apart / SQRT_2).erf()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::device;
    use crate::model::batch;

    #[test]
    fn the_mean_distance_is_that_of_many_draws() {
        let device = device::inference();
        for (mean, deviation, at) in [(0.0, 1.0, 0.0), (0.5, 0.3, -0.4), (2.0, 0.01, 0.0)] {
            let q = Gaussian {
                mean: batch::matrix(&[mean], 1, 1, &device),
                log_variance: batch::matrix(&[2.0 * f32::ln(deviation)], 1, 1, &device),
            };
            let found = from_mean(&q, &batch::matrix(&[at], 1, 1, &device)).into_scalar::<f32>();
            let mut rng = Rng::new(0);
            let draw = |_| (mean + deviation * rng.normal() - at).abs();
            let drawn = (0..20_000).map(draw).sum::<f32>() / 20_000.0;
            assert!((found - drawn).abs() < 0.01, "{found} and {drawn}");
        }
    }
}
