//! The library that stands between the program and its files; `faults/fault.c` says what it does.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::trace::{self, Record};
use crate::Result;

/// What the processes of a command share: the number of the last call and a lock.
const STATE: usize = 16;

/// The built shim, and the files through which it is spoken with.
#[derive(Debug)]
pub(super) struct Shim {
    library: PathBuf,
    state: PathBuf,
    trace: PathBuf,
}

/// What is to happen to the calls of a command.
#[derive(Clone, Copy, Debug)]
pub(super) enum Plan {
    /// Nothing; each is written down.
    Trace,
    /// One of them goes wrong.
    Fault {
        /// Its number, from 1.
        at: usize,
        /// How, in the word of the shim.
        how: &'static str,
        /// Whether death takes the whole group of processes.
        group: bool,
        /// Where a torn write ends, of a thousand.
        cut: usize,
    },
}

impl Shim {
    /// Why there can be none on this machine, if so.
    pub(super) fn lack() -> Option<String> {
        if !cfg!(all(target_os = "linux", target_env = "gnu")) {
            return Some("they are injected on Linux with glibc only".into());
        }
        let compiler = Command::new("cc").arg("--version").output();
        compiler.err().map(|source| format!("there is no C compiler `cc`: {source}"))
    }

    /// Compile it.
    pub(super) fn build(directory: &Path) -> Result<Self> {
        let sources =
            ["fault.c", "calls.c"].map(|name| crate::repository("xtask/faults").join(name));
        let library = directory.join("shim.so");
        let mut compile = Command::new("cc");
        compile.args(["-O2", "-Wall", "-Wextra", "-shared", "-fPIC", "-o"]);
        let output = compile.arg(&library).args(sources).arg("-ldl").output();
        let output = output.map_err(|source| format!("`cc` cannot be run: {source}"))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!("the shim of the faults cannot be compiled:\n{said}"));
        }
        let [state, trace] = ["state", "trace"].map(|name| directory.join(name));
        Ok(Self { library, state, trace })
    }

    /// Put it between this command and the files below a directory.
    pub(super) fn arm(&self, command: &mut Command, below: &Path, plan: Plan) -> Result<()> {
        let write = |path: &Path, bytes: &[u8]| {
            fs::write(path, bytes)
                .map_err(|source| format!("cannot write {}: {source}", path.display()))
        };
        write(&self.state, &[0; STATE])?;
        command.env("LD_PRELOAD", &self.library);
        command.env("FAULTS_BELOW", below).env("FAULTS_STATE", &self.state);
        match plan {
            Plan::Trace => {
                write(&self.trace, &[])?;
                command.env("FAULTS_TRACE", &self.trace);
            }
            Plan::Fault { at, how, group, cut } => {
                command.env("FAULTS_AT", at.to_string()).env("FAULTS_HOW", how);
                command.env("FAULTS_GROUP", if group { "1" } else { "0" });
                command.env("FAULTS_CUT", cut.to_string());
            }
        }
        Ok(())
    }

    /// The calls of the command that was traced last.
    pub(super) fn records(&self) -> Result<Vec<Record>> {
        let read = fs::read(&self.trace);
        trace::parse(&read.map_err(|source| format!("cannot read the trace: {source}"))?)
    }
}
