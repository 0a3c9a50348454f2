//! Working on a study: each run is trained and scored by a process of its own, so that threads, memory
//! and a crash stay its own. Any number of workers, on any machines that see the directory.

use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::time::{Duration, Instant};

use unbraid_measure::watch::Watch;

use super::Study;
use super::attempts::{Attempts, End};
use super::crew::Crew;
use super::file::Planned;
use super::workers::{Lookout, Worker};
use crate::error::{Error, Result};

/// How often the running processes are looked at.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// How often it is looked for runs that others have left.
const SURVEY_EVERY: Duration = Duration::from_secs(2);

/// How a worker is to work.
#[derive(Clone, Debug)]
pub struct Orders {
    /// Runs at once.
    pub jobs: usize,
    /// Threads of each run; its share of the cores if none are given.
    pub threads: Option<usize>,
    /// Where to begin, so that many workers do not all want the same run.
    pub shard: usize,
    /// Only runs of this name, in which `*` stands for anything.
    pub only: Option<String>,
    /// How often a run that failed is tried again.
    pub retries: usize,
    /// Whether failures before now do not count.
    pub again: bool,
    /// Whether to stay while others work, and take over what they leave.
    pub wait: bool,
}

impl Orders {
    /// So many runs at once, and the rest as usual.
    pub fn of(jobs: usize) -> Self {
        Self { jobs, threads: None, shard: 0, only: None, retries: 2, again: false, wait: true }
    }
}

/// How the work on a study ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Every run is trained and scored.
    Done,
    /// Others work on the rest.
    Left,
    /// It was asked to stop; it can go on from there.
    Stopped,
}

impl Study {
    /// Train and score what is not done, each run by `program` (unbraid itself).
    pub fn work(&self, program: &Path, orders: &Orders, watch: &dyn Watch) -> Result<Ended> {
        let mut desk = Desk::new(self, orders)?;
        let all = desk.mine.len();
        let left = desk.survey()?;
        let done = all - left;
        watch.note(&format!("{done} of {all} runs are done, {left} to go"));
        let mut worker = Worker::arrive(&self.directory, self.takeover)?;
        let mut crew = Crew::new(self, program, orders, (watch, [done, all]));
        let ended = go_on(&mut desk, &mut crew, &mut worker, watch);
        if ended.is_err() {
            // What it has begun it ends, or others would have to wait for it.
            crew.stop();
        }
        let ended = ended?;
        if ended == Ended::Stopped {
            watch.note("stopped; the same command goes on where it was");
            return Ok(ended);
        }
        match desk.failures() {
            None => Ok(ended),
            Some(sentence) => Err(Error::Unable(sentence)),
        }
    }
}

/// Work until nothing is left, or somebody asks to stop.
fn go_on<'a>(
    desk: &mut Desk<'a>,
    crew: &mut Crew<'a>,
    worker: &mut Worker,
    watch: &dyn Watch,
) -> Result<Ended> {
    let (mut asked, mut told) = (false, false);
    loop {
        let stopping = watch.stopped();
        if stopping && !asked {
            crew.ask_to_stop();
            asked = true;
        }
        while !stopping && crew.has_room() {
            let Some((run, number)) = desk.next(crew.is_idle())? else { break };
            match desk.attempts.take(run, number, worker)? {
                Some(attempt) => crew.begin(run, number, attempt)?,
                None => desk.stale = true,
            }
        }
        if crew.is_idle() {
            match (stopping, desk.held) {
                (true, _) => return Ok(Ended::Stopped),
                (false, 0) => return Ok(Ended::Done),
                (false, _) if !desk.orders.wait => return Ok(Ended::Left),
                (false, held) if !told => {
                    watch.note(&format!("waiting for {held} runs of other workers"));
                    told = true;
                }
                _ => {}
            }
        }
        std::thread::sleep(LOOK_EVERY);
        let beaten = worker.beat();
        if crew.look(stopping, beaten)? {
            (desk.stale, told) = (true, false);
        }
    }
}

/// What there is to do.
struct Desk<'a> {
    study: &'a Study,
    orders: &'a Orders,
    attempts: Attempts,
    lookout: Lookout,
    /// The runs that this worker may work on, its own beginning first.
    mine: Vec<&'a Planned>,
    /// Those that can be taken, with the number of the attempt.
    waiting: VecDeque<(&'a Planned, u32)>,
    /// How many others are working on.
    held: usize,
    /// Failures before now that do not count.
    forgiven: HashMap<&'a str, usize>,
    /// Runs that have failed too often, with the reason.
    failed: HashMap<&'a str, String>,
    surveyed: Instant,
    /// Whether something has changed since.
    stale: bool,
}

