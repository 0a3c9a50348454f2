//! Where the released code (trustworthyAI, research/CausalVAE) departs from the paper's formulas: the
//! posterior variance is 1, an attention term is added to the mask layer, the labels pass through
//! networks of their own, and the terms of the loss have other weights.

use burn::module::{Module, Param};
use burn::tensor::activation::{sigmoid, softmax};
use burn::tensor::{Device, Tensor, TensorData};
use unbraid_measure::rng::Rng;

use super::{CausalVae, logged};
use crate::model::batch::Batch;
use crate::model::{Loss, Step};
use crate::parts::concepts::mask::{MaskLayer, Sees};
use crate::parts::concepts::structure::Structure;

/// The variance of the noise added before the decoder.
const NOISE: f64 = 0.001;
/// The weight of KL(q(ε) ‖ N(0, I)).
const EXOGENOUS: f64 = 0.3;
/// The weights of h and h², the acyclicity penalties.
const CYCLES: [f64; 2] = [3.0, 0.5];

/// The components that are not in the paper.
#[derive(Module, Debug)]
pub(super) struct Released {
    /// M, `[dimensions, dimensions]`, initialised from a standard normal.
    attention: Param<Tensor<2>>,
    /// u_i from Σ_j A_ji u_j.
    labels: MaskLayer,
}

impl Released {
    pub(super) fn new([concepts, dimensions]: [usize; 2], rng: &Rng, device: &Device) -> Self {
        let mut values = vec![0.0; dimensions * dimensions];
        rng.split("attention").fill_normal(&mut values);
        let attention = TensorData::new(values, [dimensions, dimensions]);
        let labels = MaskLayer::new([concepts, 1], Sees::Sum, &[32], &rng.split("labels"), device);
        Self { attention: Param::from_data(attention, device), labels }
    }

    /// softmax(sigmoid(z M εᵀ)) ε, the softmax over the concepts of z, as in the code.
    pub(super) fn attend(&self, z: Tensor<3>, noise: Tensor<3>) -> Tensor<3> {
        let [rows, concepts, dimensions] = z.dims();
        let flat = z.reshape([rows * concepts, dimensions]).matmul(self.attention.val());
        let scores =
            flat.reshape([rows, concepts, dimensions]).matmul(noise.clone().swap_dims(1, 2));
        softmax(sigmoid(scores), 1).matmul(noise)
    }

    /// The mean over rows and concepts of (g(A, u) − u)².
    pub(super) fn label_error(&self, labels: Tensor<2>, a: &Tensor<2>) -> Tensor<1> {
        let [rows, concepts] = labels.dims();
        let labels = labels.reshape([rows, concepts, 1]);
        (self.labels.forward(&labels, a) - labels).square().mean()
    }
}

impl CausalVae {
    /// The loss of the released code.
    pub(super) fn released_loss(
        &self,
        released: &Released,
        batch: &Batch,
        step: &mut Step,
    ) -> Loss {
        let labels = self.scaling.of(batch);
        let q = self.posterior(batch.x(), Some(&labels));
        let (a, solved) = (self.structure.adjacency(), self.structure.solve());
        let noise = self.in_concepts(q.mean.clone());
        let z = Structure::endogenous(&solved, noise.clone());
        let made = self.flat(self.made(&z, &noise, &a));
        let drawn = step.noise(made.dims(), &made.device()) * NOISE.sqrt();
        let rows = batch.x().dims()[0];
        let reconstruction = self.nets.error(made.clone() + drawn, batch.x());
        // Variances are 1, so every KL is half a squared distance.
        let half = |apart: Tensor<2>| apart.square().sum() * (0.5 / rows as f64);
        let means = self.prior_means(&labels);
        let exogenous = half(q.mean.clone());
        let endogenous = half(self.flat(z) - means.clone());
        let masked = half(made - means);
        let labelled = released.label_error(batch.labels(), &a);
        let cycles = self.graph.acyclicity.of(a.clone());
        let [alpha, beta, gamma] = self.weights.map(|weight| weight.at(step));
        let counted = cycles.clone() * CYCLES[0] + cycles.clone().square() * CYCLES[1];
        let total = reconstruction.clone() * self.balance.reconstruction
            + exogenous.clone() * EXOGENOUS
            + endogenous.clone()
            + counted * alpha
            + labelled.clone() * beta
            + masked.clone() * gamma;
        let terms = [reconstruction, exogenous, endogenous, masked, labelled, cycles];
        logged(total, terms, a)
    }
}
