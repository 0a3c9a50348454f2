//! What a method may be able to do beside encoding: small traits that a learner asks for. A new ability is
//! a trait here, a field of [`Abilities`], and what the learner makes of it.

use burn::tensor::Tensor;
use ndarray::Array2;
use unbraid_measure::data::Do;

use super::Grid;
use super::batch::Batch;
use super::step::Step;

/// What a method can do.
#[derive(Clone, Default)]
pub struct Abilities<'a> {
    /// Codes to observations.
    pub decoder: Option<&'a dyn Decoder>,
    /// Samples of a posterior that is not Gaussian.
    pub samples: Option<&'a dyn Samples>,
    /// Importance weights, for the IWAE bound.
    pub densities: Option<&'a dyn Densities>,
    /// Latents that stand for concepts, and interventions on them.
    pub concepts: Option<&'a dyn Concepts>,
    /// What actions touch.
    pub interactions: Option<&'a dyn Interacts>,
    /// How latents follow each other in time.
    pub transition: Option<&'a dyn Follows>,
    /// Which action led from one observation to another.
    pub retrieval: Option<&'a dyn Retrieves>,
    /// Which cells of a grid of codes an action touches.
    pub touches: Option<&'a dyn Touches>,
    /// How many latents each layer has, from the bottom, for methods with several layers of latents.
    pub layers: Vec<usize>,
    /// The factor that each latent is given to by the method itself, none for those of no factor.
    pub blocks: Option<Vec<Option<usize>>>,
    /// Whether encoding needs labels.
    pub sees_labels: bool,
}

/// A method that turns codes into observations.
pub trait Decoder {
    /// The expected observation given codes.
    fn decode(&self, z: Tensor<2>) -> Tensor<4>;

    /// The expected observation where codes `from` are changed to `to`, row by row. The change
    /// passes on to latents that depend on others.
    fn decode_changed(&self, _from: Tensor<2>, to: Tensor<2>) -> Tensor<4> {
        self.decode(to)
    }

    /// The standard deviation of a Gaussian likelihood p(x|z); none for a Bernoulli one.
    fn noise(&self) -> Option<f64> {
        None
    }
}

/// A method whose posterior is not Gaussian, but can be drawn from: beyond a flow, say.
pub trait Samples {
    /// One sample of each row, `[rows, latents]`.
    fn draw(&self, seen: &Batch, step: &mut Step) -> Tensor<2>;
}

/// A method that knows which latents an action touches.
pub trait Interacts {
    /// Of actions `[rows, action]`, a number for each latent that is positive where it is touched,
    /// `[rows, latents]`.
    fn interactions(&self, actions: Tensor<2>) -> Tensor<2>;
}

/// A method that knows how the latents of a frame follow from those of the frame before.
pub trait Follows {
    /// The expected latents after a step, `[rows, latents]`, given those before, the targets of the step
    /// `[rows, factors]` and its action `[rows, action]`.
    fn next(&self, before: Tensor<2>, targets: Tensor<2>, actions: Tensor<2>) -> Tensor<2>;
}

/// A method that tells which action led from one observation to another.
pub trait Retrieves {
    /// log p(action | before, after) of each action, `[rows, actions]`.
    fn retrieve(&self, before: Tensor<4>, after: Tensor<4>) -> Tensor<2>;
}

/// A method that knows which cells of a grid of codes an action touches, and on which others each depends.
pub trait Touches {
    /// Of observations and actions `[rows, actions]` the probability that each cell is touched, `[rows, cells, 1]`, and that
    /// it depends on each other, `[rows, child, parent]`.
    fn touches(&self, before: Tensor<4>, actions: Tensor<2>) -> [Tensor<3>; 2];

    /// The grid.
    fn grid(&self) -> Grid;
}

/// A method with both densities p(x, z) and q(z|x).
pub trait Densities {
    /// log p(x, z) − log q(z|x) of `draws` samples of z for each row, consecutively,
    /// `[rows · draws]`.
    fn log_weights(&self, seen: &Batch, draws: usize, step: &mut Step) -> Tensor<1>;

    /// Whether p(x|z) is Bernoulli, which is a density of black and white images only.
    fn is_bernoulli(&self) -> bool;
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
    /// Why its edges point where they point.
    pub reason: Reason,
}

/// Why the edges of a learned graph point where they point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Tests of the labels, made before training: each edge has its own reason, found again by the
    /// same tests.
    Tests,
    /// The same for all, in words.
    Said(&'static str),
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
