//! Entries of the registry: a method by name, from the settings of a file to a learner.

use toml::Table;
use unbraid_measure::data::Supervision;
use unbraid_measure::info::Info;
use unbraid_measure::rng::Rng;
use unbraid_measure::settings;

use super::fitted::Fitted;
use super::learner::Learner;
use super::trained::Trained;
use super::{Baseline, Grid, Model, Settings, Task};
use crate::compute::device;
use crate::error::Result;

/// A registry entry.
pub struct Entry {
    /// What it is.
    pub info: Info,
    /// Its supervision.
    pub supervision: Supervision,
    /// The defaults of `[train]` and `[score]` with which it works, as TOML.
    pub recipe: &'static str,
    /// The model that is trained before it and that it stands on, if it needs one.
    pub base: Option<&'static str>,
    /// Whether it is trained by gradient steps; a baseline is fitted in closed form.
    pub takes_steps: bool,
    /// The settings of `[model]` it has, with their defaults before anything is known of the data.
    pub defaults: fn() -> Table,
    /// The method with the settings of `[model]`, or why they are refused.
    pub configure: fn(&Table, &Task) -> Result<Box<dyn Method>>,
}

/// A method with its settings, which were parsed once and are kept in their own type.
pub trait Method: Send + Sync {
    /// The settings of `[model]` with every default filled in.
    fn settings(&self) -> Table;

    /// How many latents there will be, where the settings say so.
    fn latents(&self) -> Option<usize>;

    /// The grid of codes that an observation will be, of a quantised model.
    fn grid(&self, task: &Task) -> Option<Grid>;

    /// The supervision that these settings need.
    fn supervision(&self) -> Supervision;

    /// A learner with weights initialised from the generator.
    fn build(&self, task: &Task, rng: &Rng) -> Box<dyn Learner>;
}

/// The entry of a model.
pub const fn model<M: Model>() -> Entry {
    Entry {
        info: M::INFO,
        supervision: M::SUPERVISION,
        recipe: M::RECIPE,
        base: M::BASE,
        takes_steps: true,
        defaults: || settings::to_table(&M::Config::default()),
        configure: |given, task| Ok(Box::new(OfModel::<M>(parse(given, task)?))),
    }
}

/// The entry of a baseline.
pub const fn baseline<B: Baseline>() -> Entry {
    Entry {
        info: B::INFO,
        supervision: B::SUPERVISION,
        recipe: "",
        base: None,
        takes_steps: false,
        defaults: || settings::to_table(&B::Config::default()),
        configure: |given, task| Ok(Box::new(OfBaseline::<B>(parse(given, task)?))),
    }
}

fn parse<C: Settings>(given: &Table, task: &Task) -> Result<C> {
    let mut config: C = settings::parse("model", given)?;
    config.resolve(task)?;
    Ok(config)
}

struct OfModel<M: Model>(M::Config);

impl<M: Model> Method for OfModel<M> {
    fn settings(&self) -> Table {
        settings::to_table(&self.0)
    }

    fn latents(&self) -> Option<usize> {
        self.0.latents()
    }

    fn grid(&self, task: &Task) -> Option<Grid> {
        self.0.grid(task)
    }

    fn supervision(&self) -> Supervision {
        M::supervision(&self.0)
    }

    fn build(&self, task: &Task, rng: &Rng) -> Box<dyn Learner> {
        let model = M::init(&self.0, task, rng, &device::training());
        Box::new(Trained::new(model, task.shape))
    }
}

struct OfBaseline<B: Baseline>(B::Config);

impl<B: Baseline> Method for OfBaseline<B> {
    fn settings(&self) -> Table {
        settings::to_table(&self.0)
    }

    fn latents(&self) -> Option<usize> {
        self.0.latents()
    }

    fn grid(&self, task: &Task) -> Option<Grid> {
        self.0.grid(task)
    }

    fn supervision(&self) -> Supervision {
        B::SUPERVISION
    }

    fn build(&self, _task: &Task, _rng: &Rng) -> Box<dyn Learner> {
        Box::new(Fitted::<B>::new(self.0.clone()))
    }
}
