//! The transition prior of CITRIS with independent latents: p(z^{t+1} | z^t, I) = Π_j p(z_j^{t+1} | z^t, I).
//!
//! ```text
//! h_j = (z^t W + b)_j,   N(mean_j, deviation_j) from a small net of h_j of its own      [observational]
//! ```
//!
//! Under perfect interventions a latent of target i follows, where I_i = 1, a Gaussian of its own that does
//! not depend on z^t. Which target a latent has is unknown, so the density is averaged in the logarithm
//! with the probabilities π of the assignment:
//!
//! ```text
//! −log p = Σ_j [ Σ_i π_ji I_i nll(intervened_ji) + (1 − Σ_i π_ji I_i − λ π_j0) nll(observational_j) ]
//! ```
//!
//! The intervened Gaussians have no gradient there; each learns from all rows with I_i = 1, whatever π says.
//! λ makes ψ₀ cheaper by a little, and each share outside ψ₀ costs λ / m: what no intervention explains
//! should go there. Relative interventions leave something of the mechanism: the intervened Gaussian starts as the
//! observational one, and learns to be led away from it and to be wider,
//!
//! ```text
//! mean_ji = mean_j + g_ji (a_ji + b_ji z_j^t − mean_j),   deviation_ji = deviation_j exp(d_ji)      from g = d = 0
//! ```
//!
//! so that a target which is not its own costs a latent nothing, and it is free to try. ψ₀ is not cheaper then, but
//! every share of a latent outside it costs λ nats: of what is well predicted −log p is negative, and a share of it
//! no discount. Under imperfect ones the net of a drawn assignment sees its own I_i; nothing is averaged
//! then, so that assignments are learned more slowly.

use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor, TensorData};
use unbraid_measure::rng::Rng;
use unbraid_measure::settings::words;

use super::assignment::Assignment;
use super::per_latent::{PerLatent, by_latent, by_row, silu};
use crate::parts::distributions::gaussian::Gaussian;
use crate::parts::nets::layers::{Activation, Dense};

words! {
    /// What an intervention leaves of the mechanism.
    pub enum Interventions {
        /// Nothing: the new value does not depend on the frame before.
        Perfect = "perfect",
        /// The value before: it is pushed from there, or put anywhere.
        Relative = "relative",
        /// Anything of the frame before.
        Imperfect = "imperfect",
    }
}

/// The prior.
#[derive(Module, Debug)]
pub struct Transition {
    context: Dense,
    /// What a drawn target says to its latents, under imperfect interventions.
    told: Option<PerLatent>,
    hidden: PerLatent,
    out: PerLatent,
    /// Mean and log deviation of each latent under each target's intervention, `[latents, K, 2]`; under relative
    /// ones a, b, g and d, `[latents, K, 4]`.
    intervened: Param<Tensor<3>>,
    #[module(skip)]
    lambda: f64,
}

/// The prior's part of a loss.
pub struct Cost {
    /// −log p(z^{t+1} | z^t, I) of each row and latent, `[rows, latents]`.
    pub nll: Tensor<2>,
    /// What is added to the loss beside it.
    pub beside: Tensor<1>,
}

impl Transition {
    /// With seeded weights.
    pub fn new(
        [latents, targets, width]: [usize; 3],
        interventions: Interventions,
        lambda: f64,
        rng: &mut Rng,
        device: &Device,
    ) -> Self {
        let context = Dense::new([latents, latents * width], Activation::None, rng, device);
        let imperfect = interventions == Interventions::Imperfect;
        let told = imperfect.then(|| PerLatent::new(latents, [targets + 1, width], rng, device));
        let hidden = PerLatent::new(latents, [width, width], rng, device);
        let out = PerLatent::new(latents, [width, 2], rng, device);
        let relative = interventions == Interventions::Relative;
        let each = if relative { 4 } else { 2 };
        let draw = |_| if relative { 0.0 } else { (rng.uniform() - 0.5) as f32 };
        let numbers: Vec<f32> = (0..latents * targets * each).map(draw).collect();
        let intervened = TensorData::new(numbers, [latents, targets, each]);
        let intervened = Param::from_data(intervened, device);
        Self { context, told, hidden, out, intervened, lambda }
    }

    fn is_relative(&self) -> bool {
        self.intervened.dims()[2] == 4
    }

    /// p(z^{t+1} | z^t) of each latent, with what is told of targets `[latents, rows, K + 1]`.
    fn followed(&self, before: Tensor<2>, told: Option<Tensor<3>>) -> Gaussian {
        let latents = before.dims()[1];
        let mut h = by_latent(self.context.forward(before), latents);
        if let (Some(layer), Some(told)) = (&self.told, told) {
            h = h + layer.forward(told);
        }
        let out = self.out.forward(silu(self.hidden.forward(silu(h))));
        Gaussian { mean: by_row(out.clone(), 0), log_variance: by_row(out, 1) * 2.0 }
    }

