//! Numbers that take long to compute, kept in the directory of the study: by run, and only as long as its
//! weights are the same.
//!
//! ```json
//! {"format": 1, "runs": {"vae-seed-0": {"weights": "9f1c22ab-184320", "udr": {"value": 0.41}}}}
//! ```

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use serde_json::{Map, Value as Json, json};
use unbraid_measure::watch::Watch;
use unbraid_measure::{Error as MeasureError, files};

use super::{Planned, Study};
use crate::error::Result;
use crate::run::files::MODEL;

/// The number of the format of such a file.
const FORMAT: i64 = 1;

/// How much work may be lost.
const WRITE_EVERY: Duration = Duration::from_secs(20);

/// A file of such numbers.
pub(super) struct Kept {
    path: PathBuf,
    runs: Map<String, Json>,
    written: Instant,
}

impl Kept {
    /// Read what is there. What cannot be read is computed again.
    pub(super) fn open(path: PathBuf) -> Self {
        let text = fs::read_to_string(&path).unwrap_or_default();
        let mut document: Json = serde_json::from_str(&text).unwrap_or_default();
        let is_ours = document["format"].as_i64() == Some(FORMAT);
        let runs = document.get_mut("runs").filter(|_| is_ours).map(Json::take);
        let runs = match runs {
            Some(Json::Object(runs)) => runs,
            _ => Map::new(),
        };
        Self { path, runs, written: Instant::now() }
    }

    /// A number of a run with these weights.
    pub(super) fn get(&self, run: &str, weights: &str, key: &str) -> Option<&Json> {
        let kept = self.runs.get(run)?;
        (kept["weights"] == weights).then(|| kept.get(key)).flatten()
    }

    /// Keep one. Those of other weights are forgotten.
    pub(super) fn put(&mut self, run: &str, weights: &str, key: &str, value: Json) {
        let kept = self.runs.entry(run).or_insert(Json::Null);
        if kept["weights"] != weights {
            *kept = json!({"weights": weights});
        }
        kept[key] = value;
    }

    /// Write the file if that was not done lately: of thousands of runs it is long.
    pub(super) fn write_now_and_then(&mut self, watch: &dyn Watch) {
        if self.written.elapsed() > WRITE_EVERY {
            self.write(watch);
            self.written = Instant::now();
        }
    }

    /// Write the file. Where nothing may be written, the numbers are good all the same.
    pub(super) fn write(&self, watch: &dyn Watch) {
        let document = json!({"format": FORMAT, "runs": self.runs});
        if let Err(source) = files::write(&self.path, format!("{document:#}\n").as_bytes()) {
            watch.note(&format!("not kept for the next time: {source}"));
        }
    }
}

impl Study {
    /// What tells the weights of each of these runs from others: checksum and length of their file.
    pub(super) fn weights_of(&self, runs: &[&Planned]) -> Result<Vec<String>> {
        runs.par_iter().map(|run| checksum(&self.directory_of(run).join(MODEL))).collect()
    }
}

fn checksum(path: &Path) -> Result<String> {
    let bytes = fs::read(path).map_err(|source| MeasureError::io("read", path, &source))?;
    Ok(format!("{:08x}-{}", crc32c::crc32c(&bytes), bytes.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use unbraid_measure::watch::Nobody;

    #[test]
    fn what_is_kept_is_of_these_weights_and_garbage_is_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("udr.json");
        fs::write(&path, "{\"format\": 1, \"runs\": {\"a\"").unwrap();
        let mut kept = Kept::open(path.clone());
        kept.put("a", "w1", "udr", json!(0.5));
        kept.put("a", "w1", "mig", json!([0.1, null]));
        kept.write(&Nobody);

        let mut kept = Kept::open(path);
        assert_eq!(kept.get("a", "w1", "mig"), Some(&json!([0.1, null])));
        assert_eq!(kept.get("a", "w2", "udr"), None);
        kept.put("a", "w2", "udr", json!(0.7));
        assert_eq!((kept.get("a", "w1", "udr"), kept.get("a", "w2", "mig")), (None, None));
    }
}
