//! What can go wrong in this crate. Each message is a lower-case fragment with the way out.

use std::path::PathBuf;

/// The result of everything fallible in this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Everything that can go wrong, with the values that explain it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Data, settings, files: see [`unbraid_measure::Error`].
    #[error(transparent)]
    Measure(#[from] unbraid_measure::Error),

    /// The loss is no number any more.
    #[error(
        "training stopped at step {step}: {term} is {value}; {kept} \
         (a lower train.learning_rate often helps)"
    )]
    NotFinite {
        /// The step at which it was seen.
        step: u64,
        /// The loss term or weight that broke.
        term: String,
        /// NaN or an infinity.
        value: f32,
        /// What is left to go on from.
        kept: String,
    },

    /// A run directory that cannot be used as asked.
    #[error("{path}: {reason}")]
    Run {
        /// The directory or the file in it.
        path: PathBuf,
        /// What is wrong and what to do.
        reason: String,
    },

    /// The model cannot do what was asked.
    #[error("{0}")]
    Unable(String),
}

impl Error {
    /// A run directory that cannot be used as asked.
    pub fn run(path: impl Into<PathBuf>, reason: impl Into<String>) -> Self {
        Self::Run { path: path.into(), reason: reason.into() }
    }

    /// A setting out of range.
    pub fn setting(key: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Measure(unbraid_measure::Error::setting(key, reason))
    }
}
