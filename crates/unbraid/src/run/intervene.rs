//! Interventions on a trained run: counterfactuals of rows, and whether they do what they say.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value as Json, json};
use unbraid_measure::data::{self, Dataset, Do};
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::Watch;

use super::files;
use super::pictures::concepts_of;
use super::trained::TrainedRun;
use crate::draw::picture;
use crate::draw::words::short;
use crate::error::{Error, Result};
use crate::figures::{Command, interventions};
use crate::intervene::{self, Concept, effects, reader};
use crate::model::batch::Seen;

/// How many rows are shown if none is named.
const SHOWN: usize = 6;

/// What can be asked of the concepts of a run. Rows are those of held-out data where the run names some.
pub struct Interventions<'a> {
    trained: &'a TrainedRun,
    /// Whose rows are intervened on.
    tested: &'a dyn Dataset,
    /// The concepts that can be set.
    pub known: Vec<Concept>,
}

/// What rows would have been, had some concepts had other values.
#[derive(Clone, Debug)]
pub struct Counterfactuals {
    /// The first row; the numbers below are its own.
    pub row: usize,
    /// The concepts.
    pub names: Vec<String>,
    /// What was set.
    pub dos: Vec<Do>,
    /// The label of each concept.
    pub label: Vec<f32>,
    /// What the model reads off the observation, before the intervention.
    pub before: Vec<f32>,
    /// The same after it.
    pub after: Vec<f32>,
    /// What the simulator says, where the data are one and call it possible.
    pub truth: Option<Vec<f32>>,
    /// The picture, where observations are images.
    pub file: Option<PathBuf>,
}

impl TrainedRun {
    /// What can be asked of the concepts of this run; refuses a model without.
    pub fn interventions(&self) -> Result<Interventions<'_>> {
        intervene::check_can_intervene(self.learner())?;
        let tested = self.tested()?;
        let known = concepts_of(tested, self.plan().config.seed)?;
        Ok(Interventions { trained: self, tested, known })
    }
}

impl Interventions<'_> {
    /// Rows under one intervention, as a picture, and the concepts of the first row as numbers. `out` is
    /// where the picture goes, if not into the run directory.
    pub fn counterfactuals(
        &self,
        dos: &[Do],
        row: Option<usize>,
        out: Option<&Path>,
        watch: &dyn Watch,
    ) -> Result<Counterfactuals> {
        if dos.is_empty() {
            return Err(self.nothing_asked());
        }
        self.check_row(row)?;
        let (data, learner) = (self.tested, self.trained.learner());
        let rng = Rng::new(self.trained.plan().config.seed).split("intervene");
        let rows = row.map_or_else(|| data::rows(data, SHOWN, &rng), |row| vec![row]);
        let file = self.draw(dos, &rows, out, watch)?;
        let first = rows[0];
        let codes = learner.encode(&Seen::of(data, &[first]));
        let values = |dos: &[Do]| -> Result<Vec<f32>> {
            Ok(intervene::answer(learner, &codes, dos)?.values.row(0).to_vec())
        };
        Ok(Counterfactuals {
            row: first,
            names: self.known.iter().map(|concept| concept.name.clone()).collect(),
            dos: dos.to_vec(),
            label: data.label(first).expect("concepts are labels"),
            before: values(&[])?,
            after: values(dos)?,
            truth: data.counterfactual(first, dos).map(|truth| truth.values),
            file,
        })
    }

    /// The picture of some rows; none of vectors, whose numbers are said all the same.
    fn draw(
        &self,
        dos: &[Do],
        rows: &[usize],
        out: Option<&Path>,
        watch: &dyn Watch,
    ) -> Result<Option<PathBuf>> {
        let names: Vec<&str> = self.known.iter().map(|concept| concept.name.as_str()).collect();
        let words = described(&names, dos);
        let sheet = self
            .trained
            .with_subject(None, watch, |subject| interventions::sheet(subject, rows, dos, &words));
        let path = match out {
            Some(out) => out.to_path_buf(),
            None => self.trained.run().file(files::COUNTERFACTUAL),
        };
        match sheet {
            Ok(sheet) => picture::save(&sheet.draw(), &path).map(|()| Some(path)),
            Err(_) if self.trained.plan().task.shape.is_vector() => Ok(None),
            Err(source) => Err(source),
        }
    }

    /// Every concept swept through its range for one row, as a picture; returns its file.
    pub fn grid(
        &self,
        row: Option<usize>,
        out: Option<&Path>,
        watch: &dyn Watch,
    ) -> Result<PathBuf> {
        self.check_row(row)?;
        let (made, refused) = self.trained.with_subject(None, watch, |subject| {
            subject.row = row;
            self.trained.draw(subject, Command::Intervene, out)
        })?;
        made.into_iter().next().ok_or_else(|| Error::Unable(refused.join("; ")))
    }

    /// Whether there is a simulator to hold interventions against.
    pub fn can_be_judged(&self) -> bool {
        effects::simulated(self.tested, &self.known).is_ok()
    }

    /// Hold every intervention against the simulator, and keep what was found in the run.
    pub fn effects(&self, watch: &dyn Watch) -> Result<Json> {
        watch.note("teaching a reader of concepts, then judging every intervention");
        let (plan, learner) = (self.trained.plan(), self.trained.learner());
        let graph = effects::simulated(self.tested, &self.known)?;
        let rng = Rng::new(plan.config.seed).split("effects");
        let binarize = plan.config.train.binarize;
        let reader = reader::taught(&*plan.data, binarize, &graph, &rng, watch)?;
        let known = &self.known;
        let found = effects::measure(learner, &*reader, self.tested, known, &rng, watch)?;
        let document = found.to_json();
        self.trained.run().write_document(files::EFFECTS, &document)?;
        Ok(document)
    }

    fn check_row(&self, row: Option<usize>) -> Result<()> {
        let rows = self.tested.len();
        match row.filter(|row| *row >= rows) {
            None => Ok(()),
            Some(row) => {
                Err(Error::Unable(format!("there is no row {row}: the last one is {}", rows - 1)))
            }
        }
    }

    fn nothing_asked(&self) -> Error {
        let names: Vec<&str> = self.known.iter().map(|concept| concept.name.as_str()).collect();
        Error::Unable(format!(
            "nothing is asked: give --do NAME=VALUE (concepts: {}), --grid or --effects",
            names.join(", ")
        ))
    }
}

impl Counterfactuals {
    /// `do(light = 80)`
    pub fn words(&self) -> String {
        described(&self.names, &self.dos)
    }

    /// One document, by the names of the concepts.
    pub fn to_json(&self) -> Json {
        let named = |values: &[f32]| -> Json {
            let one = |(k, name): (usize, &String)| (name.clone(), json!(values.get(k)));
            Json::Object(self.names.iter().enumerate().map(one).collect())
        };
        let set = |set: &Do| (self.names[set.factor].clone(), json!(set.value));
        json!({
            "format": 1, "row": self.row, "file": self.file,
            "do": self.dos.iter().map(set).collect::<Map<_, _>>(),
            "label": named(&self.label), "before": named(&self.before),
            "after": named(&self.after), "truth": self.truth.as_deref().map(named),
        })
    }
}

/// `do(light = 80)`
fn described<S: AsRef<str>>(names: &[S], dos: &[Do]) -> String {
    let one = |set: &Do| format!("{} = {}", names[set.factor].as_ref(), short(set.value));
    format!("do({})", dos.iter().map(one).collect::<Vec<_>>().join(", "))
}
