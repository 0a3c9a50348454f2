//! The network behind one variable: random weights, batch normalisation after every layer,
//!
//! ```text
//! causes -> Linear 32 -> norm -> leaky -> Linear 32 -> norm -> leaky -> Linear 1 -> norm -> mean
//! ```
//!
//! The norms make something of random weights: without them the output would hardly move. Their
//! statistics are learnt on batches ([`Network::respond`]); after that the network is fixed and its norms
//! are part of its weights ([`Network::folded`]). The published networks have a second output, which is
//! never used, and is left out here.

use ndarray::{Array2, Axis};

use crate::rng::Rng;

/// Numbers in a hidden layer.
pub(super) const HIDDEN: usize = 32;
/// What is left of a negative number.
const SLOPE: f32 = 0.1;
/// How far a batch moves the running statistics towards its own.
const MOMENTUM: f32 = 0.5;
/// Rows that are summed in single precision.
const BLOCK: usize = 50;
/// Added to a variance before it divides.
const EPSILON: f32 = 1e-5;

/// A linear layer and the norm after it.
struct Layer {
    /// `[inputs, outputs]`
    weight: Array2<f32>,
    /// Of the linear layer. The norm takes it out again, but for what is left in the running mean of a
    /// network that was drawn again.
    bias: Vec<f32>,
    /// What the norm adds; it has no scale.
    shift: Vec<f32>,
    mean: Vec<f32>,
    variance: Vec<f32>,
}

impl Layer {
    fn new(inputs: usize, outputs: usize) -> Self {
        Self {
            weight: Array2::zeros((inputs, outputs)),
            bias: vec![0.0; outputs],
            shift: vec![0.0; outputs],
            mean: vec![0.0; outputs],
            variance: vec![1.0; outputs],
        }
    }

    /// Weights within √(2/1.01) √(3/`fan_in`) (Kaiming, for this slope), biases within 0.2, but none on the
    /// output. The running statistics stay.
    fn redraw(&mut self, fan_in: usize, rng: &mut Rng) {
        let bound = (6.0 / (1.0 + f64::from(SLOPE).powi(2)) / fan_in as f64).sqrt();
        let mut within = |bound: f64| (bound * (2.0 * rng.uniform() - 1.0)) as f32;
        self.weight.mapv_inplace(|_| within(bound));
        if self.bias.len() > 1 {
            self.bias.iter_mut().chain(&mut self.shift).for_each(|bias| *bias = within(0.2));
        }
    }

    /// Normalise by the statistics of this batch and move the running ones towards them, or by the
    /// running ones.
    fn respond(&mut self, inputs: &Array2<f32>, learning: bool, leaky: bool) -> Array2<f32> {
        let mut out = inputs.dot(&self.weight);
        // The bias is taken out by the mean of the batch, but stays in the running one.
        let [mean, variance] = if learning {
            self.learn(&out)
        } else {
            let mean = self.mean.iter().zip(&self.bias).map(|(mean, bias)| mean - bias);
            [mean.collect(), self.variance.clone()]
        };
        let scale: Vec<f32> = variance.iter().map(|v| (v + EPSILON).sqrt().recip()).collect();
        let offset: Vec<f32> =
            self.shift.iter().zip(&mean).zip(&scale).map(|((b, m), s)| b - m * s).collect();
        let slope = if leaky { SLOPE } else { 1.0 };
        let numbers = out.as_slice_mut().expect("a product has contiguous rows");
        for row in numbers.chunks_exact_mut(scale.len()) {
            for ((number, scale), offset) in row.iter_mut().zip(&scale).zip(&offset) {
                let normal = *number * scale + offset;
                *number = normal.max(slope * normal);
            }
        }
        out
    }

