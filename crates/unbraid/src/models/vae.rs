//! The variational autoencoder: Kingma and Welling, Auto-Encoding Variational Bayes, ICLR 2014.
//!
//! L = E_q(z|x)[−log p(x|z)] + KL(q(z|x) ‖ N(0, I))

use burn::module::Module;
use burn::tensor::{Device, Tensor};
use unbraid_measure::data::Supervision;
use unbraid_measure::info::Info;
use unbraid_measure::rng::Rng;

use crate::model::batch::Batch;
use crate::model::{Code, Loss, Model, Step, Task};
use crate::parts::nets::autoencoder::{Autoencoder, NetSettings};

/// The variational autoencoder.
#[derive(Module, Debug)]
pub struct Vae {
    net: Autoencoder,
}

impl Model for Vae {
    type Config = NetSettings;
    const INFO: Info = Info {
        name: "vae",
        title: "VAE",
        summary: "variational autoencoder: reconstruct through a noisy, normally distributed code",
        paper: "Kingma and Welling, Auto-Encoding Variational Bayes, ICLR 2014",
        page: "\
## What it is
An encoder turns an observation into a Gaussian over codes, a decoder turns a draw from it back.
Training rewards good reconstructions and keeps the codes near a standard normal distribution:

    L = E[-log p(x|z)] + KL(q(z|x) || N(0, I))

summed over pixels and latents, averaged over the batch. It is the beta-VAE with beta = 1: the
baseline every other model of the family is compared with.

## Settings
latents (10), net (conv, conv4, burgess, factor, fc or auto), width of the dense layers (0 = the
paper's), likelihood (bernoulli, gaussian or auto), noise (standard deviation of the gaussian
likelihood).

Nets: `conv` is the study's, `conv4` the one in the table of the beta-VAE paper, `burgess` that of the
AnnealedVAE, `factor` that of the FactorVAE, `fc` dense layers, also for vectors.

label_weight (0) and label_loss (cross-entropy, squares or covariance): with a weight, the labels of
train.labelled rows (1000) teach too. Code k is tied to factor k, as in Locatello et al., Disentangling
Factors of Variation Using Few Labels, 2020. Every unsupervised model of the family has them.

Any weight of any model, and train.rate, may follow a schedule in place of a number:

    { schedule = \"linear\", from = 0, to = 4, start = 0, steps = 10000 }   and the same with \"cosine\"
    { schedule = \"cyclic\", from = 0, to = 4, period = 10000 }   up in the first half of each period
    { schedule = \"step\", from = 1, factor = 0.5, every = 10000 }

## What to expect
Good reconstructions; codes that mix factors. Nothing in the objective asks for one factor a code.",
    };
    const SUPERVISION: Supervision = Supervision::None;

    fn supervision(config: &NetSettings) -> Supervision {
        config.supervision()
    }

    fn init(config: &NetSettings, task: &Task, rng: &Rng, device: &Device) -> Self {
        Self { net: Autoencoder::new(config, task, rng, device) }
    }

    fn loss(&self, batch: &Batch, step: &mut Step) -> Loss {
        let evidence = self.net.evidence(batch, step);
        let kl = evidence.kl.clone();
        evidence.loss(kl)
    }

    fn encode(&self, seen: &Batch) -> Code {
        self.net.posterior(seen.x()).into()
    }

    fn decode(&self, z: Tensor<2>) -> Option<Tensor<4>> {
        Some(self.net.decode(z))
    }

    fn log_weights(&self, seen: &Batch, draws: usize, step: &mut Step) -> Option<Tensor<1>> {
        Some(self.net.log_weights(seen.x(), draws, step))
    }
}
