//! The layers of each network, and the encoder and decoder made of them.

use burn::module::Module;
use burn::tensor::{Device, Tensor};
use unbraid_measure::data::{Range, Shape};
use unbraid_measure::rng::Rng;
use unbraid_measure::settings::words;

use super::NetSettings;
use crate::compute::{flatten, unflatten};
use crate::parts::distributions::gaussian::Gaussian;
use crate::parts::nets::layers::{Activation, Convolution, Dense};

words! {
    /// The networks; `autoencoder.rs` has their layers.
    pub enum Net {
        /// That of the 12,600-model study.
        Conv = "conv",
        /// That of the β-VAE's paper.
        Conv4 = "conv4",
        /// That of the AnnealedVAE's paper.
        Burgess = "burgess",
        /// That of the FactorVAE's paper.
        Factor = "factor",
        /// Dense layers only.
        Fc = "fc";
        /// conv for images, fc for vectors and for small images whose sides are no multiples of 16.
        Auto = "auto"
    }
}

impl Net {
    /// With "auto" replaced, for observations of this form.
    pub(super) fn resolved(self, shape: Shape) -> Self {
        match self {
            Self::Auto if shape.is_vector() => Self::Fc,
            // Small pictures of any size, such as digits of 8x8 pixels.
            Self::Auto if !is_halved(shape) && shape.size() <= SMALL => Self::Fc,
            Self::Auto => Self::Conv,
            named => named,
        }
    }
}

/// As many numbers have a place in dense layers.
const SMALL: usize = 64 * 64 * 3;

/// Whether `conv` can halve the sides of an image as often as it does.
fn is_halved(shape: Shape) -> bool {
    let side = 1 << halvings(Net::Conv, shape);
    shape.height % side == 0 && shape.width % side == 0
}

/// The layers of a network.
pub(super) struct Architecture {
    /// Output channels and kernel of each convolution of the encoder; all have stride 2.
    convolutions: Vec<[usize; 2]>,
    /// Units of the dense layers of the encoder.
    encoder: Vec<usize>,
    /// Units of the dense layers of the decoder, before the one that makes the feature map or the
    /// image.
    decoder: Vec<usize>,
    /// Output channels of the transposed 4x4 convolutions of the decoder; all have stride 2.
    transposed: Vec<usize>,
    /// Of the dense layers of the decoder.
    activation: Activation,
}

impl Architecture {
    pub(super) fn new(settings: &NetSettings, shape: Shape) -> Self {
        let (width, channels) = (settings.width, shape.channels);
        let relu = Activation::Relu;
        match settings.net {
            Net::Fc => Self {
                convolutions: vec![],
                encoder: vec![width; 2],
                decoder: vec![width; 3],
                transposed: vec![],
                activation: Activation::Tanh,
            },
            Net::Burgess => {
                let halvings = halvings(Net::Burgess, shape);
                let mut transposed = vec![32; halvings - 1];
                transposed.push(channels);
                Self {
                    convolutions: vec![[32, 4]; halvings],
                    encoder: vec![width; 2],
                    decoder: vec![width; 2],
                    transposed,
                    activation: relu,
                }
            }
            net => {
                let small = if net == Net::Conv { 2 } else { 4 };
                Self {
                    convolutions: vec![[32, 4], [32, 4], [64, small], [64, small]],
                    encoder: vec![width],
                    decoder: vec![width],
                    transposed: vec![64, 32, 32, channels],
                    activation: relu,
                }
            }
        }
    }

    /// The shape of the feature map after the convolutions.
    fn coarse(&self, shape: Shape) -> Shape {
        let Some(&[channels, _]) = self.convolutions.last() else { return shape };
        let halved = 1 << self.convolutions.len();
        let (height, width) = (shape.height / halved, shape.width / halved);
        Shape { channels, height, width, range: Range::Real }
    }

    /// About how many weights there are in the dense layers; the convolutions are small.
    pub(super) fn weights(&self, shape: Shape, latents: usize) -> f64 {
        let flat = self.coarse(shape).size() as f64;
        let chain = |sizes: &[usize], last: f64| {
            let inner: f64 = sizes.windows(2).map(|pair| pair[0] as f64 * pair[1] as f64).sum();
            inner + sizes.last().map_or(0.0, |size| *size as f64 * last)
        };
        let first = |sizes: &[usize]| sizes.first().map_or(0.0, |size| *size as f64);
        let latents = latents as f64;
        flat * first(&self.encoder)
            + chain(&self.encoder, 2.0 * latents)
            + latents * first(&self.decoder)
            + chain(&self.decoder, flat)
    }
}

/// How often a convolutional network halves an image: `burgess` has a convolution less for small
/// ones.
pub(super) fn halvings(net: Net, shape: Shape) -> usize {
    if net == Net::Burgess && shape.height.min(shape.width) <= 32 { 3 } else { 4 }
}

#[derive(Module, Debug)]
pub(super) struct Encoder {
    convolutions: Vec<Convolution>,
    dense: Vec<Dense>,
    mean: Dense,
    log_variance: Dense,
}

