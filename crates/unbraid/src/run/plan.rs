//! The plan of a run: its configuration with every default filled in, the data opened and everything
//! checked. Nothing that a user can get wrong is left for the first tensor.

use std::path::Path;

use toml::{Table, Value};
use unbraid_measure::data::variant::binarized::Binarized;
use unbraid_measure::data::{self, Dataset, Opened, Sampler, Supervision};
use unbraid_measure::metrics;
use unbraid_measure::rng::Rng;

use super::base::Base;
use super::config::{
    Config, ScoreSettings, TrainSettings, absolute_path, data_by_name_or_path, overlaid,
};
use super::series;
use crate::error::{Error, Result};
use crate::model::Task;
use crate::model::entry::{Entry, Method};
use crate::model::learner::Learner;
use crate::model::rotation;
use crate::models;
use crate::parts::nets::size;
use crate::parts::schedule::Schedule;

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
    /// The same model with its held-out data, if there are any. They are encoded, not trained on, so they need
    /// not give what training needs: frames of Pong that were drawn independently do not follow each other.
    pub fn held_out(&self) -> Result<Option<Self>> {
        let mut config = self.config.clone();
        let other = std::mem::take(&mut config.score.held_out);
        if other.is_empty() {
            return Ok(None);
        }
        config.data = overlaid(config.data, other);
        let (data, settings) = open(&config)?;
        let task = Task::of(&*data);
        if (task.shape, task.label) != (self.task.shape, self.task.label) {
            let reason = "must name data of the same form as those that were trained on";
            return Err(Error::setting("score.held_out", reason));
        }
        let source = data::find(&config.data_source()?.0)?;
        config.data = with_name(source.info.name, settings);
        let mut settings = config.model_settings();
        settings.remove("base");
        let seen = self.base.as_ref().map_or(self.task, |base| base.task(&self.task));
        let method = (self.entry.configure)(&settings, &seen)?;
        Ok(Some(Self { config, data, entry: self.entry, task, method, base: None }))
    }

    /// Whether the method learns from sequences.
    pub(super) fn is_of_sequences(&self) -> bool {
        matches!(
            self.method.supervision(),
            Supervision::Time(_) | Supervision::Targets(_) | Supervision::Actions(_)
        )
    }

    /// Another part of the same data, where they have parts of this name.
    pub(super) fn part(&self, name: &str) -> Option<Box<dyn Dataset>> {
        let mut settings = self.config.data.clone();
        settings.remove("name");
        let mut part = section("part", Value::String(name.into()));
        if self.is_of_pairs() {
            part = section("variant", Value::Table(section("transitions", Value::Table(part))));
        }
        Some(data::open(self.config.data_name(), &overlaid(settings, part)).ok()?.0)
    }

    /// Whether the data are a part of the pairs that the variant `transitions` makes.
    fn is_of_pairs(&self) -> bool {
        let part = || self.config.data.get("variant")?.get("transitions")?.get("part")?.as_str();
        part().is_some_and(|part| part != "all")
    }

    /// Whether each factor was intervened on in training, so that it can be found; none where nothing was.
    pub(super) fn targets(&self) -> Option<Vec<bool>> {
        let targets = self.task.targets;
        let is_target = |factor: usize| targets.iter().any(|target| target == factor);
        (!targets.is_empty()).then(|| (0..self.data.factors().len()).map(is_target).collect())
    }

    /// The data sampled to 0 and 1 once, where training samples at every access.
    pub fn binarized(&self, rng: Rng) -> Option<Binarized<'_>> {
        self.config.train.binarize.then(|| Binarized::new(&*self.data, rng))
    }

    /// The sampler of training examples.
    pub fn sampler(&self, rng: Rng) -> Result<Sampler<'_>> {
        self.sampler_of(&*self.data, rng)
    }

    /// The same of these data in another form.
    pub fn sampler_of<'a>(&self, data: &'a dyn Dataset, rng: Rng) -> Result<Sampler<'a>> {
        let (supervision, binarize) = (self.method.supervision(), self.config.train.binarize);
        Ok(Sampler::new(data, supervision, binarize, rng)?)
    }

    /// A learner with weights initialised from the generator, for a run in this directory: a base of its own
    /// is there.
    pub fn build(&self, directory: &Path, rng: &Rng) -> Result<Box<dyn Learner>> {
        match &self.base {
            None => Ok(self.method.build(&self.task, rng)),
            Some(base) => base.under(self.method.build(&base.task(&self.task), rng), directory),
        }
    }
}

/// A table with one entry.
fn section(key: &str, value: Value) -> Table {
    Table::from_iter([(key.to_string(), value)])
}

/// The data of a configuration, which must have rows, and all their settings.
fn open(config: &Config) -> Result<Opened> {
    let (name, given) = config.data_source()?;
    let opened = data::open(&name, &given)?;
    if opened.0.is_empty() {
        return Err(Error::Unable(format!(
            "data set `{name}` has no rows; there is nothing to learn from"
        )));
    }
    Ok(opened)
}

impl Config {
    /// Fill in every default, open the data and check everything.
    pub fn resolve(self) -> Result<Plan> {
        // Of two mistakes, that about the data is named.
        data::find(&self.data_source()?.0)?;
        let (name, _) = take_name(&self.model, "model")?;
        self.resolve_with(models::find(&name)?)
    }

    /// The same with a method that need not be in the registry.
    pub fn resolve_with(mut self, entry: &'static Entry) -> Result<Plan> {
        let source = data::find(&self.data_source()?.0)?;
        let mut model_settings = self.model_settings();
        check_train(&mut self.train, entry)?;
        check_score(&self.score)?;
        let (data, data_settings) = open(&self)?;
        let task = Task::of(&*data);
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
        if entry.takes_steps {
            size::check_batch(self.train.batch, task.shape)?;
        }
        let base = Base::take(&mut model_settings, entry, &task, &self)?;
        let seen = base.as_ref().map_or(task, |base| base.task(&task));
        let method = (entry.configure)(&model_settings, &seen)?;
        if let Some(direction) = &self.rotation {
            rotation::check(direction, method.latents())?;
        }
        self.data = with_name(source.info.name, data_settings);
        self.score.held_out = absolute_path(self.score.held_out);
        self.model = with_name(entry.info.name, method.settings());
        if let Some(base) = &base {
            self.model.insert("base".into(), base.setting());
        }
        let plan = Plan { config: self, data, entry, task, method, base };
        // Only to refuse now what cannot be opened.
        plan.held_out()?;
        // And supervision that the data do not support.
        if let Err(error) = plan.sampler(Rng::new(0)) {
            let needs_labels = plan.method.supervision() == Supervision::Labels;
            return Err(match needs_labels {
                true => series::explained(error, entry.info.name, &plan.config, &*plan.data),
                false => error,
            });
        }
        Ok(plan)
    }

    /// The registry name of the data set, and its settings.
    fn data_source(&self) -> Result<(String, Table)> {
        let (name, given) = take_name(&self.data, "data")?;
        Ok(data_by_name_or_path(&name, given))
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
