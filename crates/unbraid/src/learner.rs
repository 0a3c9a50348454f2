//! The one place where types are erased: any method, trained or fitted, behind plain arrays.
//!
//! Nobody implements [`Learner`] by hand: `Trained` does for every [`Model`], `Fitted` for every
//! [`Baseline`]. What stands right of this file in the flow knows neither burn nor a model's type.

use burn::optim::GradientsParams;
use burn::tensor::Tensor;
use ndarray::{Array2, ArrayView2};
use toml::Table;
use unbraid_measure::data::{Dataset, Draw, Shape, Supervision};
use unbraid_measure::info::Info;
use unbraid_measure::rng::Rng;
use unbraid_measure::settings;

use crate::batch::{self, Batch};
use crate::device;
use crate::error::{Error, Result};
use crate::model::{Baseline, Model, Settings, Step, Task};
use crate::optimizer::Optimizer;
use crate::weights::{self, Weights};
use crate::workers::on_workers;

/// How many rows are encoded or decoded at once: few enough for their maps to stay in cache.
const CHUNK: usize = 64;

/// The named numbers of one step; `loss` first.
pub type Terms = Vec<(&'static str, f32)>;

/// A registry entry: a method by name, from settings to something that learns.
pub struct Entry {
    /// What it is.
    pub info: Info,
    /// What it learns from.
    pub supervision: Supervision,
    /// Whether it takes gradient steps; a baseline is fitted at once.
    pub takes_steps: bool,
    /// The settings of `[model]` with every default spelled out, or why they cannot work.
    pub resolve: fn(&Table, &Task) -> Result<Table>,
    /// Something that can learn, with weights drawn from the generator.
    pub build: fn(&Table, &Task, &Rng) -> Result<Box<dyn Learner>>,
}

/// Something that learns and encodes. Rows in, rows out.
pub trait Learner: Send {
    /// Fit what needs no steps. Does nothing for a model that learns by gradient.
    fn fit(&mut self, _data: &dyn Dataset, _rng: &Rng) -> Result<()> {
        Ok(())
    }

    /// One update, unless a term of the loss is not finite: then nothing changes, and the terms
    /// say so.
    fn step(&mut self, draw: &Draw, step: Step, rate: f64) -> Terms;

    /// `[rows, numbers]` to `[rows, latents]`
    fn encode(&self, observations: ArrayView2<f32>) -> Array2<f32>;

    /// `[rows, latents]` to `[rows, numbers]`, if the method has a decoder.
    fn decode(&self, codes: ArrayView2<f32>) -> Option<Array2<f32>>;

    /// Everything learned, by name.
    fn weights(&self) -> Weights;

    /// Take over what [`weights`](Self::weights) gave.
    fn set_weights(&mut self, weights: Weights) -> Result<()>;

    /// The optimiser's memory, as bytes.
    fn optimizer_state(&self) -> Vec<u8>;

    /// Take over what [`optimizer_state`](Self::optimizer_state) gave.
    fn set_optimizer_state(&mut self, state: &[u8]) -> Result<()>;
}

/// The entry of a model.
pub const fn model<M: Model>() -> Entry {
    Entry {
        info: M::INFO,
        supervision: M::SUPERVISION,
        takes_steps: true,
        resolve: resolve::<M::Config>,
        build: |given, task, rng| {
            let config = parse::<M::Config>(given, task)?;
            let model = M::init(&config, task, rng, &device::training());
            Ok(Box::new(Trained {
                model: Some(model),
                optimizer: Optimizer::adam(),
                shape: task.shape,
            }))
        },
    }
}

/// The entry of a baseline.
pub const fn baseline<B: Baseline>() -> Entry {
    Entry {
        info: B::INFO,
        supervision: Supervision::None,
        takes_steps: false,
        resolve: resolve::<B::Config>,
        build: |given, task, _rng| {
            let config = parse::<B::Config>(given, task)?;
            Ok(Box::new(Fitted::<B> { config, fitted: None }))
        },
    }
}

fn parse<C: Settings>(given: &Table, task: &Task) -> Result<C> {
    let mut config: C = settings::parse("model", given)?;
    config.resolve(task)?;
    Ok(config)
}

fn resolve<C: Settings>(given: &Table, task: &Task) -> Result<Table> {
    Ok(settings::to_table(&parse::<C>(given, task)?))
}

/// A model with its optimiser.
struct Trained<M: Model> {
    /// Empty only while the optimiser holds it.
    model: Option<M>,
    optimizer: Optimizer,
    shape: Shape,
}

impl<M: Model> Trained<M> {
    fn model(&self) -> &M {
        self.model.as_ref().expect("the model is only away during a step")
    }
}

impl<M: Model> Learner for Trained<M> {
    fn step(&mut self, draw: &Draw, mut step: Step, rate: f64) -> Terms {
        let model = self.model.take().expect("the model is only away during a step");
        let batch = Batch::new(draw, self.shape, &device::training());
        let loss = model.loss(&batch, &mut step);
        let scalar = |value: &Tensor<1>| value.clone().into_scalar::<f32>();
        let mut terms = vec![("loss", scalar(&loss.total))];
        terms.extend(loss.terms.iter().map(|(name, value)| (*name, scalar(value))));
        if terms.iter().any(|(_, value)| !value.is_finite()) {
            self.model = Some(model);
            return terms;
        }
        let gradients = GradientsParams::from_grads(loss.total.backward(), &model);
        self.model = Some(self.optimizer.step(rate, model, gradients));
        terms
    }

    fn encode(&self, observations: ArrayView2<f32>) -> Array2<f32> {
        let (model, shape) = (self.model().valid(), self.shape);
        on_workers(move || {
            in_chunks(&observations, |rows, count| {
                let x = batch::images(rows, count, shape, &device::inference());
                batch::numbers(model.encode(x))
            })
        })
    }

    fn decode(&self, codes: ArrayView2<f32>) -> Option<Array2<f32>> {
        let (model, latents) = (self.model().valid(), codes.ncols());
        on_workers(move || {
            let decode = |rows: &[f32], count: usize| {
                model.decode(batch::matrix(rows, count, latents, &device::inference()))
            };
            // Ask once whether there is a decoder at all.
            decode(&vec![0.0; latents], 1)?;
            Some(in_chunks(&codes, |rows, count| {
                decode(rows, count).map(batch::numbers).unwrap_or_default()
            }))
        })
    }

    fn weights(&self) -> Weights {
        weights::of(self.model())
    }

    fn set_weights(&mut self, weights: Weights) -> Result<()> {
        let model = self.model.take().expect("the model is only away during a step");
        self.model = Some(weights::into(model, weights).map_err(Error::Unable)?);
        Ok(())
    }

    fn optimizer_state(&self) -> Vec<u8> {
        self.optimizer.state()
    }

    fn set_optimizer_state(&mut self, state: &[u8]) -> Result<()> {
        self.optimizer = Optimizer::from_state(state, &self.weights(), &device::inference())?;
        Ok(())
    }
}

/// Apply `f` to chunks of rows and stack what it gives.
fn in_chunks(rows: &ArrayView2<f32>, f: impl Fn(&[f32], usize) -> Vec<f32>) -> Array2<f32> {
    let mut out = Vec::new();
    for chunk in rows.axis_chunks_iter(ndarray::Axis(0), CHUNK) {
        let contiguous = chunk.as_standard_layout();
        let numbers = contiguous.as_slice().expect("standard layout is contiguous");
        out.extend(f(numbers, chunk.nrows()));
    }
    let width = out.len() / rows.nrows().max(1);
    Array2::from_shape_vec((rows.nrows(), width), out).expect("every row has the same width")
}

/// A baseline, before and after fitting.
struct Fitted<B: Baseline> {
    config: B::Config,
    fitted: Option<B>,
}

impl<B: Baseline> Fitted<B> {
    fn fitted(&self) -> &B {
        self.fitted.as_ref().expect("a baseline is fitted or loaded before it is used")
    }
}

impl<B: Baseline> Learner for Fitted<B> {
    fn fit(&mut self, data: &dyn Dataset, rng: &Rng) -> Result<()> {
        self.fitted = Some(B::fit(&self.config, data, rng)?);
        Ok(())
    }

    fn step(&mut self, _draw: &Draw, _step: Step, _rate: f64) -> Terms {
        vec![]
    }

    fn encode(&self, observations: ArrayView2<f32>) -> Array2<f32> {
        self.fitted().encode(observations)
    }

    fn decode(&self, codes: ArrayView2<f32>) -> Option<Array2<f32>> {
        self.fitted().decode(codes)
    }

    fn weights(&self) -> Weights {
        self.fitted().weights()
    }

    fn set_weights(&mut self, weights: Weights) -> Result<()> {
        self.fitted = Some(B::from_weights(weights)?);
        Ok(())
    }

    fn optimizer_state(&self) -> Vec<u8> {
        vec![]
    }

    fn set_optimizer_state(&mut self, _state: &[u8]) -> Result<()> {
        Ok(())
    }
}
