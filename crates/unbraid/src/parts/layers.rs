//! Layers with weights drawn from our own generator.
//!
//! burn draws weights lazily from one process-wide generator; two runs in one process would share
//! it. Here a layer is built with its weights at once, from the generator it is given.
//! Glorot-uniform weights and zero biases, as in the study (TensorFlow's defaults):
//! U(±sqrt(6 / (fan_in + fan_out))), a convolution's fans counted with the area of its kernel.

use burn::module::Param;
use burn::nn::conv::{Conv2d, ConvTranspose2d};
use burn::nn::{Linear, PaddingConfig2d};
use burn::tensor::{Device, Tensor, TensorData};
use unbraid_measure::rng::Rng;

/// A dense layer. Its weight is `[input, output]` (PyTorch stores the transpose).
pub fn dense(input: usize, output: usize, rng: &mut Rng, device: &Device) -> Linear {
    Linear {
        weight: glorot([input, output], input, output, rng, device),
        bias: Some(zeros(output, device)),
    }
}

/// A convolution with a square kernel. Its weight is `[output, input, kernel, kernel]`.
pub fn convolution(
    [input, output]: [usize; 2],
    kernel: usize,
    stride: usize,
    rng: &mut Rng,
    device: &Device,
) -> Conv2d {
    let area = kernel * kernel;
    let shape = [output, input, kernel, kernel];
    let pad = padding(kernel, stride);
    Conv2d {
        weight: glorot(shape, input * area, output * area, rng, device),
        bias: Some(zeros(output, device)),
        stride: [stride; 2],
        kernel_size: [kernel; 2],
        dilation: [1; 2],
        groups: 1,
        padding: PaddingConfig2d::Explicit(pad, pad, pad, pad),
    }
}

/// A transposed convolution. Its weight is `[input, output, kernel, kernel]`.
pub fn deconvolution(
    [input, output]: [usize; 2],
    kernel: usize,
    stride: usize,
    rng: &mut Rng,
    device: &Device,
) -> ConvTranspose2d {
    let area = kernel * kernel;
    let shape = [input, output, kernel, kernel];
    ConvTranspose2d {
        weight: glorot(shape, input * area, output * area, rng, device),
        bias: Some(zeros(output, device)),
        stride: [stride; 2],
        kernel_size: [kernel; 2],
        dilation: [1; 2],
        groups: 1,
        padding: [padding(kernel, stride); 2],
        padding_out: [0; 2],
        channels: [input, output],
    }
}

/// TensorFlow's "same" for even kernels: the map shrinks by exactly the stride.
fn padding(kernel: usize, stride: usize) -> usize {
    (kernel - stride) / 2
}

fn glorot<const D: usize>(
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
    Param::from_data(TensorData::new(vec![0.0f32; size], [size]), device)
}
