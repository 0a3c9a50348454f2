//! A training step, as a loss sees it.

use burn::tensor::{Device, Tensor, TensorData};
use unbraid_measure::rng::Rng;

/// The current training step, and the only source of randomness in a loss.
#[derive(Clone, Debug)]
pub struct Step {
    /// Counted from 0.
    pub number: u64,
    /// The total number of steps.
    pub total: u64,
    noise: Rng,
}

impl Step {
    /// Step `number` of `total`; its random numbers depend on the generator and the number alone.
    pub fn new(number: u64, total: u64, rng: &Rng) -> Self {
        Self { number, total, noise: rng.at(number) }
    }

    /// Random numbers of other kinds.
    pub fn rng(&mut self) -> &mut Rng {
        &mut self.noise
    }

    /// The numbers below `count` in a random order.
    pub fn permutation(&mut self, count: usize) -> Vec<usize> {
        self.noise.permutation(count)
    }

    /// Standard normal noise.
    pub fn noise<const D: usize>(&mut self, shape: [usize; D], device: &Device) -> Tensor<D> {
        let mut values = vec![0.0; shape.iter().product()];
        self.noise.fill_normal(&mut values);
        Tensor::from_data(TensorData::new(values, shape), device)
    }

    /// Uniform noise in -1..1.
    pub fn uniform<const D: usize>(&mut self, shape: [usize; D], device: &Device) -> Tensor<D> {
        let mut values = vec![0.0; shape.iter().product()];
        self.noise.fill_uniform(&mut values);
        for value in &mut values {
            *value = 2.0 * *value - 1.0;
        }
        Tensor::from_data(TensorData::new(values, shape), device)
    }
}
