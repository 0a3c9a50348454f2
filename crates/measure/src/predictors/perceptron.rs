//! A small network that predicts numbers from numbers: dense layers, tanh between them, taught with
//! Adam (Kingma and Ba 2015, arXiv:1412.6980) to make the squared error small. For a layer with
//! inputs a, weights W and outputs s = a W + b, and δ = ∂loss/∂s,
//!
//! ```text
//! ∂loss/∂W = aᵀ δ      ∂loss/∂b = Σ_rows δ      ∂loss/∂a = δ Wᵀ      tanh' = 1 - tanh²
//! ```
//!
//! A batch is cut into strips of rows that threads share; their gradients are added in the order of
//! the strips, so that the number of threads does not change a bit.

use ndarray::linalg::general_mat_mul;
use ndarray::parallel::prelude::*;
use ndarray::{Array2, ArrayView1, ArrayView2, ArrayViewMut2, Axis};

use crate::rng::Rng;

/// Rows that one thread works on at once: enough for products to be fast, few enough for the cache.
const STRIP: usize = 128;

/// Adam's constants: how much of each running mean is kept, and what keeps its root from zero.
const KEPT: [f32; 2] = [0.9, 0.999];
const EPSILON: f32 = 1e-8;

/// Dense layers with tanh between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Perceptron {
    /// The widths of the input, of each hidden layer and of the output.
    widths: Vec<usize>,
    /// Layer after layer, the weights `[inputs, outputs]` and then the biases `[outputs]`.
    parameters: Vec<f32>,
}

impl Perceptron {
    /// Weights and biases are uniform within ±1 / sqrt(inputs of the layer), as PyTorch draws them;
    /// `stretch` makes those of the first layer larger. `widths` are those of the input, of each
    /// hidden layer and of the output.
    pub fn new(widths: &[usize], stretch: f64, rng: &mut Rng) -> Self {
        let mut parameters = Vec::new();
        for (layer, pair) in widths.windows(2).enumerate() {
            let bound = if layer == 0 { stretch } else { 1.0 } / (pair[0] as f64).sqrt();
            let draw = || ((2.0 * rng.uniform() - 1.0) * bound) as f32;
            parameters.extend(std::iter::repeat_with(draw).take((pair[0] + 1) * pair[1]));
        }
        Self { widths: widths.to_vec(), parameters }
    }

    /// The outputs for inputs `[rows, inputs]`, `[rows, outputs]`.
    pub fn predict(&self, x: ArrayView2<f32>) -> Array2<f32> {
        let mut out = Array2::zeros((x.nrows(), self.widths[self.layers()]));
        let strips = out.axis_chunks_iter_mut(Axis(0), STRIP).into_par_iter();
        strips.zip(x.axis_chunks_iter(Axis(0), STRIP)).for_each_init(
            || Strip::new(self),
            |strip, (mut out, rows)| {
                strip.forward(self, rows);
                out.assign(&first_rows(&strip.outputs[self.layers() - 1], rows.nrows()));
            },
        );
        out
    }

    fn layers(&self) -> usize {
        self.widths.len() - 1
    }

    /// The weights `[inputs, outputs]` and biases `[outputs]` of each layer.
    fn weights(&self) -> Vec<(ArrayView2<'_, f32>, ArrayView1<'_, f32>)> {
        let mut rest = &self.parameters[..];
        let mut layers = Vec::with_capacity(self.layers());
        for pair in self.widths.windows(2) {
            let (weights, after) = rest.split_at(pair[0] * pair[1]);
            let (biases, after) = after.split_at(pair[1]);
            rest = after;
            let weights = ArrayView2::from_shape((pair[0], pair[1]), weights)
                .expect("as many weights were split off as the shape has");
            layers.push((weights, ArrayView1::from(biases)));
        }
        layers
    }
}

/// Teaches a perceptron.
#[derive(Clone, Debug)]
pub struct Teacher {
    perceptron: Perceptron,
    /// The running means of the gradient and of its square.
    moments: [Vec<f32>; 2],
    /// The gradient of the batch.
    gradient: Vec<f32>,
    steps: i32,
    /// Memory for each strip of a batch.
    strips: Vec<Strip>,
}

impl Teacher {
    /// Start with a fresh perceptron.
    pub fn new(perceptron: Perceptron) -> Self {
        let zeros = vec![0.0; perceptron.parameters.len()];
        let moments = [zeros.clone(), zeros.clone()];
        Self { perceptron, moments, gradient: zeros, steps: 0, strips: Vec::new() }
    }

    /// What was taught.
    pub fn finish(self) -> Perceptron {
        self.perceptron
    }

