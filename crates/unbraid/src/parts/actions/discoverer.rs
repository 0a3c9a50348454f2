//! Discoverers (equation 3 of the paper): which nodes a node depends on, one small network for each action and one
//! for none.
//!
//! ```text
//! logit α_ij = w_a · leaky([x_i ; x_j] W_a + b_a) + c_a = w_a · leaky(x_i U_a + x_j V_a + b_a) + c_a
//! ```
//!
//! The first layer of a pair is the sum of one of each node, so the pairs themselves are never made: at the released
//! sizes 0.3 in place of 13 billion operations for 16 images.

use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor};
use unbraid_measure::rng::Rng;

use crate::compute;
use crate::parts::nets::layers::{constant, glorot};

/// Of the rectifiers below zero.
pub const SLOPE: f32 = 0.2;

/// What logits start at: with nearly all edges, a probability of 0.95. Edges that are not needed go; those that are not
/// there are hardly found, since without them there is nothing to be predicted yet.
pub const OPEN: f32 = 3.0;

/// A network for each kind of pair.
#[derive(Module, Debug)]
pub struct Discoverers {
    /// Of the child, `[kinds, width · hidden]`.
    child: Param<Tensor<2>>,
    /// Of the parent.
    parent: Param<Tensor<2>>,
    /// `[kinds, hidden]`
    bias: Param<Tensor<2>>,
    /// `[kinds, hidden]`
    last: Param<Tensor<2>>,
    /// `[kinds]`
    start: Param<Tensor<1>>,
    #[module(skip)]
    hidden: usize,
}

impl Discoverers {
    /// So many networks, for features of this width.
    pub fn new(kinds: usize, [width, hidden]: [usize; 2], rng: &mut Rng, device: &Device) -> Self {
        let mut layer = || glorot([kinds, width * hidden], width, hidden, rng, device);
        let (child, parent) = (layer(), layer());
        Self {
            child,
            parent,
            bias: glorot([kinds, hidden], hidden, hidden, rng, device),
            last: glorot([kinds, hidden], hidden, 1, rng, device),
            start: constant(OPEN, kinds, device),
            hidden,
        }
    }

    /// Of nodes `[rows, cells, width]`, where `which` says the network of each row as ones, `[rows, kinds]`: logits
    /// `[rows, child, parent]`.
    pub fn logits(&self, x: Tensor<3>, which: Tensor<2>) -> Tensor<3> {
        let [rows, _, width] = x.dims();
        let layer = |table: &Param<Tensor<2>>| {
            which.clone().matmul(table.val()).reshape([rows, width, self.hidden])
        };
        let bias = which.clone().matmul(self.bias.val()).reshape([rows, 1, self.hidden]);
        let child = x.clone().matmul(layer(&self.child)) + bias;
        let parent = x.matmul(layer(&self.parent));
        let last = which.clone().matmul(self.last.val());
        let kinds = which.dims()[1];
        let start = which.matmul(self.start.val().reshape([kinds, 1])).reshape([rows, 1, 1]);
        compute::pairs(child, parent, last, SLOPE) + start
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::TensorData;
    use burn::tensor::activation::leaky_relu;

    use super::*;
    use crate::compute::device;
    use crate::model::batch;

    /// The pairs made one by one, [x_i ; x_j], and sent through the whole first layer.
    fn naive(nets: &Discoverers, kind: usize, x: &Tensor<2>) -> Vec<f32> {
        let ([cells, width], hidden) = (x.dims(), nets.hidden);
        let half =
            |table: &Param<Tensor<2>>| table.val().narrow(0, kind, 1).reshape([width, hidden]);
        let first = Tensor::cat(vec![half(&nets.child), half(&nets.parent)], 0);
        let (bias, last) = (nets.bias.val().narrow(0, kind, 1), nets.last.val().narrow(0, kind, 1));
        let mut out = Vec::new();
        for pair in 0..cells * cells {
            let node = |k: usize| x.clone().narrow(0, k, 1);
            let both = Tensor::cat(vec![node(pair / cells), node(pair % cells)], 1);
            let units = leaky_relu(both.matmul(first.clone()) + bias.clone(), SLOPE.into());
            out.extend(batch::numbers((units * last.clone()).sum() + OPEN));
        }
        out
    }

    #[test]
    fn a_factorised_network_is_the_one_of_pairs() {
        let device = device::inference();
        let nets = Discoverers::new(3, [5, 4], &mut Rng::new(1), &device);
        let mut numbers = vec![0.0; 2 * 6 * 5];
        Rng::new(2).fill_normal(&mut numbers);
        let x = Tensor::<3>::from_data(TensorData::new(numbers, [2, 6, 5]), &device);
        let which = batch::matrix(&[0.0, 0.0, 1.0, 0.0, 1.0, 0.0], 2, 3, &device);
        let found = batch::numbers(nets.logits(x.clone(), which));
        let row = |k: usize| x.clone().narrow(0, k, 1).squeeze_dim::<2>(0);
        let expected = [naive(&nets, 2, &row(0)), naive(&nets, 1, &row(1))].concat();
        assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-5));
    }
}
