//! A trained run: its directory, its resolved plan and its method, opened once and asked many times.
//! Nothing here prints or needs a terminal: the program, Python and a server ask the same questions.

use std::cell::OnceCell;
use std::path::Path;

use ndarray::{Array2, ArrayView2};
use toml::{Table, Value};
use unbraid_measure::data::{self, Dataset, Shape};
use unbraid_measure::representation::Representation;
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::Watch;

use super::config::{data_by_name_or_path, overlaid};
use super::directory::Run;
use super::files;
use super::plan::Plan;
use crate::error::{Error, Result};
use crate::evaluate::encode::{drawn, drawn_or_mean, encode, posterior};
use crate::model::Task;
use crate::model::entry::Entry;
use crate::model::learner::Learner;

/// The settings that say how columns of a file, or pictures, become observations.
const ALIKE: [&str; 9] =
    ["columns", "scale", "missing", "words", "kept", "size", "fit", "channels", "endings"];
/// Those that say what a series is, beside its columns.
const OF_SERIES: [&str; 3] = ["segment", "segment_length", "whiten"];

/// A run whose model can be used.
pub struct TrainedRun {
    run: Run,
    plan: Plan,
    learner: Box<dyn Learner>,
    /// The plan of held-out data, opened when it is first asked for.
    held_out: OnceCell<Option<Plan>>,
}

impl TrainedRun {
    /// Open a run directory with its data and its model.
    pub fn open(directory: impl AsRef<Path>) -> Result<Self> {
        Self::load(Run::open(directory)?)
    }

    /// The same with a method that need not be in the registry.
    pub fn open_with(directory: impl AsRef<Path>, entry: &'static Entry) -> Result<Self> {
        let run = Run::open(directory)?;
        let plan = run.config().clone().resolve_with(entry)?;
        Self::with(run, plan)
    }

    /// The same, of a run that is open.
    pub fn load(run: Run) -> Result<Self> {
        let plan = run.config().clone().resolve()?;
        Self::with(run, plan)
    }

    /// The same, of a run whose data are open as well.
    pub fn with(run: Run, plan: Plan) -> Result<Self> {
        let learner = run.learner(&plan)?;
        Ok(Self { run, plan, learner, held_out: OnceCell::new() })
    }

    /// The run directory.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// What it was trained with.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The method.
    pub fn learner(&self) -> &dyn Learner {
        &*self.learner
    }

    /// The same model with its held-out data, if the run names some.
    pub fn held_out(&self) -> Result<Option<&Plan>> {
        if self.held_out.get().is_none() {
            let opened = self.plan.held_out()?;
            return Ok(self.held_out.get_or_init(|| opened).as_ref());
        }
        Ok(self.held_out.get().and_then(Option::as_ref))
    }

    /// What a trained model is tried on: held-out data if there are any, else its own.
    pub fn tested(&self) -> Result<&dyn Dataset> {
        Ok(self.held_out()?.map_or(&*self.plan.data, |plan| &*plan.data))
    }

