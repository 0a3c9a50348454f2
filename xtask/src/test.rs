//! `cargo xtask test`: every test of the workspace and of the Python package, added up.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use crate::tally::Tally;
use crate::{Result, cargo, package, python};

/// Where the tests look for a Python with the packages of `tests/requirements.txt`.
const PYTHON: &str = "UNBRAID_PYTHON";

/// Run the tests; whether all passed. The last line printed is `total: …`.
pub(crate) fn run() -> Result<bool> {
    let mut tally = Tally::default();
    let python = python::interpreter();
    // Passing tests print what they skipped, and only `--show-output` lets that through.
    let mut tests =
        cargo(&["test", "--release", "--workspace", "--no-fail-fast", "--", "--show-output"]);
    match &python {
        Ok(python) => tests.env(PYTHON, python),
        Err(reason) => {
            skip(&format!("python tests ({reason})"), &mut tally);
            tests.env_remove(PYTHON)
        }
    };
    let of_cargo = relay(&mut tests, |line| tally.line(line))?;
    let of_python = package::test(&python, &mut tally)?;

    let verdict = |passed: bool, what: &str| match passed {
        true => String::new(),
        false => format!("{what} failed\n"),
    };
    let verdicts = verdict(of_cargo, "cargo test") + &verdict(of_python, "the Python package");
    show(format!("\n{verdicts}{}", tally.report()).as_bytes());
    Ok(of_cargo && of_python)
}

/// Say what cannot be done here, and count it.
pub(crate) fn skip(what: &str, tally: &mut Tally) {
    let line = format!("skipped: {what}");
    println!("{line}");
    tally.line(&line);
}

/// Run a command, show every line as it comes, and have it taken in; whether it succeeded.
pub(crate) fn relay(command: &mut Command, mut take_in: impl FnMut(&str)) -> Result<bool> {
    // Standard error is cargo's own and goes straight to the terminal, with colours and progress;
    // what tests print to theirs is caught by the test program and comes through standard output.
    let running = command.stdout(Stdio::piped()).spawn();
    let mut running = running.map_err(|source| format!("cannot run the tests: {source}"))?;
    let mut output = BufReader::new(running.stdout.take().expect("standard output is piped"));
    let mut line = Vec::new();
    let unreadable = |source| format!("cannot read what the tests print: {source}");
    while output.read_until(b'\n', &mut line).map_err(unreadable)? > 0 {
        show(&line);
        take_in(&String::from_utf8_lossy(&line));
        line.clear();
    }
    let status = running.wait().map_err(|source| format!("cannot wait for the tests: {source}"))?;
    Ok(status.success())
}

/// Print, also where nobody reads any more: the tests go on.
fn show(bytes: &[u8]) {
    let _ = std::io::stdout().write_all(bytes);
}
