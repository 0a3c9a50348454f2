//! How far a study is, as `unbraid study status` shows it.

use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _};

use anyhow::Result;
use unbraid::draw::words::duration;
use unbraid::study::{Progress, State, Status};

use super::table;

/// Failures that are shown without being asked for.
const FAILURES: usize = 5;

/// Begin at the top of the terminal.
pub(super) fn clear() -> Result<()> {
    let mut out = std::io::stdout();
    if out.is_terminal() {
        out.write_all(b"\x1b[2J\x1b[H")?;
    }
    Ok(())
}

pub(super) fn text(status: &Status, every_run: bool) -> String {
    let mut text = match every_run {
        true => table(&status.runs.iter().map(run).collect::<Vec<_>>()),
        false => rows(&status.runs),
    };
    let count = |state| status.runs.iter().filter(|run| run.state == state).count();
    let _ = write!(text, "\n{} of {} runs are done", count(State::Done), status.runs.len());
    for (state, words) in [(State::Working, "being worked on"), (State::Failed, "failed")] {
        if count(state) > 0 {
            let _ = write!(text, ", {} {words}", count(state));
        }
    }
    if let Some(left) = status.left {
        let _ = write!(text, ", about {} left", duration(left));
    }
    text.push('\n');
    let failed = status.runs.iter().filter(|run| run.state == State::Failed);
    for run in failed.take(FAILURES).filter(|_| !every_run) {
        let _ = writeln!(text, "failed: {}: {}", run.run, run.reason.as_deref().unwrap_or("?"));
    }
    for worker in &status.workers {
        let (about, job) = (&worker.about, worker.about.job.as_deref());
        let job = job.map_or(String::new(), |job| format!(", job {job}"));
        let how = match worker.alive {
            true => "alive".into(),
            false => format!("not heard of for {}", duration(worker.silent as f64)),
        };
        let _ = writeln!(text, "worker {}{job}: {how}, unbraid {}", worker.name, about.version);
    }
    text
}

fn run(run: &Progress) -> Vec<String> {
    let step = run.step.map_or(String::new(), |step| format!("step {step}"));
    let words = match (&run.reason, &run.worker) {
        (Some(reason), _) => reason.clone(),
        (None, Some(worker)) => format!("{step} by {worker}"),
        (None, None) => step,
    };
    vec![run.run.clone(), run.state.word().into(), words.trim().to_string()]
}

/// A line for each row: how many runs are in which state.
fn rows(runs: &[Progress]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for run in runs {
        if names.last() != Some(&run.row.as_str()) && !names.contains(&run.row.as_str()) {
            names.push(&run.row);
        }
    }
    let line = |name: &&str| {
        let of = || runs.iter().filter(|run| run.row == *name);
        let mut words = vec![(*name).to_string()];
        let states = [
            State::Done,
            State::Working,
            State::Trained,
            State::Begun,
            State::Waiting,
            State::Failed,
        ];
        for state in states {
            let count = of().filter(|run| run.state == state).count();
            if count > 0 {
                words.push(format!("{count} {}", state.word()));
            }
        }
        words
    };
    table(&names.iter().map(line).collect::<Vec<_>>())
}
