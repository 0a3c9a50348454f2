//! Interactions: whether an action touches a latent, learned without being told (BISCUIT, Lippe et al. 2023,
//! arXiv:2306.09643), and the transition prior that follows from it.
//!
//! ```text
//! l_j = net_j(features(a)),  I_j = tanh(T l_j)                 −1: left alone, 1: touched
//! N(mean_j, deviation_j) = net_j(context(z^t) + z_j^t A_j + I_j B_j)
//! ```
//!
//! The temperature T rises while training, so that I_j becomes binary. A gradient without a value, of
//! f (1 + sign l + l)² + 0.01 f l², keeps logits small and pushes them down: what need not be an interaction
//! should not be one.

use burn::module::Module;
use burn::tensor::activation::silu;
use burn::tensor::{Device, Tensor};
use unbraid_measure::rng::Rng;

use super::per_latent::{PerLatent, by_latent, by_row};
use crate::parts::distributions::gaussian::Gaussian;
use crate::parts::nets::layers::{Activation, Dense};

/// The angular frequencies of the features of an action with two numbers, a place.
const FREQUENCIES: [f64; 4] = [2.0, 4.0, 8.0, 16.0];

/// The logits of interactions.
#[derive(Module, Debug)]
pub struct Interactions {
    first: Dense,
    second: PerLatent,
    out: PerLatent,
    #[module(skip)]
    latents: usize,
}

impl Interactions {
    /// Of so many latents with actions of so many numbers; with seeded weights.
    pub fn new(latents: usize, action: usize, width: usize, rng: &mut Rng, device: &Device) -> Self {
        let first = [features_of(action), latents * width];
        Self {
            first: Dense::new(first, Activation::Silu, rng, device),
            second: PerLatent::new(latents, [width, width], rng, device),
            out: PerLatent::new(latents, [width, 1], rng, device),
            latents,
        }
    }

    /// l of actions `[rows, action]`: `[rows, latents]`.
    pub fn logits(&self, actions: Tensor<2>) -> Tensor<2> {
        let h = by_latent(self.first.forward(features(actions)), self.latents);
        by_row(self.out.forward(silu(self.second.forward(h))), 0)
    }
}

/// How many features an action of so many numbers has.
fn features_of(action: usize) -> usize {
    if action == 2 { 2 * (2 * FREQUENCIES.len() + 1) } else { action }
}

/// A place as sines and cosines of its coordinates, and these; other actions as they are.
fn features(actions: Tensor<2>) -> Tensor<2> {
    if actions.dims()[1] != 2 {
        return actions;
    }
    let waves = FREQUENCIES.iter().flat_map(|frequency| {
        let angle = actions.clone() * *frequency;
        [angle.clone().sin(), angle.cos()]
    });
    Tensor::cat(waves.chain([actions.clone()]).collect(), 1)
}

/// The cost of logits: no value, only a gradient, averaged over rows.
pub fn regulariser(logits: Tensor<2>, factor: f64) -> Tensor<1> {
    let rows = logits.dims()[0] as f64;
    let still = logits.clone().detach();
    let pushed = (logits.clone() - still.clone() + still.sign() + 1.0).square().sum() / rows;
    let small = logits.square().mean() * 0.01;
    let cost = (pushed + small) * factor;
    cost.clone() - cost.detach()
}

/// The transition prior of BISCUIT.
#[derive(Module, Debug)]
pub struct Interacting {
    context: Dense,
    context_out: PerLatent,
    own: PerLatent,
    touched: PerLatent,
    hidden: PerLatent,
    out: PerLatent,
}

impl Interacting {
    /// With seeded weights.
    pub fn new(latents: usize, width: usize, rng: &mut Rng, device: &Device) -> Self {
        let square = [width, width];
        Self {
            context: Dense::new([latents, latents * width], Activation::Tanh, rng, device),
            context_out: PerLatent::new(latents, square, rng, device),
            own: PerLatent::new(latents, [1, width], rng, device),
            touched: PerLatent::zero(latents, [1, width], device),
            hidden: PerLatent::new(latents, square, rng, device),
            out: PerLatent::new(latents, [width, 2], rng, device),
        }
    }

    /// p(z^{t+1} | z^t, I) of interactions `[rows, latents]` from −1 to 1.
    pub fn next(&self, before: Tensor<2>, interactions: Tensor<2>) -> Gaussian {
        let latents = before.dims()[1];
        let context = by_latent(self.context.forward(before.clone()), latents);
        let h = self.context_out.forward(context)
            + self.own.forward(by_latent(before, latents))
            + self.touched.forward(by_latent(interactions, latents));
        let out = self.out.forward(silu(self.hidden.forward(silu(h))));
        Gaussian { mean: by_row(out.clone(), 0), log_variance: by_row(out, 1) * 2.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::device;
    use crate::model::batch;

    #[test]
    fn the_regulariser_has_no_value_and_pushes_positive_logits_down() {
        let device = device::training();
        let logits = batch::matrix(&[0.5, -0.5], 1, 2, &device).require_grad();
        let cost = regulariser(logits.clone(), 0.1);
        assert_eq!(cost.clone().into_scalar::<f32>(), 0.0);
        let gradient = batch::numbers(logits.grad(&cost.backward()).unwrap());
        // 4 f for a positive one, nothing for a negative one, and 0.01 f l of the mean of two squares.
        for (found, expected) in gradient.iter().zip([0.4 + 0.0005, -0.0005]) {
            assert!((found - expected).abs() < 1e-6, "{gradient:?}");
        }
    }

    #[test]
    fn an_interaction_starts_without_effect_on_its_latent_and_none_on_others() {
        let device = device::inference();
        let prior = Interacting::new(3, 4, &mut Rng::new(0), &device);
        let z = batch::matrix(&[0.3, -1.0, 0.7], 1, 3, &device);
        let mean = |row: &[f32]| batch::numbers(prior.next(z.clone(), batch::matrix(row, 1, 3, &device)).mean);
        assert_eq!(mean(&[-1.0; 3]), mean(&[1.0; 3]));
        assert_eq!(features(batch::matrix(&[0.0; 2], 1, 2, &device)).dims(), [1, features_of(2)]);
    }
}
