//! The settings, and the rules that follow from them.

use std::f64::consts::PI;

use serde::{Deserialize, Serialize};

use crate::data::simulation::Recording;
use crate::settings::words;

words! {
    /// How much is interfered with the game, and how much is left to chance.
    pub(super) enum Interventions {
        /// As the released script has it.
        Released = "released",
        /// As the appendix of the paper says.
        Paper = "paper",
    }
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub(super) struct Settings {
    #[serde(flatten)]
    pub(super) recording: Recording,
    pub(super) interventions: Interventions,
}

impl Default for Settings {
    fn default() -> Self {
        Self { recording: Recording::default(), interventions: Interventions::Released }
    }
}

/// The numbers in which script and paper differ, in pixels and radians.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rules {
    /// How likely a step is intervened on; each of the five targets is as likely as the others.
    pub(super) chance: f64,
    /// How far a paddle moves in a step at most.
    pub(super) paddle_step: f64,
    /// Standard deviations of what chance adds.
    pub(super) paddle_noise: f64,
    pub(super) ball_noise: f64,
    pub(super) direction_noise: f64,
}

impl Rules {
    pub(super) fn of(interventions: Interventions) -> Self {
        match interventions {
            // As likely as that one of five coins of 0.15 says yes; the script then takes one of five.
            Interventions::Released => Self {
                chance: 1.0 - 0.85_f64.powi(5),
                paddle_step: 1.5,
                paddle_noise: 0.5,
                ball_noise: 0.2,
                direction_noise: 0.1,
            },
            // The paper gives its numbers where the field goes from -1 to 1: 16 pixels are 1. Its noise
            // of the direction is read in the same way, where a half turn is 1: 0.015 π, about half of
            // what the script has. The paper does not say which unit that is.
            Interventions::Paper => Self {
                chance: 0.65,
                paddle_step: 16.0 * 0.05,
                paddle_noise: 16.0 * 0.017,
                ball_noise: 16.0 * 0.015,
                direction_noise: PI * 0.015,
            },
        }
    }
}
