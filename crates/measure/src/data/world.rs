//! Worlds: systems that go on in time, can be acted on, and can be drawn in any state. What a simulator
//! knows beyond the rows it has made: the truth that a swap of factors, a roll-out or an action is
//! compared with.

use super::Do;
use crate::rng::Rng;

/// A system over time. States are the values of its factors, in the order of the data set.
pub trait World: Send + Sync {
    /// Write the observation of a state into `out`: channel by channel, row by row.
    fn draw(&self, values: &[f32], out: &mut [f32]);

    /// The state that follows this one.
    fn step(&self, values: &[f32], done: Done, rng: &mut Rng) -> Vec<f32>;

    /// Which factors an action intervenes on, where the world is acted on by actions.
    fn touched(&self, _action: &[f32]) -> Option<Vec<bool>> {
        None
    }
}

/// What is done to a world in one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Done<'a> {
    /// Nothing: it goes on by itself.
    Nothing,
    /// Factors are set to values, in place of what their mechanisms would give.
    Set(&'a [Do]),
    /// An action, which the world answers by its own interventions.
    Action(&'a [f32]),
}

impl Done<'_> {
    /// Put what is set into a state, the last one counting.
    pub(crate) fn put_into(self, values: &mut [f32]) {
        if let Self::Set(dos) = self {
            for set in dos {
                values[set.factor] = set.value;
            }
        }
    }
}

/// Two rows and a mixture of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Triplet {
    /// The first, the second, and the true mixture.
    pub rows: [usize; 3],
    /// Per factor, whether the mixture has the value of the second row.
    pub from_second: Vec<bool>,
}
