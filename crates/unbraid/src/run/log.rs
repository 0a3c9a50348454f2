//! The log of a run: a row of JSON for each logged step. It holds nothing that differs between two equal trainings (no
//! times: those are in the TensorBoard events), so that equal runs have equal logs, byte for byte.
//!
//! A checkpoint knows how long the log was when it was written, and the checksum of that much. On going on, what came after
//! is dropped, since it will be written again, and the same; and a log that is not as it was is said to be so.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};
use unbraid_measure::Error as MeasureError;
use unbraid_measure::files::{checksum, write};

use crate::error::Result;
use crate::model::learner::Terms;

/// The log, for appending.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    file: File,
    sum: checksum::Running,
}

/// How long a log was at a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    bytes: u64,
    sha256: String,
}

impl Log {
    /// Open it, or begin it.
    pub(super) fn open(path: PathBuf) -> Result<Self> {
        let failed = |action, source| MeasureError::io(action, &path, &source);
        let file = OpenOptions::new().create(true).append(true).open(&path);
        let file = file.map_err(|source| failed("write", source))?;
        let mut sum = checksum::Running::default();
        sum.add(&fs::read(&path).map_err(|source| failed("read", source))?);
        Ok(Self { path, file, sum })
    }

    /// One row: the step and each term of the loss.
    pub fn row(&mut self, step: u64, terms: &Terms) -> Result<()> {
        let mut row = serde_json::Map::from_iter([("step".to_string(), json!(step))]);
        // Through text: the shortest digits that give the same f32 back, not those of its f64.
        let shortest =
            |value: &f32| value.to_string().parse::<f64>().map_or(Json::Null, Json::from);
        row.extend(terms.iter().map(|(name, value)| (name.to_string(), shortest(value))));
        let line = format!("{}\n", Json::Object(row));
        let written = self.file.write_all(line.as_bytes());
        written.map_err(|source| MeasureError::io("write", &self.path, &source))?;
        self.sum.add(line.as_bytes());
        Ok(())
    }

    /// Bring the rows to the disk, and mark how far it goes: for a checkpoint, which counts them as written.
    pub fn mark(&self) -> Result<Mark> {
        let synced = self.file.sync_data();
        synced.map_err(|source| MeasureError::io("write", &self.path, &source))?;
        Ok(Mark { bytes: self.sum.bytes, sha256: self.sum.sum() })
    }
}

impl Mark {
    /// As it is in the metadata of a checkpoint.
    pub(super) fn to_json(&self) -> Json {
        json!({ "bytes": self.bytes, "sha256": self.sha256 })
    }

    /// Nothing in checkpoints of earlier versions.
    pub(super) fn of(about: &Json) -> Option<Self> {
        let log = &about["log"];
        Some(Self { bytes: log["bytes"].as_u64()?, sha256: log["sha256"].as_str()?.into() })
    }
}

/// What of a log is that of a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Kept {
    /// The rows up to the checkpoint that are there.
    pub(super) text: String,
    /// What is wrong with them, in words.
    pub(super) wrong: Option<String>,
}

/// What to keep of a log at a checkpoint after `done` steps.
pub(super) fn up_to(path: &Path, done: u64, mark: Option<&Mark>) -> Result<Kept> {
    let bytes = match path.exists() {
        true => fs::read(path).map_err(|source| MeasureError::io("read", path, &source))?,
        false => vec![],
    };
    if let Some(mark) = mark {
        let marked = usize::try_from(mark.bytes).ok().and_then(|length| bytes.get(..length));
        let whole = marked.filter(|marked| checksum::of(marked) == mark.sha256);
        if let Some(text) = whole.and_then(|whole| std::str::from_utf8(whole).ok()) {
            return Ok(Kept { text: text.into(), wrong: None });
        }
    }
    let text = String::from_utf8_lossy(&bytes);
    // A killed process can leave half a row at the end; it is no JSON and goes too.
    let kept = text.split_inclusive('\n').filter(|line| {
        let row: Option<Json> = serde_json::from_str(line).ok();
        let step = row.and_then(|row| row["step"].as_u64());
        line.ends_with('\n') && step.is_some_and(|step| step <= done)
    });
    let text: String = kept.collect();
    let wrong = mark.filter(|mark| mark.bytes > 0).map(|_| match text.lines().count() {
        0 => format!("is gone or unreadable: rows up to step {done} are lost"),
        rows => format!("has changed since it was written: {rows} rows up to step {done} can still be read and are kept"),
    });
    Ok(Kept { text, wrong })
}

impl Kept {
    /// Leave nothing else in the file.
    pub(super) fn write(&self, path: &Path) -> Result<()> {
        match path.exists() || !self.text.is_empty() {
            true => Ok(write(path, self.text.as_bytes())?),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logged(rows: std::ops::RangeInclusive<u64>, path: &Path) -> Mark {
        let mut log = Log::open(path.into()).unwrap();
        for step in rows {
            log.row(step, &Terms::from_iter([("loss".into(), 0.5)])).unwrap();
        }
        log.mark().unwrap()
    }

    #[test]
    fn rows_after_the_checkpoint_go_and_those_before_stay() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("log.jsonl");
        let mark = logged(1..=3, &path);
        let three = fs::read_to_string(&path).unwrap();
        let longer = logged(4..=5, &path);
        assert!(longer.bytes > mark.bytes);
        let kept = up_to(&path, 3, Some(&mark)).unwrap();
        assert_eq!(kept, Kept { text: three.clone(), wrong: None });
        // A checkpoint of an earlier version has no mark.
        assert_eq!(up_to(&path, 3, None).unwrap(), kept);
        kept.write(&path).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), three);
        assert_eq!(Mark::of(&json!({ "log": mark.to_json() })), Some(mark));
    }

    #[test]
    fn a_log_that_changed_or_went_is_said_and_what_can_be_read_is_kept() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("log.jsonl");
        let mark = logged(1..=3, &path);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replacen("0.5", "0.7", 1)).unwrap();
        let kept = up_to(&path, 3, Some(&mark)).unwrap();
        assert!(kept.wrong.unwrap().contains("3 rows up to step 3 can still be read"));
        fs::write(&path, text.replacen("{", "", 1)).unwrap();
        let kept = up_to(&path, 3, Some(&mark)).unwrap();
        assert!(kept.wrong.unwrap().contains("2 rows"));
        fs::remove_file(&path).unwrap();
        let kept = up_to(&path, 3, Some(&mark)).unwrap();
        assert!(kept.wrong.as_ref().unwrap().contains("rows up to step 3 are lost"));
        kept.write(&path).unwrap();
        assert!(!path.exists());
    }
}
