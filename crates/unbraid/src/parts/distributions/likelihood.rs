//! Likelihoods p(x|z), whose negative logarithm is the reconstruction loss.
//!
//! Always summed over pixels and channels and averaged over the batch. That sum is what makes a β
//! comparable between papers; averaging over pixels instead would change its meaning by H·W·C.

use burn::tensor::Tensor;
use burn::tensor::activation::{relu, sigmoid};
use unbraid_measure::data::Range;
use unbraid_measure::settings::words;

use crate::compute;
use crate::error::{Error, Result};

words! {
    /// The likelihood by the word of the settings.
    pub enum Family {
        /// For numbers in 0..1.
        Bernoulli = "bernoulli",
        /// For any numbers.
        Gaussian = "gaussian";
        /// The one that the range of the data asks for.
        Auto = "auto"
    }
}

impl Family {
    /// With "auto" replaced, for data of this range.
    pub fn resolved(self, range: Range) -> Self {
        match (self, range) {
            (Self::Auto, Range::Real) => Self::Gaussian,
            (Self::Auto, _) => Self::Bernoulli,
            (named, _) => named,
        }
    }

    /// Refuse one that gives the data no density.
    pub fn check(self, range: Range) -> Result<()> {
        match (self, range) {
            (Self::Bernoulli, Range::Real) => Err(Error::setting(
                "model.likelihood",
                "cannot be \"bernoulli\": the data are not within 0..1; use \"gaussian\"",
            )),
            _ => Ok(()),
        }
    }
}

/// The distribution of an observation given the decoder's output.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Likelihood {
    /// Bernoulli with the decoder's output as logit. Locatello et al. 2019 use it for grey values
    /// too, where the minimum is the entropy of x instead of 0.
    Bernoulli,
    /// N(x; mean, noise²); the mean passes through a sigmoid for images.
    Gaussian {
        /// The standard deviation.
        noise: f64,
        /// Whether the decoder's output passes through a sigmoid.
        squash: bool,
    },
}

impl Likelihood {
    /// The likelihood named in the settings, for data of this range.
    pub fn new(family: Family, noise: f64, range: Range) -> Self {
        match family {
            Family::Bernoulli => Self::Bernoulli,
            // Of resolved settings none is left to the data.
            Family::Gaussian | Family::Auto => {
                Self::Gaussian { noise, squash: range != Range::Real }
            }
        }
    }

    /// The standard deviation of a Gaussian one.
    pub fn noise(self) -> Option<f64> {
        match self {
            Self::Bernoulli => None,
            Self::Gaussian { noise, .. } => Some(noise),
        }
    }

    /// −log p(x|z), summed over an observation and averaged over the batch.
    pub fn error(&self, decoded: Tensor<4>, x: Tensor<4>) -> Tensor<1> {
        let (kind, constant) = self.kind(&x);
        let rows = x.dims()[0] as f32;
        let error = compute::likelihood(decoded, x, kind, 1.0 / rows);
        if constant == 0.0 { error } else { error + constant }
    }

    /// The same with gain, centre and weight of each place ([`compute::likelihood_by_place`]): a Gaussian's
    /// noise is divided by √weight.
    pub fn error_by_place(
        &self,
        decoded: Tensor<4>,
        x: Tensor<4>,
        [gain, centre, weight]: [Tensor<4>; 3],
    ) -> Tensor<1> {
        let (kind, constant) = self.kind(&x);
        let rows = x.dims()[0] as f32;
        let logs = weight.clone().log().sum() * 0.5;
        let places = [gain, centre, weight];
        compute::likelihood_by_place(decoded, x, places, kind, 1.0 / rows) + constant - logs
    }

    /// What the kernels know of it, and the constant of an observation.
    fn kind(&self, x: &Tensor<4>) -> (compute::Likelihood, f64) {
        let [_, channels, height, width] = x.dims();
        let size = (channels * height * width) as f64;
        match *self {
            Self::Bernoulli => (compute::Likelihood::Bernoulli, 0.0),
            Self::Gaussian { noise, squash } => {
                let precision = (1.0 / (noise * noise)) as f32;
                let constant = noise.ln() + 0.5 * std::f64::consts::TAU.ln();
                (compute::Likelihood::Gaussian { precision, squash }, constant * size)
            }
        }
    }

    /// −log p(x|z) of each row: `[rows, numbers]` to `[rows]`.
    pub fn error_of_rows(&self, decoded: Tensor<2>, x: Tensor<2>) -> Tensor<1> {
        let numbers = x.dims()[1] as f64;
        match *self {
            Self::Bernoulli => {
                let tail = (decoded.clone().abs() * -1.0).exp().log1p();
                (relu(decoded.clone()) - decoded * x + tail).sum_dim(1).squeeze_dim(1)
            }
            Self::Gaussian { noise, squash } => {
                let mean = if squash { sigmoid(decoded) } else { decoded };
                let distance = (mean - x).square().sum_dim(1).squeeze_dim(1);
                let constant = noise.ln() + 0.5 * std::f64::consts::TAU.ln();
                distance * (0.5 / (noise * noise)) + constant * numbers
            }
        }
    }

    /// Whether means pass through a sigmoid.
    pub fn squashes(&self) -> bool {
        matches!(self, Self::Bernoulli | Self::Gaussian { squash: true, .. })
    }

    /// The expected observation, for pictures.
    pub fn mean(&self, decoded: Tensor<4>) -> Tensor<4> {
        if self.squashes() { sigmoid(decoded) } else { decoded }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::device;
    use crate::model::batch;
    use unbraid_measure::data::Shape;

    /// The mean of two rows of two numbers: by the kernel, which must be that of each row.
    fn error(likelihood: Likelihood, decoded: &[f32], x: &[f32]) -> f32 {
        let shape = Shape { channels: 1, height: 1, width: 2, range: Range::Unit };
        let tensor = |values: &[f32]| batch::images(values, 2, shape, &device::inference());
        let mean = likelihood.error(tensor(decoded), tensor(x)).into_scalar::<f32>();
        let rows = |values: &[f32]| batch::matrix(values, 2, 2, &device::inference());
        let each = batch::numbers(likelihood.error_of_rows(rows(decoded), rows(x)));
        assert!((mean - f32::midpoint(each[0], each[1])).abs() < 1e-4, "{mean} and {each:?}");
        mean
    }

    #[test]
    fn bernoulli_is_the_cross_entropy_even_for_extreme_logits() {
        let ln2 = std::f32::consts::LN_2;
        assert!(
            (error(Likelihood::Bernoulli, &[0.0; 4], &[1.0, 0.0, 0.5, 1.0]) - 2.0 * ln2).abs()
                < 1e-6
        );
        // Right answers cost nothing, wrong ones the logit; nothing overflows.
        let sure =
            error(Likelihood::Bernoulli, &[200.0, -200.0, 200.0, 200.0], &[1.0, 0.0, 1.0, 0.0]);
        assert!((sure - 100.0).abs() < 1e-3, "{sure}");
    }

    #[test]
    fn gaussian_is_the_negative_log_density() {
        let likelihood = Likelihood::Gaussian { noise: 0.5, squash: false };
        let got = error(likelihood, &[1.0, 0.0, 0.0, 0.0], &[0.0, 0.0, 0.0, 0.0]);
        // One number is off by two standard deviations: ½·2² over two rows, plus the constants.
        let constant = 2.0 * (0.5f32.ln() + 0.5 * std::f32::consts::TAU.ln());
        assert!((got - (1.0 + constant)).abs() < 1e-5, "{got}");
    }
}