    /// Encode rows of other data, or of its own: a random sample of so many, or all.
    pub fn encode(
        &self,
        other: Option<&dyn Dataset>,
        rows: Option<usize>,
        watch: &dyn Watch,
    ) -> Result<Representation<'static>> {
        let data = other.unwrap_or(&*self.plan.data);
        self.check_can_encode(data)?;
        if rows.is_some_and(|rows| rows == 0 || rows > data.len()) {
            let reason = format!("--rows must be from 1 to {}, the rows of the data", data.len());
            return Err(Error::Unable(reason));
        }
        let rng = Rng::new(self.plan.config.seed).split("encode");
        let rows = data::rows(data, rows.unwrap_or(usize::MAX), &rng);
        watch.note(&format!("encoding {} rows", rows.len()));
        let unknown = rows.iter().filter(|row| !data.is_labelled(**row)).count();
        if unknown == 0 {
            return encode(self.learner(), data, &rows, watch);
        }
        // Beside codes stand values of all rows, or of none.
        watch.note(&format!(
            "{unknown} of {} rows have no value of some factor, so the codes stand alone",
            rows.len()
        ));
        let mean = posterior(self.learner(), data, &rows, watch)?.mean;
        let values = Array2::zeros((rows.len(), 0));
        Ok(Representation::new(mean, values, vec![])?)
    }

    /// What codes `[rows, latents]` decode to, in the units of the files that were learned from; none if the
    /// method has no decoder.
    pub fn decode(&self, codes: ArrayView2<f32>) -> Option<Array2<f32>> {
        let decoded = self.learner().decode(codes)?;
        Some(data::in_units(&*self.plan.data, decoded))
    }

    /// Other data, by name, file or folder, read as those that were learned from: with the same columns, brought
    /// to the same scale.
    pub fn open_alike(&self, name: &str, given: Table) -> Result<Box<dyn Dataset>> {
        let (mut name, given) = data_by_name_or_path(name, given);
        let own = &self.plan.config.data;
        let mut settings = Table::new();
        let path = |data: &Table| {
            data.get("path").and_then(Value::as_str).is_some_and(|path| !path.is_empty())
        };
        // A series is a table or an array whose rows follow each other.
        let series = self.plan.config.data_name() == "mixing" && path(own);
        if series && path(&given) && ["table", "arrays"].contains(&name.as_str()) {
            name = "mixing".into();
        }
        if self.plan.config.data_name() == name && path(&given) {
            let keys = ALIKE.iter().chain(OF_SERIES.iter().filter(|_| series));
            for key in keys {
                if let Some(value) = own.get(*key) {
                    settings.insert((*key).into(), value.clone());
                }
            }
            if series && (given.contains_key("segment") || given.contains_key("segment_length")) {
                OF_SERIES[..2].iter().for_each(|key| drop(settings.remove(*key)));
            }
        }
        // Pictures of the size that was learned from, whatever they come from.
        let variant = |data: &Table| data.get("variant").and_then(Value::as_table).cloned();
        let size = variant(own).and_then(|own| own.get("size").cloned());
        if let Some(size) = size.filter(|size| size.as_integer() != Some(0)) {
            let mut given = variant(&given).unwrap_or_default();
            given.entry("size").or_insert(size);
            settings.insert("variant".into(), Value::Table(given));
        }
        Ok(data::open(&name, &overlaid(settings, given))?.0)
    }

    fn check_can_encode(&self, data: &dyn Dataset) -> Result<()> {
        let task = &self.plan.task;
        let form = |shape: Shape| [shape.channels, shape.height, shape.width];
        if form(data.shape()) != form(task.shape) {
            return Err(Error::Unable(format!(
                "the model was trained on {} and these data are {}; resize or convert them first",
                task.shape,
                data.shape()
            )));
        }
        let labels = Task::of(data).label;
        if self.learner.sees_labels() && labels != task.label {
            return Err(Error::Unable(format!(
                "the encoder of this model sees the {} labels of a row beside it, and these data have \
                 {labels}; take a model that encodes observations alone (model.labels = \"no\")",
                task.label
            )));
        }
        Ok(())
    }

    /// The codes by which the run is scored, written into its directory. Made anew each time: the data
    /// of a user may have changed since.
    pub fn scored_codes(&self, watch: &dyn Watch) -> Result<Representation<'static>> {
        let codes = self.codes_of(&self.plan, watch)?;
        codes.save(self.run.file(files::REPRESENTATION))?;
        Ok(codes)
    }

    /// The codes that tell what latents stand for: of held-out rows where there are some, since there the
    /// factors may be independent of each other.
    pub(super) fn judged_codes(&self, watch: &dyn Watch) -> Result<Representation<'static>> {
        let plan = self.held_out()?.unwrap_or(&self.plan);
        let (rows, rng) = scored_rows(plan);
        drawn_or_mean(self.learner(), &*plan.data, &rows, &rng.split("draws"), watch)
    }

    /// The codes of the rows that are scored of a plan: this one's, or that of its held-out data.
    pub(super) fn codes_of(
        &self,
        plan: &Plan,
        watch: &dyn Watch,
    ) -> Result<Representation<'static>> {
        let mut codes = encode(self.learner(), &*plan.data, &scored_rows(plan).0, watch)?;
        codes.readings.targets = self.plan.targets();
        Ok(codes)
    }

    /// One draw from the posterior of each of these rows, for methods that have one.
    pub(super) fn drawn_codes_of(
        &self,
        plan: &Plan,
        watch: &dyn Watch,
    ) -> Result<Option<Representation<'static>>> {
        let (rows, rng) = scored_rows(plan);
        let mut codes = drawn(self.learner(), &*plan.data, &rows, &mut rng.split("draws"), watch)?;
        if let Some(codes) = &mut codes {
            codes.readings.targets = self.plan.targets();
        }
        Ok(codes)
    }
}

/// The rows by which a run is scored, and the generator that chose them.
fn scored_rows(plan: &Plan) -> (Vec<usize>, Rng) {
    let rng = Rng::new(plan.config.seed).split("score");
    (data::labelled_rows(&*plan.data, plan.config.score.rows, &rng), rng)
}