    /// One step on a batch of inputs `[rows, inputs]` and the outputs they should have, `[rows,
    /// outputs]`. Returns the loss before the step: the mean over rows of the squared error, summed
    /// over outputs.
    pub fn step(&mut self, x: ArrayView2<f32>, y: ArrayView2<f32>, rate: f32) -> f64 {
        let loss = self.differentiate(x, y);
        self.steps += 1;
        // m / (1 - β1ᵗ) and v / (1 - β2ᵗ): both started from zero, and would be too small.
        let [unbias_m, unbias_v] = KEPT.map(|kept| 1.0 / (1.0 - kept.powi(self.steps)));
        let rate = rate * unbias_m;
        let [m, v] = &mut self.moments;
        let parameters = self.perceptron.parameters.iter_mut().zip(&self.gradient);
        for (((parameter, g), m), v) in parameters.zip(m).zip(v) {
            *m = KEPT[0] * *m + (1.0 - KEPT[0]) * g;
            *v = KEPT[1] * *v + (1.0 - KEPT[1]) * g * g;
            *parameter -= rate * *m / ((*v * unbias_v).sqrt() + EPSILON);
        }
        loss
    }

    /// The gradient of the loss, left in `gradient`; returns the loss.
    fn differentiate(&mut self, x: ArrayView2<f32>, y: ArrayView2<f32>) -> f64 {
        let count = x.nrows().div_ceil(STRIP);
        while self.strips.len() < count {
            self.strips.push(Strip::new(&self.perceptron));
        }
        let (perceptron, strips) = (&self.perceptron, &mut self.strips[..count]);
        let rows = x.axis_chunks_iter(Axis(0), STRIP).into_par_iter();
        let rows = rows.zip(y.axis_chunks_iter(Axis(0), STRIP));
        strips.par_iter_mut().zip(rows).for_each(|(strip, (x, y))| {
            strip.forward(perceptron, x);
            strip.backward(perceptron, x, y);
        });
        let share = 1.0 / x.nrows() as f32;
        self.gradient.fill(0.0);
        for strip in &*strips {
            for (sum, part) in self.gradient.iter_mut().zip(&strip.gradient) {
                *sum += share * part;
            }
        }
        strips.iter().map(|strip| strip.loss).sum::<f64>() / x.nrows() as f64
    }
}

/// What is computed of a few rows: `[rows, width]` after each layer, and the gradients.
#[derive(Clone, Debug)]
struct Strip {
    outputs: Vec<Array2<f32>>,
    /// δ, the gradient by the outputs of a layer before its tanh.
    deltas: Vec<Array2<f32>>,
    /// As the parameters, summed over rows.
    gradient: Vec<f32>,
    /// Summed over rows.
    loss: f64,
}

impl Strip {
    fn new(perceptron: &Perceptron) -> Self {
        let outputs: Vec<Array2<f32>> =
            perceptron.widths[1..].iter().map(|&width| Array2::zeros((STRIP, width))).collect();
        let gradient = vec![0.0; perceptron.parameters.len()];
        Self { deltas: outputs.clone(), outputs, gradient, loss: 0.0 }
    }

    /// tanh(a W + b) layer by layer, the last without tanh.
    fn forward(&mut self, perceptron: &Perceptron, x: ArrayView2<f32>) {
        for (layer, (weights, biases)) in perceptron.weights().into_iter().enumerate() {
            let (before, rest) = self.outputs.split_at_mut(layer);
            let a = before.last().map_or(x, |a| first_rows(a, x.nrows()));
            let mut s = first_rows_mut(&mut rest[0], x.nrows());
            s.assign(&biases);
            general_mat_mul(1.0, &a, &weights, 1.0, &mut s);
            if layer + 1 < perceptron.layers() {
                s.mapv_inplace(tanh);
            }
        }
    }

    /// After `forward` on the same rows.
    fn backward(&mut self, perceptron: &Perceptron, x: ArrayView2<f32>, y: ArrayView2<f32>) {
        let rows = x.nrows();
        let last = perceptron.layers() - 1;
        let mut delta = first_rows_mut(&mut self.deltas[last], rows);
        delta.assign(&(&first_rows(&self.outputs[last], rows) - &y));
        self.loss = delta.iter().map(|off| f64::from(off * off)).sum();
        delta *= 2.0;
        let mut end = self.gradient.len();
        for (layer, (weights, biases)) in perceptron.weights().into_iter().enumerate().rev() {
            let (before, rest) = self.deltas.split_at_mut(layer);
            let delta = first_rows(&rest[0], rows);
            let middle = end - biases.len();
            let start = middle - weights.len();
            let (by_weights, by_biases) = self.gradient[start..end].split_at_mut(weights.len());
            end = start;
            for (sum, column) in by_biases.iter_mut().zip(delta.columns()) {
                *sum = column.sum();
            }
            let mut by_weights = ArrayViewMut2::from_shape(weights.dim(), by_weights)
                .expect("as many gradients were split off as there are weights");
            let Some(before) = before.last_mut() else {
                general_mat_mul(1.0, &x.t(), &delta, 0.0, &mut by_weights);
                break;
            };
            let a = first_rows(&self.outputs[layer - 1], rows);
            general_mat_mul(1.0, &a.t(), &delta, 0.0, &mut by_weights);
            let mut before = first_rows_mut(before, rows);
            general_mat_mul(1.0, &delta, &weights.t(), 0.0, &mut before);
            before.zip_mut_with(&a, |delta, a| *delta *= 1.0 - a * a);
        }
    }
}