impl<'a> Desk<'a> {
    fn new(study: &'a Study, orders: &'a Orders) -> Result<Self> {
        let mut mine: Vec<&Planned> = study.runs.iter().collect();
        if let Some(pattern) = &orders.only {
            mine.retain(|run| matches(pattern, &run.name));
            if mine.is_empty() {
                return Err(Error::Unable(format!(
                    "no run of this study is called `{pattern}`; `unbraid study status` shows them all"
                )));
            }
        }
        // Shards begin far from each other, however many there are: multiples of the golden ratio.
        let share = (orders.shard as f64 * 0.618_033_988_749_895).fract();
        let first = (share * mine.len() as f64) as usize % mine.len().max(1);
        mine.rotate_left(first);
        let mut desk = Self {
            study,
            orders,
            attempts: study.attempts(),
            lookout: Lookout::new(&study.directory, study.takeover),
            mine,
            waiting: VecDeque::new(),
            held: 0,
            forgiven: HashMap::new(),
            failed: HashMap::new(),
            surveyed: Instant::now(),
            stale: false,
        };
        if orders.again {
            let last = desk.attempts.last()?;
            for run in &desk.mine {
                let last = last.get(&run.name).copied().unwrap_or(0);
                desk.forgiven.insert(&run.name, desk.failures_of(run, last)?.len());
            }
        }
        Ok(desk)
    }

    /// The reasons of the failures of a run.
    fn failures_of(&self, run: &Planned, last: u32) -> Result<Vec<String>> {
        let all = self.attempts.all(run, last)?.into_iter();
        let failed = all.filter(|one| one.ended == Some(End::Failed));
        Ok(failed.map(|attempt| attempt.reason.unwrap_or_default()).collect())
    }

    /// Look at every run; how many are not done.
    fn survey(&mut self) -> Result<usize> {
        (self.surveyed, self.stale) = (Instant::now(), false);
        let last = self.attempts.last()?;
        let study = self.study;
        // What is done stays done.
        self.mine.retain(|run| !study.is_done(run));
        self.waiting.clear();
        self.failed.clear();
        self.held = 0;
        for k in 0..self.mine.len() {
            let run = self.mine[k];
            let number = last.get(&run.name).copied().unwrap_or(0);
            if number == 0 || self.is_free(run, number)? {
                self.waiting.push_back((run, number + 1));
            }
        }
        Ok(self.mine.len())
    }

    /// Whether the attempt after this one may be made.
    fn is_free(&mut self, run: &'a Planned, number: u32) -> Result<bool> {
        let attempt = self.attempts.read(run, number)?;
        Ok(match attempt.ended {
            Some(End::Done | End::Stopped) => true,
            Some(End::Failed) => {
                let reasons = self.failures_of(run, number)?;
                let forgiven = self.forgiven.get(run.name.as_str()).copied().unwrap_or(0);
                let free = reasons.len() <= self.orders.retries + forgiven;
                if !free {
                    self.failed.insert(&run.name, reasons.last().cloned().unwrap_or_default());
                }
                free
            }
            None => {
                let file = self.attempts.file(run, number);
                let dead = self.lookout.is_dead(&attempt.worker, &file);
                self.held += usize::from(!dead);
                dead
            }
        })
    }

    /// The next run that nobody has, and the number of the attempt. Who is idle looks again at once.
    fn next(&mut self, idle: bool) -> Result<Option<(&'a Planned, u32)>> {
        let due = self.surveyed.elapsed() >= SURVEY_EVERY.min(self.study.takeover / 4);
        if self.waiting.is_empty() && (due || (idle && self.stale)) {
            self.survey()?;
        }
        Ok(self.waiting.pop_front())
    }

    /// Which runs failed too often, in a sentence.
    fn failures(&self) -> Option<String> {
        let (name, reason) = self.failed.iter().min()?;
        let times = self.orders.retries + 1;
        let others = match self.failed.len() {
            1 => String::new(),
            all => format!(" (and {} more; `unbraid study status` lists them)", all - 1),
        };
        Some(format!(
            "run `{name}` failed {times} times: {reason}{others}; once that is mended, try again with --again"
        ))
    }
}

/// Whether a name is of this pattern, in which `*` stands for anything.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, rest)) => {
            let Some(left) = name.strip_prefix(start) else { return false };
            (0..=left.len())
                .filter(|at| left.is_char_boundary(*at))
                .any(|at| matches(rest, &left[at..]))
        }
    }
}
