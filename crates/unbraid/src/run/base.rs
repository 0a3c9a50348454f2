//! `model.base`: the run that a model stands on. Either a finished run that is named, or one of its own that
//! is trained before it, in the folder `base` of its run directory.

use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::config::Config;
use super::directory::Run;
use super::files;
use super::plan::Plan;
use crate::error::{Error, Result};
use crate::model::batch::Seen;
use crate::model::entry::Entry;
use crate::model::learner::Learner;
use crate::model::stacked::Stacked;
use crate::model::{Grid, Task};
use crate::models;

/// The settings of a base of its own that are those of its training.
const TRAINING: [&str; 4] = ["steps", "batch", "optimizer", "learning_rate"];

/// A run whose codes another model learns from.
pub struct Base {
    place: Place,
    plan: Box<Plan>,
    latents: usize,
    /// Of a quantised base.
    grid: Option<Grid>,
}

enum Place {
    /// A finished run, wherever it is.
    Named(Box<Run>),
    /// In the run directory of the model that stands on it.
    Own,
}

impl Base {
    /// The base that the settings of a model name, or that a model of this kind needs; it leaves them.
    pub(super) fn take(
        settings: &mut Table,
        entry: &Entry,
        task: &Task,
        above: &Config,
    ) -> Result<Option<Self>> {
        match (settings.remove("base"), entry.base) {
            (Some(Value::String(path)), _) => Self::named(&path, task).map(Some),
            (Some(Value::Table(given)), Some(name)) => Self::planned(name, given, above).map(Some),
            (None, Some(name)) if !task.shape.is_vector() => {
                Self::planned(name, Table::new(), above).map(Some)
            }
            (None, _) => Ok(None),
            (Some(_), None) => Err(refused("must be a run directory, in quotes")),
            (Some(_), Some(_)) => Err(refused(
                "must be a run directory, in quotes, or settings: { latents = 16, steps = 10_000 }",
            )),
        }
    }

    fn named(path: &str, task: &Task) -> Result<Self> {
        let run =
            Run::open(path).map_err(|source| refused(&format!("cannot be used: {source}")))?;
        check_chain(&run)?;
        run.check_finished()?;
        let plan = run.config().clone().resolve()?;
        if plan.task.shape != task.shape {
            let (base, data) = (plan.task.shape, task.shape);
            return Err(refused(&format!("was trained on {base}, and these data are {data}")));
        }
        let learner = run.learner(&plan)?;
        if learner.sees_labels() {
            return Err(refused("must encode observations alone, and this one sees labels too"));
        }
        let latents = learner.encode(&Seen::of(&*plan.data, &[0])).ncols();
        let grid = plan.method.grid(&plan.task);
        Ok(Self { place: Place::Named(Box::new(run)), plan: Box::new(plan), latents, grid })
    }

    /// One that is still to be trained on the data of the model above, with these settings.
    fn planned(name: &str, mut given: Table, above: &Config) -> Result<Self> {
        let mut train = Table::new();
        for key in TRAINING {
            train.extend(given.remove(key).map(|value| (key.to_string(), value)));
        }
        let shared = above.to_table()["train"].clone();
        for key in ["threads", "device", "log_every", "checkpoint_every"] {
            train.insert(key.into(), shared[key].clone());
        }
        given.insert("name".into(), Value::String(name.into()));
        let mut table = Table::new();
        table.insert("seed".into(), Value::Integer(above.seed as i64));
        table.insert("data".into(), Value::Table(above.data.clone()));
        table.insert("model".into(), Value::Table(given));
        table.insert("train".into(), Value::Table(train));
        let plan = Config::from_table(table)?.resolve_with(models::find(name)?);
        let plan = plan.map_err(|source| refused(&format!("cannot be trained: {source}")))?;
        let grid = plan.method.grid(&plan.task);
        let Some(latents) = plan.method.latents().or(grid.map(|grid| grid.size())) else {
            return Err(refused("must be a model whose settings say how many latents it has"));
        };
        Ok(Self { place: Place::Own, plan: Box::new(plan), latents, grid })
    }

    /// The plan of a base that is trained before the model, if it is.
    pub(super) fn own(&self) -> Option<&Plan> {
        matches!(self.place, Place::Own).then_some(&*self.plan)
    }

    /// What a model on top of it knows of its data.
    pub(super) fn task(&self, task: &Task) -> Task {
        Stacked::task(task, self.latents, self.grid)
    }

    /// A learner on top of it, of a run in this directory.
    pub(super) fn under(
        &self,
        top: Box<dyn Learner>,
        directory: &Path,
    ) -> Result<Box<dyn Learner>> {
        let base = match &self.place {
            Place::Named(run) => run.learner(&self.plan)?,
            Place::Own => {
                let run = Run::open(directory.join(files::BASE))?;
                run.check_finished()?;
                run.learner(&self.plan)?
            }
        };
        Ok(Box::new(Stacked::new(base, top)))
    }

    /// As it stands in `run.toml`: where it is, from wherever it is opened, or with what it is trained.
    pub(super) fn setting(&self) -> Value {
        match &self.place {
            Place::Named(run) => {
                Value::String(canonical(run.directory()).to_string_lossy().into_owned())
            }
            Place::Own => {
                let all = self.plan.config.to_table();
                let mut settings = self.plan.config.model_settings();
                for key in TRAINING {
                    settings.insert(key.into(), all["train"][key].clone());
                }
                Value::Table(settings)
            }
        }
    }
}

fn canonical(directory: &Path) -> PathBuf {
    directory.canonicalize().unwrap_or_else(|_| directory.to_path_buf())
}

/// Bases may stand on bases, but none on itself.
fn check_chain(run: &Run) -> Result<()> {
    let mut seen = vec![canonical(run.directory())];
    let mut below = run.config().model.get("base").and_then(Value::as_str).map(PathBuf::from);
    while let Some(path) = below {
        let run = Run::open(path)?;
        let place = canonical(run.directory());
        if seen.contains(&place) {
            return Err(refused("stands on itself; name the run of an autoencoder"));
        }
        seen.push(place);
        below = run.config().model.get("base").and_then(Value::as_str).map(PathBuf::from);
    }
    Ok(())
}

fn refused(reason: &str) -> Error {
    Error::setting("model.base", reason)
}
