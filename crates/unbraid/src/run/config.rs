//! The configuration of a run: one TOML file, `--set` for any key, unknown keys refused.
//!
//! [`Config`] is what the user gave; [`Plan`](super::Plan) is the same with every default filled in and
//! everything checked.

use serde::{Deserialize, Serialize};
use toml::{Table, Value};
use unbraid_measure::info::did_you_mean;
use unbraid_measure::settings;
use unbraid_measure::settings::words;

use crate::compute::device::Processor;
use crate::error::{Error, Result};
use crate::model::optimizer::Rule;
use crate::models;
use crate::parts::schedule::Schedule;

mod renamed;
mod table;

use renamed::completed;
pub use renamed::{renamed, renamed_key};
pub(super) use table::absolute_path;
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
    /// "adam" or "adagrad".
    pub optimizer: Rule,
    /// Its learning rate, or a schedule of it. The study used 1e-4 for its 300,000 steps of Adam.
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
            optimizer: Rule::Adam,
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
    /// Interventions that are judged with the scores: "triplets", "interactions", "actions", "acted".
    pub interventions: Vec<Judged>,
}

words! {
    /// What of a model's interventions is judged.
    pub enum Judged {
        /// Images mixed by their latents, against the true mixtures.
        Triplets = "triplets",
        /// What actions touch, against the true targets.
        Interactions = "interactions",
        /// Which action led from one observation to the next, against what was done.
        Actions = "actions",
        /// The images that the model makes of actions, against the true ones.
        Acted = "acted",
    }
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
            interventions: vec![],
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

impl Config {
    /// From a TOML table; refuses unknown sections and keys. Names of earlier versions are
    /// [`renamed`].
    pub fn from_table(mut table: Table) -> Result<Self> {
        const KNOWN: [&str; 6] = ["seed", "data", "model", "train", "score", "rotation"];
        if let Some(format) = table.remove("format") {
            // What a run wrote.
            completed(&mut table);
            if let Some(format) = format.as_integer().filter(|format| *format > FORMAT) {
                let reason = format!("is {format}, newer than {FORMAT}; update unbraid to read it");
                return Err(Error::setting("format", reason));
            }
        }
        table.remove("unbraid");
        if let Some(key) = table.keys().find(|key| !KNOWN.contains(&key.as_str())) {
            let hint = did_you_mean(key, KNOWN);
            let reason = format!("is unknown{hint} (known: {})", KNOWN.join(", "));
            return Err(Error::setting(key, reason));
        }
        renamed(&mut table)?;
        let mut table = overlaid(recipe(&table), table);
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

    /// Whether the data are a user's own file or folder.
    pub fn has_own_data(&self) -> bool {
        self.data.get("path").and_then(Value::as_str).is_some_and(|path| !path.is_empty())
    }

    /// What the data are called in titles: a user's own by their file or folder, the others by their name.
    pub fn data_title(&self) -> &str {
        let path = self.data.get("path").and_then(Value::as_str).filter(|path| !path.is_empty());
        let file = path.and_then(|path| std::path::Path::new(path).file_name()?.to_str());
        file.unwrap_or_else(|| self.data_name())
    }

    /// Where the data should be and are no more, of a user's own.
    pub fn lost_data(&self) -> Option<&std::path::Path> {
        let path = self.data.get("path").and_then(Value::as_str).filter(|path| !path.is_empty())?;
        Some(std::path::Path::new(path)).filter(|path| !path.exists())
    }

    /// The name of the data set.
    pub fn data_name(&self) -> &str {
        self.data.get("name").and_then(Value::as_str).unwrap_or_default()
    }
}

/// What the model that is named wants by default.
fn recipe(table: &Table) -> Table {
    let name = table.get("model").and_then(|model| model.get("name")).and_then(Value::as_str);
    let entry = name.and_then(|name| models::find(name).ok());
    entry.map(|entry| entry.recipe.parse().expect("a recipe is TOML")).unwrap_or_default()
}

#[cfg(test)]
mod tests;
