//! The small networks of CITRIS and BISCUIT (Lippe et al. 2022, 2023), for images of 32x32 and up, and
//! dense ones for vectors; SiLU throughout.
//!
//! | part | layers, for 32x32 with c channels |
//! |---|---|
//! | encoder | 3x3: c stride 2, c, 2c stride 2, 2c, 2c stride 2; dense w; mean and log deviation |
//! | decoder | dense w, dense 2c·4·4; 3x3: 2c up, 2c, c up, c, image up |
//! | of vectors | dense w, w, and the same back |
//!
//! Larger images have more stages. The encoder also sees where each pixel is, as two more channels; the
//! released code adds a learned linear function of the place after the first convolution, which is the same
//! but at the border, and after each layer of the decoder, which is left out: its dense layers know the
//! place. The papers' width w is 4c (16c of vectors); a wide layer of few channels costs little and learns
//! sooner. How pixels are measured is in `pixels.rs`. The log deviation is limited smoothly, to ±4 (CITRIS) or to ±softplus(p) with a learned p that
//! starts at 0 (BISCUIT). Images count from −1 to 1 in those papers, with the sum of squared errors as
//! reconstruction loss: a Gaussian with the deviation 1/√8 of images from 0 to 1.

use burn::module::{Module, Param};
use burn::tensor::activation::softplus;
use burn::tensor::{Device, Tensor};
use serde::{Deserialize, Serialize};
use unbraid_measure::data::{Dataset, Shape};
use unbraid_measure::rng::Rng;

use super::layers::{Activation, Convolution, Dense, constant};
use super::pixels::{Pixels, Weights};
use crate::compute::{arrange, flatten, unflatten};
use crate::error::{Error, Result};
use crate::model::{Decoder, Loss, Settings, Step, Task};
use crate::parts::distributions::gaussian::Gaussian;

/// The side at which an image is small enough for dense layers.
const COARSE: usize = 4;
/// The largest log deviation of a posterior in CITRIS.
const WIDEST: f64 = 4.0;

/// The settings of these networks.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SimpleSettings {
    /// How many latents.
    pub latents: usize,
    /// c, the channels of the first layers; the others have a multiple of it.
    pub channels: usize,
    /// w, the units of each dense layer.
    pub width: usize,
    /// How much the error of each pixel counts: "standardised" or "equal".
    pub pixel_weights: Weights,
    /// The standard deviation of the Gaussian likelihood; 1/√8 is the papers' sum of squared errors.
    pub noise: f64,
}

impl Default for SimpleSettings {
    fn default() -> Self {
        Self {
            latents: 16,
            channels: 16,
            width: 256,
            pixel_weights: Weights::Standardised,
            noise: 0.125f64.sqrt(),
        }
    }
}

impl Settings for SimpleSettings {
    fn latents(&self) -> Option<usize> {
        Some(self.latents)
    }

    fn resolve(&mut self, task: &Task) -> Result<()> {
        if self.latents == 0 {
            return Err(Error::setting("model.latents", "must be at least 1"));
        }
        if !(1..=512).contains(&self.channels) {
            return Err(Error::setting("model.channels", "must be from 1 to 512"));
        }
        if !(1..=8192).contains(&self.width) {
            return Err(Error::setting("model.width", "must be from 1 to 8192"));
        }
        if !(self.noise.is_finite() && self.noise > 0.0) {
            return Err(Error::setting("model.noise", "must be a positive number"));
        }
        let Shape { height, width, .. } = task.shape;
        let side = 1 << halvings(task.shape);
        if !task.shape.is_vector() && (height % side != 0 || width % side != 0) {
            let reason = format!(
                "cannot be trained on images of {height}x{width}: both sides must be multiples of {side}; \
                 resize them with data.variant.size"
            );
            return Err(Error::setting("model.name", reason));
        }
        Ok(())
    }
}

/// How often an image is halved.
fn halvings(shape: Shape) -> usize {
    let side = shape.height.min(shape.width);
    if shape.is_vector() { 0 } else { (side / COARSE).max(2).ilog2() as usize }
}

/// The limit of the log deviation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// 4 tanh(x / 4).
    Fixed,
    /// s tanh(x / s), s = softplus(p), with a learned p for each latent.
    Learned,
    /// There is none: a code is a point.
    Point,
}

