//! The network of time-contrastive learning: maxout layers, absolute values as features, and the
//! logistic regression that classifies segments.

use burn::module::Module;
use burn::tensor::{Device, Tensor};
use unbraid_measure::rng::Rng;

use crate::compute;
use crate::parts::nets::layers::Dense;

/// h(x) = |… maxout(maxout(x V₁ + c₁) V₂ + c₂) …|, and h(x) W + b.
#[derive(Module, Debug)]
pub(super) struct Net {
    hidden: Vec<Dense>,
    head: Dense,
}

impl Net {
    /// From the numbers of units, the input first and the features last.
    pub(super) fn new(sizes: &[usize], segments: usize, rng: &mut Rng, device: &Device) -> Self {
        let last = sizes.len() - 2;
        let layer = |(k, pair): (usize, &[usize])| {
            let pieces = if k == last { 1 } else { 2 };
            Dense::scaled([pair[0], pieces * pair[1]], rng, device)
        };
        let hidden = sizes.windows(2).enumerate().map(layer).collect();
        Self { hidden, head: Dense::scaled([sizes[last + 1], segments], rng, device) }
    }

    /// `[batch, observed]` to `[batch, latents]`
    pub(super) fn features(&self, x: Tensor<2>) -> Tensor<2> {
        let last = self.hidden.len() - 1;
        let bent = |x, layer: &Dense| compute::maxout(layer.forward(x));
        self.hidden[last].forward(self.hidden[..last].iter().fold(x, bent)).abs()
    }

    /// `[batch, latents]` to `[batch, segments]`
    pub(super) fn logits(&self, h: Tensor<2>) -> Tensor<2> {
        self.head.forward(h)
    }

    /// Σ ‖V‖² over all matrices.
    pub(super) fn squared_norms(&self) -> Tensor<1> {
        let hidden = self.hidden.iter().map(Dense::squared_norm);
        hidden.fold(self.head.squared_norm(), |sum, norm| sum + norm)
    }

    /// The same network with only the logistic regression trainable. Detaching the features would
    /// not do: the graph of an unused gradient stays in memory.
    pub(super) fn with_fixed_features(&self) -> Self {
        Self { hidden: self.hidden.clone().no_grad(), head: self.head.clone() }
    }

    /// One update of an exponential moving average, towards the weights of another network.
    pub(super) fn towards(self, other: &Self, share: f64) -> Self {
        let hidden = self.hidden.into_iter().zip(&other.hidden);
        Self {
            hidden: hidden.map(|(mine, other)| mine.towards(other, share)).collect(),
            head: self.head.towards(&other.head, share),
        }
    }
}
