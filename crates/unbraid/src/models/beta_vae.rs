//! The β-VAE: Higgins et al., beta-VAE: Learning Basic Visual Concepts with a Constrained
//! Variational Framework, ICLR 2017.
//!
//! L = E_q(z|x)[−log p(x|z)] + β KL(q(z|x) ‖ N(0, I))
//!
//! Both terms are summed (over pixels, over latents) and averaged over the batch, as in
//! disentanglement_lib. Libraries that average over pixels too need another β for the same model:
//! β_sum = β_mean · (H·W·C) / latents.

use burn::module::Module;
use burn::tensor::Device;
use serde::{Deserialize, Serialize};
use unbraid_measure::data::Supervision;
use unbraid_measure::info::Info;
use unbraid_measure::rng::Rng;

use crate::error::Result;
use crate::model::batch::Batch;
use crate::model::{Abilities, Code, Loss, Model, Settings, Step, Task};
use crate::parts::nets::autoencoder::{Autoencoder, NetSettings};
use crate::parts::schedule::Schedule;

/// The settings of a β-VAE.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Config {
    /// The weight of the KL term; Locatello et al. 2019 tried 1, 2, 4, 6, 8 and 16.
    pub beta: Schedule,
    /// The networks.
    #[serde(flatten)]
    pub net: NetSettings,
}

impl Default for Config {
    fn default() -> Self {
        Self { beta: 4.0.into(), net: NetSettings::default() }
    }
}

impl Settings for Config {
    fn latents(&self) -> Option<usize> {
        self.net.latents()
    }

    fn resolve(&mut self, task: &Task) -> Result<()> {
        self.beta.check("model.beta", 0.0)?;
        self.net.resolve(task)
    }
}

/// The β-VAE.
#[derive(Module, Debug)]
pub struct BetaVae {
    net: Autoencoder,
    #[module(skip)]
    beta: Schedule,
}

impl Model for BetaVae {
    type Config = Config;
    const INFO: Info = Info {
        name: "beta-vae",
        title: "β-VAE",
        summary: "a VAE with β times the KL term, which favours one latent per factor",
        paper: "Higgins et al., beta-VAE, ICLR 2017",
        page: "\
## What it is
A VAE with a larger weight on the KL term:

    L = E[-log p(x|z)] + beta KL(q(z|x) || N(0, I))

With beta > 1 information in the latents is expensive. The model spends it where it reduces the
reconstruction loss most, and tends to give each factor a latent of its own. With beta = 1 it is the
VAE.

## Settings
beta (4, or a schedule), and those of `vae`: latents, net, width, likelihood, noise.

## What to expect
Higher beta: better disentangled latents, blurrier reconstructions, more inactive latents. If beta is
too high, the posterior collapses to the prior and every reconstruction is the mean image. The effect
depends on seed and data; train several seeds.

## Cautions
beta is only comparable between programs that sum the loss over pixels, as this one and
disentanglement_lib do. If a program averages over pixels, beta_here = beta_there * (H*W*C) / latents.",
    };
    const SUPERVISION: Supervision = Supervision::None;

    fn supervision(config: &Config) -> Supervision {
        config.net.supervision()
    }

    fn init(config: &Config, task: &Task, rng: &Rng, device: &Device) -> Self {
        Self { net: Autoencoder::new(&config.net, task, rng, device), beta: config.beta }
    }

    fn loss(&self, batch: &Batch, step: &mut Step) -> Loss {
        let evidence = self.net.evidence(batch, step);
        let penalty = evidence.kl.clone() * self.beta.at(step);
        evidence.loss(penalty)
    }

    fn encode(&self, seen: &Batch) -> Code {
        self.net.posterior(seen.x()).into()
    }

    fn abilities(&self) -> Abilities<'_> {
        self.net.abilities()
    }
}
