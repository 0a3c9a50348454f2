//! CITRIS-VAE: Lippe, Magliacane, Löwe, Asano, Cohen, Gavves, CITRIS: Causal Identifiability from Temporal
//! Intervened Sequences, ICML 2022, arXiv:2202.03169.
//!
//! ```text
//! L = E[−log p(x^{t+1}|z^{t+1})] + β E[log q(z^{t+1}|x^{t+1}) − log p(z^{t+1} | z^t, I)] + β_c (L_model + L_z)
//! ```
//!
//! The prior (`parts/time/transition.rs`) speaks of latents after a normalising flow, as does everything but
//! the decoder; which latent belongs to which target is learned (`assignment.rs`) with the help of a
//! classifier (`classifier.rs`). Known defects of the released code that are not copied: its command line
//! switches ψ₀ off (λ = 0), against the paper; of the branches without a flow prior one multiplies 1 − λ
//! onto the last latent, another onto the wrong blocks; base rates of targets are running means, here they
//! are counted once; ActNorm starts from the first batch of a training, here from rows drawn before it. Weight
//! decay of the classifier (1e-4) is left out.

use burn::module::Module;
use burn::tensor::Device;
use serde::{Deserialize, Serialize};
use unbraid_measure::data::{Dataset, Supervision, Window};
use unbraid_measure::info::Info;
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::Watch;

use crate::error::{Error, Result};
use crate::model::batch::Batch;
use crate::model::{Abilities, Code, Follows, Group, Loss, Model, Settings, Step, Task};
use crate::parts::nets::simple::{Limit, SimpleSettings};
use crate::parts::schedule::Schedule;
use crate::parts::time::RECIPE;
use crate::parts::time::causal_prior::{CausalPrior, CausalSettings};
use crate::parts::time::sequence_vae::{Draws, SequenceVae};

/// The settings of a CITRIS-VAE.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Config {
    /// The weight of the KL divergence; may follow a schedule.
    pub beta: Schedule,
    /// Layers of the flow between decoder and prior; 0 for none.
    pub flow_layers: usize,
    /// The share of the training in which images are learned alone, with a standard normal prior. 0, as published.
    pub images_first: f64,
    /// Prior, assignment and classifier.
    #[serde(flatten)]
    pub causal: CausalSettings,
    /// The networks.
    #[serde(flatten)]
    pub net: SimpleSettings,
}

impl Default for Config {
    fn default() -> Self {
        let (causal, net) = (CausalSettings::default(), SimpleSettings::default());
        Self { beta: 1.0.into(), flow_layers: 4, images_first: 0.0, causal, net }
    }
}

impl Settings for Config {
    fn latents(&self) -> Option<usize> {
        self.net.latents()
    }

    fn resolve(&mut self, task: &Task) -> Result<()> {
        self.beta.check("model.beta", 0.0)?;
        if !(0.0..1.0).contains(&self.images_first) {
            return Err(Error::setting("model.images_first", "must be from 0 to less than 1"));
        }
        self.causal.check(task)?;
        self.net.resolve(task)
    }
}

/// The CITRIS-VAE.
#[derive(Module, Debug)]
pub struct CitrisVae {
    net: SequenceVae,
    prior: CausalPrior,
    #[module(skip)]
    beta: Schedule,
    #[module(skip)]
    images_first: f64,
}

