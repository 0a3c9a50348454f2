//! The VQ-VAE (van den Oord, Vinyals, Kavukcuoglu, Neural Discrete Representation Learning, NIPS 2017,
//! arXiv:1711.00937), and with several codebooks the MCQ-VAE (Gendron, Witbrock, Dobbie, Disentanglement of Latent
//! Representations via Causal Interventions, IJCAI 2023, arXiv:2302.00869).
//!
//! ```text
//! L = MSE(x, x̂) / variance + β ‖e − sg q‖²  (+ ‖sg e − q‖² with `codebook = "loss"`)
//! ```
//!
//! With means over all numbers, as in the authors' sonnet code, whose moving averages are the default here too. Each of
//! M codebooks quantises its own slice of the features of a cell: N^M words for M N vectors. In the released code of
//! MCQ-VAE the slices overlap almost wholly, and most features are never read; here they are disjoint. Its codes are
//! learned by the loss alone, without a restart of dead ones.

use std::marker::PhantomData;

use burn::module::Module;
use burn::tensor::Device;
use serde::{Deserialize, Serialize};
use unbraid_measure::data::{Dataset, Supervision};
use unbraid_measure::info::Info;
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::Watch;

use crate::error::Result;
use crate::model::batch::Batch;
use crate::model::{Abilities, Code, Grid, Loss, Model, Settings, Step, Task};
use crate::parts::quantised::RECIPE;
use crate::parts::quantised::quantised_net::{QuantisedNet, QuantisedSettings};

/// With one codebook or with several.
pub trait Form: Clone + std::fmt::Debug + Send + Sync + 'static {
    /// What it is.
    const INFO: Info;
    /// How many codebooks, and how many codes in each, unless it is said.
    const SIZE: [usize; 2];
    /// Whether a code sees its own patch of an image only, unless it is said.
    const LOCAL: bool;
}

/// One codebook: the VQ-VAE.
#[derive(Clone, Debug)]
pub struct One;

/// Several: the MCQ-VAE.
#[derive(Clone, Debug)]
pub struct Several;

impl Form for One {
    const INFO: Info = Info {
        name: "vq-vae",
        title: "VQ-VAE",
        summary: "an image as a grid of codes from one codebook",
        paper: "van den Oord et al., Neural Discrete Representation Learning, NIPS 2017",
        page: PAGE_OF_ONE,
    };
    const SIZE: [usize; 2] = [1, 256];
    const LOCAL: bool = false;
}

impl Form for Several {
    const INFO: Info = Info {
        name: "mcq-vae",
        title: "MCQ-VAE",
        summary: "an image as a grid of codes from several codebooks, the base of ct-vae",
        paper: "Gendron et al., Disentanglement of Latent Representations via Causal Interventions, IJCAI 2023",
        page: PAGE_OF_SEVERAL,
    };
    const SIZE: [usize; 2] = [2, 128];
    const LOCAL: bool = true;
}

const PAGE_OF_ONE: &str = "\
## What it is
An encoder maps an image to a grid of 8x8 vectors, and each is replaced by the nearest vector of a codebook:
an image becomes 64 words. The decoder sees the words only.

    L = MSE(x, x_hat) / variance + commitment |e - sg q|^2

The codes are moving averages of what is nearest to them (codebook = ema), or learned by the gradient of
|sg e - q|^2 (codebook = loss). They start at vectors of the data, and codes that nothing uses are put on
vectors of a batch during the first 70 % of the training.

## Settings
codes (256) of embedding (32) numbers, codebook (ema or loss), commitment (0.25), channels (32, of the first
layer), blocks (2, residual, of each half), local (false; true for codes that see their own patch of 8x8 pixels
only), likelihood (bernoulli, gaussian or auto: bernoulli for black and
white images), books (1; several are mcq-vae).

## What to expect
Sharp reconstructions, and no factor in a latent of its own: a word says what is in its cell. The code of an
image is the place of each word in the codebook, row by row, 64 numbers. Words are sorted along the first
principal axis of the codebook after the training, so that metrics and traversals see neighbours that look
alike; more than that a place does not mean.

## Reading the log
`perplexity` is how many codes a batch uses, as if all were used equally often; `unused_codes` the share that
it does not use at all. A perplexity below a third of `codes` is a codebook too large, or one that collapsed.";

const PAGE_OF_SEVERAL: &str = "\
## What it is
A vq-vae with several codebooks. The features of each cell are cut into slices, and each slice is quantised by a
codebook of its own: two books of 128 codes say 16,384 different things with 256 vectors.

    L = MSE(x, x_hat) / variance + commitment sum over books |e - sg q|^2

## Settings
books (2) of codes (128) each, local (true: a code sees its own patch of the image only, so that little changes where
little is done; false lets it see the whole), and those of vq-vae: embedding (32, all slices together), codebook (ema
or loss), commitment (0.25), channels (32), blocks (2), likelihood (bernoulli, gaussian or auto).

## What to expect
As vq-vae; better reconstructions with the same number of vectors. The code of an image has a number for each book
and cell: 128 for two books and a grid of 8x8.

## Reading the log
`perplexity` and `unused_codes` as of vq-vae, averaged over the books.";

/// The settings.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Config<F> {
    #[serde(flatten)]
    net: QuantisedSettings,
    #[serde(skip)]
    form: PhantomData<F>,
}

impl<F: Form> Default for Config<F> {
    fn default() -> Self {
        let [books, codes] = F::SIZE;
        let net = QuantisedSettings { local: F::LOCAL, ..QuantisedSettings::with(books, codes) };
        Self { net, form: PhantomData }
    }
}

impl<F: Form> Settings for Config<F> {
    fn resolve(&mut self, task: &Task) -> Result<()> {
        self.net.resolve(task)
    }

    fn grid(&self, task: &Task) -> Option<Grid> {
        Some(self.net.grid(task))
    }
}

/// The VQ-VAE.
#[derive(Module, Debug)]
pub struct VqVae<F: Form> {
    net: QuantisedNet,
    #[module(skip)]
    form: PhantomData<F>,
}

impl<F: Form> Model for VqVae<F> {
    type Config = Config<F>;
    const INFO: Info = F::INFO;
    const RECIPE: &'static str = RECIPE;
    const SUPERVISION: Supervision = Supervision::None;

    fn init(config: &Config<F>, task: &Task, rng: &Rng, device: &Device) -> Self {
        Self { net: QuantisedNet::new(&config.net, task, rng, device), form: PhantomData }
    }

    fn prepare(self, data: &dyn Dataset, rng: &Rng, _: &dyn Watch) -> Result<Self> {
        Ok(Self { net: self.net.fitted(data, rng), ..self })
    }

    fn loss(&self, batch: &Batch, step: &mut Step) -> Loss {
        self.net.loss(batch.x(), step)
    }

    fn finish(self, _: &dyn Dataset, rng: &Rng, _: &dyn Watch) -> Result<Self> {
        Ok(Self { net: self.net.ordered(rng)?, ..self })
    }

    fn encode(&self, seen: &Batch) -> Code {
        self.net.encode(seen)
    }

    fn abilities(&self) -> Abilities<'_> {
        self.net.abilities()
    }
}
