//! How far a study is: every run, every row, every worker.

use std::collections::HashMap;

use serde::Serialize;

use super::attempts::{Attempt, End};
use super::file::Planned;
use super::workers::{self, Seen};
use super::{Orders, Study};
use crate::error::Result;
use crate::model::weights;
use crate::run::Run;
use crate::run::files::{CHECKPOINT, MODEL};

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Not begun.
    Waiting,
    /// Begun, and to be resumed.
    Begun,
    /// Trained, but not scored.
    Trained,
    /// A worker is at it.
    Working,
    /// It has failed too often to be tried again.
    Failed,
    /// Scored.
    Done,
}

/// A run and how far it is.
#[derive(Clone, Debug, Serialize)]
pub struct Progress {
    /// Its place in the study.
    pub number: usize,
    /// Its name.
    pub run: String,
    /// Its row of the table.
    pub row: String,
    /// How far it is.
    pub state: State,
    /// The steps it has taken, if it is under way and has a checkpoint.
    pub step: Option<u64>,
    /// Who works on it.
    pub worker: Option<String>,
    /// Why it failed, if it did.
    pub reason: Option<String>,
    /// How long it was worked on.
    pub seconds: f64,
}

/// How far a study is.
#[derive(Clone, Debug, Serialize)]
pub struct Status {
    /// Every run.
    pub runs: Vec<Progress>,
    /// Every worker that has not left.
    pub workers: Vec<Seen>,
    /// How long what is left would take the workers that are alive, judged by what is done; seconds.
    pub left: Option<f64>,
}

impl Status {
    /// Whether nothing is left to be worked on.
    pub fn is_over(&self) -> bool {
        self.runs.iter().all(|run| matches!(run.state, State::Done | State::Failed))
    }
}

impl State {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Begun => "begun",
            Self::Trained => "trained",
            Self::Working => "working",
            Self::Failed => "failed",
            Self::Done => "done",
        }
    }
}

impl Study {
    /// How far it is, now.
    pub fn status(&self) -> Result<Status> {
        let workers = workers::seen(&self.directory, self.takeover);
        let alive: Vec<&str> =
            workers.iter().filter(|one| one.alive).map(|one| one.name.as_str()).collect();
        let (last, before) = (self.attempts().last()?, self.seconds_before());
        let progress = |run: &Planned| -> Result<Progress> {
            let number = last.get(&run.name).copied().unwrap_or(0);
            let attempts = self.attempts().all(run, number)?;
            let spent: f64 = attempts.iter().map(|attempt| attempt.seconds).sum();
            let seconds = spent + before.get(&run.name).copied().unwrap_or_default();
            Ok(self.progress(run, &attempts, &alive, seconds))
        };
        let runs = self.runs.iter().map(progress).collect::<Result<Vec<_>>>()?;
        let left = time_left(&runs);
        Ok(Status { runs, workers, left })
    }

    fn progress(
        &self,
        run: &Planned,
        attempts: &[Attempt],
        alive: &[&str],
        seconds: f64,
    ) -> Progress {
        let (number, row, name) = (run.number, run.row.clone(), run.name.clone());
        let mut found = Progress {
            number,
            row,
            run: name,
            state: State::Waiting,
            step: None,
            worker: None,
            reason: None,
            seconds,
        };
        let failed = attempts.iter().filter(|one| one.ended == Some(End::Failed)).count();
        let last = attempts.last();
        let open = last.filter(|one| one.ended.is_none() && alive.contains(&one.worker.as_str()));
        found.reason = last.filter(|_| failed > 0).and_then(|one| one.reason.clone());
        (found.state, found.step) = match open {
            _ if self.is_done(run) => (State::Done, None),
            Some(attempt) => {
                found.worker = Some(attempt.worker.clone());
                let place = self.workplace(run, attempts.len() as u32);
                (State::Working, step_of(&place.join(CHECKPOINT)))
            }
            None if failed > Orders::of(1).retries => (State::Failed, None),
            None => self.at_rest(run),
        };
        found
    }

    /// How far a run is that nobody works on.
    fn at_rest(&self, run: &Planned) -> (State, Option<u64>) {
        let directory = self.directory_of(run);
        match Run::open(&directory) {
            Err(_) => (State::Waiting, None),
            Ok(run) => match step_of(&run.file(MODEL)) {
                Some(step) if step >= run.config().train.steps => (State::Trained, None),
                step => (State::Begun, step),
            },
        }
    }
}

fn step_of(path: &std::path::Path) -> Option<u64> {
    weights::read_about(path)?["step"].as_u64()
}

/// The seconds that are left: those of a run of the same row, or of any, for each that is not done.
fn time_left(runs: &[Progress]) -> Option<f64> {
    let mut rows: HashMap<&str, (f64, f64)> = HashMap::new();
    let mut all = (0.0, 0.0);
    for run in runs.iter().filter(|run| run.state == State::Done && run.seconds > 0.0) {
        let row = rows.entry(&run.row).or_default();
        *row = (row.0 + run.seconds, row.1 + 1.0);
        all = (all.0 + run.seconds, all.1 + 1.0);
    }
    let working = runs.iter().filter(|run| run.state == State::Working).count();
    if all.1 == 0.0 || working == 0 {
        return None;
    }
    let open = runs.iter().filter(|run| !matches!(run.state, State::Done | State::Failed));
    let seconds = open.map(|run| {
        let (sum, count) = rows.get(run.row.as_str()).copied().unwrap_or(all);
        sum / count
    });
    Some(seconds.sum::<f64>() / working as f64)
}
