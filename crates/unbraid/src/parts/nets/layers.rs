//! Layers with seeded initial weights and a built-in activation.
//!
//! burn draws weights lazily from one process-wide generator; two runs in one process would share
//! it. Here a layer is built with its weights at once, from the generator it is given.
//! Glorot-uniform weights and zero biases, TensorFlow's defaults, as in Locatello et al. 2019:
//! U(±sqrt(6 / (fan_in + fan_out))), a convolution's fans counted with the area of its kernel.

use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor, TensorData};
use unbraid_measure::rng::Rng;

pub use crate::compute::Activation;
use crate::compute::{self, Form, Geometry};

/// activation(x W + b)
#[derive(Module, Debug)]
pub struct Dense {
    /// `[input, output]` (PyTorch stores the transpose).
    weight: Param<Tensor<2>>,
    bias: Param<Tensor<1>>,
    #[module(skip)]
    activation: Activation,
}

impl Dense {
    /// With seeded weights.
    pub fn new(
        [input, output]: [usize; 2],
        activation: Activation,
        rng: &mut Rng,
        device: &Device,
    ) -> Self {
        Self {
            weight: glorot([input, output], input, output, rng, device),
            bias: zeros(output, device),
            activation,
        }
    }

    /// With the weights of He et al. 2015, U(±sqrt(6 / fan_in)), for which layers with rectifiers or SiLU
    /// neither mute what passes nor blow it up.
    pub fn he(self) -> Self {
        let [input, output] = self.weight.dims();
        let times = (1.0 + output as f64 / input as f64).sqrt();
        Self { weight: louder(self.weight, times), ..self }
    }

    /// All weights zero.
    pub fn zero([input, output]: [usize; 2], device: &Device) -> Self {
        let weight = TensorData::new(vec![0.0f32; input * output], [input, output]);
        let weight = Param::from_data(weight, device);
        Self { weight, bias: zeros(output, device), activation: Activation::None }
    }

    /// Without activation, and weights from a normal distribution of variance 2 / input, truncated
    /// at two standard deviations.
    pub fn scaled([input, output]: [usize; 2], rng: &mut Rng, device: &Device) -> Self {
        /// The standard deviation of a standard normal truncated to ±2.
        const WITHIN_TWO: f32 = 0.879_626;
        let scale = (2.0 / input as f32).sqrt() / WITHIN_TWO;
        let mut draw = || loop {
            let number = rng.normal();
            if number.abs() <= 2.0 {
                return scale * number;
            }
        };
        let values: Vec<f32> = (0..input * output).map(|_| draw()).collect();
        let weight = Param::from_data(TensorData::new(values, [input, output]), device);
        Self { weight, bias: zeros(output, device), activation: Activation::None }
    }

    /// The sum of all squared weights, without the biases.
    pub fn squared_norm(&self) -> Tensor<1> {
        self.weight.val().square().sum()
    }

    /// One update of an exponential moving average, towards the weights of another layer; without
    /// gradients.
    pub fn towards(self, other: &Self, share: f64) -> Self {
        Self {
            weight: towards(self.weight, &other.weight, share),
            bias: towards(self.bias, &other.bias, share),
            activation: self.activation,
        }
    }

    /// The number of inputs.
    pub fn inputs(&self) -> usize {
        self.weight.dims()[0]
    }

    /// With the weights of each input multiplied by a number.
    pub fn with_inputs(self, times: Vec<f32>) -> Self {
        let shape = [times.len(), 1];
        let weight = self.weight.map(|weight| {
            let times = Tensor::from_data(TensorData::new(times, shape), &weight.device());
            // A tensor that is the result of an operation would not be a trainable leaf.
            Tensor::from_inner(weight.inner() * times.inner()).require_grad()
        });
        Self { weight, ..self }
    }

    /// `[batch, input]` to `[batch, output]`
    pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        compute::dense(x, self.weight.val(), self.bias.val(), self.activation)
    }

    /// The same as a function of x alone: the layer gets no gradient.
    pub fn frozen(&self, x: Tensor<2>) -> Tensor<2> {
        let (weight, bias) = (self.weight.val().detach(), self.bias.val().detach());
        compute::dense(x, weight, bias, self.activation)
    }
}

/// Parameters that are saved with the weights and never trained.
pub fn fixed<const D: usize>(
    values: Vec<f32>,
    shape: [usize; D],
    device: &Device,
) -> Param<Tensor<D>> {
    Param::from_tensor(Tensor::from_data(TensorData::new(values, shape), device)).no_grad()
}

