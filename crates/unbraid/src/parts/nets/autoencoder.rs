//! Encoder and decoder networks, by the shape of the observation.
//!
//! | net | encoder | decoder |
//! |---|---|---|
//! | `conv` | 32 4x4, 32 4x4, 64 2x2, 64 2x2 (all stride 2), dense 256 | dense 256, dense, 64 32 32 C 4x4 (stride 2) |
//! | `conv4` | the same with 4x4 in all four | the same |
//! | `burgess` | 32 4x4 four times (three for 32x32), dense 256 256 | dense 256 256, dense, 32 … C 4x4 |
//! | `factor` | as `conv4`, dense 128 (256 for colour) | the same |
//! | `fc` | two dense layers of 1200, ReLU | three dense layers of 1200, tanh |
//!
//! `conv` is that of Locatello et al. 2019; the table of the β-VAE paper has 4x4 kernels
//! throughout, which is `conv4`. `fc` is that paper's network for dSprites, and the one for vectors.
//! `burgess` is that of the AnnealedVAE's paper, `factor` that of the FactorVAE's, whose last
//! convolution of a 4x4 map is a dense layer.

use burn::module::Module;
use burn::tensor::{Device, Tensor};
use serde::{Deserialize, Serialize};
use unbraid_measure::data::{Shape, SomeLabels, Supervision};
use unbraid_measure::rng::Rng;
use unbraid_measure::settings::Word;

use crate::compute::flatten;
use crate::error::{Error, Result};
use crate::model::batch::Batch;
use crate::model::{self, Abilities, Densities, Loss, Settings, Step, Task};
use crate::parts::distributions::gaussian::{Gaussian, repeated};
use crate::parts::distributions::likelihood::{Family, Likelihood};
use crate::parts::labels::LabelLoss;
use crate::parts::nets::size;
use crate::parts::schedule::Schedule;
use architecture::{Architecture, Decoder, Encoder, halvings};

mod architecture;

pub use architecture::{Net, Reader};

/// The settings every autoencoder shares.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NetSettings {
    /// How many latents.
    pub latents: usize,
    /// "conv", "conv4", "burgess", "factor", "fc", or "auto": conv for images, fc for vectors.
    pub net: Net,
    /// Units of a dense layer; 0 for the paper's: 1200 in fc, 128 for grey images in factor, else 256.
    pub width: usize,
    /// "bernoulli", "gaussian", or "auto": bernoulli for numbers in 0..1, gaussian for others.
    pub likelihood: Family,
    /// The standard deviation of the gaussian likelihood.
    pub noise: f64,
    /// The weight of the supervised loss on labelled rows; 0 for none. May follow a schedule.
    pub label_weight: Schedule,
    /// How labels teach: "cross-entropy", "squares" or "covariance".
    pub label_loss: LabelLoss,
    /// How many rows have labels, where labels have a weight.
    #[serde(flatten)]
    pub some_labels: SomeLabels,
}

impl Default for NetSettings {
    fn default() -> Self {
        Self {
            latents: 10,
            net: Net::Auto,
            width: 0,
            likelihood: Family::Auto,
            noise: 1.0,
            label_weight: 0.0.into(),
            label_loss: LabelLoss::CrossEntropy,
            some_labels: SomeLabels::default(),
        }
    }
}

impl Settings for NetSettings {
    fn latents(&self) -> Option<usize> {
        Some(self.latents)
    }

    fn resolve(&mut self, task: &Task) -> Result<()> {
        let Shape { height, width, range, .. } = task.shape;
        self.net = self.net.resolved(task.shape);
        self.likelihood = self.likelihood.resolved(range);
        if self.width == 0 {
            self.width = match self.net {
                Net::Fc => 1200,
                // The paper has twice as many units for colour.
                Net::Factor if task.shape.channels == 1 => 128,
                _ => 256,
            };
        }
        self.label_weight.check("model.label_weight", 0.0)?;
        if self.latents == 0 {
            return Err(Error::setting("model.latents", "must be at least 1"));
        }
        if !(self.noise.is_finite() && self.noise > 0.0) {
            return Err(Error::setting("model.noise", "must be a positive number"));
        }
        self.likelihood.check(range)?;
        let halvings = halvings(self.net, task.shape);
        let side = 1 << halvings;
        if self.net != Net::Fc && (height % side != 0 || width % side != 0) {
            return Err(Error::setting(
                "model.net",
                format!(
                    "\"{}\" halves an image {halvings} times, so its sides must be multiples of \
                     {side}; these are {height}x{width}: use model.net = \"fc\", or resize them \
                     with data.variant.size",
                    self.net.word()
                ),
            ));
        }
        self.check_size(task.shape)
    }
}

