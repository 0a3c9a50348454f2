//! The configuration of a run: one TOML file, `--set` for any key, unknown keys refused.
//!
//! [`Config`] is what the user gave; [`Plan`] is the same with every default filled in, the data
//! opened and everything checked, so that no mistake of a user surfaces after training has started.

use serde::{Deserialize, Serialize};
use toml::{Table, Value};
use unbraid_measure::data::variant::binarized::Binarized;
use unbraid_measure::data::{self, Dataset, Sampler};
use unbraid_measure::info::did_you_mean;
use unbraid_measure::rng::Rng;
use unbraid_measure::{metrics, settings};

use super::base::Base;
use crate::compute::device::Processor;
use crate::error::{Error, Result};
use crate::model::Task;
use crate::model::entry::{Entry, Method};
use crate::model::learner::Learner;
use crate::models;
use crate::parts::schedule::Schedule;

mod renamed;
mod table;

pub use renamed::renamed;
pub use table::{data_by_name_or_path, overlaid, put, read_table, set};

/// The number of the format of `run.toml`.
pub const FORMAT: i64 = 1;

/// More threads than any machine has: a typing error.
const MOST_THREADS: usize = 1024;

/// The keys of `[train]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainSettings {
    /// Gradient steps. Locatello et al. 2019 took 300,000; 20,000 show what a model does.
    pub steps: u64,
    /// Rows per step.
    pub batch: usize,
    /// Adam's learning rate, or a schedule of it. The study used 1e-4 for its 300,000 steps.
    pub learning_rate: Schedule,
    /// Whether numbers from 0 to 1 are drawn to be 0 or 1 at every look, for likelihoods of grey images.
    pub binarize: bool,
    /// The log interval in steps.
    pub log_every: u64,
    /// The checkpoint interval in steps: how much a crash can lose.
    pub checkpoint_every: u64,
    /// Threads; 0 for all that the machine has. Results are equal for equal numbers of threads.
    pub threads: usize,
    /// "cpu", or "gpu" in a program built with `--features wgpu`.
    pub device: Processor,
}

impl Default for TrainSettings {
    fn default() -> Self {
        Self {
            steps: 20_000,
            batch: 64,
            learning_rate: 5e-4.into(),
            binarize: false,
            log_every: 100,
            checkpoint_every: 1000,
            threads: 0,
            device: Processor::Cpu,
        }
    }
}

/// The keys of `[score]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScoreSettings {
    /// The metrics to compute, or `["all"]`.
    pub metrics: Vec<String>,
    /// Metrics that are also computed on samples of the posterior, not only on its means.
    pub sampled: Vec<String>,
    /// How many rows are scored, drawn at random if there are more.
    pub rows: usize,
    /// Overrides of `[data]` that select held-out rows, which are then scored too:
    /// `{ fresh = true }` of `mixing`, or `{ variant = { part = "test" } }` after training on "train".
    pub held_out: Table,
    /// Importance samples of the IWAE bound of log p(x), computed with the scores; 0 for none.
    pub bound: usize,
    /// How many rows the bound is computed on, held-out ones if there are any.
    pub bound_rows: usize,
}

impl Default for ScoreSettings {
    fn default() -> Self {
        // Quick ones; all of them take half a minute.
        let metrics = ["mig", "factor-vae-score", "mcc", "mcc-spearman"].map(String::from);
        Self {
            metrics: metrics.into(),
            sampled: vec![],
            rows: 10_000,
            held_out: Table::new(),
            bound: 0,
            bound_rows: 1000,
        }
    }
}

/// Everything that determines a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The seed; every stream of random numbers is derived from it.
    pub seed: u64,
    /// `[data]` with its `name`.
    pub data: Table,
    /// `[model]` with its `name`.
    pub model: Table,
    /// `[train]`
    pub train: TrainSettings,
    /// `[score]`
    pub score: ScoreSettings,
    /// The direction v that rotates the latents of the trained model; see `rotation.rs`.
    pub rotation: Option<Vec<f64>>,
}

/// A configuration with every default filled in, and what it was checked against.
pub struct Plan {
    /// The resolved configuration.
    pub config: Config,
    /// The opened data.
    pub data: Box<dyn Dataset>,
    /// The model or baseline.
    pub entry: &'static Entry,
    /// What the model knows about the data before training.
    pub task: Task,
    /// The method with its settings.
    pub method: Box<dyn Method>,
    /// The finished run that it stands on, if it does.
    pub base: Option<Base>,
}

