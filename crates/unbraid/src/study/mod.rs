//! Studies: many runs from one file, and one table of them.
//!
//! A study file is a configuration with two more sections. `[[rows]]` are the rows of the table, each
//! with a name and what it changes; `[vary]` has lists, and every row is run with each combination
//! of them, or of its own `vary = { seed = [0] }`. Runs that differ in nothing but seeds (`seed`, `data.seed`) are averaged.
//!
//! ```toml
//! data.name = "dsprites"
//!
//! [vary]
//! seed = [0, 1, 2]
//!
//! [[rows]]
//! name = "beta-VAE, beta 4"
//! model = { name = "beta-vae", beta = 4.0 }
//! ```
//!
//! The directory of a study holds `study.toml`, `plan/RUN.toml`, `runs/RUN`, `logs/RUN.log` and
//! `seconds.jsonl`; all but the last can be made again.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};
use toml::{Table, Value};
use unbraid_measure::{Error as MeasureError, files};

use crate::error::{Error, Result};
use crate::run::Run;
use crate::run::config::{self, Config};
use crate::run::files::SCORES;

pub mod reproduce;
mod table;
mod work;

pub(crate) use table::markdown;
pub use table::{Cell, Gathered, Line};
pub use work::Ended;

/// A study in its directory.
#[derive(Debug)]
pub struct Study {
    directory: PathBuf,
    /// Every run, row by row.
    pub runs: Vec<Planned>,
    /// The columns of the table, if the file names them.
    columns: Vec<String>,
    /// Of which settings the file has names of an earlier version, a line for each.
    pub notes: Vec<String>,
}

/// A run of a study.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// The name of its directory.
    pub name: String,
    /// The row of the table it belongs to.
    pub row: String,
    /// The name of that row in the file.
    pub family: String,
    /// What of `[vary]` sets it apart from other runs of its row, seeds left out.
    pub at: Vec<(String, Value)>,
    /// Its configuration.
    pub config: Table,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Not begun.
    Waiting,
    /// Begun, and to be resumed.
    Begun,
    /// Trained, but not scored.
    Trained,
    /// Scored.
    Done,
}

impl State {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Begun => "begun",
            Self::Trained => "trained",
            Self::Done => "done",
        }
    }
}

impl Study {
    /// Plan a study: check every run, then write the directory.
    pub fn create(directory: &Path, file: &Table) -> Result<Self> {
        let (mut runs, columns) = expand(file)?;
        let notes = rename(&mut runs)?;
        for run in &runs {
            Config::from_table(run.config.clone())?.resolve().map_err(|source| {
                Error::Unable(format!("run `{}` cannot be planned: {source}", run.name))
            })?;
        }
        let study = Self { directory: directory.to_path_buf(), runs, columns, notes };
        if study.file().exists() {
            let reason = "already holds a study; go on with `unbraid study work`";
            return Err(Error::run(directory, reason));
        }
        for part in ["plan", "runs", "logs"] {
            files::create_directory(directory.join(part))?;
        }
        for run in &study.runs {
            let text = toml::to_string(&run.config).expect("a configuration is plain TOML");
            files::write(study.plan_of(run), text.as_bytes())?;
        }
        let text = toml::to_string(file).expect("what was read as TOML can be written");
        // Last: a directory with this file is complete.
        files::write(study.file(), text.as_bytes())?;
        Ok(study)
    }

    /// Open a study that was planned.
    pub fn open(directory: &Path) -> Result<Self> {
        let path = directory.join("study.toml");
        if !path.is_file() {
            let reason = "is no study (it has no study.toml); `unbraid study plan` makes one";
            return Err(Error::run(directory, reason));
        }
        let (mut runs, columns) = expand(&config::read_table(&path)?)?;
        let notes = rename(&mut runs)?;
        Ok(Self { directory: directory.to_path_buf(), runs, columns, notes })
    }

