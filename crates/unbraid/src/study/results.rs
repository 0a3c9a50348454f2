//! The results of a study as a table for any program: a row for each number of each run, with every setting that
//! varies.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde_json::Value as Json;
use toml::Value;
use unbraid_measure::tables::frame::{Frame, Values};

use super::Study;
use super::file::Planned;
use crate::error::Result;
use crate::run::Run;
use crate::run::files::{ACTED, ACTIONS, BOUND, INTERACTIONS, SCORES, TRIPLETS};
use crate::run::score;

/// The share of the log, from its end, that is averaged.
const TAIL: usize = 10;

/// Numbers that a run has beside its scores: the file, what we call it, and where it is there.
const BESIDE: [(&str, &str, &str); 16] = [
    (BOUND, "log-likelihood", "/bound"),
    (BOUND, "log-likelihood by one draw", "/bound_of_one_draw"),
    (TRIPLETS, "triplets", "/distance"),
    (TRIPLETS, "triplets of true images", "/floor"),
    (INTERACTIONS, "interaction F1", "/f1"),
    (ACTIONS, "action accuracy", "/action/accuracy"),
    (ACTIONS, "action accuracy, balanced", "/action/balanced"),
    (ACTIONS, "most frequent action", "/action/majority"),
    (ACTIONS, "factor accuracy", "/factor/accuracy"),
    (ACTIONS, "factor accuracy, balanced", "/factor/balanced"),
    (ACTIONS, "most frequent factor", "/factor/majority"),
    (ACTIONS, "pairs of one code", "/same_code"),
    (ACTED, "acted right once", "/once/right"),
    (ACTED, "acted right five times", "/often/right"),
    (ACTED, "reconstructions read right", "/once/floor"),
    (ACTED, "image error over that of reconstructions", "/once/error_ratio"),
];

/// What a number of a run is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    /// The training: its time, and its log.
    Training,
    /// The codes: how they are called in words, as in "sampled".
    Codes(&'static str),
}

/// A number of a run.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Number {
    /// What it is of.
    pub(super) of: Of,
    /// Its name: a metric, one of its parts, a term of the log.
    pub(super) name: String,
    /// The metric that it is a part of.
    pub(super) part_of: Option<String>,
    /// The number.
    pub(super) value: f64,
}

impl Number {
    /// Its name in a table where numbers of all codes stand side by side.
    pub(super) fn title(&self) -> String {
        match self.of {
            Of::Codes(words) if words != MEANS => format!("{} ({words})", self.name),
            _ => self.name.clone(),
        }
    }

    /// Its name among all numbers: two metrics may have parts of one name.
    fn full_name(&self) -> String {
        match &self.part_of {
            Some(metric) if !self.name.starts_with(&format!("{metric}/")) => {
                format!("{metric}/{}", self.name)
            }
            _ => self.name.clone(),
        }
    }
}

/// The codes that need no word.
const MEANS: &str = "mean";

impl Study {
    /// Every number of every run that is done, in the order of runs.
    pub(super) fn numbers(&self) -> Result<Vec<(&Planned, Vec<Number>)>> {
        let (last, before) = (self.attempts().last()?, self.seconds_before());
        let of = |run| {
            let spent = self.seconds_of(run, &last, &before)?;
            self.numbers_of(run, spent).map(|numbers| (run, numbers))
        };
        self.runs.par_iter().filter(|run| self.is_done(run)).map(of).collect()
    }

    /// How long a run was worked on in all.
    fn seconds_of(
        &self,
        run: &Planned,
        last: &HashMap<String, u32>,
        before: &HashMap<String, f64>,
    ) -> Result<f64> {
        let number = last.get(&run.name).copied().unwrap_or(0);
        let attempts = self.attempts().all(run, number)?;
        let spent: f64 = attempts.iter().map(|attempt| attempt.seconds).sum();
        Ok(spent + before.get(&run.name).copied().unwrap_or_default())
    }

