//! The VQ-VAE: van den Oord, Vinyals, Kavukcuoglu, Neural Discrete Representation Learning, NIPS 2017,
//! arXiv:1711.00937.
//!
//! ```text
//! L = MSE(x, x̂) / variance + β ‖e − sg q‖²  (+ ‖sg e − q‖² with `codebook = "loss"`)
//! ```
//!
//! With means over all numbers, as in the authors' sonnet code, whose moving averages are the default here too.

use burn::module::Module;
use burn::tensor::Device;
use serde::{Deserialize, Serialize};
use unbraid_measure::data::{Dataset, Supervision};
use unbraid_measure::info::Info;
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::Watch;

use crate::error::Result;
use crate::model::batch::Batch;
use crate::model::{Abilities, Code, Loss, Model, Settings, Step, Task};
use crate::parts::quantised::RECIPE;
use crate::parts::quantised::quantised_net::{QuantisedNet, QuantisedSettings};

/// The settings of a VQ-VAE.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Config(QuantisedSettings);

impl Default for Config {
    fn default() -> Self {
        Self(QuantisedSettings::with(1, 256))
    }
}

impl Settings for Config {
    fn resolve(&mut self, task: &Task) -> Result<()> {
        self.0.resolve(task)
    }
}

/// The VQ-VAE.
#[derive(Module, Debug)]
pub struct VqVae {
    net: QuantisedNet,
}

impl Model for VqVae {
    type Config = Config;
    const INFO: Info = Info {
        name: "vq-vae",
        title: "VQ-VAE",
        summary: "an image as a grid of codes from one codebook",
        paper: "van den Oord et al., Neural Discrete Representation Learning, NIPS 2017",
        page: "\
## What it is
An encoder maps an image to a grid of 8x8 vectors, and each is replaced by the nearest vector of a codebook:
an image becomes 64 words. The decoder sees the words only.

    L = MSE(x, x_hat) / variance + commitment |e - sg q|^2

The codes are moving averages of what is nearest to them (codebook = ema), or learned by the gradient of
|sg e - q|^2 (codebook = loss). They start at vectors of the data, and codes that nothing uses are put on
vectors of a batch during the first 70 % of the training.

## Settings
codes (256) of embedding (32) numbers, codebook (ema or loss), commitment (0.25), channels (32, of the first
layer), blocks (2, residual, of each half), likelihood (bernoulli, gaussian or auto: bernoulli for black and
white images), books (1; several are mcq-vae).

## What to expect
Sharp reconstructions, and no factor in a latent of its own: a word says what is in its cell. The code of an
image is the place of each word in the codebook, row by row, 64 numbers. Words are sorted along the first
principal axis of the codebook after the training, so that metrics and traversals see neighbours that look
alike; more than that a place does not mean.

## Reading the log
`perplexity` is how many codes a batch uses, as if all were used equally often; `unused_codes` the share that
it does not use at all. A perplexity below a third of `codes` is a codebook too large, or one that collapsed.",
    };
    const RECIPE: &'static str = RECIPE;
    const SUPERVISION: Supervision = Supervision::None;

    fn init(config: &Config, task: &Task, rng: &Rng, device: &Device) -> Self {
        Self { net: QuantisedNet::new(&config.0, task, rng, device) }
    }

    fn prepare(self, data: &dyn Dataset, rng: &Rng, _: &dyn Watch) -> Result<Self> {
        Ok(Self { net: self.net.fitted(data, rng) })
    }

    fn loss(&self, batch: &Batch, step: &mut Step) -> Loss {
        self.net.loss(batch.x(), step)
    }

    fn finish(self, _: &dyn Dataset, rng: &Rng, _: &dyn Watch) -> Result<Self> {
        Ok(Self { net: self.net.ordered(rng)? })
    }

    fn encode(&self, seen: &Batch) -> Code {
        self.net.encode(seen)
    }

    fn abilities(&self) -> Abilities<'_> {
        self.net.abilities()
    }
}