    /// Whether its runs are those of a study file, in any order: TOML that was written again has plain
    /// values before sections, and lists of `[vary]` may have changed places. Nor does it matter which
    /// version wrote the names of settings.
    pub fn is_that_of(&self, file: &Table) -> Result<bool> {
        let by_name = |mut runs: Vec<Planned>| {
            runs.sort_by(|a, b| a.name.cmp(&b.name));
            runs
        };
        let mut runs = expand(file)?.0;
        rename(&mut runs)?;
        Ok(by_name(runs) == by_name(self.runs.clone()))
    }

    /// Take the study for this process; refused while another has it. Ends with the process.
    pub fn lock(&self) -> Result<File> {
        let path = self.directory.join("lock");
        let file =
            File::create(&path).map_err(|source| MeasureError::io("write", &path, &source))?;
        let busy = "is being worked on by another process; wait for it, or stop it";
        file.try_lock().map_err(|_| Error::run(&self.directory, busy))?;
        Ok(file)
    }

    /// How far a run is.
    pub fn state(&self, run: &Planned) -> Result<State> {
        let directory = self.directory_of(run);
        if !Run::exists(&directory) {
            return Ok(State::Waiting);
        }
        let opened = Run::open(&directory)?;
        Ok(match (opened.is_finished()?, opened.file(SCORES).is_file()) {
            (false, _) => State::Begun,
            (true, false) => State::Trained,
            (true, true) => State::Done,
        })
    }

    /// The directory of a run.
    pub fn directory_of(&self, run: &Planned) -> PathBuf {
        self.directory.join("runs").join(&run.name)
    }

    /// The configuration of a run.
    pub fn plan_of(&self, run: &Planned) -> PathBuf {
        self.directory.join("plan").join(format!("{}.toml", run.name))
    }

    /// What a run said.
    pub fn log_of(&self, run: &Planned) -> PathBuf {
        self.directory.join("logs").join(format!("{}.log", run.name))
    }

    /// Note how long a run has been worked on.
    pub fn add_seconds(&self, run: &Planned, seconds: f64) -> Result<()> {
        let path = self.seconds_file();
        let line = format!("{}\n", json!({"run": run.name, "seconds": seconds}));
        let written = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .and_then(|mut file| file.write_all(line.as_bytes()));
        Ok(written.map_err(|source| MeasureError::io("write", &path, &source))?)
    }

