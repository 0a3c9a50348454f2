//! The variational autoencoder: Kingma and Welling, Auto-Encoding Variational Bayes, ICLR 2014.
//!
//! L = E_q(z|x)[−log p(x|z)] + KL(q(z|x) ‖ N(0, I))

use burn::module::Module;
use burn::tensor::Device;
use unbraid_measure::data::Supervision;
use unbraid_measure::info::Info;
use unbraid_measure::rng::Rng;

use crate::model::batch::Batch;
use crate::model::{Abilities, Code, Loss, Model, Step, Task};
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
        summary: "variational autoencoder: maximises the ELBO with a standard normal prior",
        paper: "Kingma and Welling, Auto-Encoding Variational Bayes, ICLR 2014",
        page: "\
## What it is
An encoder maps an observation to a Gaussian posterior over latents, and a decoder maps a sample of it to
an observation. The loss is the negative ELBO, reconstruction loss plus KL to the standard normal prior:

    L = E[-log p(x|z)] + KL(q(z|x) || N(0, I))

summed over pixels and latents, averaged over the batch. It is the beta-VAE with beta = 1, and the
baseline of every other VAE here.

## Settings
latents (10), net (conv, conv4, burgess, factor, fc or auto), width of the dense layers (0 = the
paper's), likelihood (bernoulli, gaussian or auto), noise (standard deviation of the gaussian
likelihood).

net: `conv` is that of Locatello et al. 2019, `conv4` that in the table of the beta-VAE paper, `burgess`
that of the AnnealedVAE, `factor` that of the FactorVAE, and `fc` has dense layers, also for vectors.

label_weight (0) and label_loss (cross-entropy, squares or covariance): with a weight, model.labelled rows
(1000) are trained with their labels too. Latent k is tied to factor k, as in Locatello et al.,
Disentangling Factors of Variation Using Few Labels, 2020. Every unsupervised VAE has these settings.

Any weight of any model, and train.learning_rate, may follow a schedule in place of a number:

    { schedule = \"linear\", from = 0, to = 4, start = 0, steps = 10000 }   and the same with \"cosine\"
    { schedule = \"cyclic\", from = 0, to = 4, period = 10000 }   up in the first half of each period
    { schedule = \"step\", from = 1, factor = 0.5, every = 10000 }

## What to expect
Good reconstructions; latents that mix factors. Nothing in the objective favours one factor per latent.",
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

    fn abilities(&self) -> Abilities<'_> {
        self.net.abilities()
    }
}
