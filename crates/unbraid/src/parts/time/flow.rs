//! An autoregressive normalising flow with exact inverse and log-determinant: the change of variables
//! between the latents that a decoder sees and those that a causal prior speaks of.
//!
//! ```text
//! layer:  y = (x + b) exp(a)            ActNorm: mean 0 and variance 1 on the rows it starts from
//!         y = x W,  W = P L (U + D)     a learned linear map that starts orthogonal (not in the first layer)
//!         y_k = (x_k + t_k) exp(s_k)    t_k, s_k from x_1 … x_{k-1}
//! log |det| = Σ a + Σ log|D| + Σ s
//! ```
//!
//! As in CITRIS (Lippe et al. 2022): s is limited to ±3 tanh(exp(p) / 3) with a learned p, a to ±3.

use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor, TensorData};
use ndarray::Array2;
use unbraid_measure::rng::Rng;

use super::masked::{Form, Masked};
use crate::compute::Activation;
use crate::model::batch;
use crate::parts::matrices::{decomposed, inverse, orthogonal};
use crate::parts::nets::layers::{constant, fixed};

/// The largest logarithm of a scale of ActNorm.
const WIDEST: f64 = 3.0;
/// Hidden units per variable.
const HIDDEN: usize = 16;

/// A flow of several layers.
#[derive(Module, Debug)]
pub struct Flow {
    layers: Vec<Layer>,
}

impl Flow {
    /// With seeded weights; without layers it is the identity.
    pub fn new(variables: usize, layers: usize, rng: &Rng, device: &Device) -> Self {
        let layer = |k: usize| Layer::new(variables, k > 0, &mut rng.at(k as u64), device);
        Self { layers: (0..layers).map(layer).collect() }
    }

    /// y and log |det dy/dx| of each row, `[batch, 1]`.
    pub fn forward(&self, x: Tensor<2>) -> (Tensor<2>, Tensor<2>) {
        let none = x.clone().narrow(1, 0, 1).zeros_like();
        self.layers.iter().fold((x, none), |(x, log_det), layer| {
            let (y, more) = layer.forward(x);
            (y, log_det + more)
        })
    }

    /// x of y.
    pub fn inverse(&self, y: Tensor<2>) -> Tensor<2> {
        self.layers.iter().rev().fold(y, |y, layer| layer.inverse(y))
    }

    /// The same with each ActNorm fitted to what these rows become there.
    pub fn fitted(self, mut x: Tensor<2>) -> Self {
        let fit = |layer: Layer| {
            let layer = layer.fitted(x.clone());
            x = layer.forward(x.clone()).0;
            layer
        };
        Self { layers: self.layers.into_iter().map(fit).collect() }
    }
}

#[derive(Module, Debug)]
struct Layer {
    norm: ActNorm,
    mix: Option<Linear>,
    bend: Affine,
}

impl Layer {
    fn new(variables: usize, mixes: bool, rng: &mut Rng, device: &Device) -> Self {
        let mix = mixes.then(|| Linear::new(variables, &mut rng.split("mix"), device));
        Self {
            norm: ActNorm::new(variables, device),
            mix,
            bend: Affine::new(variables, rng, device),
        }
    }

    fn forward(&self, x: Tensor<2>) -> (Tensor<2>, Tensor<2>) {
        let (mut y, mut log_det) = self.norm.forward(x);
        if let Some(mix) = &self.mix {
            let (mixed, more) = mix.forward(y);
            (y, log_det) = (mixed, log_det + more);
        }
        let (y, more) = self.bend.forward(y);
        (y, more + log_det)
    }

    fn inverse(&self, y: Tensor<2>) -> Tensor<2> {
        let y = self.bend.inverse(y);
        let y = match &self.mix {
            Some(mix) => mix.inverse(y),
            None => y,
        };
        self.norm.inverse(y)
    }

    fn fitted(self, x: Tensor<2>) -> Self {
        Self { norm: self.norm.fitted(x), ..self }
    }
}

/// (x + shift) exp(scale)
#[derive(Module, Debug)]
struct ActNorm {
    shift: Param<Tensor<1>>,
    scale: Param<Tensor<1>>,
}

impl ActNorm {
    fn new(variables: usize, device: &Device) -> Self {
        Self { shift: constant(0.0, variables, device), scale: constant(0.0, variables, device) }
    }

    /// Limited, with the gradient of the unlimited one.
    fn limited(&self) -> Tensor<2> {
        let scale = self.scale.val();
        let excess = scale.clone() - scale.clone().clamp(-WIDEST, WIDEST);
        (scale - excess.detach()).unsqueeze()
    }

