//! The run directory: where training, scoring, reports and other programs meet. `files.rs` has the names of
//! its files; `docs/run-directory.md` is the specification.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;
use toml::{Table, Value};
use unbraid_measure::Error as MeasureError;
use unbraid_measure::files::checksum::{self, Seal};
use unbraid_measure::files::lock::Lock;
use unbraid_measure::files::{create_directory, is_draft, read_text, write};
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::Watch;

use super::config::{self, Config, FORMAT};
use super::files;
use super::log::{self, Log, Mark};
use super::plan::Plan;
use crate::error::{Error, Result};
use crate::model::batch::Seen;
use crate::model::learner::Learner;
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
        // Of two that start at once one does: the other finds the run of the first.
        let _lock = Lock::take(&directory, "starting a run")?;
        Self::check_free(&directory)?;
        let mut table = Table::new();
        table.insert("format".into(), Value::Integer(FORMAT));
        table.insert("unbraid".into(), Value::String(VERSION.into()));
        table.extend(plan.config.to_table());
        let text = toml::to_string(&table).expect("a configuration is plain TOML");
        let mut text = format!("{text}\n# checksum: {}\n", checksum::ROOM).into_bytes();
        checksum::seal(&mut text);
        let run = Self { directory, config: plan.config.clone() };
        write(run.file(files::SETTINGS), &text)?;
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
        check_settings(&path)?;
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

    /// Keep other processes from writing here, for as long as the lock is held; refused while one does.
    pub fn lock(&self, doing: &str) -> Result<Lock> {
        Ok(Lock::take(&self.directory, doing)?)
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
    /// optimiser of another; it knows how far the log was. A weight that is no number is refused, and the last one stays.
    pub fn save(&self, learner: &dyn Learner, done: u64, log: Option<&Mark>) -> Result<()> {
        let weights = learner.weights();
        if let Some((name, value)) = weights::not_finite(&weights) {
            let term = format!("weight `{name}`");
            return Err(Error::NotFinite { step: done, term, value, kept: self.kept() });
        }
        create_directory(self.file(files::RESUME))?;
        let mut about = weights::Map::new();
        about.insert("format".into(), FORMAT.into());
        about.insert("model".into(), self.config.model_name().into());
        about.insert("step".into(), done.into());
        let model = weights::to_sealed_bytes(&weights, &[], &about);
        about.extend(log.map(|mark| ("log".to_string(), mark.to_json())));
        let optimizer = learner.optimizer_state();
        let blobs: &[(&str, &[u8])] = &[("optimizer", &optimizer)];
        write(self.file(files::CHECKPOINT), &weights::to_sealed_bytes(&weights, blobs, &about))?;
        write(self.file(files::MODEL), &model)?;
        self.forget_results()
    }

    /// Bring a fresh learner to where the last checkpoint was; returns the steps already done.
    /// Rows of the log beyond it are dropped: they will be written again, and the same. What is wrong with the log is
    /// told.
    pub fn restore(&self, learner: &mut dyn Learner, watch: &dyn Watch) -> Result<u64> {
        let path = self.file(files::CHECKPOINT);
        let (mut done, mut mark) = (0, None);
        if path.is_file() {
            let mut file = read_weights(&path)?;
            if !file.sealed {
                watch.note(&format!(
                    "{}: has no checksum; an earlier unbraid wrote it",
                    path.display()
                ));
            }
            mark = Mark::of(&file.about);
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
        let path = self.file(files::LOG);
        let kept = log::up_to(&path, done, mark.as_ref())?;
        if let Some(wrong) = &kept.wrong {
            watch.note(&format!(
                "{}: {wrong}; the weights are whole, training goes on",
                path.display()
            ));
        }
        kept.write(&path)?;
        Ok(done)
    }

    /// Whether every step has been taken and the model written, and can be read.
    pub fn is_finished(&self) -> Result<bool> {
        match self.steps_of_model() {
            // It is written anew from there.
            Err(_) if read_weights(&self.file(files::CHECKPOINT)).is_ok() => Ok(false),
            steps => Ok(steps? >= Some(self.config.train.steps)),
        }
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
        Log::open(self.file(files::LOG))
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
        Ok(self.document_as_written(name)?.map(|(document, _)| document))
    }

    /// The same, and whether it had a checksum.
    pub(super) fn document_as_written(&self, name: &str) -> Result<Option<(Json, Seal)>> {
        let path = self.file(name);
        if !path.is_file() {
            return Ok(None);
        }
        let text = read_text(&path)?;
        let seal = checksum::check(text.as_bytes(), 0..text.len());
        if seal == Seal::Broken {
            let reason =
                "is damaged: its checksum differs from what is in it; remove it and make it again";
            return Err(Error::run(path, reason));
        }
        let parsed = serde_json::from_str(&text);
        let mut document: Json = parsed.map_err(|source| MeasureError::format(&path, source))?;
        if let Some(keys) = document.as_object_mut() {
            keys.shift_remove(SUM);
        }
        match document["format"].as_i64() {
            Some(format) if format > FORMAT => Err(newer(&path, format)),
            _ => Ok(Some((document, seal))),
        }
    }

    /// Write a JSON document of the run.
    pub fn write_document(&self, name: &str, document: &Json) -> Result<()> {
        let mut sealed = document.clone();
        sealed[SUM] = checksum::ROOM.into();
        let mut text = format!("{sealed:#}\n").into_bytes();
        checksum::seal(&mut text);
        self.write(name, &text)
    }

    /// Write a file of the run, whole or not at all.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        Ok(write(self.file(name), bytes)?)
    }

    /// Remove the unfinished files of a process that was killed while writing. Whoever calls has the lock.
    pub(crate) fn sweep(&self) {
        let places = [self.directory.clone(), self.file(files::RESUME)];
        for entry in places.iter().filter_map(|place| fs::read_dir(place).ok()).flatten().flatten()
        {
            if is_draft(&entry.path()) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// The version and commit of this program.
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (", env!("UNBRAID_COMMIT"), ")");

/// The key of a checksum in a document.
const SUM: &str = "checksum";

/// Refuse settings that are not as they were written: a run is what it was started with.
pub(crate) fn check_settings(path: &Path) -> Result<Seal> {
    let bytes = fs::read(path).map_err(|source| MeasureError::io("read", path, &source))?;
    match checksum::check(&bytes, 0..bytes.len()) {
        Seal::Broken => {
            let reason = "is not as it was written: its checksum differs; put it back, or, if you changed it and mean it, \
                          remove the line `# checksum`";
            Err(Error::run(path, reason))
        }
        seal => Ok(seal),
    }
}

pub(super) fn read_weights(path: &Path) -> Result<WeightsFile> {
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
