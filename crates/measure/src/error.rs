//! What can go wrong in this crate. Each message is a lower-case fragment with the way out.

use std::path::{Path, PathBuf};

/// The result of everything fallible in this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Everything that can go wrong, with the values that explain it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A name that is in no registry.
    #[error("unknown {kind} `{name}`{hint} (`unbraid list {list}` shows all)")]
    Unknown {
        /// What was looked for: model, metric, data set.
        kind: &'static str,
        /// The name as given.
        name: String,
        /// "; did you mean …?", or nothing.
        hint: String,
        /// The word after `unbraid list`.
        list: &'static str,
    },
    /// A setting that is misspelt or out of range.
    #[error("setting `{key}` {reason}")]
    Setting {
        /// The dotted key, as in `model.beta`.
        key: String,
        /// What is wrong with it and what would be right.
        reason: String,
    },
    /// The operating system refused to read or write.
    #[error("cannot {action} {path}: {reason}")]
    Io {
        /// "read", "write", "create".
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The system's reason, with the way out where one is known.
        reason: String,
    },
    /// A file that was read but is not what it should be.
    #[error("{path}: {reason}")]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong with its contents.
        reason: String,
    },
    /// Something a method needs and these data do not have.
    #[error("{0}")]
    Missing(String),
    /// Published data that were not imported yet.
    #[error("{0}")]
    NotHere(String),
    /// Someone asked to stop.
    #[error("stopped before it was done")]
    Stopped,
    /// Arrays of the wrong shape or with values that are no numbers.
    #[error("{0}")]
    Array(String),
}

/// How every error of a full disk begins: of all errors the one that the next run will have too.
pub const DISK_FULL: &str = "the disk is full";

impl Error {
    /// An error of the operating system, put into words.
    pub fn io(action: &'static str, path: impl AsRef<Path>, source: &std::io::Error) -> Self {
        use std::io::ErrorKind;
        let reason = match source.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                format!("{DISK_FULL}; free some space and run the command again")
            }
            ErrorKind::PermissionDenied if action == "read" => {
                "you are not allowed to read it; change its permissions".to_string()
            }
            ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied => {
                format!("{source}; choose a place you may write to, or change its permissions")
            }
            ErrorKind::NotFound => "no such file or directory".to_string(),
            _ => source.to_string(),
        };
        Self::Io { action, path: path.as_ref().to_path_buf(), reason }
    }

    /// A malformed file.
    pub fn format(path: impl AsRef<Path>, reason: impl std::fmt::Display) -> Self {
        Self::Format { path: path.as_ref().to_path_buf(), reason: reason.to_string() }
    }

    /// A setting out of range.
    pub fn setting(key: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Setting { key: key.into(), reason: reason.into() }
    }
}