impl Encoder {
    /// `beside` is the number of inputs besides the observation.
    pub(super) fn new(
        settings: &NetSettings,
        shape: Shape,
        beside: usize,
        rng: &mut Rng,
        device: &Device,
    ) -> Self {
        let (convolutions, dense, input) = layers(settings, shape, beside, rng, device);
        let head = [input, settings.latents];
        Self {
            convolutions,
            dense,
            mean: Dense::new(head, Activation::None, rng, device),
            log_variance: Dense::new(head, Activation::None, rng, device),
        }
    }

    pub(super) fn forward(&self, x: Tensor<4>, beside: Option<Tensor<2>>) -> Gaussian {
        let x = self.convolutions.iter().fold(x, |x, layer| layer.forward(x));
        let h = flatten(x);
        let h = match beside {
            Some(beside) => Tensor::cat(vec![h, beside], 1),
            None => h,
        };
        let h = self.dense.iter().fold(h, |h, layer| layer.forward(h));
        Gaussian { mean: self.mean.forward(h.clone()), log_variance: self.log_variance.forward(h) }
    }
}

/// The convolutions and dense layers of an encoder before its output layers, and their number of
/// outputs.
fn layers(
    settings: &NetSettings,
    shape: Shape,
    beside: usize,
    rng: &mut Rng,
    device: &Device,
) -> (Vec<Convolution>, Vec<Dense>, usize) {
    let plan = Architecture::new(settings, shape);
    let relu = Activation::Relu;
    let mut input = shape.channels;
    let mut convolutions = Vec::new();
    for &[output, kernel] in &plan.convolutions {
        convolutions.push(Convolution::new([input, output], [kernel, 2], relu, rng, device));
        input = output;
    }
    let mut input = plan.coarse(shape).size() + beside;
    let mut dense = Vec::new();
    for &output in &plan.encoder {
        dense.push(Dense::new([input, output], relu, rng, device));
        input = output;
    }
    (convolutions, dense, input)
}

/// An encoder with a deterministic output.
#[derive(Module, Debug)]
pub struct Reader {
    convolutions: Vec<Convolution>,
    dense: Vec<Dense>,
    out: Dense,
}

impl Reader {
    /// With `settings.latents` outputs.
    pub fn new(settings: &NetSettings, shape: Shape, rng: &mut Rng, device: &Device) -> Self {
        let (convolutions, dense, input) = layers(settings, shape, 0, rng, device);
        let out = Dense::new([input, settings.latents], Activation::None, rng, device);
        Self { convolutions, dense, out }
    }

    /// `[batch, channels, height, width]` to `[batch, latents]`
    pub fn forward(&self, x: Tensor<4>) -> Tensor<2> {
        let x = self.convolutions.iter().fold(x, |x, layer| layer.forward(x));
        let h = self.dense.iter().fold(flatten(x), |h, layer| layer.forward(h));
        self.out.forward(h)
    }
}

#[derive(Module, Debug)]
pub(super) struct Decoder {
    dense: Vec<Dense>,
    convolutions: Vec<Convolution>,
    /// Channels, height and width of the feature map after the dense layers.
    grid: [usize; 3],
}

impl Decoder {
    pub(super) fn new(
        settings: &NetSettings,
        shape: Shape,
        rng: &mut Rng,
        device: &Device,
    ) -> Self {
        let plan = Architecture::new(settings, shape);
        let end = plan.coarse(shape);
        let sizes = [&[settings.latents], &plan.decoder[..], &[end.size()]].concat();
        // Without convolutions the last dense layer makes the image itself.
        let last = if plan.transposed.is_empty() { Activation::None } else { plan.activation };
        let activation = |k: usize| if k + 2 == sizes.len() { last } else { plan.activation };
        let layers = sizes.windows(2).enumerate();
        let dense = layers
            .map(|(k, pair)| Dense::new([pair[0], pair[1]], activation(k), rng, device))
            .collect();
        let mut input = end.channels;
        let mut convolutions = Vec::new();
        for (k, &output) in plan.transposed.iter().enumerate() {
            let inner = k + 1 < plan.transposed.len();
            let activation = if inner { Activation::Relu } else { Activation::None };
            convolutions.push(Convolution::transposed(
                [input, output],
                [4, 2],
                activation,
                rng,
                device,
            ));
            input = output;
        }
        Self { dense, convolutions, grid: [end.channels, end.height, end.width] }
    }

    /// `[batch, latents]` to `[batch, channels, height, width]`, before the sigmoid.
    pub(super) fn forward(&self, z: Tensor<2>) -> Tensor<4> {
        let h = self.dense.iter().fold(z, |h, layer| layer.forward(h));
        if self.convolutions.is_empty() {
            // Rows of pixels; only a convolution wants them as images in memory.
            let [channels, height, width] = self.grid;
            return h.reshape([-1, channels as i32, height as i32, width as i32]);
        }
        let h = unflatten(h, self.grid);
        self.convolutions.iter().fold(h, |h, layer| layer.forward(h))
    }
}
