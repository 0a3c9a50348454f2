//! The processes of a worker: each trains a run and then scores it, in the directory of its attempt.

use std::fs::{self, OpenOptions};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Instant;

use unbraid_measure::Error as MeasureError;
use unbraid_measure::error::DISK_FULL;
use unbraid_measure::files::{self, is_draft};
use unbraid_measure::watch::Watch;

use super::attempts::{Attempt, Attempts, End};
use super::file::Planned;
use super::{Orders, Study};
use crate::error::{Error, Result};
use crate::run::Run;
use crate::run::files::{CHECKPOINT, MODEL, SCORES};

/// A process of a worker finds the number of the worker's process here, and stops when that is gone.
pub const WORKER: &str = "UNBRAID_WORKER";

/// The processes of a worker.
pub(super) struct Crew<'a> {
    study: &'a Study,
    attempts: Attempts,
    program: &'a Path,
    orders: &'a Orders,
    watch: &'a dyn Watch,
    working: Vec<Working<'a>>,
    done: usize,
    all: usize,
}

/// A run that is being trained or scored.
struct Working<'a> {
    run: &'a Planned,
    number: u32,
    attempt: Attempt,
    since: Instant,
    process: Process,
}

/// A process that has been started.
struct Process {
    child: Child,
    /// Whether it scores, and does not train.
    scores: bool,
    /// How long the log was when it began.
    said: u64,
}

/// Whether a process ended since somebody asked it to: with the code for Ctrl-C, SIGTERM or a cluster's SIGUSR1, after a
/// checkpoint. It has not failed, and goes on from there.
fn was_stopped(status: ExitStatus) -> bool {
    matches!(status.code(), Some(130 | 143 | 138))
}

