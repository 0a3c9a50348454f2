//! Codebooks: M of them with N vectors each, for M disjoint slices of the features of a cell.
//!
//! ```text
//! k = argmin ‖e − c_k‖²,   q = c_k, with the gradient of e (straight-through)
//! loss:  ‖sg e − q‖² moves the codes, β ‖e − sg q‖² commits the encoder             (van den Oord et al. 2017)
//! ema:   count_k ← 0.99 count_k + 0.01 n_k,  sum_k ← 0.99 sum_k + 0.01 Σ e,  c_k = sum_k / count_k
//! ```
//!
//! Both averages begin together, so the ratio needs no correction for their start. A code that almost nothing
//! is nearest to would stay where it is for ever: every 100 steps of the first 70 % of a training such codes
//! are put on vectors of the batch that are far from theirs. The released CT-VAE cuts its slices so that they overlap; these do not.

use burn::module::{Module, Param};
use burn::tensor::{Device, Int, Tensor, TensorData};
use ndarray::{Array2, ArrayView2, Axis};
use serde::{Deserialize, Serialize};
use unbraid_measure::components::pca::Pca;
use unbraid_measure::rng::Rng;
use unbraid_measure::settings::words;

use super::seeds::{self, Seeds};
use crate::error::{Error, Result};
use crate::model::averages::Averages;
use crate::model::{Step, batch};
use crate::parts::nets::layers::fixed;

/// The share of the way that the averages go in a step.
const SHARE: f64 = 0.01;
/// Steps between two looks for dead codes.
const EVERY: u64 = 100;
/// The share of a training in which dead codes are replaced.
const UNTIL: f64 = 0.7;
/// A code is dead that has less than this part of the rows it would have if all had equally many.
const DEAD: f32 = 0.03;

words! {
    /// How the codes are learned.
    pub enum Learned {
        /// As moving averages of what is nearest to them.
        Ema = "ema",
        /// By the gradient of their distance to it.
        Loss = "loss",
    }
}

/// The settings.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CodebookSettings {
    /// How many codebooks share the features of a cell.
    pub books: usize,
    /// Codes in each.
    pub codes: usize,
    /// The features of a cell.
    pub embedding: usize,
    /// "ema" or "loss".
    pub codebook: Learned,
    /// β, how much it costs an encoder to be far from its codes.
    pub commitment: f64,
}

impl CodebookSettings {
    /// Refuse what makes no sense.
    pub fn check(&self) -> Result<()> {
        if !(1..=64).contains(&self.books) {
            return Err(Error::setting("model.books", "must be from 1 to 64"));
        }
        if !(2..=65_536).contains(&self.codes) {
            return Err(Error::setting("model.codes", "must be from 2 to 65536"));
        }
        if self.embedding == 0 || !self.embedding.is_multiple_of(self.books) {
            let reason = format!("must be a multiple of model.books, which is {}", self.books);
            return Err(Error::setting("model.embedding", reason));
        }
        if !(self.commitment.is_finite() && self.commitment >= 0.0) {
            return Err(Error::setting("model.commitment", "must be a number of at least 0"));
        }
        Ok(())
    }
}

/// The codebooks.
#[derive(Module, Debug)]
pub struct Codebooks {
    /// The codes, or with `counts` the sums of what is nearest to each: `[M, N, D / M]`.
    vectors: Param<Tensor<3>>,
    /// How many rows each code has in a step, on average: `[M, N]`.
    counts: Option<Param<Tensor<2>>>,
    #[module(skip)]
    commitment: f64,
}

/// Vectors and the codes nearest to them.
pub struct Quantised {
    /// The codes in place of the vectors, with their gradient. `[rows, D]`
    pub vectors: Tensor<2>,
    /// Which code of each book, as ones: M times `[rows, N]`.
    pub chosen: Vec<Tensor<2>>,
    /// What is minimised beside the error of an image: means over all numbers, summed over books.
    pub loss: Tensor<1>,
    /// What the codes follow where they are averages.
    pub averages: Option<Averages>,
}

impl Codebooks {
    /// With seeded codes around 0, until they are fitted.
    pub fn new(settings: &CodebookSettings, rng: &mut Rng, device: &Device) -> Self {
        let CodebookSettings { books, codes, embedding, .. } = *settings;
        let shape = [books, codes, embedding / books];
        let vectors: Vec<f32> = (0..codes * embedding).map(|_| rng.normal()).collect();
        let (vectors, counts) = match settings.codebook {
            Learned::Loss => (Param::from_data(TensorData::new(vectors, shape), device), None),
            Learned::Ema => {
                let counts = fixed(vec![1.0; books * codes], [books, codes], device);
                (fixed(vectors, shape, device), Some(counts))
            }
        };
        Self { vectors, counts, commitment: settings.commitment }
    }

