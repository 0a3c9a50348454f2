//! Correlated factors: rows drawn so that pairs of factors tend to take like values.
//!
//! p(a, b) ∝ exp(−(a − b)² / 2σ²), with both factors scaled to 0..1; all else is independent and
//! even. Small σ ties the two together, large σ leaves them as they are.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::factors::{Factor, Kind};
use crate::rng::Rng;

use super::conditions::column;

const KEY: &str = "data.variant.correlate";

/// One pair of factors, as in the settings.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Correlation {
    pub(super) factors: [String; 2],
    pub(super) sigma: f64,
}

/// Draws of the values of all factors; the i-th is a function of the seed and i alone.
pub(super) struct Draws {
    rng: Rng,
    /// What each factor may be.
    values: Vec<Vec<f32>>,
    pairs: Vec<Pair>,
}

struct Pair {
    columns: [usize; 2],
    /// P(combination ≤ k), where k counts the second factor fastest.
    cumulative: Vec<f64>,
}

impl Draws {
    /// `factors` list what each factor may still be, all of them discrete.
    pub(super) fn new(factors: &[Factor], pairs: &[Correlation], seed: u64) -> Result<Self> {
        let values: Vec<Vec<f32>> = factors
            .iter()
            .map(|factor| match &factor.kind {
                Kind::Discrete(values) => values.clone(),
                Kind::Continuous | Kind::Angle => Vec::new(),
            })
            .collect();
        let mut taken = Vec::new();
        let mut pair = |asked: &Correlation| {
            let mut columns = [0; 2];
            for (slot, name) in columns.iter_mut().zip(&asked.factors) {
                *slot = column(KEY, name, factors)?;
                if taken.contains(slot) {
                    let reason = format!("has `{name}` twice; a factor can be in one pair only");
                    return Err(Error::setting(KEY, reason));
                }
                if values[*slot].len() < 2 {
                    let reason = format!("has `{name}`, which takes one value only");
                    return Err(Error::setting(KEY, reason));
                }
                taken.push(*slot);
            }
            let sigma = asked.sigma;
            if !(sigma > 0.0 && sigma.is_finite()) {
                let reason = format!("has sigma = {sigma}; it must be a number above 0");
                return Err(Error::setting(KEY, reason));
            }
            Ok(Pair { columns, cumulative: cumulative(columns.map(|c| &values[c][..]), sigma) })
        };
        let pairs = pairs.iter().map(&mut pair).collect::<Result<_>>()?;
        Ok(Self { rng: Rng::new(seed).split("correlate"), values, pairs })
    }

    /// How many different rows there are, and so how many are drawn.
    pub(super) fn len(&self) -> usize {
        self.values.iter().map(Vec::len).product()
    }

    /// The values of all factors in the i-th draw.
    pub(super) fn draw(&self, index: usize) -> Vec<f32> {
        let mut rng = self.rng.at(index as u64);
        let mut drawn: Vec<f32> =
            self.values.iter().map(|values| values[rng.below(values.len())]).collect();
        for Pair { columns: [first, second], cumulative } in &self.pairs {
            let place = rng.uniform();
            let combination = cumulative.partition_point(|bound| *bound <= place);
            // Rounding may leave the last bound a little below one.
            let combination = combination.min(cumulative.len() - 1);
            let fastest = self.values[*second].len();
            drawn[*first] = self.values[*first][combination / fastest];
            drawn[*second] = self.values[*second][combination % fastest];
        }
        drawn
    }
}

fn cumulative(values: [&[f32]; 2], sigma: f64) -> Vec<f64> {
    let [first, second] = values.map(scaled);
    let distances = first.iter().flat_map(|a| second.iter().map(move |b| (a - b).powi(2)));
    let weights: Vec<f64> = distances.map(|d| (-d / (2.0 * sigma * sigma)).exp()).collect();
    let total: f64 = weights.iter().sum();
    let sum = |sum: &mut f64, weight: f64| {
        *sum += weight / total;
        Some(*sum)
    };
    weights.into_iter().scan(0.0, sum).collect()
}

/// Values, which are in order, moved to 0..1.
fn scaled(values: &[f32]) -> Vec<f64> {
    let (low, high) = (f64::from(values[0]), f64::from(values[values.len() - 1]));
    values.iter().map(|value| (f64::from(*value) - low) / (high - low)).collect()
}
