//! The configuration of a run: one TOML file, `--set` for any key, unknown keys refused.
//!
//! [`Config`] is what was asked for; [`Plan`] is the same with every default spelled out, the data
//! opened and everything checked: nothing that a user can get wrong is left for the first tensor.

use serde::{Deserialize, Serialize};
use toml::{Table, Value};
use unbraid_measure::data::variant::binarized::Binarized;
use unbraid_measure::data::{self, Dataset, Sampler, Supervision};
use unbraid_measure::info::did_you_mean;
use unbraid_measure::rng::Rng;
use unbraid_measure::{metrics, settings};

use crate::error::{Error, Result};
use crate::model::learner::Entry;
use crate::model::{Task, one_of};
use crate::models;
use crate::parts::schedule::Schedule;

mod renamed;
mod table;

pub use renamed::renamed;
pub use table::{data_by_name_or_path, overlaid, put, read_table, set};

/// The number of the format of `run.toml`.
pub const FORMAT: i64 = 1;

/// More threads than any machine has; a typing error, not a wish.
const MOST_THREADS: usize = 1024;

/// The keys of `[train]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainSettings {
    /// Gradient steps. The study took 300,000; 20,000 show what a model does.
    pub steps: u64,
    /// Rows per step.
    pub batch: usize,
    /// Adam's learning rate, or a schedule of it. The study used 1e-4 for its 300,000 steps.
    pub learning_rate: Schedule,
    /// Whether numbers from 0 to 1 are drawn to be 0 or 1 at every look, for likelihoods of grey images.
    pub binarize: bool,
    /// A row of the log every so many steps.
    pub log_every: u64,
    /// A checkpoint every so many steps: what a crash can cost.
    pub checkpoint_every: u64,
    /// Threads; 0 takes what the machine has. Results are equal for equal numbers of threads.
    pub threads: usize,
    /// "cpu", or "gpu" in a program built with `--features wgpu`.
    pub device: String,
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
            device: "cpu".into(),
        }
    }
}

/// The keys of `[score]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScoreSettings {
    /// The metrics to compute, or `["all"]`.
    pub metrics: Vec<String>,
    /// Metrics that are also computed on codes drawn from the posterior, not only on its means.
    pub sampled: Vec<String>,
    /// How many rows are encoded for them, drawn at random if there are more.
    pub rows: usize,
    /// What of `[data]` is other for held-out rows, which are then scored too: `{ fresh = true }` of
    /// `mixing`, or `{ variant = { part = "test" } }` beside a training on part "train".
    pub held_out: Table,
    /// Draws of the bound of log p(x) that is measured beside the scores; 0 for none.
    pub bound: usize,
    /// On how many rows it is measured, held-out ones if there are any.
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
    /// The one seed; every stream of random numbers is split from it.
    pub seed: u64,
    /// `[data]` with its `name`.
    pub data: Table,
    /// `[model]` with its `name`.
    pub model: Table,
    /// `[train]`
    pub train: TrainSettings,
    /// `[score]`
    pub score: ScoreSettings,
    /// The direction by which the codes of the trained model are turned; see `rotation.rs`.
    pub rotation: Option<Vec<f64>>,
}

/// A configuration with every default spelled out, and what it was checked against.
pub struct Plan {
    /// The resolved configuration.
    pub config: Config,
    /// The opened data.
    pub data: Box<dyn Dataset>,
    /// The method.
    pub entry: &'static Entry,
    /// What the method may know about the data.
    pub task: Task,
    /// What it learns from, with these settings.
    pub supervision: Supervision,
}

impl Plan {
    /// The same method with its held-out data, if any were named.
    pub fn held_out(&self) -> Result<Option<Self>> {
        let mut config = self.config.clone();
        let other = std::mem::take(&mut config.score.held_out);
        if other.is_empty() {
            return Ok(None);
        }
        config.data = overlaid(config.data, other);
        // The batch is that of the training, of which there will be none.
        config.train.batch = 1;
        let plan = config.resolve()?;
        if (plan.task.shape, plan.task.label) != (self.task.shape, self.task.label) {
            let reason = "must name data of the same form as those that were trained on";
            return Err(Error::setting("score.held_out", reason));
        }
        Ok(Some(plan))
    }

    /// The data drawn black or white once, where training draws them at every look.
    pub fn binarized(&self, rng: Rng) -> Option<Binarized<'_>> {
        self.config.train.binarize.then(|| Binarized::new(&*self.data, rng))
    }

    /// Draws the examples of this plan.
    pub fn sampler(&self, rng: Rng) -> Result<Sampler<'_>> {
        let binarize = self.config.train.binarize;
        Ok(Sampler::new(&*self.data, self.supervision, binarize, rng)?)
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
        one_of("train.device", &train.device, &["cpu", "gpu"])?;
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

    /// Spell out every default, open the data and check everything.
    pub fn resolve(mut self) -> Result<Plan> {
        let (name, given) = take_name(&self.data, "data")?;
        let (data_name, given) = data_by_name_or_path(&name, given);
        let source = data::find(&data_name)?;
        let (name, model_settings) = take_name(&self.model, "model")?;
        let entry = models::find(&name)?;
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
        let (model_settings, supervision) = (entry.resolve)(&model_settings, &task)?;
        if let Some(direction) = &self.rotation {
            check_rotation(direction, &model_settings)?;
        }
        self.data = with_name(source.info.name, data_settings);
        self.score.held_out = table::absolute_path(self.score.held_out);
        self.model = with_name(entry.info.name, model_settings);
        let plan = Plan { config: self, data, entry, task, supervision };
        // Only to refuse now what cannot be opened.
        plan.held_out()?;
        // And what the data cannot give.
        plan.sampler(Rng::new(0))?;
        Ok(plan)
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

    /// The settings of the model without its name, as a registry entry wants them.
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

/// A turn that is none, or that fits other codes, could not be undone before decoding.
fn check_rotation(direction: &[f64], model: &Table) -> Result<()> {
    let refused = |reason: String| Err(Error::setting("rotation", reason));
    let latents = model.get("latents").and_then(Value::as_integer);
    if latents.is_some_and(|latents| latents as usize != direction.len()) {
        let (numbers, latents) = (direction.len(), latents.unwrap_or_default());
        return refused(format!("has {numbers} numbers, but the model {latents} latents"));
    }
    let length = direction.iter().map(|number| number * number).sum::<f64>().sqrt();
    if (length - 1.0).abs() > 1e-6 {
        return refused(format!("must have length 1, not {length}; `unbraid rotate` makes it"));
    }
    Ok(())
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

/// What rayon takes if nobody tells it: its variable, or one thread per core.
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
