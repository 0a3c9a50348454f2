//! An autoencoder with codebooks between its halves, and what VQ-VAE and MCQ-VAE share.
//!
//! ```text
//! e = encoder(x), q = nearest codes,  L = 2 · −log p(x|q) / (pixels · variance) + codebook loss
//! ```
//!
//! With a Gaussian the first term is the mean squared error in units of the variance of the data; with a
//! Bernoulli (black and white images) the cross-entropy in the same measure, so that one weight of the
//! commitment does for both.
//!
//! A code, for metrics and for models on top, is the place of each cell's vector in its codebook: one number
//! for every book and cell, book by book, row by row. Places mean little by themselves, so after the training
//! the vectors of a book are sorted along their first principal axis: neighbours look alike.

use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor};
use serde::{Deserialize, Serialize};
use unbraid_measure::data::{self, Dataset, Range, Shape};
use unbraid_measure::rng::Rng;

use super::codebook::{CodebookSettings, Codebooks, Learned};
use super::nets::{Decoder, Encoder, GRID, halvings};
use crate::compute::{arrange, device};
use crate::error::{Error, Result};
use crate::model::batch::{self, Batch};
use crate::model::{self, Abilities, Code, Grid, Loss, Step, Task};
use crate::parts::distributions::likelihood::{Family, Likelihood};
use crate::parts::nets::layers::fixed;

/// Images that the variance and the first codes are taken from.
const ROWS: usize = 256;

/// The settings.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct QuantisedSettings {
    /// The codebooks.
    #[serde(flatten)]
    pub book: CodebookSettings,
    /// The channels of the first layer; the others have twice as many.
    pub channels: usize,
    /// Residual blocks, of each half.
    pub blocks: usize,
    /// Whether a code sees its own patch of an image only.
    #[serde(default)]
    pub local: bool,
    /// "bernoulli", "gaussian", or "auto": bernoulli for black and white images, gaussian for others.
    pub likelihood: Family,
}

impl QuantisedSettings {
    /// With so many codebooks and codes in each.
    pub fn with(books: usize, codes: usize) -> Self {
        let codebook = Learned::Ema;
        let book = CodebookSettings { books, codes, embedding: 32, codebook, commitment: 0.25 };
        Self { book, channels: 32, blocks: 2, local: false, likelihood: Family::Auto }
    }

    /// The grid of codes of an observation.
    pub fn grid(&self, task: &Task) -> Grid {
        let side = 1 << halvings(task.shape);
        let CodebookSettings { books, codes, .. } = self.book;
        Grid { books, codes, height: task.shape.height / side, width: task.shape.width / side }
    }

    /// Replace "auto", and refuse what makes no sense.
    pub fn resolve(&mut self, task: &Task) -> Result<()> {
        if self.likelihood == Family::Auto {
            let binary = task.shape.range == Range::Binary;
            self.likelihood = if binary { Family::Bernoulli } else { Family::Gaussian };
        }
        self.likelihood.check(task.shape.range)?;
        self.book.check()?;
        if !(1..=512).contains(&self.channels) {
            return Err(Error::setting("model.channels", "must be from 1 to 512"));
        }
        if self.blocks > 64 {
            return Err(Error::setting("model.blocks", "must be at most 64"));
        }
        let Shape { height, width, .. } = task.shape;
        let side = 1 << halvings(task.shape);
        if height.min(width) < 2 * GRID || height % side != 0 || width % side != 0 {
            let reason = format!(
                "cannot be trained on {}: both sides must be at least {} and multiples of {}; resize them with \
                 data.variant.size",
                task.shape,
                2 * GRID,
                side.max(2)
            );
            return Err(Error::setting("model.name", reason));
        }
        Ok(())
    }
}

/// The networks and their codebooks.
#[derive(Module, Debug)]
pub struct QuantisedNet {
    encoder: Encoder,
    codebooks: Codebooks,
    decoder: Decoder,
    /// That of the data.
    variance: Param<Tensor<1>>,
    #[module(skip)]
    likelihood: Likelihood,
    #[module(skip)]
    grid: [usize; 2],
}

impl QuantisedNet {
    /// Build with seeded weights; the settings must have been resolved.
    pub fn new(settings: &QuantisedSettings, task: &Task, rng: &Rng, device: &Device) -> Self {
        let sizes = [settings.channels, settings.blocks, settings.book.embedding];
        let Grid { height, width, .. } = settings.grid(task);
        Self {
            encoder: Encoder::new(
                sizes,
                settings.local,
                task.shape,
                &mut rng.split("encoder"),
                device,
            ),
            codebooks: Codebooks::new(&settings.book, &mut rng.split("codes"), device),
            decoder: Decoder::new(sizes, task.shape, &mut rng.split("decoder"), device),
            variance: fixed(vec![1.0], [1], device),
            likelihood: Likelihood::new(settings.likelihood, 1.0, task.shape.range),
            grid: [height, width],
        }
    }

