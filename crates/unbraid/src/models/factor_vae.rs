//! The FactorVAE: Kim and Mnih, Disentangling by Factorising, ICML 2018, arXiv:1802.05983.
//!
//! ```text
//! L = E_q(z|x)[−log p(x|z)] + KL(q(z|x) ‖ N(0, I)) + γ E [ logit_0(z) − logit_1(z) ]
//! ```
//!
//! The last term is the density-ratio estimate of the total correlation. The discriminator (here
//! called critic) learns at the same time to tell q(z) from samples whose dimensions were permuted
//! over the batch. Both losses are one sum, and neither has a gradient for the other's weights:
//! disvae lets the discriminator's loss into the encoder, which is not followed. The permuted
//! samples come from the same batch, as in disentanglement_lib; the paper takes a second one. One
//! step updates both: disentanglement_lib counts two, so its "300,000 steps" are 150,000 here. The
//! discriminator's Adam has β₁ = 0.5 and β₂ = 0.9.

use burn::module::Module;
use burn::tensor::Device;
use serde::{Deserialize, Serialize};
use unbraid_measure::data::Supervision;
use unbraid_measure::info::Info;
use unbraid_measure::rng::Rng;

use crate::error::{Error, Result};
use crate::model::batch::Batch;
use crate::model::{Abilities, Code, Group, Loss, Model, Settings, Step, Task};
use crate::parts::nets::autoencoder::{Autoencoder, NetSettings};
use crate::parts::nets::critic::{Critic, permuted};
use crate::parts::nets::size;
use crate::parts::schedule::Schedule;

/// The settings of a FactorVAE.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Config {
    /// The weight of the total correlation; Locatello et al. 2019 tried 10, 20, 30, 40, 50 and 100.
    pub gamma: Schedule,
    /// Hidden layers of the discriminator; some read the paper as 5.
    pub critic_depth: usize,
    /// Units of each.
    pub critic_width: usize,
    /// The discriminator's learning rate.
    pub critic_learning_rate: Schedule,
    /// The networks.
    #[serde(flatten)]
    pub net: NetSettings,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            gamma: 35.0.into(),
            critic_depth: 6,
            critic_width: 1000,
            critic_learning_rate: 1e-4.into(),
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
        if !(1..=64).contains(&self.critic_depth) {
            return Err(Error::setting("model.critic_depth", "must be from 1 to 64"));
        }
        if !(1..=10_000).contains(&self.critic_width) {
            return Err(Error::setting("model.critic_width", "must be from 1 to 10000"));
        }
        let critic = size::of_dense(self.net.latents, self.critic_width, self.critic_depth, 2);
        size::check("model.critic_width", self.critic_width, critic)?;
        self.critic_learning_rate.check("model.critic_learning_rate", 0.0)?;
        self.net.resolve(task)
    }
}

/// The FactorVAE.
#[derive(Module, Debug)]
pub struct FactorVae {
    net: Autoencoder,
    critic: Critic,
    #[module(skip)]
    gamma: Schedule,
    #[module(skip)]
    critic_learning_rate: Schedule,
}

impl Model for FactorVae {
    type Config = Config;
    const INFO: Info = Info {
        name: "factor-vae",
        title: "FactorVAE",
        summary: "a VAE that penalises the total correlation, estimated by a discriminator",
        paper: "Kim and Mnih, Disentangling by Factorising, ICML 2018",
        page: "\
## What it is
A VAE with a discriminator D. It learns to tell samples of the aggregate posterior q(z) from samples
whose dimensions were permuted independently over the batch, which approximate the product of the
marginals. Its density ratio estimates the total correlation (TC), which the VAE minimises:

    L = E[-log p(x|z)] + KL(q(z|x) || N(0, I)) + gamma TC,   TC = E[log D(z) - log(1 - D(z))]

## Settings
gamma (35), and of the discriminator critic_depth (6 hidden layers), critic_width (1000) and critic_learning_rate
(0.0001, its learning rate); and those of `vae`: latents, net, width, likelihood, noise. gamma and
critic_learning_rate may follow a schedule.

## What to expect
Latents as independent as those of a beta-VAE, with better reconstructions. The paper's discriminator has
five million weights: a step costs two to five times one of a VAE, the more the smaller the images. In a
short training a smaller one with a larger learning rate does as well: critic_width 256, critic_learning_rate
0.0005.

## Reading the log
`total_correlation` is the discriminator's estimate; `critic` is its loss, ln 2 = 0.69 at chance. An
untrained discriminator underestimates the total correlation.",
    };
    const SUPERVISION: Supervision = Supervision::None;

    fn supervision(config: &Config) -> Supervision {
        config.net.supervision()
    }

    fn init(config: &Config, task: &Task, rng: &Rng, device: &Device) -> Self {
        let net = Autoencoder::new(&config.net, task, rng, device);
        let (depth, width) = (config.critic_depth, config.critic_width);
        let rng = &mut rng.split("critic");
        let critic = Critic::new(config.net.latents, depth, width, rng, device);
        Self { net, critic, gamma: config.gamma, critic_learning_rate: config.critic_learning_rate }
    }

    fn groups(&self, step: &Step) -> Vec<Group> {
        vec![Group {
            prefix: "critic",
            rate: self.critic_learning_rate.at(step),
            betas: [0.5, 0.9],
        }]
    }

    fn loss(&self, batch: &Batch, step: &mut Step) -> Loss {
        let evidence = self.net.evidence(batch, step);
        let z = evidence.z.clone();
        let correlation = self.critic.total_correlation(z.clone());
        let critic = self.critic.error(z.clone(), permuted(z, step));
        let penalty = evidence.kl.clone() + correlation.clone() * self.gamma.at(step);
        let mut loss = evidence.loss(penalty);
        loss.total = loss.total + critic.clone();
        loss.term("total_correlation", correlation).term("critic", critic)
    }

    fn encode(&self, seen: &Batch) -> Code {
        self.net.posterior(seen.x()).into()
    }

    fn abilities(&self) -> Abilities<'_> {
        self.net.abilities()
    }
}
