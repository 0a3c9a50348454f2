//! `unbraid study`: many runs, each a process of its own, and their table.

use std::collections::VecDeque;
use std::fs::OpenOptions;
use std::path::Path;
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::json;
use unbraid::run::config;
use unbraid::study::{Planned, State, Study};

use super::args::Study as Verb;
use super::progress::Signals;
use super::{Output, table};

/// How often the running processes are looked at.
const LOOK_EVERY: Duration = Duration::from_millis(200);

pub(super) fn run(verb: &Verb, output: Output) -> Result<ExitCode> {
    match verb {
        Verb::Plan { file, out, set } => plan(file, out, set, output)?,
        Verb::Work { directory, jobs } => return work(directory, usize::from(*jobs), output),
        Verb::Status { directory } => status(directory, output)?,
        Verb::Gather { directory } => gather(directory, output)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn plan(file: &Path, out: &Path, set: &[String], output: Output) -> Result<()> {
    let mut table = config::read_table(file)?;
    for assignment in set {
        config::set(&mut table, assignment)?;
    }
    let study = Study::create(out, &table)?;
    for note in &study.notes {
        output.note(&format!("note: {note}"));
    }
    let runs = study.runs.len();
    let text =
        format!("{runs} runs planned; start them with: unbraid study work {}\n", out.display());
    output.result(&text, || json!({"format": 1, "directory": out, "runs": runs}))
}

fn work(directory: &Path, jobs: usize, output: Output) -> Result<ExitCode> {
    let study = Study::open(directory)?;
    if let Some(stopped) = work_on(&study, jobs, output)? {
        return Ok(stopped);
    }
    gather(directory, output)?;
    Ok(ExitCode::SUCCESS)
}

/// Train and score what is not done; the code to end with if it was stopped.
pub(super) fn work_on(study: &Study, jobs: usize, output: Output) -> Result<Option<ExitCode>> {
    let _lock = study.lock()?;
    let signals = Signals::new()?;
    let mut crew = Crew::new(study, jobs, output)?;
    let mut asked = false;
    loop {
        let stopping = signals.number().is_some();
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
    if let Some(signal) = signals.number() {
        output.note("stopped; the same command goes on where it was");
        return Ok(Some(ExitCode::from(128 + signal)));
    }
    if !crew.failed.is_empty() {
        let names = crew.failed.join(", ");
        bail!("these runs failed: {names}; the same command tries them again");
    }
    Ok(None)
}

/// The processes of a study.
struct Crew<'a> {
    study: &'a Study,
    jobs: usize,
    output: Output,
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
    fn new(study: &'a Study, jobs: usize, output: Output) -> Result<Self> {
        let mut waiting = VecDeque::new();
        for run in &study.runs {
            if study.state(run)? != State::Done {
                waiting.push_back(run);
            }
        }
        let (all, left) = (study.runs.len(), waiting.len());
        output.note(&format!("{} of {all} runs are done, {left} to go", all - left));
        let (working, failed) = (vec![], vec![]);
        Ok(Self { study, jobs, output, waiting, working, failed, done: all - left })
    }

    /// Start as many as may run at once.
    fn start_some(&mut self) -> Result<()> {
        while self.working.len() < self.jobs {
            let Some(run) = self.waiting.pop_front() else { break };
            self.start(run)?;
        }
        Ok(())
    }

    /// Train a run, or score it if it is trained. A process of its own: threads, memory and a crash
    /// stay its own.
    fn start(&mut self, run: &'a Planned) -> Result<()> {
        let program = std::env::current_exe().context("this program cannot be found again")?;
        let (study, directory) = (self.study, self.study.directory_of(run));
        let path = study.log_of(run);
        let log = OpenOptions::new().create(true).append(true).open(&path);
        let log = log.with_context(|| format!("cannot write {}", path.display()))?;
        let mut command = Command::new(program);
        match study.state(run)? {
            State::Trained | State::Done => command.arg("score").arg(&directory),
            State::Waiting | State::Begun => {
                command.arg("train").arg(study.plan_of(run));
                command.arg("--resume").arg("--out").arg(&directory)
            }
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        command.env("RAYON_NUM_THREADS", (cores / self.jobs).max(1).to_string());
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        let child = command.spawn().context("a run cannot be started")?;
        self.working.push(Working { run, child, since: Instant::now() });
        Ok(())
    }

    /// See who has ended.
    fn look(&mut self, stopping: bool) -> Result<()> {
        for mut one in std::mem::take(&mut self.working) {
            match one.child.try_wait().context("a run cannot be watched")? {
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
                self.output.note(&format!("{}/{all}  {name}", self.done));
            }
            (true, State::Trained) if !stopping => self.start(one.run)?,
            _ if stopping => {}
            _ => {
                let log = self.study.log_of(one.run);
                self.output.note(&format!("failed: {name} (see {})", log.display()));
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

fn status(directory: &Path, output: Output) -> Result<()> {
    let study = Study::open(directory)?;
    let mut rows = Vec::new();
    for run in &study.runs {
        let state = match study.state(run)? {
            State::Waiting => "waiting",
            State::Begun => "begun",
            State::Trained => "trained",
            State::Done => "done",
        };
        rows.push(vec![run.name.clone(), state.to_string()]);
    }
    output.result(&table(&rows), || {
        let run = |row: &Vec<String>| json!({"run": row[0], "state": row[1]});
        json!({"format": 1, "runs": rows.iter().map(run).collect::<Vec<_>>()})
    })
}

fn gather(directory: &Path, output: Output) -> Result<()> {
    let study = Study::open(directory)?;
    let gathered = study.gather()?;
    let path = study.table_file();
    gathered.write_csv(&path)?;
    output.result(&gathered.markdown(), || gathered.to_json())?;
    output.note(&format!("every number: {}", path.display()));
    Ok(())
}