    fn forward(&self, x: Tensor<2>) -> (Tensor<2>, Tensor<2>) {
        let scale = self.limited();
        let y = (x + self.shift.val().unsqueeze()) * scale.clone().exp();
        (y, scale.sum_dim(1))
    }

    fn inverse(&self, y: Tensor<2>) -> Tensor<2> {
        y * (self.limited() * -1.0).exp() - self.shift.val().unsqueeze()
    }

    /// Mean 0 and variance 1 on these rows.
    fn fitted(self, x: Tensor<2>) -> Self {
        let [rows, variables] = x.dims();
        let mean = x.clone().mean_dim(0);
        let variance = (x - mean.clone()).square().sum_dim(0) / (rows as f64 - 1.0).max(1.0);
        let scale = variance.clamp_min(1e-12).log() * -0.5;
        let set = |param: Param<Tensor<1>>, value: Tensor<2>| {
            let value = Tensor::from_inner(value.reshape([variables]).inner());
            param.map(|_| value.require_grad())
        };
        Self { shift: set(self.shift, mean * -1.0), scale: set(self.scale, scale) }
    }
}

/// x W with W = P L (U + D): L has ones on its diagonal, U nothing on and below it, D = sign exp(size).
#[derive(Module, Debug)]
struct Linear {
    lower: Param<Tensor<2>>,
    upper: Param<Tensor<2>>,
    size: Param<Tensor<1>>,
    sign: Param<Tensor<1>>,
    permutation: Param<Tensor<2>>,
}

impl Linear {
    /// The decomposition of a random orthogonal matrix.
    fn new(variables: usize, rng: &mut Rng, device: &Device) -> Self {
        let [permutation, lower, upper] = decomposed(orthogonal(variables, rng));
        let numbers = |m: &Array2<f64>| m.iter().map(|entry| *entry as f32).collect::<Vec<f32>>();
        let square = [variables; 2];
        let learned =
            |m: &Array2<f64>| Param::from_data(TensorData::new(numbers(m), square), device);
        let diagonal = upper.diag();
        let size: Vec<f32> = diagonal.iter().map(|entry| entry.abs().ln() as f32).collect();
        let sign: Vec<f32> = diagonal.iter().map(|entry| entry.signum() as f32).collect();
        Self {
            lower: learned(&lower),
            upper: learned(&upper),
            size: Param::from_data(TensorData::new(size, [variables]), device),
            sign: fixed(sign, [variables], device),
            permutation: fixed(numbers(&permutation), square, device),
        }
    }

    fn matrix(&self) -> Tensor<2> {
        let lower = self.lower.val();
        let (variables, device) = (lower.dims()[0], lower.device());
        let part = |keep: fn(usize, usize) -> bool| {
            let entry = |k: usize| f32::from(u8::from(keep(k / variables, k % variables)));
            let numbers: Vec<f32> = (0..variables * variables).map(entry).collect();
            Tensor::<2>::from_data(TensorData::new(numbers, [variables; 2]), &device)
        };
        let one = part(|row, column| row == column);
        let diagonal = (self.sign.val() * self.size.val().exp()).unsqueeze::<2>() * one.clone();
        let lower = lower * part(|row, column| row > column) + one;
        let upper = self.upper.val() * part(|row, column| row < column) + diagonal;
        self.permutation.val().matmul(lower).matmul(upper)
    }

    fn forward(&self, x: Tensor<2>) -> (Tensor<2>, Tensor<2>) {
        (x.matmul(self.matrix()), self.size.val().sum().unsqueeze())
    }

    fn inverse(&self, y: Tensor<2>) -> Tensor<2> {
        let matrix = self.matrix();
        let (variables, device) = (matrix.dims()[0], matrix.device());
        let numbers = batch::numbers(matrix).into_iter().map(f64::from).collect();
        let matrix = Array2::from_shape_vec((variables, variables), numbers).expect("square");
        let back: Vec<f32> =
            inverse(matrix, f64::MIN_POSITIVE).0.iter().map(|entry| *entry as f32).collect();
        y.matmul(Tensor::from_data(TensorData::new(back, [variables; 2]), &device))
    }
}

/// y_k = (x_k + t_k) exp(s_k), with t_k and s_k from the variables before.
#[derive(Module, Debug)]
struct Affine {
    first: Masked,
    second: Masked,
    out: Masked,
    /// p of each variable.
    reach: Param<Tensor<1>>,
}

impl Affine {
    fn new(variables: usize, rng: &mut Rng, device: &Device) -> Self {
        let form = |input, output, own| Form { variables, input, output, own };
        Self {
            first: Masked::new(form(1, HIDDEN, false), Activation::Silu, rng, device),
            second: Masked::new(form(HIDDEN, HIDDEN, true), Activation::Silu, rng, device),
            out: Masked::output(form(HIDDEN, 2, true), rng, device),
            reach: constant(0.0, variables, device),
        }
    }

