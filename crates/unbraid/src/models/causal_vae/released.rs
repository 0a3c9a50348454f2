//! Where the released code (trustworthyAI, research/CausalVAE) departs from the paper's formulas: the
//! posterior variance is 1, an attention term is added to the mask layer, the labels pass through
//! networks of their own, and the terms of the loss have other weights.

use burn::module::{Module, Param};
use burn::tensor::activation::{sigmoid, softmax};
use burn::tensor::{Device, Tensor, TensorData};
use unbraid_measure::rng::Rng;

use crate::parts::concepts::mask::{MaskLayer, Sees};

/// The variance of the noise added before the decoder.
pub(super) const NOISE: f64 = 0.001;
/// The weight of KL(q(ε) ‖ N(0, I)).
pub(super) const EXOGENOUS: f64 = 0.3;
/// The weights of h and h², the acyclicity penalties.
pub(super) const CYCLES: [f64; 2] = [3.0, 0.5];

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
