//! Encoder and decoder networks, by the form of the observation.
//!
//! | net | encoder | decoder |
//! |---|---|---|
//! | `conv` | 32 4x4, 32 4x4, 64 2x2, 64 2x2 (all stride 2), dense 256 | dense 256, dense, 64 32 32 C 4x4 (stride 2) |
//! | `conv4` | the same with 4x4 in all four | the same |
//! | `fc` | two dense layers of 1200, ReLU | three dense layers of 1200, tanh |
//!
//! `conv` is what the 12,600-model study trained; the table of the β-VAE paper has 4x4 kernels
//! throughout, which is `conv4`. `fc` is that paper's network for dSprites, and the one for vectors.

use burn::module::Module;
use burn::tensor::{Device, Tensor};
use serde::{Deserialize, Serialize};
use unbraid_measure::data::{Range, Shape};
use unbraid_measure::rng::Rng;

use super::gaussian::Gaussian;
use super::layers::{Activation, Convolution, Dense};
use super::likelihood::Likelihood;
use crate::compute::{flatten, unflatten};
use crate::error::{Error, Result};
use crate::model::{Settings, Step, Task};

/// A typing error is more likely than a network of this size: with Adam it needs 6 GB.
const MOST_WEIGHTS: f64 = 5e8;

/// The settings every autoencoder shares.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NetSettings {
    /// How many codes.
    pub latents: usize,
    /// "conv", "conv4", "fc", or "auto": conv for images, fc for vectors.
    pub net: String,
    /// Units of a dense layer; 0 for the paper's: 256 in conv and conv4, 1200 in fc.
    pub width: usize,
    /// "bernoulli", "gaussian", or "auto": bernoulli for numbers in 0..1, gaussian for others.
    pub likelihood: String,
    /// The standard deviation of the gaussian likelihood.
    pub noise: f64,
}

impl Default for NetSettings {
    fn default() -> Self {
        let auto = || "auto".to_string();
        Self { latents: 10, net: auto(), width: 0, likelihood: auto(), noise: 1.0 }
    }
}

impl Settings for NetSettings {
    fn resolve(&mut self, task: &Task) -> Result<()> {
        let Shape { height, width, range, .. } = task.shape;
        if self.net == "auto" {
            self.net = if task.shape.is_vector() { "fc" } else { "conv" }.into();
        }
        if self.likelihood == "auto" {
            self.likelihood = if range == Range::Real { "gaussian" } else { "bernoulli" }.into();
        }
        if self.width == 0 {
            self.width = if self.net == "fc" { 1200 } else { 256 };
        }
        one_of("model.net", &self.net, &["conv", "conv4", "fc"])?;
        one_of("model.likelihood", &self.likelihood, &["bernoulli", "gaussian"])?;
        if self.latents == 0 {
            return Err(Error::setting("model.latents", "must be at least 1"));
        }
        if !(self.noise.is_finite() && self.noise > 0.0) {
            return Err(Error::setting("model.noise", "must be a positive number"));
        }
        if self.likelihood == "bernoulli" && range == Range::Real {
            return Err(Error::setting(
                "model.likelihood",
                "cannot be \"bernoulli\": the data are not within 0..1; use \"gaussian\"",
            ));
        }
        if self.net != "fc" && (height % 16 != 0 || width % 16 != 0) {
            return Err(Error::setting(
                "model.net",
                format!(
                    "\"{}\" halves an image four times, so its sides must be multiples of 16; \
                     these are {height}x{width}: use model.net = \"fc\", or resize the images",
                    self.net
                ),
            ));
        }
        self.check_size(task.shape)
    }
}

impl NetSettings {
    /// Refuse a network that no memory holds: every weight is four bytes, and Adam keeps two more.
    fn check_size(&self, shape: Shape) -> Result<()> {
        let [size, width, latents] = [shape.size(), self.width, self.latents].map(|n| n as f64);
        // The widest layers of encoder and decoder; the convolutions are small beside them.
        let weights = match self.net.as_str() {
            "fc" => 2.0 * size * width + 3.0 * width * width + 3.0 * width * latents,
            _ => 2.0 * coarse(shape).size() as f64 * width + 3.0 * width * latents,
        };
        if weights > MOST_WEIGHTS {
            let reason = format!(
                "and model.latents = {}: the network would have {weights:.0} weights, more than the \
                 {MOST_WEIGHTS:.0} that are allowed",
                self.latents
            );
            return Err(Error::setting("model.width", format!("is {} {reason}", self.width)));
        }
        Ok(())
    }
}