    /// Of transitions with targets `[rows, K]`, latents before and after `[rows, latents]`, and drawn
    /// assignments.
    pub fn cost(
        &self,
        [before, after]: [Tensor<2>; 2],
        targets: Tensor<2>,
        psi: &Assignment,
        drawn: Tensor<3>,
    ) -> Cost {
        let k = targets.dims()[1];
        let probabilities = psi.probabilities();
        let rest = probabilities.clone().narrow(1, k, 1);
        let outside = rest.clone() * -1.0 + 1.0;
        let relative = self.is_relative();
        let outside = if relative { outside.sum() } else { outside.mean() } * self.lambda;
        if self.told.is_some() {
            let followed = self.followed(before, Some(told(targets, drawn)));
            return Cost { nll: nll(&followed, &after), beside: outside };
        }
        let probabilities = probabilities.narrow(1, 0, k);
        // Σ_i π_ji I_i, [rows, latents]
        let share = targets.clone().matmul(probabilities.clone().transpose());
        let observed = self.followed(before.clone(), None);
        let mut usual = share * -1.0 + 1.0;
        if !relative {
            usual = usual - rest.transpose() * self.lambda;
        }
        let hit = targets.unsqueeze_dim::<3>(1);
        let table = self.intervened.val();
        let blended = intervened(table.clone().detach(), &before, &observed).nll(after.clone());
        let blended = blended * hit.clone() * probabilities.unsqueeze::<3>();
        let still = Gaussian {
            mean: observed.mean.clone().detach(),
            log_variance: observed.log_variance.clone().detach(),
        };
        let taught = intervened(table, &before.detach(), &still).nll(after.clone().detach()) * hit;
        let rows = taught.dims()[0] as f64;
        let taught = taught.sum() / rows;
        let nll = nll(&observed, &after) * usual + blended.sum_dim(2).squeeze_dim::<2>(2);
        Cost { nll, beside: outside + taught.clone() - taught.detach() }
    }

    /// p(z^{t+1} | z^t, I) with the latents given to these targets, for targets `[rows, K]`.
    pub fn next(
        &self,
        before: Tensor<2>,
        targets: Tensor<2>,
        choices: &[Option<usize>],
    ) -> Gaussian {
        let k = targets.dims()[1];
        let chosen = one_hot(choices, k, &before.device());
        let rows = before.dims()[0];
        if self.told.is_some() {
            let drawn = chosen.unsqueeze::<3>().repeat_dim(0, rows);
            return self.followed(before, Some(told(targets, drawn)));
        }
        let observed = self.followed(before.clone(), None);
        let chosen = chosen.narrow(1, 0, k);
        let hit = targets.matmul(chosen.clone().transpose());
        let table = intervened(self.intervened.val(), &before, &observed);
        // Of each latent under its own target, [rows, latents].
        let own =
            |all: Tensor<3>| (all * chosen.clone().unsqueeze()).sum_dim(2).squeeze_dim::<2>(2);
        let blend = |usual: Tensor<2>, own: Tensor<2>| usual.clone() + hit.clone() * (own - usual);
        Gaussian {
            mean: blend(observed.mean, own(table.mean)),
            log_variance: blend(observed.log_variance, own(table.log_deviation) * 2.0),
        }
    }
}

/// I_i where a latent has target i, 0 where it is of ψ₀, and −1 elsewhere: `[latents, rows, K + 1]`.
fn told(targets: Tensor<2>, drawn: Tensor<3>) -> Tensor<3> {
    let [rows, _] = targets.dims();
    let nothing = Tensor::zeros([rows, 1], &targets.device());
    let values = Tensor::cat(vec![targets, nothing], 1).unsqueeze_dim::<3>(1);
    (drawn.clone() * values + drawn - 1.0).swap_dims(0, 1)
}

/// The choices as rows of a matrix, `[latents, K + 1]`, ψ₀ last.
pub(super) fn one_hot(choices: &[Option<usize>], targets: usize, device: &Device) -> Tensor<2> {
    let mut numbers = vec![0.0f32; choices.len() * (targets + 1)];
    for (latent, choice) in choices.iter().enumerate() {
        numbers[latent * (targets + 1) + choice.unwrap_or(targets)] = 1.0;
    }
    Tensor::from_data(TensorData::new(numbers, [choices.len(), targets + 1]), device)
}

fn nll(p: &Gaussian, z: &Tensor<2>) -> Tensor<2> {
    p.log_density(z) * -1.0
}

/// The Gaussians of latents under each target, `[rows, latents, K]`, or one row for all.
struct UnderTargets {
    mean: Tensor<3>,
    log_deviation: Tensor<3>,
}

/// Those of a table, given the latents before and what would have followed without an intervention.
fn intervened(table: Tensor<3>, before: &Tensor<2>, observed: &Gaussian) -> UnderTargets {
    let of = |which: usize| -> Tensor<3> {
        table.clone().narrow(2, which, 1).squeeze_dim::<2>(2).unsqueeze()
    };
    if table.dims()[2] == 2 {
        return UnderTargets { mean: of(0), log_deviation: of(1) };
    }
    let each = |rows: Tensor<2>| rows.unsqueeze_dim::<3>(2);
    let mean = each(observed.mean.clone());
    let led = of(0) + each(before.clone()) * of(1);
    UnderTargets {
        mean: mean.clone() + (led - mean) * of(2),
        log_deviation: each(observed.log_variance.clone() * 0.5) + of(3),
    }
}

impl UnderTargets {
    /// −log N(z_j; mean_ji, deviation_ji) of rows `[rows, latents]`: `[rows, latents, K]`.
    fn nll(self, z: Tensor<2>) -> Tensor<3> {
        let apart =
            (z.unsqueeze_dim::<3>(2) - self.mean) * (self.log_deviation.clone() * -1.0).exp();
        apart.square() * 0.5 + self.log_deviation + 0.5 * std::f64::consts::TAU.ln()
    }
}

#[cfg(test)]
mod tests;
