//! How the variables of a frame come about: each from its causes, by a random network, plus noise.
//!
//! ```text
//! u = mean(causes) + spread * noise,   value = 7π/8 tanh(u / 2)
//! ```
//!
//! Causes in the frame before are given as values, within ±7π/8; those in the same frame as u. An
//! intervention replaces u by a draw that depends on nothing.

use super::choices::Version;
use super::graphs::Graphs;
use super::network::Folded;
use crate::rng::Rng;

mod calibration;

/// Values stay below this: seven eighths of half a turn, so that the two ends of the colours do not meet.
pub(super) const LIMIT: f32 = std::f32::consts::PI * 7.0 / 8.0;
/// Beyond this part of the limit a value has no inverse worth having.
const STEEPEST: f32 = 0.99;
/// The mean of a variable without any cause; its noise is standard normal.
const UNCAUSED: f32 = 0.6;

/// From any number to a value.
pub(super) fn limit(number: f32) -> f32 {
    LIMIT * number.tanh()
}

/// The inverse of [`limit`], for values up to 99 % of the limit; beyond them the number there.
pub(super) fn unlimit(value: f32) -> f32 {
    (value / LIMIT).clamp(-STEEPEST, STEEPEST).atanh()
}

/// How much chance there is in a step.
#[derive(Clone, Copy)]
pub(super) struct Noise {
    /// Of a variable that follows its causes.
    pub(super) own: f32,
    /// Of one that is intervened on.
    pub(super) intervened: f32,
}

impl Noise {
    pub(super) fn of(version: Version) -> Self {
        match version {
            // The same: an intervention sets the mean to 0 and nothing else.
            Version::Biscuit => Self { own: 0.4, intervened: 0.4 },
            Version::Citris => Self { own: 0.3, intervened: 0.75 },
        }
    }
}

/// What happens to a variable in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Fate {
    /// It follows its causes.
    Free,
    /// It is drawn anew.
    Intervened,
    /// It takes this value.
    Set(f32),
}

/// The mechanism of one variable.
struct Mechanism {
    /// Its causes in the frame before.
    before: Vec<usize>,
    /// Its causes in the same frame.
    now: Vec<usize>,
    network: Folded,
}

impl Mechanism {
    fn is_caused(&self) -> bool {
        !self.before.is_empty() || !self.now.is_empty()
    }
}

/// The mechanisms of all variables.
pub(super) struct Mechanisms {
    of_variable: Vec<Mechanism>,
    order: Vec<usize>,
    noise: Noise,
}

/// Mechanisms, and what came out of them in the last round of their calibration.
pub(super) struct Calibrated {
    pub(super) mechanisms: Mechanisms,
    /// u / 2 of each variable in 10,000 rows, `[variables][rows]`.
    pub(super) halves: Vec<Vec<f32>>,
}

impl Mechanisms {
    /// Random ones that keep the variables moving.
    pub(super) fn draw(graphs: &Graphs, version: Version, rng: &Rng) -> Calibrated {
        calibration::calibrated(graphs, version, rng)
    }

    /// The values that follow these.
    pub(super) fn step(
        &self,
        previous: &[f32],
        fate: impl Fn(usize) -> Fate,
        rng: &mut Rng,
    ) -> Vec<f32> {
        let mut numbers = vec![0.0; previous.len()];
        let mut values = vec![0.0; previous.len()];
        for &variable in &self.order {
            let mechanism = &self.of_variable[variable];
            // Drawn in any case, so that what is done to one variable leaves the noise of others alone.
            let chance = rng.normal();
            let number = match fate(variable) {
                Fate::Set(value) => 2.0 * unlimit(value),
                Fate::Free if mechanism.is_caused() => {
                    let before = mechanism.before.iter().map(|&cause| previous[cause]);
                    let now = mechanism.now.iter().map(|&cause| numbers[cause]);
                    mechanism.network.mean(before.chain(now)) + self.noise.own * chance
                }
                Fate::Free => UNCAUSED + chance,
                Fate::Intervened if mechanism.is_caused() => self.noise.intervened * chance,
                Fate::Intervened => self.noise.intervened * chance - UNCAUSED,
            };
            numbers[variable] = number;
            values[variable] = match fate(variable) {
                Fate::Set(value) => value,
                _ => limit(number / 2.0),
            };
        }
        values
    }
}
