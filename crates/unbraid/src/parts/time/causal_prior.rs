//! What CITRIS-VAE and CITRIS-NF share: the transition prior, the assignment of latents to targets and the
//! target classifier, with their settings.

use burn::module::Module;
use burn::tensor::{Device, Tensor};
use serde::{Deserialize, Serialize};
use unbraid_measure::data::Dataset;
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::Watch;

use super::assignment::Assignment;
use super::autoregressive::Autoregressive;
use super::classifier::Classifier;
use super::targets::{Rates, selected};
use super::transition::{Interventions, Transition};
use crate::error::{Error, Result};
use crate::model::batch::Batch;
use crate::model::{Columns, Follows, Group, Step, Task};
use crate::parts::schedule::warm_cosine;

/// The settings.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CausalSettings {
    /// The weight of the target classifier's losses.
    pub beta_classifier: f64,
    /// How much cheaper ψ₀ is, the place of what no intervention explains; 0 for no ψ₀.
    pub lambda: f64,
    /// The share of the training after which latents may choose ψ₀. At first it is the easy choice for all of
    /// them, before they are of anything. 0, from the start, as published.
    pub rest_after: f64,
    /// The weight of the entropy of the assignment at the start of the training; it falls to 0 at half of it. 0,
    /// none, as published.
    pub annealing: f64,
    /// "perfect", "relative" or "imperfect" interventions.
    pub interventions: Interventions,
    /// Whether the latents of a target may depend on each other, in their order.
    pub autoregressive: bool,
    /// Whether the classifier's base rates are those beside the target of the set: for targets that are not
    /// intervened on independently of each other.
    pub conditional_targets: bool,
    /// Units per latent of the transition prior (16 of an autoregressive one); the classifier has twice as many.
    pub prior_width: usize,
    /// The classifier's learning rate.
    pub classifier_learning_rate: f64,
}

impl Default for CausalSettings {
    fn default() -> Self {
        Self {
            beta_classifier: 2.0,
            lambda: 0.01,
            rest_after: 0.0,
            annealing: 0.0,
            interventions: Interventions::Perfect,
            autoregressive: false,
            conditional_targets: true,
            prior_width: 32,
            classifier_learning_rate: 4e-3,
        }
    }
}

impl CausalSettings {
    /// Refuse what makes no sense, and data in which nothing is intervened on.
    pub fn check(&self, task: &Task) -> Result<()> {
        for (key, value) in [
            ("model.beta_classifier", self.beta_classifier),
            ("model.annealing", self.annealing),
            ("model.classifier_learning_rate", self.classifier_learning_rate),
        ] {
            if !(value.is_finite() && value >= 0.0) {
                return Err(Error::setting(key, "must be a number of at least 0"));
            }
        }
        if !(0.0..1.0).contains(&self.lambda) {
            return Err(Error::setting("model.lambda", "must be from 0 to less than 1"));
        }
        if !(0.0..=1.0).contains(&self.rest_after) {
            return Err(Error::setting("model.rest_after", "must be from 0 to 1"));
        }
        if !(1..=4096).contains(&self.prior_width) {
            return Err(Error::setting("model.prior_width", "must be from 1 to 4096"));
        }
        let known = matches!(self.interventions, Interventions::Perfect | Interventions::Imperfect);
        if self.autoregressive && !known {
            return Err(Error::setting(
                "model.interventions",
                "must be \"perfect\" or \"imperfect\" where model.autoregressive is true",
            ));
        }
        if task.targets.is_empty() {
            return Err(Error::Unable(
                "no step of these data intervenes on a factor, and CITRIS learns from interventions: give \
                 sequences with targets (`targets` of `arrays`), or use slow-vae, which needs none"
                    .into(),
            ));
        }
        Ok(())
    }
}

/// Prior, assignment and classifier.
#[derive(Module, Debug)]
pub struct CausalPrior {
    psi: Assignment,
    transition: Option<Transition>,
    /// Instead of `transition`, where the latents of a target depend on each other.
    autoregressive: Option<Autoregressive>,
    classifier: Classifier,
    rates: Rates,
    #[module(skip)]
    targets: Columns,
    #[module(skip)]
    settings: CausalSettings,
}

/// The parts of the loss.
pub struct Cost {
    /// −log p(z^{t+1} | z^t, I) of each row, `[rows, 1]`.
    pub nll: Tensor<2>,
    /// What the assignment adds to it.
    pub beside: Tensor<1>,
    /// The classifier's own loss.
    pub classifier: Tensor<1>,
    /// What it costs latents and assignment.
    pub targets: Tensor<1>,
}

