//! A model with its optimiser, as a learner: tensors inside, arrays outside.

use burn::optim::GradientsParams;
use burn::tensor::Tensor;
use ndarray::{Array2, ArrayView2, Axis};
use unbraid_measure::data::{Dataset, Do, Draw, Shape};
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::Watch;

use super::batch::{self, Batch, Seen};
use super::learner::{ACTIVE, Intervened, Learner, Posterior, Terms, Touched};
use super::optimizer::{Optimizer, Rates, Rule};
use super::weights::{self, Weights};
use super::{Code, Decoder, Densities, Model, Step, Strengths};
use crate::compute::device;
use crate::compute::workers::on_workers;
use crate::error::{Error, Result};

/// How many rows are encoded or decoded at once: few enough for their feature maps to stay in cache.
const CHUNK: usize = 64;

/// A model with its optimiser.
pub(super) struct Trained<M: Model> {
    /// Empty only while the optimiser holds it.
    model: Option<M>,
    optimizer: Optimizer,
    shape: Shape,
}

impl<M: Model> Trained<M> {
    pub(super) fn new(model: M, shape: Shape) -> Self {
        Self { model: Some(model), optimizer: Optimizer::new(Rule::Adam), shape }
    }

    fn model(&self) -> &M {
        self.model.as_ref().expect("the model is only away during a step")
    }

    /// Decode codes chunk by chunk; `None` if there is no decoder.
    fn decoded(
        &self,
        codes: ArrayView2<f32>,
        decode: impl Fn(&dyn Decoder, Tensor<2>) -> Tensor<4> + Send,
    ) -> Option<Array2<f32>> {
        let (model, latents) = (self.model().valid(), codes.ncols());
        on_workers(move || {
            let decoder = model.abilities().decoder?;
            Some(in_chunks(&codes, |rows, count| {
                let z = batch::matrix(rows, count, latents, &device::inference());
                batch::numbers(decode(decoder, z))
            }))
        })
    }
}

impl<M: Model> Learner for Trained<M> {
    fn optimize_by(&mut self, rule: Rule) {
        self.optimizer = Optimizer::new(rule);
    }

    fn fit(&mut self, data: &dyn Dataset, rng: &Rng, watch: &dyn Watch) -> Result<()> {
        let model = self.model.take().expect("the model is only away during a step");
        self.model = Some(model.prepare(data, rng, watch)?);
        Ok(())
    }