/// An encoder.
#[derive(Module, Debug)]
pub struct Encoder {
    convolutions: Vec<Convolution>,
    dense: Vec<Dense>,
    out: Dense,
    reach: Option<Param<Tensor<1>>>,
}

impl Encoder {
    /// With seeded weights and so many numbers for each row.
    pub fn new(
        [channels, width, outputs]: [usize; 3],
        shape: Shape,
        rng: &mut Rng,
        device: &Device,
    ) -> Self {
        let c = channels;
        let mut dense = Vec::new();
        let mut convolutions = Vec::new();
        let halvings = halvings(shape);
        let mut input = shape.channels + 2;
        for k in 0..halvings {
            let wide = if k == 0 { c } else { 2 * c };
            let strides = if k + 1 < halvings { &[2, 1][..] } else { &[2] };
            for &stride in strides {
                let form = [3, stride];
                let layer = Convolution::new([input, wide], form, Activation::Silu, rng, device);
                convolutions.push(layer.he());
                input = wide;
            }
        }
        let (flat, hidden) = match shape.is_vector() {
            true => (shape.channels, vec![width; 2]),
            false => (input * (shape.height >> halvings) * (shape.width >> halvings), vec![width]),
        };
        let mut input = flat;
        for wide in hidden {
            dense.push(Dense::new([input, wide], Activation::Silu, rng, device).he());
            input = wide;
        }
        let out = Dense::new([input, outputs], Activation::None, rng, device).he();
        Self { convolutions, dense, out, reach: None }
    }

    /// The numbers of each row.
    pub fn features(&self, x: Tensor<4>) -> Tensor<2> {
        let h = match self.convolutions.is_empty() {
            true => flatten(x),
            false => flatten(self.convolutions.iter().fold(x, |x, layer| layer.forward(x))),
        };
        self.out.forward(self.dense.iter().fold(h, |h, layer| layer.forward(h)))
    }

    /// q(z|x) of an encoder with two numbers for each latent.
    pub fn posterior(&self, x: Tensor<4>) -> Gaussian {
        let both = self.features(x);
        let latents = both.dims()[1] / 2;
        let raw = both.clone().narrow(1, latents, latents);
        let log_deviation = match &self.reach {
            None => (raw / WIDEST).tanh() * WIDEST,
            Some(reach) => {
                let reach = softplus(reach.val(), 1.0).unsqueeze::<2>();
                (raw / reach.clone()).tanh() * reach
            }
        };
        Gaussian { mean: both.narrow(1, 0, latents), log_variance: log_deviation * 2.0 }
    }
}

/// A decoder.
#[derive(Module, Debug)]
struct Up {
    dense: Vec<Dense>,
    convolutions: Vec<Convolution>,
    /// Channels, height and width of the feature map after the dense layers.
    grid: [usize; 3],
}

impl Up {
    fn new(settings: &SimpleSettings, shape: Shape, rng: &mut Rng, device: &Device) -> Self {
        let c = settings.channels;
        let halvings = halvings(shape);
        let (grid, sizes) = if shape.is_vector() {
            (shape.axes(), vec![settings.latents, settings.width, settings.width, shape.channels])
        } else {
            let grid = [2 * c, shape.height >> halvings, shape.width >> halvings];
            (grid, vec![settings.latents, settings.width, grid.iter().product()])
        };
        let last = if shape.is_vector() { Activation::None } else { Activation::Silu };
        let then = |k: usize| if k + 2 == sizes.len() { last } else { Activation::Silu };
        let pairs = sizes.windows(2).enumerate();
        let dense = pairs
            .map(|(k, pair)| Dense::new([pair[0], pair[1]], then(k), rng, device).he())
            .collect();
        let mut convolutions = Vec::new();
        let mut input = 2 * c;
        for k in (0..halvings).rev() {
            let (wide, then) = match k {
                0 => (shape.channels, Activation::None),
                1 => (c, Activation::Silu),
                _ => (2 * c, Activation::Silu),
            };
            let layer = Convolution::transposed([input, wide], [3, 2], then, rng, device);
            convolutions.push(layer.he());
            if k > 0 {
                convolutions.push(Convolution::new([wide; 2], [3, 1], then, rng, device).he());
            }
            input = wide;
        }
        Self { dense, convolutions, grid }
    }