impl Plan {
    /// The same model with its held-out data, if there are any.
    pub fn held_out(&self) -> Result<Option<Self>> {
        let mut config = self.config.clone();
        let other = std::mem::take(&mut config.score.held_out);
        if other.is_empty() {
            return Ok(None);
        }
        config.data = overlaid(config.data, other);
        // The batch size is that of training, which does not take place here.
        config.train.batch = 1;
        let plan = config.resolve_with(self.entry)?;
        if (plan.task.shape, plan.task.label) != (self.task.shape, self.task.label) {
            let reason = "must name data of the same form as those that were trained on";
            return Err(Error::setting("score.held_out", reason));
        }
        Ok(Some(plan))
    }

    /// The data sampled to 0 and 1 once, where training samples at every access.
    pub fn binarized(&self, rng: Rng) -> Option<Binarized<'_>> {
        self.config.train.binarize.then(|| Binarized::new(&*self.data, rng))
    }

    /// The sampler of training examples.
    pub fn sampler(&self, rng: Rng) -> Result<Sampler<'_>> {
        let (supervision, binarize) = (self.method.supervision(), self.config.train.binarize);
        Ok(Sampler::new(&*self.data, supervision, binarize, rng)?)
    }

    /// A learner with weights initialised from the generator.
    pub fn build(&self, rng: &Rng) -> Result<Box<dyn Learner>> {
        match &self.base {
            None => Ok(self.method.build(&self.task, rng)),
            Some(base) => base.under(self.method.build(&base.task(&self.task), rng)),
        }
    }
}

impl Config {
    /// From a TOML table; refuses unknown sections and keys. Names of earlier versions are
    /// [`renamed`].
    pub fn from_table(mut table: Table) -> Result<Self> {
        const KNOWN: [&str; 6] = ["seed", "data", "model", "train", "score", "rotation"];
        if let Some(format) = table.remove("format").and_then(|value| value.as_integer())
            && format > FORMAT
        {
            let reason = format!("is {format}, newer than {FORMAT}; update unbraid to read it");
            return Err(Error::setting("format", reason));
        }
        table.remove("unbraid");
        if let Some(key) = table.keys().find(|key| !KNOWN.contains(&key.as_str())) {
            let hint = did_you_mean(key, KNOWN);
            let reason = format!("is unknown{hint} (known: {})", KNOWN.join(", "));
            return Err(Error::setting(key, reason));
        }
        renamed(&mut table)?;
        let seed = match table.remove("seed") {
            None => 0,
            Some(value) => {
                value.as_integer().and_then(|v| u64::try_from(v).ok()).ok_or_else(|| {
                    Error::setting(
                        "seed",
                        format!("cannot be {value}; it is a whole number from 0 up"),
                    )
                })?
            }
        };
        let rotation = match table.remove("rotation") {
            None => None,
            Some(value) => Some(value.try_into().map_err(|_| {
                Error::setting("rotation", "must be a list of numbers; `unbraid rotate` makes it")
            })?),
        };
        let mut section = |name: &str| match table.remove(name) {
            None => Ok(Table::new()),
            Some(Value::Table(section)) => Ok(section),
            Some(_) => Err(Error::setting(name, format!("must be a section: [{name}]"))),
        };
        let train: TrainSettings = settings::parse("train", &section("train")?)?;
        // Here and not in `resolve`: the threads start before anything is resolved.
        if train.threads > MOST_THREADS {
            let reason = format!("must be at most {MOST_THREADS}");
            return Err(Error::setting("train.threads", reason));
        }
        Ok(Self {
            seed,
            data: section("data")?,
            model: section("model")?,
            train,
            score: settings::parse("score", &section("score")?)?,
            rotation,
        })
    }

    /// Fill in every default, open the data and check everything.
    pub fn resolve(self) -> Result<Plan> {
        // Of two mistakes, that about the data is named.
        data::find(&self.data_source()?.0)?;
        let (name, _) = take_name(&self.model, "model")?;
        self.resolve_with(models::find(&name)?)
    }

