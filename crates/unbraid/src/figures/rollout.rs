//! What follows a frame: the learned transition above the simulator.

use unbraid_measure::data::Dataset;

use super::tiles;
use crate::draw::picture::{Sheet, Strip};
use crate::error::Result;
use crate::intervene::rollout::Rollout;

/// The file of a run.
pub const FILE: &str = "rollout.png";

/// A column per step.
pub fn sheet(title: String, data: &dyn Dataset, found: &Rollout) -> Result<Sheet> {
    let strip = |label: &str, remark: &str, frames| -> Result<Strip> {
        let tiles = tiles(frames, data.shape())?;
        Ok(Strip { label: label.into(), remark: remark.into(), tiles, faded: false })
    };
    let mut strips = vec![strip("model", "what it expects", &found.model)?];
    if let Some(truth) = &found.truth {
        strips.push(strip("simulator", "one way it may go", truth)?);
    }
    let columns = (0..found.model.nrows()).map(|step| format!("t + {step}")).collect();
    Ok(Sheet { title, columns, strips })
}
