//! A dense layer for each latent, all of them in one batched product: no loop over latents.

use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor, TensorData};
use unbraid_measure::rng::Rng;

use crate::compute::{self, Activation};

/// x_j W_j + b_j for each latent j.
#[derive(Module, Debug)]
pub struct PerLatent {
    /// `[latents, input, output]`
    weight: Param<Tensor<3>>,
    /// `[latents, 1, output]`
    bias: Param<Tensor<3>>,
}

impl PerLatent {
    /// Weights within ±sqrt(6 / (input · output)), zero biases: what the released code starts from.
    pub fn new(
        latents: usize,
        [input, output]: [usize; 2],
        rng: &mut Rng,
        device: &Device,
    ) -> Self {
        let limit = (6.0 / (input * output) as f64).sqrt();
        let draw = |_| ((2.0 * rng.uniform() - 1.0) * limit) as f32;
        let weight: Vec<f32> = (0..latents * input * output).map(draw).collect();
        Self::of(weight, [latents, input, output], device)
    }

    /// All weights zero.
    pub fn zero(latents: usize, [input, output]: [usize; 2], device: &Device) -> Self {
        Self::of(vec![0.0; latents * input * output], [latents, input, output], device)
    }

    fn of(weight: Vec<f32>, shape: [usize; 3], device: &Device) -> Self {
        let [latents, _, output] = shape;
        let bias = TensorData::new(vec![0.0f32; latents * output], [latents, 1, output]);
        Self {
            weight: Param::from_data(TensorData::new(weight, shape), device),
            bias: Param::from_data(bias, device),
        }
    }

    /// `[latents, batch, input]` to `[latents, batch, output]`
    pub fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        x.matmul(self.weight.val()) + self.bias.val()
    }
}

/// x σ(x), between two such layers.
pub fn silu(x: Tensor<3>) -> Tensor<3> {
    compute::activated(x, Activation::Silu)
}

/// `[batch, latents · width]` to `[latents, batch, width]`
pub fn by_latent(rows: Tensor<2>, latents: usize) -> Tensor<3> {
    let [batch, all] = rows.dims();
    rows.reshape([batch, latents, all / latents]).swap_dims(0, 1)
}

/// `[latents, batch, 1]`, or one of several numbers each, to `[batch, latents]`
pub fn by_row(numbers: Tensor<3>, which: usize) -> Tensor<2> {
    numbers.narrow(2, which, 1).squeeze_dim::<2>(2).swap_dims(0, 1)
}
