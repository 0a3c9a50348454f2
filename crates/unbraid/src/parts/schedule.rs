//! Schedules: any hyperparameter that is a number can change over training.
//!
//! A setting is a number, or a table with its schedule:
//!
//! ```toml
//! beta = 4
//! beta = { schedule = "linear", from = 0, to = 4, steps = 10_000 }
//! beta = { schedule = "cosine", from = 0, to = 4, start = 5_000, steps = 10_000 }
//! beta = { schedule = "cyclic", from = 0, to = 4, period = 10_000 }
//! learning_rate = { schedule = "step", from = 1e-3, factor = 0.5, every = 10_000 }
//! learning_rate = { schedule = "warmup", to = 1e-3, steps = 100 }
//! ```

use std::f64::consts::PI;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::model::Step;

/// A hyperparameter that may change over training.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Schedule {
    /// Constant.
    Constant(f64),
    /// By a schedule.
    Moving(Moving),
}

/// A schedule. `steps`, `start`, `period` and `every` are counted in training steps.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "schedule", rename_all = "lowercase", deny_unknown_fields)]
pub enum Moving {
    /// Linear from `from` to `to` over `steps` steps, beginning at `start`.
    Linear {
        /// The value until `start`.
        from: f64,
        /// The final value.
        to: f64,
        /// The step at which it begins to change.
        #[serde(default)]
        start: u64,
        /// Over how many steps it changes.
        steps: u64,
    },
    /// Cosine annealing, slow at both ends.
    Cosine {
        /// The value until `start`.
        from: f64,
        /// The final value.
        to: f64,
        /// The step at which it begins to change.
        #[serde(default)]
        start: u64,
        /// Over how many steps it changes.
        steps: u64,
    },
    /// In each period, linear from `from` to `to` in the first half, constant `to` in the second.
    Cyclic {
        /// The value at the start of a period.
        from: f64,
        /// The value in its second half.
        to: f64,
        /// The length of a period.
        period: u64,
    },
    /// Multiplied by `factor` every `every` steps.
    Step {
        /// The initial value.
        from: f64,
        /// The factor.
        factor: f64,
        /// The interval in steps.
        every: u64,
    },
    /// Linear from 0 to `to` over `steps` steps, while half a cosine leads down to a twentieth of `to` at
    /// the end of the training.
    Warmup {
        /// The largest value.
        to: f64,
        /// Over how many steps it rises.
        steps: u64,
    },
}

impl Schedule {
    /// The value in this step.
    pub fn at(&self, step: &Step) -> f64 {
        self.at_number(step.number, step.total)
    }

    /// The value in step `number` of `total`, counted from 0.
    pub fn at_number(&self, number: u64, total: u64) -> f64 {
        let moving = match *self {
            Self::Constant(value) => return value,
            Self::Moving(moving) => moving,
        };
        let share = |start: u64, steps: u64| {
            (number.saturating_sub(start) as f64 / steps as f64).clamp(0.0, 1.0)
        };
        match moving {
            Moving::Linear { from, to, start, steps } => from + (to - from) * share(start, steps),
            Moving::Cosine { from, to, start, steps } => {
                from + (to - from) * 0.5 * (1.0 - (PI * share(start, steps)).cos())
            }
            Moving::Cyclic { from, to, period } => {
                let place = (number % period) as f64 / period as f64;
                from + (to - from) * (2.0 * place).min(1.0)
            }
            Moving::Step { from, factor, every } => {
                // Any larger power is 0 or infinite anyway.
                from * factor.powi((number / every).min(10_000) as i32)
            }
            Moving::Warmup { to, steps } => {
                let falling = cosine_decay(0.95, number as f64 / total.max(1) as f64) + 0.05;
                to * falling * share(0, steps)
            }
        }
    }