    /// t and s of each variable.
    fn shift_and_scale(&self, x: Tensor<2>) -> [Tensor<2>; 2] {
        let [rows, variables] = x.dims();
        let both = self
            .out
            .forward(self.second.forward(self.first.forward(x)))
            .reshape([rows, variables, 2]);
        let one = |which| both.clone().narrow(2, which, 1).squeeze_dim::<2>(2);
        let reach = (self.reach.val().exp() / WIDEST).tanh() * WIDEST;
        let (reach, over) = (reach.clone().unsqueeze::<2>(), reach.clamp_min(1.0).unsqueeze());
        [one(0), (one(1) / over).tanh() * reach]
    }

    fn forward(&self, x: Tensor<2>) -> (Tensor<2>, Tensor<2>) {
        let [shift, scale] = self.shift_and_scale(x.clone());
        ((x + shift) * scale.clone().exp(), scale.sum_dim(1))
    }

    /// Variable by variable: each pass knows one more.
    fn inverse(&self, y: Tensor<2>) -> Tensor<2> {
        let variables = y.dims()[1];
        let mut x = y.zeros_like();
        for k in 0..variables {
            let [shift, scale] = self.shift_and_scale(x.clone());
            let one = |all: &Tensor<2>| all.clone().narrow(1, k, 1);
            let found = one(&y) * (one(&scale) * -1.0).exp() - one(&shift);
            let rows = x.dims()[0];
            x = x.slice_assign([0..rows, k..k + 1], found);
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::device;

    fn rows(count: usize, variables: usize, seed: u64) -> Vec<f32> {
        let mut numbers = vec![0.0; count * variables];
        Rng::new(seed).fill_normal(&mut numbers);
        numbers
    }

    #[test]
    fn a_flow_inverts_and_its_log_determinant_is_that_of_its_jacobian() {
        let device = device::inference();
        let variables = 5;
        let x = batch::matrix(&rows(64, variables, 1), 64, variables, &device);
        let flow = Flow::new(variables, 3, &Rng::new(0), &device).fitted(x.clone() * 2.0 + 1.0);
        let (y, log_det) = flow.forward(x.clone());
        let back = batch::numbers(flow.inverse(y));
        for (back, x) in back.iter().zip(batch::numbers(x.clone())) {
            assert!((back - x).abs() < 1e-5, "{back} is not {x}");
        }
        // Columns of the Jacobian of the first row by differences.
        let first = batch::numbers(x.narrow(0, 0, 1));
        let step = 1e-2f32;
        let jacobian = Array2::from_shape_fn((variables, variables), |(i, j)| {
            let at = |sign: f32| {
                let mut moved = first.clone();
                moved[i] += sign * step;
                let y = flow.forward(batch::matrix(&moved, 1, variables, &device)).0;
                f64::from(batch::numbers(y)[j])
            };
            (at(1.0) - at(-1.0)) / f64::from(2.0 * step)
        });
        let numeric = inverse(jacobian, f64::MIN_POSITIVE).1;
        let found = f64::from(batch::numbers(log_det)[0]);
        assert!((numeric - found).abs() < 1e-3, "{numeric} and {found}");
    }

    #[test]
    fn the_rows_a_flow_is_fitted_to_leave_its_first_norm_with_mean_0_and_variance_1() {
        let device = device::inference();
        let x = batch::matrix(&rows(100, 3, 2), 100, 3, &device) * 5.0 - 7.0;
        let flow = Flow::new(3, 2, &Rng::new(0), &device).fitted(x.clone());
        let y = batch::numbers(flow.layers[0].norm.forward(x).0);
        for column in 0..3 {
            let one: Vec<f32> = y.iter().skip(column).step_by(3).copied().collect();
            let mean = one.iter().sum::<f32>() / 100.0;
            let variance = one.iter().map(|y| (y - mean).powi(2)).sum::<f32>() / 99.0;
            assert!(mean.abs() < 1e-4 && (variance - 1.0).abs() < 1e-3, "{mean} {variance}");
        }
    }

    #[test]
    fn a_matrix_is_the_product_of_its_parts_and_starts_orthogonal() {
        let device = device::inference();
        let linear = Linear::new(6, &mut Rng::new(3), &device);
        let m = linear.matrix();
        let product = batch::numbers(m.clone().matmul(m.transpose()));
        for (k, entry) in product.iter().enumerate() {
            let one = f32::from(u8::from(k / 6 == k % 6));
            assert!((entry - one).abs() < 1e-5, "{product:?}");
        }
        assert!(linear.size.val().sum().into_scalar::<f32>().abs() < 1e-5);
    }
}
