//! The contract of a method: what it must say, and nothing about how it is trained.
//!
//! A method that learns by gradient implements [`Model`]: settings, `init`, `loss`, `encode`. One with a
//! closed form (raw pixels, principal components) implements [`Baseline`]. Either is one file in `models/`
//! and one line in its registry. What else a method can do it says by [`Abilities`].

use burn::module::Module;
use burn::tensor::{Device, Tensor};
use ndarray::{Array2, ArrayView2};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use unbraid_measure::data::{Dataset, Supervision};
use unbraid_measure::info::Info;
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::Watch;

use crate::error::Result;

mod abilities;
pub mod averages;
pub mod batch;
pub mod entry;
mod fitted;
pub mod learner;
mod loss;
pub mod optimizer;
pub mod rotation;
pub mod stacked;
mod step;
mod task;
mod trained;
pub mod weights;

pub use abilities::{
    Abilities, Concepts, Decoder, Densities, Follows, Interacts, Intervened, Reason, Retrieves,
    Samples, Strengths, Touches,
};
pub use loss::Loss;
pub use step::Step;
pub use task::{Columns, Grid, Task};

use batch::{Batch, Seen};
use weights::Weights;

/// The settings of a model: the keys of `[model]`, with their defaults.
pub trait Settings: Serialize + DeserializeOwned + Default + Clone + Send + Sync + 'static {
    /// Replace every "auto" by its value for this task, and refuse invalid settings.
    fn resolve(&mut self, task: &Task) -> Result<()>;

    /// How many latents a model with these settings has, where they say so.
    fn latents(&self) -> Option<usize> {
        None
    }

    /// The grid of codes that a quantised model with these settings makes of an observation.
    fn grid(&self, _task: &Task) -> Option<Grid> {
        None
    }
}

/// No settings.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Nothing {}

impl Settings for Nothing {
    fn resolve(&mut self, _task: &Task) -> Result<()> {
        Ok(())
    }
}

/// A method trained by gradients.
pub trait Model: Module + 'static {
    /// Its settings.
    type Config: Settings;
    /// What it is.
    const INFO: Info;
    /// Its supervision.
    const SUPERVISION: Supervision;

    /// The defaults of `[train]` and `[score]` with which it works, as TOML, where they are not those of
    /// every method.
    const RECIPE: &'static str = "";

    /// The model that is trained before it and that it stands on, where no run is named as `model.base`.
    const BASE: Option<&'static str> = None;

    /// The supervision that these settings need.
    fn supervision(_config: &Self::Config) -> Supervision {
        Self::SUPERVISION
    }

    /// Build with seeded weights. The settings have been resolved, so this cannot fail.
    fn init(config: &Self::Config, task: &Task, rng: &Rng, device: &Device) -> Self;

    /// The loss that is minimised. All randomness comes from `step`.
    fn loss(&self, batch: &Batch, step: &mut Step) -> Loss;

    /// The posterior, or deterministic code, of observations, with their labels where the data have
    /// any.
    fn encode(&self, seen: &Batch) -> Code;

    // Optional steps of a training.

    /// Once, before the first step: fit to the data what is not trained, such as their mean and scale.
    fn prepare(self, _data: &dyn Dataset, _rng: &Rng, _watch: &dyn Watch) -> Result<Self> {
        Ok(self)
    }

    /// Parameter groups with their own learning rate and betas in this step, by path prefix.
    fn groups(&self, _step: &Step) -> Vec<Group> {
        vec![]
    }

    /// The largest norm of the gradient of all parameters; a larger one is scaled down to it.
    fn largest_gradient(&self) -> Option<f64> {
        None
    }

    /// After each step: update what depends on the weights, such as their moving average.
    fn follow(self, _step: &Step) -> Self {
        self
    }

    /// Once, after the last step: fit what needs the trained model.
    fn finish(self, _data: &dyn Dataset, _rng: &Rng, _watch: &dyn Watch) -> Result<Self> {
        Ok(self)
    }

    /// What else it can do: decode, give densities, intervene on concepts.
    fn abilities(&self) -> Abilities<'_> {
        Abilities::default()
    }
}

/// The code of observations: a posterior, or deterministic features.
#[derive(Debug)]
pub struct Code {
    /// Posterior means, features. `[batch, latents]`
    pub mean: Tensor<2>,
    /// The logarithm of the variance of each, where the model has a Gaussian posterior.
    pub log_variance: Option<Tensor<2>>,
    /// KL(q(z_l|x) ‖ p(z_l)) of each row and latent, where the prior is not N(0, I).
    pub kl: Option<Tensor<2>>,
}

/// A method fitted once to the data, without gradients.
pub trait Baseline: Send + Sized + 'static {
    /// Its settings.
    type Config: Settings;
    /// What it is.
    const INFO: Info;
    /// Its supervision.
    const SUPERVISION: Supervision = Supervision::None;

    /// Fit to the data.
    fn fit(config: &Self::Config, data: &dyn Dataset, rng: &Rng, watch: &dyn Watch)
    -> Result<Self>;

    /// Whether [`encode`](Self::encode) needs labels.
    const SEES_LABELS: bool = false;

    /// Rows of observations, with their labels where the data have any, to rows of codes.
    fn encode(&self, seen: &Seen) -> Array2<f32>;

    /// Rows of codes to rows of observations.
    fn decode(&self, _codes: ArrayView2<f32>) -> Option<Array2<f32>> {
        None
    }

    /// log p(action | before, after) of each action, `[rows, actions]`, if it can tell.
    fn retrieve(&self, _before: &Seen, _after: &Seen) -> Option<Array2<f32>> {
        None
    }

    /// The fitted parameters, by name.
    fn weights(&self) -> Weights;

    /// The inverse of [`weights`](Self::weights).
    fn from_weights(weights: Weights) -> Result<Self>;
}

/// A parameter group with its own learning rate and betas, such as that of a discriminator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Group {
    /// The prefix of their paths.
    pub prefix: &'static str,
    /// Their learning rate, in place of `train.learning_rate`.
    pub rate: f64,
    /// Adam's β₁ and β₂, where the optimiser is Adam.
    pub betas: [f64; 2],
}