fn one_of(key: &str, given: &str, known: &[&str]) -> Result<()> {
    if known.contains(&given) {
        return Ok(());
    }
    let hint = unbraid_measure::info::did_you_mean(given, known.iter().copied());
    let known = known.join(", ");
    Err(Error::setting(key, format!("cannot be \"{given}\"{hint} (known: auto, {known})")))
}

/// An encoder into Gaussian posteriors and a decoder back.
#[derive(Module, Debug)]
pub struct Autoencoder {
    encoder: Encoder,
    decoder: Decoder,
    #[module(skip)]
    likelihood: Likelihood,
}

impl Autoencoder {
    /// Build with seeded weights; the settings must have been resolved.
    pub fn new(settings: &NetSettings, task: &Task, rng: &Rng, device: &Device) -> Self {
        Self {
            encoder: Encoder::new(settings, task.shape, &mut rng.split("encoder"), device),
            decoder: Decoder::new(settings, task.shape, &mut rng.split("decoder"), device),
            likelihood: Likelihood::new(&settings.likelihood, settings.noise, task.shape.range),
        }
    }

    /// q(z|x)
    pub fn posterior(&self, x: Tensor<4>) -> Gaussian {
        self.encoder.forward(x)
    }

    /// −log p(x|z), summed over an observation, averaged over the batch.
    pub fn error(&self, z: Tensor<2>, x: Tensor<4>) -> Tensor<1> {
        self.likelihood.error(self.decoder.forward(z), x)
    }

    /// The two sides of the evidence bound, from one draw of the code: the reconstruction error
    /// and KL(q(z|x) ‖ N(0, I)).
    pub fn evidence(&self, x: Tensor<4>, step: &mut Step) -> (Tensor<1>, Tensor<1>) {
        let q = self.posterior(x.clone());
        (self.error(q.sample(step), x), q.kl())
    }

    /// The expected observation.
    pub fn decode(&self, z: Tensor<2>) -> Tensor<4> {
        self.likelihood.mean(self.decoder.forward(z))
    }
}

#[derive(Module, Debug)]
struct Encoder {
    convolutions: Vec<Convolution>,
    dense: Vec<Dense>,
    mean: Dense,
    log_variance: Dense,
}

impl Encoder {
    fn new(settings: &NetSettings, shape: Shape, rng: &mut Rng, device: &Device) -> Self {
        let relu = Activation::Relu;
        let kernels = match settings.net.as_str() {
            "conv" => vec![4, 4, 2, 2],
            "conv4" => vec![4, 4, 4, 4],
            _ => vec![],
        };
        let channels = [shape.channels, 32, 32, 64, 64];
        let convolutions: Vec<Convolution> = (kernels.iter().zip(channels.windows(2)))
            .map(|(&kernel, pair)| {
                Convolution::new([pair[0], pair[1]], [kernel, 2], relu, rng, device)
            })
            .collect();
        let flat = if kernels.is_empty() { shape.size() } else { coarse(shape).size() };
        let width = settings.width;
        let mut dense = vec![Dense::new([flat, width], relu, rng, device)];
        if kernels.is_empty() {
            dense.push(Dense::new([width, width], relu, rng, device));
        }
        let head = [width, settings.latents];
        Self {
            convolutions,
            dense,
            mean: Dense::new(head, Activation::None, rng, device),
            log_variance: Dense::new(head, Activation::None, rng, device),
        }
    }

    fn forward(&self, x: Tensor<4>) -> Gaussian {
        let x = self.convolutions.iter().fold(x, |x, layer| layer.forward(x));
        let h = flatten(x);
        let h = self.dense.iter().fold(h, |h, layer| layer.forward(h));
        Gaussian { mean: self.mean.forward(h.clone()), log_variance: self.log_variance.forward(h) }
    }
}

