//! Running the program itself, for the tests that treat it as a user does.

#![allow(dead_code, reason = "each test file uses its own part of this")]

use std::path::Path;
use std::process::{Command, Output};

/// The built program, without colour and far from any terminal.
pub(crate) fn unbraid() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_unbraid"));
    command.env("NO_COLOR", "1").env_remove("RUST_BACKTRACE");
    command
}

/// Run with these words and return what came out.
pub(crate) fn run(words: &[&str]) -> Output {
    unbraid().args(words).output().expect("the program starts")
}

/// Run; it must succeed.
pub(crate) fn succeed(words: &[&str]) -> String {
    let output = run(words);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "unbraid {words:?}: {errors}");
    String::from_utf8(output.stdout).expect("results are text")
}

/// Run; it must fail with exit code 1 and one sentence that says `words`, without a panic.
pub(crate) fn refuse(words: &[&str], sentence: &str) {
    check_refusal(&run(words), sentence);
}

/// Check that a failure was a clean one.
pub(crate) fn check_refusal(output: &Output, sentence: &str) {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    let last = errors.lines().last().unwrap_or_default();
    assert!(last.starts_with("error: "), "no plain error: {errors}");
    assert!(last.contains(sentence), "expected `{sentence}` in: {last}");
    assert!(!errors.contains("panicked"), "{errors}");
}

/// A path as a word of a command.
pub(crate) fn word(path: &Path) -> &str {
    path.to_str().expect("temporary paths are text")
}

/// A `run.toml` as somebody leaves it who has changed it and means it: without its checksum.
pub(crate) fn unsealed(text: &str) -> String {
    text.lines()
        .filter(|line| !line.starts_with("# checksum"))
        .map(|line| format!("{line}\n"))
        .collect()
}