/// activation(x ∗ w + b), or with the transposed convolution.
#[derive(Module, Debug)]
pub struct Convolution {
    /// `[output, input, kernel, kernel]`, transposed `[input, output, kernel, kernel]`.
    weight: Param<Tensor<4>>,
    bias: Param<Tensor<1>>,
    #[module(skip)]
    form: Form,
}

impl Convolution {
    /// A square kernel, padded so that a feature map shrinks by exactly the stride.
    pub fn new(
        [input, output]: [usize; 2],
        [kernel, stride]: [usize; 2],
        activation: Activation,
        rng: &mut Rng,
        device: &Device,
    ) -> Self {
        let weight = [output, input, kernel, kernel];
        Self::build(weight, output, form([kernel, stride], false, activation), rng, device)
    }

    /// Transposed: a feature map grows by exactly the stride.
    pub fn transposed(
        [input, output]: [usize; 2],
        [kernel, stride]: [usize; 2],
        activation: Activation,
        rng: &mut Rng,
        device: &Device,
    ) -> Self {
        let weight = [input, output, kernel, kernel];
        Self::build(weight, output, form([kernel, stride], true, activation), rng, device)
    }

    fn build(
        weight: [usize; 4],
        output: usize,
        form: Form,
        rng: &mut Rng,
        device: &Device,
    ) -> Self {
        let [first, second, height, width] = weight;
        let fans = [first * height * width, second * height * width];
        Self {
            weight: glorot(weight, fans[0], fans[1], rng, device),
            bias: zeros(output, device),
            form,
        }
    }

    /// With the weights of He et al. 2015, as [`Dense::he`]. Each number of a transposed convolution is the
    /// sum of as many inputs as its stride leaves.
    pub fn he(self) -> Self {
        let [first, second, height, width] = self.weight.dims();
        let area = height * width;
        let [vertical, horizontal] = self.form.geometry.stride;
        let fan_in = match self.form.transposed {
            true => (first * area) as f64 / (vertical * horizontal) as f64,
            false => (second * area) as f64,
        };
        let times = (((first + second) * area) as f64 / fan_in).sqrt();
        Self { weight: louder(self.weight, times), ..self }
    }

    /// `[batch, input, height, width]` to `[batch, output, …]`
    pub fn forward(&self, x: Tensor<4>) -> Tensor<4> {
        compute::convolution(x, self.weight.val(), self.bias.val(), self.form)
    }
}

/// Padding with which a feature map shrinks, or grows, by exactly the stride. Where it is uneven
/// (an odd kernel with stride 2) it is rounded up, as in PyTorch, and a transposed convolution
/// makes up for it with one row and column more.
fn form([kernel, stride]: [usize; 2], transposed: bool, activation: Activation) -> Form {
    assert!(kernel % 2 == 1 || stride % 2 == 0, "an even kernel with an odd stride has no middle");
    let padding = kernel.saturating_sub(stride).div_ceil(2);
    let extra = if transposed { 2 * padding + stride - kernel } else { 0 };
    let geometry = Geometry { kernel: [kernel; 2], stride: [stride; 2], padding: [padding; 2] };
    Form { geometry, transposed, extra: [extra; 2], activation }
}

/// Seeded weights, uniform within ±sqrt(6 / (fan_in + fan_out)).
pub fn glorot<const D: usize>(
    shape: [usize; D],
    fan_in: usize,
    fan_out: usize,
    rng: &mut Rng,
    device: &Device,
) -> Param<Tensor<D>> {
    let limit = (6.0 / (fan_in + fan_out) as f64).sqrt();
    let draw = |_| ((2.0 * rng.uniform() - 1.0) * limit) as f32;
    let values: Vec<f32> = (0..shape.iter().product()).map(draw).collect();
    Param::from_data(TensorData::new(values, shape), device)
}

fn zeros(size: usize, device: &Device) -> Param<Tensor<1>> {
    constant(0.0, size, device)
}

/// Trainable parameters with one initial value.
pub fn constant(value: f32, size: usize, device: &Device) -> Param<Tensor<1>> {
    Param::from_data(TensorData::new(vec![value; size], [size]), device)
}

/// Initial weights times a number.
fn louder<const D: usize>(weight: Param<Tensor<D>>, times: f64) -> Param<Tensor<D>> {
    // A tensor that is the result of an operation would not be a trainable leaf.
    weight.map(|weight| Tensor::from_inner(weight.inner() * times).require_grad())
}

fn towards<const D: usize>(
    from: Param<Tensor<D>>,
    to: &Param<Tensor<D>>,
    share: f64,
) -> Param<Tensor<D>> {
    from.map(|from| {
        let (from, to) = (from.inner(), to.val().inner());
        Tensor::from_inner(from.clone() + (to - from) * share)
    })
}
