//! The settings of a structural VAE.

use serde::{Deserialize, Serialize};
use unbraid_measure::settings::words;

use crate::error::{Error, Result};
use crate::model::{Settings, Task};
use crate::parts::concepts::acyclic::Form;
use crate::parts::concepts::found_graph::{GraphSettings, Origin};
use crate::parts::concepts::nets::{ConceptNet, ConceptNetSettings};

words! {
    /// Whether the picture is drawn in parts.
    pub enum InParts {
        /// Each place by the concepts that explain it.
        Yes = "yes",
        /// Every place by all of them.
        No = "no",
    }
}

words! {
    /// Where the graph comes from. A mechanism is a network of its causes, so these must be known before
    /// training.
    pub enum Support {
        /// Tests of the labels.
        Independence = "independence",
        /// The user.
        Given = "given",
    }
}

/// The settings of a structural VAE.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Config {
    /// s, the standard deviation of the conditional prior, for labels in −1..1.
    pub spread: f64,
    /// Whether the picture is drawn in parts: "yes" or "no".
    pub parts: InParts,
    /// "independence" tests of the labels, or "given" by `edges`.
    pub graph: Support,
    /// Pairs of cause and effect, by the number of the label; for "given".
    pub edges: Vec<[usize; 2]>,
    /// How cycles are counted: "polynomial" or "exponential".
    pub acyclicity: Form,
    /// The networks.
    #[serde(flatten)]
    pub net: ConceptNetSettings,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            spread: 0.02,
            parts: InParts::Yes,
            graph: Support::Independence,
            edges: vec![],
            acyclicity: Form::Polynomial,
            net: ConceptNetSettings::default(),
        }
    }
}

impl Settings for Config {
    fn resolve(&mut self, task: &Task) -> Result<()> {
        if !(self.spread.is_finite() && self.spread > 0.0) {
            return Err(Error::setting("model.spread", "must be a positive number"));
        }
        self.graph_settings().check(task.label.max(1))?;
        self.net.resolve(task, task.label.max(1))?;
        match self.net.net == ConceptNet::Paper {
            true => Err(Error::setting("model.net", "cannot be \"paper\" for a picture in parts")),
            false => Ok(()),
        }
    }
}

impl Config {
    /// The graph, as the other models of concepts name it.
    pub fn graph_settings(&self) -> GraphSettings {
        let graph = match self.graph {
            Support::Independence => Origin::Independence,
            Support::Given => Origin::Given,
        };
        GraphSettings { graph, edges: self.edges.clone(), acyclicity: self.acyclicity }
    }
}
