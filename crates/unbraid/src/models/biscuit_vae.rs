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
use burn::tensor::Device;
use serde::{Deserialize, Serialize};
use unbraid_measure::data::{Dataset, Supervision, Window};
use unbraid_measure::info::Info;
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::Watch;

use crate::error::{Error, Result};
use crate::model::batch::Batch;
use crate::model::{Abilities, Code, Follows, Interacts, Loss, Model, Settings, Step, Task};
use crate::parts::nets::simple::{Limit, SimpleSettings};
use crate::parts::time::RECIPE;
use crate::parts::time::interaction::{InteractionPrior, InteractionSettings};
use crate::parts::time::sequence_vae::{Draws, SequenceVae};

/// The settings of a BISCUIT-VAE.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Config {
    /// Samples of the posterior in the KL divergence.
    pub samples: usize,
    /// Layers of the flow between decoder and prior; 0 for none.
    pub flow_layers: usize,
    /// The prior.
    #[serde(flatten)]
    pub prior: InteractionSettings,
    /// The networks.
    #[serde(flatten)]
    pub net: SimpleSettings,
}

impl Default for Config {
    fn default() -> Self {
        let net = SimpleSettings { latents: 12, ..SimpleSettings::default() };
        Self { samples: 4, flow_layers: 4, prior: InteractionSettings::default(), net }
    }
}

impl Settings for Config {
    fn latents(&self) -> Option<usize> {
        self.net.latents()
    }

    fn resolve(&mut self, task: &Task) -> Result<()> {
        if !(1..=64).contains(&self.samples) {
            return Err(Error::setting("model.samples", "must be from 1 to 64"));
        }
        self.prior.check(task)?;
        self.net.resolve(task)
    }
}

/// The BISCUIT-VAE.
#[derive(Module, Debug)]
pub struct BiscuitVae {
    net: SequenceVae,
    prior: InteractionPrior,
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
        page: "\
## What it is
Causal variables recovered from a sequence of images in which an agent acts, without being told what its
actions touch. Each latent learns, as a function of the action, whether it is interacted with: yes or no.

    L = E[-log p(x'|z')] + E[log q(z'|x') - log p(z'|z, a)],   p(z'|z, a) = prod_j p(z'_j | z, I_j(a))

## Settings
latents (12: twice the variables is a good start), channels (16), width (256),
pixel_weights (standardised; see `unbraid show autoencoder`), samples (4, of the posterior in the KL),
flow_layers (4), prior_width (32), temperature (2.9 at the end, from 1: how binary interactions become),
logit_factor (0.0005, how much interactions are pushed towards no), noise (0.354).

## What to expect
Latents that stand for single variables, and with each a map of the actions that touch it.
`unbraid score RUN --metrics alignment` assigns latents to variables and shows how well they predict them.

## Reading the log
`touched` is the share of interactions that are on, `decided` how far they are from undecided, up to 1.

## Good to know
On one system of voronoi with six variables: R2 0.98 on the diagonal, 0.03 beside it, interactions F1 0.99 (published
over many: 0.989, 0.019, 0.98), after 20,000 steps. See `docs/sequences.md`.

Identifiable if every variable has its own pattern of actions that touch it, and touching changes how it moves.
Actions of two numbers, a place, are shown to the net as sines and cosines.",
    };
    const RECIPE: &'static str = RECIPE;
    const SUPERVISION: Supervision = Supervision::Actions(Window::TRANSITION);

    fn init(config: &Config, task: &Task, rng: &Rng, device: &Device) -> Self {
        let (latents, layers) = (config.net.latents, config.flow_layers);
        Self {
            net: SequenceVae::new(&config.net, Limit::Learned, layers, task, rng, device),
            prior: InteractionPrior::new(&config.prior, latents, task.action, rng, device),
            samples: config.samples,
        }
    }

    fn prepare(self, data: &dyn Dataset, rng: &Rng, _watch: &dyn Watch) -> Result<Self> {
        Ok(Self { net: self.net.fitted(data, rng), ..self })
    }

    fn largest_gradient(&self) -> Option<f64> {
        Some(1.0)
    }

    fn loss(&self, batch: &Batch, step: &mut Step) -> Loss {
        let evidence = self.net.evidence(batch, Draws::Several(self.samples), step);
        let cost = self.prior.cost(evidence.latents(), batch.actions(), step);
        let kl = (evidence.entropy + cost.nll).mean();
        let [touched, decided] = cost.touched;
        Loss::new(evidence.reconstruction.clone() + kl.clone() + cost.regulariser)
            .term("reconstruction", evidence.reconstruction)
            .term("kl", kl)
            .term("touched", touched)
            .term("decided", decided)
    }

    fn encode(&self, seen: &Batch) -> Code {
        Code { mean: self.net.encode(seen.x()), log_variance: None, kl: None }
    }

    fn abilities(&self) -> Abilities<'_> {
        let interactions: Option<&dyn Interacts> = Some(&self.prior);
        let transition: Option<&dyn Follows> = Some(&self.prior);
        Abilities {
            decoder: Some(&self.net),
            samples: Some(&self.net),
            interactions,
            transition,
            ..Abilities::default()
        }
    }
}
