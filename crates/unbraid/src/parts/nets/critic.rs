//! The discriminator of the FactorVAE, which tells samples of q(z) from permuted ones (Kim and Mnih
//! 2018, arXiv:1802.05983), and so estimates the total correlation by the density-ratio trick:
//!
//! ```text
//! TC = E_q(z) [ log D(z) − log(1 − D(z)) ] = E [ logit_0(z) − logit_1(z) ]
//! ```
//!
//! Class 0 is "together", a sample of q(z); class 1 is "apart", a permuted one. The paper has 5 or
//! 6 hidden layers, as one reads it; Locatello et al. 2019 have 6.

use burn::module::Module;
use burn::tensor::activation::log_softmax;
use burn::tensor::{Device, Int, Tensor, TensorData};
use unbraid_measure::rng::Rng;

use crate::model::Step;
use crate::parts::nets::layers::{Activation, Dense};
use crate::parts::nets::mlp::stack;

/// The slope of leaky ReLU below zero.
const SLOPE: f32 = 0.2;

/// Dense layers that end in two logits.
#[derive(Module, Debug)]
pub struct Critic {
    layers: Vec<Dense>,
}

impl Critic {
    /// With seeded weights.
    pub fn new(latents: usize, depth: usize, width: usize, rng: &mut Rng, device: &Device) -> Self {
        let mut sizes = vec![latents];
        sizes.extend(vec![width; depth]);
        sizes.push(2);
        Self { layers: stack(&sizes, Activation::LeakyRelu(SLOPE), rng, device) }
    }

    fn logits(&self, z: Tensor<2>) -> Tensor<2> {
        self.layers.iter().fold(z, |z, layer| layer.forward(z))
    }

    /// The estimated total correlation of z; the discriminator's own weights get no gradient.
    pub fn total_correlation(&self, z: Tensor<2>) -> Tensor<1> {
        let logits = self.clone().no_grad().logits(z);
        let rows = logits.dims()[0];
        (logits.clone().narrow(1, 0, 1) - logits.narrow(1, 1, 1)).sum() / rows as f64
    }

    /// The discriminator's cross-entropy on `together` and `apart`, ½ each. The samples are
    /// detached: no gradient reaches the encoder.
    pub fn error(&self, together: Tensor<2>, apart: Tensor<2>) -> Tensor<1> {
        let cost = |z: Tensor<2>, class: usize| {
            let rows = z.dims()[0] as f64;
            log_softmax(self.logits(z.detach()), 1).narrow(1, class, 1).sum() / -rows
        };
        (cost(together, 0) + cost(apart, 1)) * 0.5
    }
}

/// Each column permuted on its own: the same marginals without dependence.
pub fn permuted(z: Tensor<2>, step: &mut Step) -> Tensor<2> {
    let [rows, latents] = z.dims();
    let orders: Vec<Vec<usize>> = (0..latents).map(|_| step.permutation(rows)).collect();
    let place = |k: usize| orders[k % latents][k / latents] as i64;
    let places: Vec<i64> = (0..rows * latents).map(place).collect();
    let z = z.detach();
    let places = Tensor::<2, Int>::from_data(TensorData::new(places, [rows, latents]), &z.device());
    z.gather(0, places)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::device;
    use crate::model::batch;

    #[test]
    fn permuted_columns_keep_their_numbers_and_lose_their_order() {
        let numbers: Vec<f32> = (0..30).map(|k| k as f32).collect();
        let z = batch::matrix(&numbers, 10, 3, &device::inference());
        let found = batch::numbers(permuted(z, &mut Step::new(0, 1, &Rng::new(0))));
        let column = |numbers: &[f32], l: usize| {
            let mut column: Vec<f32> = numbers.iter().skip(l).step_by(3).copied().collect();
            let as_is = column.clone();
            column.sort_by(f32::total_cmp);
            (as_is, column)
        };
        for l in 0..3 {
            assert_eq!(column(&found, l).1, column(&numbers, l).1);
            assert_ne!(column(&found, l).0, column(&numbers, l).0);
        }
        // Not all in the same order.
        let rows_kept = found.chunks(3).filter(|row| row[1] - row[0] == 1.0).count();
        assert!(rows_kept < 10);
    }

    #[test]
    fn a_critic_that_knows_nothing_costs_ln_2_and_sees_no_correlation() {
        let device = device::inference();
        let mut critic = Critic::new(3, 2, 8, &mut Rng::new(0), &device);
        let last = critic.layers.len() - 1;
        critic.layers[last] = Dense::zero([8, 2], &device);
        let z = batch::matrix(&[0.3; 12], 4, 3, &device);
        let cost = critic.error(z.clone(), z.clone()).into_scalar::<f32>();
        assert!((cost - std::f32::consts::LN_2).abs() < 1e-6);
        assert_eq!(critic.total_correlation(z).into_scalar::<f32>(), 0.0);
    }
}
