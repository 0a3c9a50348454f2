//! Where downloaded data lie.

use std::env;
use std::path::PathBuf;

use crate::error::{Error, Result};

/// The folder of a data set in the library: under `UNBRAID_DATA_DIR`, else `XDG_DATA_HOME/unbraid`,
/// else `HOME/.local/share/unbraid`.
pub fn directory(name: &str) -> Result<PathBuf> {
    let variable = |key| env::var_os(key).filter(|value| !value.is_empty()).map(PathBuf::from);
    let library = variable("UNBRAID_DATA_DIR")
        .or_else(|| variable("XDG_DATA_HOME").map(|data| data.join("unbraid")))
        .or_else(|| variable("HOME").map(|home| home.join(".local/share/unbraid")));
    match library {
        Some(library) => Ok(library.join(name)),
        None => Err(Error::Missing(
            "there is no place for data: set UNBRAID_DATA_DIR to a folder".into(),
        )),
    }
}
