//! Choosing by a few labels: the metric on N labelled rows, the same rows for every run. Which rows these are is
//! chance, so they are drawn several times, and regret has a spread.
//!
//! ```text
//! pool   up to 5,000 rows of the data are encoded, once for each run
//! draw   N of these, at random: the value of every run, and the run with the best one
//! ```
//!
//! A metric with a predictor teaches it on two thirds of the N and judges on the rest. Twenty times for each run that
//! is minutes, so where nobody names a metric and the truth is one of these, labels choose by MIG.

use rayon::prelude::*;
use serde_json::{Value as Json, json};
use unbraid_measure::Error as MeasureError;
use unbraid_measure::data::{self, Dataset};
use unbraid_measure::metrics::{self, Better, Metric, Needs};
use unbraid_measure::representation::{Representation, Split};
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::{Stage, Watch};

use super::field::good;
use super::kept::Kept;
use super::{Cell, Choice, Field, LABELS, Planned, Question, RunByRun, Study};
use crate::draw::words::listed;
use crate::error::{Error, Result};
use crate::evaluate::encode::encode;
use crate::run::{Run, TrainedRun};

/// Where the values are kept.
const FILE: &str = "labels.json";

/// What labels choose by where the metric that is the truth takes long.
const QUICK: &str = "mig";

/// How often the labelled rows are drawn.
const DRAWS: usize = 10;

/// How many rows are encoded at most to draw few from.
const POOL: usize = 5000;

/// The value of a run for each draw; none where the metric has none, as of a factor that never changes there.
pub(super) type Values = Vec<Option<f64>>;

impl Study {
    /// Refuse numbers of labels that no data set has, before anything long is begun.
    pub(super) fn check_labels(&self, fields: &[Field], question: &Question) -> Result<()> {
        let Some(&most) = question.labels.iter().max() else { return Ok(()) };
        let mut small = None;
        for field in fields {
            match self.data_of(field) {
                Ok(data) if data.len() < most => {
                    small = Some(too_many(most, data.len(), &field.data));
                }
                // What cannot be opened is told where it is needed.
                _ => return Ok(()),
            }
        }
        small.map_or(Ok(()), Err)
    }

    fn data_of(&self, field: &Field) -> Result<Box<dyn Dataset>> {
        let run = Run::open(self.directory_of(field.candidates[0].run))?;
        Ok(run.config().clone().resolve()?.data)
    }

    /// A choice for each number of labels.
    pub(super) fn by_labels(
        &self,
        field: &Field,
        truth: &'static dyn Metric,
        question: &Question,
        watch: &dyn Watch,
    ) -> Result<Vec<Choice>> {
        let metric = match question.metric.is_none() && truth.needs() == Needs::Split {
            true => metrics::find(QUICK)?,
            false => truth,
        };
        let name = metric.info().name;
        let by = if name == truth.info().name { String::new() } else { format!(" by {name}") };
        let data = self.data_of(field)?;
        if data.factors().is_empty() {
            let reason = format!("{} comes without labels", field.data);
            return Err(Error::Unable(reason));
        }
        let asked = if question.labels.is_empty() { &LABELS[..] } else { &question.labels };
        let counts: Vec<usize> = asked.iter().copied().filter(|n| *n <= data.len()).collect();
        if counts.is_empty() {
            return Err(too_many(asked[0], data.len(), &field.data));
        }
        let labels = Labels { metric, counts, seed: question.seed };
        let runs: Vec<&Planned> = field.candidates.iter().map(|one| one.run).collect();
        let values = self.labelled(&runs, &labels, watch)?;
        let choice = |(place, n): (usize, &usize)| {
            let of_run = values.iter().map(|of_run| &of_run[place]);
            let better = metric.reading().better;
            chosen(field, (format!("{n} labels{by}"), better), &of_run.collect::<Vec<_>>())
        };
        let found: Vec<Choice> = labels.counts.iter().enumerate().filter_map(choice).collect();
        match found.is_empty() {
            false => Ok(found),
            true => Err(Error::Unable(format!(
                "`{}` has no value on so few rows of {}; give more with --labels",
                name, field.data
            ))),
        }
    }

    /// For each run and each number of labels, the value for each draw.
    fn labelled(
        &self,
        runs: &[&Planned],
        labels: &Labels,
        watch: &dyn Watch,
    ) -> Result<Vec<Vec<Values>>> {
        let mut kept = Kept::open(self.directory.join(FILE));
        let weights = self.weights_of(runs)?;
        let runs: Vec<(&Planned, &String)> = runs.iter().copied().zip(&weights).collect();
        let mut left = runs.clone();
        left.retain(|(run, weights)| !labels.missing(&kept, run, weights).is_empty());
        if !left.is_empty() {
            let computed = self.compute_labelled(&left, labels, &mut kept, watch);
            // Also when somebody asked to stop: what is done need not be done again.
            kept.write(watch);
            computed?;
        }
        let value = |(run, weights): &(&Planned, &String), n: usize| {
            kept.get(&run.name, weights, &labels.key(n)).map(read).unwrap_or_default()
        };
        let of_run = |run| labels.counts.iter().map(|n| value(run, *n)).collect();
        Ok(runs.iter().map(of_run).collect())
    }