    fn finish(&mut self, data: &dyn Dataset, rng: &Rng, watch: &dyn Watch) -> Result<()> {
        let model = self.model.take().expect("the model is only away during a step");
        self.model = Some(model.finish(data, rng, watch)?);
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
        let averages = loss.averages;
        let gradients = GradientsParams::from_grads(loss.total.backward(), &model);
        let rates = Rates { rate, groups: model.groups(&step), largest: model.largest_gradient() };
        let model = self.optimizer.step(rates, model, gradients).follow(&step);
        self.model = Some(match averages {
            Some(averages) => averages.applied(model),
            None => model,
        });
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

    fn drawn(&self, seen: &Seen, rng: &Rng) -> Option<Array2<f32>> {
        let (model, shape, rng) = (self.model().valid(), self.shape, rng.clone());
        on_workers(move || {
            let samples = model.abilities().samples?;
            let mut drawn = Vec::new();
            for from in (0..seen.len()).step_by(CHUNK) {
                let rows = seen.part(from, seen.len().min(from + CHUNK));
                let batch = Batch::new(&rows, shape, &device::inference());
                let mut step = Step::new(from as u64, seen.len() as u64, &rng);
                drawn.extend(batch::numbers(samples.draw(&batch, &mut step)));
            }
            Some(in_rows(drawn, seen.len()))
        })
    }

    fn decode(&self, codes: ArrayView2<f32>) -> Option<Array2<f32>> {
        self.decoded(codes, |decoder, z| decoder.decode(z))
    }

    fn decode_changed(&self, from: &[f32], to: ArrayView2<f32>) -> Option<Array2<f32>> {
        self.decoded(to, |decoder, to| {
            let [rows, latents] = to.dims();
            let from = batch::matrix(&from.repeat(rows), rows, latents, &device::inference());
            decoder.decode_changed(from, to)
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
            let densities = model.abilities().densities?;
            let weights = densities.log_weights(&rows, draws, &mut step);
            Some(in_rows(batch::numbers(weights), seen.len()))
        })
    }

    fn is_bernoulli(&self) -> bool {
        self.model().abilities().densities.is_some_and(Densities::is_bernoulli)
    }

    fn noise(&self) -> Option<f64> {
        self.model().abilities().decoder?.noise()
    }

    fn layers(&self) -> Vec<usize> {
        self.model().abilities().layers
    }

    fn interactions(&self, actions: ArrayView2<f32>) -> Option<Array2<f32>> {
        let (model, width) = (self.model().valid(), actions.ncols());
        on_workers(move || {
            let known = model.abilities().interactions?;
            Some(in_chunks(&actions, |rows, count| {
                let actions = batch::matrix(rows, count, width, &device::inference());
                batch::numbers(known.interactions(actions))
            }))
        })
    }

    fn next(
        &self,
        before: ArrayView2<f32>,
        targets: ArrayView2<f32>,
        actions: ArrayView2<f32>,
    ) -> Option<Array2<f32>> {
        let (model, rows, latents) = (self.model().valid(), before.nrows(), before.ncols());
        on_workers(move || {
            let known = model.abilities().transition?;
            let matrix = |table: ArrayView2<f32>| {
                let numbers: Vec<f32> = table.iter().copied().collect();
                batch::matrix(&numbers, rows, table.ncols(), &device::inference())
            };
            let after = known.next(matrix(before), matrix(targets), matrix(actions));
            let numbers = batch::numbers(after);
            Some(Array2::from_shape_vec((rows, latents), numbers).expect("a row for each"))
        })
    }

    fn retrieve(&self, before: &Seen, after: &Seen) -> Option<Array2<f32>> {
        let (model, shape) = (self.model().valid(), self.shape);
        on_workers(move || {
            let retrieval = model.abilities().retrieval?;
            let mut found = Vec::new();
            for from in (0..before.len()).step_by(CHUNK) {
                let to = before.len().min(from + CHUNK);
                let x =
                    |seen: &Seen| Batch::new(&seen.part(from, to), shape, &device::inference()).x();
                found.extend(batch::numbers(retrieval.retrieve(x(before), x(after))));
            }
            Some(in_rows(found, before.len()))
        })
    }

    fn touches(&self, seen: &Seen, actions: ArrayView2<f32>) -> Option<Touched> {
        let (model, shape, rows) = (self.model().valid(), self.shape, seen.len());
        on_workers(move || {
            let known = model.abilities().touches?;
            let x = Batch::new(&seen.part(0, rows), shape, &device::inference()).x();
            let numbers: Vec<f32> = actions.iter().copied().collect();
            let actions = batch::matrix(&numbers, rows, actions.ncols(), &device::inference());
            let [cells, edges] =
                known.touches(x, actions).map(|found| in_rows(batch::numbers(found), rows));
            let grid = known.grid();
            Some(Touched { grid: [grid.height, grid.width], cells, edges })
        })
    }

    fn blocks(&self) -> Option<Vec<Option<usize>>> {
        self.model().abilities().blocks
    }

    fn sees_labels(&self) -> bool {
        self.model().abilities().sees_labels
    }

    fn dimensions(&self) -> Option<usize> {
        Some(self.model().abilities().concepts?.dimensions())
    }

    fn graph(&self) -> Option<Strengths> {
        self.model().valid().abilities().concepts?.graph()
    }

    fn intervene(&self, codes: ArrayView2<f32>, dos: &[Do]) -> Option<Intervened> {
        let (model, latents) = (self.model().valid(), codes.ncols());
        on_workers(move || {
            let concepts = model.abilities().concepts?;
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
        let (rule, weights) = (self.optimizer.rule(), self.weights());
        self.optimizer = Optimizer::from_state(rule, state, &weights, &device::inference())?;
        Ok(())
    }
}

/// The number of active latents and the KL of each; both also for each layer, counted from 1 at the
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

/// Apply `f` to chunks of rows and concatenate the results.
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
