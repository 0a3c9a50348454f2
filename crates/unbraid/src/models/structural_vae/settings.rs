//! The settings of a structural VAE.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::model::{Settings, Task, one_of};
use crate::parts::concepts::found_graph::GraphSettings;
use crate::parts::concepts::nets::ConceptNetSettings;

/// The settings of a structural VAE.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Config {
    /// s, the standard deviation of the conditional prior, for labels in −1..1.
    pub spread: f64,
    /// Whether the decoder is split into parts: "yes" or "no".
    pub parts: String,
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
            spread: 0.02,
            parts: "yes".into(),
            graph: GraphSettings::default(),
            net: ConceptNetSettings::default(),
        }
    }
}

impl Settings for Config {
    fn resolve(&mut self, task: &Task) -> Result<()> {
        one_of("model.parts", &self.parts, &["yes", "no"])?;
        one_of("model.graph", &self.graph.graph, &["independence", "given"])?;
        if !(self.spread.is_finite() && self.spread > 0.0) {
            return Err(Error::setting("model.spread", "must be a positive number"));
        }
        self.graph.check(task.label.max(1))?;
        self.net.resolve(task, task.label.max(1))?;
        match self.net.net == "paper" {
            true => Err(Error::setting("model.net", "cannot be \"paper\" for a picture in parts")),
            false => Ok(()),
        }
    }
}
