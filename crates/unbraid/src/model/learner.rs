//! The one place where types are erased: any method, trained or fitted, behind plain arrays.
//!
//! `Trained` is a [`Learner`] for every [`Model`](super::Model), `Fitted` for every
//! [`Baseline`](super::Baseline); `Turned` and `Stacked` are learners around learners. Later modules of
//! the flow know neither burn nor a model's type.

use std::borrow::Cow;

use ndarray::{Array2, ArrayView2, Axis, Zip};
use unbraid_measure::data::{Dataset, Do, Draw};
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::Watch;

use super::batch::Seen;
use super::optimizer::Rule;
use super::weights::Weights;
use super::{Step, Strengths};
use crate::error::Result;

/// The logged terms of one step; `loss` first. Those of single latents have a `/` in their name.
pub type Terms = Vec<Term>;

/// A name and its number.
pub type Term = (Cow<'static, str>, f32);

/// A latent with a larger KL, in nats, is active.
pub const ACTIVE: f32 = 0.01;

/// The posterior of some rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Posterior {
    /// `[rows, latents]`
    pub mean: Array2<f32>,
    /// The posterior standard deviations, where the posterior is Gaussian.
    pub deviation: Option<Array2<f32>>,
    /// The KL of each latent, in nats, where the prior is not N(0, 1).
    pub kl: Option<Array2<f32>>,
}

impl Posterior {
    /// KL(N(mean, deviation²) ‖ prior) of each latent in nats, averaged over the rows. The prior is
    /// N(0, 1) unless the method has another.
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

    /// One sample of the posterior per row.
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

/// What actions touch of the grid of codes of some rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Touched {
    /// Rows and columns of the grid.
    pub grid: [usize; 2],
    /// The probability that each cell is touched, `[rows, cells]`, row by row of the grid.
    pub cells: Array2<f32>,
    /// The probability that a cell depends on another, `[rows, child · parent]`.
    pub edges: Array2<f32>,
}

/// A method that can be trained and can encode. Rows in, rows out.
pub trait Learner: Send {
    /// How gradients become steps, said before the first of them; Adam unless it is. Baselines take none.
    fn optimize_by(&mut self, _rule: Rule) {}

    /// Before the first step: fit what needs no gradients; for a baseline, all of it.
    fn fit(&mut self, _data: &dyn Dataset, _rng: &Rng, _watch: &dyn Watch) -> Result<()> {
        Ok(())
    }

    /// After the last step: fit what needs the trained model.
    fn finish(&mut self, _data: &dyn Dataset, _rng: &Rng, _watch: &dyn Watch) -> Result<()> {
        Ok(())
    }

    /// One gradient step, unless a term of the loss is not finite: then nothing changes, and the terms
    /// say so.
    fn step(&mut self, draw: &Draw, step: Step, rate: f64) -> Terms;

    /// The data as the method sees them in every step, where that takes work that can be done once.
    fn encoded<'a>(
        &self,
        _data: &'a dyn Dataset,
        _watch: &dyn Watch,
    ) -> Result<Option<Box<dyn Dataset + 'a>>> {
        Ok(None)
    }

    /// A gradient step on examples of [`encoded`](Self::encoded) data.
    fn step_on_encoded(&mut self, draw: &Draw, step: Step, rate: f64) -> Terms {
        self.step(draw, step, rate)
    }

    /// The posterior of these rows.
    fn posterior(&self, seen: &Seen) -> Posterior;

    /// The posterior means, `[rows, latents]`.
    fn encode(&self, seen: &Seen) -> Array2<f32> {
        self.posterior(seen).mean
    }

    /// One sample of the posterior of each row, for methods that can draw it and have more than means and
    /// deviations to do it by.
    fn drawn(&self, _seen: &Seen, _rng: &Rng) -> Option<Array2<f32>> {
        None
    }

    /// `[rows, latents]` to `[rows, numbers]`, if the method has a decoder.
    fn decode(&self, codes: ArrayView2<f32>) -> Option<Array2<f32>>;

    /// The same where the codes `from` of one row are changed to each of these, and the change
    /// passes on to latents that depend on them.
    fn decode_changed(&self, _from: &[f32], to: ArrayView2<f32>) -> Option<Array2<f32>> {
        self.decode(to)
    }

    /// log p(x, z) − log q(z|x) of `draws` samples of z for each row, `[rows, draws]`, if the
    /// method has both densities. `number` selects the stream of random numbers.
    fn log_weights(
        &self,
        _seen: &Seen,
        _draws: usize,
        _number: u64,
        _rng: &Rng,
    ) -> Option<Array2<f32>> {
        None
    }

    /// Whether p(x|z) is Bernoulli, which is a density of black and white images only.
    fn is_bernoulli(&self) -> bool {
        false
    }

    /// The standard deviation of a Gaussian likelihood p(x|z); none for a Bernoulli one.
    fn noise(&self) -> Option<f64> {
        None
    }

    /// How many latents each layer has, from the bottom; empty if there are no layers.
    fn layers(&self) -> Vec<usize> {
        vec![]
    }

    /// Whether encoding needs labels.
    fn sees_labels(&self) -> bool {
        false
    }

    /// The factor that each latent is given to, none for those of no factor, if the method says so.
    fn blocks(&self) -> Option<Vec<Option<usize>>> {
        None
    }

    /// Of actions `[rows, action]`, a number for each latent that is positive where it is touched, if the
    /// method knows.
    fn interactions(&self, _actions: ArrayView2<f32>) -> Option<Array2<f32>> {
        None
    }

    /// The expected codes after a step, given those before `[rows, latents]`, its targets `[rows, factors]` and
    /// its action `[rows, action]`, if the method knows how they follow each other.
    fn next(
        &self,
        _before: ArrayView2<f32>,
        _targets: ArrayView2<f32>,
        _actions: ArrayView2<f32>,
    ) -> Option<Array2<f32>> {
        None
    }

    /// log p(action | before, after) of each action, `[rows, actions]`, if the method can tell.
    fn retrieve(&self, _before: &Seen, _after: &Seen) -> Option<Array2<f32>> {
        None
    }

    /// Which cells of its grid of codes these actions `[rows, actions]` touch in these rows, if the method knows.
    fn touches(&self, _seen: &Seen, _actions: ArrayView2<f32>) -> Option<Touched> {
        None
    }

    /// How many latents each concept has, if latents stand for concepts.
    fn dimensions(&self) -> Option<usize> {
        None
    }

    /// The learned causal graph, if there is one.
    fn graph(&self) -> Option<Strengths> {
        None
    }

    /// The counterfactuals of rows with these codes under interventions on concepts, if the method
    /// supports them.
    fn intervene(&self, _codes: ArrayView2<f32>, _dos: &[Do]) -> Option<Intervened> {
        None
    }

    /// All learned parameters, by name.
    fn weights(&self) -> Weights;

    /// Load the parameters that [`weights`](Self::weights) returned.
    fn set_weights(&mut self, weights: Weights) -> Result<()>;

    /// The state of the optimiser, as bytes.
    fn optimizer_state(&self) -> Vec<u8>;

    /// Load the state that [`optimizer_state`](Self::optimizer_state) returned.
    fn set_optimizer_state(&mut self, state: &[u8]) -> Result<()>;
}
