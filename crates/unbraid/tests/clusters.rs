//! A real Slurm, started on this machine by `bench/slurm_here.py`: Debian's packages, which `.ci/run` installs where
//! it may.

#![cfg(unix)]
#![allow(clippy::print_stdout, reason = "a skipped test says so")]

mod program;

use std::fs;
use std::path::Path;
use std::process::Command;

use program::{refuse, succeed, word};

const FILE: &str = "
takeover = 5
data.name = 'squares'
train = { steps = 2000, batch = 16, threads = 1, log_every = 20, checkpoint_every = 100 }
score = { metrics = ['mig'], rows = 200 }
model = { name = 'vae', latents = 3, net = 'fc', width = 8 }
vary.seed = [0, 1, 2, 3, 4, 5]
";

#[test]
fn slurm_works_on_a_study_through_signals_and_scancel() {
    let directory = tempfile::tempdir().unwrap();
    let (file, study) = (directory.path().join("file.toml"), directory.path().join("study"));
    fs::write(&file, FILE).unwrap();
    succeed(&["study", "plan", word(&file), "--out", word(&study)]);
    let helper = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/slurm_here.py");
    let mut command = Command::new("python3");
    command.arg(helper).arg(env!("CARGO_BIN_EXE_unbraid")).arg(&study);
    let Ok(output) = command.arg(directory.path().join("slurm")).output() else {
        println!("skipped: a study on Slurm (there is no python3)");
        return;
    };
    let (said, errors) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if let Some(reason) = said.strip_prefix("skipped: ") {
        println!("skipped: a study on Slurm ({})", reason.trim());
        return;
    }
    assert!(output.status.success(), "{errors}");
    assert!(said.contains("after SIGUSR1: PENDING"), "{said} {errors}");
    assert!(said.contains("done: 6"), "{said} {errors}");
    // Whoever was asked to stop has written its checkpoint and said so.
    let ends: Vec<String> = fs::read_dir(study.join("attempts"))
        .unwrap()
        .flatten()
        .map(|entry| fs::read_to_string(entry.path()).unwrap())
        .collect();
    assert!(ends.iter().any(|end| end.contains("\"stopped\"")), "{ends:?}");
    assert_eq!(ends.iter().filter(|end| end.contains("\"done\"")).count(), 6);
    assert!(ends.iter().all(|end| end.contains("\"job\":\"")), "{ends:?}");
}

#[test]
fn what_would_be_submitted_can_be_read_and_too_short_a_time_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let (file, study) = (directory.path().join("file.toml"), directory.path().join("my study"));
    fs::write(&file, FILE).unwrap();
    succeed(&["study", "plan", word(&file), "--out", word(&study)]);
    let submit = |words: &[&str]| -> String {
        succeed(&[&["study", "submit", word(&study), "--dry-run"], words].concat())
    };
    let script = submit(&["--engine", "slurm", "--shards", "4", "--partition", "long"]);
    for line in ["--array=0-3", "--partition=long", "--signal=USR1@180", "--requeue"] {
        assert!(script.contains(line), "{line}: {script}");
    }
    assert!(script.contains("exec srun --ntasks=1 ") && script.contains("my study' --threads 1"));
    // No more workers than there are runs.
    assert!(submit(&["--engine", "slurm", "--shards", "4000"]).contains("--array=0-5\n"));
    let ray = submit(&["--engine", "ray", "--shards", "3"]);
    assert!(ray.contains("-m unbraid.ray_driver") && ray.contains("--shards=3"), "{ray}");
    let short = ["study", "submit", word(&study), "--engine", "slurm", "--time", "00:02:00"];
    refuse(&short, "--time 00:02:00 is no time of Slurm of at least five minutes");
}
