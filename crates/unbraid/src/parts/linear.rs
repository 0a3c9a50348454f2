//! Settings of linear baselines: the number of components, and the rows they are fitted to.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::model::{Settings, Task};

/// The settings of a linear baseline.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LinearSettings {
    /// How many components.
    pub latents: usize,
    /// How many rows they are fitted to, drawn at random if there are more.
    pub rows: usize,
}

impl Default for LinearSettings {
    fn default() -> Self {
        Self { latents: 10, rows: 10_000 }
    }
}

impl Settings for LinearSettings {
    fn resolve(&mut self, task: &Task) -> Result<()> {
        self.rows = self.rows.min(task.rows);
        let most = self.rows.min(task.shape.size());
        if self.latents == 0 || self.latents > most {
            let reason = format!("must be from 1 to {most} with these data");
            return Err(Error::setting("model.latents", reason));
        }
        Ok(())
    }
}
