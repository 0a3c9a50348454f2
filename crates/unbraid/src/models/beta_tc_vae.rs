//! The β-TCVAE: Chen et al., Isolating Sources of Disentanglement in VAEs, NeurIPS 2018,
//! arXiv:1802.04942.
//!
//! ```text
//! L = E_q(z|x)[−log p(x|z)] + α I(x; z) + β TC(z) + γ Σ_l KL(q(z_l) ‖ p(z_l))
//! ```
//!
//! The three terms are those of `parts/distributions/correlation.rs`, with their constants, so that
//! logged values can be interpreted. With α = γ = 1 this is the KL term plus (β − 1) TC. As in
//! disentanglement_lib, the KL term is then computed in closed form: less variance, the same mean.

use burn::module::Module;
use burn::tensor::Device;
use serde::{Deserialize, Serialize};
use unbraid_measure::data::Supervision;
use unbraid_measure::info::Info;
use unbraid_measure::rng::Rng;

use crate::error::Result;
use crate::model::batch::Batch;
use crate::model::{Abilities, Code, Loss, Model, Settings, Step, Task};
use crate::parts::distributions::correlation::{self, Estimator, Pieces};
use crate::parts::nets::autoencoder::{Autoencoder, NetSettings};
use crate::parts::schedule::Schedule;

/// The settings of a β-TCVAE.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Config {
    /// The weight of the index-code mutual information I(x; z); may be negative.
    pub alpha: Schedule,
    /// The weight of the total correlation; Locatello et al. 2019 tried 1, 2, 4, 6, 8 and 10.
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
    fn latents(&self) -> Option<usize> {
        self.net.latents()
    }

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
        summary: "a VAE that penalises the total correlation of its latents separately",
        paper: "Chen et al., Isolating Sources of Disentanglement, NeurIPS 2018",
        page: "\
## What it is
The KL term of a VAE is a sum of three: the mutual information of observation and latents, the total
correlation of the latents, and the dimension-wise KL. The beta-VAE weights all three alike; the
beta-TCVAE weights each on its own:

    L = E[-log p(x|z)] + alpha I(x; z) + beta TC(z) + gamma sum_l KL(q(z_l) || p(z_l))

## Settings
alpha (1), beta (6), gamma (1), estimator of the aggregate posterior q(z) (weighted or stratified:
minibatch-weighted or minibatch-stratified sampling), and those of `vae`: latents, net, width,
likelihood, noise. Each weight may follow a schedule.

## What to expect
With alpha = gamma = 1 and beta > 1: latents with a lower total correlation than those of a VAE, and
better reconstructions than a beta-VAE with the same beta.

## Reading the log
`information`, `total_correlation` and `dimension_wise` are the three terms, estimated from one sample
per row and one minibatch, with all constants. Where a batch is a small part of the data, the weighted
estimator of q(z) is far too low. Information and total correlation then come out too high, the latter
by as much as (latents - 1) log(rows * batch) nats (159 on dSprites), and so does the loss. Its changes
can be read, its values cannot. The stratified estimator of q(z) is unbiased before the logarithm.

## Cautions
Released code of the stratified estimator fills the wrong entries of its weight matrix; this follows
the paper. The estimates are noisy: use batches of 64 or more.",
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

    fn abilities(&self) -> Abilities<'_> {
        self.net.abilities()
    }
}
