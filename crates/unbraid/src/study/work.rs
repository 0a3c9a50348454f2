//! Working on a study: each run is trained and scored by a process of its own, so that threads, memory
//! and a crash stay its own.

use std::collections::VecDeque;
use std::fs::OpenOptions;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use unbraid_measure::Error as MeasureError;
use unbraid_measure::watch::Watch;

use super::{Planned, State, Study};
use crate::error::{Error, Result};

/// How often the running processes are looked at.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// How the work on a study ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Every run is trained and scored.
    Done,
    /// It was asked to stop; it can go on from there.
    Stopped,
}

impl Study {
    /// Train and score what is not done, `jobs` runs at once, each by `program` (unbraid itself).
    pub fn work(&self, program: &Path, jobs: usize, watch: &dyn Watch) -> Result<Ended> {
        let _lock = self.lock()?;
        let mut crew = Crew::new(self, program, jobs, watch)?;
        let mut asked = false;
        loop {
            let stopping = watch.stopped();
            if stopping && !asked {
                // Ctrl-C reaches them by itself; another signal reached only this process.
                crew.ask_to_stop();
                asked = true;
            }
            if !stopping {
                crew.start_some()?;
            }
            if crew.working.is_empty() {
                break;
            }
            std::thread::sleep(LOOK_EVERY);
            crew.look(stopping)?;
        }
        if watch.stopped() {
            watch.note("stopped; the same command goes on where it was");
            return Ok(Ended::Stopped);
        }
        if !crew.failed.is_empty() {
            let names = crew.failed.join(", ");
            let text = format!("these runs failed: {names}; the same command tries them again");
            return Err(Error::Unable(text));
        }
        Ok(Ended::Done)
    }
}

/// The processes of a study.
struct Crew<'a> {
    study: &'a Study,
    program: &'a Path,
    jobs: usize,
    watch: &'a dyn Watch,
    waiting: VecDeque<&'a Planned>,
    working: Vec<Working<'a>>,
    failed: Vec<String>,
    done: usize,
}

/// A run that is being trained or scored.
struct Working<'a> {
    run: &'a Planned,
    child: Child,
    since: Instant,
}

impl<'a> Crew<'a> {
    fn new(study: &'a Study, program: &'a Path, jobs: usize, watch: &'a dyn Watch) -> Result<Self> {
        let mut waiting = VecDeque::new();
        for run in &study.runs {
            if study.state(run)? != State::Done {
                waiting.push_back(run);
            }
        }
        let (all, left) = (study.runs.len(), waiting.len());
        watch.note(&format!("{} of {all} runs are done, {left} to go", all - left));
        let (working, failed) = (vec![], vec![]);
        Ok(Self { study, program, jobs, watch, waiting, working, failed, done: all - left })
    }

    /// Start as many as may run at once.
    fn start_some(&mut self) -> Result<()> {
        while self.working.len() < self.jobs {
            let Some(run) = self.waiting.pop_front() else { break };
            self.start(run)?;
        }
        Ok(())
    }

    /// Train a run, or score it if it is trained.
    fn start(&mut self, run: &'a Planned) -> Result<()> {
        let (study, directory) = (self.study, self.study.directory_of(run));
        let path = study.log_of(run);
        let log = OpenOptions::new().create(true).append(true).open(&path);
        let log = log.and_then(|log| Ok([log.try_clone()?, log]));
        let [log, same] = log.map_err(|source| MeasureError::io("write", &path, &source))?;
        let mut command = Command::new(self.program);
        match study.state(run)? {
            State::Trained | State::Done => command.arg("score").arg(&directory),
            State::Waiting | State::Begun => {
                command.arg("train").arg(study.plan_of(run));
                command.arg("--resume").arg("--out").arg(&directory)
            }
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        command.env("RAYON_NUM_THREADS", (cores / self.jobs).max(1).to_string());
        command.stdin(Stdio::null()).stdout(log).stderr(same);
        let child = command.spawn().map_err(|source| unable("started", &source))?;
        self.working.push(Working { run, child, since: Instant::now() });
        Ok(())
    }

    /// See who has ended.
    fn look(&mut self, stopping: bool) -> Result<()> {
        for mut one in std::mem::take(&mut self.working) {
            match one.child.try_wait().map_err(|source| unable("watched", &source))? {
                None => self.working.push(one),
                Some(status) => self.ended(&one, status, stopping)?,
            }
        }
        Ok(())
    }

    fn ended(&mut self, one: &Working<'a>, status: ExitStatus, stopping: bool) -> Result<()> {
        let seconds = one.since.elapsed().as_secs_f64();
        self.study.add_seconds(one.run, seconds)?;
        let (name, all) = (&one.run.name, self.study.runs.len());
        match (status.success(), self.study.state(one.run)?) {
            (true, State::Done) => {
                self.done += 1;
                self.watch.note(&format!("{}/{all}  {name}", self.done));
            }
            (true, State::Trained) if !stopping => self.start(one.run)?,
            _ if stopping => {}
            _ => {
                let log = self.study.log_of(one.run);
                self.watch.note(&format!("failed: {name} (see {})", log.display()));
                self.failed.push(name.clone());
            }
        }
        Ok(())
    }

    /// Let each training write its checkpoint and end.
    fn ask_to_stop(&self) {
        #[cfg(unix)]
        for one in &self.working {
            let process = rustix::process::Pid::from_child(&one.child);
            // It may have ended by itself just now.
            let _ = rustix::process::kill_process(process, rustix::process::Signal::TERM);
        }
    }
}

fn unable(what: &str, source: &std::io::Error) -> Error {
    Error::Unable(format!("a run cannot be {what}: {source}"))
}
