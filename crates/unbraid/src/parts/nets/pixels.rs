//! Each pixel in its own measure: its mean and deviation over the training data.
//!
//! A ball of five pixels is 1 % of the squared error of a picture of Pong, and nothing of the input of an
//! encoder: the networks of CITRIS paint paddles and digits within 500 steps and no ball within thousands.
//! Three things that look at the data once help (measured on Pong, docs/sequences.md):
//!
//! ```text
//! input of the encoder    (x − mean) / (deviation + 0.01)
//! output of the decoder   σ(2 h + logit mean), images start at the mean picture; vectors mean + deviation h
//! weight of an error      w ∝ 1 / (variance + 0.005), Σ w variance = Σ variance; or 1, as in the papers
//! ```
//!
//! With the weights the likelihood is a Gaussian with the deviation noise / √w for each pixel; a decoder that
//! knows nothing but the mean has the same error as without them.

use burn::module::{Module, Param};
use burn::tensor::activation::sigmoid;
use burn::tensor::{Device, Tensor};
use unbraid_measure::data::{self, Dataset, Range, Shape};
use unbraid_measure::rng::Rng;
use unbraid_measure::settings::words;

use super::layers::fixed;
use crate::compute;
use crate::parts::distributions::likelihood::Likelihood;

/// Rows that means and deviations are taken from.
const ROWS: usize = 4096;
/// Added to a deviation that divides.
const LEAST_DEVIATION: f64 = 0.01;
/// Added to a variance that divides.
const LEAST_VARIANCE: f64 = 0.005;
/// How close to black and white the first picture may be.
const MARGIN: f64 = 0.005;

words! {
    /// How much the error of each pixel counts.
    pub enum Weights {
        /// In units of the pixel's own variance over the data.
        Standardised = "standardised",
        /// All the same, as in the papers.
        Equal = "equal",
    }
}

/// The measures of each number of an observation, `[1, channels, height, width]` each.
#[derive(Module, Debug)]
pub struct Pixels {
    mean: Param<Tensor<4>>,
    deviation: Param<Tensor<4>>,
    /// w
    weight: Param<Tensor<4>>,
    /// What the decoder's output is multiplied by, and what is added to it.
    gain: Param<Tensor<4>>,
    centre: Param<Tensor<4>>,
    #[module(skip)]
    weights: Weights,
    #[module(skip)]
    range: Range,
}

impl Pixels {
    /// As if each had mean 0 (images: a half) and deviation 1, until they are fitted.
    pub fn unknown(shape: Shape, weights: Weights, device: &Device) -> Self {
        let [channels, height, width] = shape.axes();
        let all =
            |number: f32| fixed(vec![number; shape.size()], [1, channels, height, width], device);
        let (mean, gain) = if shape.range == Range::Real { (0.0, 1.0) } else { (0.5, 2.0) };
        Self {
            mean: all(mean),
            deviation: all(1.0),
            weight: all(1.0),
            gain: all(gain),
            centre: all(0.0),
            weights,
            range: shape.range,
        }
    }

    /// Of some rows of the data.
    pub fn fitted(self, data: &dyn Dataset, rng: &Rng) -> Self {
        let rows = data::rows(data, ROWS, &rng.split("pixels"));
        let seen = data::observations(data, &rows);
        let (mean, variance): (Vec<f64>, Vec<f64>) =
            seen.columns().into_iter().map(mean_and_variance).unzip();
        let images = self.range != Range::Real;
        // Images have a scale, vectors have that of the data.
        let unit = if images { 1.0 } else { variance.iter().sum::<f64>() / mean.len() as f64 };
        let deviation = variance.iter().map(|v| v.sqrt() + LEAST_DEVIATION * unit.sqrt());
        let deviation: Vec<f64> = deviation.collect();
        let weight = match self.weights {
            Weights::Standardised => standardised(&variance, LEAST_VARIANCE * unit),
            Weights::Equal => vec![1.0; mean.len()],
        };
        let logit = |mean: &f64| {
            let mean = mean.clamp(MARGIN, 1.0 - MARGIN);
            (mean / (1.0 - mean)).ln()
        };
        let (gain, centre) = match images {
            true => (vec![2.0; mean.len()], mean.iter().map(logit).collect()),
            false => (deviation.clone(), mean.clone()),
        };
        let (shape, device) = (self.mean.dims(), self.mean.device());
        let table = |numbers: Vec<f64>| {
            fixed(numbers.into_iter().map(|number| number as f32).collect(), shape, &device)
        };
        Self {
            mean: table(mean),
            deviation: table(deviation),
            weight: table(weight),
            gain: table(gain),
            centre: table(centre),
            ..self
        }
    }

