//! The run directory: where training, scoring, reports and other programs meet. `files.rs` has the names of
//! its files; `docs/run-directory.md` is the specification.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};
use toml::{Table, Value};
use unbraid_measure::Error as MeasureError;
use unbraid_measure::files::{create_directory, is_draft, read_text, write};
use unbraid_measure::rng::Rng;

use super::config::{self, Config, FORMAT};
use super::files;
use super::plan::Plan;
use crate::error::{Error, Result};
use crate::model::batch::Seen;
use crate::model::learner::{Learner, Terms};
use crate::model::rotation::Turned;
use crate::model::weights::{self, WeightsFile};

/// One training's directory.
#[derive(Clone, Debug)]
pub struct Run {
    directory: PathBuf,
    config: Config,
}

impl Run {
    /// Start a run: the directory with its `run.toml`, so that from here on it can be resumed.
    pub fn create(directory: impl AsRef<Path>, plan: &Plan) -> Result<Self> {
        let directory = directory.as_ref().to_path_buf();
        Self::check_free(&directory)?;
        create_directory(&directory)?;
        let mut table = Table::new();
        table.insert("format".into(), Value::Integer(FORMAT));
        table.insert("unbraid".into(), Value::String(VERSION.into()));
        table.extend(plan.config.to_table());
        let text = toml::to_string(&table).expect("a configuration is plain TOML");
        let run = Self { directory, config: plan.config.clone() };
        write(run.file(files::SETTINGS), text.as_bytes())?;
        Ok(run)
    }

    /// Whether a new run may be put here; refuses a directory with anything in it.
    pub fn check_free(directory: &Path) -> Result<()> {
        if Self::exists(directory) {
            let reason = "already holds a run; go on with --resume, or choose another --out";
            return Err(Error::run(directory, reason));
        }
        if fs::read_dir(directory).is_ok_and(|mut entries| entries.any(|e| is_visible(&e))) {
            let reason = "is not empty and holds no run; choose a new directory for --out";
            return Err(Error::run(directory, reason));
        }
        Ok(())
    }

    /// Open a run that exists.
    pub fn open(directory: impl AsRef<Path>) -> Result<Self> {
        let directory = directory.as_ref().to_path_buf();
        if !Self::exists(&directory) {
            let reason = "is no run directory (it has no run.toml); `unbraid train` makes one";
            return Err(Error::run(directory, reason));
        }
        let path = directory.join(files::SETTINGS);
        let table = config::read_table(&path)?;
        match table.get("format").and_then(Value::as_integer) {
            Some(format) if format <= FORMAT => {}
            Some(format) => return Err(newer(&path, format)),
            None => return Err(Error::run(path, "has no `format` number; is it a run.toml?")),
        }
        let config = Config::from_table(table)
            .map_err(|source| Error::run(&path, format!("cannot be used: {source}")))?;
        Ok(Self { directory, config })
    }

    /// Whether there is a run in this directory.
    pub fn exists(directory: impl AsRef<Path>) -> bool {
        directory.as_ref().join(files::SETTINGS).is_file()
    }

