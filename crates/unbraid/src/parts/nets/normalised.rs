//! A dense layer with batch normalisation (Ioffe and Szegedy 2015):
//!
//! ```text
//! y = leaky(scale (x W − mean) / sqrt(variance + ε) + shift)
//! ```
//!
//! In training, mean and variance are those of the batch. Codes, figures and the IWAE bound use
//! those of the training data: a moving average is updated in every step, and after training they
//! are recomputed over all rows with the final weights ([`over_data`]).

use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor};
use unbraid_measure::data::{self, Dataset, Draw};
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::{Stage, Watch};

use crate::compute;
use crate::compute::device;
use crate::error::Result;
use crate::model::averages::Averages;
use crate::model::batch::Batch;
use crate::model::{Model, Step};
use crate::parts::nets::layers::{Activation, constant, fixed, glorot};

/// The slope of leaky ReLU below zero, as in the Ladder VAE.
const SLOPE: f32 = 0.01;
/// The weight of a batch in the moving averages.
const SHARE: f64 = 0.05;
/// The batch size when the statistics are recomputed over all data.
const ROWS: usize = 256;

/// Where layers take mean and variance from.
#[derive(Debug)]
pub enum Statistics {
    /// The batch, as in training; its statistics are kept here.
    Batch(Averages),
    /// The training data.
    Data,
}

impl Statistics {
    /// Those of a batch, still empty.
    pub fn of_batch() -> Self {
        Self::Batch(Averages::moving(SHARE))
    }

    /// The statistics of the batch.
    pub fn seen(self) -> Averages {
        match self {
            Self::Batch(seen) => seen,
            Self::Data => Averages::moving(SHARE),
        }
    }
}

/// A dense layer, with or without batch normalisation.
#[derive(Module, Debug)]
pub struct Normalised {
    /// `[input, output]`
    weight: Param<Tensor<2>>,
    /// The bias, added after normalisation.
    shift: Param<Tensor<1>>,
    norm: Option<Norm>,
    /// Of leaky ReLU below zero.
    #[module(skip)]
    slope: Option<f32>,
}

#[derive(Module, Debug)]
struct Norm {
    scale: Param<Tensor<1>>,
    mean: Param<Tensor<1>>,
    variance: Param<Tensor<1>>,
}

impl Normalised {
    /// A hidden layer with leaky ReLU.
    pub fn hidden(size: [usize; 2], normalise: bool, rng: &mut Rng, device: &Device) -> Self {
        Self::new(size, 0.0, Some(SLOPE), normalise, rng, device)
    }

    /// Linear outputs, with `shift` as the initial bias.
    pub fn linear(
        size: [usize; 2],
        shift: f32,
        normalise: bool,
        rng: &mut Rng,
        device: &Device,
    ) -> Self {
        Self::new(size, shift, None, normalise, rng, device)
    }

    fn new(
        [input, output]: [usize; 2],
        shift: f32,
        slope: Option<f32>,
        normalise: bool,
        rng: &mut Rng,
        device: &Device,
    ) -> Self {
        let norm = || Norm {
            scale: constant(1.0, output, device),
            mean: fixed(vec![0.0; output], [output], device),
            variance: fixed(vec![1.0; output], [output], device),
        };
        Self {
            weight: glorot([input, output], input, output, rng, device),
            shift: constant(shift, output, device),
            norm: normalise.then(norm),
            slope,
        }
    }

    /// With these weights in place of its own.
    #[cfg(test)]
    pub(super) fn set_weight(&mut self, weight: Tensor<2>) {
        self.weight = Param::from_tensor(weight);
    }