    /// How long each run has been worked on, in all, by its name.
    fn seconds(&self) -> HashMap<String, f64> {
        let text = fs::read_to_string(self.seconds_file()).unwrap_or_default();
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

    fn seconds_file(&self) -> PathBuf {
        self.directory.join("seconds.jsonl")
    }

    /// Where the table is written.
    pub fn table_file(&self) -> PathBuf {
        self.directory.join("table.csv")
    }
}

/// Give settings the names they have now; what is to be said of it, once.
fn rename(runs: &mut [Planned]) -> Result<Vec<String>> {
    let mut notes = Vec::new();
    for run in runs {
        let found = config::renamed(&mut run.config)?;
        notes.extend(found.into_iter().filter(|note| !notes.contains(note)).collect::<Vec<_>>());
    }
    Ok(notes)
}

/// The runs of a study file, and the columns of its table.
fn expand(file: &Table) -> Result<(Vec<Planned>, Vec<String>)> {
    let mut base = file.clone();
    let vary = match base.remove("vary") {
        None => vec![],
        Some(Value::Table(vary)) => lists(&vary, "")?,
        Some(_) => return Err(Error::setting("vary", "must be a section of lists: [vary]")),
    };
    let rows: Vec<Table> = match base.remove("rows") {
        None => vec![Table::new()],
        Some(rows) => rows
            .try_into()
            .map_err(|_| Error::setting("rows", "must be a list of tables: [[rows]]"))?,
    };
    let columns = match base.remove("columns") {
        None => vec![],
        Some(columns) => {
            columns.try_into().map_err(|_| Error::setting("columns", "must be a list of words"))?
        }
    };
    let mut runs: Vec<Planned> = Vec::new();
    for mut row in rows {
        let vary = of_row(&mut row, &vary)?;
        for values in combinations(&vary) {
            let run = planned(&base, &row, &vary, &values)?;
            if runs.iter().any(|other| other.name == run.name) {
                let reason = format!("has two runs called `{}`; give rows other names", run.name);
                return Err(Error::setting("rows", reason));
            }
            runs.push(run);
        }
    }
    Ok((runs, columns))
}

/// The lists of a row: its own `vary` in place of those of the file.
fn of_row(row: &mut Table, vary: &[(String, Vec<Value>)]) -> Result<Vec<(String, Vec<Value>)>> {
    let own = match row.remove("vary") {
        None => return Ok(vary.to_vec()),
        Some(Value::Table(own)) => lists(&own, "")?,
        Some(_) => return Err(Error::setting("rows.vary", "must be a section of lists")),
    };
    if let Some((key, _)) = own.iter().find(|(key, _)| vary.iter().all(|(known, _)| known != key)) {
        let reason =
            format!("has `{key}`, which is not in [vary]; a row can only change its lists");
        return Err(Error::setting("rows.vary", reason));
    }
    let list = |(key, list): &(String, Vec<Value>)| {
        let own = own.iter().find(|(name, _)| name == key);
        (key.clone(), own.map_or(list, |(_, own)| own).clone())
    };
    Ok(vary.iter().map(list).collect())
}

fn planned(
    base: &Table,
    row: &Table,
    vary: &[(String, Vec<Value>)],
    values: &[Value],
) -> Result<Planned> {
    let mut row = row.clone();
    let title = match row.remove("name") {
        None => String::new(),
        Some(Value::String(name)) => name,
        Some(other) => return Err(Error::setting("rows.name", format!("cannot be {other}"))),
    };
    let mut config = config::overlaid(base.clone(), row);
    let (family, mut at) = (title.clone(), Vec::new());
    let (mut title, mut seed) = (title, String::new());
    for ((key, _), value) in vary.iter().zip(values) {
        config::put(&mut config, key, value.clone())?;
        let word = match value {
            Value::String(word) => word.clone(),
            other => other.to_string(),
        };
        let short = key.rsplit('.').next().unwrap_or(key);
        if short == "seed" {
            // `seed` is the run's, `data.seed` that of its data.
            let _ = write!(seed, "-{}-{word}", key.replace('.', "-"));
        } else {
            title = [title.as_str(), " ", short, " ", &word].concat().trim().to_string();
            at.push((key.clone(), value.clone()));
        }
    }
    if title.is_empty() {
        title = "run".into();
    }
    let name = format!("{}{seed}", plain(&title));
    Ok(Planned { name, row: title, family, at, config })
}

/// A name that any file system takes.
fn plain(title: &str) -> String {
    let spelled = [('α', "alpha"), ('β', "beta"), ('γ', "gamma"), ('λ', "lambda")];
    let title = spelled
        .iter()
        .fold(title.to_lowercase(), |text, (letter, word)| text.replace(*letter, word));
    let words = title.split(|c: char| !(c.is_ascii_alphanumeric() || c == '.'));
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-")
}

/// The lists under `[vary]`, by dotted key.
fn lists(section: &Table, under: &str) -> Result<Vec<(String, Vec<Value>)>> {
    let mut found = Vec::new();
    for (key, value) in section {
        let key = format!("{under}{key}");
        match value {
            Value::Array(values) if !values.is_empty() => found.push((key, values.clone())),
            Value::Table(inner) => found.extend(lists(inner, &format!("{key}."))?),
            _ => {
                let reason = "must be a list with at least one value";
                return Err(Error::setting(format!("vary.{key}"), reason));
            }
        }
    }
    Ok(found)
}

/// Every choice of one value from each list; the last list moves fastest.
fn combinations(lists: &[(String, Vec<Value>)]) -> Vec<Vec<Value>> {
    let mut all: Vec<Vec<Value>> = vec![vec![]];
    for (_, values) in lists {
        let mut longer = Vec::with_capacity(all.len() * values.len());
        for chosen in &all {
            longer
                .extend(values.iter().map(|value| [chosen, std::slice::from_ref(value)].concat()));
        }
        all = longer;
    }
    all
}

#[cfg(test)]
mod tests;
