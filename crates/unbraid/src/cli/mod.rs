//! The command line: one file per verb. Only here is anything printed.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is the part that prints")]

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use anyhow::Result;
use clap::{CommandFactory, Parser};

mod args;
mod bench;
mod data;
mod demo;
mod encode;
mod list;
mod progress;
mod score;
mod show;
mod train;
mod traverse;

use args::{Bench, Cli, Command, Data};

/// What `--version` says.
pub(crate) const VERSION: &str =
    concat!(env!("CARGO_PKG_VERSION"), " (", env!("UNBRAID_COMMIT"), ")");

/// Do what was asked.
pub(crate) fn run() -> Result<ExitCode> {
    let cli = Cli::parse();
    let quiet = cli.quiet;
    match cli.command {
        Command::Demo(options) => return demo::run(&options, quiet),
        Command::Train(options) => return train::run(&options, quiet),
        Command::List(options) => list::run(&options),
        Command::Show { name } => show::run(&name),
        Command::Data(Data::Make(options)) => data::make(&options, quiet),
        Command::Data(Data::Preview(options)) => data::preview(&options),
        Command::Encode(options) => encode::run(&options, quiet),
        Command::Score(options) => score::run(&options, quiet),
        Command::Traverse(options) => traverse::run(&options),
        Command::Bench(Bench::Step(options)) => bench::run(&options),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "unbraid", &mut script);
            print(&String::from_utf8_lossy(&script))
        }
    }?;
    Ok(ExitCode::SUCCESS)
}

/// Print a result. Unlike `println!` a closed pipe is an error here, not a panic.
fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Print a JSON document.
fn print_json(document: &serde_json::Value) -> Result<()> {
    print(&format!("{}\n", serde_json::to_string_pretty(document)?))
}

/// Say something beside the result, unless asked to be quiet.
fn note(quiet: bool, text: &str) {
    if !quiet {
        // A closed standard error is no reason to stop.
        let _ = writeln!(std::io::stderr(), "{text}");
    }
}

/// Whether the error is that nobody reads our output any more.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io = error.downcast_ref::<std::io::Error>();
    io.is_some_and(|io| io.kind() == std::io::ErrorKind::BrokenPipe)
}

/// `error: …` in one sentence with its causes, red on a terminal that wants colour.
pub(crate) fn print_error(error: &anyhow::Error) {
    let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let word = if colour { "\x1b[1;31merror\x1b[0m" } else { "error" };
    let _ = writeln!(std::io::stderr(), "{word}: {error:#}");
}

/// Columns padded to their widest cell, two spaces between them.
fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max()
    };
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        format!("{}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}
