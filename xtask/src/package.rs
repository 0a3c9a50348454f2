//! The Python package: built and installed as a user would, in `target/venv`, and tested there.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value as Json;

use crate::tally::Tally;
use crate::{Result, cargo, python, repository, test};

const REQUIREMENTS: &str = "python/tests/requirements.txt";

/// Where the tests look for the program, to compare its numbers.
const PROGRAM: &str = "UNBRAID_PROGRAM";

/// Build, install, test; whether all passed. Without its tools it is skipped, and says so.
pub(crate) fn test(python: &Result<PathBuf>, tally: &mut Tally) -> Result<bool> {
    let ready = python.as_ref().map_err(String::clone).and_then(|python| {
        python::provide(python, REQUIREMENTS)?;
        Ok(python)
    });
    let python = match ready {
        Ok(python) => python,
        Err(reason) => {
            test::skip(&format!("the Python package ({reason})"), tally);
            return Ok(true);
        }
    };
    println!("\nbuilding the Python package: pip install .");
    if !succeeds(&mut install(python))? {
        tally.failed("building the Python package");
        return Ok(false);
    }
    let mut tests = Command::new(python);
    tests
        .args(["-m", "pytest", "-q", "-rfEs", "--color=no", "-p", "no:cacheprovider"])
        .env(PROGRAM, program()?)
        .current_dir(repository(""));
    test::relay(&mut tests, |line| tally.pytest_line(line))
}

/// With the tools of `target/venv` instead of fresh ones, and the libraries that cargo has built.
fn install(python: &Path) -> Command {
    let mut command = Command::new(python);
    command
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
        .args(["--no-build-isolation", "--no-deps", "--force-reinstall", "."])
        .current_dir(repository(""));
    // Pip looks for maturin beside the interpreter only if that is on the path.
    let beside = python.parent().map(Path::to_path_buf);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(beside.into_iter().chain(std::env::split_paths(&path)));
    if let Ok(path) = path {
        command.env("PATH", path);
    }
    command
}

fn succeeds(command: &mut Command) -> Result<bool> {
    let status = command.stdin(Stdio::null()).status();
    let status = status.map_err(|source| format!("cannot run Python: {source}"))?;
    Ok(status.success())
}

/// The program that `cargo test --release` has built on its way.
fn program() -> Result<PathBuf> {
    let told = cargo(&["metadata", "--no-deps", "--format-version", "1"]).output();
    let told = told.map_err(|source| format!("cannot run cargo: {source}"))?;
    let told: Json = serde_json::from_slice(&told.stdout)
        .map_err(|source| format!("`cargo metadata` prints no JSON: {source}"))?;
    let target = told["target_directory"].as_str().unwrap_or("target");
    Ok(Path::new(target).join("release").join(format!("unbraid{}", std::env::consts::EXE_SUFFIX)))
}
