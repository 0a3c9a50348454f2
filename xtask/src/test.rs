//! `cargo xtask test`: every test of the workspace, added up.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use crate::tally::Tally;
use crate::{Result, cargo, python};

/// Where the tests look for a Python with the packages of `tests/requirements.txt`.
const PYTHON: &str = "UNBRAID_PYTHON";

/// Run the tests; whether all passed. The last line printed is `total: …`.
pub(crate) fn run() -> Result<bool> {
    let mut tally = Tally::default();
    // Passing tests print what they skipped, and only `--show-output` lets that through.
    let mut tests =
        cargo(&["test", "--release", "--workspace", "--no-fail-fast", "--", "--show-output"]);
    match python::interpreter() {
        Ok(python) => tests.env(PYTHON, python),
        Err(reason) => {
            let line = format!("skipped: python tests ({reason})");
            println!("{line}");
            tally.line(&line);
            tests.env_remove(PYTHON)
        }
    };
    // Standard error is cargo's own and goes straight to the terminal, with colours and progress;
    // what tests print to theirs is caught by the test program and comes through standard output.
    let mut running = tests
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|source| format!("cannot run cargo: {source}"))?;
    let output = running.stdout.take().expect("standard output is piped");
    relay(output, &mut tally).map_err(|source| format!("cannot read from cargo: {source}"))?;
    let status = running.wait().map_err(|source| format!("cannot wait for cargo: {source}"))?;

    let verdict = match status.success() {
        true => String::new(),
        false => format!("cargo test failed ({status})\n"),
    };
    show(format!("\n{verdict}{}", tally.report()).as_bytes());
    Ok(status.success())
}

/// Show every line as it comes, and take it in.
fn relay(output: impl std::io::Read, tally: &mut Tally) -> std::io::Result<()> {
    let mut output = BufReader::new(output);
    let mut line = Vec::new();
    while output.read_until(b'\n', &mut line)? > 0 {
        show(&line);
        tally.line(&String::from_utf8_lossy(&line));
        line.clear();
    }
    Ok(())
}

/// Print, also where nobody reads any more: the tests go on.
fn show(bytes: &[u8]) {
    let _ = std::io::stdout().write_all(bytes);
}
