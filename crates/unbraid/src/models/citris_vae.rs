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
use unbraid_measure::settings::words;
use unbraid_measure::watch::Watch;

use crate::error::{Error, Result};
use crate::model::batch::Batch;
use crate::model::{Abilities, Code, Columns, Group, Loss, Model, Settings, Step, Task};
use crate::parts::nets::simple::{Limit, SimpleSettings};
use crate::parts::schedule::{Schedule, warm_cosine};
use crate::parts::time::assignment::Assignment;
use crate::parts::time::classifier::Classifier;
use crate::parts::time::sequence_vae::{Draws, SequenceVae};
use crate::parts::time::targets::{Rates, selected};
use crate::parts::time::transition::Transition;

words! {
    /// What an intervention leaves of the mechanism.
    pub enum Interventions {
        /// Nothing: the new value does not depend on the frame before.
        Perfect = "perfect",
        /// Something: it may.
        Imperfect = "imperfect",
    }
}

/// The settings of a CITRIS-VAE.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Config {
    /// The weight of the KL divergence; may follow a schedule.
    pub beta: Schedule,
    /// The weight of the target classifier's losses.
    pub beta_classifier: f64,
    /// How much cheaper ψ₀ is, the place of what no intervention explains; 0 for no ψ₀.
    pub lambda: f64,
    /// "perfect" or "imperfect" interventions.
    pub interventions: Interventions,
    /// Whether the classifier's base rates are those beside the target of the set.
    pub conditional_targets: bool,
    /// Layers of the flow between decoder and prior; 0 for none.
    pub flow_layers: usize,
    /// Units per latent of the transition prior; the classifier has twice as many.
    pub prior_width: usize,
    /// The classifier's learning rate.
    pub classifier_learning_rate: f64,
    /// The networks.
    #[serde(flatten)]
    pub net: SimpleSettings,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            beta: 1.0.into(),
            beta_classifier: 2.0,
            lambda: 0.01,
            interventions: Interventions::Perfect,
            conditional_targets: true,
            flow_layers: 4,
            prior_width: 32,
            classifier_learning_rate: 4e-3,
            net: SimpleSettings::default(),
        }
    }
}

impl Settings for Config {
    fn latents(&self) -> Option<usize> {
        self.net.latents()
    }

    fn resolve(&mut self, task: &Task) -> Result<()> {
        self.beta.check("model.beta", 0.0)?;
        for (key, value) in [
            ("model.beta_classifier", self.beta_classifier),
            ("model.classifier_learning_rate", self.classifier_learning_rate),
        ] {
            if !(value.is_finite() && value >= 0.0) {
                return Err(Error::setting(key, "must be a number of at least 0"));
            }
        }
        if !(0.0..1.0).contains(&self.lambda) {
            return Err(Error::setting("model.lambda", "must be from 0 to less than 1"));
        }
        self.net.resolve(task)
    }
}

/// The CITRIS-VAE.
#[derive(Module, Debug)]
pub struct CitrisVae {
    net: SequenceVae,
    psi: Assignment,
    prior: Transition,
    classifier: Classifier,
    rates: Rates,
    #[module(skip)]
    targets: Columns,
    #[module(skip)]
    beta: Schedule,
    #[module(skip)]
    beta_classifier: f64,
    #[module(skip)]
    classifier_learning_rate: f64,
    #[module(skip)]
    conditional: bool,
}

impl Model for CitrisVae {
    type Config = Config;
    const INFO: Info = Info {
        name: "citris-vae",
        title: "CITRIS-VAE",
        summary: "causal variables of a sequence with known intervention targets",
        paper: "Lippe et al., CITRIS: Causal Identifiability from Temporal Intervened Sequences, ICML 2022",
        page: "TODO",
    };
    const RECIPE: &'static str = "\
[train]
steps = 20_000
batch = 128
learning_rate = { schedule = 'warmup', to = 1e-3, steps = 100 }";
    const SUPERVISION: Supervision = Supervision::Targets(Window::TRANSITION);

    fn init(config: &Config, task: &Task, rng: &Rng, device: &Device) -> Self {
        let (latents, targets) = (config.net.latents, task.targets.len());
        let width = config.prior_width;
        let prior = &mut rng.split("prior");
        let perfect = config.interventions == Interventions::Perfect;
        let classifier = &mut rng.split("classifier");
        Self {
            net: SequenceVae::new(&config.net, Limit::Fixed, config.flow_layers, task, rng, device),
            psi: Assignment::new(latents, targets, config.lambda > 0.0, device),
            prior: Transition::new([latents, targets, width], perfect, config.lambda, prior, device),
            classifier: Classifier::new(latents, targets, 2 * width, classifier, device),
            rates: Rates::unknown(targets, device),
            targets: task.targets,
            beta: config.beta,
            beta_classifier: config.beta_classifier,
            classifier_learning_rate: config.classifier_learning_rate,
            conditional: config.conditional_targets,
        }
    }

    fn prepare(mut self, data: &dyn Dataset, rng: &Rng, watch: &dyn Watch) -> Result<Self> {
        self.rates = Rates::counted(data, self.targets, watch, &self.rates.alone().device())?;
        self.net = self.net.fitted(data, rng);
        Ok(self)
    }

    fn groups(&self, step: &Step) -> Vec<Group> {
        let rate = self.classifier_learning_rate * warm_cosine(step);
        vec![Group { prefix: "classifier", rate, betas: [0.9, 0.999] }]
    }

    fn largest_gradient(&self) -> Option<f64> {
        Some(1.0)
    }

    fn loss(&self, batch: &Batch, step: &mut Step) -> Loss {
        let evidence = self.net.evidence(batch, Draws::One, step);
        let targets = selected(batch.targets(), self.targets);
        let rows = targets.dims()[0];
        let drawn = self.psi.sample(rows, step);
        let z = evidence.latents();
        let cost = self.prior.cost(z.clone(), targets.clone(), &self.psi, drawn.clone());
        let kl = (evidence.entropy + cost.nll.sum_dim(1)).mean();
        let told = self.classifier.losses(z, drawn, targets, &self.rates, self.conditional);
        let kl_cost = (kl.clone() + cost.beside) * self.beta.at(step);
        let classified = (told.model.clone() + told.latents.clone()) * self.beta_classifier;
        Loss::new(evidence.reconstruction.clone() + kl_cost + classified)
            .term("reconstruction", evidence.reconstruction)
            .term("kl", kl)
            .term("classifier", told.model)
            .term("targets", told.latents)
    }

    fn encode(&self, seen: &Batch) -> Code {
        Code { mean: self.net.encode(seen.x()), log_variance: None, kl: None }
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { decoder: Some(&self.net), blocks: self.blocks(), ..Abilities::default() }
    }
}

impl CitrisVae {
    /// The factor of each latent.
    fn blocks(&self) -> Option<Vec<Option<usize>>> {
        let columns: Vec<usize> = self.targets.iter().collect();
        Some(self.psi.choices().into_iter().map(|choice| choice.map(|k| columns[k])).collect())
    }
}
