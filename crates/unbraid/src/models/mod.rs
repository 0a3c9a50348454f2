//! The methods, one file each, in the order of the docs.
//!
//! To add one, write its file and add its line to [`MODELS`]; the command line, TOML, `show`, the
//! docs and the contract tests follow.

use unbraid_measure::info;

use crate::error::Result;
use crate::learner::{Entry, baseline, model};

pub mod beta_vae;
pub mod pca;
pub mod raw;
pub mod vae;

/// Every method.
pub static MODELS: &[Entry] = &[
    baseline::<raw::Raw>(),
    baseline::<pca::Pca>(),
    model::<vae::Vae>(),
    model::<beta_vae::BetaVae>(),
];

/// Find a method by name.
pub fn find(name: &str) -> Result<&'static Entry> {
    Ok(info::find("model", "models", MODELS.iter().map(|e| (e.info.name, e)), name)?)
}
