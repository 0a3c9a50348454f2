//! Studies: many runs from one file, worked on by any number of processes, and one table of them.
//!
//! A study file is a configuration with a few more sections. `[[rows]]` are the rows of the table, each
//! with a name and what it changes; `[vary]` has lists, and every row is run with each combination
//! of them, or of its own `vary = { seed = [0] }`. `[across]` has lists too, and all of that is run for each of
//! them. Runs that differ in nothing but seeds (`seed`, `data.seed`) are averaged.
//!
//! ```toml
//! [across]
//! data.name = ["dsprites", "cars3d"]
//!
//! [vary]
//! seed = [0, 1, 2]
//!
//! [[rows]]
//! name = "beta-VAE"
//! model.name = "beta-vae"
//! vary.model.beta = [1, 4]
//! ```
//!
//! | in the directory of a study | |
//! |---|---|
//! | `study.toml` | the file, and the version that planned it |
//! | `runs/RUN` | a run at rest: done, or to be gone on with |
//! | `work/RUN.3` | a run that is worked on, by the third attempt |
//! | `attempts/RUN.3.json` | who made that attempt and how it ended: see `attempts.rs` |
//! | `workers/NAME` | who is at work: see `workers.rs` |
//! | `plan/RUN.toml`, `logs/RUN.log` | its configuration, and what it said |

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value as Json;
use toml::{Table, Value};
use unbraid_measure::files::checksum;
use unbraid_measure::files::lock::Lock;
use unbraid_measure::{Error as MeasureError, files};

use crate::error::{Error, Result};
use crate::run::config::{self, Config};
use crate::run::files::SCORES;
use crate::run::{VERSION, check_settings};

pub mod analyse;
mod attempts;
pub mod choose;
mod crew;
mod file;
pub mod reproduce;
mod results;
pub mod slurm;
mod status;
pub mod submit;
mod table;
mod work;
mod workers;

use attempts::Attempts;
pub use attempts::{Attempt, End};
pub use crew::WORKER;
use file::File;
pub use file::Planned;
pub use status::{Progress, State, Status};
pub(crate) use table::markdown;
pub use table::{Cell, Gathered, Line};
pub use work::{Ended, Orders};

/// A study in its directory.
#[derive(Debug)]
pub struct Study {
    directory: PathBuf,
    /// Every run, row by row.
    pub runs: Vec<Planned>,
    /// The columns of the table, if the file names them.
    columns: Vec<String>,
    /// How long nothing may be heard of a worker before its runs are taken over.
    pub takeover: Duration,
    /// What is to be said of the file, a line for each.
    pub notes: Vec<String>,
}

impl Study {
    /// Plan a study: check every run, then write the directory. A study that is there already takes what is new
    /// in the file; what has changed is refused.
    pub fn create(directory: &Path, file: &Table) -> Result<Self> {
        let mut table = file.clone();
        table.insert("unbraid".into(), Value::String(VERSION.into()));
        let text = toml::to_string(&table).expect("what was read as TOML can be written");
        // As it will be read: sections may change places when written, and runs are numbered in their order.
        let file = File::read(&text.parse().expect("what was written as TOML can be read"))?;
        check(&file.runs)?;
        files::create_directory(directory)?;
        let _lock = Lock::take(directory, "planning")?;
        let mut study = Self::of(directory, file);
        if study.file().exists() {
            let kept = study.check_unchanged()?;
            study.notes.push(format!("{kept} runs were planned before and stay as they are"));
        }
        for part in ["plan", "runs", "work", "logs", "attempts", "workers"] {
            files::create_directory(directory.join(part))?;
        }
        // Last: a directory with this file is complete.
        let mut sealed = format!("{text}\n# checksum: {}\n", checksum::ROOM).into_bytes();
        checksum::seal(&mut sealed);
        files::write(study.file(), &sealed)?;
        Ok(study)
    }

    /// Open a study that was planned.
    pub fn open(directory: &Path) -> Result<Self> {
        let path = directory.join("study.toml");
        if !path.is_file() {
            let reason = "is no study (it has no study.toml); `unbraid study plan` makes one";
            return Err(Error::run(directory, reason));
        }
        check_settings(&path)?;
        let mut file = File::read(&config::read_table(&path)?)?;
        let planned = file.version.take().filter(|version| version != VERSION);
        let other = planned.map(|version| {
            format!("planned by unbraid {version}, this is {VERSION}; each result says its version")
        });
        file.notes.extend(other);
        // A study of an earlier version has fewer parts.
        for part in ["plan", "work", "attempts", "workers"] {
            if !directory.join(part).is_dir() {
                // What cannot be written can still be read.
                let _ = files::create_directory(directory.join(part));
            }
        }
        Ok(Self::of(directory, file))
    }

