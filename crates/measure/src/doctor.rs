//! A second opinion: the codes themselves are looked at, each against each factor and all together, and every score is
//! held against what was seen. Which can be believed, which not, and why.
//!
//! The look knows nothing of metrics: correlation ratios of ranks, which see any curve, and two regressions on rows that
//! they were not fitted to. The stress grid, where the truth is known, says how often it is right.

use crate::metrics::{Asks, Better, Metric, Reading};

mod look;

pub use look::Look;

/// What a metric should say where all that it asks for is there.
pub const HIGH: f64 = 0.8;
/// The most that it may say where there is nothing.
pub const LOW: f64 = 0.2;

/// How an answer is to be judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// As it should be.
    Right,
    /// Low, though what is asked for is there.
    Misses,
    /// High, though it is not.
    Fooled,
    /// More than nothing, of noise.
    FalseAlarm,
    /// No answer.
    Refuses,
}

impl Verdict {
    /// In words.
    pub fn word(self) -> &'static str {
        ["right", "misses", "is fooled", "false alarm", "refuses"][self as usize]
    }

    /// Of an answer, on the scale from 0 to 1, to the question after these properties of codes that have those.
    pub fn of(share: Option<f64>, asks: &[Asks], has: &[Asks], is_noise: bool) -> Self {
        let there = asks.iter().all(|asked| has.contains(asked));
        match share {
            None => Self::Refuses,
            Some(share) if there && share < HIGH => Self::Misses,
            Some(share) if is_noise && share > LOW => Self::FalseAlarm,
            Some(share) if !there && share >= HIGH => Self::Fooled,
            Some(_) => Self::Right,
        }
    }
}

/// A value on the scale from 0, the worst, to 1, the best. Nothing is worse than 0, where a metric knows signs; nothing
/// where the best has no bound.
pub fn share(value: f64, reading: &Reading) -> Option<f64> {
    let low = reading.low.max(0.0);
    let share = ((value - low) / (reading.high - low)).max(0.0);
    let share = if reading.better == Better::Higher { share } else { 1.0 - share };
    share.is_finite().then_some(share)
}

/// What to think of a score.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opinion {
    /// Whether what it says is what was seen.
    pub believe: bool,
    /// Why, in a sentence.
    pub why: String,
}

impl Look {
    /// What to think of a metric that says this; nothing of one that asks no question about codes and factors.
    pub fn opinion(&self, metric: &dyn Metric, value: f64) -> Option<Opinion> {
        let (asks, share) = (metric.asks(), share(value, &metric.reading())?);
        if asks.is_empty() {
            return None;
        }
        let verdict = Verdict::of(Some(share), asks, &self.properties, self.is_noise);
        let lacking = || asks.iter().find(|asked| !self.properties.contains(asked));
        let asked: Vec<&str> = asks.iter().map(|asked| asked.word()).collect();
        let why = match verdict {
            Verdict::FalseAlarm => {
                format!("no code tells anything of any factor; {value:.2} is what it says of noise")
            }
            Verdict::Misses => {
                let asked = asked.join(", and ");
                format!(
                    "{asked}: a direct look sees that, and it says {value:.2}; {}",
                    self.excuse()
                )
            }
            Verdict::Fooled => {
                let missing = lacking().map_or(String::new(), |asked| self.evidence(*asked));
                format!("it says {value:.2}, but {missing}")
            }
            Verdict::Right | Verdict::Refuses if self.is_noise => {
                "codes tell nothing, as it says".into()
            }
            Verdict::Right | Verdict::Refuses => match lacking() {
                None => format!("{}, as a direct look sees too", asked.join(", and ")),
                Some(asked) => self.evidence(*asked),
            },
        };
        Some(Opinion { believe: verdict == Verdict::Right, why })
    }

    /// Why a metric may say little of good codes.
    fn excuse(&self) -> String {
        let signs = self.signs.first().cloned();
        signs.unwrap_or("believe the figures of codes against factors before this number".into())
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::factors::Factor;
    use crate::metrics;
    use crate::representation::Representation;
    use crate::rng::Rng;
    use crate::watch::Stage;

    /// Three factors, and codes made of them.
    fn opinion(name: &str, value: f64, codes: impl Fn(&[f32], f32) -> Vec<f32>) -> Opinion {
        let mut rng = Rng::new(0);
        let values = Array2::from_shape_simple_fn((600, 3), || rng.normal());
        let rows: Vec<f32> = values
            .rows()
            .into_iter()
            .flat_map(|row| codes(row.as_slice().unwrap(), rng.normal()))
            .collect();
        let codes = Array2::from_shape_vec((600, rows.len() / 600), rows).unwrap();
        let factors = ["x", "y", "z"].map(Factor::continuous).into();
        let table = Representation::new(codes, values, factors).unwrap();
        let look = Look::at(&table, &Rng::new(0), &Stage::unwatched()).unwrap();
        look.opinion(metrics::find(name).unwrap(), value).unwrap()
    }

    #[test]
    fn scores_that_are_as_seen_are_believed_and_others_not() {
        let perfect = |v: &[f32], _: f32| v.to_vec();
        assert!(opinion("mcc", 1.0, perfect).believe);
        let low = opinion("mig", 0.3, perfect);
        assert!(!low.believe && low.why.contains("a direct look sees that"), "{low:?}");
        let missing = opinion("mcc", 1.0, |v, _| v[..2].to_vec());
        assert!(!missing.believe && missing.why.contains("`z`"), "{missing:?}");
        let mixed = |v: &[f32], _: f32| vec![v[0] + v[1], v[0] - v[1], v[2]];
        let fooled = opinion("modularity", 0.9, mixed);
        assert!(!fooled.believe && fooled.why.contains("code 0"), "{fooled:?}");
        assert!(opinion("r2", 1.0, mixed).believe);
        let noise = |_: &[f32], noise: f32| vec![noise, noise.sin()];
        let alarm = opinion("infomec", 0.6, noise);
        assert!(!alarm.believe && alarm.why.contains("of noise"), "{alarm:?}");
        assert!(opinion("mcc", 0.04, noise).believe);
    }
}