    /// With codes that are vectors of these rows, `[rows, D]`, far from each other.
    pub fn fitted(self, rows: ArrayView2<f32>, rng: &Rng) -> Self {
        let [books, codes, width] = self.sizes();
        let mut numbers = Vec::with_capacity(books * codes * width);
        for book in 0..books {
            let slice = rows.slice_axis(Axis(1), (book * width..(book + 1) * width).into());
            let vectors: Vec<f32> = slice.iter().copied().collect();
            let mut seeds = Seeds::new(&vectors, width, vec![1.0; rows.nrows()]);
            let rng = &mut rng.at(book as u64);
            (0..codes).for_each(|_| numbers.extend(seeds.next(rng)));
        }
        self.with(numbers, vec![1.0; books * codes])
    }

    /// The same with other numbers.
    fn with(self, vectors: Vec<f32>, counts: Vec<f32>) -> Self {
        let (shape, device) = (self.sizes(), self.vectors.device());
        let counts = self.counts.is_some().then(|| fixed(counts, [shape[0], shape[1]], &device));
        let vectors = match counts {
            Some(_) => fixed(vectors, shape, &device),
            None => Param::from_data(TensorData::new(vectors, shape), &device),
        };
        Self { vectors, counts, ..self }
    }

    /// How many books, codes and numbers of a code.
    pub fn sizes(&self) -> [usize; 3] {
        self.vectors.dims()
    }

    /// The codes, `[M, N, D / M]`.
    fn codes(&self) -> Tensor<3> {
        match &self.counts {
            None => self.vectors.val(),
            // What nothing is nearest to for thousands of steps has no count left.
            Some(counts) => {
                self.vectors.val() / counts.val().clamp_min(1e-30).unsqueeze_dim::<3>(2)
            }
        }
    }

    /// The codes nearest to vectors `[rows, D]`.
    pub fn quantise(&self, e: Tensor<2>, step: &mut Step) -> Quantised {
        let [books, codes, width] = self.sizes();
        let all = self.codes();
        let (mut parts, mut chosen, mut loss) = (vec![], vec![], None::<Tensor<1>>);
        for book in 0..books {
            let part = e.clone().narrow(1, book * width, width);
            let vectors = of_book(&all, book);
            let ones = one_hot(nearest(part.clone().detach(), vectors.clone().detach()), codes);
            let q = ones.clone().matmul(vectors);
            let committed = (part.clone() - q.clone().detach()).square().mean() * self.commitment;
            let cost = match self.counts {
                Some(_) => committed,
                None => committed + (q.clone() - part.clone().detach()).square().mean(),
            };
            loss = Some(match loss {
                Some(sum) => sum + cost,
                None => cost,
            });
            parts.push(part.clone() + (q - part).detach());
            chosen.push(ones);
        }
        let averages = self.counts.as_ref().map(|counts| self.followed(&e, &chosen, counts, step));
        let loss = loss.expect("there is a book");
        Quantised { vectors: Tensor::cat(parts, 1), chosen, loss, averages }
    }

    /// Where the averages go after this batch; dead codes are put on vectors of it.
    fn followed(
        &self,
        e: &Tensor<2>,
        chosen: &[Tensor<2>],
        counts: &Param<Tensor<2>>,
        step: &mut Step,
    ) -> Averages {
        let [books, _, width] = self.sizes();
        let part = |book: usize| e.clone().detach().narrow(1, book * width, width);
        let number: Vec<Tensor<2>> = chosen.iter().map(|ones| ones.clone().sum_dim(0)).collect();
        let total = |book: usize| chosen[book].clone().transpose().matmul(part(book));
        let sums: Vec<Tensor<2>> = (0..books).map(total).collect();
        let mut seen = Sums {
            counts: batch::numbers(Tensor::cat(number, 0)),
            vectors: batch::numbers(Tensor::cat(sums, 0)),
        };
        let looks =
            step.number % EVERY == EVERY - 1 && (step.number as f64) < UNTIL * step.total as f64;
        if looks {
            let held = Sums {
                counts: batch::numbers(counts.val()),
                vectors: batch::numbers(self.vectors.val()),
            };
            let [rows, all] = e.dims();
            let table = |numbers: Vec<f32>| {
                Array2::from_shape_vec([rows, all], numbers).expect("whole rows")
            };
            let near = chosen.iter().enumerate();
            let near =
                near.map(|(k, ones)| ones.clone().matmul(of_book(&self.codes(), k))).collect();
            let near = table(batch::numbers(Tensor::cat(near, 1)));
            let batch = table(batch::numbers(e.clone().detach()));
            seen.revive(&held, batch.view(), near.view(), self.sizes(), step.rng());
        }
        let mut averages = Averages::moving(SHARE);
        let flat = |numbers: Vec<f32>| {
            let size = [numbers.len()];
            Tensor::from_data(TensorData::new(numbers, size), &e.device())
        };
        averages.insert(counts.id, flat(seen.counts));
        averages.insert(self.vectors.id, flat(seen.vectors));
        averages
    }

    /// The place of the code nearest to each vector, `[rows, M]`.
    pub fn places(&self, e: Tensor<2>) -> Tensor<2> {
        let [books, _, width] = self.sizes();
        let all = self.codes();
        let of = |book: usize| {
            let part = e.clone().narrow(1, book * width, width);
            nearest(part, of_book(&all, book)).float()
        };
        Tensor::cat((0..books).map(of).collect(), 1)
    }

