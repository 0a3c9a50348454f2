//! The networks of models of labelled concepts: an encoder that may see the labels, and a decoder.
//!
//! Beside those of `nets` there is `paper`, the released code's for 96x96 images: an encoder with
//! dense layers of 900 and 300, and for each concept a decoder of its own with layers of 300, 300
//! and 1,024, whose logits are averaged. With four concepts of four dimensions it has 186 million
//! weights.

use burn::module::Module;
use burn::tensor::{Device, Tensor};
use serde::{Deserialize, Serialize};
use unbraid_measure::data::Shape;
use unbraid_measure::rng::Rng;
use unbraid_measure::settings::Word;

use crate::compute::flatten;
use crate::error::Result;
use crate::model::{Decoder, Settings, Task};
use crate::parts::distributions::gaussian::Gaussian;
use crate::parts::distributions::likelihood::{Family, Likelihood};
use crate::parts::nets::autoencoder::{Autoencoder, Net, NetSettings};
use crate::parts::nets::layers::{Activation, Dense};
use crate::parts::nets::mlp::stack;

/// Which networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub enum ConceptNet {
    /// The released code's.
    Paper,
    /// Those of an autoencoder.
    Shared(Net),
}

/// The word of the released code's networks.
const PAPER: &str = "paper";

impl From<ConceptNet> for &'static str {
    fn from(net: ConceptNet) -> Self {
        match net {
            ConceptNet::Paper => PAPER,
            ConceptNet::Shared(net) => net.word(),
        }
    }
}

impl TryFrom<String> for ConceptNet {
    type Error = String;

    fn try_from(given: String) -> std::result::Result<Self, String> {
        match given.as_str() {
            PAPER => Ok(Self::Paper),
            given => Net::named(given).map(Self::Shared),
        }
    }
}

/// The settings of the networks.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ConceptNetSettings {
    /// "paper", or one of `vae`: "conv", "conv4", "burgess", "factor", "fc", "auto".
    pub net: ConceptNet,
    /// Units of a dense layer; 0 for the paper's.
    pub width: usize,
    /// "bernoulli", "gaussian", or "auto": bernoulli for numbers in 0..1, gaussian for others.
    pub likelihood: Family,
    /// The standard deviation of the gaussian likelihood.
    pub noise: f64,
}

impl Default for ConceptNetSettings {
    fn default() -> Self {
        let NetSettings { net, width, likelihood, noise, .. } = NetSettings::default();
        Self { net: ConceptNet::Shared(net), width, likelihood, noise }
    }
}

impl ConceptNetSettings {
    /// Replace every "auto", and refuse what cannot work.
    pub fn resolve(&mut self, task: &Task, latents: usize) -> Result<()> {
        let mut nets = self.nets(latents);
        nets.resolve(task)?;
        let NetSettings { net, width, likelihood, .. } = nets;
        let net = match self.net {
            ConceptNet::Paper => ConceptNet::Paper,
            ConceptNet::Shared(_) => ConceptNet::Shared(net),
        };
        *self = Self { net, width, likelihood, ..*self };
        Ok(())
    }

    /// As the settings of an autoencoder; the paper's layers are dense, as those of `fc` are.
    pub fn nets(&self, latents: usize) -> NetSettings {
        let &Self { net, width, likelihood, noise } = self;
        let net = match net {
            ConceptNet::Paper => Net::Fc,
            ConceptNet::Shared(net) => net,
        };
        NetSettings { latents, net, width, likelihood, noise, ..NetSettings::default() }
    }
}

/// Encoder and decoder.
#[derive(Module, Debug)]
pub struct ConceptNets {
    shared: Option<Autoencoder>,
    paper: Option<PaperNets>,
}

impl ConceptNets {
    /// With this many concepts, dimensions per concept, and labels that the encoder sees (0 for none).
    pub fn new(
        settings: &ConceptNetSettings,
        task: &Task,
        [concepts, dimensions]: [usize; 2],
        labels: usize,
        rng: &Rng,
        device: &Device,
    ) -> Self {
        let nets = settings.nets(concepts * dimensions);
        if settings.net == ConceptNet::Paper {
            let likelihood = Likelihood::new(nets.likelihood, nets.noise, task.shape.range);
            let paper =
                PaperNets::new(task.shape, [concepts, dimensions], labels, likelihood, rng, device);
            return Self { shared: None, paper: Some(paper) };
        }
        let shared = Autoencoder::seeing(&nets, task, labels, rng, device);
        Self { shared: Some(shared), paper: None }
    }

    /// q(·|x) or, with labels, q(·|x, u).
    pub fn posterior(&self, x: Tensor<4>, labels: Option<Tensor<2>>) -> Gaussian {
        match (&self.shared, &self.paper) {
            (Some(nets), _) => nets.posterior_given(x, labels),
            (_, Some(nets)) => nets.posterior(x, labels),
            _ => unreachable!("one of the two is built"),
        }
    }

    /// The decoder's output, before the sigmoid.
    pub fn decoded(&self, z: Tensor<2>) -> Tensor<4> {
        match (&self.shared, &self.paper) {
            (Some(nets), _) => nets.decoded(z),
            (_, Some(nets)) => nets.decoded(z),
            _ => unreachable!("one of the two is built"),
        }
    }

