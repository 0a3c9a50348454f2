//! CITRIS-NF: a normalising flow on a trained autoencoder with the prior of CITRIS-VAE. Lippe et al. 2022,
//! arXiv:2202.03169.
//!
//! ```text
//! z = f(e + σ ε),   e the autoencoder's code
//! L = β E[−log p(z^{t+1} | z^t, I) − log |det df|] + L_model + β_c L_z
//! ```
//!
//! The flow finds only what the autoencoder keeps, but has no prior that a small thing, such as the ball, must
//! first be worth.

use burn::module::Module;
use burn::tensor::Device;
use serde::{Deserialize, Serialize};
use unbraid_measure::data::{Dataset, Supervision, Window};
use unbraid_measure::info::Info;
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::Watch;

use crate::error::Result;
use crate::model::batch::Batch;
use crate::model::{Abilities, Code, Follows, Group, Loss, Model, Settings, Step, Task};
use crate::parts::schedule::Schedule;
use crate::parts::time::RECIPE;
use crate::parts::time::causal_prior::{CausalPrior, CausalSettings};
use crate::parts::time::sequence_flow::{FlowSettings, SequenceFlow};

/// The settings of a CITRIS-NF.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Config {
    /// The weight of the negative log-likelihood; may follow a schedule.
    pub beta: Schedule,
    /// The flow.
    #[serde(flatten)]
    pub flow: FlowSettings,
    /// Prior, assignment and classifier.
    #[serde(flatten)]
    pub causal: CausalSettings,
}

impl Default for Config {
    fn default() -> Self {
        let causal = CausalSettings { prior_width: 64, ..CausalSettings::default() };
        Self { beta: 1.0.into(), flow: FlowSettings::default(), causal }
    }
}

impl Settings for Config {
    fn resolve(&mut self, task: &Task) -> Result<()> {
        self.beta.check("model.beta", 0.0)?;
        self.causal.check(task)?;
        self.flow.check(task)
    }
}

/// The CITRIS-NF.
#[derive(Module, Debug)]
pub struct CitrisNf {
    flow: SequenceFlow,
    prior: CausalPrior,
    #[module(skip)]
    beta: Schedule,
}

impl Model for CitrisNf {
    type Config = Config;
    const INFO: Info = Info {
        name: "citris-nf",
        title: "CITRIS-NF",
        summary: "CITRIS by a normalising flow on a trained autoencoder",
        paper: "Lippe et al., CITRIS: Causal Identifiability from Temporal Intervened Sequences, ICML 2022",
        page: "\
## What it is
CITRIS by a normalising flow on the codes of a trained autoencoder. The autoencoder keeps all that is in an
image, the flow untangles it, with prior, assignment and classifier as in citris-vae:

    z = f(e + noise),  L = beta E[-log p(z'|z, I) - log |det df|] + L_model + beta_classifier L_z

Without `model.base` an autoencoder is trained first, in the folder `base` of the run directory: one command,
one progress bar, and `--resume` goes on in either stage. Name a finished run as `model.base` to use that.

## Settings
Those of citris-vae but for the networks; samples (2, noisy copies of each frame), code_noise (0.05, that of
the autoencoder), prior_width (64). `model.base = { latents = 16, channels = 16, steps = 3000 }` sets the
autoencoder that is trained first.

## What to expect
What the autoencoder leaves out cannot be found: look at its reconstructions first (`unbraid traverse
RUN/base`).

## Good to know
It has not been trained to its published numbers here yet. On pong, with relative interventions, lambda 0.01,
annealing 0.1, rest_after 0.5, beta_classifier 8 and 12,000 steps of 256, the ball and its direction are found (R2 0.95
to 0.98 on validation frames) and the paddles are not told apart.",
    };
    const RECIPE: &'static str = RECIPE;
    const BASE: Option<&'static str> = Some("autoencoder");
    const SUPERVISION: Supervision = Supervision::Targets(Window::TRANSITION);

    fn init(config: &Config, task: &Task, rng: &Rng, device: &Device) -> Self {
        Self {
            flow: SequenceFlow::new(&config.flow, task, rng, device),
            prior: CausalPrior::new(&config.causal, task.shape.size(), task, rng, device),
            beta: config.beta,
        }
    }

    fn prepare(self, data: &dyn Dataset, rng: &Rng, watch: &dyn Watch) -> Result<Self> {
        let (flow, prior) = (self.flow.fitted(data, rng), self.prior.counted(data, watch)?);
        Ok(Self { flow, prior, ..self })
    }

    fn groups(&self, step: &Step) -> Vec<Group> {
        self.prior.groups("prior.classifier", step)
    }

    fn largest_gradient(&self) -> Option<f64> {
        Some(1.0)
    }

    fn loss(&self, batch: &Batch, step: &mut Step) -> Loss {
        let flowed = self.flow.evidence(batch, step);
        let cost = self.prior.cost(flowed.latents, batch, step);
        let nll = (cost.nll + flowed.volume).mean();
        let told = cost.classifier.clone() + cost.targets.clone() * self.prior.beta_classifier();
        Loss::new((nll.clone() + cost.beside) * self.beta.at(step) + told)
            .term("nll", nll)
            .term("classifier", cost.classifier)
            .term("targets", cost.targets)
    }

    fn encode(&self, seen: &Batch) -> Code {
        Code { mean: self.flow.encode(seen.x()), log_variance: None, kl: None }
    }

    fn abilities(&self) -> Abilities<'_> {
        let blocks = Some(self.prior.blocks());
        let transition: Option<&dyn Follows> = Some(&self.prior);
        Abilities {
            decoder: Some(&self.flow),
            samples: Some(&self.flow),
            blocks,
            transition,
            ..Abilities::default()
        }
    }
}