    /// The vectors of codes by their places, `[rows, M]` to `[rows, D]`; a place between two is the nearer.
    pub fn vectors(&self, places: Tensor<2>) -> Tensor<2> {
        let [books, codes, _] = self.sizes();
        let all = self.codes();
        let of = |book: usize| {
            let place = places.clone().narrow(1, book, 1).round().clamp(0.0, (codes - 1) as f64);
            one_hot(place.int(), codes).matmul(of_book(&all, book))
        };
        Tensor::cat((0..books).map(of).collect(), 1)
    }

    /// The same codes in the order of the first principal axis of each book: so that the place of a code says
    /// something, and neighbours look alike.
    pub fn ordered(self, rng: &Rng) -> Result<Self> {
        let [books, codes, width] = self.sizes();
        let numbers = batch::numbers(self.codes());
        let mut order = Vec::with_capacity(books * codes);
        for (book, numbers) in numbers.chunks_exact(codes * width).enumerate() {
            let table = ArrayView2::from_shape((codes, width), numbers).expect("whole rows");
            let axis = Pca::fit(table, 1, &mut rng.at(book as u64))?;
            let along = axis.encode(table);
            let mut places: Vec<usize> = (0..codes).collect();
            places.sort_by(|a, b| along[[*a, 0]].total_cmp(&along[[*b, 0]]));
            order.extend(places.into_iter().map(|place| book * codes + place));
        }
        let turned = |values: Vec<f32>, width: usize| -> Vec<f32> {
            order.iter().flat_map(|place| values[place * width..][..width].to_vec()).collect()
        };
        let vectors = turned(batch::numbers(self.vectors.val()), width);
        let counts = self.counts.as_ref().map(|counts| turned(batch::numbers(counts.val()), 1));
        Ok(self.with(vectors, counts.unwrap_or_default()))
    }
}

/// How many rows each code has, and their sums.
struct Sums {
    counts: Vec<f32>,
    vectors: Vec<f32>,
}

impl Sums {
    /// Put dead codes among those that are held on vectors of the batch, `[rows, M · width]`, that are far from the codes
    /// that they have: what they follow is chosen so that one step leads there.
    fn revive(
        &mut self,
        held: &Self,
        batch: ArrayView2<f32>,
        chosen: ArrayView2<f32>,
        [books, codes, width]: [usize; 3],
        rng: &mut Rng,
    ) {
        let usual = batch.nrows() as f32 / codes as f32;
        // p + share (value − p) is to be what is wanted.
        let aim = |old: f32, wanted: f32| old + (wanted - old) / SHARE as f32;
        for book in 0..books {
            let part = |table: ArrayView2<f32>| -> Vec<f32> {
                let own = (book * width..(book + 1) * width).into();
                table.slice_axis(Axis(1), own).iter().copied().collect()
            };
            let (vectors, near) = (part(batch), part(chosen));
            let pairs = vectors.chunks_exact(width).zip(near.chunks_exact(width));
            let apart = pairs.map(|(vector, code)| seeds::distance(vector, code)).collect();
            let mut seeds = Seeds::new(&vectors, width, apart);
            let own = book * codes..(book + 1) * codes;
            for code in own.filter(|code| held.counts[*code] < DEAD * usual) {
                self.counts[code] = aim(held.counts[code], usual);
                for (k, number) in seeds.next(rng).iter().enumerate() {
                    let at = code * width + k;
                    self.vectors[at] = aim(held.vectors[at], usual * number);
                }
            }
        }
    }
}

impl Quantised {
    /// How many codes are in use, as a number: the exponential of the entropy of what was chosen, averaged
    /// over books. And which share of all codes was never chosen.
    pub fn usage(&self) -> [Tensor<1>; 2] {
        let of = |ones: &Tensor<2>| {
            let share = ones.clone().mean_dim(0);
            let entropy = (share.clone() * (share.clone() + 1e-10).log()).sum() * -1.0;
            (entropy.exp(), share.equal_elem(0.0).float().mean())
        };
        let (perplexity, unused): (Vec<_>, Vec<_>) = self.chosen.iter().map(of).unzip();
        [perplexity, unused].map(|numbers| Tensor::cat(numbers, 0).mean())
    }
}

/// The codes of one book, `[N, D / M]`.
fn of_book(codes: &Tensor<3>, book: usize) -> Tensor<2> {
    codes.clone().narrow(0, book, 1).squeeze_dim::<2>(0)
}

/// argmin_k ‖e − c_k‖² = argmin_k ‖c_k‖² − 2 e·c_k of each row, `[rows, 1]`.
fn nearest(e: Tensor<2>, codes: Tensor<2>) -> Tensor<2, Int> {
    let length = codes.clone().square().sum_dim(1).transpose();
    (length - e.matmul(codes.transpose()) * 2.0).argmin(1)
}

/// `[rows, 1]` to `[rows, count]`
fn one_hot(places: Tensor<2, Int>, count: usize) -> Tensor<2> {
    let all = Tensor::<1, Int>::arange(0..count as i64, &places.device()).unsqueeze::<2>();
    places.equal(all).float()
}

#[cfg(test)]
mod tests;
