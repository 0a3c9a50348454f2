//! Sequences that a simulator makes, in the parts and forms in which CITRIS published its own: one long
//! sequence to train on, shorter ones to watch and to test, frames whose factors are drawn one by one,
//! and triplets. What a data set adds is a [`Simulator`]; [`Simulated`] is the data set made of it.

mod parts;
mod published;
mod simulated;

pub(crate) use parts::{Form, Recording};
pub(crate) use published::Column;
pub(crate) use simulated::Simulated;

use ndarray::Array2;

use super::{Shape, World};
use crate::factors::Factor;
use crate::graph::Graph;
use crate::rng::Rng;

/// A world with habits of its own: it can start anywhere, goes on from there, and is intervened on at
/// times. A state is the values of its factors and nothing else, so that every row can be gone on from.
pub(crate) trait Simulator: World {
    /// The factors, in the order of the values of a state.
    fn factors(&self) -> &[Factor];

    /// The form of a frame. Frames are written as bytes: numbers from 0 to 1, multiples of 1/255.
    fn shape(&self) -> Shape;

    /// Which factors cause which a step later, `[cause, effect]`.
    fn temporal_graph(&self) -> &Array2<bool>;

    /// Which factors cause which within a frame, if any do.
    fn graph(&self) -> Option<&Graph> {
        None
    }

    /// The columns of the published arrays, which may have others than the factors, in other units.
    fn columns(&self) -> &[Column];

    /// An action in its published units.
    fn publish_action(&self, action: &[f32]) -> Vec<f32> {
        action.to_vec()
    }

    /// Which factors are ever intervened on. Only those are mixed in triplets.
    fn intervened(&self) -> Vec<bool>;

    /// A state with every factor drawn by itself.
    fn independent(&self, rng: &mut Rng) -> Vec<f32>;

    /// The state a sequence starts from, before its first frame.
    fn start(&self, rng: &mut Rng) -> Vec<f32> {
        self.independent(rng)
    }

    /// What follows this state, by itself or by an intervention, as chance will have it.
    fn advance(&self, values: &[f32], rng: &mut Rng) -> Moment;
}

/// A state and how it came about.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Moment {
    /// The values of the factors.
    pub(crate) values: Vec<f32>,
    /// Per factor, 1 where it was intervened on to get here.
    pub(crate) targets: Vec<f32>,
    /// What was done to get here; empty for a world that is not acted on.
    pub(crate) action: Vec<f32>,
}

#[cfg(test)]
mod tests;