fn first_rows(matrix: &Array2<f32>, rows: usize) -> ArrayView2<'_, f32> {
    matrix.slice_axis(Axis(0), (..rows).into())
}

fn first_rows_mut(matrix: &mut Array2<f32>, rows: usize) -> ArrayViewMut2<'_, f32> {
    matrix.slice_axis_mut(Axis(0), (..rows).into())
}

/// tanh x = 1 - 2 / (e²ˣ + 1), within 3e-7. The library's takes most of the time of a step, because
/// it cannot work on several numbers at once.
fn tanh(x: f32) -> f32 {
    /// Adding 1.5 · 2²³ rounds to a whole number and leaves it in the last bits.
    const ROUND: f32 = 12_582_912.0;
    // e²ˣ = 2ⁿ eʳ with |r| ≤ ln 2 / 2; beyond |x| = 10 the answer is 1 or -1 anyway.
    let exponent = (x * (2.0 * std::f32::consts::LOG2_E)).clamp(-30.0, 30.0);
    let rounded = exponent + ROUND;
    let r = (exponent - (rounded - ROUND)) * std::f32::consts::LN_2;
    let series = [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0];
    let fraction = series.into_iter().fold(0.0, |sum, term: f32| sum * r + term);
    let power = f32::from_bits((rounded.to_bits() << 23).wrapping_add(127 << 23));
    1.0 - 2.0 / (fraction * power + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    fn normal(shape: (usize, usize), rng: &mut Rng) -> Array2<f32> {
        Array2::from_shape_simple_fn(shape, || rng.normal())
    }

    #[test]
    fn tanh_is_tanh() {
        for i in -120_000..120_000 {
            let x = i as f32 * 1e-4;
            let off = f64::from(tanh(x)) - f64::from(x).tanh();
            assert!(off.abs() < 3e-7, "tanh {x} off by {off}");
        }
        assert_eq!((tanh(1e30), tanh(-1e30), tanh(0.0)), (1.0, -1.0, 0.0));
    }

    #[test]
    fn gradients_are_those_of_finite_differences() {
        let mut rng = Rng::new(0);
        // 300 rows: two whole strips and a part of one.
        let (x, y) = (normal((300, 3), &mut rng), normal((300, 2), &mut rng));
        let perceptron = Perceptron::new(&[3, 6, 5, 2], 1.5, &mut rng);
        let mut teacher = Teacher::new(perceptron.clone());
        teacher.differentiate(x.view(), y.view());
        let loss = |parameters: Vec<f32>| {
            let moved = Perceptron { parameters, ..perceptron.clone() };
            let off = moved.predict(x.view()) - &y;
            off.iter().map(|off| f64::from(*off).powi(2)).sum::<f64>() / 300.0
        };
        let largest = teacher.gradient.iter().fold(0.0, |most: f32, g| most.max(g.abs()));
        for i in 0..perceptron.parameters.len() {
            let [up, down] = [1e-2, -1e-2].map(|step| {
                let mut parameters = perceptron.parameters.clone();
                parameters[i] += step;
                loss(parameters)
            });
            let expected = (up - down) / 2e-2;
            let off = (f64::from(teacher.gradient[i]) - expected).abs();
            assert!(off < 1e-3 * f64::from(largest), "{i}: {} {expected}", teacher.gradient[i]);
        }
    }

    #[test]
    fn the_first_step_of_adam_has_the_length_of_the_rate() {
        let mut rng = Rng::new(1);
        let (x, y) = (normal((64, 2), &mut rng), normal((64, 1), &mut rng));
        let before = Perceptron::new(&[2, 4, 1], 1.0, &mut rng);
        let mut teacher = Teacher::new(before.clone());
        teacher.step(x.view(), y.view(), 0.01);
        let gradient = teacher.gradient.clone();
        let after = teacher.finish();
        for ((before, after), g) in before.parameters.iter().zip(after.parameters).zip(gradient) {
            assert!((before - after - 0.01 * g.signum()).abs() < 1e-5, "{before} {after} {g}");
        }
    }

    #[test]
    fn a_curve_of_two_inputs_is_learned_on_any_number_of_threads() {
        let mut rng = Rng::new(2);
        let x = normal((512, 2), &mut rng);
        let y = Array2::from_shape_fn((512, 1), |(row, _)| (x[[row, 0]] * x[[row, 1]]).sin());
        let learn = || {
            let mut teacher = Teacher::new(Perceptron::new(&[2, 32, 32, 1], 1.0, &mut Rng::new(3)));
            let losses: Vec<f64> =
                (0..500).map(|_| teacher.step(x.view(), y.view(), 4e-3)).collect();
            (losses, teacher.finish())
        };
        let (losses, learned) = learn();
        assert!(losses[0] > 0.2 && losses[499] < 0.01, "{} {}", losses[0], losses[499]);
        let off = learned.predict(x.view()) - &y;
        assert!(off.mapv(|off| off * off).mean().unwrap() < 0.01);
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(one.install(learn), (losses, learned));
    }
}
