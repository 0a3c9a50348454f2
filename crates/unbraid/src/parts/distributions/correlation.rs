//! Dependence between the latents of a batch: the decomposition of the KL term, and covariances.
//!
//! Averaged over the data the KL term of a VAE is a sum of three terms (Chen et al. 2018,
//! arXiv:1802.04942; Hoffman and Johnson 2016):
//!
//! ```text
//! E_x KL(q(z|x) ‖ p(z)) =  I(x; z)                      mutual information of data and codes
//!                        + KL(q(z) ‖ Π_l q(z_l))        total correlation
//!                        + Σ_l KL(q(z_l) ‖ p(z_l))      dimension-wise KL
//! ```
//!
//! The aggregate posterior q(z) is a mixture over all rows of the data; two estimators use a minibatch
//! only. With M[i, j, l] = log N(z_il; mean_jl, variance_jl):
//!
//! - weighted: log q(z_i) = logsumexp_j Σ_l M[i, j, l] − log(N B). Biased.
//! - stratified: log q(z_i) = logsumexp_j (log W_ij + Σ_l M[i, j, l]), where row i of W is 1/N at
//!   j = i, (N − B + 1) / (N (B − 1)) at one other j, and 1/(B − 1) elsewhere. It is unbiased before the
//!   logarithm.
//!
//! The released code fills columns 0 and 1 of W in place of the diagonal, and a port of it adds
//! log W once for each latent. Neither is followed.

use burn::tensor::{Device, Tensor, TensorData};
use unbraid_measure::settings::words;

use crate::parts::distributions::gaussian::Gaussian;

const LOG_TAU: f64 = 1.837_877_066_409_345_3;

words! {
    /// The estimator of the aggregate posterior q(z) from a batch.
    pub enum Estimator {
        /// Minibatch-weighted sampling.
        Weighted = "weighted",
        /// Minibatch-stratified sampling.
        Stratified = "stratified",
    }
}

/// The three terms of the KL term, each averaged over the batch.
#[derive(Debug)]
pub struct Pieces {
    /// I(x; z)
    pub information: Tensor<1>,
    /// KL(q(z) ‖ Π_l q(z_l))
    pub total_correlation: Tensor<1>,
    /// Σ_l KL(q(z_l) ‖ p(z_l))
    pub dimension_wise: Tensor<1>,
}

/// Decompose the KL term, for samples z of the posteriors q `[batch, latents]` of data with `rows`
/// rows, with a prior for each row or N(0, I). The terms add up to the mean of
/// log q(z|x) − log p(z).
pub fn pieces(
    z: Tensor<2>,
    q: &Gaussian,
    prior: Option<&Gaussian>,
    rows: usize,
    estimator: Estimator,
) -> Pieces {
    let [batch, latents] = z.dims();
    let density = |z: Tensor<2>, of: &Gaussian| {
        log_normal(z, of.mean.clone(), of.log_variance.clone()).sum_dim(1)
    };
    let given = density(z.clone(), q);
    let prior = match prior {
        Some(prior) => density(z.clone(), prior),
        None => (z.clone().square() * -0.5 - 0.5 * LOG_TAU).sum_dim(1),
    };
    // M, `[sample, component, latent]`
    let flat = |x: Tensor<2>| x.reshape([1, batch, latents]);
    let each = log_normal(
        z.reshape([batch, 1, latents]),
        flat(q.mean.clone()),
        flat(q.log_variance.clone()),
    );
    let device = each.device();
    let weights = log_weights(batch, rows, estimator, &device);
    let joint = each.clone().sum_dim(2).reshape([batch, batch]) + weights.clone();
    let joint = log_sum_exp(joint);
    let marginals = each + weights.reshape([batch, batch, 1]);
    let marginals = log_sum_exp(marginals).reshape([batch, latents]).sum_dim(1);
    Pieces {
        information: (given - joint.clone()).mean(),
        total_correlation: (joint - marginals.clone()).mean(),
        dimension_wise: (marginals - prior).mean(),
    }
}

