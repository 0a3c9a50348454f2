//! Messages along edges: attention in which a node sees its parents only.
//!
//! ```text
//! w_ij = G_ij exp(q_i · k_j + b_ij) / Σ_j G_ij exp(q_i · k_j + b_ij),   h_i ← h_i + Σ_j w_ij v_j
//! h_i ← h_i + W leaky(V h_i)
//! ```
//!
//! Row i of G is the child, column j the parent. An edge multiplies its message, so every edge has a gradient, drawn
//! or not. (In the released code rows send and columns receive, the reverse of its equations, and an edge only enters
//! the attention of those that were drawn.) b is learned for each head and pair of places.

use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor};
use unbraid_measure::rng::Rng;

use super::discoverer::SLOPE;
use crate::compute;
use crate::parts::nets::layers::{Activation, Dense, glorot};

/// A layer of messages.
#[derive(Module, Debug)]
pub struct Messages {
    query: Dense,
    /// `[width, width]`; a bias would be the same for all parents, and attention does not see it.
    key: Param<Tensor<2>>,
    value: Dense,
    out: Dense,
    /// `[heads, child, parent]`
    places: Param<Tensor<3>>,
    wide: Dense,
    narrow: Dense,
}

impl Messages {
    /// Between so many nodes, with features of this width, a multiple of the heads.
    pub fn new([cells, heads]: [usize; 2], width: usize, rng: &mut Rng, device: &Device) -> Self {
        let mut square = || Dense::new([width, width], Activation::None, rng, device);
        let (query, value) = (square(), square());
        let key = glorot([width, width], width, width, rng, device);
        let leaky = Activation::LeakyRelu(SLOPE);
        Self {
            query,
            key,
            value,
            // Nothing is sent at first, and nodes are what they were.
            out: Dense::zero([width, width], device),
            places: Param::from_tensor(Tensor::zeros([heads, cells, cells], device)),
            wide: Dense::new([width, 2 * width], leaky, rng, device).he(),
            narrow: Dense::zero([2 * width, width], device),
        }
    }

    /// Of nodes `[rows, cells, width]` with edges `[rows, cells, cells + more]` from each other and from more
    /// parents, `[rows, 1, width]` each.
    pub fn forward(&self, h: Tensor<3>, more: &[Tensor<3>], edges: &Tensor<3>) -> Tensor<3> {
        let [rows, cells, width] = h.dims();
        let h = h.clone() + self.sent(h, more, edges);
        let flat = h.clone().reshape([rows * cells, width]);
        h + self.narrow.forward(self.wide.forward(flat)).reshape([rows, cells, width])
    }

    fn sent(&self, h: Tensor<3>, more: &[Tensor<3>], edges: &Tensor<3>) -> Tensor<3> {
        let ([rows, cells, width], heads) = (h.dims(), self.places.dims()[0]);
        let parents = Tensor::cat([std::slice::from_ref(&h), more].concat(), 1);
        let all = parents.dims()[1];
        let each = |layer: &Dense, nodes: Tensor<3>| {
            let shape = nodes.dims();
            layer.forward(nodes.reshape([shape[0] * shape[1], width])).reshape(shape)
        };
        let key = parents.clone().matmul(self.key.val().unsqueeze::<3>());
        let heard = [each(&self.query, h), key, each(&self.value, parents)];
        let mut places = vec![self.places.val()];
        if all > cells {
            places.push(Tensor::zeros([heads, cells, all - cells], &self.places.device()));
        }
        let places = Tensor::cat(places, 2);
        let sent = compute::attention(heard, places, edges.clone());
        self.out.forward(sent.reshape([rows * cells, width])).reshape([rows, cells, width])
    }
}
