//! The project's own tasks; `cargo xtask help` lists them.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a task talks to the terminal")]

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

mod check;
mod docs;
#[cfg(unix)]
mod faults;
mod fuzz;
mod package;
mod python;
mod stubs;
mod tally;
mod test;

const USAGE: &str = "\
usage: cargo xtask TASK

  test            run every test, those in Python too, and add up the results
  check           all that must hold before a change is merged: format, spelling, lints,
                  documentation, generated pages, licences, tests
  docs            write the tables of README.md, the pages docs/models.md, docs/data.md and
                  docs/metrics.md, and the types of the Python package from the program
  docs --check    only say whether they are current
  faults          fail, tear and kill every file call, cut the power, flip bits, run rivals:
                  [--program PATH] [--kinds calls,power,kills,rivals,bits] [--count N] [--seed S]
                  [--only CASE] [--at DIRECTORY] [--short]
  fuzz            random inputs for everything that reads a file, led by coverage:
                  [TARGET …] [--seconds N] [--keep] [--program PATH]
  help            print this
";

/// A failed task is a sentence.
type Result<T> = std::result::Result<T, String>;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words[..] {
        // Whether the tests passed is in their last line, which must stay the last.
        ["test"] => test::run(),
        ["check"] => check::run().map(|()| true),
        ["docs"] => docs::write().map(|()| true),
        ["docs", "--check"] => docs::check().map(|()| true),
        #[cfg(unix)]
        ["faults", ref options @ ..] => faults::run(options),
        #[cfg(not(unix))]
        ["faults", ..] => {
            println!("skipped: faults (they are injected on Linux with glibc only)");
            Ok(true)
        }
        ["fuzz", ref options @ ..] => fuzz::run(options),
        [] | ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprint!("error: unknown task `{}`\n\n{USAGE}", words.join(" "));
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(reason) => {
            eprintln!("error: {reason}");
            ExitCode::FAILURE
        }
    }
}

/// A file or directory of the repository.
fn repository(path: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    root.expect("xtask lies in the repository").join(path)
}

/// The same cargo that runs this, in the root of the repository.
fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    command.args(arguments).current_dir(repository(""));
    command
}
