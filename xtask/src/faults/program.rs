//! Running the program under test: with a fault or without, killed at a moment, or two at once.

use std::fs::{self, File};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::shim::{Plan, Shim};
use crate::Result;

/// A command that takes longer hangs: all of ours take seconds.
const PATIENCE: Duration = Duration::from_mins(1);
/// How often it is looked whether a process has ended.
const LOOK: Duration = Duration::from_micros(500);

/// The words of a command.
pub(super) type Words = Vec<String>;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// By itself, with this code.
    Code(i32),
    /// By a signal.
    Killed,
    /// Not at all; it was ended after a minute.
    Hung,
}

/// How it ended and what it said.
#[derive(Clone, Debug)]
pub(super) struct Ended {
    pub(super) how: How,
    pub(super) said: String,
    pub(super) seconds: f64,
}

impl Ended {
    /// Whether it did what it was asked to.
    pub(super) fn is_done(&self) -> bool {
        self.how == How::Code(0) && self.panic().is_none()
    }

    /// The sentence with which it refused, if it did so properly.
    pub(super) fn refusal(&self) -> Option<&str> {
        let last = self.said.lines().last().and_then(|line| line.strip_prefix("error: "));
        last.filter(|_| self.how == How::Code(1) && self.panic().is_none())
    }

    fn panic(&self) -> Option<&str> {
        self.said.lines().find(|line| line.contains("panicked"))
    }

    /// What is wrong with this end, if it is neither done nor refused.
    pub(super) fn misbehaviour(&self) -> Option<String> {
        if self.is_done() || self.refusal().is_some() {
            return None;
        }
        let last = self.panic().or(self.said.lines().last()).unwrap_or("nothing");
        Some(match self.how {
            How::Hung => format!("it hung; the last it said was: {last}"),
            How::Killed => format!("a signal ended it; it said: {last}"),
            How::Code(code) => format!("it ended with code {code} and said: {last}"),
        })
    }
}

/// The program under test, and where it works: one directory that it writes to, and what it is given beside it.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) path: PathBuf,
    pub(super) shim: Shim,
    /// Everything of this harness.
    pub(super) root: PathBuf,
}

/// A process under way.
pub(super) struct Running {
    child: Child,
    said: PathBuf,
    since: Instant,
}

impl Program {
    /// Where the program works; its calls below this are those that count.
    pub(super) fn place(&self) -> PathBuf {
        self.root.join("at")
    }

    /// Run to the end.
    pub(super) fn run(&self, words: &[String]) -> Result<Ended> {
        self.start(words, None, "said")?.wait()
    }

    /// Run with its calls written down or with a fault.
    pub(super) fn run_with(&self, words: &[String], plan: Plan) -> Result<Ended> {
        self.start(words, Some(plan), "said")?.wait()
    }

    /// Begin; what it says goes to a file of this name.
    pub(super) fn start(
        &self,
        words: &[String],
        plan: Option<Plan>,
        said: &str,
    ) -> Result<Running> {
        let said = self.root.join(said);
        let file = File::create(&said).map_err(|source| format!("cannot write: {source}"))?;
        let mut command = Command::new(&self.path);
        command.args(words).current_dir(self.place());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(file);
        for name in ["RUST_BACKTRACE", "UNBRAID_CPU", "XDG_DATA_HOME"] {
            command.env_remove(name);
        }
        // One thread, so that equal runs have equal bytes whatever the machine.
        command.env("NO_COLOR", "1").env("RAYON_NUM_THREADS", "1");
        command.env("UNBRAID_DATA_DIR", self.place().join("library"));
        if let Some(plan) = plan {
            self.shim.arm(&mut command, &self.place(), plan)?;
        }
        // A group of its own: a power cut or a scheduler takes all of it.
        let child = command.process_group(0).spawn();
        let path = self.path.display();
        let child = child.map_err(|source| format!("{path} cannot be run: {source}"))?;
        Ok(Running { child, said, since: Instant::now() })
    }
}

impl Running {
    /// Wait for the end of it and of all that it started.
    pub(super) fn wait(mut self) -> Result<Ended> {
        let status = self.wait_until(PATIENCE)?;
        Ok(self.ended(status))
    }

    /// Kill it after some time, alone or with its group; `None` if it ended before.
    pub(super) fn kill_after(mut self, time: Duration, group: bool) -> Result<Option<Ended>> {
        if let Some(status) = self.wait_until(time)? {
            return Ok(Some(self.ended(Some(status))));
        }
        if group {
            self.kill_group();
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.wait_for_group();
        Ok(None)
    }

    fn wait_until(&mut self, time: Duration) -> Result<Option<ExitStatus>> {
        let failed = |source| format!("cannot watch the program: {source}");
        while self.since.elapsed() < time {
            if let Some(status) = self.child.try_wait().map_err(failed)? {
                return Ok(Some(status));
            }
            std::thread::sleep(LOOK);
        }
        Ok(None)
    }

    fn ended(mut self, status: Option<ExitStatus>) -> Ended {
        let seconds = self.since.elapsed().as_secs_f64();
        if status.is_none() {
            self.kill_group();
            let _ = self.child.wait();
        }
        self.wait_for_group();
        let how = match status {
            None => How::Hung,
            Some(status) if status.signal().is_some() => How::Killed,
            Some(status) => How::Code(status.code().unwrap_or(-1)),
        };
        let said = fs::read(&self.said).unwrap_or_default();
        Ended { how, said: String::from_utf8_lossy(&said).into_owned(), seconds }
    }

    /// Wait until nothing of its group runs: processes whose worker was killed look for it once a while. What stays
    /// for long is killed.
    fn wait_for_group(&self) {
        let since = Instant::now();
        while group_lives(self.child.id()) {
            if since.elapsed() > PATIENCE / 4 {
                self.kill_group();
            }
            std::thread::sleep(LOOK * 4);
        }
    }

    fn kill_group(&self) {
        let kill = format!("kill -9 -- -{}", self.child.id());
        let quiet = Command::new("sh").args(["-c", &kill]).stderr(Stdio::null()).status();
        // Where there is no shell, `Child::kill` is all there is.
        drop(quiet);
    }
}

/// Whether a process of this group has not ended.
fn group_lives(group: u32) -> bool {
    let group = group.to_string();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let process = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().ok()?;
        name.starts_with(|c: char| c.is_ascii_digit()).then_some(name)
    };
    entries.filter_map(process).any(|process| {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        // After the name in brackets: the state, the parent, the group. Z has ended and waits to be looked at.
        let Some((_, rest)) = stat.rsplit_once(") ") else { return false };
        let words: Vec<&str> = rest.split(' ').collect();
        words.get(2) == Some(&group.as_str()) && !matches!(words[0], "Z" | "X")
    })
}
