//! The networks of InfoGAN: a generator, and a trunk with two heads, discriminator and recognition.
//!
//! | | images, halved k times | vectors |
//! |---|---|---|
//! | generator | dense 256 256, a map of `channels`, k transposed 4x4 | dense 256 256 |
//! | trunk | the reverse: k convolutions 4x4, dense 256 | dense 256 256 |
//! | judge (D) | dense 1 | the same |
//! | recogniser (Q) | dense 128, dense mean and log variance | the same |
//!
//! Each map that is twice as large has half the channels; a side is halved until it is 4 to 7
//! pixels (or odd), so that 28x28 has the 7x7 and 64x64 the 4x4 map that are usual.

use burn::module::Module;
use burn::tensor::activation::sigmoid;
use burn::tensor::{Device, Tensor};
use unbraid_measure::data::{Range, Shape};
use unbraid_measure::rng::Rng;

use super::Config;
use crate::compute::{flatten, unflatten};
use crate::parts::distributions::gaussian::Gaussian;
use crate::parts::nets::layers::{Activation, Convolution, Dense};

/// Units of the dense layers of the generator and the trunk.
const DENSE: usize = 256;
/// Units of the layer of Q's own.
const RECOGNISER: usize = 128;
/// The slope of leaky ReLU below zero: with plain ReLU the generator may be left without a
/// gradient.
const LEAKY: Activation = Activation::LeakyRelu(0.1);
/// The smallest side of a feature map.
const SMALLEST: usize = 4;

/// How often an image is halved; 0 for vectors, and for images that cannot be.
pub(super) fn halvings(shape: Shape) -> usize {
    let (mut height, mut width, mut count) = (shape.height, shape.width, 0);
    while height.min(width) >= 2 * SMALLEST && height % 2 == 0 && width % 2 == 0 {
        (height, width, count) = (height / 2, width / 2, count + 1);
    }
    count
}

/// The channels of every feature map, the smallest map first and the image last.
fn channels(config: &Config, shape: Shape) -> Vec<usize> {
    let count = halvings(shape);
    let inner = (0..count).map(|k| (config.channels >> k.saturating_sub(1)).max(1));
    inner.chain([shape.channels]).collect()
}

/// Codes and noise to observations.
#[derive(Module, Debug)]
pub(super) struct Generator {
    dense: Vec<Dense>,
    convolutions: Vec<Convolution>,
    /// Channels, height and width of what the dense layers end in.
    grid: [usize; 3],
    squash: bool,
}

impl Generator {
    pub(super) fn new(config: &Config, shape: Shape, rng: &mut Rng, device: &Device) -> Self {
        let channels = channels(config, shape);
        let halved = halvings(shape);
        let grid = [channels[0], shape.height >> halved, shape.width >> halved];
        let size = grid.iter().product();
        let last = if halved == 0 { Activation::None } else { LEAKY };
        let layers = [
            ([config.latents + config.noise, DENSE], LEAKY),
            ([DENSE, DENSE], LEAKY),
            ([DENSE, size], last),
        ];
        let dense = layers.map(|(sizes, then)| Dense::new(sizes, then, rng, device)).into();
        let transposed = |(k, pair): (usize, &[usize])| {
            let then = if k + 1 == halved { Activation::None } else { LEAKY };
            Convolution::transposed([pair[0], pair[1]], [4, 2], then, rng, device)
        };
        let convolutions = channels.windows(2).enumerate().map(transposed).collect();
        Self { dense, convolutions, grid, squash: shape.range != Range::Real }
    }

    /// `[batch, codes + noise]` to `[batch, channels, height, width]`, within 0..1 for images.
    pub(super) fn forward(&self, z: Tensor<2>) -> Tensor<4> {
        let h = self.dense.iter().fold(z, |h, layer| layer.forward(h));
        let x = if self.convolutions.is_empty() {
            let [channels, height, width] = self.grid.map(|side| side as i32);
            h.reshape([-1, channels, height, width])
        } else {
            let h = unflatten(h, self.grid);
            self.convolutions.iter().fold(h, |h, layer| layer.forward(h))
        };
        if self.squash { sigmoid(x) } else { x }
    }
}

/// The layers that D and Q share.
#[derive(Module, Debug)]
pub(super) struct Trunk {
    convolutions: Vec<Convolution>,
    dense: Vec<Dense>,
}

impl Trunk {
    pub(super) fn new(config: &Config, shape: Shape, rng: &mut Rng, device: &Device) -> Self {
        let mut channels = channels(config, shape);
        channels.reverse();
        let convolution =
            |pair: &[usize]| Convolution::new([pair[0], pair[1]], [4, 2], LEAKY, rng, device);
        let convolutions: Vec<Convolution> = channels.windows(2).map(convolution).collect();
        let pixels = (shape.height * shape.width) >> (2 * convolutions.len());
        let flat = channels.last().map_or(0, |channels| channels * pixels);
        let sizes =
            if convolutions.is_empty() { vec![flat, DENSE, DENSE] } else { vec![flat, DENSE] };
        let layer = |pair: &[usize]| Dense::new([pair[0], pair[1]], LEAKY, rng, device);
        Self { convolutions, dense: sizes.windows(2).map(layer).collect() }
    }

    /// `[batch, channels, height, width]` to `[batch, 256]`
    pub(super) fn forward(&self, x: Tensor<4>) -> Tensor<2> {
        let x = self.convolutions.iter().fold(x, |x, layer| layer.forward(x));
        self.dense.iter().fold(flatten(x), |h, layer| layer.forward(h))
    }
}

/// D: the logit of "this is real".
#[derive(Module, Debug)]
pub(super) struct Judge {
    out: Dense,
}

impl Judge {
    pub(super) fn new(rng: &mut Rng, device: &Device) -> Self {
        Self { out: Dense::new([DENSE, 1], Activation::None, rng, device) }
    }

    /// `[batch, 256]` to `[batch, 1]`
    pub(super) fn forward(&self, h: Tensor<2>) -> Tensor<2> {
        self.out.forward(h)
    }
}

/// Q(c|x)
#[derive(Module, Debug)]
pub(super) struct Recogniser {
    dense: Dense,
    mean: Dense,
    log_variance: Dense,
    /// Of the standard deviation: a more confident Q would give the generator unbounded gradients.
    least: f64,
}

impl Recogniser {
    pub(super) fn new(config: &Config, rng: &mut Rng, device: &Device) -> Self {
        let head = [RECOGNISER, config.latents];
        Self {
            dense: Dense::new([DENSE, RECOGNISER], LEAKY, rng, device),
            mean: Dense::new(head, Activation::None, rng, device),
            log_variance: Dense::new(head, Activation::None, rng, device),
            least: config.least_deviation,
        }
    }

    /// `[batch, 256]` to a Gaussian over the codes.
    pub(super) fn forward(&self, h: Tensor<2>) -> Gaussian {
        let h = self.dense.forward(h);
        let variance = self.log_variance.forward(h.clone()).clamp_max(2.0).exp();
        let log_variance = (variance + self.least * self.least).log();
        Gaussian { mean: self.mean.forward(h), log_variance }
    }
}
