//! A method on top of a trained one: it sees the codes of a frozen base in place of observations, and what
//! it decodes the base decodes further. Two methods of the field need it: a flow on a trained autoencoder,
//! transitions on quantised codes.
//!
//! ```text
//! encode: x → base → top → z        decode: z → top → base → x
//! ```

use ndarray::{Array2, ArrayView2};
use unbraid_measure::data::{Dataset, Do, Draw, Range, Shape, Transition, Triplet};
use unbraid_measure::factors::Factor;
use unbraid_measure::graph::Graph;
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::{Stage, Watch};

use super::batch::Seen;
use super::learner::{Intervened, Learner, Posterior, Terms, Touched};
use super::optimizer::Rule;
use super::weights::Weights;
use super::{Grid, Step, Strengths, Task};
use crate::error::Result;

/// Rows that are encoded at once.
const CHUNK: usize = 256;

/// A learner on top of another, whose weights never change.
pub struct Stacked {
    base: Box<dyn Learner>,
    top: Box<dyn Learner>,
}

impl Stacked {
    /// Put a learner of vectors on top of a trained one.
    pub fn new(base: Box<dyn Learner>, top: Box<dyn Learner>) -> Self {
        Self { base, top }
    }

    /// What the top knows of its data: codes in place of observations.
    pub fn task(task: &Task, latents: usize, grid: Option<Grid>) -> Task {
        Task { shape: vectors(latents), grid, ..*task }
    }

    /// The same rows as the base encodes them.
    fn seen(&self, seen: &Seen) -> Seen {
        Seen { observations: self.base.encode(seen), labels: seen.labels.clone() }
    }

    /// The same examples as the base encodes them, view by view.
    fn coded(&self, draw: &Draw) -> Draw {
        let encode = |view: &Vec<f32>| {
            let shape = (draw.count, view.len() / draw.count.max(1));
            let observations = Array2::from_shape_vec(shape, view.clone()).expect("whole rows");
            // Row by row: an array may lie in memory otherwise.
            self.base.encode(&Seen { observations, labels: None }).into_iter().collect()
        };
        Draw {
            count: draw.count,
            rows: draw.rows.clone(),
            views: draw.views.iter().map(encode).collect(),
            labels: draw.labels.clone(),
            targets: draw.targets.clone(),
            actions: draw.actions.clone(),
        }
    }
}

fn vectors(latents: usize) -> Shape {
    Shape { channels: latents, height: 1, width: 1, range: Range::Real }
}

impl Learner for Stacked {
    fn optimize_by(&mut self, rule: Rule) {
        self.top.optimize_by(rule);
    }

    fn fit(&mut self, data: &dyn Dataset, rng: &Rng, watch: &dyn Watch) -> Result<()> {
        self.top.fit(&Encoded::new(&*self.base, data, watch)?, rng, watch)
    }

    fn finish(&mut self, data: &dyn Dataset, rng: &Rng, watch: &dyn Watch) -> Result<()> {
        self.top.finish(&Encoded::new(&*self.base, data, watch)?, rng, watch)
    }

    fn step(&mut self, draw: &Draw, step: Step, rate: f64) -> Terms {
        let draw = self.coded(draw);
        self.top.step(&draw, step, rate)
    }

