//! The command line: one file per verb. Only here is anything printed.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is the part that prints")]

use std::borrow::Cow;
use std::io::{ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Barrier};

use anyhow::{Context, Result, bail};
use clap::{CommandFactory, Parser};
use serde_json::{Value as Json, json};
use unbraid::run::{Run, TrainedRun};
use unbraid_measure::Error;

mod alone;
mod args;
mod bench;
mod check;
mod choose;
mod columns;
mod data;
mod demo;
mod describe;
mod encode;
mod evaluate;
mod graph;
mod intervene;
mod library;
mod list;
mod progress;
mod readings;
mod report;
mod reproduce;
mod retrieve;
mod rotate;
mod score;
mod show;
mod standing;
mod stress;
mod study;
mod train;
mod traverse;

use args::{Cli, Command, Data};
use train::set_up_reader;

/// Do what was asked.
pub(crate) fn run() -> Result<ExitCode> {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        // Help that could not be written is no success.
        Err(asked) if !asked.use_stderr() => {
            let page = asked.render();
            let coloured = std::io::stdout().is_terminal();
            let page = if coloured { page.ansi().to_string() } else { page.to_string() };
            written(&page)?;
            return Ok(ExitCode::SUCCESS);
        }
        Err(mistake) => mistake.exit(),
    };
    let output = Output { quiet: cli.quiet, json: cli.json };
    if let Some(cpu) = cli.cpu {
        cpu.choose();
    }
    check_threads()?;
    match cli.command {
        Command::Demo(options) => return demo::run(&options, output),
        Command::Train(options) => return train::run(&options, output),
        Command::List(options) => list::run(&options, output),
        Command::Show { name } => show::run(&name, output),
        Command::Data(Data::Make(options)) => data::make(&options, output),
        Command::Data(Data::Preview(options)) => data::preview(&options, output),
        Command::Data(Data::Info(choice)) => describe::run(&choice, output),
        Command::Data(Data::Import(options)) => return library::import(&options, output),
        Command::Data(Data::Fetch(options)) => return library::fetch(&options, output),
        Command::Encode(options) => encode::run(&options, output),
        Command::Evaluate(options) => evaluate::run(&options, output),
        Command::Score(options) => score::run(&options, output),
        Command::Traverse(options) => traverse::run(&options, output),
        Command::Intervene(options) => intervene::run(&options, output),
        Command::Graph(options) => graph::run(&options, output),
        Command::Report(options) => report::run(&options, output),
        Command::Retrieve(options) => retrieve::run(&options, output),
        Command::Rotate(options) => rotate::run(&options, output),
        Command::Check(options) => return check::run(&options, output),
        Command::Stress(options) => stress::run(&options, output),
        Command::Study(study) => return study::run(&study, output),
        Command::Reproduce(options) => return reproduce::run(&options, output),
        Command::Bench(bench) => bench::run(&bench, output),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "unbraid", &mut script);
            print(&String::from_utf8_lossy(&script))
        }
    }?;
    Ok(ExitCode::SUCCESS)
}

/// Whether the system starts a thread for each core, which libraries take for granted.
fn check_threads() -> Result<()> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    // All at once: a limit counts those that are there.
    let wait = Arc::new(Barrier::new(cores + 1));
    let start = |_| {
        let wait = wait.clone();
        std::thread::Builder::new().stack_size(1 << 16).spawn(move || wait.wait())
    };
    let started: Vec<_> = (0..cores).map(start).collect();
    if started.iter().all(std::result::Result::is_ok) {
        wait.wait();
        return Ok(());
    }
    bail!(
        "the system starts no {cores} threads for this user; raise the limit of processes (`ulimit -u`), or end some"
    )
}

/// How to speak.
#[derive(Clone, Copy, Debug)]
struct Output {
    quiet: bool,
    json: bool,
}

impl Output {
    /// Say something beside the result, unless asked to be quiet.
    fn note(self, text: &str) {
        if !self.quiet {
            // A closed standard error is no reason to stop.
            let _ = writeln!(std::io::stderr(), "{}", plain(text));
        }
    }

    /// Print a result: the text, or the document if JSON was asked for.
    fn result(self, text: &str, document: impl FnOnce() -> Json) -> Result<()> {
        match self.json {
            true => print(&format!("{}\n", serde_json::to_string_pretty(&document())?)),
            false => print(text),
        }
    }

    /// Print the files that were made, the main one first.
    fn files(self, paths: &[PathBuf]) -> Result<()> {
        let lines: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        self.result(&format!("{}\n", lines.join("\n")), || {
            let files: Vec<_> = paths.iter().map(|path| path.to_string_lossy()).collect();
            json!({"format": 1, "file": files.first(), "files": files})
        })
    }

    /// Print the file that was made.
    fn file(self, path: &Path) -> Result<()> {
        let text = format!("{}\n", path.display());
        self.result(&text, || json!({"format": 1, "file": path.to_string_lossy()}))
    }
}

/// Print to standard output. Unlike `println!` a closed pipe is an error here, not a panic.
fn print(text: &str) -> Result<()> {
    written(&plain(text))
}

/// The names of columns, files and classes are the user's, or those of whoever made the file: they must not move the cursor
/// or change the title of a terminal.
fn plain(text: &str) -> Cow<'_, str> {
    let moves = |c: char| c.is_control() && c != '\n' && c != '\t';
    match text.contains(moves) {
        true => Cow::Owned(text.replace(moves, "\u{fffd}")),
        false => Cow::Borrowed(text),
    }
}

fn written(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    match written {
        Err(source) if source.kind() == ErrorKind::BrokenPipe => Err(source.into()),
        other => Ok(other.map_err(|source| Error::io("write", "standard output", &source))?),
    }
}

/// Whether the error is that nobody reads our output any more.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io = error.downcast_ref::<std::io::Error>();
    io.is_some_and(|io| io.kind() == std::io::ErrorKind::BrokenPipe)
}

/// `error: …` in one sentence with its causes, red on a terminal that wants colour.
pub(crate) fn print_error(error: &anyhow::Error) {
    let colour = std::io::stderr().is_terminal()
        && std::env::var("NO_COLOR").map_or(true, |value| value.is_empty());
    let word = if colour { "\x1b[1;31merror\x1b[0m" } else { "error" };
    // One sentence, whatever a library has said in several lines.
    let said = format!("{error:#}").split_whitespace().collect::<Vec<_>>().join(" ");
    let _ = writeln!(std::io::stderr(), "{word}: {}", plain(&said));
}

/// What is said when the program itself is wrong.
pub(crate) fn say_where_to_report() {
    std::panic::set_hook(Box::new(|fault| {
        let place = fault
            .location()
            .map_or(String::new(), |place| format!(" ({}:{})", place.file(), place.line()));
        let said = fault.payload_as_str().unwrap_or("no reason given").replace('\n', " ");
        let _ = writeln!(
            std::io::stderr(),
            "error: this is a mistake in unbraid, not in what you did: {}{place}; what was on disk is still there; please \
             report it with the command at {}/issues",
            plain(&said),
            env!("CARGO_PKG_REPOSITORY")
        );
    }));
}

/// A trained run, with the threads it was trained with.
fn opened(directory: &Path) -> Result<TrainedRun> {
    loaded(Run::open(directory)?)
}

/// The same, of a run that is open.
fn loaded(run: Run) -> Result<TrainedRun> {
    set_up_reader(run.config());
    Ok(TrainedRun::load(run)?)
}

/// This very program, for the runs of a study.
fn this_program() -> Result<PathBuf> {
    std::env::current_exe().context("this program cannot be found again")
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