impl NetSettings {
    /// Whether the labels of some rows are used for training.
    pub fn supervision(&self) -> Supervision {
        match self.label_weight {
            Schedule::Constant(0.0) => Supervision::None,
            _ => Supervision::SomeLabels(self.some_labels),
        }
    }

    /// Refuse a network that does not fit into memory.
    fn check_size(&self, shape: Shape) -> Result<()> {
        let weights = Architecture::new(self, shape).weights(shape, self.latents);
        let (setting, value) = match self.latents > self.width {
            true => ("model.latents", self.latents),
            false => ("model.width", self.width),
        };
        size::check(setting, value, weights)
    }
}

/// One forward pass of a batch: the posteriors, a sample of each, and the two terms of the ELBO.
#[derive(Debug)]
pub struct Evidence {
    /// q(z|x)
    pub posterior: Gaussian,
    /// A sample of each posterior, `[batch, latents]`.
    pub z: Tensor<2>,
    /// −log p(x|z), summed over an observation, averaged over the batch.
    pub reconstruction: Tensor<1>,
    /// KL(q(z|x) ‖ N(0, I)), summed over latents, averaged over the batch.
    pub kl: Tensor<1>,
    /// Its terms per latent, `[latents]`.
    pub kl_per_latent: Tensor<1>,
    /// The supervised loss, and its weight in this step.
    labels: Option<(Tensor<1>, f64)>,
}

impl Evidence {
    /// The reconstruction loss plus a penalty, with the terms that every VAE logs.
    pub fn loss(self, penalty: Tensor<1>) -> Loss {
        let mut total = self.reconstruction.clone() + penalty;
        if let Some((cost, weight)) = &self.labels {
            total = total + cost.clone() * *weight;
        }
        let loss = Loss::new(total)
            .term("reconstruction", self.reconstruction)
            .term("kl", self.kl)
            .latents(self.kl_per_latent);
        match self.labels {
            Some((cost, _)) => loss.term("labels", cost),
            None => loss,
        }
    }
}

/// An encoder to Gaussian posteriors, and a decoder.
#[derive(Module, Debug)]
pub struct Autoencoder {
    encoder: Encoder,
    decoder: Decoder,
    #[module(skip)]
    likelihood: Likelihood,
    #[module(skip)]
    label_weight: Schedule,
    #[module(skip)]
    label_loss: LabelLoss,
}

impl Autoencoder {
    /// Build with seeded weights; the settings must have been resolved.
    pub fn new(settings: &NetSettings, task: &Task, rng: &Rng, device: &Device) -> Self {
        Self::seeing(settings, task, 0, rng, device)
    }

    /// As [`new`](Self::new), with an encoder that also sees this many label numbers.
    pub fn seeing(
        settings: &NetSettings,
        task: &Task,
        beside: usize,
        rng: &Rng,
        device: &Device,
    ) -> Self {
        let mut drawn = rng.split("encoder");
        Self {
            encoder: Encoder::new(settings, task.shape, beside, &mut drawn, device),
            decoder: Decoder::new(settings, task.shape, &mut rng.split("decoder"), device),
            likelihood: Likelihood::new(settings.likelihood, settings.noise, task.shape.range),
            label_weight: settings.label_weight,
            label_loss: settings.label_loss,
        }
    }

    /// q(z|x)
    pub fn posterior(&self, x: Tensor<4>) -> Gaussian {
        self.encoder.forward(x, None)
    }

    /// q(z|x, u), for an encoder that sees labels.
    pub fn posterior_given(&self, x: Tensor<4>, labels: Option<Tensor<2>>) -> Gaussian {
        self.encoder.forward(x, labels)
    }

    /// The decoder's output, before the sigmoid.
    pub fn decoded(&self, z: Tensor<2>) -> Tensor<4> {
        self.decoder.forward(z)
    }

    /// p(x|z)
    pub fn likelihood(&self) -> Likelihood {
        self.likelihood
    }