    /// With the variance of these data, and codes among the vectors that they are encoded to.
    pub fn fitted(self, data: &dyn Dataset, rng: &Rng) -> Self {
        let rows = data::rows(data, ROWS, &rng.split("codes"));
        let seen = data::observations(data, &rows);
        let mean = seen.mean().unwrap_or(0.0);
        let variance = seen.mapv(|number| (number - mean).powi(2)).mean().unwrap_or(1.0).max(1e-6);
        let numbers = seen.as_slice().expect("a fresh array is contiguous");
        let x = batch::images(numbers, rows.len(), data.shape(), &device::inference());
        let vectors = cells(self.encoder.valid().forward(x));
        let [count, width] = vectors.dims();
        let vectors = ndarray::Array2::from_shape_vec((count, width), batch::numbers(vectors));
        let vectors = vectors.expect("a row for each cell");
        let device = self.variance.device();
        Self {
            codebooks: self.codebooks.fitted(vectors.view(), &rng.split("codes")),
            variance: fixed(vec![variance], [1], &device),
            ..self
        }
    }

    /// The loss of images.
    pub fn loss(&self, x: Tensor<4>, step: &mut Step) -> Loss {
        let pixels: usize = x.dims()[1..].iter().product();
        let quantised = self.codebooks.quantise(cells(self.encoder.forward(x.clone())), step);
        let decoded = self.decoder.forward(self.placed(quantised.vectors.clone()));
        let reconstruction = self.likelihood.error(decoded, x);
        // Without the constant of a Gaussian, which the variance would blow up.
        let constant = match self.likelihood.noise() {
            Some(noise) => pixels as f64 * (noise.ln() + 0.5 * std::f64::consts::TAU.ln()),
            None => 0.0,
        };
        let error =
            (reconstruction.clone() - constant) * (2.0 / pixels as f64) / self.variance.val();
        let [perplexity, unused] = quantised.usage();
        let loss = Loss::new(error + quantised.loss.clone())
            .term("reconstruction", reconstruction)
            .term("codebook", quantised.loss)
            .term("perplexity", perplexity)
            .term("unused_codes", unused);
        match quantised.averages {
            Some(averages) => loss.averages(averages),
            None => loss,
        }
    }

    /// With each book in the order of its first principal axis.
    pub fn ordered(self, rng: &Rng) -> Result<Self> {
        Ok(Self { codebooks: self.codebooks.ordered(&rng.split("order"))?, ..self })
    }

    /// The place of each cell's vector in its codebook, `[batch, books · rows · columns]`.
    pub fn encode(&self, seen: &Batch) -> Code {
        let places = self.codebooks.places(cells(self.encoder.forward(seen.x())));
        let ([rows, columns], books) = (self.grid, self.codebooks.sizes()[0]);
        let count = places.dims()[0] / (rows * columns);
        let places = places.reshape([count, rows * columns, books]).swap_dims(1, 2);
        let mean = places.reshape([count, books * rows * columns]);
        Code { mean, log_variance: None, kl: None }
    }

    /// `[batch · rows · columns, D]` to `[batch, D, rows, columns]`
    fn placed(&self, vectors: Tensor<2>) -> Tensor<4> {
        let ([rows, columns], [all, width]) = (self.grid, vectors.dims());
        let count = all / (rows * columns);
        vectors.reshape([count, rows, columns, width]).permute([0, 3, 1, 2])
    }

    /// What it can do beside encoding.
    pub fn abilities(&self) -> Abilities<'_> {
        Abilities { decoder: Some(self), ..Abilities::default() }
    }
}

impl model::Decoder for QuantisedNet {
    /// Of places in the codebooks; one between two is the nearer.
    fn decode(&self, z: Tensor<2>) -> Tensor<4> {
        let ([rows, columns], books) = (self.grid, self.codebooks.sizes()[0]);
        let count = z.dims()[0];
        let places = z.reshape([count, books, rows * columns]).swap_dims(1, 2);
        let vectors = self.codebooks.vectors(places.reshape([count * rows * columns, books]));
        self.likelihood.mean(self.decoder.forward(arrange(self.placed(vectors))))
    }

    fn noise(&self) -> Option<f64> {
        self.likelihood.noise()
    }
}

/// `[batch, D, rows, columns]` to `[batch · rows · columns, D]`
fn cells(grid: Tensor<4>) -> Tensor<2> {
    let [count, width, rows, columns] = grid.dims();
    grid.permute([0, 2, 3, 1]).reshape([count * rows * columns, width])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Decoder as _;

    /// What a code decodes to is what was decoded in training: books, rows and columns keep their places.
    #[test]
    fn a_code_decodes_to_the_cells_it_came_from() {
        let shape = Shape { channels: 1, height: 16, width: 32, range: Range::Unit };
        let task = Task::observing(shape, 10);
        let mut settings = QuantisedSettings { channels: 4, ..QuantisedSettings::with(2, 7) };
        settings.resolve(&task).unwrap();
        let net = QuantisedNet::new(&settings, &task, &Rng::new(0), &device::inference());
        let mut numbers = vec![0.0; 3 * shape.size()];
        Rng::new(1).fill_uniform(&mut numbers);
        let x = batch::images(&numbers, 3, shape, &device::inference());
        let code = net.encode(&Batch::of(x.clone())).mean;
        assert_eq!(code.dims(), [3, 2 * 8 * 16]);
        let mut step = Step::new(0, 1, &Rng::new(0));
        let quantised = net.codebooks.quantise(cells(net.encoder.forward(x)), &mut step);
        let direct = net.likelihood.mean(net.decoder.forward(net.placed(quantised.vectors)));
        let (found, expected) = (batch::numbers(net.decode(code)), batch::numbers(direct));
        assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-5));
    }
}