    /// Mean and variance of a batch that has no bias yet.
    fn learn(&mut self, batch: &Array2<f32>) -> [Vec<f32>; 2] {
        let (rows, width) = batch.dim();
        let (mut sum, mut squares) = (vec![0.0_f64; width], vec![0.0_f64; width]);
        // Single precision within a block, which is fast, and double from block to block.
        for block in batch.as_slice().expect("a product has contiguous rows").chunks(BLOCK * width)
        {
            let (mut part, mut part_squares) = ([0.0_f32; HIDDEN], [0.0_f32; HIDDEN]);
            for row in block.chunks_exact(width) {
                for ((number, sum), squares) in row.iter().zip(&mut part).zip(&mut part_squares) {
                    *sum += number;
                    *squares += number * number;
                }
            }
            for k in 0..width {
                sum[k] += f64::from(part[k]);
                squares[k] += f64::from(part_squares[k]);
            }
        }
        let count = rows as f64;
        let mean: Vec<f64> = sum.iter().map(|sum| sum / count).collect();
        let variance: Vec<f64> =
            squares.iter().zip(&mean).map(|(s, m)| (s / count - m * m).max(0.0)).collect();
        let unbiased = count / (count - 1.0);
        for k in 0..width {
            self.mean[k] += MOMENTUM * (mean[k] as f32 + self.bias[k] - self.mean[k]);
            self.variance[k] += MOMENTUM * ((variance[k] * unbiased) as f32 - self.variance[k]);
        }
        [mean, variance].map(|numbers| numbers.into_iter().map(|v| v as f32).collect())
    }

    /// The layer with the running norm in its weights: x W + b.
    fn folded(&self) -> (Array2<f32>, Vec<f32>) {
        let scale: Vec<f32> = self.variance.iter().map(|v| (v + EPSILON).sqrt().recip()).collect();
        let mut weight = self.weight.clone();
        for (mut column, scale) in weight.axis_iter_mut(Axis(1)).zip(&scale) {
            column *= *scale;
        }
        let offset = |k: usize| (self.bias[k] - self.mean[k]) * scale[k] + self.shift[k];
        (weight, (0..scale.len()).map(offset).collect())
    }
}

/// The network of a variable while its norms are learnt.
pub(super) struct Network {
    layers: [Layer; 3],
    /// How many inputs the published network has, most of them always 0: it decides the size of the
    /// first weights.
    width: usize,
}

impl Network {
    /// For this many causes, of `width` inputs.
    pub(super) fn draw(causes: usize, width: usize, rng: &mut Rng) -> Self {
        let layers = [(causes, HIDDEN), (HIDDEN, HIDDEN), (HIDDEN, 1)];
        let mut network = Self { layers: layers.map(|(from, to)| Layer::new(from, to)), width };
        network.redraw(rng);
        network
    }

    /// New weights and biases; the norms go on from their statistics, as in the published code.
    pub(super) fn redraw(&mut self, rng: &mut Rng) {
        for (layer, fan_in) in self.layers.iter_mut().zip([self.width, HIDDEN, HIDDEN]) {
            layer.redraw(fan_in, rng);
        }
    }

    /// The means for a batch of causes `[rows, causes]`, by the statistics of the batch, which are
    /// learnt, or by those learnt so far.
    pub(super) fn respond(&mut self, causes: &Array2<f32>, learning: bool) -> Vec<f32> {
        let [first, second, last] = &mut self.layers;
        let hidden = first.respond(causes, learning, true);
        let hidden = second.respond(&hidden, learning, true);
        last.respond(&hidden, learning, false).into_raw_vec_and_offset().0
    }

    /// The finished network, with (mean - `centre`) / `spread` for its mean.
    pub(super) fn folded(&self, centre: f32, spread: f32) -> Folded {
        let [(first, first_bias), (second, second_bias), (last, last_bias)] =
            [0, 1, 2].map(|k: usize| self.layers[k].folded());
        let bias = |numbers: &[f32]| std::array::from_fn(|k| numbers[k]);
        let rows = |weight: &Array2<f32>| {
            weight.rows().into_iter().map(|row| std::array::from_fn(|k| row[k])).collect()
        };
        Folded {
            first: rows(&first),
            first_bias: bias(&first_bias),
            second: rows(&second),
            second_bias: bias(&second_bias),
            last: std::array::from_fn(|k| last[[k, 0]] / spread),
            last_bias: (last_bias[0] - centre) / spread,
        }
    }
}

