//! The supervised loss on a few labelled rows (Locatello et al., Disentangling Factors of Variation
//! Using Few Labels, ICLR 2020, arXiv:1905.01258). Latent k is tied to factor k; further latents
//! are free.
//!
//! With y the index of a label among the values of its factor, scaled to 0, 1/size, … below 1,
//! summed over the labelled rows of a batch and over factors:
//!
//! ```text
//! cross-entropy:  − y log s − (1 − y) log(1 − s),   s = sigmoid(mean)
//! squares:        (s − y)²
//! covariance:     Σ_{l≠k} Cov(mean_l, y_k)²
//! ```
//!
//! disentanglement_lib broadcasts the second over all pairs of rows by mistake; this does not.

use burn::tensor::Tensor;
use burn::tensor::activation::sigmoid;
use unbraid_measure::settings::words;

words! {
    /// The supervised loss on labelled rows.
    pub enum LabelLoss {
        /// Cross-entropy, with the posterior mean as the logit of its label.
        CrossEntropy = "cross-entropy",
        /// Squared error of the sigmoid of the posterior mean.
        Squares = "squares",
        /// Penalises the covariance of a posterior mean with every other label.
        Covariance = "covariance",
    }
}

impl LabelLoss {
    /// The loss of posterior means `[rows, latents]` given labels `[rows, factors]`.
    pub fn cost(self, means: Tensor<2>, labels: Tensor<2>) -> Tensor<1> {
        let tied = means.dims()[1].min(labels.dims()[1]);
        let (means, labels) = (means.narrow(1, 0, tied), labels.narrow(1, 0, tied));
        match self {
            Self::CrossEntropy => {
                // max(a, 0) − a y + log(1 + e^−|a|), which cannot overflow.
                let soft = (means.clone().abs() * -1.0).exp().log1p();
                (means.clone().clamp_min(0.0) - means * labels + soft).sum()
            }
            Self::Squares => (sigmoid(means) - labels).square().sum(),
            Self::Covariance => {
                let rows = means.dims()[0] as f64;
                let centred = |x: Tensor<2>| x.clone() - x.mean_dim(0);
                let c = centred(means).transpose().matmul(centred(labels)) / rows;
                let identity = Tensor::<2>::eye(tied, &c.device());
                (c.clone() - c * identity).square().sum()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::device;
    use crate::model::batch;

    fn cost(loss: LabelLoss, means: &[f32], labels: &[f32]) -> f32 {
        let matrix =
            |values: &[f32]| batch::matrix(values, 2, values.len() / 2, &device::inference());
        loss.cost(matrix(means), matrix(labels)).into_scalar()
    }

    #[test]
    fn costs_by_hand_and_free_latents_are_free() {
        let ln2 = std::f32::consts::LN_2;
        // Two rows, three latents, two factors: means of 0 cost ln 2 each, whatever the label.
        let found =
            cost(LabelLoss::CrossEntropy, &[0.0, 0.0, 9.0, 0.0, 0.0, -9.0], &[0.5, 0.0, 0.2, 0.9]);
        assert!((found - 4.0 * ln2).abs() < 1e-5, "{found}");
        let found = cost(LabelLoss::Squares, &[0.0, 0.0, 0.0, 0.0], &[0.5, 0.0, 0.5, 1.0]);
        assert!((found - 0.5).abs() < 1e-6, "{found}");
    }

    #[test]
    fn covariance_with_the_own_label_is_free() {
        let own = cost(LabelLoss::Covariance, &[1.0, 0.0, -1.0, 0.0], &[0.8, 0.5, 0.2, 0.5]);
        assert!(own.abs() < 1e-9, "{own}");
        // Latent 1 goes along with label 0: (½ (1·0.3 + 1·0.3))².
        let other = cost(LabelLoss::Covariance, &[0.0, 1.0, 0.0, -1.0], &[0.8, 0.5, 0.2, 0.5]);
        assert!((other - 0.09).abs() < 1e-6, "{other}");
    }
}
