//! `unbraid study`: many runs, each a process of its own, and their table.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use serde_json::json;
use unbraid::run::config;
use unbraid::study::{Ended, Study};

use super::args::Study as Verb;
use super::progress::Screen;
use super::{Output, table, this_program};

pub(super) fn run(verb: &Verb, output: Output) -> Result<ExitCode> {
    match verb {
        Verb::Plan { file, out, set } => plan(file, out, set, output)?,
        Verb::Work { directory, jobs } => return work(directory, usize::from(*jobs), output),
        Verb::Status { directory } => status(directory, output)?,
        Verb::Gather { directory } => gather(directory, output)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn plan(file: &Path, out: &Path, set: &[String], output: Output) -> Result<()> {
    let mut table = config::read_table(file)?;
    for assignment in set {
        config::set(&mut table, assignment)?;
    }
    let study = Study::create(out, &table)?;
    for note in &study.notes {
        output.note(&format!("note: {note}"));
    }
    let runs = study.runs.len();
    let text =
        format!("{runs} runs planned; start them with: unbraid study work {}\n", out.display());
    output.result(&text, || json!({"format": 1, "directory": out, "runs": runs}))
}

fn work(directory: &Path, jobs: usize, output: Output) -> Result<ExitCode> {
    let screen = Screen::heeding_signals(output)?;
    if Study::open(directory)?.work(&this_program()?, jobs, &screen)? == Ended::Stopped {
        return Ok(screen.exit_code());
    }
    drop(screen);
    gather(directory, output)?;
    Ok(ExitCode::SUCCESS)
}

fn status(directory: &Path, output: Output) -> Result<()> {
    let study = Study::open(directory)?;
    let mut rows = Vec::new();
    for run in &study.runs {
        rows.push(vec![run.name.clone(), study.state(run)?.word().into()]);
    }
    output.result(&table(&rows), || {
        let run = |row: &Vec<String>| json!({"run": row[0], "state": row[1]});
        json!({"format": 1, "runs": rows.iter().map(run).collect::<Vec<_>>()})
    })
}

fn gather(directory: &Path, output: Output) -> Result<()> {
    let study = Study::open(directory)?;
    let gathered = study.gather()?;
    let path = study.table_file();
    gathered.write_csv(&path)?;
    output.result(&gathered.markdown(), || gathered.to_json())?;
    output.note(&format!("every number: {}", path.display()));
    Ok(())
}
