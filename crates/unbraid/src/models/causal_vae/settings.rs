//! The settings of a CausalVAE.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::model::{Settings, Task, one_of};
use crate::parts::concepts::found_graph::GraphSettings;
use crate::parts::concepts::nets::ConceptNetSettings;
use crate::parts::concepts::scaling::Balance;
use crate::parts::schedule::Schedule;

/// The settings of a CausalVAE.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Config {
    /// "paper" or "released".
    pub variant: String,
    /// Latents per concept; 0 for the variant's, 1 or 4.
    pub dimensions: usize,
    /// Whether the encoder sees the labels: "yes", "no", or "auto" for the variant's.
    pub labels: String,
    /// α, the weight of the acyclicity penalty.
    pub alpha: Schedule,
    /// β, the weight of the graph's fit to the labels.
    pub beta: Schedule,
    /// γ, the weight of the graph's fit to the latents.
    pub gamma: Schedule,
    /// Centre and scale of each label, as [[0, 44], …]; from the data if left out.
    pub scaling: Vec<[f32; 2]>,
    /// The weight of the reconstruction loss, and the width of the conditional prior.
    #[serde(flatten)]
    pub balance: Balance,
    /// The graph.
    #[serde(flatten)]
    pub graph: GraphSettings,
    /// The networks.
    #[serde(flatten)]
    pub net: ConceptNetSettings,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            variant: "paper".into(),
            dimensions: 0,
            labels: "auto".into(),
            alpha: 1.0.into(),
            beta: 1.0.into(),
            gamma: 1.0.into(),
            scaling: vec![],
            balance: Balance::default(),
            graph: GraphSettings::default(),
            net: ConceptNetSettings::default(),
        }
    }
}

impl Settings for Config {
    fn resolve(&mut self, task: &Task) -> Result<()> {
        one_of("model.variant", &self.variant, &["paper", "released"])?;
        one_of("model.labels", &self.labels, &["auto", "yes", "no"])?;
        let paper = self.variant == "paper";
        if self.dimensions == 0 {
            self.dimensions = if paper { 1 } else { 4 };
        }
        if self.labels == "auto" {
            self.labels = if paper { "yes" } else { "no" }.into();
        }
        self.balance.resolve(task)?;
        for (key, weight) in [("alpha", self.alpha), ("beta", self.beta), ("gamma", self.gamma)] {
            weight.check(&format!("model.{key}"), 0.0)?;
        }
        check_scaling(&self.scaling, task)?;
        // Data without labels are refused by name later; a network of one code can be checked now.
        self.graph.check(task.label.max(1))?;
        self.net.resolve(task, (task.label * self.dimensions).max(1))
    }
}

impl Config {
    /// Whether the encoder sees the labels.
    pub fn sees_labels(&self) -> bool {
        self.labels == "yes"
    }
}

/// Refuse pairs that do not fit the labels.
fn check_scaling(scaling: &[[f32; 2]], task: &Task) -> Result<()> {
    if scaling.is_empty() {
        return Ok(());
    }
    let wrong = |reason: String| Err(Error::setting("model.scaling", reason));
    if scaling.len() != task.label {
        let (given, labels) = (scaling.len(), task.label);
        return wrong(format!(
            "has {given} pairs of centre and scale, but there are {labels} labels"
        ));
    }
    match scaling
        .iter()
        .any(|[centre, scale]| !centre.is_finite() || scale.is_nan() || *scale <= 0.0)
    {
        true => wrong("must be pairs of a number and a positive number".into()),
        false => Ok(()),
    }
}
