//! The target classifier of CITRIS: from which latents can the intervention targets be read?
//!
//! It sees z^t and those latents of z^{t+1} that ψ gives to one target, to ψ₀, or all of them:
//!
//! ```text
//! logits = net([z^t, z^{t+1} ∘ m_s, m_s])      s = 1 … K, ψ₀, all
//! L_model = (K + 2) mean BCE(logits, I)        trains the net alone: z and ψ have no gradient
//! L_z = (K + 2) mean w BCE(logits, I or rate)  trains z and ψ alone: the net has no gradient
//! ```
//!
//! In L_z the set of target i must tell I_i (w = K) and nothing about the others: their logits are drawn
//! to the base rate P(I_j), or P(I_j | I_i) (w = 1). All latents together must tell everything (w = K).

use burn::module::Module;
use burn::tensor::activation::relu;
use burn::tensor::{Device, Tensor};
use unbraid_measure::rng::Rng;

use super::targets::Rates;
use crate::parts::nets::layers::{Activation, Dense};

/// The classifier.
#[derive(Module, Debug)]
pub struct Classifier {
    hidden: Dense,
    out: Dense,
}

/// Both losses.
pub struct Losses {
    /// That of the classifier.
    pub model: Tensor<1>,
    /// That of latents and assignment.
    pub latents: Tensor<1>,
}

impl Classifier {
    /// With seeded weights; it starts without an opinion.
    pub fn new(
        latents: usize,
        targets: usize,
        width: usize,
        rng: &mut Rng,
        device: &Device,
    ) -> Self {
        Self {
            hidden: Dense::new([3 * latents, width], Activation::Silu, rng, device),
            out: Dense::zero([width, targets], device),
        }
    }

    /// Of transitions with targets `[rows, K]`, latents before and after `[rows, latents]`, and drawn
    /// assignments `[rows, latents, K + 1]`.
    pub fn losses(
        &self,
        [before, after]: [Tensor<2>; 2],
        psi: Tensor<3>,
        targets: Tensor<2>,
        rates: &Rates,
        conditional: bool,
    ) -> Losses {
        let [rows, latents] = before.dims();
        let k = targets.dims()[1];
        let all = Tensor::ones([rows, 1, latents], &before.device());
        // [rows, K + 2, latents]
        let masks = Tensor::cat(vec![psi.swap_dims(1, 2), all], 1);
        let inputs = inputs(before, after, masks);
        let logits = |layer: fn(&Dense, Tensor<2>) -> Tensor<2>, inputs: Tensor<2>| {
            layer(&self.out, layer(&self.hidden, inputs)).reshape([rows, k + 2, k])
        };
        let truth = targets.clone().unsqueeze_dim::<3>(1).repeat_dim(1, k + 2);
        let learned = logits(Dense::forward, inputs.clone().detach());
        let frozen = logits(Dense::frozen, inputs);
        let sets = (k + 2) as f64;
        let (wanted, weights) = wanted(targets, rates, conditional);
        Losses {
            model: cross_entropy(learned, truth).mean() * sets,
            latents: (cross_entropy(frozen, wanted) * weights).mean() * sets,
        }
    }
}

/// [z^t, z^{t+1} ∘ m, m] of each row and set, `[rows · sets, 3 latents]`.
fn inputs(before: Tensor<2>, after: Tensor<2>, masks: Tensor<3>) -> Tensor<2> {
    let [rows, sets, latents] = masks.dims();
    let each = |z: Tensor<2>| z.unsqueeze_dim::<3>(1).repeat_dim(1, sets);
    let inputs = vec![each(before), each(after) * masks.clone(), masks];
    Tensor::cat(inputs, 2).reshape([rows * sets, 3 * latents])
}

/// What the logits of each set should be, and how much each counts: `[rows, K + 2, K]`.
fn wanted(targets: Tensor<2>, rates: &Rates, conditional: bool) -> (Tensor<3>, Tensor<3>) {
    let [rows, k] = targets.dims();
    let device = targets.device();
    let own = Tensor::<2>::eye(k, &device).unsqueeze::<3>();
    let alone = rates.alone().unsqueeze::<3>().repeat_dim(0, rows);
    let others = match conditional {
        true => rates.beside(targets.clone()),
        false => alone.clone().repeat_dim(1, k),
    };
    let truth = targets.unsqueeze_dim::<3>(1);
    let sets = others * (own.clone() * -1.0 + 1.0) + truth.clone() * own.clone();
    let most = (k as f64 - 1.0) * 1.0;
    let weights = [
        own * most + 1.0,
        Tensor::ones([1, 1, k], &device),
        Tensor::full([1, 1, k], k as f32, &device),
    ];
    (Tensor::cat(vec![sets, alone, truth], 1), Tensor::cat(weights.to_vec(), 1))
}

/// −t log σ(l) − (1 − t) log(1 − σ(l)) = max(l, 0) − l t + log(1 + exp(−|l|))
fn cross_entropy(logits: Tensor<3>, targets: Tensor<3>) -> Tensor<3> {
    let tail = (logits.clone().abs() * -1.0).exp().log1p();
    relu(logits.clone()) - logits * targets + tail
}
