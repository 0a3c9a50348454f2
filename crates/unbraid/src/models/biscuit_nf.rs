//! BISCUIT-NF: a normalising flow on a trained autoencoder with the prior of BISCUIT-VAE. Lippe et al. 2023,
//! arXiv:2306.09643.
//!
//! ```text
//! z = f(e + σ ε),   e the autoencoder's code
//! L = E[−log p(z^{t+1} | z^t, a) − log |det df|]
//! ```

use burn::module::Module;
use burn::tensor::Device;
use serde::{Deserialize, Serialize};
use unbraid_measure::data::{Dataset, Supervision, Window};
use unbraid_measure::info::Info;
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::Watch;

use crate::error::Result;
use crate::model::batch::Batch;
use crate::model::{Abilities, Code, Follows, Interacts, Loss, Model, Settings, Step, Task};
use crate::parts::time::RECIPE;
use crate::parts::time::interaction::{InteractionPrior, InteractionSettings};
use crate::parts::time::sequence_flow::{FlowSettings, SequenceFlow};

/// The settings of a BISCUIT-NF.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Config {
    /// The flow.
    #[serde(flatten)]
    pub flow: FlowSettings,
    /// The prior.
    #[serde(flatten)]
    pub prior: InteractionSettings,
}

impl Default for Config {
    fn default() -> Self {
        let flow = FlowSettings { flow_layers: 6, ..FlowSettings::default() };
        let prior = InteractionSettings::default();
        Self { flow, prior: InteractionSettings { prior_width: 64, logit_factor: 4e-3, ..prior } }
    }
}

impl Settings for Config {
    fn resolve(&mut self, task: &Task) -> Result<()> {
        self.prior.check(task)?;
        self.flow.check(task)
    }
}

/// The BISCUIT-NF.
#[derive(Module, Debug)]
pub struct BiscuitNf {
    flow: SequenceFlow,
    prior: InteractionPrior,
}

impl Model for BiscuitNf {
    type Config = Config;
    const INFO: Info = Info {
        name: "biscuit-nf",
        title: "BISCUIT-NF",
        summary: "BISCUIT by a normalising flow on a trained autoencoder",
        paper: "Lippe et al., BISCUIT: Causal Representation Learning from Binary Interactions, UAI 2023",
        page: "\
## What it is
BISCUIT by a normalising flow on the codes of a trained autoencoder, with the prior of biscuit-vae:

    z = f(e + noise),  L = E[-log p(z'|z, a) - log |det df|]

Without `model.base` an autoencoder is trained first, in the folder `base` of the run directory. Data that are
vectors need none.

## Settings
flow_layers (6), samples (2, noisy copies of each frame), code_noise (0.05), prior_width (64), temperature
(2.9), logit_factor (0.004). `model.base = { latents = 12, steps = 20_000 }` sets the autoencoder that is
trained first.

## What to expect
As biscuit-vae, where the autoencoder keeps what matters.

## Good to know
It is new here: it has not been trained to its published numbers yet.",
    };
    const RECIPE: &'static str = RECIPE;
    const BASE: Option<&'static str> = Some("autoencoder");
    const SUPERVISION: Supervision = Supervision::Actions(Window::TRANSITION);

    fn init(config: &Config, task: &Task, rng: &Rng, device: &Device) -> Self {
        let latents = task.shape.size();
        Self {
            flow: SequenceFlow::new(&config.flow, task, rng, device),
            prior: InteractionPrior::new(&config.prior, latents, task.action, rng, device),
        }
    }

    fn prepare(self, data: &dyn Dataset, rng: &Rng, _watch: &dyn Watch) -> Result<Self> {
        Ok(Self { flow: self.flow.fitted(data, rng), ..self })
    }

    fn largest_gradient(&self) -> Option<f64> {
        Some(1.0)
    }

    fn loss(&self, batch: &Batch, step: &mut Step) -> Loss {
        let flowed = self.flow.evidence(batch, step);
        let cost = self.prior.cost(flowed.latents, batch.actions(), step);
        let nll = (cost.nll + flowed.volume).mean();
        let [touched, decided] = cost.touched;
        Loss::new(nll.clone() + cost.regulariser)
            .term("nll", nll)
            .term("touched", touched)
            .term("decided", decided)
    }

    fn encode(&self, seen: &Batch) -> Code {
        Code { mean: self.flow.encode(seen.x()), log_variance: None, kl: None }
    }

    fn abilities(&self) -> Abilities<'_> {
        let interactions: Option<&dyn Interacts> = Some(&self.prior);
        let transition: Option<&dyn Follows> = Some(&self.prior);
        Abilities {
            decoder: Some(&self.flow),
            samples: Some(&self.flow),
            interactions,
            transition,
            ..Abilities::default()
        }
    }
}