impl CausalPrior {
    /// With seeded weights.
    pub fn new(
        settings: &CausalSettings,
        latents: usize,
        task: &Task,
        rng: &Rng,
        device: &Device,
    ) -> Self {
        let CausalSettings { lambda, prior_width, interventions, autoregressive, .. } = *settings;
        let targets = task.targets.len();
        let sizes = [latents, targets, prior_width];
        let [prior, classifier] = &mut ["prior", "classifier"].map(|part| rng.split(part));
        Self {
            psi: Assignment::new(latents, targets, lambda > 0.0, device),
            transition: (!autoregressive)
                .then(|| Transition::new(sizes, interventions, lambda, prior, device)),
            autoregressive: autoregressive.then(|| {
                let perfect = interventions == Interventions::Perfect;
                Autoregressive::new([latents, targets], perfect, lambda, prior, device)
            }),
            classifier: Classifier::new(latents, targets, 2 * prior_width, classifier, device),
            rates: Rates::unknown(targets, device),
            targets: task.targets,
            settings: settings.clone(),
        }
    }

    /// With the base rates of these data.
    pub fn counted(mut self, data: &dyn Dataset, watch: &dyn Watch) -> Result<Self> {
        self.rates = Rates::counted(data, self.targets, watch, &self.rates.alone().device())?;
        Ok(self)
    }

    /// The classifier learns at its own rate; `prefix` is where it is in the model.
    pub fn groups(&self, prefix: &'static str, step: &Step) -> Vec<Group> {
        let rate = self.settings.classifier_learning_rate * warm_cosine(step);
        vec![Group { prefix, rate, betas: [0.9, 0.999] }]
    }

    /// Of the latents of transitions, `[rows, latents]` each; of several samples of a transition, the first
    /// rows are classified.
    pub fn cost(&self, [before, after]: [Tensor<2>; 2], batch: &Batch, step: &mut Step) -> Cost {
        let targets = selected(batch.targets(), self.targets);
        let (once, rows) = (targets.dims()[0], after.dims()[0]);
        let early = (step.number as f64) < self.settings.rest_after * step.total as f64;
        let psi = if early { self.psi.without_rest() } else { self.psi.clone() };
        let drawn = psi.sample(once, step);
        let again = |table: Tensor<2>| table.repeat_dim(0, rows / once);
        let (z, i) = ([before.clone(), after.clone()], again(targets.clone()));
        let each = drawn.clone().repeat_dim(0, rows / once);
        let told = match &self.autoregressive {
            Some(prior) => prior.cost(z, i, &psi, each),
            None => self.independent().cost(z, i, &psi, each),
        };
        let first = [before, after].map(|z| z.narrow(0, 0, once));
        let conditional = self.settings.conditional_targets;
        let losses = self.classifier.losses(first, drawn, targets, &self.rates, conditional);
        Cost {
            nll: told.nll.sum_dim(1),
            beside: told.beside - psi.entropy() * self.softness(step),
            classifier: losses.model,
            targets: losses.latents,
        }
    }

    fn independent(&self) -> &Transition {
        self.transition.as_ref().expect("the prior is one or the other")
    }

    /// How much the entropy of the assignment counts: less and less, and from half of the training on nothing.
    fn softness(&self, step: &Step) -> f64 {
        let done = step.number as f64 / step.total.max(1) as f64;
        self.settings.annealing * (1.0 - 2.0 * done).max(0.0)
    }

    /// The factor of each latent; none for those of ψ₀.
    pub fn blocks(&self) -> Vec<Option<usize>> {
        let columns: Vec<usize> = self.targets.iter().collect();
        self.psi.choices().into_iter().map(|choice| choice.map(|k| columns[k])).collect()
    }

    /// The weight of the classifier's losses.
    pub fn beta_classifier(&self) -> f64 {
        self.settings.beta_classifier
    }
}

impl Follows for CausalPrior {
    fn next(&self, before: Tensor<2>, targets: Tensor<2>, _actions: Tensor<2>) -> Tensor<2> {
        let targets = selected(targets, self.targets);
        let choices = self.psi.choices();
        match &self.autoregressive {
            Some(prior) => prior.next(before, targets, &choices),
            None => self.independent().next(before, targets, &choices).mean,
        }
    }
}