    fn compute_labelled(
        &self,
        runs: &[(&Planned, &String)],
        labels: &Labels,
        kept: &mut Kept,
        watch: &dyn Watch,
    ) -> Result<()> {
        let (counts, name) =
            (labels.counts.iter().map(usize::to_string), labels.metric.info().name);
        let counts = listed(&counts.collect::<Vec<_>>());
        let total = runs.len();
        watch.note(&format!("labels: {name} of {total} runs on {counts} rows, {DRAWS} times each"));
        let each = RunByRun { watch, stage: "labels", runs: total as u64 };
        for (done, (run, weights)) in runs.iter().enumerate() {
            each.done(done, &run.name)?;
            let trained = TrainedRun::open(self.directory_of(run))?;
            for n in labels.missing(kept, run, weights) {
                let found = labels.values(&trained, n, &each)?;
                kept.put(&run.name, weights, &labels.key(n), json!(found));
            }
            kept.write_now_and_then(watch);
        }
        each.done(total, "")
    }
}

/// What is computed on few labels.
struct Labels {
    metric: &'static dyn Metric,
    /// How many labels, each a choice of its own.
    counts: Vec<usize>,
    seed: u64,
}

impl Labels {
    /// Under which the values are kept.
    fn key(&self, n: usize) -> String {
        format!("{} on {n} rows, seed {}", self.metric.info().name, self.seed)
    }

    /// The numbers of labels of which nothing is kept.
    fn missing(&self, kept: &Kept, run: &Planned, weights: &str) -> Vec<usize> {
        let is_missing = |n: &usize| kept.get(&run.name, weights, &self.key(*n)).is_none();
        self.counts.iter().copied().filter(is_missing).collect()
    }

    /// The value of a run for each draw of `n` rows. What is drawn depends on no other number of labels.
    fn values(&self, run: &TrainedRun, n: usize, watch: &dyn Watch) -> Result<Values> {
        let data = &*run.plan().data;
        let rng = Rng::new(self.seed).split("labels").at(n as u64);
        let pool = data::labelled_rows(data, (DRAWS * n).min(POOL).max(n), &rng.split("pool"));
        let codes = encode(run.learner(), data, &pool, watch)?;
        let draw = |k: usize| {
            let rows = rng.split("draws").at(k as u64).distinct(n, pool.len());
            self.value(codes.select(&rows), watch)
        };
        (0..DRAWS).into_par_iter().map(draw).collect()
    }

    /// The metric on a table of labelled rows.
    fn value(&self, mut table: Representation, watch: &dyn Watch) -> Result<Option<f64>> {
        let name = self.metric.info().name;
        table.protocol.split = Split::Random { seed: self.seed };
        let mut rng = Rng::new(self.seed).split("metrics").split(name);
        match metrics::judge(self.metric, &table, &mut rng, &Stage::new(watch, name)) {
            Ok(score) => Ok(Some(score.value).filter(|value| value.is_finite())),
            Err(MeasureError::Stopped) => Err(MeasureError::Stopped.into()),
            Err(_) => Ok(None),
        }
    }
}

fn read(values: &Json) -> Values {
    values.as_array().into_iter().flatten().map(Json::as_f64).collect()
}

/// The choice of each draw; shown is the run that most draws take, with its mean value over all of them.
pub(super) fn chosen(
    field: &Field,
    (by, better): (String, Better),
    of_runs: &[&Values],
) -> Option<Choice> {
    let draws = of_runs.iter().map(|values| values.len()).max().unwrap_or(0);
    let value = |run: usize, draw: usize| of_runs[run].get(draw).copied().flatten();
    let pick = |draw: usize| {
        let values =
            (0..of_runs.len()).map(|run| value(run, draw).map(|value| good(better, value)));
        Field::largest(values).map(|(place, _)| place)
    };
    let picks: Vec<usize> = (0..draws).filter_map(pick).collect();
    let times = |run: usize| picks.iter().filter(|pick| **pick == run).count() as f64;
    let (shown, _) = Field::largest((0..of_runs.len()).map(|run| Some(times(run))))?;
    let known: Vec<f64> = of_runs[shown].iter().flatten().copied().collect();
    if picks.is_empty() || known.is_empty() {
        return None;
    }
    let mean = Cell { values: known }.mean();
    let choice = field.choice(by, &picks, Some(shown), Some(mean));
    Some(Choice { share: Some([times(shown) as usize, picks.len()]), ..choice })
}

fn too_many(n: usize, rows: usize, data: &str) -> Error {
    let reason = "give at most as many with --labels";
    Error::Unable(format!("{n} labels are more than the {rows} rows of {data}; {reason}"))
}
