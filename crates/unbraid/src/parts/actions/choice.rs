//! Yes or no from a probability, in a way that gradients pass (straight-through Gumbel-softmax, temperature 1).
//!
//! ```text
//! s = σ(logit + log u − log(1 − u)),   yes = [s > ½],   with the gradient of s
//! ```
//!
//! The difference of two Gumbel variables is logistic, so two classes need one of them.

use burn::tensor::activation::sigmoid;
use burn::tensor::{Device, Tensor, TensorData};

use crate::model::{Step, batch};

/// A probability is kept this far from 0 and 1, as in the released code: log(1e-4) = −9.21.
const LARGEST: f64 = 9.21;

/// How to choose.
pub enum Choice<'a> {
    /// By chance, and then all or nothing; or in between, which is what that has the gradient of.
    Drawn {
        /// The source of chance.
        step: &'a mut Step,
        /// Which draw each row has: rows that are compared with each other share one.
        draws: &'a [usize],
        /// Whether it is all or nothing.
        hard: bool,
    },
    /// What is likelier.
    Likelier,
    /// Yes, whatever is probable.
    Yes(&'a mut Step),
}

impl Choice<'_> {
    /// 1 for yes, from the logits of probabilities `[rows, …]`.
    pub fn of(&mut self, logits: Tensor<3>) -> Tensor<3> {
        let (step, draws, hard) = match self {
            Self::Drawn { step, draws, hard } => (step, *draws, *hard),
            Self::Likelier => return logits.greater_elem(0.0).float(),
            Self::Yes(_) => return logits.ones_like(),
        };
        let noise = logistic(logits.dims(), step, draws, &logits.device());
        let soft = sigmoid(logits.clamp(-LARGEST, LARGEST) + noise);
        match hard {
            true => {
                let yes = soft.clone().detach().greater_elem(0.5).float();
                yes + soft.clone() - soft.detach()
            }
            false => soft,
        }
    }
}

/// log u − log(1 − u), the same for rows with the same draw.
fn logistic(shape: [usize; 3], step: &mut Step, draws: &[usize], device: &Device) -> Tensor<3> {
    let [rows, nodes, size] = shape;
    let count = draws.iter().max().map_or(0, |last| last + 1);
    let places = batch::numbers(step.uniform([count, nodes, size], device));
    let one = |place: f32| {
        // From −1..1: log u − log(1 − u) = 2 artanh(2 u − 1).
        2.0 * place.clamp(-0.999_999, 0.999_999).atanh()
    };
    let noise: Vec<f32> = places.into_iter().map(one).collect();
    let row = |draw: &usize| noise[draw * nodes * size..][..nodes * size].iter().copied();
    let all: Vec<f32> = draws.iter().flat_map(row).collect();
    assert_eq!(draws.len(), rows, "a draw for each row");
    Tensor::from_data(TensorData::new(all, shape), device)
}

#[cfg(test)]
mod tests {
    use unbraid_measure::rng::Rng;

    use super::*;
    use crate::compute::device;

    #[test]
    fn yes_is_as_frequent_as_it_is_probable_and_rows_that_share_a_draw_agree() {
        for (probability, tolerance) in [(0.2f64, 0.01), (0.5, 0.01), (0.97, 0.005)] {
            let logit = (probability / (1.0 - probability)).ln() as f32;
            let logits = TensorData::new(vec![logit; 30_000], [3, 10_000, 1]);
            let logits = Tensor::<3>::from_data(logits, &device::inference());
            let mut step = Step::new(0, 1, &Rng::new(1));
            let mut choice = Choice::Drawn { step: &mut step, draws: &[0, 1, 0], hard: true };
            let drawn = batch::numbers(choice.of(logits));
            assert!(drawn.iter().all(|yes| (yes - yes.round()).abs() < 1e-6));
            assert_eq!(drawn[..10_000], drawn[20_000..]);
            assert_ne!(drawn[..10_000], drawn[10_000..20_000]);
            let share = f64::from(drawn[..20_000].iter().sum::<f32>()) / 20_000.0;
            assert!((share - probability).abs() < tolerance, "{share} of {probability}");
        }
    }
}