    fn of(directory: &Path, file: File) -> Self {
        let File { runs, columns, takeover, notes, .. } = file;
        Self { directory: directory.to_path_buf(), runs, columns, takeover, notes }
    }

    /// Whether every run that is there already is in this plan as it was; how many there are.
    fn check_unchanged(&self) -> Result<usize> {
        let there = Self::open(&self.directory)?;
        let mine: HashMap<&str, &Table> =
            self.runs.iter().map(|run| (run.name.as_str(), &run.config)).collect();
        for run in &there.runs {
            let changed = match mine.get(run.name.as_str()) {
                Some(config) if **config == run.config => continue,
                Some(_) => "has other settings in this file",
                None => "is not in this file",
            };
            let reason = format!(
                "already holds a study whose run `{}` {changed}; runs can be added, not changed: \
                 give changed rows another name, or plan the file in another directory",
                run.name
            );
            return Err(Error::run(&self.directory, reason));
        }
        Ok(there.runs.len())
    }

    /// Whether its runs are those of a study file, in any order: TOML that was written again has plain
    /// values before sections, and lists of `[vary]` may have changed places. Nor does it matter which
    /// version wrote the names of settings.
    pub fn is_that_of(&self, file: &Table) -> Result<bool> {
        let by_name = |runs: &[Planned]| {
            let mut runs: Vec<(String, Table)> =
                runs.iter().map(|run| (run.name.clone(), run.config.clone())).collect();
            runs.sort_by(|a, b| a.0.cmp(&b.0));
            runs
        };
        Ok(by_name(&File::read(file)?.runs) == by_name(&self.runs))
    }

    /// Whether a run is trained and scored. New weights make old scores vanish, so the scores say both.
    pub fn is_done(&self, run: &Planned) -> bool {
        self.directory_of(run).join(SCORES).is_file()
    }

    /// The directory of a run at rest.
    pub fn directory_of(&self, run: &Planned) -> PathBuf {
        self.directory.join("runs").join(&run.name)
    }

    /// The configuration of a run.
    fn plan_of(&self, run: &Planned) -> PathBuf {
        self.directory.join("plan").join(format!("{}.toml", run.name))
    }

    /// What a run said.
    pub fn log_of(&self, run: &Planned) -> PathBuf {
        self.directory.join("logs").join(format!("{}.log", run.name))
    }

    fn attempts(&self) -> Attempts {
        Attempts::of(&self.directory)
    }

    /// How long each run was worked on by earlier versions, which noted it in one file.
    fn seconds_before(&self) -> HashMap<String, f64> {
        let text = fs::read_to_string(self.directory.join("seconds.jsonl")).unwrap_or_default();
        let mut seconds = HashMap::new();
        for row in text.lines().filter_map(|line| serde_json::from_str::<Json>(line).ok()) {
            if let (Some(run), Some(spent)) = (row["run"].as_str(), row["seconds"].as_f64()) {
                *seconds.entry(run.to_string()).or_default() += spent;
            }
        }
        seconds
    }

    fn file(&self) -> PathBuf {
        self.directory.join("study.toml")
    }

    /// Where the table is written.
    pub fn table_file(&self) -> PathBuf {
        self.directory.join("table.csv")
    }
}

/// Check that every run can work. Runs that differ in their seed alone are alike in that. Data that are not on this
/// machine are all named at once.
fn check(runs: &[Planned]) -> Result<()> {
    let (mut seen, mut missing) = (HashSet::new(), Vec::new());
    for run in runs {
        let mut alike = run.config.clone();
        alike.remove("seed");
        let data = run.data().unwrap_or_default();
        if missing.contains(&data)
            || !seen.insert(toml::to_string(&alike).expect("a configuration is plain TOML"))
        {
            continue;
        }
        match Config::from_table(run.config.clone())?.resolve() {
            Ok(_) => {}
            Err(Error::Measure(MeasureError::NotHere(_))) => missing.push(data),
            Err(source) => {
                let reason = format!("run `{}` cannot be planned: {source}", run.name);
                return Err(Error::Unable(reason));
            }
        }
    }
    match &missing[..] {
        [] => Ok(()),
        names => Err(Error::Unable(format!(
            "not on this machine yet: {}; `unbraid data fetch` or `unbraid data import` brings them, \
             or leave them out with --leave-out {}",
            names.join(", "),
            names.join(",")
        ))),
    }
}

#[cfg(test)]
mod tests;
