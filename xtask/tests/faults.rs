//! The short form of `cargo xtask faults`: a few faults of each kind, in a minute or two.

#![cfg(unix)]
#![allow(clippy::print_stdout, reason = "a skipped test says so")]

use std::path::Path;
use std::process::Command;

#[test]
fn a_few_faults_of_each_kind_do_no_harm() {
    let xtask = Path::new(env!("CARGO_BIN_EXE_xtask"));
    // `cargo test --workspace` builds it beside this, for the tests that run it.
    let program = xtask.with_file_name("unbraid");
    if !program.is_file() {
        println!("skipped: faults (there is no {}; build it first)", program.display());
        return;
    }
    let mut command = Command::new(xtask);
    let output = command.args(["faults", "--short", "--program"]).arg(program).output();
    let output = output.expect("xtask starts");
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().filter(|line| line.starts_with("skipped:")).for_each(|line| println!("{line}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}\n{errors}");
}