    /// The same with a method that need not be in the registry.
    pub fn resolve_with(mut self, entry: &'static Entry) -> Result<Plan> {
        let (data_name, given) = self.data_source()?;
        let source = data::find(&data_name)?;
        let mut model_settings = self.model_settings();
        check_train(&mut self.train, entry)?;
        check_score(&self.score)?;
        let (data, data_settings) = data::open(&data_name, &given)?;
        let task = Task::of(&*data);
        if data.is_empty() {
            return Err(Error::Unable(format!(
                "data set `{}` has no rows; there is nothing to learn from",
                source.info.name
            )));
        }
        if entry.takes_steps && self.train.batch > data.len() {
            return Err(Error::setting(
                "train.batch",
                format!(
                    "is {}, more than the {} rows of the data; use at most as many",
                    self.train.batch,
                    data.len()
                ),
            ));
        }
        let base = Base::take(&mut model_settings, &task)?;
        let seen = base.as_ref().map_or(task, |base| base.task(&task));
        let method = (entry.configure)(&model_settings, &seen)?;
        self.data = with_name(source.info.name, data_settings);
        self.score.held_out = table::absolute_path(self.score.held_out);
        self.model = with_name(entry.info.name, method.settings());
        if let Some(base) = &base {
            let directory = base.directory().to_string_lossy().into_owned();
            self.model.insert("base".into(), Value::String(directory));
        }
        let plan = Plan { config: self, data, entry, task, method, base };
        // Only to refuse now what cannot be opened.
        plan.held_out()?;
        // And supervision that the data do not support.
        plan.sampler(Rng::new(0))?;
        Ok(plan)
    }

    /// The registry name of the data set, and its settings.
    fn data_source(&self) -> Result<(String, Table)> {
        let (name, given) = take_name(&self.data, "data")?;
        Ok(data_by_name_or_path(&name, given))
    }

    /// As it is written to `run.toml`.
    pub fn to_table(&self) -> Table {
        let mut table = Table::new();
        table.insert("seed".into(), Value::Integer(self.seed as i64));
        if let Some(rotation) = &self.rotation {
            let numbers = rotation.iter().map(|number| Value::Float(*number)).collect();
            table.insert("rotation".into(), Value::Array(numbers));
        }
        table.insert("data".into(), Value::Table(self.data.clone()));
        table.insert("model".into(), Value::Table(self.model.clone()));
        table.insert("train".into(), Value::Table(settings::to_table(&self.train)));
        table.insert("score".into(), Value::Table(settings::to_table(&self.score)));
        table
    }

    /// The settings of the model without its name, as a registry entry takes them.
    pub fn model_settings(&self) -> Table {
        let mut settings = self.model.clone();
        settings.remove("name");
        settings
    }

    /// The name of the model.
    pub fn model_name(&self) -> &str {
        self.model.get("name").and_then(Value::as_str).unwrap_or_default()
    }

    /// The name of the data set.
    pub fn data_name(&self) -> &str {
        self.data.get("name").and_then(Value::as_str).unwrap_or_default()
    }
}

fn check_train(train: &mut TrainSettings, entry: &Entry) -> Result<()> {
    if !entry.takes_steps {
        train.steps = 0;
    }
    if train.batch == 0 {
        return Err(Error::setting("train.batch", "must be at least 1"));
    }
    train.learning_rate.check("train.learning_rate", 0.0)?;
    if train.learning_rate == Schedule::Constant(0.0) {
        return Err(Error::setting("train.learning_rate", "must be a positive number"));
    }
    for (key, every) in
        [("train.log_every", train.log_every), ("train.checkpoint_every", train.checkpoint_every)]
    {
        if every == 0 {
            return Err(Error::setting(key, "must be at least 1"));
        }
    }
    if train.threads == 0 {
        train.threads = default_threads();
    }
    Ok(())
}

/// What rayon takes by default: its variable, or one thread per core.
fn default_threads() -> usize {
    let named = std::env::var("RAYON_NUM_THREADS").ok().and_then(|text| text.parse().ok());
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    named.filter(|threads| *threads > 0).unwrap_or_else(cores)
}

fn check_score(score: &ScoreSettings) -> Result<()> {
    if score.rows == 0 {
        return Err(Error::setting("score.rows", "must be at least 1"));
    }
    if score.bound_rows == 0 {
        return Err(Error::setting("score.bound_rows", "must be at least 1"));
    }
    if score.metrics.is_empty() {
        return Err(Error::setting("score.metrics", "is empty; name some, or [\"all\"]"));
    }
    let named = score.metrics.iter().chain(&score.sampled);
    for metric in named.filter(|name| *name != "all") {
        metrics::find(metric)?;
    }
    Ok(())
}

fn take_name(section: &Table, what: &str) -> Result<(String, Table)> {
    let mut rest = section.clone();
    match rest.remove("name") {
        Some(Value::String(name)) => Ok((name, rest)),
        _ => Err(Error::setting(
            format!("{what}.name"),
            format!("is missing; set it in [{what}] or give --{what} (`unbraid list` shows all)"),
        )),
    }
}

fn with_name(name: &str, settings: Table) -> Table {
    let mut table = Table::from_iter([("name".to_string(), Value::String(name.into()))]);
    table.extend(settings);
    table
}

#[cfg(test)]
mod tests;