#[derive(Module, Debug)]
struct Decoder {
    dense: Vec<Dense>,
    convolutions: Vec<Convolution>,
    /// Channels, height and width of what the dense layers end in.
    grid: [usize; 3],
}

impl Decoder {
    fn new(settings: &NetSettings, shape: Shape, rng: &mut Rng, device: &Device) -> Self {
        let (latents, width) = (settings.latents, settings.width);
        let (relu, tanh, none) = (Activation::Relu, Activation::Tanh, Activation::None);
        let (sizes, activations, end) = match settings.net.as_str() {
            "fc" => (
                vec![latents, width, width, width, shape.size()],
                vec![tanh, tanh, tanh, none],
                shape,
            ),
            _ => (vec![latents, width, coarse(shape).size()], vec![relu, relu], coarse(shape)),
        };
        let dense = (sizes.windows(2).zip(activations))
            .map(|(pair, activation)| Dense::new([pair[0], pair[1]], activation, rng, device))
            .collect();
        let channels = match settings.net.as_str() {
            "fc" => vec![],
            _ => vec![end.channels, 64, 32, 32, shape.channels],
        };
        let convolutions = (channels.windows(2).zip([relu, relu, relu, none]))
            .map(|(pair, activation)| {
                Convolution::transposed([pair[0], pair[1]], [4, 2], activation, rng, device)
            })
            .collect();
        Self { dense, convolutions, grid: [end.channels, end.height, end.width] }
    }

    /// `[batch, latents]` to `[batch, channels, height, width]`, before any squashing.
    fn forward(&self, z: Tensor<2>) -> Tensor<4> {
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

/// The map that is left after four halvings: 64 channels, a sixteenth of each side.
fn coarse(shape: Shape) -> Shape {
    Shape { channels: 64, height: shape.height / 16, width: shape.width / 16, range: Range::Real }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{batch, device};

    fn build(net: &str, channels: usize, side: usize) -> Autoencoder {
        let shape = Shape { channels, height: side, width: side, range: Range::Unit };
        let task = Task { shape, rows: 100 };
        let mut settings = NetSettings { net: net.into(), ..NetSettings::default() };
        settings.resolve(&task).unwrap();
        Autoencoder::new(&settings, &task, &Rng::new(0), &device::inference())
    }

    #[test]
    fn the_study_networks_have_the_published_number_of_weights() {
        // Fact sheet 1, section 1.1: encoder 309,204 and decoder 381,313 with one channel.
        let net = build("conv", 1, 64);
        assert_eq!(net.encoder.num_params(), 309_204);
        assert_eq!(net.decoder.num_params(), 381_313);
        let colour = build("conv", 3, 64);
        assert_eq!(colour.encoder.num_params(), 310_228);
        assert_eq!(colour.decoder.num_params(), 382_339);
    }

    #[test]
    fn every_net_maps_observations_to_codes_and_back() {
        for (net, channels, side) in
            [("conv", 1, 16), ("conv", 4, 96), ("conv4", 3, 32), ("fc", 2, 20), ("auto", 1, 64)]
        {
            let model = build(net, channels, side);
            let shape = Shape { channels, height: side, width: side, range: Range::Unit };
            let x = batch::images(&vec![0.5; 2 * shape.size()], 2, shape, &device::inference());
            let posterior = model.posterior(x);
            assert_eq!(posterior.mean.dims(), [2, 10]);
            assert_eq!(model.decode(posterior.mean).dims(), [2, channels, side, side]);
        }
    }

    #[test]
    fn impossible_settings_are_refused_with_the_way_out() {
        let vectors = Shape { channels: 5, height: 1, width: 1, range: Range::Real };
        let refuse = |shape: Shape, net: &str, likelihood: &str| {
            let (net, likelihood) = (net.into(), likelihood.into());
            let mut settings = NetSettings { net, likelihood, ..NetSettings::default() };
            settings.resolve(&Task { shape, rows: 9 }).unwrap_err().to_string()
        };
        assert!(refuse(vectors, "conv", "auto").contains("use model.net = \"fc\""));
        assert!(refuse(vectors, "auto", "bernoulli").contains("use \"gaussian\""));
        assert!(refuse(vectors, "con4", "auto").contains("did you mean `conv4`?"));
    }
}