    fn encoded<'a>(
        &self,
        data: &'a dyn Dataset,
        watch: &dyn Watch,
    ) -> Result<Option<Box<dyn Dataset + 'a>>> {
        Ok(Some(Box::new(Encoded::new(&*self.base, data, watch)?)))
    }

    fn step_on_encoded(&mut self, draw: &Draw, step: Step, rate: f64) -> Terms {
        self.top.step(draw, step, rate)
    }

    fn posterior(&self, seen: &Seen) -> Posterior {
        self.top.posterior(&self.seen(seen))
    }

    fn drawn(&self, seen: &Seen, rng: &Rng) -> Option<Array2<f32>> {
        self.top.drawn(&self.seen(seen), rng)
    }

    fn decode(&self, codes: ArrayView2<f32>) -> Option<Array2<f32>> {
        self.base.decode(self.top.decode(codes)?.view())
    }

    fn decode_changed(&self, from: &[f32], to: ArrayView2<f32>) -> Option<Array2<f32>> {
        self.base.decode(self.top.decode_changed(from, to)?.view())
    }

    // No importance weights: those of the top are of codes, not of observations.

    fn layers(&self) -> Vec<usize> {
        self.top.layers()
    }

    fn interactions(&self, actions: ArrayView2<f32>) -> Option<Array2<f32>> {
        self.top.interactions(actions)
    }

    fn next(
        &self,
        before: ArrayView2<f32>,
        targets: ArrayView2<f32>,
        actions: ArrayView2<f32>,
    ) -> Option<Array2<f32>> {
        self.top.next(before, targets, actions)
    }

    fn retrieve(&self, before: &Seen, after: &Seen) -> Option<Array2<f32>> {
        self.top.retrieve(&self.seen(before), &self.seen(after))
    }

    fn touches(&self, seen: &Seen, actions: ArrayView2<f32>) -> Option<Touched> {
        self.top.touches(&self.seen(seen), actions)
    }

    fn blocks(&self) -> Option<Vec<Option<usize>>> {
        self.top.blocks()
    }

    fn sees_labels(&self) -> bool {
        self.top.sees_labels()
    }

    fn dimensions(&self) -> Option<usize> {
        self.top.dimensions()
    }

    fn graph(&self) -> Option<Strengths> {
        self.top.graph()
    }

    fn intervene(&self, codes: ArrayView2<f32>, dos: &[Do]) -> Option<Intervened> {
        let after = self.top.intervene(codes, dos)?;
        let observations = self.base.decode(after.observations.view())?;
        Some(Intervened { observations, ..after })
    }

    fn weights(&self) -> Weights {
        self.top.weights()
    }

    fn set_weights(&mut self, weights: Weights) -> Result<()> {
        self.top.set_weights(weights)
    }

    fn optimizer_state(&self) -> Vec<u8> {
        self.top.optimizer_state()
    }

    fn set_optimizer_state(&mut self, state: &[u8]) -> Result<()> {
        self.top.set_optimizer_state(state)
    }
}

/// Data as the base encodes them, with all else that is known of their rows: labels, what follows in
/// time, the graph.
struct Encoded<'a> {
    data: &'a dyn Dataset,
    codes: Array2<f32>,
}

impl<'a> Encoded<'a> {
    fn new(base: &dyn Learner, data: &'a dyn Dataset, watch: &dyn Watch) -> Result<Self> {
        let stage = Stage::new(watch, "encoding");
        let rows: Vec<usize> = (0..data.len()).collect();
        let mut numbers = Vec::new();
        for chunk in rows.chunks(CHUNK) {
            numbers.extend(base.encode(&Seen::of(data, chunk)));
            stage.advance(chunk.len() as f64 / rows.len() as f64)?;
        }
        let shape = (rows.len(), numbers.len() / rows.len().max(1));
        let codes = Array2::from_shape_vec(shape, numbers).expect("a row of codes for each row");
        Ok(Self { data, codes })
    }
}

impl Dataset for Encoded<'_> {
    fn factors(&self) -> &[Factor] {
        self.data.factors()
    }

    fn shape(&self) -> Shape {
        vectors(self.codes.ncols())
    }

    fn len(&self) -> usize {
        self.data.len()
    }

    fn observe(&self, index: usize, out: &mut [f32]) {
        self.codes.row(index).iter().zip(out).for_each(|(code, out)| *out = *code);
    }

    fn values(&self, index: usize, out: &mut [f32]) {
        self.data.values(index, out);
    }

    fn label(&self, index: usize) -> Option<Vec<f32>> {
        self.data.label(index)
    }

    fn unlabelled(&self) -> usize {
        self.data.unlabelled()
    }

    fn is_labelled(&self, index: usize) -> bool {
        self.data.is_labelled(index)
    }

    fn find(&self, values: &[f32]) -> Option<usize> {
        self.data.find(values)
    }

    fn with_value(&self, index: usize, factor: usize, value: f32) -> Option<usize> {
        self.data.with_value(index, factor, value)
    }

    fn next(&self, index: usize) -> Option<Transition> {
        self.data.next(index)
    }

    fn actions(&self) -> &[String] {
        self.data.actions()
    }

    fn temporal_graph(&self) -> Option<&Array2<bool>> {
        self.data.temporal_graph()
    }

    fn triplet(&self, number: usize) -> Option<Triplet> {
        self.data.triplet(number)
    }

    fn graph(&self) -> Option<&Graph> {
        self.data.graph()
    }
}
