//! `cargo xtask check`: all that must hold before a change is merged, cheapest first.

use std::process::{Command, Stdio};

use crate::{Result, cargo, docs, test};

/// Every step in order; the first that fails ends the check and is named.
pub(crate) fn run() -> Result<()> {
    step("format", &mut cargo(&["fmt", "--all", "--check"]))?;
    match is_installed(Command::new("typos").arg("--version")) {
        true => step("spelling", Command::new("typos").current_dir(crate::repository("")))?,
        false => println!("skipped: typos (not installed; cargo install typos-cli)"),
    }
    let lints = ["clippy", "--release", "--workspace", "--all-targets", "--", "-D", "warnings"];
    step("lints", &mut cargo(&lints))?;
    let pages = ["doc", "--release", "--no-deps", "--workspace"];
    step("documentation", cargo(&pages).env("RUSTDOCFLAGS", "-D warnings"))?;
    begin("generated pages", "cargo xtask docs --check");
    docs::check().map_err(|reason| format!("step `generated pages` failed: {reason}"))?;
    match is_installed(&mut cargo(&["deny", "--version"])) {
        // Advisories come from a database that it fetches.
        true => step("dependencies", &mut cargo(&["deny", "check", "--hide-inclusion-graph"]))?,
        false => println!("skipped: cargo deny (not installed; cargo install cargo-deny)"),
    }
    begin("tests", "cargo xtask test");
    match test::run()? {
        true => Ok(()),
        false => Err("step `tests` failed".into()),
    }
}

fn step(name: &str, command: &mut Command) -> Result<()> {
    let words: Vec<_> = command.get_args().map(|word| word.to_string_lossy()).collect();
    let program = command.get_program().to_string_lossy();
    // Cargo calls itself by its full path, which nobody would type.
    let program = program.rsplit(['/', '\\']).next().unwrap_or_default();
    begin(name, format!("{program} {}", words.join(" ")).trim_end());
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("step `{name}` failed ({status})")),
        Err(source) => Err(format!("step `{name}` cannot be run: {source}")),
    }
}

fn begin(name: &str, command: &str) {
    println!("check {name}: {command}");
}

fn is_installed(command: &mut Command) -> bool {
    let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}
