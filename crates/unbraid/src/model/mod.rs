//! The contract of a method: what it computes, not how it is trained.
//!
//! A method trained by gradients implements [`Model`]; one with a closed form (raw pixels,
//! principal components) implements [`Baseline`]. Either is one file in `models/` and one line in
//! its registry.

pub mod batch;
pub mod learner;
pub mod optimizer;
pub mod rotation;
pub mod weights;

use std::collections::HashMap;

use burn::module::{Module, ParamId};
use burn::tensor::{Device, Tensor, TensorData};
use ndarray::{Array2, ArrayView2};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use unbraid_measure::data::{Dataset, Do, Shape, Supervision};
use unbraid_measure::info::Info;
use unbraid_measure::rng::Rng;
use unbraid_measure::settings;

use crate::error::{Error, Result};
use crate::model::batch::{Batch, Seen};
use crate::model::weights::Weights;

/// What a model knows about its data before training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Task {
    /// The shape of an observation.
    pub shape: Shape,
    /// How many rows there are.
    pub rows: usize,
    /// How many numbers a label has; 0 without labels.
    pub label: usize,
}

impl Task {
    /// The task of a data set.
    pub fn of(data: &dyn Dataset) -> Self {
        let label = if data.is_empty() { None } else { data.label(0) };
        Self { shape: data.shape(), rows: data.len(), label: label.map_or(0, |label| label.len()) }
    }
}

/// The settings of a model: the keys of `[model]`, with their defaults.
pub trait Settings: Serialize + DeserializeOwned + Default {
    /// Replace every "auto" by its value for this task, and refuse invalid settings.
    fn resolve(&mut self, task: &Task) -> Result<()>;
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
    type Config: Settings + Send;
    /// What it is.
    const INFO: Info;
    /// Its supervision.
    const SUPERVISION: Supervision;

    /// The supervision that these settings need.
    fn supervision(_config: &Self::Config) -> Supervision {
        Self::SUPERVISION
    }

    /// Build with seeded weights. The settings have been resolved, so this cannot fail.
    fn init(config: &Self::Config, task: &Task, rng: &Rng, device: &Device) -> Self;

    /// Once, before the first step: fit to the data what is not trained, such as their mean and scale.
    fn prepare(self, _data: &dyn Dataset, _rng: &Rng) -> Result<Self> {
        Ok(self)
    }

    /// The loss that is minimised. All randomness comes from `step`.
    fn loss(&self, batch: &Batch, step: &mut Step) -> Loss;

    /// Parameter groups with their own learning rate and betas in this step, by path prefix.
    fn groups(&self, _step: &Step) -> Vec<Group> {
        vec![]
    }

    /// After each step: update what depends on the weights, such as their moving average.
    fn follow(self, _step: &Step) -> Self {
        self
    }

    /// Once, after the last step: fit what needs the trained model.
    fn finish(self, _data: &dyn Dataset, _rng: &Rng) -> Result<Self> {
        Ok(self)
    }

    /// Whether [`encode`](Self::encode) needs labels.
    fn sees_labels(&self) -> bool {
        false
    }

    /// The posterior, or deterministic code, of observations, with their labels where the data have
    /// any.
    fn encode(&self, seen: &Batch) -> Code;

    /// The expected observation given codes, for methods that have a decoder.
    fn decode(&self, _z: Tensor<2>) -> Option<Tensor<4>> {
        None
    }

    /// The expected observation where codes `from` are changed to `to`, row by row. The change
    /// passes on to latents that depend on others.
    fn decode_changed(&self, _from: Tensor<2>, to: Tensor<2>) -> Option<Tensor<4>> {
        self.decode(to)
    }

    /// How many latents each layer has, from the bottom, for methods with several layers of latents.
    fn layers(&self) -> Vec<usize> {
        vec![]
    }

    /// log p(x, z) − log q(z|x) of `draws` samples of z for each row, consecutively,
    /// `[rows · draws]`; for methods that have both densities.
    fn log_weights(&self, _seen: &Batch, _draws: usize, _step: &mut Step) -> Option<Tensor<1>> {
        None
    }

    /// The concepts, for methods whose latents stand for labels.
    fn concepts(&self) -> Option<&dyn Concepts> {
        None
    }
}

/// A model whose latents stand for concepts: the labels of the data, in their order.
pub trait Concepts {
    /// How many latents each concept has; they are contiguous.
    fn dimensions(&self) -> usize;

    /// The learned causal graph, where the model has one.
    fn graph(&self) -> Option<Strengths>;

    /// The label values that latents stand for, `[batch, concepts]`.
    fn values(&self, z: Tensor<2>) -> Tensor<2>;

    /// The counterfactuals of rows with latents z under interventions that set concepts to these
    /// values, in the units of the labels.
    fn intervene(&self, z: Tensor<2>, dos: &[Do]) -> Intervened;
}

/// A weighted causal graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Strengths {
    /// `[cause, effect]`, 0 where there is no edge.
    pub matrix: Array2<f32>,
    /// An edge counts if its absolute strength is above this.
    pub least: f32,
}

impl Strengths {
    /// The edges that count, `[cause, effect]`: 1 or 0.
    pub fn present(&self) -> Array2<u8> {
        let mut edges = self.matrix.mapv(|strength| u8::from(strength.abs() > self.least));
        edges.diag_mut().fill(0);
        edges
    }
}

