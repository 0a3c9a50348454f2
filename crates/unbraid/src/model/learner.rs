//! The one place where types are erased: any method, trained or fitted, behind plain arrays.
//!
//! Nobody implements [`Learner`] by hand: `Trained` does for every [`Model`], `Fitted` for every
//! [`Baseline`]. What stands right of this file in the flow knows neither burn nor a model's type.

use std::borrow::Cow;

use burn::optim::GradientsParams;
use burn::tensor::Tensor;
use ndarray::{Array2, ArrayView2, Axis, Zip};
use toml::Table;
use unbraid_measure::data::{Dataset, Do, Draw, Shape, Supervision};
use unbraid_measure::info::Info;
use unbraid_measure::rng::Rng;
use unbraid_measure::settings;

use crate::compute::device;
use crate::compute::workers::on_workers;
use crate::error::{Error, Result};
use crate::model::batch::{self, Batch, Seen};
use crate::model::optimizer::Optimizer;
use crate::model::weights::{self, Weights};
use crate::model::{Baseline, Code, Model, Settings, Step, Strengths, Task};
use crate::parts::nets::normalised;

/// How many rows are encoded or decoded at once: few enough for their maps to stay in cache.
const CHUNK: usize = 64;

/// The named numbers of one step; `loss` first. Those of single latents have a `/` in their name.
pub type Terms = Vec<(Cow<'static, str>, f32)>;

/// A latent that tells more than this, in nats, is active.
pub const ACTIVE: f32 = 0.01;

/// A registry entry: a method by name, from settings to something that learns.
pub struct Entry {
    /// What it is.
    pub info: Info,
    /// What it learns from.
    pub supervision: Supervision,
    /// Whether it takes gradient steps; a baseline is fitted at once.
    pub takes_steps: bool,
    /// The settings of `[model]` it has, with their defaults before anything is known of the data.
    pub defaults: fn() -> Table,
    /// The settings of `[model]` with every default spelled out and what it learns from with them,
    /// or why they cannot work.
    pub resolve: fn(&Table, &Task) -> Result<(Table, Supervision)>,
    /// Something that can learn, with weights drawn from the generator.
    pub build: fn(&Table, &Task, &Rng) -> Result<Box<dyn Learner>>,
}

/// The codes of some rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Posterior {
    /// `[rows, latents]`
    pub mean: Array2<f32>,
    /// The standard deviation of each, where codes are drawn from a Gaussian.
    pub deviation: Option<Array2<f32>>,
    /// What each tells, in nats, where the prior is not N(0, 1).
    pub kl: Option<Array2<f32>>,
}

impl Posterior {
    /// KL(N(mean, deviation²) ‖ prior) of each latent, averaged over the rows: what it tells, in
    /// nats. The prior is N(0, 1) unless the method has another.
    pub fn kl_per_latent(&self) -> Option<Vec<f32>> {
        if let Some(kl) = &self.kl {
            return kl.mean_axis(Axis(0)).map(|each| each.to_vec());
        }
        let deviation = self.deviation.as_ref()?;
        let kl = |mean: &f32, deviation: &f32| {
            0.5 * (mean * mean + deviation * deviation - 1.0) - deviation.ln()
        };
        let all = Zip::from(&self.mean).and(deviation).map_collect(kl);
        all.mean_axis(Axis(0)).map(|each| each.to_vec())
    }

    /// One draw per row.
    pub fn draw(&self, rng: &mut Rng) -> Option<Array2<f32>> {
        let deviation = self.deviation.as_ref()?;
        let draw = |mean: &f32, deviation: &f32| mean + deviation * rng.normal();
        Some(Zip::from(&self.mean).and(deviation).map_collect(draw))
    }
}

/// Rows after an intervention.
#[derive(Clone, Debug, PartialEq)]
pub struct Intervened {
    /// The value of each concept, `[rows, concepts]`.
    pub values: Array2<f32>,
    /// `[rows, latents]`
    pub codes: Array2<f32>,
    /// `[rows, numbers]`
    pub observations: Array2<f32>,
}

