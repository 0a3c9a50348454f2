//! What is damaged, half there, or written by two at once: refused or put right with a sentence, never silently wrong.

mod program;

use std::fs;
use std::path::{Path, PathBuf};

use program::{refuse, run, succeed, unbraid, word};
use serde_json::Value as Json;
use unbraid::run::check::{State, check};

#[rustfmt::skip]
const TRAIN: &[&str] = &[
    "train", "--quiet", "--model", "vae", "--data", "squares", "--steps", "6", "--set", "model.net=fc",
    "--set", "model.latents=2", "--set", "model.width=4", "--set", "train.batch=4",
    "--set", "train.log_every=1", "--set", "train.threads=1", "--out",
];

fn trained(directory: &Path) -> PathBuf {
    let out = directory.join("run");
    succeed(&[TRAIN, &[word(&out)]].concat());
    out
}

fn said(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// By `check`, which reads a file as everything else does.
#[test]
fn flipped_bits_of_every_file_that_is_read_back_are_found() {
    let directory = tempfile::tempdir().unwrap();
    let out = trained(directory.path());
    succeed(&["score", "--quiet", word(&out), "--metrics", "mig,mcc"]);
    let files = [
        "run.toml",
        "model.safetensors",
        "resume/checkpoint.safetensors",
        "log.jsonl",
        "scores.json",
        "representation.npz",
    ];
    for name in files {
        let path = out.join(name);
        let whole = fs::read(&path).unwrap();
        let state = |of: &[u8]| {
            fs::write(&path, of).unwrap();
            check(&out).unwrap().files.into_iter().find(|(file, _)| *file == path).unwrap().1
        };
        assert_eq!(state(&whole), State::Whole, "{name}");
        let bits = whole.len() * 8;
        for place in 0..40 {
            let bit = place * 7919 % bits;
            let mut flipped = whole.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            let found = state(&flipped);
            // A bit of the word "checksum" does no harm, nor do names in the directory of an archive.
            let harmless = found == State::Unsealed || name.ends_with(".npz");
            assert!(matches!(found, State::Damaged(_)) || harmless, "{name}, bit {bit}: {found:?}");
        }
        fs::write(&path, &whole).unwrap();
    }
    assert!(check(&out).unwrap().is_whole());
}

#[test]
fn a_damaged_checkpoint_is_refused_and_a_damaged_model_is_written_anew() {
    let directory = tempfile::tempdir().unwrap();
    let out = trained(directory.path());
    let [model, checkpoint] =
        ["model.safetensors", "resume/checkpoint.safetensors"].map(|name| out.join(name));
    let flip = |path: &Path| {
        let mut bytes = fs::read(path).unwrap();
        let last = bytes.len() - 1;
        bytes[last] ^= 4;
        fs::write(path, bytes).unwrap();
    };
    let whole = fs::read(&model).unwrap();
    flip(&model);
    refuse(&["encode", word(&out)], "is damaged: its checksum differs");
    let found = run(&["check", word(&out)]);
    assert_eq!(found.status.code(), Some(1));
    let text = String::from_utf8(found.stdout).unwrap();
    assert!(text.contains("a resume writes the model anew from the checkpoint"), "{text}");
    succeed(&["train", "--quiet", "--resume", "--out", word(&out)]);
    assert!(fs::read(&model).unwrap() == whole);

    flip(&checkpoint);
    let document: Json =
        serde_json::from_slice(&run(&["check", "--json", word(&out)]).stdout).unwrap();
    assert_eq!(document["whole"], false, "{document}");
    // All steps have been taken, so there is nothing to go on with.
    assert_eq!(document["resume"], "every step has been taken");
    fs::remove_file(&model).unwrap();
    refuse(&["train", "--resume", "--out", word(&out)], "is damaged: its checksum differs");
}

/// The weights are whole, so training goes on, but nobody believes the log to be.
#[test]
fn a_log_that_is_gone_is_said_and_training_goes_on() {
    let directory = tempfile::tempdir().unwrap();
    let out = trained(directory.path());
    fs::remove_file(out.join("log.jsonl")).unwrap();
    fs::remove_file(out.join("model.safetensors")).unwrap();
    let resumed = run(&["train", "--resume", "--out", word(&out)]);
    assert!(resumed.status.success());
    assert!(said(&resumed).contains("rows up to step 6 are lost"), "{}", said(&resumed));
}

#[test]
fn of_rivals_one_trains_and_the_other_is_told() {
    let directory = tempfile::tempdir().unwrap();
    for pair in 0..3 {
        let out = directory.path().join(pair.to_string());
        let start = || {
            let mut command = unbraid();
            command.args(TRAIN).arg(&out).args(["--resume", "--set", "train.steps=300"]);
            command.stderr(std::process::Stdio::piped()).stdout(std::process::Stdio::null());
            command.spawn().expect("it starts")
        };
        let ended = [start(), start()].map(|child| child.wait_with_output().expect("it ends"));
        for one in ended.iter().filter(|one| !one.status.success()) {
            let text = said(one);
            let told = text.contains("is being written to by") || text.contains("holds a run");
            assert!(told, "{text}");
        }
        assert!(ended.iter().any(|one| one.status.success()), "{}", said(&ended[0]));
        assert!(check(&out).unwrap().is_whole());
        let log = fs::read_to_string(out.join("log.jsonl")).unwrap();
        assert_eq!(log.lines().count(), 300);
    }
}

#[test]
fn a_study_and_data_are_checked_and_what_is_neither_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("study.toml");
    let text = "data = { name = 'squares' }\ntrain = { steps = 2, batch = 4, threads = 1 }\n\
                score.metrics = ['mig']\nrows = [{ name = 'pca', model = { name = 'pca', latents = 2 } }]\n";
    fs::write(&file, text).unwrap();
    let study = directory.path().join("study");
    succeed(&["study", "plan", word(&file), "--out", word(&study)]);
    succeed(&["study", "work", "--quiet", word(&study)]);
    assert!(succeed(&["check", word(&study)]).contains("1 of 1 runs are there, and whole"));
    let model = study.join("runs/pca-seed-0/model.safetensors");
    let model = if model.is_file() { model } else { study.join("runs/pca/model.safetensors") };
    let mut bytes = fs::read(&model).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&model, bytes).unwrap();
    let found = run(&["check", word(&study)]);
    let text = String::from_utf8(found.stdout).unwrap();
    assert!(!found.status.success() && text.contains("1 of 1 runs are damaged"), "{text}");
    // As it says: the run is trained again.
    fs::remove_dir_all(model.parent().unwrap()).unwrap();
    succeed(&["study", "work", "--quiet", word(&study)]);
    assert!(succeed(&["check", word(&study)]).contains("and whole"));

    assert!(succeed(&["check", "squares"]).contains("drawn as it is read"));
    refuse(&["check", word(&study.join("plan"))], "is no run, no study");
    refuse(&["check", "squarse"], "did you mean `squares`");
}