impl Model for CitrisVae {
    type Config = Config;
    const INFO: Info = Info {
        name: "citris-vae",
        title: "CITRIS-VAE",
        summary: "causal variables of a sequence with known intervention targets",
        paper: "Lippe et al., CITRIS: Causal Identifiability from Temporal Intervened Sequences, ICML 2022",
        page: "\
## What it is
Causal variables recovered from a sequence of images in which somebody intervenes, and says on what: the
targets. Each variable that is intervened on gets its own latents, and what no intervention explains gets the
rest.

    L = E[-log p(x'|z')] + beta E[log q(z'|x') - log p(z'|z, I)] + beta_classifier (L_model + L_z)

The prior lets the latents of a target follow the frame before, unless it is intervened on. Which latent
belongs to which target is learned (the assignment psi), with the help of a classifier: the latents of target
i must tell whether i was intervened on, and nothing about the other targets.

## Settings
latents (16), channels (16, of the first layers), width (256, of dense layers), pixel_weights (standardised; see
`unbraid show autoencoder`), beta (1; may follow a schedule), beta_classifier (2),
lambda (0.01, how much cheaper the rest psi0 is; 0 for none), interventions (perfect; relative where something is
pushed from what it would have been; imperfect where a new value may depend on anything), annealing (0, the weight of
the entropy of the assignment at the start) and rest_after (0, the share of the training after which psi0 may be
chosen), which keep latents from deciding too early, images_first (0, the share of the training in which images are
learned alone; the two shares above count from its start too), autoregressive (false; true lets the latents of a
target depend on each other, with perfect or imperfect interventions), conditional_targets (true: for targets that are not drawn independently),
flow_layers (4), prior_width (32), classifier_learning_rate (0.004), noise (0.354: the sum of squared errors of
images from -1 to 1).

## What to expect
`unbraid score RUN --metrics alignment` shows how well the latents of each variable predict it (r2_diagonal)
and others (r2_separation). In published runs on pong a block learns at some point and fast: the paddles
first, then the ball, its direction last, after 16,000 to 25,000 steps of 512. `unbraid intervene RUN
--triplets` mixes two images by their latents.

## Reading the log
`classifier` is the loss of the target classifier, `targets` what it costs the latents: both fall as blocks
find their variables. `kl` rises when a variable is discovered.

## Good to know
On pong `studies/pong.toml` reaches R2 0.99 for all five variables (one seed, test frames; see `docs/sequences.md`). Few
latents help: with 16 the direction hides among the latents of the ball's place.

What must hold for the variables to be identifiable: each is intervened on at some steps, no two always
together, and frames show the whole state. Otherwise you are told, and get fewer variables.",
    };
    const RECIPE: &'static str = RECIPE;
    const SUPERVISION: Supervision = Supervision::Targets(Window::TRANSITION);

    fn init(config: &Config, task: &Task, rng: &Rng, device: &Device) -> Self {
        let layers = config.flow_layers;
        Self {
            net: SequenceVae::new(&config.net, Limit::Fixed, layers, task, rng, device),
            prior: CausalPrior::new(&config.causal, config.net.latents, task, rng, device),
            beta: config.beta,
            images_first: config.images_first,
        }
    }

    fn prepare(self, data: &dyn Dataset, rng: &Rng, watch: &dyn Watch) -> Result<Self> {
        let (net, prior) = (self.net.fitted(data, rng), self.prior.counted(data, watch)?);
        Ok(Self { net, prior, ..self })
    }

    fn groups(&self, step: &Step) -> Vec<Group> {
        self.prior.groups("prior.classifier", step)
    }

    fn largest_gradient(&self) -> Option<f64> {
        Some(1.0)
    }

    fn loss(&self, batch: &Batch, step: &mut Step) -> Loss {
        if (step.number as f64) < self.images_first * step.total as f64 {
            return self.net.of_images(batch.transition().1, self.beta.at(step), step);
        }
        let evidence = self.net.evidence(batch, Draws::One, step);
        let cost = self.prior.cost(evidence.latents(), batch, step);
        let kl = (evidence.entropy + cost.nll).mean();
        let told = (cost.classifier.clone() + cost.targets.clone()) * self.prior.beta_classifier();
        let prior = (kl.clone() + cost.beside) * self.beta.at(step);
        Loss::new(evidence.reconstruction.clone() + prior + told)
            .term("reconstruction", evidence.reconstruction)
            .term("kl", kl)
            .term("classifier", cost.classifier)
            .term("targets", cost.targets)
    }

    fn encode(&self, seen: &Batch) -> Code {
        Code { mean: self.net.encode(seen.x()), log_variance: None, kl: None }
    }

    fn abilities(&self) -> Abilities<'_> {
        let blocks = Some(self.prior.blocks());
        let transition: Option<&dyn Follows> = Some(&self.prior);
        Abilities {
            decoder: Some(&self.net),
            samples: Some(&self.net),
            blocks,
            transition,
            ..Abilities::default()
        }
    }
}
