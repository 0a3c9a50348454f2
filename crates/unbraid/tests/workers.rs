//! Many workers on one study, and what can happen to them. `bench/study_faults.py` does the same with a thousand runs.

#![cfg(unix)]
#![allow(clippy::print_stdout, reason = "a skipped test says so")]

mod program;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use program::{refuse, run, succeed, unbraid, word};
use serde_json::Value as Json;
use unbraid::study::{Orders, Study};
use unbraid::watch::Nobody;

/// Runs of half a second with checkpoints on the way.
const FILE: &str = "
takeover = 2
data.name = 'squares'
train = { steps = 400, batch = 16, threads = 1, log_every = 20, checkpoint_every = 20 }
score = { metrics = ['mig'], rows = 200 }
model = { name = 'vae', latents = 3, net = 'fc', width = 8 }
vary.seed = [0, 1, 2, 3, 4, 5]
";

fn planned(directory: &Path, name: &str, file: &str) -> PathBuf {
    let (path, out) = (directory.join(format!("{name}.toml")), directory.join(name));
    fs::write(&path, file).unwrap();
    succeed(&["study", "plan", word(&path), "--out", word(&out)]);
    out
}

fn worker(study: &Path, words: &[&str]) -> Child {
    let mut command = unbraid();
    command.args(["study", "work", word(study)]).args(words);
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([name, &child.id().to_string()]).status();
    assert!(sent.unwrap().success());
}

fn wait_for(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_mins(2);
    while !is_so() {
        assert!(Instant::now() < deadline, "waited too long for {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The model of every finished run.
fn weights(study: &Path) -> BTreeMap<String, Vec<u8>> {
    let runs = fs::read_dir(study.join("runs")).unwrap().flatten();
    let model = |entry: fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        entry
            .path()
            .join("scores.json")
            .is_file()
            .then(|| (name, fs::read(entry.path().join("model.safetensors")).unwrap()))
    };
    runs.filter_map(model).collect()
}

/// How every attempt at every run ended.
fn ends(study: &Path) -> BTreeMap<String, Vec<Json>> {
    let mut all: BTreeMap<String, Vec<Json>> = BTreeMap::new();
    let mut paths: Vec<PathBuf> =
        fs::read_dir(study.join("attempts")).unwrap().flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let run = name.rsplitn(3, '.').nth(2).unwrap().to_string();
        let attempt: Json =
            serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap_or_default();
        all.entry(run).or_default().push(attempt["ended"].clone());
    }
    all
}

#[test]
fn killed_workers_lose_nothing_and_nothing_is_done_twice() {
    let directory = tempfile::tempdir().unwrap();
    let calm = planned(directory.path(), "calm", FILE);
    succeed(&["study", "work", word(&calm), "--jobs", "2", "--quiet"]);
    let study = planned(directory.path(), "wild", FILE);
    let mut crew: Vec<Child> = ["0", "1"].map(|shard| worker(&study, &["--shard", shard])).into();
    for k in 0..6 {
        std::thread::sleep(Duration::from_millis(300));
        // Now one, now the other; once it is gone, another comes.
        let one = &mut crew[k % 2];
        one.kill().unwrap();
        one.wait().unwrap();
        *one = worker(&study, &["--shard", if k % 2 == 0 { "0" } else { "1" }]);
    }
    assert!(crew.iter_mut().all(|one| one.wait().unwrap().success()));
    assert_eq!(weights(&study), weights(&calm));
    assert_eq!(weights(&study).len(), 6);
    for (run, ends) in ends(&study) {
        assert_eq!(ends.iter().filter(|end| **end == "done").count(), 1, "{run}: {ends:?}");
    }
    assert!(ends(&study).values().any(|ends| ends.len() > 1), "nobody was killed in time");
    assert_eq!(fs::read_dir(study.join("work")).unwrap().count(), 0);
}

#[test]
fn a_worker_that_slept_too_long_finds_its_run_taken_and_stops() {
    let directory = tempfile::tempdir().unwrap();
    let long = FILE.replace("steps = 400", "steps = 3000").replace("[0, 1, 2, 3, 4, 5]", "[0]");
    let calm = planned(directory.path(), "calm", &long);
    succeed(&["study", "work", word(&calm), "--quiet"]);
    let study = planned(directory.path(), "study", &long);
    let sleeper = worker(&study, &[]);
    let first = study.join("work/run-seed-0.1/resume/checkpoint.safetensors");
    wait_for("a checkpoint", || first.is_file());
    signal(&sleeper, "-STOP");
    // The other waits until nothing was heard for two seconds, and goes on from a checkpoint.
    let other = worker(&study, &[]);
    wait_for("the takeover", || study.join("attempts/run-seed-0.2.json").exists());
    signal(&sleeper, "-CONT");
    let woken = sleeper.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&woken.stderr).into_owned();
    assert!(said.contains("run-seed-0 was taken over"), "{said}");
    let other = other.wait_with_output().unwrap();
    assert!(other.status.success(), "{}", String::from_utf8_lossy(&other.stderr));
    assert_eq!(weights(&study), weights(&calm));
    assert_eq!(ends(&study)["run-seed-0"], [Json::Null, "done".into()]);
}

