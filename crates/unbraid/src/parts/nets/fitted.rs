//! A linear map that is fitted to data, saved with the weights and never trained by gradients.

use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor};
use ndarray::Array2;

use crate::parts::nets::layers::fixed;

/// (x − mean) W
#[derive(Module, Debug)]
pub struct Fitted {
    mean: Param<Tensor<1>>,
    /// `[input, output]`
    weight: Param<Tensor<2>>,
}

impl Fitted {
    /// From the mean and the directions `[output, input]`.
    pub fn new(mean: &[f32], directions: &Array2<f32>, device: &Device) -> Self {
        let shape = [directions.ncols(), directions.nrows()];
        let weight = directions.t().iter().copied().collect();
        Self {
            mean: fixed(mean.to_vec(), [mean.len()], device),
            weight: fixed(weight, shape, device),
        }
    }

    /// The identity map.
    pub fn identity(size: usize, device: &Device) -> Self {
        Self::new(&vec![0.0; size], &Array2::eye(size), device)
    }

    /// `[batch, input]` to `[batch, output]`
    pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        (x - self.mean.val().unsqueeze()).matmul(self.weight.val())
    }

    /// The device of its parameters.
    pub fn device(&self) -> Device {
        self.mean.val().device()
    }
}
