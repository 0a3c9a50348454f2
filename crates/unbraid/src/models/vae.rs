//! The variational autoencoder: Kingma and Welling, Auto-Encoding Variational Bayes, ICLR 2014.
//!
//! L = E_q(z|x)[−log p(x|z)] + KL(q(z|x) ‖ N(0, I))

use burn::module::Module;
use burn::tensor::{Device, Tensor};
use unbraid_measure::data::Supervision;
use unbraid_measure::info::Info;
use unbraid_measure::rng::Rng;

use crate::batch::Batch;
use crate::model::{Code, Loss, Model, Step, Task};
use crate::parts::nets::{Autoencoder, NetSettings};

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
latents (10), net (conv, conv4, fc or auto), width of the dense layers (0 = the paper's),
likelihood (bernoulli, gaussian or auto), noise (standard deviation of the gaussian likelihood).

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

    fn encode(&self, x: Tensor<4>) -> Code {
        self.net.posterior(x).into()
    }

    fn decode(&self, z: Tensor<2>) -> Option<Tensor<4>> {
        Some(self.net.decode(z))
    }
}
