//! ConditionVAE, the baseline of CausalVAE's table: a VAE with the conditional prior and without any
//! graph (after Sohn, Lee and Yan, Learning Structured Output Representation using Deep Conditional
//! Generative Models, NeurIPS 2015; Yang et al., CVPR 2021, section 6.1; no code was released).
//!
//! ```text
//! L = E[−log p(x|z)] + KL(q(z|x, u) ‖ N(λ(u), λ₂² I))
//! ```

use burn::module::Module;
use burn::tensor::{Device, Tensor};
use serde::{Deserialize, Serialize};
use unbraid_measure::data::{Dataset, Do, Supervision};
use unbraid_measure::info::Info;
use unbraid_measure::rng::Rng;
use unbraid_measure::settings::words;
use unbraid_measure::watch::Watch;

use crate::error::{Error, Result};
use crate::model::batch::Batch;
use crate::model::{
    Abilities, Code, Concepts, Decoder, Intervened, Loss, Model, Settings, Step, Strengths, Task,
};
use crate::parts::concepts::nets::{ConceptNetSettings, ConceptNets};
use crate::parts::concepts::scaling::{Balance, Scaling, in_dimensions, labels};
use crate::parts::distributions::gaussian::Gaussian;

words! {
    /// Whether the encoder sees the labels.
    pub enum SeesLabels {
        /// q(z|x, u)
        Yes = "yes",
        /// q(z|x)
        No = "no",
    }
}

/// The settings of a ConditionVAE.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Config {
    /// Latents per concept.
    pub dimensions: usize,
    /// Whether the encoder sees the labels: "yes" or "no".
    pub labels: SeesLabels,
    /// How much images count beside labels.
    #[serde(flatten)]
    pub balance: Balance,
    /// The networks.
    #[serde(flatten)]
    pub net: ConceptNetSettings,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            dimensions: 1,
            labels: SeesLabels::Yes,
            balance: Balance::default(),
            net: ConceptNetSettings::default(),
        }
    }
}

impl Settings for Config {
    fn resolve(&mut self, task: &Task) -> Result<()> {
        if self.dimensions == 0 {
            return Err(Error::setting("model.dimensions", "must be at least 1"));
        }
        self.balance.resolve(task)?;
        self.net.resolve(task, (task.label * self.dimensions).max(1))
    }
}

/// A VAE with a conditional prior.
#[derive(Module, Debug)]
pub struct ConditionVae {
    nets: ConceptNets,
    scaling: Scaling,
    #[module(skip)]
    sees_labels: bool,
    #[module(skip)]
    balance: Balance,
    #[module(skip)]
    size: [usize; 2],
}

impl ConditionVae {
    fn posterior(&self, x: Tensor<4>, labels: Option<&Tensor<2>>) -> Gaussian {
        self.nets.posterior(x, labels.filter(|_| self.sees_labels).cloned())
    }

    /// N(λ(u), λ₂² I), with the label of a concept in each of its dimensions.
    fn prior(&self, labels: &Tensor<2>) -> Gaussian {
        self.balance.prior(in_dimensions(labels, self.size[1]))
    }
}

impl Model for ConditionVae {
    type Config = Config;
    const INFO: Info = Info {
        name: "condition-vae",
        title: "ConditionVAE",
        summary: "a VAE with a conditional prior on labelled concepts, without a graph between them",
        paper: "Yang et al., CausalVAE, CVPR 2021, baseline after Sohn et al., NeurIPS 2015",
        page: "\
## What it is
A conditional VAE: the labels u of the concepts are the means of its prior, and the encoder sees them.

    L = E[-log p(x|z)] + KL(q(z|x, u) || N(u, spread^2))

It is `causal-vae` without a graph: the baseline that isolates the effect of the graph.

## Settings
dimensions per concept (1), labels (whether the encoder sees them, yes or no), reconstruction, spread,
net, width, likelihood and noise as in `causal-vae`.

## What to expect
Latents follow their labels about as well as those of a CausalVAE. An intervention changes its own latent
and nothing downstream: move the light, and the shadow stays.",
    };
    const SUPERVISION: Supervision = Supervision::Labels;

    fn init(config: &Config, task: &Task, rng: &Rng, device: &Device) -> Self {
        let size = [task.label, config.dimensions];
        let sees_labels = config.labels == SeesLabels::Yes;
        let seen = if sees_labels { task.label } else { 0 };
        Self {
            nets: ConceptNets::new(&config.net, task, size, seen, rng, device),
            scaling: Scaling::new(task.label, device),
            sees_labels,
            balance: config.balance,
            size,
        }
    }

    fn prepare(mut self, data: &dyn Dataset, rng: &Rng, _watch: &dyn Watch) -> Result<Self> {
        self.scaling = Scaling::fitted(&labels(data, rng)?, &self.scaling.device());
        Ok(self)
    }

    fn loss(&self, batch: &Batch, step: &mut Step) -> Loss {
        let labels = self.scaling.of(batch);
        let q = self.posterior(batch.x(), Some(&labels));
        let reconstruction = self.nets.error(q.sample(step), batch.x());
        let [rows, latents] = q.mean.dims();
        let each = q.kl_from(&self.prior(&labels)).sum_dim(0).reshape([latents]) / rows as f64;
        let kl = each.clone().sum();
        Loss::new(reconstruction.clone() * self.balance.reconstruction + kl.clone())
            .term("reconstruction", reconstruction)
            .term("kl", kl)
            .latents(each)
    }

    fn encode(&self, seen: &Batch) -> Code {
        let labels = seen.labels_if_known().map(|labels| self.scaling.scaled(labels));
        let q = self.posterior(seen.x(), labels.as_ref());
        let kl = labels.map(|labels| q.kl_from(&self.prior(&labels)));
        Code { kl, ..q.into() }
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities {
            decoder: Some(&self.nets),
            concepts: Some(self),
            sees_labels: self.sees_labels,
            ..Abilities::default()
        }
    }
}

impl Concepts for ConditionVae {
    fn dimensions(&self) -> usize {
        self.size[1]
    }

    fn graph(&self) -> Option<Strengths> {
        None
    }

    fn values(&self, z: Tensor<2>) -> Tensor<2> {
        let ([concepts, dimensions], rows) = (self.size, z.dims()[0]);
        let means = z.reshape([rows, concepts, dimensions]).mean_dim(2);
        self.scaling.unscaled(means.reshape([rows, concepts]))
    }

    fn intervene(&self, z: Tensor<2>, dos: &[Do]) -> Intervened {
        let [concepts, dimensions] = self.size;
        let rows = z.dims()[0];
        let column = |k: usize| {
            let set = dos.iter().find(|set| set.factor == k);
            match set {
                Some(set) => {
                    let code = self.scaling.code(k, set.value);
                    Tensor::full([rows, dimensions], code, &z.device())
                }
                None => z.clone().narrow(1, k * dimensions, dimensions),
            }
        };
        let z = Tensor::cat((0..concepts).map(column).collect(), 1);
        Intervened { x: self.nets.decode(z.clone()), z }
    }
}
