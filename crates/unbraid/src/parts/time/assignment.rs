//! ψ: which latent belongs to which intervention target (CITRIS, Lippe et al. 2022, arXiv:2202.03169).
//!
//! Each latent chooses one of K targets or ψ₀, the rest: what no intervention explains. The choice is
//! drawn anew for each row while training, by a Gumbel-softmax whose value is one-hot and whose gradient is
//! that of the softmax; a trained model takes the likeliest.

use burn::module::{Module, Param};
use burn::tensor::activation::softmax;
use burn::tensor::{Device, Tensor, TensorData};

use crate::model::{Step, batch};

/// What keeps ψ₀ from being chosen where there is none.
const NEVER: f32 = -1e9;

/// The assignment of latents to targets.
#[derive(Module, Debug)]
pub struct Assignment {
    /// `[latents, targets + 1]`, ψ₀ last.
    logits: Param<Tensor<2>>,
    #[module(skip)]
    temperature: f64,
    #[module(skip)]
    rest: bool,
}

impl Assignment {
    /// Undecided. Without `rest` there is no ψ₀.
    pub fn new(latents: usize, targets: usize, rest: bool, device: &Device) -> Self {
        let logits = TensorData::new(vec![0.0f32; latents * (targets + 1)], [latents, targets + 1]);
        Self { logits: Param::from_data(logits, device), temperature: 1.0, rest }
    }

    /// Decided beyond doubt.
    #[cfg(test)]
    pub fn sure(choices: &[Option<usize>], targets: usize, device: &Device) -> Self {
        let mut logits = vec![0.0f32; choices.len() * (targets + 1)];
        for (latent, choice) in choices.iter().enumerate() {
            logits[latent * (targets + 1) + choice.unwrap_or(targets)] = 1e3;
        }
        let logits = TensorData::new(logits, [choices.len(), targets + 1]);
        Self { logits: Param::from_data(logits, device), temperature: 1.0, rest: true }
    }

    /// The same while ψ₀ is not to be chosen yet.
    pub fn without_rest(&self) -> Self {
        Self { rest: false, ..self.clone() }
    }

    /// With −10⁹ for ψ₀ where there is none.
    fn masked(&self) -> Tensor<2> {
        let logits = self.logits.val();
        if self.rest {
            return logits;
        }
        let width = logits.dims()[1];
        let mut never = vec![0.0; width];
        never[width - 1] = NEVER;
        let never = Tensor::from_data(TensorData::new(never, [1, width]), &logits.device());
        logits + never
    }

    /// The probability of each choice, `[latents, targets + 1]`.
    pub fn probabilities(&self) -> Tensor<2> {
        softmax(self.masked(), 1)
    }

    /// How undecided it is: the sum over latents of −Σ π log π.
    pub fn entropy(&self) -> Tensor<1> {
        let probabilities = self.probabilities();
        (probabilities.clone() * (probabilities + 1e-9).log()).sum() * -1.0
    }

    /// One-hot choices for each row, `[rows, latents, targets + 1]`.
    pub fn sample(&self, rows: usize, step: &mut Step) -> Tensor<3> {
        let logits = self.masked();
        let [latents, width] = logits.dims();
        let uniform = step.uniform([rows, latents, width], &logits.device()) * 0.5 + 0.5;
        let gumbel = (uniform.clamp(1e-7, 1.0 - 1e-7).log() * -1.0).log() * -1.0;
        let soft = softmax((logits.unsqueeze::<3>() + gumbel) / self.temperature, 2);
        let largest = soft.clone().max_dim(2);
        let hard = soft.clone().equal(largest).float().detach();
        hard + soft.clone() - soft.detach()
    }

    /// The likeliest choice of each latent; none for ψ₀.
    pub fn choices(&self) -> Vec<Option<usize>> {
        let logits = self.masked();
        let width = logits.dims()[1];
        let numbers = batch::numbers(logits);
        let choice = |row: &[f32]| {
            let likelier = |best: usize, k: usize| if row[k] > row[best] { k } else { best };
            let best = (0..width).fold(0, likelier);
            // Undecided, as before the first step, is of no target.
            let sure = (0..width).all(|k| k == best || row[k] < row[best]);
            (sure && best + 1 < width).then_some(best)
        };
        numbers.chunks_exact(width).map(choice).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::device;
    use unbraid_measure::rng::Rng;

    fn assignment(rest: bool) -> Assignment {
        let logits = TensorData::new(vec![0.0f32, 3.0, 0.0, 1.0, 0.0, 4.0], [2, 3]);
        let logits = Param::from_data(logits, &device::training());
        Assignment { logits, temperature: 1.0, rest }
    }

    #[test]
    fn the_likeliest_is_chosen_and_without_a_rest_nothing_falls_into_it() {
        assert_eq!(assignment(true).choices(), [Some(1), None]);
        assert_eq!(assignment(false).choices(), [Some(1), Some(0)]);
        let never = batch::numbers(assignment(false).probabilities());
        let start = Assignment::new(2, 2, true, &device::training());
        assert_eq!(start.choices(), [None, None], "nothing is decided yet");
        assert!(never[2] == 0.0 && never[5] == 0.0 && (never[0] + never[1] - 1.0).abs() < 1e-6);
    }

    #[test]
    fn samples_are_one_hot_as_often_as_likely_and_pass_a_gradient() {
        let psi = assignment(true);
        let drawn = psi.sample(4000, &mut Step::new(0, 1, &Rng::new(0)));
        let likely = batch::numbers(psi.probabilities());
        let often = batch::numbers(drawn.clone().mean_dim(0));
        for (often, likely) in often.iter().zip(&likely) {
            assert!((often - likely).abs() < 0.03, "{often} and {likely}");
        }
        let rows = batch::numbers(drawn.clone());
        assert!(rows.chunks(3).all(|row| (row.iter().sum::<f32>() - 1.0).abs() < 1e-5));
        assert!(rows.iter().all(|entry| entry.abs() < 1e-5 || (entry - 1.0).abs() < 1e-5));
        let gradients = drawn.narrow(2, 0, 1).sum().backward();
        let gradient = psi.logits.grad(&gradients).unwrap();
        assert!(batch::numbers(gradient)[0] > 0.0);
    }
}
