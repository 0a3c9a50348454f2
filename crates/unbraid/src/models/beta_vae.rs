//! The β-VAE: Higgins et al., beta-VAE: Learning Basic Visual Concepts with a Constrained
//! Variational Framework, ICLR 2017.
//!
//! L = E_q(z|x)[−log p(x|z)] + β KL(q(z|x) ‖ N(0, I))
//!
//! Both terms are summed (over pixels, over latents) and averaged over the batch, as in
//! disentanglement_lib. Libraries that average over pixels too need another β for the same model:
//! β_sum = β_mean · (H·W·C) / latents.

use burn::module::Module;
use burn::tensor::{Device, Tensor};
use serde::{Deserialize, Serialize};
use unbraid_measure::data::Supervision;
use unbraid_measure::info::Info;
use unbraid_measure::rng::Rng;

use crate::batch::Batch;
use crate::error::{Error, Result};
use crate::model::{Loss, Model, Settings, Step, Task};
use crate::parts::nets::{Autoencoder, NetSettings};

/// The settings of a β-VAE.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Config {
    /// The weight of the KL term; the study tried 1, 2, 4, 6, 8 and 16.
    pub beta: f64,
    /// The networks.
    #[serde(flatten)]
    pub net: NetSettings,
}

impl Default for Config {
    fn default() -> Self {
        Self { beta: 4.0, net: NetSettings::default() }
    }
}

impl Settings for Config {
    fn resolve(&mut self, task: &Task) -> Result<()> {
        if !(self.beta.is_finite() && self.beta >= 0.0) {
            return Err(Error::setting("model.beta", "must be a number of at least 0"));
        }
        self.net.resolve(task)
    }
}

/// The β-VAE.
#[derive(Module, Debug)]
pub struct BetaVae {
    net: Autoencoder,
    beta: f64,
}

impl Model for BetaVae {
    type Config = Config;
    const INFO: Info = Info {
        name: "beta-vae",
        title: "β-VAE",
        summary: "a VAE whose code is squeezed β times harder, so that it keeps factors apart",
        paper: "Higgins et al., beta-VAE, ICLR 2017",
        page: "\
## What it is
A variational autoencoder with a heavier weight on the capacity of its code:

    L = E[-log p(x|z)] + beta KL(q(z|x) || N(0, I))

With beta > 1 a code is expensive, so the model spends it on what explains most pixels, and tends to
give each factor a code of its own. With beta = 1 it is the VAE.

## Settings
beta (4), and those of `vae`: latents, net, width, likelihood, noise.

## What to expect
Higher beta: better separated codes, blurrier reconstructions, more codes that stay unused. Too high
and everything collapses to the mean image. The effect depends on seed and data; train several.

## Cautions
beta is only comparable between programs that sum over pixels. This one does, as disentanglement_lib
does; where losses are averaged over pixels, beta_here = beta_there * (H*W*C) / latents.",
    };
    const SUPERVISION: Supervision = Supervision::None;

    fn init(config: &Config, task: &Task, rng: &Rng, device: &Device) -> Self {
        Self { net: Autoencoder::new(&config.net, task, rng, device), beta: config.beta }
    }

    fn loss(&self, batch: &Batch, step: &mut Step) -> Loss {
        let (reconstruction, kl) = self.net.evidence(batch.views[0].clone(), step);
        Loss::new(reconstruction.clone() + kl.clone() * self.beta)
            .term("reconstruction", reconstruction)
            .term("kl", kl)
    }

    fn encode(&self, x: Tensor<4>) -> Tensor<2> {
        self.net.posterior(x).mean
    }

    fn decode(&self, z: Tensor<2>) -> Option<Tensor<4>> {
        Some(self.net.decode(z))
    }
}