    /// What an encoder sees of images: with two channels more, the place of each pixel.
    pub fn placed(&self, x: Tensor<4>) -> Tensor<4> {
        compute::placed(x, [self.mean.val(), self.deviation.val()])
    }

    /// What an encoder sees of vectors.
    pub fn input(&self, x: Tensor<4>) -> Tensor<4> {
        (x - self.mean.val()) / self.deviation.val()
    }

    /// The mean of x by the output of a decoder.
    pub fn output(&self, decoded: Tensor<4>) -> Tensor<4> {
        let x = decoded * self.gain.val() + self.centre.val();
        if self.range == Range::Real { x } else { sigmoid(x) }
    }

    /// −log p(x|z) by the output of a decoder, summed over an observation, averaged over the batch.
    pub fn error(&self, decoded: Tensor<4>, x: Tensor<4>, noise: f64) -> Tensor<1> {
        let likelihood = Likelihood::Gaussian { noise, squash: self.range != Range::Real };
        let places = [&self.gain, &self.centre, &self.weight].map(Param::val);
        likelihood.error_by_place(decoded, x, places)
    }
}

fn mean_and_variance(column: ndarray::ArrayView1<f32>) -> (f64, f64) {
    let count = column.len() as f64;
    let mean = column.iter().map(|x| f64::from(*x)).sum::<f64>() / count;
    let apart = column.iter().map(|x| (f64::from(*x) - mean).powi(2)).sum::<f64>();
    (mean, apart / count)
}

/// w ∝ 1 / (variance + least), such that Σ w variance = Σ variance.
fn standardised(variance: &[f64], least: f64) -> Vec<f64> {
    let weights: Vec<f64> = variance.iter().map(|v| 1.0 / (v + least)).collect();
    let seen: f64 = weights.iter().zip(variance).map(|(w, v)| w * v).sum();
    let times = if seen > 0.0 { variance.iter().sum::<f64>() / seen } else { 1.0 };
    weights.into_iter().map(|w| w * times).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::device;
    use crate::model::batch;
    use unbraid_measure::data;

    #[test]
    fn the_encoder_sees_where_things_are() {
        let shape = Shape { channels: 1, height: 2, width: 3, range: Range::Unit };
        let pixels = Pixels::unknown(shape, Weights::Equal, &device::inference());
        let seen = pixels.placed(Tensor::ones([2, 1, 2, 3], &device::inference()));
        assert_eq!(seen.dims(), [2, 3, 2, 3]);
        let seen = batch::numbers(seen.narrow(0, 1, 1));
        let places = [-1.0, -1.0, -1.0, 1.0, 1.0, 1.0, -1.0, 0.0, 1.0, -1.0, 0.0, 1.0];
        assert_eq!(seen, [&[0.5; 6][..], &places].concat());
    }

    #[test]
    fn a_decoder_that_says_nothing_shows_the_mean_at_the_usual_cost() {
        let (data, _) = data::open("pong", &"frames = 200".parse().unwrap()).unwrap();
        let rows: Vec<usize> = (0..data.len()).collect();
        let seen = data::observations(&*data, &rows);
        let x = batch::images(seen.as_slice().unwrap(), 200, data.shape(), &device::inference());
        let cost = |weights: Weights| {
            let pixels = Pixels::unknown(data.shape(), weights, &device::inference());
            let pixels = pixels.fitted(&*data, &Rng::new(0));
            let nothing = Tensor::zeros(x.dims(), &device::inference());
            let mean = batch::numbers(pixels.output(nothing.clone()).narrow(0, 0, 1));
            for (shown, column) in mean.iter().zip(seen.columns()) {
                let true_mean = column.mean().unwrap();
                assert!((shown - true_mean).abs() < 0.006, "{shown} and {true_mean}");
            }
            let logs = pixels.weight.val().log().sum() * 0.5;
            batch::numbers(pixels.error(nothing, x.clone(), 1.0) + logs)[0]
        };
        let constant = data.shape().size() as f32 * 0.5 * std::f32::consts::TAU.ln();
        let [equal, weighted] =
            [Weights::Equal, Weights::Standardised].map(|weights| cost(weights) - constant);
        assert!((weighted / equal - 1.0).abs() < 0.02, "{equal} and {weighted}");
    }
}
