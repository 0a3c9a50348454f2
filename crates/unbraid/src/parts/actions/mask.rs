//! Which nodes an action touches (equation 4 of the paper): a probability for each node, from what it has seen of
//! itself and others, and the action.
//!
//! ```text
//! logit R_i = w · leaky(W x_i + V a)
//! ```
//!
//! In the released code the logit is a sum of a part of the action, one of the place and one of the code: every
//! action has the same pattern but for a shift. The layer between lets each have its own.

use burn::module::{Module, Param};
use burn::tensor::activation::leaky_relu;
use burn::tensor::{Device, Tensor};
use unbraid_measure::rng::Rng;

use super::discoverer::{OPEN, SLOPE};
use crate::parts::nets::layers::{Activation, Dense, constant, glorot};

/// The network.
#[derive(Module, Debug)]
pub struct Mask {
    nodes: Dense,
    /// `[actions, width]`
    actions: Param<Tensor<2>>,
    last: Dense,
    bias: Param<Tensor<1>>,
}

impl Mask {
    /// For features of this width.
    pub fn new(width: usize, actions: usize, rng: &mut Rng, device: &Device) -> Self {
        Self {
            nodes: Dense::new([width, width], Activation::None, rng, device),
            actions: glorot([actions, width], actions, width, rng, device),
            last: Dense::new([width, 1], Activation::None, rng, device),
            bias: constant(OPEN, 1, device),
        }
    }

    /// Of nodes `[rows, cells, width]` and actions `[rows, actions]`, logits `[rows, cells, 1]`.
    pub fn logits(&self, x: Tensor<3>, actions: Tensor<2>) -> Tensor<3> {
        let [rows, cells, width] = x.dims();
        let nodes = self.nodes.forward(x.reshape([rows * cells, width]));
        let action = actions.matmul(self.actions.val()).reshape([rows, 1, width]);
        let units = leaky_relu(nodes.reshape([rows, cells, width]) + action, SLOPE.into());
        let last = self.last.forward(units.reshape([rows * cells, width]));
        last.reshape([rows, cells, 1]) + self.bias.val().reshape([1, 1, 1])
    }
}
