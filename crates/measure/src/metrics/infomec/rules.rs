//! What the published versions of InfoMEC do differently:
//!
//! | | QLAE | Tripod | guard |
//! |---|---|---|---|
//! | a continuous code is active | range > largest range / 20 | interquartile range > largest / 10 | as QLAE |
//! | a discrete code is active | it changes | interquartile range > 0.1 | it changes |
//! | no code is active | no score | all three are 0 | InfoM and InfoC are 0 |
//! | one factor, or one active code | no InfoM, or no InfoC | the same | the plain ratio, which is 1 |
//! | penalty of the classifier | none | none | C = 1 |
//! | H0 | ln of the number of labels | the same | the entropy of the labels |
//! | scores | as they come | as they come | between 0 and 1 |
//!
//! QLAE is latent_quantization, Tripod its successor, and guard the code of "Who Guards the
//! Guardians?" (Joshi et al., UAI 2026).

use ndarray::{ArrayView1, ArrayView2};

use super::Codes;
use crate::stats::information::entropy;
use crate::stats::mean;
use crate::stats::order::sorted;

/// Whose version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    /// Quantised latents (Hsu et al. 2023).
    Qlae,
    /// Tripod (Hsu et al. 2024).
    Tripod,
    /// Identifiability guard (Joshi et al. 2026).
    Guard,
}

/// The share of the largest range that a code must exceed.
const RANGE: f64 = 1.0 / 20.0;
/// The share of the largest interquartile range that a code must exceed.
const IQR: f64 = 1.0 / 10.0;
/// The interquartile range that a discrete code must exceed; Tripod's lie between -1 and 1.
const IQR_OF_LABELS: f64 = 0.1;

impl Rules {
    /// The numbers of the codes that count for InfoM and InfoC.
    pub(super) fn active(self, codes: ArrayView2<f32>, kind: Codes) -> Vec<usize> {
        let spread: fn(ArrayView1<f32>) -> f64 = match self {
            Rules::Qlae | Rules::Guard => range,
            Rules::Tripod => interquartile_range,
        };
        let spreads: Vec<f64> = codes.columns().into_iter().map(spread).collect();
        let largest = spreads.iter().copied().fold(0.0, f64::max);
        let least = match (self, kind) {
            (Rules::Tripod, Codes::Continuous) => largest * IQR,
            (Rules::Tripod, Codes::Discrete) => IQR_OF_LABELS,
            (_, Codes::Continuous) => largest * RANGE,
            (_, Codes::Discrete) => 0.0,
        };
        (0..spreads.len()).filter(|&j| spreads[j] > least).collect()
    }

    /// (mean of shares - 1/n) / (1 - 1/n), the share of chance being 1/n; `None` without shares, or
    /// if there is nothing to choose from.
    pub(super) fn above_chance(self, shares: &[f64], n: usize) -> Option<f64> {
        let chance = 1.0 / n as f64;
        match (shares.is_empty(), n, self) {
            (false, 1, Rules::Guard) => Some(mean(shares.iter().copied())),
            (true, _, _) | (false, 1, _) => None,
            _ => Some((mean(shares.iter().copied()) - chance) / (1.0 - chance)),
        }
    }

    /// C of the classifier behind InfoE.
    pub(super) fn penalty(self) -> f64 {
        if self == Rules::Guard { 1.0 } else { f64::INFINITY }
    }

    /// H0, the loss of a classifier that sees nothing.
    pub(super) fn blind_loss(self, labels: &[u32], classes: usize) -> f64 {
        // With balanced classes it gives all labels the same probability.
        if self == Rules::Guard { entropy(labels) } else { (classes as f64).ln() }
    }
}

fn range(column: ArrayView1<f32>) -> f64 {
    let numbers = column.iter().map(|value| f64::from(*value));
    let ends = numbers.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], value| {
        [low.min(value), high.max(value)]
    });
    ends[1] - ends[0]
}

/// From a quarter to three quarters of the rows, with straight lines between sorted values.
fn interquartile_range(column: ArrayView1<f32>) -> f64 {
    let values = sorted(column).values;
    let quantile = |share: f64| {
        let place = share * (values.len() - 1) as f64;
        let at = |place: f64| f64::from(values[place as usize]);
        let (low, high) = (at(place.floor()), at(place.ceil()));
        low + (high - low) * place.fract()
    };
    quantile(0.75) - quantile(0.25)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array};

    #[test]
    fn quartiles_lie_on_lines_between_values() {
        // Places 0.75 and 2.25 of 0, 1, 5, 9.
        assert!((interquartile_range(array![9.0, 0.0, 5.0, 1.0].view()) - 5.25).abs() < 1e-12);
    }

    #[test]
    fn a_code_that_rarely_moves_is_kept_by_its_range_and_pruned_by_its_quartiles() {
        let codes = Array2::from_shape_fn((200, 3), |(row, j)| match (j, row) {
            (0, _) => row as f32 / 199.0,
            (1, 0) => 1.0,
            (1, _) => 0.0,
            _ => 0.01 * row as f32 / 199.0,
        });
        let active = |rules: Rules, kind| rules.active(codes.view(), kind);
        assert_eq!(active(Rules::Qlae, Codes::Continuous), [0, 1]);
        assert_eq!(active(Rules::Tripod, Codes::Continuous), [0]);
        assert_eq!(active(Rules::Qlae, Codes::Discrete), [0, 1, 2]);
        assert_eq!(active(Rules::Tripod, Codes::Discrete), [0]);
    }

    #[test]
    fn chance_is_zero_and_one_of_one_has_no_score() {
        assert!(Rules::Qlae.above_chance(&[0.25, 0.25], 4).unwrap().abs() < 1e-12);
        assert_eq!(Rules::Qlae.above_chance(&[1.0], 4), Some(1.0));
        assert_eq!(Rules::Qlae.above_chance(&[1.0], 1), None);
        assert_eq!(Rules::Guard.above_chance(&[1.0], 1), Some(1.0));
        assert_eq!(Rules::Guard.above_chance(&[], 3), None);
    }
}
