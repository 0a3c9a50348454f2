//! The β-TCVAE: Chen et al., Isolating Sources of Disentanglement in VAEs, NeurIPS 2018,
//! arXiv:1802.04942.
//!
//! ```text
//! L = E_q(z|x)[−log p(x|z)] + α I(x; z) + β TC(z) + γ Σ_l KL(q(z_l) ‖ p(z_l))
//! ```
//!
//! The pieces are those of `parts/distributions/correlation.rs`, with their constants, so that what is logged
//! means something. With α = γ = 1 this is the KL term plus (β − 1) TC, and, as in
//! disentanglement_lib, the KL term is then taken in closed form: less noise, the same mean.

use burn::module::Module;
use burn::tensor::{Device, Tensor};
use serde::{Deserialize, Serialize};
use unbraid_measure::data::Supervision;
use unbraid_measure::info::Info;
use unbraid_measure::rng::Rng;

use crate::error::Result;
use crate::model::batch::Batch;
use crate::model::{Code, Loss, Model, Settings, Step, Task};
use crate::parts::distributions::correlation::{self, Estimator, Pieces};
use crate::parts::nets::autoencoder::{Autoencoder, NetSettings};
use crate::parts::schedule::Schedule;

/// The settings of a β-TCVAE.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Config {
    /// The weight of the mutual information of data and codes; may be negative.
    pub alpha: Schedule,
    /// The weight of the total correlation; the study tried 1, 2, 4, 6, 8 and 10.
    pub beta: Schedule,
    /// The weight of the dimension-wise KL.
    pub gamma: Schedule,
    /// "weighted" or "stratified".
    pub estimator: Estimator,
    /// The networks.
    #[serde(flatten)]
    pub net: NetSettings,
}

impl Default for Config {
    fn default() -> Self {
        let (alpha, beta, gamma) = (1.0.into(), 6.0.into(), 1.0.into());
        Self { alpha, beta, gamma, estimator: Estimator::Weighted, net: NetSettings::default() }
    }
}

impl Settings for Config {
    fn resolve(&mut self, task: &Task) -> Result<()> {
        self.alpha.check("model.alpha", f64::MIN)?;
        self.beta.check("model.beta", 0.0)?;
        self.gamma.check("model.gamma", 0.0)?;
        self.net.resolve(task)
    }
}

/// The β-TCVAE.
#[derive(Module, Debug)]
pub struct BetaTcVae {
    net: Autoencoder,
    #[module(skip)]
    weights: [Schedule; 3],
    #[module(skip)]
    estimator: Estimator,
    rows: usize,
}

impl Model for BetaTcVae {
    type Config = Config;
    const INFO: Info = Info {
        name: "beta-tc-vae",
        title: "β-TCVAE",
        summary: "a VAE that pays extra only for dependence between its codes",
        paper: "Chen et al., Isolating Sources of Disentanglement, NeurIPS 2018",
        page: "\
## What it is
The KL term of a VAE is a sum of three: what codes tell about the observation, how much codes depend
on each other (their total correlation), and how far each code is from normal. The beta-VAE weighs
all three; this one weighs each on its own:

    L = E[-log p(x|z)] + alpha I(x; z) + beta TC(z) + gamma sum_l KL(q(z_l) || p(z_l))

## Settings
alpha (1), beta (6), gamma (1), estimator (weighted or stratified: how the codes of all data are
guessed from those of a batch), and those of `vae`: latents, net, width, likelihood, noise. Each
weight may follow a schedule.

## What to expect
With alpha = gamma = 1 and beta > 1: codes that depend on each other less than those of a VAE, with
better reconstructions than a beta-VAE of the same beta.

## Reading the log
`information`, `total_correlation` and `dimension_wise` are the three, estimated from one draw and one
batch, with all constants. The weighted estimator takes the density of all codes far too low where a
batch is a small part of the data: information and total correlation come out too high, the last by as
much as (latents - 1) log(rows * batch) nats (159 on dSprites), and so does the loss. Its changes mean
something, its values do not. The stratified one is right on average before the logarithm is taken.

## Cautions
Released code of the stratified estimator fills the wrong entries of its weights; this follows the
paper. The estimates are noisy: use batches of 64 and more.",
    };
    const SUPERVISION: Supervision = Supervision::None;

    fn supervision(config: &Config) -> Supervision {
        config.net.supervision()
    }

    fn init(config: &Config, task: &Task, rng: &Rng, device: &Device) -> Self {
        Self {
            net: Autoencoder::new(&config.net, task, rng, device),
            weights: [config.alpha, config.beta, config.gamma],
            estimator: config.estimator,
            rows: task.rows,
        }
    }

    fn loss(&self, batch: &Batch, step: &mut Step) -> Loss {
        let evidence = self.net.evidence(batch, step);
        let z = evidence.z.clone();
        let pieces = correlation::pieces(z, &evidence.posterior, None, self.rows, self.estimator);
        let Pieces { information, total_correlation, dimension_wise } = pieces;
        let [alpha, beta, gamma] = self.weights.map(|weight| weight.at(step));
        let penalty = match alpha == 1.0 && gamma == 1.0 {
            true => evidence.kl.clone() + total_correlation.clone() * (beta - 1.0),
            false => {
                information.clone() * alpha
                    + total_correlation.clone() * beta
                    + dimension_wise.clone() * gamma
            }
        };
        evidence
            .loss(penalty)
            .term("information", information)
            .term("total_correlation", total_correlation)
            .term("dimension_wise", dimension_wise)
    }

    fn encode(&self, seen: &Batch) -> Code {
        self.net.posterior(seen.x()).into()
    }

    fn decode(&self, z: Tensor<2>) -> Option<Tensor<4>> {
        Some(self.net.decode(z))
    }

    fn log_weights(&self, seen: &Batch, draws: usize, step: &mut Step) -> Option<Tensor<1>> {
        Some(self.net.log_weights(seen.x(), draws, step))
    }
}