    fn forward(&self, z: Tensor<2>) -> Tensor<4> {
        let h = self.dense.iter().fold(z, |h, layer| layer.forward(h));
        if self.convolutions.is_empty() {
            let [channels, height, width] = self.grid;
            return h.reshape([-1, channels as i32, height as i32, width as i32]);
        }
        self.convolutions.iter().fold(unflatten(h, self.grid), |h, layer| layer.forward(h))
    }
}

/// An encoder to Gaussian posteriors, and a decoder.
#[derive(Module, Debug)]
pub struct Simple {
    encoder: Encoder,
    decoder: Up,
    pixels: Pixels,
    #[module(skip)]
    noise: f64,
}

impl Simple {
    /// Build with seeded weights; the settings must have been resolved.
    pub fn new(
        settings: &SimpleSettings,
        limit: Limit,
        task: &Task,
        rng: &Rng,
        device: &Device,
    ) -> Self {
        let (shape, latents) = (task.shape, settings.latents);
        let outputs = if limit == Limit::Point { latents } else { 2 * latents };
        let mut encoder = Encoder::new(
            [settings.channels, settings.width, outputs],
            shape,
            &mut rng.split("encoder"),
            device,
        );
        encoder.reach = (limit == Limit::Learned).then(|| constant(0.0, latents, device));
        let decoder = Up::new(settings, shape, &mut rng.split("decoder"), device);
        let pixels = Pixels::unknown(shape, settings.pixel_weights, device);
        Self { encoder, decoder, pixels, noise: settings.noise }
    }

    /// With the pixels measured on these data.
    pub fn fitted(self, data: &dyn Dataset, rng: &Rng) -> Self {
        Self { pixels: self.pixels.fitted(data, rng), ..self }
    }

    fn seen(&self, x: Tensor<4>) -> Tensor<4> {
        match self.encoder.convolutions.is_empty() {
            true => self.pixels.input(x),
            false => arrange(self.pixels.placed(x)),
        }
    }

    /// q(z|x)
    pub fn posterior(&self, x: Tensor<4>) -> Gaussian {
        self.encoder.posterior(self.seen(x))
    }

    /// The code of x, where codes are points.
    pub fn code(&self, x: Tensor<4>) -> Tensor<2> {
        self.encoder.features(self.seen(x))
    }

    /// The negative ELBO with a standard normal prior, its KL divergence weighted.
    pub fn elbo(&self, x: Tensor<4>, beta: f64, step: &mut Step) -> Loss {
        let q = self.posterior(x.clone());
        let (kl, reconstruction) = (q.kl(), self.error(q.sample(step), x));
        Loss::new(reconstruction.clone() + kl.clone() * beta)
            .term("reconstruction", reconstruction)
            .term("kl", kl)
    }

    /// −log p(x|z), summed over an observation, averaged over the batch.
    pub fn error(&self, z: Tensor<2>, x: Tensor<4>) -> Tensor<1> {
        self.pixels.error(self.decoder.forward(z), x, self.noise)
    }
}

impl Decoder for Simple {
    fn decode(&self, z: Tensor<2>) -> Tensor<4> {
        self.pixels.output(self.decoder.forward(z))
    }

    fn noise(&self) -> Option<f64> {
        Some(self.noise)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::device;
    use crate::model::batch;
    use unbraid_measure::data::Range;

    #[test]
    fn images_and_vectors_become_latents_and_come_back() {
        for [channels, side] in [[4, 32], [3, 64], [1, 16], [6, 1]] {
            let range = if side == 1 { Range::Real } else { Range::Unit };
            let shape = Shape { channels, height: side, width: side, range };
            let task = Task::observing(shape, 10);
            let mut settings = SimpleSettings { channels: 4, latents: 5, ..Default::default() };
            settings.resolve(&task).unwrap();
            let net =
                Simple::new(&settings, Limit::Learned, &task, &Rng::new(0), &device::inference());
            let x = batch::images(&vec![0.5; 2 * shape.size()], 2, shape, &device::inference());
            let q = net.posterior(x);
            assert_eq!(q.mean.dims(), [2, 5]);
            // ±softplus(0) = ±ln 2 around 0.
            let deviation = batch::numbers(q.log_variance.clone());
            assert!(deviation.iter().all(|log| log.abs() <= 2.0 * 2f32.ln()), "{deviation:?}");
            assert_eq!(net.decode(q.mean).dims(), [2, channels, side, side]);
        }
    }
}
