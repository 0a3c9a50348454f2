//! Convolutions from an image to a grid of features and back, with residual blocks at the grid
//! (van den Oord et al. 2017; the widths are ours, for a processor).
//!
//! | part | layers, for 64x64 with c channels and a grid of 8x8 |
//! |---|---|
//! | encoder | 4x4 stride 2: c, 2c, 2c; 3x3: 2c; residual blocks; 1x1: D |
//! | decoder | 3x3: 2c; residual blocks; 4x4 up: 2c, c, image |
//! | residual block | x + 1x1(ReLU(3x3(ReLU x))), c channels between |
//!
//! A local encoder has kernels of 2x2 where it halves and of 1x1 elsewhere: a code sees its own patch of the image and
//! nothing else. In the other one the blocks let every code see almost the whole image, and when a dSprites sprite
//! moves by a pixel codes change all over it.
//!
//! The released MCQ-VAE is about twenty times as large. Its last layer before the codes has a leaky ReLU, which
//! leaves most of the space of codes empty; this one has none.

use burn::module::Module;
use burn::tensor::{Device, Tensor};
use unbraid_measure::data::Shape;
use unbraid_measure::rng::Rng;

use crate::compute::{Activation, activated};
use crate::parts::nets::layers::Convolution;

/// The side of the grid that an image is halved down to.
pub const GRID: usize = 8;

/// How often an image of this shape is halved.
pub fn halvings(shape: Shape) -> usize {
    (shape.height.min(shape.width) / GRID).max(1).ilog2() as usize
}

#[derive(Module, Debug)]
struct Residual {
    first: Convolution,
    second: Convolution,
}

impl Residual {
    fn new(channels: usize, kernel: usize, rng: &mut Rng, device: &Device) -> Self {
        let inner = channels.div_ceil(2);
        Self {
            first: Convolution::new([channels, inner], [kernel, 1], Activation::Relu, rng, device),
            second: Convolution::new([inner, channels], [1, 1], Activation::None, rng, device),
        }
    }

    fn forward(&self, x: Tensor<4>) -> Tensor<4> {
        let inner = self.first.forward(activated(x.clone(), Activation::Relu));
        x + self.second.forward(inner)
    }
}

/// From an image to a grid.
#[derive(Module, Debug)]
pub struct Encoder {
    down: Vec<Convolution>,
    blocks: Vec<Residual>,
    out: Convolution,
}

impl Encoder {
    /// With seeded weights: `channels` of the first layer, so many residual blocks, and features of a cell. A
    /// `local` one sees each cell's own patch only.
    pub fn new(
        [channels, blocks, features]: [usize; 3],
        local: bool,
        shape: Shape,
        rng: &mut Rng,
        device: &Device,
    ) -> Self {
        let [halving, kernel] = if local { [2, 1] } else { [4, 3] };
        let (mut down, mut input) = (Vec::new(), shape.channels);
        for k in 0..halvings(shape) {
            let wide = if k == 0 { channels } else { 2 * channels };
            let relu = Activation::Relu;
            down.push(Convolution::new([input, wide], [halving, 2], relu, rng, device).he());
            input = wide;
        }
        let wide = 2 * channels;
        down.push(Convolution::new([input, wide], [kernel, 1], Activation::None, rng, device));
        let blocks = (0..blocks).map(|_| Residual::new(wide, kernel, rng, device)).collect();
        let out = Convolution::new([wide, features], [1, 1], Activation::None, rng, device);
        Self { down, blocks, out }
    }

    /// `[batch, channels, height, width]` to `[batch, features, rows, columns]`
    pub fn forward(&self, x: Tensor<4>) -> Tensor<4> {
        let h = self.down.iter().fold(x, |h, layer| layer.forward(h));
        let h = self.blocks.iter().fold(h, |h, block| block.forward(h));
        self.out.forward(activated(h, Activation::Relu))
    }
}

/// From a grid to an image.
#[derive(Module, Debug)]
pub struct Decoder {
    first: Convolution,
    blocks: Vec<Residual>,
    up: Vec<Convolution>,
}

impl Decoder {
    /// The mirror image of an encoder.
    pub fn new(
        [channels, blocks, features]: [usize; 3],
        shape: Shape,
        rng: &mut Rng,
        device: &Device,
    ) -> Self {
        let wide = 2 * channels;
        let first = Convolution::new([features, wide], [3, 1], Activation::None, rng, device);
        let blocks = (0..blocks).map(|_| Residual::new(wide, 3, rng, device)).collect();
        let (mut up, mut input) = (Vec::new(), wide);
        for k in (0..halvings(shape)).rev() {
            let (wide, then) = match k {
                0 => (shape.channels, Activation::None),
                1 => (channels, Activation::Relu),
                _ => (wide, Activation::Relu),
            };
            up.push(Convolution::transposed([input, wide], [4, 2], then, rng, device).he());
            input = wide;
        }
        Self { first, blocks, up }
    }

    /// `[batch, features, rows, columns]` to `[batch, channels, height, width]`
    pub fn forward(&self, grid: Tensor<4>) -> Tensor<4> {
        let h = self.blocks.iter().fold(self.first.forward(grid), |h, block| block.forward(h));
        let h = activated(h, Activation::Relu);
        self.up.iter().fold(h, |h, layer| layer.forward(h))
    }
}
