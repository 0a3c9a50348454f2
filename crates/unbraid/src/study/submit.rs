//! Handing a study to something that runs workers: this machine, Slurm or Ray. Each only starts
//! `unbraid study work`; which run is whose, workers settle among themselves in the directory.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use unbraid_measure::{Error as MeasureError, files};

use super::Study;
use crate::error::{Error, Result};

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Request {
    /// How many workers.
    pub shards: u32,
    /// The cores of each.
    pub cores: u16,
    /// The memory of each, as Slurm writes it.
    pub memory: String,
    /// The time limit of each, as Slurm writes it.
    pub time: String,
    /// The partition of Slurm.
    pub partition: Option<String>,
    /// The address of a Ray cluster.
    pub address: Option<String>,
}

impl Study {
    /// Start workers on this machine that go on by themselves; what each says is in `local/I.log`.
    pub fn start_locally(&self, program: &Path, request: &Request) -> Result<Vec<u32>> {
        let place = self.directory.join("local");
        files::create_directory(&place)?;
        let mut started = Vec::new();
        for shard in 0..request.shards {
            let path = place.join(format!("{shard}.log"));
            let log = OpenOptions::new().create(true).append(true).open(&path);
            let log = log.and_then(|log| Ok([log.try_clone()?, log]));
            let [log, same] = log.map_err(|source| MeasureError::io("write", &path, &source))?;
            let mut command = Command::new(program);
            command.args(self.work_words(request)).args(["--shard", &shard.to_string()]);
            command.stdin(Stdio::null()).stdout(log).stderr(same);
            // Ctrl-C in this terminal is not meant for them.
            #[cfg(unix)]
            std::os::unix::process::CommandExt::process_group(&mut command, 0);
            let child = command.spawn().map_err(|source| unable(program, &source))?;
            started.push(child.id());
        }
        Ok(started)
    }

    /// The command of a worker on this machine.
    pub fn local_words(&self, program: &Path, request: &Request) -> Vec<String> {
        let words = self.work_words(request);
        std::iter::once(program.display().to_string()).chain(words).collect()
    }

    /// The words that make unbraid a worker, without its shard.
    pub(super) fn work_words(&self, request: &Request) -> Vec<String> {
        let directory = self.whole_path().display().to_string();
        let threads = request.cores.to_string();
        ["study", "work", &directory, "--threads", &threads].map(String::from).to_vec()
    }

    /// The directory as any machine that sees it can name it.
    pub(super) fn whole_path(&self) -> PathBuf {
        std::path::absolute(&self.directory).unwrap_or_else(|_| self.directory.clone())
    }

    /// The command that has Ray run the workers: the driver of the Python package.
    pub fn ray_command(&self, python: &Path, program: &Path, request: &Request) -> Vec<String> {
        let mut words = vec![
            python.display().to_string(),
            "-m".into(),
            "unbraid.ray_driver".into(),
            self.whole_path().display().to_string(),
            format!("--program={}", program.display()),
            format!("--shards={}", request.shards),
            format!("--cores={}", request.cores),
        ];
        words.extend(request.address.iter().map(|address| format!("--address={address}")));
        words
    }

    /// Run the driver, which ends with the work.
    pub fn run_on_ray(&self, python: &Path, program: &Path, request: &Request) -> Result<()> {
        let words = self.ray_command(python, program, request);
        let status = Command::new(&words[0]).args(&words[1..]).status();
        match status.map_err(|source| unable(python, &source))?.success() {
            true => Ok(()),
            false => Err(Error::Unable(
                "Ray did not finish the study (see above); what is done is kept, and the same command goes on"
                    .into(),
            )),
        }
    }
}

fn unable(program: &Path, source: &std::io::Error) -> Error {
    Error::Unable(format!("{} cannot be started: {source}", program.display()))
}