    /// p(x|z)
    pub fn likelihood(&self) -> Likelihood {
        match (&self.shared, &self.paper) {
            (Some(nets), _) => nets.likelihood(),
            (_, Some(nets)) => nets.likelihood,
            _ => unreachable!("one of the two is built"),
        }
    }

    /// −log p(x|z), summed over an observation, averaged over the batch.
    pub fn error(&self, z: Tensor<2>, x: Tensor<4>) -> Tensor<1> {
        self.likelihood().error(self.decoded(z), x)
    }
}

impl Decoder for ConceptNets {
    fn decode(&self, z: Tensor<2>) -> Tensor<4> {
        self.likelihood().mean(self.decoded(z))
    }

    fn noise(&self) -> Option<f64> {
        self.likelihood().noise()
    }
}

/// Dense layers, and a decoder for each concept.
#[derive(Module, Debug)]
struct PaperNets {
    encoder: Vec<Dense>,
    decoders: Vec<ConceptDecoder>,
    #[module(skip)]
    likelihood: Likelihood,
    #[module(skip)]
    shape: Shape,
}

#[derive(Module, Debug)]
struct ConceptDecoder {
    layers: Vec<Dense>,
}

impl PaperNets {
    fn new(
        shape: Shape,
        [concepts, dimensions]: [usize; 2],
        labels: usize,
        likelihood: Likelihood,
        rng: &Rng,
        device: &Device,
    ) -> Self {
        let build = |name: &str, sizes: &[usize]| {
            stack(sizes, Activation::Elu, &mut rng.split(name), device)
        };
        let size = shape.size();
        let encoder = build("encoder", &[size + labels, 900, 300, 2 * concepts * dimensions]);
        let decoder = |concept: usize| {
            let sizes = [dimensions, 300, 300, 1024, size];
            ConceptDecoder { layers: build(&format!("decoder {concept}"), &sizes) }
        };
        Self { encoder, decoders: (0..concepts).map(decoder).collect(), likelihood, shape }
    }

    fn posterior(&self, x: Tensor<4>, labels: Option<Tensor<2>>) -> Gaussian {
        let x = flatten(x);
        let x = labels.map_or(x.clone(), |labels| Tensor::cat(vec![x, labels], 1));
        let both = self.encoder.iter().fold(x, |x, layer| layer.forward(x));
        let latents = both.dims()[1] / 2;
        Gaussian {
            mean: both.clone().narrow(1, 0, latents),
            log_variance: both.narrow(1, latents, latents),
        }
    }

    fn decoded(&self, z: Tensor<2>) -> Tensor<4> {
        let (rows, count) = (z.dims()[0], self.decoders.len());
        let dimensions = z.dims()[1] / count;
        let one = |(concept, decoder): (usize, &ConceptDecoder)| {
            let z = z.clone().narrow(1, concept * dimensions, dimensions);
            decoder.layers.iter().fold(z, |z, layer| layer.forward(z))
        };
        let parts = self.decoders.iter().enumerate().map(one);
        let sum = parts.reduce(|sum, part| sum + part).expect("there is a concept");
        let Shape { channels, height, width, .. } = self.shape;
        (sum / count as f64).reshape([rows, channels, height, width])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::device;
    use crate::model::batch;
    use unbraid_measure::data::Range;

    fn build(net: ConceptNet, labels: usize, side: usize) -> ConceptNets {
        let shape = Shape { channels: 4, height: side, width: side, range: Range::Unit };
        let task = Task { label: labels, ..Task::observing(shape, 100) };
        let mut settings = ConceptNetSettings { net, ..ConceptNetSettings::default() };
        settings.resolve(&task, 16).unwrap();
        ConceptNets::new(&settings, &task, [4, 4], labels, &Rng::new(0), &device::inference())
    }

    #[test]
    fn the_paper_net_has_the_layers_of_the_released_code() {
        let dense = |sizes: &[usize]| -> usize {
            sizes.windows(2).map(|pair| (pair[0] + 1) * pair[1]).sum()
        };
        let whole =
            |size: usize| dense(&[size, 900, 300, 32]) + 4 * dense(&[4, 300, 300, 1024, size]);
        assert_eq!(build(ConceptNet::Paper, 0, 16).num_params(), whole(4 * 16 * 16));
        // Of 96x96 images: sheet, appendix C, "186 M".
        assert_eq!(whole(4 * 96 * 96), 186_200_928);
    }

    #[test]
    fn every_net_sees_labels_if_it_may() {
        let [conv, fc] = [Net::Conv, Net::Fc].map(ConceptNet::Shared);
        for net in [ConceptNet::Paper, conv, fc] {
            let nets = build(net, 4, 16);
            let device = device::inference();
            let shape = Shape { channels: 4, height: 16, width: 16, range: Range::Unit };
            let x = batch::images(&vec![0.5; shape.size()], 1, shape, &device);
            let mean = |labels: &[f32]| {
                let labels = batch::matrix(labels, 1, 4, &device);
                nets.posterior(x.clone(), Some(labels)).mean
            };
            let (one, other) = (mean(&[0.0; 4]), mean(&[1.0; 4]));
            assert_eq!(nets.decode(one.clone()).dims(), [1, 4, 16, 16]);
            assert!(batch::numbers(one) != batch::numbers(other), "{net:?}");
        }
    }
}