    /// What the run was started with.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The directory itself.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The path of a file of the run, by its name in [`files`].
    pub fn file(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// The trained method; needs `model.safetensors`.
    pub fn learner(&self, plan: &Plan) -> Result<Box<dyn Learner>> {
        let path = self.file(files::MODEL);
        if !path.is_file() {
            return Err(self.unfinished("has no model yet"));
        }
        let file = read_weights(&path)?;
        let mut learner = plan.build(&self.directory, &Rng::new(0))?;
        learner.set_weights(file.weights).map_err(|source| Error::run(path, source.to_string()))?;
        Ok(match &self.config.rotation {
            None => learner,
            Some(direction) => {
                let latents = learner.encode(&Seen::of(&*plan.data, &[0])).ncols();
                Box::new(Turned::new(learner, direction, latents)?)
            }
        })
    }

    /// A finished run with the weights of this one and its codes turned, in a directory of its own.
    pub fn turned(&self, directory: &Path, plan: &Plan) -> Result<Self> {
        let bytes = fs::read(self.file(files::MODEL))
            .map_err(|source| MeasureError::io("read", self.file(files::MODEL), &source))?;
        let run = Self::create(directory, plan)?;
        write(run.file(files::MODEL), &bytes)?;
        Ok(run)
    }

    /// Write a checkpoint and the model as they are after `done` steps.
    ///
    /// The checkpoint is one file, so that no crash can leave weights of one step beside the
    /// optimiser of another. A weight that is no number is refused, and the last one stays.
    pub fn save(&self, learner: &dyn Learner, done: u64) -> Result<()> {
        let weights = learner.weights();
        if let Some((name, value)) = weights::not_finite(&weights) {
            let term = format!("weight `{name}`");
            return Err(Error::NotFinite { step: done, term, value, kept: self.kept() });
        }
        create_directory(self.file(files::RESUME))?;
        let about = json!({"format": FORMAT, "model": self.config.model_name(), "step": done});
        let about = about.to_string();
        let optimizer = learner.optimizer_state();
        let blobs: &[(&str, &[u8])] = &[("optimizer", &optimizer)];
        write(self.file(files::CHECKPOINT), &weights::to_bytes(&weights, blobs, &about))?;
        write(self.file(files::MODEL), &weights::to_bytes(&weights, &[], &about))?;
        self.forget_results()
    }

    /// Bring a fresh learner to where the last checkpoint was; returns the steps already done.
    /// Rows of the log beyond it are dropped: they will be written again, and the same.
    pub fn restore(&self, learner: &mut dyn Learner) -> Result<u64> {
        self.sweep();
        let path = self.file(files::CHECKPOINT);
        let mut done = 0;
        if path.is_file() {
            let mut file = read_weights(&path)?;
            let wrong = |reason: String| Error::run(&path, reason);
            let step = file.about["step"].as_u64();
            done = step.ok_or_else(|| wrong("does not say its step; is it damaged?".into()))?;
            let optimizer = file.blobs.remove("optimizer").unwrap_or_default();
            let apply = |learner: &mut dyn Learner| {
                learner.set_weights(file.weights)?;
                learner.set_optimizer_state(&optimizer)
            };
            apply(learner).map_err(|source| wrong(source.to_string()))?;
        }
        self.keep_log_up_to(done)?;
        Ok(done)
    }

    /// Whether every step has been taken and the model written.
    pub fn is_finished(&self) -> Result<bool> {
        Ok(self.steps_of_model()? >= Some(self.config.train.steps))
    }

    /// Refuse a run that still has steps to take.
    pub fn check_finished(&self) -> Result<()> {
        let steps = self.config.train.steps;
        match self.steps_of_model()? {
            Some(done) if done >= steps => Ok(()),
            Some(done) => Err(self.unfinished(&format!("has taken {done} of {steps} steps"))),
            None => Err(self.unfinished("has no model yet")),
        }
    }

    fn unfinished(&self, how: &str) -> Error {
        let reason = format!("{how}; finish training with `unbraid train --resume --out`");
        Error::run(&self.directory, reason)
    }

    /// The steps after which the model was written, if it was.
    fn steps_of_model(&self) -> Result<Option<u64>> {
        let path = self.file(files::MODEL);
        match path.is_file() {
            true => Ok(read_weights(&path)?.about["step"].as_u64()),
            false => Ok(None),
        }
    }

    /// What is left to go on from, in words.
    pub fn kept(&self) -> String {
        let step = read_weights(&self.file(files::CHECKPOINT)).ok();
        match step.and_then(|file| file.about["step"].as_u64()) {
            Some(step) => format!("the checkpoint of step {step} is kept"),
            None => "there is no checkpoint yet".into(),
        }
    }

    /// The log, for appending.
    pub fn log(&self) -> Result<Log> {
        let path = self.file(files::LOG);
        let file = OpenOptions::new().create(true).append(true).open(&path);
        Ok(Log { file: file.map_err(|source| MeasureError::io("write", &path, &source))?, path })
    }

    /// The rows of the log; none where there is no log.
    pub fn log_rows(&self) -> Result<Vec<serde_json::Map<String, Json>>> {
        let path = self.file(files::LOG);
        if !path.is_file() {
            return Ok(vec![]);
        }
        let text = read_text(&path)?;
        // A killed process can leave half a row at the end; it is no JSON and passed over.
        Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
    }

    /// Remove what was made from an earlier state of the weights.
    fn forget_results(&self) -> Result<()> {
        for path in files::results().map(|name| self.file(name)).filter(|path| path.exists()) {
            fs::remove_file(&path).map_err(|source| MeasureError::io("remove", &path, &source))?;
        }
        Ok(())
    }

    /// A JSON document of the run, if it is there.
    pub fn document(&self, name: &str) -> Result<Option<Json>> {
        let path = self.file(name);
        if !path.is_file() {
            return Ok(None);
        }
        let parsed = serde_json::from_str(&read_text(&path)?);
        let document: Json = parsed.map_err(|source| MeasureError::format(&path, source))?;
        match document["format"].as_i64() {
            Some(format) if format > FORMAT => Err(newer(&path, format)),
            _ => Ok(Some(document)),
        }
    }

    /// Write a JSON document of the run.
    pub fn write_document(&self, name: &str, document: &Json) -> Result<()> {
        self.write(name, format!("{document:#}\n").as_bytes())
    }

    /// Write a file of the run, whole or not at all.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        Ok(write(self.file(name), bytes)?)
    }