/// A finished network, for one row at a time: rows of weights by input, which the compiler turns into
/// vector instructions.
pub(super) struct Folded {
    first: Vec<[f32; HIDDEN]>,
    first_bias: [f32; HIDDEN],
    second: Vec<[f32; HIDDEN]>,
    second_bias: [f32; HIDDEN],
    last: [f32; HIDDEN],
    last_bias: f32,
}

impl Folded {
    /// The mean for these causes.
    pub(super) fn mean(&self, causes: impl IntoIterator<Item = f32>) -> f32 {
        let hidden = leaky(layer(causes, &self.first, self.first_bias));
        let hidden = leaky(layer(hidden, &self.second, self.second_bias));
        hidden.iter().zip(&self.last).fold(self.last_bias, |sum, (h, w)| sum + h * w)
    }
}

fn layer(
    inputs: impl IntoIterator<Item = f32>,
    weights: &[[f32; HIDDEN]],
    bias: [f32; HIDDEN],
) -> [f32; HIDDEN] {
    let mut out = bias;
    for (input, row) in inputs.into_iter().zip(weights) {
        out.iter_mut().zip(row).for_each(|(sum, weight)| *sum += input * weight);
    }
    out
}

fn leaky(mut numbers: [f32; HIDDEN]) -> [f32; HIDDEN] {
    for number in &mut numbers {
        *number = number.max(SLOPE * *number);
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(rng: &mut Rng) -> Array2<f32> {
        Array2::from_shape_simple_fn((2000, 3), || rng.normal())
    }

    #[test]
    fn a_batch_that_is_learnt_from_has_normal_means() {
        let mut rng = Rng::new(3);
        let mut network = Network::draw(3, 12, &mut rng);
        let means = network.respond(&batch(&mut rng), true);
        let mean = means.iter().sum::<f32>() / 2000.0;
        let variance = means.iter().map(|m| (m - mean).powi(2)).sum::<f32>() / 2000.0;
        assert!(mean.abs() < 1e-4 && (variance - 1.0).abs() < 1e-3, "{mean} {variance}");
    }

    #[test]
    fn a_finished_network_is_the_learnt_one_row_by_row() {
        let mut rng = Rng::new(4);
        let mut network = Network::draw(3, 12, &mut rng);
        // Drawn again halfway, so that the running mean holds an old bias.
        network.respond(&batch(&mut rng), true);
        network.redraw(&mut rng);
        network.respond(&batch(&mut rng), true);
        let rows = batch(&mut rng);
        let together = network.respond(&rows, false);
        let folded = network.folded(0.25, 2.0);
        for (row, mean) in rows.rows().into_iter().zip(together) {
            let alone = folded.mean(row.iter().copied());
            assert!((alone - (mean - 0.25) / 2.0).abs() < 1e-4, "{alone} {mean}");
        }
    }

    #[test]
    fn running_statistics_move_halfway_with_every_batch() {
        let mut layer = Layer::new(1, 1);
        layer.weight[[0, 0]] = 1.0;
        let inputs = Array2::from_shape_vec((2, 1), vec![1.0, 3.0]).unwrap();
        layer.respond(&inputs, true, false);
        // Mean 2 of 0, unbiased variance 2 of 1.
        assert_eq!((layer.mean[0], layer.variance[0]), (1.0, 1.5));
        layer.respond(&inputs, true, false);
        assert_eq!((layer.mean[0], layer.variance[0]), (1.5, 1.75));
    }
}