/// log N(z; mean, exp(log_variance)), elementwise.
fn log_normal<const D: usize>(z: Tensor<D>, mean: Tensor<D>, log_variance: Tensor<D>) -> Tensor<D> {
    let apart = (z - mean).square() * (log_variance.clone() * -1.0).exp();
    (apart + log_variance + LOG_TAU) * -0.5
}

/// log Σ exp over axis 1, which is kept with length 1. The maximum is subtracted first, without a
/// gradient, so that nothing overflows.
fn log_sum_exp<const D: usize>(x: Tensor<D>) -> Tensor<D> {
    let largest = x.clone().detach().max_dim(1);
    (x - largest.clone()).exp().sum_dim(1).log() + largest
}

/// log W, `[sample, component]`.
fn log_weights(batch: usize, rows: usize, estimator: Estimator, device: &Device) -> Tensor<2> {
    let weights = weights(batch, rows, estimator);
    let logarithms: Vec<f32> = weights.into_iter().map(|weight| weight.ln() as f32).collect();
    Tensor::from_data(TensorData::new(logarithms, [batch, batch]), device)
}

fn weights(batch: usize, rows: usize, estimator: Estimator) -> Vec<f64> {
    let (b, n) = (batch as f64, rows as f64);
    let weight = |k: usize| {
        let (i, j) = (k / batch, k % batch);
        match estimator {
            Estimator::Weighted => 1.0 / (n * b),
            Estimator::Stratified if batch == 1 => 1.0,
            Estimator::Stratified if i == j => 1.0 / n,
            Estimator::Stratified if j == (i + 1) % batch => (n - b + 1.0) / (n * (b - 1.0)),
            Estimator::Stratified => 1.0 / (b - 1.0),
        }
    };
    (0..batch * batch).map(weight).collect()
}

