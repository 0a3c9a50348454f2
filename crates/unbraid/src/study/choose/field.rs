//! The runs of a data set that one can choose from.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use toml::Value;
use unbraid_measure::metrics::{Better, Metric};

use super::{Cell, Choice, Chosen, Number, Of, OfData, Planned, is_score};
use crate::error::{Error, Result};
use crate::models;
use crate::study::file::{short, word};

/// A run that one can choose.
#[derive(Clone, Debug)]
pub(super) struct Candidate<'a> {
    pub(super) run: &'a Planned,
    /// Its true score, if it is known.
    pub(super) score: Option<f64>,
    /// Terms of its loss, at the end of the log.
    pub(super) reconstruction: Option<f64>,
    pub(super) kl: Option<f64>,
}

/// The runs of a data set.
#[derive(Clone, Debug)]
pub(super) struct Field<'a> {
    /// The data set, in words.
    pub(super) data: String,
    /// In the order of the study.
    pub(super) candidates: Vec<Candidate<'a>>,
    /// Which end of the metric is better.
    pub(super) better: Better,
    /// Where the study is.
    pub(super) directory: PathBuf,
    /// What is to be said, a line for each.
    pub(super) notes: Vec<String>,
}

impl<'a> Field<'a> {
    /// One for each data set; refuses a study without a run to choose.
    pub(super) fn all(
        directory: &Path,
        numbers: &[(&'a Planned, Vec<Number>)],
        metric: &dyn Metric,
    ) -> Result<Vec<Self>> {
        let (name, better) = (metric.info().name, metric.reading().better);
        let (learned, baselines): (Vec<_>, Vec<_>) =
            numbers.iter().partition(|(run, _)| learns(run));
        if learned.is_empty() {
            return Err(nothing(directory, numbers.is_empty()));
        }
        let mut fields: Vec<Self> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        for (run, all) in learned {
            let place = *places.entry(data_of(run)).or_insert_with(|| {
                let data = named(run, &fields);
                let (candidates, notes) = (vec![], vec![]);
                fields.push(Self { data, candidates, better, directory: directory.into(), notes });
                fields.len() - 1
            });
            fields[place].candidates.push(Candidate::of(run, all, name));
        }
        for (place, field) in fields.iter_mut().enumerate() {
            field.keep_known(name);
            let is_here = |run: &Planned| places.get(&data_of(run)) == Some(&place);
            let here = baselines.iter().map(|(run, _)| *run).filter(|run| is_here(run));
            let rows: Vec<String> = here.map(method).collect::<BTreeSet<_>>().into_iter().collect();
            if !rows.is_empty() {
                let rows = rows.join(", ");
                field
                    .notes
                    .push(format!("not among the candidates, since it does not learn: {rows}"));
            }
        }
        Ok(fields)
    }

    /// Where some scores are known, only their runs can be judged.
    fn keep_known(&mut self, metric: &str) {
        let known = self.candidates.iter().filter(|one| one.score.is_some()).count();
        let unknown = self.candidates.len() - known;
        if known == 0 {
            self.notes.push(format!(
                "no run has a score `{metric}`, so regret is not known; where there are labels, \
                 `unbraid score RUN --metrics {metric}` computes it"
            ));
        } else if unknown > 0 {
            self.candidates.retain(|one| one.score.is_some());
            self.notes.push(format!("{unknown} runs without a score `{metric}` are left out"));
        }
    }

    /// Whether a run is among them.
    pub(super) fn has(&self, run: &Planned) -> bool {
        self.candidates.iter().any(|one| one.run.number == run.number)
    }

    /// A score such that larger is better.
    pub(super) fn good(&self, score: f64) -> f64 {
        good(self.better, score)
    }

    /// The place of the best of some values, the first of equal ones; larger is better.
    pub(super) fn largest(values: impl Iterator<Item = Option<f64>>) -> Option<(usize, f64)> {
        let known = values.enumerate().filter_map(|(place, value)| Some((place, value?)));
        known.filter(|(_, value)| !value.is_nan()).reduce(|a, b| if b.1 > a.1 { b } else { a })
    }

    /// The run with the best true score.
    pub(super) fn best(&self) -> Option<(usize, f64)> {
        let scores = self.candidates.iter().map(|one| one.score.map(|score| self.good(score)));
        Self::largest(scores)
    }

    /// Take the run with the largest value.
    pub(super) fn by_one(
        &self,
        by: &str,
        value: impl Fn(&Candidate) -> Option<f64>,
    ) -> Result<Vec<Choice>> {
        let values: Vec<Option<f64>> = self.candidates.iter().map(value).collect();
        if let [Some(first), _, ..] = values[..]
            && values.iter().all(|value| *value == Some(first))
        {
            let reason =
                format!("every run on {} has the same value, so it chooses none", self.data);
            return Err(Error::Unable(reason));
        }
        let picked = Self::largest(values.into_iter());
        let (place, value) = picked.ok_or_else(|| {
            Error::Unable(format!("no finished run on {} has a value of {by}", self.data))
        })?;
        Ok(vec![self.choice(by.into(), &[place], Some(place), Some(value))])
    }

    /// Any run: what choosing must be better than. Nothing where no score is known.
    pub(super) fn at_random(&self) -> Option<Choice> {
        self.best()?;
        let all: Vec<usize> = (0..self.candidates.len()).collect();
        Some(self.choice("random".into(), &all, None, None))
    }

    /// A choice that took each of these runs once, of which one is shown.
    pub(super) fn choice(
        &self,
        by: String,
        picks: &[usize],
        shown: Option<usize>,
        value: Option<f64>,
    ) -> Choice {
        let scores: Vec<f64> =
            picks.iter().filter_map(|place| self.candidates[*place].score).collect();
        let best = self.best();
        let regret = |score: &f64| best.map(|(_, best)| best - self.good(*score));
        let regrets: Vec<f64> = scores.iter().filter_map(regret).collect();
        let known = |values: Vec<f64>| (!values.is_empty()).then_some(Cell { values });
        let run = shown.map(|place| self.chosen(place));
        Choice { by, run, share: None, value, score: known(scores), regret: known(regrets) }
    }

    /// A run as it is shown.
    fn chosen(&self, place: usize) -> Chosen {
        let run = self.candidates[place].run;
        let settings = strength(run).map(|(key, value)| (key.clone(), value.clone())).collect();
        Chosen {
            run: run.name.clone(),
            method: method(run),
            strength: settings,
            setting: setting(run),
            seed: run.config.get("seed").and_then(Value::as_integer).unwrap_or(0),
            directory: self.directory.join("runs").join(&run.name),
        }
    }

    /// What was found for this data set.
    pub(super) fn answered(&self, choices: Vec<Choice>) -> OfData {
        let best = self.best().map(|(place, best)| (self.chosen(place), self.good(best)));
        let random = self.at_random().and_then(|random| random.regret);
        let (data, notes) = (self.data.clone(), self.notes.clone());
        OfData { data, candidates: self.candidates.len(), best, random, choices, notes }
    }
}

impl<'a> Candidate<'a> {
    fn of(run: &'a Planned, numbers: &[Number], metric: &str) -> Self {
        let finite = |number: Option<&Number>| {
            number.map(|number| number.value).filter(|value| value.is_finite())
        };
        let term = |name: &str| {
            finite(numbers.iter().find(|one| one.of == Of::Training && one.name == name))
        };
        let score = finite(numbers.iter().find(|one| is_score(one, metric)));
        Self { run, score, reconstruction: term("reconstruction"), kl: term("kl") }
    }
}

/// A value of a metric such that larger is better; its own inverse.
pub(super) fn good(better: Better, value: f64) -> f64 {
    match better {
        Better::Higher => value,
        Better::Lower => -value,
    }
}

/// Why there is nothing to choose.
fn nothing(directory: &Path, none_done: bool) -> Error {
    let reason = match none_done {
        true => format!(
            "no run of this study is done yet; `unbraid study work {}` trains and scores them",
            directory.display()
        ),
        false => {
            "every finished run of this study is of a baseline that does not learn, so there is \
                  nothing to choose"
                .into()
        }
    };
    Error::Unable(reason)
}

/// Whether the method learns by steps; a baseline has nothing to choose.
pub(super) fn learns(run: &Planned) -> bool {
    let name = run.config.get("model").and_then(|model| model.get("name")).and_then(Value::as_str);
    name.and_then(|name| models::find(name).ok()).is_some_and(|entry| entry.takes_steps)
}

/// Its data with all their settings: runs on equal data are compared.
fn data_of(run: &Planned) -> String {
    run.config.get("data").map(Value::to_string).unwrap_or_default()
}

/// A data set in words: its name, what varies of it, and a number if another is called the same.
fn named(run: &Planned, others: &[Field]) -> String {
    let varies = run.at.iter().filter(|(key, _)| key.starts_with("data.") && key != "data.name");
    let seed = run.config.get("data").and_then(|data| data.get("seed"));
    let words = varies.map(|(key, value)| format!(" {} {}", short(key), word(value)));
    let mut name = [run.data().unwrap_or("data").to_string(), words.collect()].concat();
    name += &seed.map_or(String::new(), |seed| format!(" seed {seed}"));
    let numbered = |k: usize| if k == 1 { name.clone() } else { format!("{name} ({k})") };
    let is_free = |name: &String| others.iter().all(|other| other.data != *name);
    let mut names = (1..=others.len() + 1).map(numbered);
    names.find(is_free).expect("there are more numbers than data sets")
}

/// The row of the file; its model where it has no name.
fn method(run: &Planned) -> String {
    let model = || run.config.get("model")?.get("name")?.as_str();
    match run.family.as_str() {
        "" => model().unwrap_or("run").into(),
        name => name.into(),
    }
}

/// What varies beside data and seed.
fn strength(run: &Planned) -> impl Iterator<Item = &(String, Value)> {
    run.at.iter().filter(|(key, _)| !key.starts_with("data."))
}

/// Method and strength in words: the same on every data set.
pub(super) fn setting(run: &Planned) -> String {
    let words = strength(run).map(|(key, value)| format!(" {} {}", short(key), word(value)));
    [method(run), words.collect()].concat()
}
