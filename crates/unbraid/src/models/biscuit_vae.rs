//! BISCUIT-VAE: Lippe, Magliacane, Löwe, Asano, Cohen, Gavves, BISCUIT: Causal Representation Learning from
//! Binary Interactions, UAI 2023, arXiv:2306.09643.
//!
//! ```text
//! L = E[−log p(x^{t+1}|z^{t+1})] + E[log q(z^{t+1}|x^{t+1}) − log p(z^{t+1} | z^t, a)]
//! p(z^{t+1} | z^t, a) = Π_j p(z_j | z^t, I_j),   I_j = tanh(T l_j(a))
//! ```
//!
//! Nobody says what an action touches: each latent learns it, as something that is either so or not
//! (`parts/time/interaction.rs`). The temperature T of the released code rises by the number of steps and
//! would never leave 1 in a short training; here it rises from 1 to `temperature` over the training. The
//! published runs on Voronoi end at 2.9.

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
use crate::parts::nets::simple::{Limit, SimpleSettings};
use crate::parts::time::RECIPE;
use crate::parts::time::interaction::{Interacting, Interactions, regulariser};
use crate::parts::time::sequence_vae::{Draws, SequenceVae};

/// The settings of a BISCUIT-VAE.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Config {
    /// T at the end of the training; it starts at 1.
    pub temperature: f64,
    /// How much logits are kept small and pushed down.
    pub logit_factor: f64,
    /// Samples of the posterior in the KL divergence.
    pub samples: usize,
    /// Layers of the flow between decoder and prior; 0 for none.
    pub flow_layers: usize,
    /// Units per latent of prior and interactions.
    pub prior_width: usize,
    /// The networks.
    #[serde(flatten)]
    pub net: SimpleSettings,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            temperature: 2.9,
            logit_factor: 5e-4,
            samples: 4,
            flow_layers: 4,
            prior_width: 32,
            net: SimpleSettings { latents: 12, ..SimpleSettings::default() },
        }
    }
}

impl Settings for Config {
    fn latents(&self) -> Option<usize> {
        self.net.latents()
    }

    fn resolve(&mut self, task: &Task) -> Result<()> {
        if !(self.temperature.is_finite() && self.temperature > 0.0) {
            return Err(Error::setting("model.temperature", "must be a positive number"));
        }
        if !(1..=64).contains(&self.samples) {
            return Err(Error::setting("model.samples", "must be from 1 to 64"));
        }
        self.net.resolve(task)
    }
}

/// The BISCUIT-VAE.
#[derive(Module, Debug)]
pub struct BiscuitVae {
    net: SequenceVae,
    prior: Interacting,
    interactions: Interactions,
    #[module(skip)]
    temperature: f64,
    #[module(skip)]
    logit_factor: f64,
    #[module(skip)]
    samples: usize,
}

impl Model for BiscuitVae {
    type Config = Config;
    const INFO: Info = Info {
        name: "biscuit-vae",
        title: "BISCUIT-VAE",
        summary: "causal variables of a sequence with actions, by what each action touches",
        paper: "Lippe et al., BISCUIT: Causal Representation Learning from Binary Interactions, UAI 2023",
        page: "TODO",
    };
    const RECIPE: &'static str = RECIPE;
    const SUPERVISION: Supervision = Supervision::Actions(Window::TRANSITION);

    fn init(config: &Config, task: &Task, rng: &Rng, device: &Device) -> Self {
        let (latents, width) = (config.net.latents, config.prior_width);
        let touched = &mut rng.split("interactions");
        Self {
            net: SequenceVae::new(&config.net, Limit::Learned, config.flow_layers, task, rng, device),
            prior: Interacting::new(latents, width, &mut rng.split("prior"), device),
            interactions: Interactions::new(latents, task.action, width, touched, device),
            temperature: config.temperature,
            logit_factor: config.logit_factor,
            samples: config.samples,
        }
    }

    fn prepare(mut self, data: &dyn Dataset, rng: &Rng, _watch: &dyn Watch) -> Result<Self> {
        self.net = self.net.fitted(data, rng);
        Ok(self)
    }

    fn largest_gradient(&self) -> Option<f64> {
        Some(1.0)
    }

    fn loss(&self, batch: &Batch, step: &mut Step) -> Loss {
        let evidence = self.net.evidence(batch, Draws::Several(self.samples), step);
        let logits = self.interactions.logits(batch.actions());
        let share = step.number as f64 / step.total.max(1) as f64;
        let temperature = 1.0 + (self.temperature - 1.0) * share;
        let touched = (logits.clone() * temperature).tanh();
        let sure = touched.clone().abs().mean();
        let [before, after] = evidence.latents();
        let touched = evidence.for_samples(touched);
        let nll = self.prior.next(before, touched).log_density(&after) * -1.0;
        let kl = (evidence.entropy + nll.sum_dim(1)).mean();
        let cost = regulariser(logits.clone(), self.logit_factor);
        Loss::new(evidence.reconstruction.clone() + kl.clone() + cost)
            .term("reconstruction", evidence.reconstruction)
            .term("kl", kl)
            .term("touched", positive(logits))
            .term("decided", sure)
    }

    fn encode(&self, seen: &Batch) -> Code {
        Code { mean: self.net.encode(seen.x()), log_variance: None, kl: None }
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { decoder: Some(&self.net), ..Abilities::default() }
    }
}

/// The share of positive logits.
fn positive(logits: Tensor<2>) -> Tensor<1> {
    logits.greater_elem(0.0).float().mean()
}