    /// −log p(x|z), summed over an observation, averaged over the batch.
    pub fn error(&self, z: Tensor<2>, x: Tensor<4>) -> Tensor<1> {
        self.likelihood.error(self.decoder.forward(z), x)
    }

    /// Encode the first view, sample once, decode. If there is a second view with labels, its
    /// posterior means enter the supervised loss.
    pub fn evidence(&self, batch: &Batch, step: &mut Step) -> Evidence {
        let x = batch.x();
        let posterior = self.posterior(x.clone());
        let z = posterior.sample(step);
        let reconstruction = self.error(z.clone(), x);
        let labels = batch.some_labels().map(|(x, labels)| {
            let means = self.posterior(x).mean;
            (self.label_loss.cost(means, labels), self.label_weight.at(step))
        });
        let kl_per_latent = posterior.kl_per_latent();
        let kl = kl_per_latent.clone().sum();
        Evidence { posterior, z, reconstruction, kl, kl_per_latent, labels }
    }

    /// A decoder with densities.
    pub fn abilities(&self) -> Abilities<'_> {
        Abilities { decoder: Some(self), densities: Some(self), ..Abilities::default() }
    }
}

impl model::Decoder for Autoencoder {
    fn decode(&self, z: Tensor<2>) -> Tensor<4> {
        self.likelihood.mean(self.decoder.forward(z))
    }

    fn noise(&self) -> Option<f64> {
        self.likelihood.noise()
    }
}

impl Densities for Autoencoder {
    fn log_weights(&self, seen: &Batch, draws: usize, step: &mut Step) -> Tensor<1> {
        let x = seen.x();
        let q = self.posterior(x.clone()).repeated(draws);
        let z = q.sample(step);
        let decoded = flatten(self.decoder.forward(z.clone()));
        let error = self.likelihood.error_of_rows(decoded, repeated(flatten(x), draws));
        let prior = Gaussian::standard_like(&z).log_density(&z);
        let surplus = (prior - q.log_density(&z)).sum_dim(1).squeeze_dim(1);
        surplus - error
    }

    fn is_bernoulli(&self) -> bool {
        self.likelihood == Likelihood::Bernoulli
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::device;
    use crate::model::{Decoder, batch};
    use unbraid_measure::data::Range;
    use unbraid_measure::settings::parse;

    fn build(net: Net, channels: usize, side: usize) -> Autoencoder {
        let shape = Shape { channels, height: side, width: side, range: Range::Unit };
        let task = Task::observing(shape, 100);
        let mut settings = NetSettings { net, ..NetSettings::default() };
        settings.resolve(&task).unwrap();
        Autoencoder::new(&settings, &task, &Rng::new(0), &device::inference())
    }

    #[test]
    fn the_study_networks_have_the_published_number_of_weights() {
        // Fact sheet 1, section 1.1: encoder 309,204 and decoder 381,313 with one channel.
        let net = build(Net::Conv, 1, 64);
        assert_eq!(net.encoder.num_params(), 309_204);
        assert_eq!(net.decoder.num_params(), 381_313);
        let colour = build(Net::Conv, 3, 64);
        assert_eq!(colour.encoder.num_params(), 310_228);
        assert_eq!(colour.decoder.num_params(), 382_339);
    }

    #[test]
    fn every_net_maps_observations_to_codes_and_back() {
        for (net, channels, side) in [
            (Net::Conv, 1, 16),
            (Net::Conv, 4, 96),
            (Net::Conv4, 3, 32),
            (Net::Fc, 2, 20),
            (Net::Auto, 1, 64),
            (Net::Auto, 1, 8),
        ] {
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
        let refuse = |shape: Shape, net: Net, likelihood: Family| {
            let mut settings = NetSettings { net, likelihood, ..NetSettings::default() };
            settings.resolve(&Task::observing(shape, 9)).unwrap_err().to_string()
        };
        let conv = refuse(vectors, Net::Conv, Family::Auto);
        assert!(conv.contains("use model.net = \"fc\""), "{conv}");
        assert!(refuse(vectors, Net::Auto, Family::Bernoulli).contains("use \"gaussian\""));
        let unknown = parse::<NetSettings>("model", &"net = 'con4'".parse().unwrap());
        assert!(unknown.unwrap_err().to_string().contains("did you mean `conv4`?"));
    }
}