#[test]
fn a_study_that_was_copied_and_a_claim_of_garbage_are_gone_on_with() {
    let directory = tempfile::tempdir().unwrap();
    let study = planned(directory.path(), "study", FILE);
    // As a copy of a study at work has it: the worker is on another machine, and silent here.
    let far = "{\"host\": \"far\", \"machine\": \"other\", \"process\": 1}\n...";
    fs::write(study.join("workers/far-1-abc"), far).unwrap();
    fs::write(study.join("attempts/run-seed-0.1.json"), "{\"worker\": \"far-1-abc\"}").unwrap();
    fs::write(study.join("attempts/run-seed-1.1.json"), "\0\0 garbage").unwrap();
    // Who does not wait leaves both; who does takes them over.
    succeed(&["study", "work", word(&study), "--no-wait", "--only", "*-1", "--quiet"]);
    assert_eq!(weights(&study).len(), 0);
    succeed(&["study", "work", word(&study), "--quiet"]);
    assert_eq!(weights(&study).len(), 6);
    assert_eq!(ends(&study)["run-seed-1"], [Json::Null, "done".into()]);
}

#[test]
fn runs_whose_data_vanish_are_tried_thrice_and_named_with_the_reason() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data.npz");
    succeed(&["data", "make", "squares", "--out", word(&data), "--quiet"]);
    let file = FILE.replace("data.name = 'squares'", &format!("data.name = '{}'", data.display()));
    let study = planned(directory.path(), "study", &file);
    let away = directory.path().join("away.npz");
    fs::rename(&data, &away).unwrap();
    refuse(&["study", "work", word(&study)], "`run-seed-0` failed 3 times");
    let status: Json =
        serde_json::from_str(&succeed(&["study", "status", word(&study), "--json"])).unwrap();
    assert_eq!(status["runs"][5]["state"], "failed");
    assert!(status["runs"][5]["reason"].as_str().unwrap().contains("data.npz"), "{status}");
    let text = succeed(&["study", "status", word(&study)]);
    assert!(text.contains("0 of 6 runs are done, 6 failed"), "{text}");
    // Nothing is tried until somebody says that it is mended.
    refuse(&["study", "work", word(&study)], "try again with --again");
    assert_eq!(ends(&study)["run-seed-0"].len(), 3);
    fs::rename(&away, &data).unwrap();
    succeed(&["study", "work", word(&study), "--again", "--only", "*seed-0", "--quiet"]);
    assert_eq!(weights(&study).len(), 1);
}

#[test]
fn a_full_disk_stops_a_worker_and_counts_as_no_failure() {
    let directory = tempfile::tempdir().unwrap();
    let study = Study::create(&directory.path().join("study"), &FILE.parse().unwrap()).unwrap();
    let program = script(
        directory.path(),
        "echo 'error: cannot write x: the disk is full; free some'; exit 1",
    );
    let refused = study.work(&program, &Orders::of(1), &Nobody).unwrap_err().to_string();
    assert!(refused.contains("the disk is full where the study is; make room"), "{refused}");
    assert_eq!(ends(&directory.path().join("study"))["run-seed-0"], ["stopped"]);
    // A program that says it scored and left no scores is not asked for ever.
    let program = script(directory.path(), "exit 0");
    let refused =
        study.work(&program, &Orders { retries: 0, ..Orders::of(1) }, &Nobody).unwrap_err();
    assert!(refused.to_string().contains("failed 1 times: it said nothing"), "{refused}");
}

/// A program in place of unbraid.
fn script(directory: &Path, line: &str) -> PathBuf {
    let path = directory.join("program.sh");
    fs::write(&path, format!("#!/bin/sh\n{line}\n")).unwrap();
    fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    path
}

#[test]
fn only_some_runs_are_worked_on_and_other_versions_are_noted() {
    let directory = tempfile::tempdir().unwrap();
    let study = planned(directory.path(), "study", FILE);
    refuse(
        &["study", "work", word(&study), "--only", "nothing*"],
        "no run of this study is called `nothing*`",
    );
    let file = fs::read_to_string(study.join("study.toml")).unwrap();
    let line = file.lines().find(|line| line.starts_with("unbraid = ")).unwrap();
    // As somebody does who means it: without the checksum.
    let (file, _) = file
        .replace(line, "unbraid = \"0.0.9 (abc)\"")
        .split_once("# checksum")
        .map(|(settings, sum)| (settings.to_string(), sum.to_string()))
        .unwrap();
    fs::write(study.join("study.toml"), file).unwrap();
    let done = run(&["study", "work", word(&study), "--only", "*seed-4"]);
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success() && said.contains("planned by unbraid 0.0.9 (abc)"), "{said}");
    assert_eq!(weights(&study).keys().collect::<Vec<_>>(), ["run-seed-4"]);
    let results = fs::read_to_string(study.join("results.csv")).unwrap();
    assert!(
        results.lines().any(|line| line.starts_with("4,run-seed-4,,squares,vae,4,mean,mig,")),
        "{results}"
    );
}
