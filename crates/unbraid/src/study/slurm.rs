//! Slurm: an array of workers, each the step of its task, and what a worker does at Slurm's signals.
//!
//! | signal | what Slurm means | what the worker does |
//! |---|---|---|
//! | SIGUSR1 | the time limit is near | checkpoint, have its task queued again, end with 75 |
//! | SIGTERM | preempted, or cancelled: it cannot be told which | checkpoint, and stay alive until it is killed |
//!
//! A worker that ended at SIGTERM would count as failed and not be queued again; one that had itself queued again
//! would undo a user's `scancel`. One that stays is queued again by Slurm if it was preempted, and only then.
//! The worker is a step (`srun`), or Slurm would send SIGTERM only at the end of the time of grace.
//! Always the array form in `scontrol requeue`: the plain number of an array's first task means the whole array.

use std::path::{Path, PathBuf};
use std::process::Command;

use unbraid_measure::files;

use super::Study;
use super::submit::Request;
use crate::error::{Error, Result};

/// Seconds before the time limit at which Slurm is to send SIGUSR1; it may do so up to a minute early.
const NOTICE: u32 = 180;

/// The shortest time limit in seconds: less would be over before the notice.
const SHORTEST: u64 = 300;

/// Tasks of an array where Slurm does not say how many it takes: the default of its `MaxArraySize` less one.
const TASKS: u32 = 1000;

/// The exit code of a worker whose task was queued again.
pub const QUEUED_AGAIN: u8 = 75;

/// The scripts of a study.
#[derive(Debug)]
pub struct Scripts {
    /// The array of workers.
    pub work: String,
    /// The gathering after it.
    pub gather: String,
}

impl Study {
    /// The scripts that have Slurm work on it, to read and to change.
    pub fn slurm_scripts(&self, program: &Path, request: &Request) -> Result<Scripts> {
        if seconds(&request.time).is_none_or(|seconds| seconds < SHORTEST) {
            return Err(Error::Unable(format!(
                "--time {} is no time of Slurm of at least five minutes, as in 08:00:00: Slurm warns {NOTICE} s \
                 before the end, up to a minute early",
                request.time
            )));
        }
        let left = self.runs.iter().filter(|run| !self.is_done(run)).count().max(1);
        let shards = request.shards.min(u32::try_from(left).unwrap_or(u32::MAX)).min(most_tasks());
        let words = self.work_words(request);
        let command: Vec<String> = std::iter::once(program.display().to_string())
            .chain(words)
            .map(|w| quoted(&w))
            .collect();
        let directory = self.whole_path();
        let name = directory.file_name().unwrap_or_default().to_string_lossy();
        let place = directory.join("slurm");
        let partition =
            request.partition.iter().map(|name| format!("#SBATCH --partition={name}\n"));
        let partition: String = partition.collect();
        let work = format!(
            "#!/bin/sh\n\
             # Workers of a study: which run is whose, they settle in its directory.\n\
             #SBATCH --job-name=\"{name}\"\n\
             #SBATCH --array=0-{last}\n\
             #SBATCH --ntasks=1 --cpus-per-task={cores} --mem={memory} --time={time}\n\
             {partition}\
             #SBATCH --requeue --open-mode=append --signal=USR1@{NOTICE}\n\
             #SBATCH --output=\"{place}/%A_%a.log\"\n\
             # All but the first leave when nothing is left to begin.\n\
             leave=--no-wait\n\
             [ \"$SLURM_ARRAY_TASK_ID\" = 0 ] && leave=\n\
             # shellcheck disable=SC2086 # empty means no word\n\
             exec srun --ntasks=1 {command} --shard \"$SLURM_ARRAY_TASK_ID\" $leave\n",
            last = shards - 1,
            cores = request.cores,
            memory = request.memory,
            time = request.time,
            place = place.display(),
            command = command.join(" "),
        );
        let gather = format!(
            "#!/bin/sh\n\
             # The table, once the workers have ended, however they did.\n\
             #SBATCH --job-name=\"{name}-table\" --ntasks=1 --time=00:10:00\n\
             {partition}\
             #SBATCH --output=\"{}/table.log\"\n\
             exec {} study gather {}\n",
            place.display(),
            quoted(&program.display().to_string()),
            quoted(&directory.display().to_string()),
        );
        Ok(Scripts { work, gather })
    }