impl<'a> Crew<'a> {
    pub(super) fn new(
        study: &'a Study,
        program: &'a Path,
        orders: &'a Orders,
        (watch, [done, all]): (&'a dyn Watch, [usize; 2]),
    ) -> Self {
        let attempts = study.attempts();
        Self { study, attempts, program, orders, watch, working: vec![], done, all }
    }

    pub(super) fn is_idle(&self) -> bool {
        self.working.is_empty()
    }

    pub(super) fn has_room(&self) -> bool {
        self.working.len() < self.orders.jobs
    }

    /// Begin an attempt that this worker has taken.
    pub(super) fn begin(&mut self, run: &'a Planned, number: u32, attempt: Attempt) -> Result<()> {
        self.study.provide(run, number)?;
        let process = self.start(run, number)?;
        self.working.push(Working { run, number, attempt, since: Instant::now(), process });
        Ok(())
    }

    /// Start the process that trains a run, or scores it if it is trained.
    fn start(&self, run: &Planned, number: u32) -> Result<Process> {
        let (study, directory) = (self.study, self.study.workplace(run, number));
        let path = study.log_of(run);
        let log = OpenOptions::new().create(true).append(true).open(&path);
        let log = log.and_then(|log| Ok((log.metadata()?.len(), [log.try_clone()?, log])));
        let (said, [log, same]) =
            log.map_err(|source| MeasureError::io("write", &path, &source))?;
        let mut command = Command::new(self.program);
        let scores = is_trained(&directory);
        if scores {
            command.arg("score").arg(&directory);
        } else {
            command.arg("train").arg(study.plan_of(run));
            command.arg("--resume").arg("--out").arg(&directory);
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = self.orders.threads.unwrap_or((cores / self.orders.jobs).max(1));
        command.env("RAYON_NUM_THREADS", threads.to_string());
        command.env(WORKER, std::process::id().to_string());
        command.stdin(Stdio::null()).stdout(log).stderr(same);
        let child = command.spawn().map_err(|source| unable("started", &source))?;
        Ok(Process { child, scores, said })
    }

    /// See who has ended; whether anybody has. Now and then also whether somebody has taken over.
    pub(super) fn look(&mut self, stopping: bool, thorough: bool) -> Result<bool> {
        let before = self.working.len();
        for mut one in std::mem::take(&mut self.working) {
            if thorough && self.is_lost(&one) {
                let _ = one.process.child.kill();
                let _ = one.process.child.wait();
                self.lose(&one);
                continue;
            }
            match one.process.child.try_wait().map_err(|source| unable("watched", &source))? {
                None => self.working.push(one),
                Some(status) => self.ended(one, status, stopping)?,
            }
        }
        Ok(self.working.len() < before)
    }

    /// Whether another worker has this run now.
    fn is_lost(&self, one: &Working) -> bool {
        self.attempts.exists(one.run, one.number + 1)
    }

    /// Another worker thought this one dead, since it was suspended for long. Nothing of this attempt counts.
    fn lose(&self, one: &Working) {
        let name = &one.run.name;
        self.watch.note(&format!("{name} was taken over while this worker was not heard of"));
        let _ = fs::remove_dir_all(self.study.workplace(one.run, one.number));
    }

    fn ended(&mut self, mut one: Working<'a>, status: ExitStatus, stopping: bool) -> Result<()> {
        if self.is_lost(&one) {
            self.lose(&one);
            return Ok(());
        }
        let place = self.study.workplace(one.run, one.number);
        let end = match (status.success(), place.join(SCORES).is_file()) {
            (true, true) => End::Done,
            (true, false) if !stopping && !one.process.scores && is_trained(&place) => {
                one.process = self.start(one.run, one.number)?;
                self.working.push(one);
                return Ok(());
            }
            _ if stopping || was_stopped(status) => End::Stopped,
            _ => End::Failed,
        };
        let reason = (end == End::Failed).then(|| self.reason(&one, status));
        let full = reason.as_ref().is_some_and(|reason| reason.contains(DISK_FULL));
        let end = if full { End::Stopped } else { end };
        self.settle(&one, end, reason)?;
        match full {
            false => Ok(()),
            true => Err(Error::Unable(format!(
                "{DISK_FULL} where the study is; make room, and the same command goes on"
            ))),
        }
    }

    /// Bring a run to rest and write how the attempt ended.
    fn settle(&mut self, one: &Working, end: End, reason: Option<String>) -> Result<()> {
        self.study.bring_to_rest(one.run, one.number)?;
        let mut attempt = one.attempt.clone();
        (attempt.ended, attempt.seconds) = (Some(end), one.since.elapsed().as_secs_f64());
        attempt.reason = reason;
        let name = &one.run.name;
        match end {
            End::Done => {
                self.done += 1;
                self.watch.note(&format!("{}/{}  {name}", self.done, self.all));
            }
            End::Stopped => {}
            End::Failed => {
                let (log, reason) = (self.study.log_of(one.run), attempt.reason.as_deref());
                let reason = reason.unwrap_or_default();
                self.watch.note(&format!("failed: {name}: {reason} (see {})", log.display()));
            }
        }
        self.attempts.end(one.run, one.number, &attempt)
    }

    /// Why a process failed: the last thing it said, or the signal that ended it.
    fn reason(&self, one: &Working, status: ExitStatus) -> String {
        let mut text = String::new();
        let read = fs::File::open(self.study.log_of(one.run)).and_then(|mut log| {
            log.seek(SeekFrom::Start(one.process.said))?;
            log.read_to_string(&mut text)
        });
        let said = text.lines().rev().find_map(|line| line.strip_prefix("error: "));
        match (read, said) {
            (Ok(_), Some(said)) => said.to_string(),
            // A process that the system ends for want of memory says nothing.
            _ => format!("it said nothing and ended with {status}"),
        }
    }

    /// Let each training write its checkpoint and end.
    pub(super) fn ask_to_stop(&self) {
        #[cfg(unix)]
        for one in &self.working {
            let process = rustix::process::Pid::from_child(&one.process.child);
            // It may have ended by itself just now.
            let _ = rustix::process::kill_process(process, rustix::process::Signal::TERM);
        }
    }

    /// End what is running after an error of this worker's own.
    pub(super) fn stop(&mut self) {
        self.ask_to_stop();
        for mut one in std::mem::take(&mut self.working) {
            let _ = one.process.child.wait();
            if !self.is_lost(&one) {
                // There is an error to be told already.
                let _ = self.settle(&one, End::Stopped, None);
            }
        }
    }
}

impl Study {
    /// Where an attempt at a run works.
    pub(super) fn workplace(&self, run: &Planned, number: u32) -> PathBuf {
        self.directory.join("work").join(format!("{}.{number}", run.name))
    }

    /// Give an attempt what there is of its run: the one at rest, or a copy of what an earlier attempt left whose
    /// worker is gone. A copy, since that worker may only be slow and still write there.
    fn provide(&self, run: &Planned, number: u32) -> Result<()> {
        let plan = self.plan_of(run);
        let text = toml::to_string(&run.config).expect("a configuration is plain TOML");
        files::write(plan, text.as_bytes())?;
        let (rest, place) = (self.directory_of(run), self.workplace(run, number));
        if rest.exists() {
            return Ok(files::rename(&rest, &place)?);
        }
        let left = (1..number).rev().map(|earlier| self.workplace(run, earlier));
        match left.into_iter().find(|place| Run::exists(place)) {
            None => Ok(()),
            Some(left) => copy_run(&left, &place),
        }
    }

    /// Move the directory of an attempt to where runs rest, and remove what earlier ones left.
    fn bring_to_rest(&self, run: &Planned, number: u32) -> Result<()> {
        let (rest, place) = (self.directory_of(run), self.workplace(run, number));
        if place.join(SCORES).is_file() && !rest.join(SCORES).is_file() {
            // A worker that woke up late may have left something there.
            let _ = fs::remove_dir_all(&rest);
        }
        if place.exists() && !rest.exists() {
            files::rename(&place, &rest)?;
        }
        for place in (1..=number).map(|number| self.workplace(run, number)) {
            let _ = fs::remove_dir_all(place);
        }
        Ok(())
    }
}

/// Whether every step of the run in a directory has been taken. One that cannot be read is left to `train`, which
/// says why.
fn is_trained(directory: &Path) -> bool {
    Run::open(directory).and_then(|run| run.is_finished()).unwrap_or(false)
}

/// Copy a run that somebody may be writing: first the checkpoint, then the weights, then the rest. Each file is
/// whole; rows of the log up to a checkpoint are written before it, and those after it are dropped on resuming.
fn copy_run(from: &Path, to: &Path) -> Result<()> {
    files::create_directory(to)?;
    for name in [CHECKPOINT, MODEL] {
        if from.join(name).is_file() {
            files::create_directory(to.join(name).parent().unwrap_or(to))?;
            copy(&from.join(name), &to.join(name))?;
        }
    }
    copy_missing(from, to)?;
    // Its writer has woken up and taken it away: what was copied until then is no run, and it begins anew.
    match Run::exists(to) {
        true => Ok(()),
        false => {
            fs::remove_dir_all(to).map_err(|source| MeasureError::io("remove", to, &source).into())
        }
    }
}

/// Copy every file that is not there yet, folders too.
fn copy_missing(from: &Path, to: &Path) -> Result<()> {
    let entries = match fs::read_dir(from) {
        Ok(entries) => entries,
        Err(source) if source.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(source) => return Err(MeasureError::io("read", from, &source).into()),
    };
    for entry in entries.flatten() {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            files::create_directory(&target)?;
            copy_missing(&path, &target)?;
        } else if !target.exists() && !is_draft(&path) {
            copy(&path, &target)?;
        }
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    match fs::copy(from, to) {
        Ok(_) => Ok(()),
        // Its writer has replaced it just now, or removed it.
        Err(source) if source.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(MeasureError::io("copy", from, &source).into()),
    }
}

fn unable(what: &str, source: &std::io::Error) -> Error {
    Error::Unable(format!("a run cannot be {what}: {source}"))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    #[test]
    fn who_was_asked_to_stop_has_not_failed() {
        let exit = |code: i32| was_stopped(ExitStatus::from_raw(code << 8));
        assert!(exit(130) && exit(143) && exit(138) && !exit(0) && !exit(1));
        // Killed outright, as for want of memory.
        assert!(!was_stopped(ExitStatus::from_raw(9)));
    }
}
