//! The loss of the paper: the ELBO of its equations, and its three penalties.

use burn::tensor::Tensor;
use burn::tensor::activation::sigmoid;

use super::{CausalVae, logged};
use crate::model::batch::Batch;
use crate::model::{Loss, Step};
use crate::parts::concepts::structure::{Solved, Structure};
use crate::parts::distributions::gaussian::Gaussian;

impl CausalVae {
    /// The paper's loss.
    pub(super) fn paper_loss(&self, batch: &Batch, step: &mut Step) -> Loss {
        let labels = self.scaling.of(batch);
        let q = self.posterior(batch.x(), Some(&labels));
        let (a, solved) = (self.structure.adjacency(), self.structure.solve());
        let noise = self.in_concepts(q.sample(step));
        let z = Structure::endogenous(&solved, noise.clone());
        let from_causes = self.mask.forward(&z, &a);
        let reconstruction = self.nets.error(self.flat(from_causes.clone() + noise), batch.x());
        let exogenous = q.kl();
        let endogenous = self.kl_of_z(&q, &solved, &labels);
        let each = self.kl_per_latent(&q, &solved, &labels);
        let rows = batch.x().dims()[0] as f64;
        let masked = (z - from_causes).square().sum() / rows;
        let labelled = label_error(labels, &a);
        let cycles = self.graph.acyclicity.of(a.clone());
        let [alpha, beta, gamma] = self.weights.map(|weight| weight.at(step));
        let total = reconstruction.clone() * self.balance.reconstruction
            + exogenous.clone()
            + endogenous.clone()
            + cycles.clone() * alpha
            + labelled.clone() * beta
            + masked.clone() * gamma;
        let terms = [reconstruction, exogenous, endogenous, masked, labelled, cycles];
        logged(total, terms, a).latents(each)
    }

    /// KL(q(z|x, u) ‖ N(λ(u), λ₂² I)), exactly: q is Gaussian with mean C h and covariance C Σ Cᵀ.
    fn kl_of_z(&self, q: &Gaussian, solved: &Solved, labels: &Tensor<2>) -> Tensor<1> {
        let [rows, latents] = q.mean.dims();
        let apart = self.flat(Structure::endogenous(solved, self.in_concepts(q.mean.clone())))
            - self.prior_means(labels);
        let variance = self.variance_of_z(q, solved);
        let precision = 1.0 / (self.balance.spread * self.balance.spread);
        let far = (apart.square() + variance) * precision;
        let sums = (far - q.log_variance.clone()).sum() / rows as f64;
        let determinant = solved.log_determinant.clone() * (2.0 * self.dimensions as f64);
        (sums + latents as f64 * (2.0 * self.balance.spread.ln() - 1.0) - determinant) * 0.5
    }

    /// The KL of each latent of z, for the log; without a gradient.
    fn kl_per_latent(&self, q: &Gaussian, solved: &Solved, labels: &Tensor<2>) -> Tensor<1> {
        let solved = Solved {
            inverse: solved.inverse.clone().detach(),
            log_determinant: solved.log_determinant.clone().detach(),
        };
        let z = self.marginals(&q.clone().detach(), &solved);
        self.kl_from_prior(&z, labels).mean_dim(0).reshape([self.concepts * self.dimensions])
    }
}

/// E‖u − σ(Aᵀ u)‖², for scaled labels, which are moved to 0..1.
fn label_error(labels: Tensor<2>, a: &Tensor<2>) -> Tensor<1> {
    let rows = labels.dims()[0] as f64;
    let u = (labels + 1.0) * 0.5;
    (u.clone() - sigmoid(u.matmul(a.clone()))).square().sum() / rows
}
