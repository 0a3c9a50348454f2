//! The settings of a CausalVAE.

use serde::{Deserialize, Serialize};
use unbraid_measure::settings::words;

use crate::error::{Error, Result};
use crate::model::{Settings, Task};
use crate::parts::concepts::found_graph::GraphSettings;
use crate::parts::concepts::nets::ConceptNetSettings;
use crate::parts::concepts::scaling::Balance;
use crate::parts::schedule::Schedule;

words! {
    /// Whose equations.
    pub enum Variant {
        /// Those of the paper.
        Paper = "paper",
        /// Those of the released code.
        Released = "released",
    }
}

words! {
    /// Whether the encoder sees the labels.
    pub enum SeesLabels {
        /// As the variant has it.
        Auto = "auto",
        /// q(ε|x, u)
        Yes = "yes",
        /// q(ε|x)
        No = "no",
    }
}

/// The settings of a CausalVAE.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Config {
    /// "paper" or "released".
    pub variant: Variant,
    /// Codes per concept; 0 for the variant's, 1 or 4.
    pub dimensions: usize,
    /// Whether the encoder sees the labels: "yes", "no", or "auto" for the variant's.
    pub labels: SeesLabels,
    /// α, the weight of cycles.
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
            variant: Variant::Paper,
            dimensions: 0,
            labels: SeesLabels::Auto,
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
        let (dimensions, labels) = match self.variant {
            Variant::Paper => (1, SeesLabels::Yes),
            Variant::Released => (4, SeesLabels::No),
        };
        if self.dimensions == 0 {
            self.dimensions = dimensions;
        }
        if self.labels == SeesLabels::Auto {
            self.labels = labels;
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
        self.labels == SeesLabels::Yes
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
