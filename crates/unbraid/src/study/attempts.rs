//! Who works on which run: the journal of attempts, and the only thing that workers share.
//!
//! `attempts/RUN.3.json` is the third attempt at a run. It is created exclusively, so that of several workers
//! one has it, and says who; when it ends its worker writes how. An attempt whose worker is gone is not touched:
//! the next one is created, and whoever holds an earlier one finds it there and stops. Nothing is ever unlocked,
//! renamed or compared by a clock, and each attempt has a directory of its own, `work/RUN.3`, so that a process
//! that wakes up late writes where nobody reads. Needs no flock; exclusive creation holds on NFS since version 3.

use std::collections::HashMap;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use unbraid_measure::{Error as MeasureError, files};

use super::file::Planned;
use super::workers::Worker;
use crate::error::Result;
use crate::run::VERSION;

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// Trained, scored, and in `runs/`.
    Done,
    /// Somebody asked to stop; it goes on from its checkpoint.
    Stopped,
    /// It ended with an error.
    Failed,
}

/// An attempt at a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Attempt {
    /// The worker; nobody where the file is garbage.
    pub worker: String,
    /// Its machine.
    pub host: String,
    /// Its process.
    pub process: u32,
    /// The job of the cluster it belongs to.
    pub job: Option<String>,
    /// The version of unbraid.
    pub version: String,
    /// How it ended, if it did.
    pub ended: Option<End>,
    /// How long it took.
    pub seconds: f64,
    /// Why it failed.
    pub reason: Option<String>,
}

/// The attempts at the runs of a study.
#[derive(Clone, Debug)]
pub(super) struct Attempts {
    directory: PathBuf,
}

impl Attempts {
    pub(super) fn of(study: &Path) -> Self {
        Self { directory: study.join("attempts") }
    }

    /// The number of the last attempt at each run that has one.
    pub(super) fn last(&self) -> Result<HashMap<String, u32>> {
        let mut last: HashMap<String, u32> = HashMap::new();
        let entries = match fs::read_dir(&self.directory) {
            Ok(entries) => entries,
            // A study of an earlier version.
            Err(source) if source.kind() == ErrorKind::NotFound => return Ok(last),
            Err(source) => return Err(MeasureError::io("read", &self.directory, &source).into()),
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let stem = name.strip_suffix(".json").filter(|stem| !stem.starts_with('.'));
            let Some((run, number)) = stem.and_then(|stem| stem.rsplit_once('.')) else { continue };
            let Ok(number) = number.parse::<u32>() else { continue };
            let known = last.entry(run.to_string()).or_default();
            *known = number.max(*known);
        }
        Ok(last)
    }

    /// Where an attempt is written.
    pub(super) fn file(&self, run: &Planned, number: u32) -> PathBuf {
        self.directory.join(format!("{}.{number}.json", run.name))
    }

    /// Whether there is one.
    pub(super) fn exists(&self, run: &Planned, number: u32) -> bool {
        self.file(run, number).exists()
    }

    /// An attempt; nobody's if there is no such file, or garbage in it.
    pub(super) fn read(&self, run: &Planned, number: u32) -> Result<Attempt> {
        let path = self.file(run, number);
        match fs::read(&path) {
            Ok(bytes) => Ok(serde_json::from_slice(&bytes).unwrap_or_default()),
            Err(source) if source.kind() == ErrorKind::NotFound => Ok(Attempt::default()),
            Err(source) => Err(MeasureError::io("read", path, &source).into()),
        }
    }

    /// Every attempt at a run, the first one first.
    pub(super) fn all(&self, run: &Planned, last: u32) -> Result<Vec<Attempt>> {
        (1..=last).map(|number| self.read(run, number)).collect()
    }

    /// Take an attempt at a run; nothing if somebody else has it.
    pub(super) fn take(
        &self,
        run: &Planned,
        number: u32,
        worker: &Worker,
    ) -> Result<Option<Attempt>> {
        let path = self.file(run, number);
        let attempt = Attempt {
            worker: worker.name.clone(),
            host: worker.about.host.clone(),
            process: worker.about.process,
            job: worker.about.job.clone(),
            version: VERSION.into(),
            ..Attempt::default()
        };
        let text = serde_json::to_string(&attempt).expect("an attempt is plain");
        let mut file = match fs::OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => file,
            Err(source) if source.kind() == ErrorKind::AlreadyExists => return Ok(None),
            Err(source) => return Err(MeasureError::io("write", &path, &source).into()),
        };
        let written = file.write_all(text.as_bytes());
        written.map_err(|source| MeasureError::io("write", &path, &source))?;
        Ok(Some(attempt))
    }

    /// Write how an attempt ended.
    pub(super) fn end(&self, run: &Planned, number: u32, attempt: &Attempt) -> Result<()> {
        let text = serde_json::to_string(attempt).expect("an attempt is plain");
        Ok(files::write(self.file(run, number), text.as_bytes())?)
    }
}