    /// Refuse a schedule with values below `low` or not finite, or of zero length.
    pub fn check(&self, key: &str, low: f64) -> Result<()> {
        let (values, lengths) = match *self {
            Self::Constant(value) => (vec![value], vec![]),
            Self::Moving(
                Moving::Linear { from, to, steps, .. } | Moving::Cosine { from, to, steps, .. },
            ) => (vec![from, to], vec![steps]),
            Self::Moving(Moving::Cyclic { from, to, period }) => (vec![from, to], vec![period]),
            Self::Moving(Moving::Warmup { to, steps }) => (vec![to], vec![steps]),
            Self::Moving(Moving::Step { from, factor, every }) => {
                if !(factor.is_finite() && factor > 0.0) {
                    return Err(Error::setting(key, "needs a positive factor"));
                }
                (vec![from], vec![every])
            }
        };
        if values.iter().any(|value| !(value.is_finite() && *value >= low)) {
            return Err(Error::setting(key, format!("must be a number of at least {low}")));
        }
        if lengths.contains(&0) {
            return Err(Error::setting(key, "needs a schedule of at least 1 step"));
        }
        Ok(())
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moving = match self {
            Self::Constant(value) => return value.fmt(f),
            Self::Moving(moving) => moving,
        };
        match moving {
            Moving::Linear { from, to, start, steps } => {
                write!(f, "{from} to {to} in steps {start} to {}", start + steps)
            }
            Moving::Cosine { from, to, start, steps } => {
                write!(f, "{from} to {to} by a cosine in steps {start} to {}", start + steps)
            }
            Moving::Cyclic { from, to, period } => {
                write!(f, "{from} to {to} every {period} steps")
            }
            Moving::Warmup { to, steps } => {
                write!(f, "{to} after {steps} steps, then down by a cosine to {}", to / 20.0)
            }
            Moving::Step { from, factor, every } => {
                write!(f, "{from}, times {factor} every {every} steps")
            }
        }
    }
}

impl From<f64> for Schedule {
    fn from(value: f64) -> Self {
        Self::Constant(value)
    }
}

/// The share of its learning rate that a part of a model has in this step, where all follow the schedule
/// "warmup" of the papers: 100 steps up, then down by a cosine to a twentieth.
pub fn warm_cosine(step: &Step) -> f64 {
    Schedule::Moving(Moving::Warmup { to: 1.0, steps: 100 }).at(step)
}

/// Half a cosine from a learning rate down to 0, at a share of the way.
pub fn cosine_decay(rate: f64, share: f64) -> f64 {
    rate * 0.5 * (1.0 + (PI * share).cos())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize, Serialize)]
    struct Settings {
        beta: Schedule,
    }

    fn read(text: &str) -> Schedule {
        toml::from_str::<Settings>(&format!("beta = {text}")).unwrap().beta
    }

    #[test]
    fn schedules_move_as_they_say() {
        let at = |text: &str, number| read(text).at_number(number, 100);
        assert_eq!(at("4", 7), 4.0);
        assert_eq!(at("{schedule='linear', from=0, to=4, steps=10}", 5), 2.0);
        assert_eq!(at("{schedule='linear', from=0, to=4, start=5, steps=10}", 5), 0.0);
        assert_eq!(at("{schedule='linear', from=0, to=4, steps=10}", 99), 4.0);
        assert!((at("{schedule='cosine', from=1, to=3, steps=10}", 5) - 2.0).abs() < 1e-12);
        assert!(at("{schedule='cosine', from=1, to=3, steps=10}", 1) < 1.1);
        let cyclic = "{schedule='cyclic', from=0, to=1, period=8}";
        assert_eq!([0, 2, 4, 7, 8, 10].map(|n| at(cyclic, n)), [0.0, 0.5, 1.0, 1.0, 0.0, 0.5]);
        // Half of the warm-up, the end, the start.
        let warmup = "{schedule='warmup', to=2, steps=10}";
        let expected = [(5, 2.0 * 0.5 * (0.05 + 0.475 * (1.0 + (0.05 * PI).cos())))];
        for (number, expected) in expected.into_iter().chain([(100, 0.1), (0, 0.0)]) {
            assert!((at(warmup, number) - expected).abs() < 1e-12, "{number}");
        }
        let step = "{schedule='step', from=8, factor=0.5, every=10}";
        assert_eq!([0, 9, 10, 25].map(|n| at(step, n)), [8.0, 8.0, 4.0, 2.0]);
    }

    #[test]
    fn a_schedule_survives_its_text_and_nonsense_is_refused() {
        for text in ["4.5", "{schedule='linear', from=0.0, to=4.0, start=3, steps=10}"] {
            let beta = read(text);
            let again = toml::to_string(&Settings { beta }).unwrap();
            assert_eq!(toml::from_str::<Settings>(&again).unwrap().beta, beta);
        }
        assert!(toml::from_str::<Settings>("beta = {schedule='linear', from=0, to=1}").is_err());
        let refused = |text: &str| read(text).check("model.beta", 0.0).unwrap_err().to_string();
        assert!(refused("-1").contains("`model.beta` must be a number of at least 0"));
        assert!(refused("{schedule='cyclic', from=0, to=1, period=0}").contains("at least 1 step"));
    }
}
