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
use burn::tensor::{Device, Tensor};
use serde::{Deserialize, Serialize};
use unbraid_measure::rng::Rng;

use super::per_latent::{PerLatent, by_latent, by_row, silu};
use crate::error::{Error, Result};
use crate::model::{Follows, Interacts, Step, Task};
use crate::parts::distributions::gaussian::Gaussian;
use crate::parts::nets::layers::{Activation, Dense};

/// The angular frequencies of the features of an action with two numbers, a place.
const FREQUENCIES: [f64; 4] = [2.0, 4.0, 8.0, 16.0];

/// The settings of BISCUIT's prior.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct InteractionSettings {
    /// T at the end of the training; it starts at 1.
    pub temperature: f64,
    /// f, how much logits are kept small and pushed down.
    pub logit_factor: f64,
    /// Units per latent of prior and interactions.
    pub prior_width: usize,
}

impl Default for InteractionSettings {
    fn default() -> Self {
        Self { temperature: 2.9, logit_factor: 5e-4, prior_width: 32 }
    }
}

impl InteractionSettings {
    /// Refuse what makes no sense, and data without actions.
    pub fn check(&self, task: &Task) -> Result<()> {
        for (key, value) in
            [("model.temperature", self.temperature), ("model.logit_factor", self.logit_factor)]
        {
            if !(value.is_finite() && value >= 0.0) {
                return Err(Error::setting(key, "must be a number of at least 0"));
            }
        }
        if !(1..=4096).contains(&self.prior_width) {
            return Err(Error::setting("model.prior_width", "must be from 1 to 4096"));
        }
        if task.action == 0 {
            return Err(Error::Unable(
                "these data have no actions, and BISCUIT learns from what an action touches: give \
                 sequences with actions (`actions` of `arrays`), or use citris-vae where targets are known"
                    .into(),
            ));
        }
        Ok(())
    }
}

/// The transition prior of BISCUIT.
#[derive(Module, Debug)]
pub struct InteractionPrior {
    transition: Interacting,
    interactions: Interactions,
    #[module(skip)]
    settings: InteractionSettings,
}

/// The parts of the loss.
pub struct Cost {
    /// −log p(z^{t+1} | z^t, a) of each row, `[rows, 1]`.
    pub nll: Tensor<2>,
    /// A gradient without a value.
    pub regulariser: Tensor<1>,
    /// The share of interactions that are on, and how decided they are, from 0 to 1.
    pub touched: [Tensor<1>; 2],
}

impl InteractionPrior {
    /// With seeded weights.
    pub fn new(
        settings: &InteractionSettings,
        latents: usize,
        action: usize,
        rng: &Rng,
        device: &Device,
    ) -> Self {
        let width = settings.prior_width;
        let [prior, touched] = &mut ["prior", "interactions"].map(|part| rng.split(part));
        Self {
            transition: Interacting::new(latents, width, prior, device),
            interactions: Interactions::new(latents, action, width, touched, device),
            settings: settings.clone(),
        }
    }

    /// Of the latents of transitions with actions `[once, action]`; several samples of each are further rows.
    pub fn cost(&self, [before, after]: [Tensor<2>; 2], actions: Tensor<2>, step: &Step) -> Cost {
        let (once, rows) = (actions.dims()[0], after.dims()[0]);
        let logits = self.interactions.logits(actions);
        let share = step.number as f64 / step.total.max(1) as f64;
        let temperature = 1.0 + (self.settings.temperature - 1.0) * share;
        let touched = (logits.clone() * temperature).tanh();
        let decided = touched.clone().abs().mean();
        let on = logits.clone().greater_elem(0.0).float().mean();
        let next = self.transition.next(before, touched.repeat_dim(0, rows / once));
        let nll = (next.log_density(&after) * -1.0).sum_dim(1);
        let regulariser = regulariser(logits, self.settings.logit_factor);
        Cost { nll, regulariser, touched: [on, decided] }
    }
}

impl Interacts for InteractionPrior {
    fn interactions(&self, actions: Tensor<2>) -> Tensor<2> {
        self.interactions.logits(actions)
    }
}

impl Follows for InteractionPrior {
    /// Interactions are on or off: what they were about to become while training.
    fn next(&self, before: Tensor<2>, _targets: Tensor<2>, actions: Tensor<2>) -> Tensor<2> {
        self.transition.next(before, self.interactions.logits(actions).sign()).mean
    }
}

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
    pub fn new(
        latents: usize,
        action: usize,
        width: usize,
        rng: &mut Rng,
        device: &Device,
    ) -> Self {
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

/// How the next latents follow from these and from interactions.
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
        let mean = |row: &[f32]| {
            batch::numbers(prior.next(z.clone(), batch::matrix(row, 1, 3, &device)).mean)
        };
        assert_eq!(mean(&[-1.0; 3]), mean(&[1.0; 3]));
        assert_eq!(features(batch::matrix(&[0.0; 2], 1, 2, &device)).dims(), [1, features_of(2)]);
    }
}
