//! A Python for the tests that read our files with other people's programs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Result, repository};

const REQUIREMENTS: &str = "crates/unbraid/tests/requirements.txt";

/// The interpreter in `target/venv`, which is made if it is not there or was made for another
/// Python; or why there is none.
pub(crate) fn interpreter() -> Result<PathBuf> {
    let (system, inside) = match cfg!(windows) {
        true => ("python", "Scripts/python.exe"),
        false => ("python3", "bin/python"),
    };
    let home = repository("target/venv");
    let (python, stamp) = (home.join(inside), home.join("made-for.txt"));
    // A new version of Python does not see the packages that were installed for the old one.
    let version = output(Command::new(system).arg("--version"))?;
    if !(python.is_file() && read(&stamp) == version) {
        println!("making a Python for the tests in target/venv");
        // `--clear` first removes whatever an earlier attempt has left.
        output(Command::new(system).args(["-m", "venv", "--clear"]).arg(&home)).map_err(
            |reason| {
                format!("{reason}; on Debian and Ubuntu the package python3-venv may be missing")
            },
        )?;
        write(&stamp, &version)?;
    }
    provide(&python, REQUIREMENTS)?;
    Ok(python)
}

/// Install what a file of requirements asks for, unless that was done before.
pub(crate) fn provide(python: &Path, requirements: &str) -> Result<()> {
    let file = repository(requirements);
    let wanted = fs::read_to_string(&file)
        .map_err(|source| format!("{requirements} cannot be read: {source}"))?;
    let stamp = repository("target/venv").join(requirements.replace('/', "-"));
    if read(&stamp) == wanted {
        return Ok(());
    }
    println!("installing {requirements} in target/venv");
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"];
    output(Command::new(python).args(install).arg(&file))?;
    write(&stamp, &wanted)
}

fn read(stamp: &Path) -> String {
    fs::read_to_string(stamp).unwrap_or_default()
}

fn write(stamp: &Path, text: &str) -> Result<()> {
    fs::write(stamp, text)
        .map_err(|source| format!("{} cannot be written: {source}", stamp.display()))
}

/// What a command prints; if it fails, its last words.
fn output(command: &mut Command) -> Result<String> {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let found = command.output().map_err(|source| format!("{name} cannot be run: {source}"))?;
    if found.status.success() {
        return Ok(String::from_utf8_lossy(&found.stdout).into_owned());
    }
    let said = [found.stdout, found.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    let last = said.lines().map(str::trim).rfind(|line| !line.is_empty());
    let last = last.unwrap_or("it said nothing").trim_end_matches('.');
    Err(format!("{name} failed: {last}"))
}
