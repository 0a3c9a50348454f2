//! `model.base`: the finished run that a model stands on.

use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::directory::Run;
use super::plan::Plan;
use crate::error::{Error, Result};
use crate::model::Task;
use crate::model::batch::Seen;
use crate::model::learner::Learner;
use crate::model::stacked::Stacked;

/// A finished run whose codes another model learns from.
pub struct Base {
    run: Run,
    plan: Box<Plan>,
    latents: usize,
}

impl Base {
    /// The base that the settings of a model name, if they do; it leaves them.
    pub(super) fn take(settings: &mut Table, task: &Task) -> Result<Option<Self>> {
        let path = match settings.remove("base") {
            None => return Ok(None),
            Some(Value::String(path)) => path,
            Some(_) => return Err(refused("must be a run directory, in quotes")),
        };
        let run =
            Run::open(&path).map_err(|source| refused(&format!("cannot be used: {source}")))?;
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
        Ok(Some(Self { run, plan: Box::new(plan), latents }))
    }

    /// What a model on top of it knows of its data.
    pub(super) fn task(&self, task: &Task) -> Task {
        Stacked::task(task, self.latents)
    }

    /// A learner on top of it.
    pub(super) fn under(&self, top: Box<dyn Learner>) -> Result<Box<dyn Learner>> {
        Ok(Box::new(Stacked::new(self.run.learner(&self.plan)?, top)))
    }

    /// Where it is, from wherever it is opened.
    pub(super) fn directory(&self) -> PathBuf {
        canonical(self.run.directory())
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
