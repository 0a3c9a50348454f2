//! `unbraid reproduce`: run a published experiment again, and show ours beside what is published.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use serde_json::json;
use unbraid::study::reproduce::{self, Budget, EXPERIMENTS, Experiment};

use super::args::Reproduce;
use super::progress::Screen;
use super::{Output, table, this_program};

pub(super) fn run(options: &Reproduce, output: Output) -> Result<ExitCode> {
    let Some(name) = &options.name else {
        list(output)?;
        return Ok(ExitCode::SUCCESS);
    };
    let experiment = reproduce::find(name)?;
    let out = options.out.clone().unwrap_or_else(|| PathBuf::from("runs").join(experiment.name));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = options.jobs.map_or(cores, usize::from);
    let part = options.part.as_deref().map(|name| experiment.part(name)).transpose()?;
    let budget = Budget { quick: options.quick, seeds: options.seeds, part };
    let screen = Screen::heeding_signals(output)?;
    let found = experiment.reproduce(&out, budget, (&this_program()?, jobs), &screen)?;
    let Some(found) = found else { return Ok(screen.exit_code()) };
    drop(screen);
    let rows = found.rows;
    output.result(&found.text, || json!({"format": 1, "table": experiment.name, "rows": rows}))?;
    output.note(&format!("written: {}; the runs are beside it", found.path.display()));
    Ok(ExitCode::SUCCESS)
}

fn list(output: Output) -> Result<()> {
    let row = |e: &Experiment| vec![e.name.to_string(), e.summary.to_string()];
    let rows: Vec<Vec<String>> = EXPERIMENTS.iter().map(row).collect();
    output.result(&table(&rows), || {
        let one = |e: &Experiment| json!({"name": e.name, "summary": e.summary});
        json!({"format": 1, "experiments": EXPERIMENTS.iter().map(one).collect::<Vec<_>>()})
    })
}
