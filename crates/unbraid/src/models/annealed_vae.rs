//! The AnnealedVAE: Burgess et al., Understanding disentangling in β-VAE, 2018, arXiv:1804.03599.
//!
//! L = E_q(z|x)[−log p(x|z)] + γ |KL(q(z|x) ‖ N(0, I)) − C(t)|
//!
//! C(t) rises from 0 to its final value over the first steps. The absolute value is taken of the
//! batch mean, as in disentanglement_lib and disvae; pythae takes it per observation, which gives a
//! different gradient. γ = 1000 as in the paper; disvae has 100.

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
use crate::parts::schedule::{Moving, Schedule};

/// The settings of an AnnealedVAE.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Config {
    /// γ, the weight of the distance between the KL term and the capacity.
    pub gamma: Schedule,
    /// C, the capacity in nats; Locatello et al. 2019 tried 5, 10, 25, 50, 75 and 100.
    pub capacity: Schedule,
    /// The networks.
    #[serde(flatten)]
    pub net: NetSettings,
}

impl Default for Config {
    fn default() -> Self {
        let capacity = Moving::Linear { from: 0.0, to: 25.0, start: 0, steps: 10_000 };
        Self {
            gamma: 1000.0.into(),
            capacity: Schedule::Moving(capacity),
            net: NetSettings::default(),
        }
    }
}

impl Settings for Config {
    fn latents(&self) -> Option<usize> {
        self.net.latents()
    }

    fn resolve(&mut self, task: &Task) -> Result<()> {
        self.gamma.check("model.gamma", 0.0)?;
        self.capacity.check("model.capacity", 0.0)?;
        self.net.resolve(task)
    }
}

/// The AnnealedVAE.
#[derive(Module, Debug)]
pub struct AnnealedVae {
    net: Autoencoder,
    #[module(skip)]
    gamma: Schedule,
    #[module(skip)]
    capacity: Schedule,
}

impl Model for AnnealedVae {
    type Config = Config;
    const INFO: Info = Info {
        name: "annealed-vae",
        title: "AnnealedVAE",
        summary: "a VAE whose KL term follows a capacity that grows during training",
        paper: "Burgess et al., Understanding disentangling in beta-VAE, 2018",
        page: "\
## What it is
A VAE whose KL term is held at a capacity C that grows during training:

    L = E[-log p(x|z)] + gamma |KL(q(z|x) || N(0, I)) - C(t)|

At first the latents can carry almost no information. The model spends these few nats on the factor
that reduces the reconstruction loss most. As C grows, further factors follow, each in a latent of its
own.

## Settings
gamma (1000), capacity (0 to 25 nats over the first 10,000 steps: a schedule, see `vae`), and those
of `vae`: latents, net, width, likelihood, noise. The paper takes 100,000 steps; for a longer training,
stretch the schedule:

    --set model.capacity='{ schedule = \"linear\", from = 0, to = 25, steps = 100000 }'

## What to expect
The KL term follows the capacity closely. On dSprites the paper sees position first, then scale,
then shape, then orientation. With more capacity than the data need, factors split over latents.

## Cautions
Adam normalises each gradient by its magnitude, so a large gamma leaves little of the update to the
reconstruction loss. In a short training gamma = 20 holds the capacity as well and learns much sooner.",
    };
    const SUPERVISION: Supervision = Supervision::None;

    fn supervision(config: &Config) -> Supervision {
        config.net.supervision()
    }

    fn init(config: &Config, task: &Task, rng: &Rng, device: &Device) -> Self {
        let net = Autoencoder::new(&config.net, task, rng, device);
        Self { net, gamma: config.gamma, capacity: config.capacity }
    }

    fn loss(&self, batch: &Batch, step: &mut Step) -> Loss {
        let evidence = self.net.evidence(batch, step);
        let off = (evidence.kl.clone() - self.capacity.at(step)).abs();
        evidence.loss(off * self.gamma.at(step))
    }

    fn encode(&self, seen: &Batch) -> Code {
        self.net.posterior(seen.x()).into()
    }

    fn abilities(&self) -> Abilities<'_> {
        self.net.abilities()
    }
}