/// Rows under an intervention.
#[derive(Debug)]
pub struct Intervened {
    /// Their latents. `[batch, latents]`
    pub z: Tensor<2>,
    /// The expected observations.
    pub x: Tensor<4>,
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
    type Config: Settings + Send;
    /// What it is.
    const INFO: Info;
    /// Its supervision.
    const SUPERVISION: Supervision = Supervision::None;

    /// Fit to the data.
    fn fit(config: &Self::Config, data: &dyn Dataset, rng: &Rng) -> Result<Self>;

    /// Whether [`encode`](Self::encode) needs labels.
    const SEES_LABELS: bool = false;

    /// Rows of observations, with their labels where the data have any, to rows of codes.
    fn encode(&self, seen: &Seen) -> Array2<f32>;

    /// Rows of codes to rows of observations.
    fn decode(&self, _codes: ArrayView2<f32>) -> Option<Array2<f32>> {
        None
    }

    /// The fitted parameters, by name.
    fn weights(&self) -> Weights;

    /// The inverse of [`weights`](Self::weights).
    fn from_weights(weights: Weights) -> Result<Self>;
}

/// A parameter group with its own learning rate and Adam, such as that of a discriminator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Group {
    /// The prefix of their paths.
    pub prefix: &'static str,
    /// Their learning rate, in place of `train.learning_rate`.
    pub rate: f64,
    /// Adam's β₁ and β₂.
    pub betas: [f64; 2],
}

/// Refuse a name that is not among the known ones.
pub fn one_of(key: &str, given: &str, known: &[&str]) -> Result<()> {
    match known.contains(&given) {
        true => Ok(()),
        false => Err(Error::setting(key, settings::unknown_word(given, known))),
    }
}

/// The loss, with its named terms for the log.
#[derive(Debug)]
pub struct Loss {
    /// The value that is differentiated.
    pub total: Tensor<1>,
    /// Its terms, in the order of the log.
    pub terms: Vec<(&'static str, Tensor<1>)>,
    /// KL(q(z_l|x) ‖ p(z_l)) of each latent, averaged over the batch, for models that have one.
    pub latents: Option<Tensor<1>>,
    /// How many latents each layer has, from the bottom, where there are layers.
    pub layers: Vec<usize>,
    /// A `[cause, effect]`, where a graph is learned.
    pub graph: Option<Tensor<2>>,
}

impl Loss {
    /// A loss without named terms.
    pub fn new(total: Tensor<1>) -> Self {
        Self { total, terms: vec![], latents: None, layers: vec![], graph: None }
    }

    /// Add the KL of each latent.
    pub fn latents(mut self, kl: Tensor<1>) -> Self {
        self.latents = Some(kl);
        self
    }

    /// Set the layer sizes of the latents.
    pub fn layers(mut self, sizes: &[usize]) -> Self {
        self.layers = sizes.to_vec();
        self
    }

    /// Add the learned graph.
    pub fn graph(mut self, a: Tensor<2>) -> Self {
        self.graph = Some(a);
        self
    }

    /// Add a named term.
    pub fn term(mut self, name: &'static str, value: Tensor<1>) -> Self {
        self.terms.push((name, value));
        self
    }
}

/// The statistics of a batch in batch-norm layers, by the parameter that stores their moving average.
pub type BatchStatistics = HashMap<ParamId, Tensor<1>>;

/// The current training step, and the only source of randomness in a loss.
#[derive(Clone, Debug)]
pub struct Step {
    /// Counted from 0.
    pub number: u64,
    /// The total number of steps.
    pub total: u64,
    noise: Rng,
    seen: BatchStatistics,
}

impl Step {
    /// Step `number` of `total`; its random numbers depend on the generator and the number alone.
    pub fn new(number: u64, total: u64, rng: &Rng) -> Self {
        Self { number, total, noise: rng.at(number), seen: BatchStatistics::new() }
    }

    /// Keep the batch-norm statistics of the batch, to update the moving averages after the step.
    pub fn keep(&mut self, seen: BatchStatistics) {
        self.seen = seen;
    }

    /// The statistics that were kept.
    pub fn seen(&mut self) -> BatchStatistics {
        std::mem::take(&mut self.seen)
    }

    /// The numbers below `count` in a random order.
    pub fn permutation(&mut self, count: usize) -> Vec<usize> {
        self.noise.permutation(count)
    }

    /// Standard normal noise.
    pub fn noise<const D: usize>(&mut self, shape: [usize; D], device: &Device) -> Tensor<D> {
        let mut values = vec![0.0; shape.iter().product()];
        self.noise.fill_normal(&mut values);
        Tensor::from_data(TensorData::new(values, shape), device)
    }

    /// Uniform noise in -1..1.
    pub fn uniform<const D: usize>(&mut self, shape: [usize; D], device: &Device) -> Tensor<D> {
        let mut values = vec![0.0; shape.iter().product()];
        self.noise.fill_uniform(&mut values);
        for value in &mut values {
            *value = 2.0 * *value - 1.0;
        }
        Tensor::from_data(TensorData::new(values, shape), device)
    }
}
