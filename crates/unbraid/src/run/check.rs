//! Whether a run directory is whole: every file that is read back, against the checksum in it; and what a resume would do.

use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};
use unbraid_measure::files::checksum::Seal;
use unbraid_measure::representation::Representation;

use super::directory::{Run, check_settings, read_weights};
use super::files;
use super::log::{self, Mark};
use crate::error::Result;
use crate::model::weights::WeightsFile;

/// What is known of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// As it was written.
    Whole,
    /// It can be read, but an earlier version wrote it without a checksum, so nobody can tell.
    Unsealed,
    /// Not as it was written, in words.
    Damaged(String),
}

/// What was found in a directory.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// The files that are there, and how they are.
    pub files: Vec<(PathBuf, State)>,
    /// What a resume would do.
    pub resume: String,
}

impl Checked {
    /// Whether nothing is damaged.
    pub fn is_whole(&self) -> bool {
        !self.files.iter().any(|(_, state)| matches!(state, State::Damaged(_)))
    }

    /// As a document.
    pub fn to_json(&self) -> Json {
        let file = |(path, state): &(PathBuf, State)| {
            let (word, reason) = match state {
                State::Whole => ("whole", None),
                State::Unsealed => ("no checksum", None),
                State::Damaged(reason) => ("damaged", Some(reason)),
            };
            json!({ "file": path.to_string_lossy(), "state": word, "reason": reason })
        };
        json!({
            "format": 1, "whole": self.is_whole(), "resume": self.resume,
            "files": self.files.iter().map(file).collect::<Vec<_>>(),
        })
    }
}

/// Look at every file of a run that is read back. A run whose settings are damaged is not opened any more, but looked at.
pub fn check(directory: &Path) -> Result<Checked> {
    let mut found = Checked::default();
    let settings = directory.join(files::SETTINGS);
    let run = match Run::open(directory) {
        Ok(run) => run,
        Err(source) => {
            found.files.push((settings, State::Damaged(source.to_string())));
            found.resume = "a resume is refused: the settings are damaged".into();
            return Ok(found);
        }
    };
    let sealed = check_settings(&settings)? == Seal::Whole;
    found.files.push((settings, if sealed { State::Whole } else { State::Unsealed }));
    let base = run.file(files::BASE);
    if Run::exists(&base) {
        found.files.extend(check(&base)?.files);
    }
    let checkpoint = weights(&mut found, run.file(files::CHECKPOINT));
    let model = weights(&mut found, run.file(files::MODEL));
    if let Some(Ok(file)) = &checkpoint {
        let done = file.about["step"].as_u64().unwrap_or(0);
        let kept = log::up_to(&run.file(files::LOG), done, Mark::of(&file.about).as_ref())?;
        let state = match (kept.wrong, Mark::of(&file.about)) {
            (Some(wrong), _) => State::Damaged(wrong),
            (None, Some(_)) => State::Whole,
            (None, None) => State::Unsealed,
        };
        found.files.push((run.file(files::LOG), state));
    }
    for name in files::documents().filter(|name| run.file(name).is_file()) {
        let state = match run.document_as_written(name) {
            Ok(Some((_, Seal::Whole))) => State::Whole,
            Ok(_) => State::Unsealed,
            Err(source) => State::Damaged(source.to_string()),
        };
        found.files.push((run.file(name), state));
    }
    let codes = run.file(files::REPRESENTATION);
    if codes.is_file() {
        // Every array in it has a checksum, and all are read.
        let state = Representation::load(&codes)
            .map_or_else(|source| State::Damaged(source.to_string()), |_| State::Whole);
        found.files.push((codes, state));
    }
    found.resume = resume(&run, checkpoint.as_ref(), model.as_ref());
    Ok(found)
}

/// A file of weights, or what is wrong with it.
type Read = std::result::Result<WeightsFile, String>;

/// Look at a file of weights, if it is there.
fn weights(found: &mut Checked, path: PathBuf) -> Option<Read> {
    if !path.is_file() {
        return None;
    }
    let read = read_weights(&path).map_err(|source| source.to_string());
    let state = match &read {
        Ok(file) if file.sealed => State::Whole,
        Ok(_) => State::Unsealed,
        Err(reason) => State::Damaged(reason.clone()),
    };
    found.files.push((path, state));
    Some(read)
}

/// What `train --resume` would do, in words.
fn resume(run: &Run, checkpoint: Option<&Read>, model: Option<&Read>) -> String {
    let steps = run.config().train.steps;
    let step = |file: Option<&Read>| file?.as_ref().ok()?.about["step"].as_u64();
    match (checkpoint, step(checkpoint), step(model)) {
        (_, _, Some(done)) if done >= steps => "every step has been taken".into(),
        (_, Some(done), _) if done >= steps => {
            "every step has been taken; a resume writes the model anew from the checkpoint".into()
        }
        (_, Some(done), _) => format!("a resume goes on from step {done} of {steps}"),
        (Some(_), None, Some(done)) => format!(
            "a resume is refused: the checkpoint is damaged; the model of step {done} can still be used, and training \
             must begin anew in another directory"
        ),
        (Some(_), None, None) => {
            "a resume is refused: the checkpoint is damaged; training must begin anew in another directory".into()
        }
        (None, _, _) => "a resume begins with the first step".into(),
    }
}