    /// `[batch, input]` to `[batch, output]`
    pub fn forward(&self, x: Tensor<2>, statistics: &mut Statistics) -> Tensor<2> {
        let (weight, shift) = (self.weight.val(), self.shift.val());
        let activation = self.slope.map_or(Activation::None, Activation::LeakyRelu);
        match (&self.norm, statistics) {
            (None, _) => compute::dense(x, weight, shift, activation),
            (Some(norm), Statistics::Batch(seen)) => {
                let sums = compute::dense(x, weight, shift.zeros_like(), Activation::None);
                let slope = self.slope.unwrap_or(1.0);
                let (out, [mean, variance]) =
                    compute::normalise(sums, norm.scale.val(), shift, slope);
                seen.insert(norm.mean.id, mean);
                seen.insert(norm.variance.id, variance);
                out
            }
            (Some(norm), Statistics::Data) => {
                // The same map with the normalisation folded into the weights.
                let times =
                    norm.scale.val() / (norm.variance.val() + compute::NORMALISE_EPSILON).sqrt();
                let shift = shift - norm.mean.val() * times.clone();
                compute::dense(x, weight * times.unsqueeze(), shift, activation)
            }
        }
    }
}

/// The model with batch-norm statistics recomputed over these data: the mean over batches, weighted
/// by their rows, with the current weights. (A variance within batches of 256 is 1/256 below that
/// of all rows.)
pub fn over_data<M: Model>(
    model: M,
    data: &dyn Dataset,
    rng: &Rng,
    watch: &dyn Watch,
) -> Result<M> {
    let stage = Stage::new(watch, "batch statistics");
    let (looking, device) = (model.valid(), device::inference());
    let rows = rng.split("rows").permutation(data.len());
    let mut means = Averages::moving(1.0);
    for (number, batch) in rows.chunks(ROWS).enumerate() {
        let draw = Draw {
            count: batch.len(),
            rows: batch.to_vec(),
            views: vec![data::observations(data, batch).into_raw_vec_and_offset().0],
            ..Draw::default()
        };
        let mut step = Step::new(number as u64, rows.len().div_ceil(ROWS) as u64, rng);
        let loss = looking.loss(&Batch::new(&draw, data.shape(), &device), &mut step);
        let Some(seen) = loss.averages.filter(|seen| !seen.is_empty()) else {
            return Ok(model);
        };
        let share = batch.len() as f64 / rows.len() as f64;
        means.add(seen, share);
        stage.advance(share)?;
    }
    Ok(means.applied(model))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::device;
    use crate::model::batch;

    fn layer(normalise: bool) -> Normalised {
        Normalised::linear([3, 2], 0.5, normalise, &mut Rng::new(0), &device::training())
    }

    fn rows(count: usize) -> Tensor<2> {
        let mut numbers = vec![0.0; count * 3];
        Rng::new(1).fill_normal(&mut numbers);
        batch::matrix(&numbers, count, 3, &device::training())
    }

    #[test]
    fn with_the_statistics_of_the_batch_itself_data_and_batch_agree() {
        let (layer, x) = (layer(true), rows(40));
        let mut statistics = Statistics::of_batch();
        let trained = batch::numbers(layer.forward(x.clone(), &mut statistics));
        let mut means = Averages::moving(1.0);
        means.add(statistics.seen(), 1.0);
        let layer = means.applied(layer);
        let kept = batch::numbers(layer.forward(x, &mut Statistics::Data));
        for (a, b) in trained.iter().zip(&kept) {
            assert!((a - b).abs() < 1e-5, "{a} and {b}");
        }
    }

    #[test]
    fn averages_move_by_their_share() {
        let layer = layer(true);
        let mean = |layer: &Normalised| batch::numbers(layer.norm.as_ref().unwrap().mean.val());
        let mut statistics = Statistics::of_batch();
        layer.forward(rows(8) + 5.0, &mut statistics);
        let seen = statistics.seen();
        let mut means = Averages::moving(1.0);
        means.add(seen.clone(), 1.0);
        let whole = mean(&means.applied(layer.clone()));
        let part = mean(&seen.applied(layer));
        for (whole, part) in whole.iter().zip(&part) {
            assert!((SHARE as f32 * whole - part).abs() < 1e-6, "{whole} and {part}");
        }
    }

    #[test]
    fn a_plain_layer_has_a_bias_and_sees_nothing() {
        let layer = layer(false);
        let mut statistics = Statistics::of_batch();
        let zero = batch::matrix(&[0.0; 3], 1, 3, &device::training());
        assert_eq!(batch::numbers(layer.forward(zero, &mut statistics)), [0.5, 0.5]);
        assert!(statistics.seen().is_empty());
    }
}
