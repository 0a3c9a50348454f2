//! Small dense networks on vectors.

use burn::module::Module;
use burn::tensor::{Device, Tensor};
use unbraid_measure::rng::Rng;
use unbraid_measure::settings::words;

use crate::parts::nets::layers::{Activation, Dense};

words! {
    /// The nonlinearity between two layers.
    pub enum Nonlinearity {
        /// x sigmoid x.
        Silu = "silu",
        /// tanh x + 0.1 x, which never goes flat.
        Xtanh = "xtanh",
        /// x, and 0.1 x below 0.
        Lrelu = "lrelu",
        /// tanh x.
        Tanh = "tanh",
    }
}

/// Dense layers with an activation after each but the last.
#[derive(Module, Debug)]
pub struct Mlp {
    layers: Vec<Dense>,
    /// Whether 0.1 x is added to each activation.
    #[module(skip)]
    leaning: bool,
}

impl Mlp {
    /// From the numbers of units, the input first.
    pub fn new(sizes: &[usize], bend: Nonlinearity, rng: &mut Rng, device: &Device) -> Self {
        let (bend, leaning) = match bend {
            Nonlinearity::Lrelu => (Activation::LeakyRelu(0.1), false),
            Nonlinearity::Silu => (Activation::Silu, false),
            Nonlinearity::Tanh => (Activation::Tanh, false),
            Nonlinearity::Xtanh => (Activation::None, true),
        };
        Self { layers: stack(sizes, bend, rng, device), leaning }
    }

    /// `[batch, input]` to `[batch, output]`
    pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let last = self.layers.len() - 1;
        self.layers.iter().enumerate().fold(x, |x, (k, layer)| {
            let y = layer.forward(x);
            if self.leaning && k < last { y.clone().tanh() + y * 0.1 } else { y }
        })
    }
}

/// Dense layers of these sizes, the activation after each but the last.
pub fn stack(
    sizes: &[usize],
    activation: Activation,
    rng: &mut Rng,
    device: &Device,
) -> Vec<Dense> {
    let last = sizes.len() - 2;
    let layer = |(k, pair): (usize, &[usize])| {
        let activation = if k == last { Activation::None } else { activation };
        Dense::new([pair[0], pair[1]], activation, rng, device)
    };
    sizes.windows(2).enumerate().map(layer).collect()
}