/// Cov(x) over the batch, `[latents, latents]`, divided by B and not by B − 1: as in DIP-VAE.
pub fn covariance(x: Tensor<2>) -> Tensor<2> {
    let rows = x.dims()[0] as f64;
    let centred = x.clone() - x.mean_dim(0);
    centred.clone().transpose().matmul(centred) / rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::device;
    use crate::model::batch;

    const ROWS: usize = 4;

    fn scalar(x: Tensor<1>) -> f64 {
        f64::from(x.into_scalar::<f32>())
    }

    /// Posteriors of two latents for each of four rows, and a draw from each.
    fn example() -> (Tensor<2>, Gaussian) {
        let matrix = |values: &[f32]| batch::matrix(values, ROWS, 2, &device::inference());
        let mean = matrix(&[0.0, 1.0, -1.0, 0.5, 2.0, -0.5, 0.3, 0.9]);
        let log_variance = matrix(&[-1.0, 0.0, 0.5, -0.7, -0.2, 0.1, -1.5, -0.4]);
        let z = matrix(&[0.2, 0.4, -1.5, 0.1, 1.4, -0.9, 0.7, 1.3]);
        (z, Gaussian { mean, log_variance })
    }

    fn density(z: f64, mean: f64, log_variance: f64) -> f64 {
        (-0.5 * ((z - mean).powi(2) / log_variance.exp() + log_variance + LOG_TAU)).exp()
    }

    #[test]
    fn the_pieces_add_up_for_either_estimator() {
        let (z, q) = example();
        let given = log_normal(z.clone(), q.mean.clone(), q.log_variance.clone()).sum_dim(1);
        let standard = (z.clone().square() * -0.5 - 0.5 * LOG_TAU).sum_dim(1);
        // A prior for each row, as an iVAE has.
        let own =
            Gaussian { mean: q.mean.clone() * 0.5, log_variance: q.log_variance.clone() + 1.0 };
        let density = log_normal(z.clone(), own.mean.clone(), own.log_variance.clone()).sum_dim(1);
        for (prior, density) in [(None, standard), (Some(&own), density)] {
            let whole = scalar((given.clone() - density).mean());
            for estimator in [Estimator::Weighted, Estimator::Stratified] {
                let pieces = pieces(z.clone(), &q, prior, 1000, estimator);
                let sum = scalar(pieces.information)
                    + scalar(pieces.total_correlation)
                    + scalar(pieces.dimension_wise);
                assert!((sum - whole).abs() < 1e-4, "{estimator:?}: {sum} and {whole}");
            }
        }
    }

    #[test]
    fn stratified_rows_add_up_to_one_and_the_diagonal_is_the_row_itself() {
        for (batch, rows) in [(2, 2), (4, 10), (64, 737_280), (5, 5)] {
            let weights = weights(batch, rows, Estimator::Stratified);
            for (i, row) in weights.chunks(batch).enumerate() {
                assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                assert!((row[i] - 1.0 / rows as f64).abs() < 1e-15);
                assert!(row.iter().all(|weight| *weight > 0.0));
            }
        }
    }

    /// Over batches of three that hold row 0 first, and over orders of all five rows, the stratified
    /// estimate of q(z) is q(z).
    #[test]
    fn the_stratified_estimate_is_right_on_average() {
        let means = [0.0, -1.0, 2.0, 0.3, 1.1];
        let (n, z) = (means.len(), 0.4);
        let q = |j: usize| density(z, means[j], -0.3);
        let exact = (0..n).map(q).sum::<f64>() / n as f64;
        let others = |j: usize| (1..n).filter(move |k| *k != j);
        let threes = (1..n).flat_map(|j| others(j).map(move |k| vec![0, j, k]));
        // Turning the other four round puts each in each place equally often.
        let fives =
            (0..4).map(|turn| (0..5).map(move |k| if k == 0 { 0 } else { 1 + (k + turn) % 4 }));
        let fives: Vec<Vec<usize>> = fives.map(Iterator::collect).collect();
        for batches in [threes.collect::<Vec<_>>(), fives] {
            let row = &weights(batches[0].len(), n, Estimator::Stratified)[..batches[0].len()];
            let estimate = |batch: &Vec<usize>| -> f64 {
                batch.iter().zip(row).map(|(&j, weight)| weight * q(j)).sum()
            };
            let mean = batches.iter().map(estimate).sum::<f64>() / batches.len() as f64;
            assert!((mean - exact).abs() < 1e-12, "{mean} and {exact}");
        }
    }

    /// With all data in the batch the weighted sum is the exact mixture but for its constant, log B.
    #[test]
    fn the_weighted_estimate_of_all_rows_is_exact_but_for_its_constant() {
        let (z, q) = example();
        let numbers = |x: &Tensor<2>| -> Vec<f64> {
            batch::numbers(x.clone()).into_iter().map(f64::from).collect()
        };
        let (zs, means, logs) = (numbers(&z), numbers(&q.mean), numbers(&q.log_variance));
        let one = |i: usize, j: usize, l: usize| {
            density(zs[2 * i + l], means[2 * j + l], logs[2 * j + l])
        };
        let mixture = |f: &dyn Fn(usize) -> f64| (0..ROWS).map(f).sum::<f64>() / ROWS as f64;
        let exact = (0..ROWS).map(|i| {
            let joint = mixture(&|j| one(i, j, 0) * one(i, j, 1)).ln();
            joint - mixture(&|j| one(i, j, 0)).ln() - mixture(&|j| one(i, j, 1)).ln()
        });
        let exact = exact.sum::<f64>() / ROWS as f64;
        let found = scalar(pieces(z, &q, None, ROWS, Estimator::Weighted).total_correlation);
        // One joint less two marginals: the constant comes once with each sign, and once more.
        assert!((found - (exact + (ROWS as f64).ln())).abs() < 1e-4, "{found} and {exact}");
    }

    #[test]
    fn covariance_by_hand() {
        let x = batch::matrix(&[1.0, 0.0, 3.0, 2.0], 2, 2, &device::inference());
        assert_eq!(batch::numbers(covariance(x)), [1.0, 1.0, 1.0, 1.0]);
    }
}
