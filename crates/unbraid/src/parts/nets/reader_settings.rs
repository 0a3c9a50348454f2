//! The settings of a network that reads some numbers off observations.

use serde::{Deserialize, Serialize};
use unbraid_measure::data::Shape;

use super::autoencoder::{Net, NetSettings};
use crate::error::Result;
use crate::model::{Settings, Task};

/// Which network, and how wide.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReaderSettings {
    /// "conv", "conv4", "burgess", "factor", "fc", or "auto": conv for images, fc for vectors.
    pub net: Net,
    /// Units of a dense layer; 0 for the paper's.
    pub width: usize,
}

impl Default for ReaderSettings {
    fn default() -> Self {
        let NetSettings { net, width, .. } = NetSettings::default();
        Self { net, width }
    }
}

impl ReaderSettings {
    /// Those of an encoder that has as many latents as there are numbers to read.
    pub fn nets(&self, numbers: usize) -> NetSettings {
        let &Self { net, width } = self;
        NetSettings { latents: numbers.max(1), net, width, ..NetSettings::default() }
    }

    /// Replace "auto", and refuse what makes no sense, for observations of this shape.
    pub fn resolve_for(&mut self, task: &Task, numbers: usize, shape: Shape) -> Result<()> {
        let mut nets = self.nets(numbers);
        nets.resolve(&Task { shape, ..*task })?;
        let NetSettings { net, width, .. } = nets;
        *self = Self { net, width };
        Ok(())
    }
}

impl Settings for ReaderSettings {
    fn resolve(&mut self, task: &Task) -> Result<()> {
        self.resolve_for(task, task.label, task.shape)
    }
}
