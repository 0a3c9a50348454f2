//! The settings of a hierarchy of latent layers.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::model::{Settings, Task};
use crate::parts::distributions::likelihood::Family;
use crate::parts::schedule::{Moving, Schedule};

/// Larger values are more likely typing errors.
const MOST_LAYERS: usize = 20;
const MOST_UNITS: usize = 10_000;

/// The settings that the Ladder VAE and its baseline share.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HierarchySettings {
    /// How many latents each layer has, from the bottom up.
    pub layers: Vec<usize>,
    /// Units of the two hidden layers of each; left out, 512 and half as many for each layer above.
    pub widths: Vec<usize>,
    /// Whether hidden layers have batch normalisation.
    pub batch_norm: bool,
    /// The weight of the KL; a schedule from 0 to 1 is the paper's warm-up.
    pub beta: Schedule,
    /// Which layer's posterior means are the codes, 1 at the bottom; 0 for all, concatenated.
    pub codes: usize,
    /// "bernoulli", "gaussian", or "auto": bernoulli for numbers in 0..1, gaussian for others.
    pub likelihood: Family,
    /// The standard deviation of the gaussian likelihood; 0 learns one for each number, as the paper.
    pub noise: f64,
}

impl Default for HierarchySettings {
    fn default() -> Self {
        let warm_up = Moving::Linear { from: 0.0, to: 1.0, start: 0, steps: 2000 };
        Self {
            layers: vec![64, 32, 16, 8, 4],
            widths: vec![],
            batch_norm: true,
            beta: Schedule::Moving(warm_up),
            codes: 0,
            likelihood: Family::Auto,
            noise: 0.0,
        }
    }
}

impl HierarchySettings {
    /// Whether the standard deviation of the likelihood is learned.
    pub fn learns_noise(&self) -> bool {
        self.likelihood == Family::Gaussian && self.noise == 0.0
    }
}

impl Settings for HierarchySettings {
    fn resolve(&mut self, task: &Task) -> Result<()> {
        let depth = self.layers.len();
        let units = 1..=MOST_UNITS;
        let fit = |sizes: &[usize]| sizes.iter().all(|size| units.contains(size));
        if !(1..=MOST_LAYERS).contains(&depth) || !fit(&self.layers) {
            let reason = format!(
                "must list from 1 to {MOST_LAYERS} sizes of 1 to {MOST_UNITS}, such as [64, 32, 16]"
            );
            return Err(Error::setting("model.layers", reason));
        }
        if self.widths.is_empty() {
            self.widths = (0..depth).map(|layer| (512 >> layer).max(16)).collect();
        }
        if self.widths.len() != depth || !fit(&self.widths) {
            let reason = format!(
                "must list {depth} sizes of 1 to {MOST_UNITS}, one for each of model.layers"
            );
            return Err(Error::setting("model.widths", reason));
        }
        if self.codes > depth {
            let reason = format!("must be 0 for all layers, or from 1 to {depth}");
            return Err(Error::setting("model.codes", reason));
        }
        self.beta.check("model.beta", 0.0)?;
        self.likelihood = self.likelihood.resolved(task.shape.range);
        self.likelihood.check(task.shape.range)?;
        if !(self.noise.is_finite() && self.noise >= 0.0) {
            let reason = "must be a positive number, or 0 to learn it";
            return Err(Error::setting("model.noise", reason));
        }
        Ok(())
    }
}