    /// Remove the unfinished files of a process that was killed while writing.
    fn sweep(&self) {
        let places = [self.directory.clone(), self.file(files::RESUME)];
        for entry in places.iter().filter_map(|place| fs::read_dir(place).ok()).flatten().flatten()
        {
            if is_draft(&entry.path()) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    fn keep_log_up_to(&self, done: u64) -> Result<()> {
        let path = self.file(files::LOG);
        if !path.exists() {
            return Ok(());
        }
        let bytes = fs::read(&path).map_err(|source| MeasureError::io("read", &path, &source))?;
        let text = String::from_utf8_lossy(&bytes);
        // A killed process can leave half a row at the end; it is no JSON and goes too.
        let kept = text.split_inclusive('\n').filter(|line| {
            let row: Option<Json> = serde_json::from_str(line).ok();
            let step = row.and_then(|row| row["step"].as_u64());
            line.ends_with('\n') && step.is_some_and(|step| step <= done)
        });
        Ok(write(&path, kept.collect::<String>().as_bytes())?)
    }
}

/// The log of a run. It holds nothing that differs between two equal trainings (no times: those are
/// in the TensorBoard events), so that equal runs have equal logs, byte for byte.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    file: File,
}

impl Log {
    /// One row: the step and each term of the loss.
    pub fn row(&mut self, step: u64, terms: &Terms) -> Result<()> {
        let mut row = serde_json::Map::from_iter([("step".to_string(), json!(step))]);
        // Through text: the shortest digits that give the same f32 back, not those of its f64.
        let shortest =
            |value: &f32| value.to_string().parse::<f64>().map_or(Json::Null, Json::from);
        row.extend(terms.iter().map(|(name, value)| (name.to_string(), shortest(value))));
        let line = format!("{}\n", Json::Object(row));
        let written = self.file.write_all(line.as_bytes());
        Ok(written.map_err(|source| MeasureError::io("write", &self.path, &source))?)
    }

    /// Bring the rows to the disk. Before a checkpoint, which counts them as written.
    pub fn sync(&self) -> Result<()> {
        let synced = self.file.sync_data();
        Ok(synced.map_err(|source| MeasureError::io("write", &self.path, &source))?)
    }
}

/// The version and commit of this program.
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (", env!("UNBRAID_COMMIT"), ")");

fn read_weights(path: &Path) -> Result<WeightsFile> {
    let file = weights::read(path)?;
    match file.about["format"].as_i64() {
        Some(format) if format <= FORMAT => Ok(file),
        Some(format) => Err(newer(path, format)),
        None => Err(Error::run(path, "does not say its format; is it damaged?")),
    }
}

fn newer(path: &Path, format: i64) -> Error {
    Error::run(path, format!("has format {format}, newer than {FORMAT}; update unbraid to read it"))
}

fn is_visible(entry: &std::io::Result<fs::DirEntry>) -> bool {
    entry.as_ref().is_ok_and(|entry| !entry.file_name().to_string_lossy().starts_with('.'))
}
