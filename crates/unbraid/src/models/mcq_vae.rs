//! The MCQ-VAE, a VQ-VAE with several codebooks: Gendron, Witbrock, Dobbie, Disentanglement of Latent
//! Representations via Causal Interventions, IJCAI 2023, arXiv:2302.00869.
//!
//! Each of M codebooks quantises its own slice of the features of a cell: N^M words for M N vectors. In the released
//! code the slices overlap almost wholly, and most features are never read; here they are disjoint. Its networks are
//! twenty times as large, and its codes are learned by the loss alone, without a restart of dead ones.

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

/// The settings of an MCQ-VAE.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Config(QuantisedSettings);

impl Default for Config {
    fn default() -> Self {
        Self(QuantisedSettings::with(2, 128))
    }
}

impl Settings for Config {
    fn resolve(&mut self, task: &Task) -> Result<()> {
        self.0.resolve(task)
    }
}

/// The MCQ-VAE.
#[derive(Module, Debug)]
pub struct McqVae {
    net: QuantisedNet,
}

impl Model for McqVae {
    type Config = Config;
    const INFO: Info = Info {
        name: "mcq-vae",
        title: "MCQ-VAE",
        summary: "an image as a grid of codes from several codebooks, the base of ct-vae",
        paper: "Gendron et al., Disentanglement of Latent Representations via Causal Interventions, IJCAI 2023",
        page: "\
## What it is
A vq-vae with several codebooks. The features of each cell are cut into slices, and each slice is quantised by a
codebook of its own: two books of 128 codes say 16,384 different things with 256 vectors.

    L = MSE(x, x_hat) / variance + commitment sum over books |e - sg q|^2

## Settings
books (2) of codes (128) each, and those of vq-vae: embedding (32, all slices together), codebook (ema or loss),
commitment (0.25), channels (32), blocks (2), likelihood (bernoulli, gaussian or auto).

## What to expect
As vq-vae; better reconstructions with the same number of vectors. The code of an image has a number for each book
and cell: 128 for two books and a grid of 8x8.

## Reading the log
`perplexity` and `unused_codes` as of vq-vae, averaged over the books.",
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
