//! What graphs cost (equations 7, 8 and 12 to 15 of the paper), in nats.
//!
//! ```text
//! of rows with an action:    kl Σ_ij KL(α_ij ‖ edge) + sparsity Σ_ij G_ij² + parents Σ_i Π_j (1 − α_ij)²
//! of rows without an action: identity Σ_ij (α_ij − 1[i = j])²
//! ```

use burn::tensor::Tensor;
use burn::tensor::activation::{log_sigmoid, sigmoid};
use serde::{Deserialize, Serialize};

use super::modes::Parts;
use super::transition::{After, diagonal};
use crate::error::{Error, Result};

/// The weights.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CostSettings {
    /// Of a graph without edges where nothing is done (equations 7 and 8).
    pub identity: f64,
    /// Of the KL of each edge from its prior (equation 12).
    pub kl: f64,
    /// The prior probability of an edge.
    pub edge: f64,
    /// Of the number of edges (equation 14).
    pub sparsity: f64,
    /// Of cells without parents (equation 15).
    pub parents: f64,
}

impl Default for CostSettings {
    fn default() -> Self {
        Self { identity: 0.01, kl: 0.001, edge: 0.1, sparsity: 0.001, parents: 0.01 }
    }
}

impl CostSettings {
    /// Refuse what makes no sense.
    pub fn check(&self) -> Result<()> {
        let weights = [
            ("identity", self.identity),
            ("kl", self.kl),
            ("sparsity", self.sparsity),
            ("parents", self.parents),
        ];
        for (name, weight) in weights {
            if !(weight.is_finite() && weight >= 0.0) {
                let reason = "must be a number of at least 0";
                return Err(Error::setting(format!("model.{name}"), reason));
            }
        }
        if !(self.edge > 0.0 && self.edge < 1.0) {
            return Err(Error::setting("model.edge", "must be between 0 and 1"));
        }
        Ok(())
    }

    /// What the graphs of the rows of a batch cost.
    pub fn of(&self, found: &After, parts: &Parts) -> Tensor<1> {
        let Parts { act, leave, .. } = *parts;
        let [drawn, logits] = &found.edges;
        let first = |table: &Tensor<3>| table.clone().narrow(0, 0, act);
        let mean = |table: Tensor<3>| table.sum() / act as f64;
        let yes = sigmoid(first(logits));
        let [log_yes, log_no] = [log_sigmoid(first(logits)), log_sigmoid(first(logits) * -1.0)];
        let no = yes.clone() * -1.0 + 1.0;
        let apart = yes * (log_yes - self.edge.ln()) + no * (log_no.clone() - (-self.edge).ln_1p());
        let orphans = (log_no.sum_dim(2) * 2.0).exp();
        let cost = mean(apart) * self.kl
            + mean(first(drawn).square()) * self.sparsity
            + mean(orphans) * self.parents;
        if leave == 0 {
            return cost;
        }
        let last = logits.clone().narrow(0, logits.dims()[0] - leave, leave);
        let own = diagonal(last.dims()[1], &last.device());
        cost + (sigmoid(last) - own).square().sum() / leave as f64 * self.identity
    }
}