    /// Submit the workers, and the table after them; the numbers of both jobs.
    pub fn submit_to_slurm(&self, program: &Path, request: &Request) -> Result<[String; 2]> {
        let scripts = self.slurm_scripts(program, request)?;
        let place = self.directory.join("slurm");
        files::create_directory(&place)?;
        let write = |name: &str, text: &str| -> Result<PathBuf> {
            let path = place.join(name);
            files::write(&path, text.as_bytes())?;
            Ok(path)
        };
        let work = sbatch(&[], &write("work.sh", &scripts.work)?)?;
        let after = format!("--dependency=afterany:{work}");
        let gather = sbatch(&[&after], &write("gather.sh", &scripts.gather)?)?;
        Ok([work, gather])
    }
}

/// Submit a script; the number of its job.
fn sbatch(words: &[&str], script: &Path) -> Result<String> {
    let output = Command::new("sbatch").arg("--parsable").args(words).arg(script).output();
    let output = output.map_err(|source| {
        Error::Unable(format!(
            "sbatch cannot be started ({source}); submit from a machine of the cluster, or take the script that \
             --dry-run prints there"
        ))
    })?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(Error::Unable(format!("Slurm refused the job: {}", said.trim())));
    }
    let said = String::from_utf8_lossy(&output.stdout);
    Ok(said.trim().split(';').next().unwrap_or_default().to_string())
}

/// How many tasks an array may have here.
fn most_tasks() -> u32 {
    let found =
        Command::new("scontrol").args(["show", "config"]).output().ok().and_then(|output| {
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            let line = text.lines().find(|line| line.starts_with("MaxArraySize"))?.to_string();
            line.split('=').nth(1)?.trim().parse::<u32>().ok()
        });
    found.map_or(TASKS, |size| size.saturating_sub(1)).max(1)
}

/// Whether this process is part of a job of Slurm.
pub fn is_here() -> bool {
    std::env::var_os("SLURM_JOB_ID").is_some()
}

/// Have the task of this process queued again.
pub fn queue_again() -> Result<()> {
    let variable = |name| std::env::var(name).ok();
    let array = || {
        Some(format!("{}_{}", variable("SLURM_ARRAY_JOB_ID")?, variable("SLURM_ARRAY_TASK_ID")?))
    };
    let task = array().or_else(|| variable("SLURM_JOB_ID")).unwrap_or_default();
    let status = Command::new("scontrol").args(["requeue", &task]).status();
    match status.is_ok_and(|status| status.success()) {
        true => Ok(()),
        false => Err(Error::Unable(format!(
            "task {task} could not be queued again; submit the study once more, it goes on where it was"
        ))),
    }
}

/// A time as Slurm writes it, in seconds: minutes, minutes:seconds, hours:minutes:seconds, days-hours[:…].
fn seconds(time: &str) -> Option<u64> {
    let (days, rest) = match time.split_once('-') {
        Some((days, rest)) => (Some(days.parse::<u64>().ok()?), rest),
        None => (None, time),
    };
    let parts: Vec<u64> = rest.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let [hours, minutes, seconds] = match (days, &parts[..]) {
        (None, [m]) => [0, *m, 0],
        (None, [m, s]) => [0, *m, *s],
        (_, [h, m, s]) => [*h, *m, *s],
        (Some(_), [h]) => [*h, 0, 0],
        (Some(_), [h, m]) => [*h, *m, 0],
        _ => return None,
    };
    Some(((days.unwrap_or(0) * 24 + hours) * 60 + minutes) * 60 + seconds)
}

/// A word as a shell reads it back.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:+,@%".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_string(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_slurm() {
        assert_eq!(seconds("30"), Some(1800));
        assert_eq!(seconds("08:00:00"), Some(28_800));
        assert_eq!(seconds("90:30"), Some(5430));
        assert_eq!(seconds("1-12"), Some(129_600));
        assert_eq!(seconds("2-00:30"), Some(174_600));
        assert_eq!(seconds("soon"), None);
        assert_eq!(seconds("1:2:3:4"), None);
    }

    #[test]
    fn words_survive_a_shell() {
        assert_eq!(quoted("a/b-c"), "a/b-c");
        assert_eq!(quoted("my study"), "'my study'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
