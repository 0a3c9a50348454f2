//! The workers of a study, and which of them are alive.
//!
//! A worker has a file `workers/NAME`: who it is, then a dot for each beat of its heart. Whoever wants to know
//! whether it is alive looks twice: a file that has not grown for the takeover time of the study is that of a dead
//! one. The clocks of two machines are never compared. On the same machine it is known at once that a process is
//! gone.

use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use unbraid_measure::Error as MeasureError;

use crate::error::Result;
use crate::run::VERSION;

/// The beats within the time after which a silent worker is dead.
const BEATS: u32 = 10;

/// Who a worker is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct About {
    /// The name of its machine.
    pub host: String,
    /// What tells machines, and containers on them, apart; empty where that is not known.
    pub machine: String,
    /// Its process.
    pub process: u32,
    /// The job of the cluster it belongs to.
    pub job: Option<String>,
    /// The version of unbraid.
    pub version: String,
}

/// This process as a worker.
#[derive(Debug)]
pub(super) struct Worker {
    pub(super) name: String,
    pub(super) about: About,
    path: PathBuf,
    every: Duration,
    last: Instant,
}

impl Worker {
    /// Come to work.
    pub(super) fn arrive(study: &Path, takeover: Duration) -> Result<Self> {
        let about = About {
            host: host(),
            machine: machine(),
            process: std::process::id(),
            job: job(),
            version: VERSION.into(),
        };
        // Processes of two machines may have one number, and names of machines are not unique.
        let chance = RandomState::new().hash_one(about.process) & 0xffff_ffff;
        let name = format!("{}-{}-{chance:08x}", about.host, about.process);
        let path = study.join("workers").join(&name);
        let line = serde_json::to_string(&about).expect("a worker is plain");
        let written = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&path)
            .and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
        written.map_err(|source| MeasureError::io("write", &path, &source))?;
        Ok(Self { name, about, path, every: takeover / BEATS, last: Instant::now() })
    }

    /// Be heard, if it is time; whether it was.
    pub(super) fn beat(&mut self) -> bool {
        if self.last.elapsed() < self.every {
            return false;
        }
        self.last = Instant::now();
        // Opened anew: other machines see what is closed. A beat that fails is one beat less.
        let file = OpenOptions::new().append(true).open(&self.path);
        let _ = file.and_then(|mut file| file.write_all(b"."));
        true
    }
}

impl Drop for Worker {
    /// Who leaves has ended its attempts, and need not be looked for.
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Watches other workers for signs of life.
#[derive(Debug)]
pub(super) struct Lookout {
    directory: PathBuf,
    takeover: Duration,
    machine: String,
    /// How long each file was, and since when.
    seen: HashMap<PathBuf, (u64, Instant)>,
}

impl Lookout {
    pub(super) fn new(study: &Path, takeover: Duration) -> Self {
        let directory = study.join("workers");
        Self { directory, takeover, machine: machine(), seen: HashMap::new() }
    }

    /// Whether nobody works on an attempt any more: its worker is dead. Where the attempt says nobody, its own
    /// file (which somebody may be about to write) stands for the worker's.
    pub(super) fn is_dead(&mut self, worker: &str, attempt: &Path) -> bool {
        if worker.is_empty() {
            return self.is_silent(attempt);
        }
        let path = self.directory.join(worker);
        self.is_gone(&path) || self.is_silent(&path)
    }

    /// Whether a file has not grown for long.
    fn is_silent(&mut self, path: &Path) -> bool {
        let now = Instant::now();
        let length = fs::metadata(path).map_or(0, |file| file.len());
        let known = self.seen.entry(path.to_path_buf()).or_insert((length, now));
        if known.0 != length {
            *known = (length, now);
        }
        known.1.elapsed() >= self.takeover
    }

    /// Whether a worker is known to be gone: its process was on this machine, and is no more.
    fn is_gone(&self, path: &Path) -> bool {
        read(path).is_some_and(|about| {
            !self.machine.is_empty() && about.machine == self.machine && !lives(about.process)
        })
    }
}

/// A worker as others see it.
#[derive(Clone, Debug, Serialize)]
pub struct Seen {
    /// Its name.
    pub name: String,
    /// Who it is.
    #[serde(flatten)]
    pub about: About,
    /// Seconds since it was last heard, by the clock of the file system.
    pub silent: u64,
    /// Whether it is taken for alive.
    pub alive: bool,
}

/// Every worker that has not left.
pub(super) fn seen(study: &Path, takeover: Duration) -> Vec<Seen> {
    let directory = study.join("workers");
    let (now, here) = (clock(study), machine());
    let one = |entry: fs::DirEntry| {
        let about = read(&entry.path())?;
        let heard = entry.metadata().ok()?.modified().ok()?;
        let silent = now.duration_since(heard).unwrap_or_default();
        let gone = !here.is_empty() && about.machine == here && !lives(about.process);
        let alive = silent < takeover && !gone;
        let name = entry.file_name().to_string_lossy().into_owned();
        Some(Seen { name, about, silent: silent.as_secs(), alive })
    };
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut all: Vec<Seen> = entries.filter_map(one).collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}

/// The time by the clock that stamps the files of a study, which need not be that of this machine.
fn clock(study: &Path) -> std::time::SystemTime {
    let path = study.join(format!(".clock-{}", std::process::id()));
    let stamped = fs::write(&path, b"").and_then(|()| fs::metadata(&path)?.modified());
    let _ = fs::remove_file(&path);
    stamped.unwrap_or_else(|_| std::time::SystemTime::now())
}

fn read(path: &Path) -> Option<About> {
    let text = fs::read_to_string(path).ok()?;
    serde_json::from_str(text.lines().next()?).ok()
}

/// The name of this machine.
fn host() -> String {
    #[cfg(unix)]
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    #[cfg(not(unix))]
    let name = std::env::var("COMPUTERNAME").unwrap_or_default();
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '-' };
    name.split('.').next().unwrap_or_default().chars().map(plain).collect()
}

/// What tells this machine since it was started, and this container on it, from all others: only there does the
/// number of a process mean the same.
fn machine() -> String {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let space = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    match boot.trim() {
        "" => String::new(),
        boot => format!("{boot} {}", space.display()),
    }
}

/// Whether there is a process of this number on this machine. Where that is not known: yes.
fn lives(process: u32) -> bool {
    if !Path::new("/proc/self/stat").exists() {
        return true;
    }
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // After the name in brackets comes the state; Z has ended, and its parent has not looked yet.
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}

/// The job of the cluster that this process belongs to.
fn job() -> Option<String> {
    let variable = |name| std::env::var(name).ok();
    let array = || {
        let (job, task) = (variable("SLURM_ARRAY_JOB_ID")?, variable("SLURM_ARRAY_TASK_ID")?);
        Some(format!("{job}_{task}"))
    };
    array().or_else(|| variable("SLURM_JOB_ID")).or_else(|| variable("RAY_JOB_ID"))
}