    /// Everything that is a number of this run: its time, the end of its log, its scores.
    fn numbers_of(&self, planned: &Planned, seconds: f64) -> Result<Vec<Number>> {
        let run = Run::open(self.directory_of(planned))?;
        let number = |of, name: &str, value| Number { of, name: name.into(), part_of: None, value };
        let mut found = vec![number(Of::Training, "seconds", seconds)];
        let log = run.log_rows()?;
        let tail = &log[log.len() - log.len().div_ceil(TAIL)..];
        for name in tail.first().into_iter().flat_map(|row| row.keys()).filter(|key| *key != "step")
        {
            let values: Vec<f64> = tail.iter().filter_map(|row| row.get(name)?.as_f64()).collect();
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            found.push(number(Of::Training, name, mean));
        }
        let scores = run.document(SCORES)?.unwrap_or_default();
        for score in scores["scores"].as_array().into_iter().flatten() {
            let of = Of::Codes(score::codes_of(score).unwrap_or(MEANS));
            let name = score["metric"].as_str().unwrap_or_default();
            found.extend(score["value"].as_f64().map(|value| number(of, name, value)));
            let parts = score["parts"].as_object().into_iter().flatten();
            found.extend(parts.filter_map(|(part, value)| {
                Some(Number { part_of: Some(name.into()), ..number(of, part, value.as_f64()?) })
            }));
        }
        for (file, name, key) in BESIDE {
            let document: Json = run.document(file)?.unwrap_or_default();
            let value = document.pointer(key).and_then(Json::as_f64);
            found.extend(value.map(|value| number(Of::Codes(MEANS), name, value)));
        }
        Ok(found)
    }

    /// A row for each number of each run that is done.
    pub fn results(&self) -> Result<Frame> {
        let numbers = self.numbers()?;
        let rows = || numbers.iter().flat_map(|(run, all)| all.iter().map(move |one| (*run, one)));
        let words = |word: &dyn Fn(&Planned, &Number) -> Option<String>| {
            Values::Words(rows().map(|(run, one)| word(run, one)).collect())
        };
        let whole = |number: &dyn Fn(&Planned) -> Option<i64>| {
            Values::Whole(rows().map(|(run, _)| number(run)).collect())
        };
        let name = |run: &Planned, section: &str| {
            Some(run.config.get(section)?.get("name")?.as_str()?.to_string())
        };
        let mut columns = vec![
            ("number".to_string(), whole(&|run| Some(run.number as i64))),
            ("run".into(), words(&|run, _| Some(run.name.clone()))),
            ("row".into(), words(&|run, _| Some(run.family.clone()))),
            ("data".into(), words(&|run, _| name(run, "data"))),
            ("model".into(), words(&|run, _| name(run, "model"))),
            (
                "seed".into(),
                whole(&|run| run.config.get("seed").map_or(Some(0), Value::as_integer)),
            ),
        ];
        let keys: BTreeSet<&String> =
            self.runs.iter().flat_map(|run| run.at.iter().map(|(key, _)| key)).collect();
        for key in keys.into_iter().filter(|key| *key != "data.name" && *key != "model.name") {
            columns.push((key.clone(), settings(key, rows().map(|(run, _)| run))));
        }
        columns.extend([
            (
                "representation".into(),
                words(&|_, one| match one.of {
                    Of::Training => Some("training".into()),
                    Of::Codes(words) => Some(words.into()),
                }),
            ),
            ("metric".into(), words(&|_, one| Some(one.full_name()))),
            ("value".into(), Values::Numbers(rows().map(|(_, one)| Some(one.value)).collect())),
        ]);
        Ok(Frame { columns })
    }

    /// Write the results as .csv and .parquet; their paths.
    pub fn write_results(&self) -> Result<Vec<PathBuf>> {
        let results = self.results()?;
        let path = |name: &str| self.directory.join(name);
        results.write_csv(&path("results.csv"))?;
        let mut paths = vec![path("results.csv")];
        paths.extend(write_parquet(&results, &path("results.parquet"))?);
        Ok(paths)
    }
}

#[cfg(feature = "cli")]
fn write_parquet(results: &Frame, path: &Path) -> Result<Option<PathBuf>> {
    results.write_parquet(path)?;
    Ok(Some(path.to_path_buf()))
}

#[cfg(not(feature = "cli"))]
fn write_parquet(_: &Frame, _: &Path) -> Result<Option<PathBuf>> {
    Ok(None)
}

/// What a setting is in each row: numbers where all are.
fn settings<'a>(key: &str, rows: impl Iterator<Item = &'a Planned>) -> Values {
    let value = |run: &'a Planned| run.at.iter().find(|(name, _)| name == key).map(|(_, v)| v);
    let values: Vec<Option<&Value>> = rows.map(value).collect();
    let number = |value: &Value| value.as_float().or_else(|| Some(value.as_integer()? as f64));
    match values.iter().flatten().all(|value| number(value).is_some()) {
        true => Values::Numbers(values.iter().map(|value| number((*value)?)).collect()),
        false => Values::Words(values.iter().map(|value| value.map(super::file::word)).collect()),
    }
}