/// Something that learns and encodes. Rows in, rows out.
pub trait Learner: Send {
    /// Before the first step: fit what needs no steps, all of a baseline.
    fn fit(&mut self, _data: &dyn Dataset, _rng: &Rng) -> Result<()> {
        Ok(())
    }

    /// After the last step: fit what waits for a trained model.
    fn finish(&mut self, _data: &dyn Dataset, _rng: &Rng) -> Result<()> {
        Ok(())
    }

    /// One update, unless a term of the loss is not finite: then nothing changes, and the terms
    /// say so.
    fn step(&mut self, draw: &Draw, step: Step, rate: f64) -> Terms;

    /// What rows are encoded to.
    fn posterior(&self, seen: &Seen) -> Posterior;

    /// The means, `[rows, latents]`.
    fn encode(&self, seen: &Seen) -> Array2<f32> {
        self.posterior(seen).mean
    }

    /// `[rows, latents]` to `[rows, numbers]`, if the method has a decoder.
    fn decode(&self, codes: ArrayView2<f32>) -> Option<Array2<f32>>;

    /// The same where the codes `from` of one row are changed to each of these, and the change passes on
    /// to codes that others make.
    fn decode_changed(&self, _from: &[f32], to: ArrayView2<f32>) -> Option<Array2<f32>> {
        self.decode(to)
    }

    /// log p(x, z) − log q(z|x) of so many draws for each row, `[rows, draws]`, if the method has both
    /// densities. `number` says which draws, of all that the generator could give.
    fn log_weights(
        &self,
        _seen: &Seen,
        _draws: usize,
        _number: u64,
        _rng: &Rng,
    ) -> Option<Array2<f32>> {
        None
    }

    /// How many latents each layer has, from the bottom; nothing if there are no layers.
    fn layers(&self) -> Vec<usize> {
        vec![]
    }

    /// Whether codes depend on labels, so that rows without them have none.
    fn sees_labels(&self) -> bool {
        false
    }

    /// How many codes each concept has, if codes stand for concepts.
    fn dimensions(&self) -> Option<usize> {
        None
    }

    /// Who causes whom, if the method has learned that.
    fn graph(&self) -> Option<Strengths> {
        None
    }

    /// What rows with these codes would have been, had some concepts had these values; if the method
    /// can say.
    fn intervene(&self, _codes: ArrayView2<f32>, _dos: &[Do]) -> Option<Intervened> {
        None
    }

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
        defaults: || settings::to_table(&M::Config::default()),
        resolve: |given, task| {
            let config = parse::<M::Config>(given, task)?;
            Ok((settings::to_table(&config), M::supervision(&config)))
        },
        build: |given, task, rng| {
            let config = parse::<M::Config>(given, task)?;
            let model = M::init(&config, task, rng, &device::training());
            let optimizer = Optimizer::adam();
            Ok(Box::new(Trained { model: Some(model), optimizer, shape: task.shape }))
        },
    }
}

/// The entry of a baseline.
pub const fn baseline<B: Baseline>() -> Entry {
    Entry {
        info: B::INFO,
        supervision: B::SUPERVISION,
        takes_steps: false,
        defaults: || settings::to_table(&B::Config::default()),
        resolve: |given, task| {
            Ok((settings::to_table(&parse::<B::Config>(given, task)?), B::SUPERVISION))
        },
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

    /// What `decode` makes of codes, chunk by chunk; nothing if there is no decoder.
    fn decoded(
        &self,
        codes: ArrayView2<f32>,
        decode: impl Fn(&M, Tensor<2>) -> Option<Tensor<4>> + Send,
    ) -> Option<Array2<f32>> {
        let (model, latents) = (self.model().valid(), codes.ncols());
        on_workers(move || {
            let decode = |rows: &[f32], count: usize| {
                decode(&model, batch::matrix(rows, count, latents, &device::inference()))
            };
            // Ask once whether there is a decoder at all.
            decode(&vec![0.0; latents], 1)?;
            Some(in_chunks(&codes, |rows, count| {
                decode(rows, count).map(batch::numbers).unwrap_or_default()
            }))
        })
    }
}

impl<M: Model> Learner for Trained<M> {
    fn fit(&mut self, data: &dyn Dataset, rng: &Rng) -> Result<()> {
        let model = self.model.take().expect("the model is only away during a step");
        self.model = Some(model.prepare(data, rng)?);
        Ok(())
    }

    fn finish(&mut self, data: &dyn Dataset, rng: &Rng) -> Result<()> {
        let model = self.model.take().expect("the model is only away during a step");
        self.model = Some(model.finish(data, rng)?);
        Ok(())
    }

    fn step(&mut self, draw: &Draw, mut step: Step, rate: f64) -> Terms {
        let model = self.model.take().expect("the model is only away during a step");
        let batch = Batch::new(draw, self.shape, &device::training());
        let loss = model.loss(&batch, &mut step);
        let scalar = |value: &Tensor<1>| value.clone().into_scalar::<f32>();
        let mut terms: Terms = vec![("loss".into(), scalar(&loss.total))];
        terms.extend(loss.terms.iter().map(|(name, value)| ((*name).into(), scalar(value))));
        terms.extend(
            loss.latents.as_ref().map(|kl| latent_terms(kl, &loss.layers)).unwrap_or_default(),
        );
        terms.extend(loss.graph.as_ref().map(edge_terms).unwrap_or_default());
        if terms.iter().any(|(_, value)| !value.is_finite()) {
            self.model = Some(model);
            return terms;
        }
        let gradients = GradientsParams::from_grads(loss.total.backward(), &model);
        let groups = model.groups(&step);
        let model = self.optimizer.step(rate, groups, model, gradients).follow(&step);
        self.model = Some(normalised::follow(model, &step.seen()));
        terms
    }

    fn posterior(&self, seen: &Seen) -> Posterior {
        let (model, shape) = (self.model().valid(), self.shape);
        let mut parts: [Vec<f32>; 3] = on_workers(move || {
            let mut parts = [vec![], vec![], vec![]];
            for from in (0..seen.len()).step_by(CHUNK) {
                let rows = seen.part(from, seen.len().min(from + CHUNK));
                let code = model.encode(&Batch::new(&rows, shape, &device::inference()));
                let Code { mean, log_variance, kl } = code;
                let deviation = log_variance.map(|log_variance| (log_variance * 0.5).exp());
                let found = [Some(mean), deviation, kl];
                for (part, numbers) in parts.iter_mut().zip(found) {
                    part.extend(numbers.map(batch::numbers).unwrap_or_default());
                }
            }
            parts
        });
        let mut part = |k: usize| {
            let numbers = std::mem::take(&mut parts[k]);
            (!numbers.is_empty()).then(|| in_rows(numbers, seen.len()))
        };
        let mean = part(0).unwrap_or_else(|| Array2::zeros((seen.len(), 0)));
        Posterior { mean, deviation: part(1), kl: part(2) }
    }

    fn decode(&self, codes: ArrayView2<f32>) -> Option<Array2<f32>> {
        self.decoded(codes, M::decode)
    }

    fn decode_changed(&self, from: &[f32], to: ArrayView2<f32>) -> Option<Array2<f32>> {
        self.decoded(to, |model, to| {
            let [rows, latents] = to.dims();
            let from = batch::matrix(&from.repeat(rows), rows, latents, &device::inference());
            model.decode_changed(from, to)
        })
    }

    fn log_weights(
        &self,
        seen: &Seen,
        draws: usize,
        number: u64,
        rng: &Rng,
    ) -> Option<Array2<f32>> {
        let (model, shape) = (self.model().valid(), self.shape);
        let mut step = Step::new(number, 1, rng);
        on_workers(move || {
            let rows = Batch::new(&seen.part(0, seen.len()), shape, &device::inference());
            let weights = model.log_weights(&rows, draws, &mut step)?;
            Some(in_rows(batch::numbers(weights), seen.len()))
        })
    }

    fn layers(&self) -> Vec<usize> {
        self.model().layers()
    }

    fn sees_labels(&self) -> bool {
        self.model().sees_labels()
    }

    fn dimensions(&self) -> Option<usize> {
        Some(self.model().concepts()?.dimensions())
    }

    fn graph(&self) -> Option<Strengths> {
        self.model().valid().concepts()?.graph()
    }

    fn intervene(&self, codes: ArrayView2<f32>, dos: &[Do]) -> Option<Intervened> {
        let (model, latents) = (self.model().valid(), codes.ncols());
        on_workers(move || {
            let concepts = model.concepts()?;
            let mut parts = [vec![], vec![], vec![]];
            for chunk in codes.axis_chunks_iter(Axis(0), CHUNK) {
                let numbers: Vec<f32> = chunk.iter().copied().collect();
                let z = batch::matrix(&numbers, chunk.nrows(), latents, &device::inference());
                let after = concepts.intervene(z, dos);
                parts[0].extend(batch::numbers(concepts.values(after.z.clone())));
                parts[1].extend(batch::numbers(after.z));
                parts[2].extend(batch::numbers(after.x));
            }
            let [values, codes, observations] =
                parts.map(|numbers| in_rows(numbers, codes.nrows()));
            Some(Intervened { values, codes, observations })
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

/// How many latents are active, and the KL of each; both also of each layer, counted from 1 at the
/// bottom.
fn latent_terms(kl: &Tensor<1>, layers: &[usize]) -> Terms {
    let kl = batch::numbers(kl.clone());
    let active = |kl: &[f32]| kl.iter().filter(|kl| **kl > ACTIVE).count() as f32;
    let mut terms: Terms = vec![("active_units".into(), active(&kl))];
    let mut rest = &kl[..];
    for (k, size) in layers.iter().enumerate() {
        let (layer, above) = rest.split_at(*size);
        terms.push((format!("layer/{}/kl", k + 1).into(), layer.iter().sum()));
        terms.push((format!("layer/{}/active", k + 1).into(), active(layer)));
        rest = above;
    }
    terms.extend(kl.iter().enumerate().map(|(l, kl)| (format!("kl/{l}").into(), *kl)));
    terms
}

/// The strength of each edge, `edge/CAUSE-EFFECT`.
fn edge_terms(a: &Tensor<2>) -> Terms {
    let [nodes, _] = a.dims();
    let strengths = batch::numbers(a.clone());
    let pairs = (0..nodes * nodes).filter(|k| k / nodes != k % nodes);
    pairs.map(|k| (format!("edge/{}-{}", k / nodes, k % nodes).into(), strengths[k])).collect()
}

/// Apply `f` to chunks of rows and stack what it gives.
fn in_chunks(rows: &ArrayView2<f32>, mut f: impl FnMut(&[f32], usize) -> Vec<f32>) -> Array2<f32> {
    let mut out = Vec::new();
    for chunk in rows.axis_chunks_iter(Axis(0), CHUNK) {
        let contiguous = chunk.as_standard_layout();
        let numbers = contiguous.as_slice().expect("standard layout is contiguous");
        out.extend(f(numbers, chunk.nrows()));
    }
    in_rows(out, rows.nrows())
}

fn in_rows(numbers: Vec<f32>, rows: usize) -> Array2<f32> {
    let width = numbers.len() / rows.max(1);
    Array2::from_shape_vec((rows, width), numbers).expect("every row has the same width")
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

    fn posterior(&self, seen: &Seen) -> Posterior {
        let mean = self.fitted().encode(seen);
        Posterior { mean, deviation: None, kl: None }
    }

    fn decode(&self, codes: ArrayView2<f32>) -> Option<Array2<f32>> {
        self.fitted().decode(codes)
    }

    fn sees_labels(&self) -> bool {
        B::SEES_LABELS
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
