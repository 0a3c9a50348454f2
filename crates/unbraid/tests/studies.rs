//! Many runs from one file, codes drawn from posteriors, and codes turned without the loss noticing.

mod program;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use program::{refuse, succeed, unbraid, word};
use serde_json::Value as Json;

const FILE: &str = "
data.name = 'squares'
train = { steps = 6, batch = 16, threads = 1, log_every = 1 }
score = { metrics = ['mig', 'total-correlation'], sampled = ['total-correlation'], rows = 200 }
[vary]
seed = [0, 1]
[[rows]]
name = 'VAE'
model = { name = 'vae', latents = 3, net = 'fc', width = 8 }
[[rows]]
name = 'PCA'
model = { name = 'pca', latents = 3 }
";

/// A planned study in `directory/study`.
fn planned(directory: &Path, set: &[&str]) -> PathBuf {
    let (file, out) = (directory.join("file.toml"), directory.join("study"));
    fs::write(&file, FILE).unwrap();
    succeed(&[&["study", "plan", word(&file), "--out", word(&out)], set].concat());
    out
}

fn json(words: &[&str]) -> Json {
    serde_json::from_str(&succeed(&[words, &["--json", "--quiet"]].concat())).unwrap()
}

#[test]
fn a_study_trains_and_scores_every_run_and_averages_over_seeds() {
    let directory = tempfile::tempdir().unwrap();
    let out = planned(directory.path(), &[]);
    let table = json(&["study", "work", word(&out), "--jobs", "2"]);
    assert_eq!(table["rows"][0]["row"], "VAE");
    let cells = &table["rows"][0]["cells"];
    for name in ["reconstruction", "kl", "mig", "total-correlation", "total-correlation (sampled)"]
    {
        assert_eq!(cells[name]["values"].as_array().map(Vec::len), Some(2), "{name}: {table}");
    }
    // The mean of the last tenth of the log, here of its last row.
    let log = fs::read_to_string(out.join("runs/vae-seed-0/log.jsonl")).unwrap();
    let last: Json = serde_json::from_str(log.lines().last().unwrap()).unwrap();
    assert_eq!(cells["kl"]["values"][0], last["kl"]);
    // PCA has no posterior to draw from: asked of every row, it is left out there.
    let pca = &table["rows"][1]["cells"];
    assert!(pca["mig"].is_object() && pca["total-correlation (sampled)"].is_null(), "{pca}");

    // Nothing is left to do, and a file in the way is not taken for a study.
    assert_eq!(json(&["study", "work", word(&out)])["rows"][0]["done"], 2);
    refuse(&["study", "gather", word(directory.path())], "is no study");
    let file = directory.path().join("file.toml");
    // Planned again, it is the same study; with other settings it is refused.
    succeed(&["study", "plan", word(&file), "--out", word(&out)]);
    let other = ["study", "plan", word(&file), "--out", word(&out), "--set", "train.steps=7"];
    refuse(&other, "already holds a study whose run `vae-seed-0` has other settings");
}

#[test]
fn a_study_that_was_stopped_goes_on_and_a_failed_run_does_not_stop_the_others() {
    let directory = tempfile::tempdir().unwrap();
    let out = planned(directory.path(), &["--set", "train.steps=20000"]);
    let mut child = unbraid().args(["study", "work", word(&out), "--quiet"]).spawn().unwrap();
    let begun = out.join("work/vae-seed-0.1/log.jsonl");
    let deadline = Instant::now() + Duration::from_mins(1);
    while !begun.is_file() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(5));
    }
    let sent = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(sent.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(143));
    // It was told to stop too, and wrote its checkpoint.
    assert!(out.join("runs/vae-seed-0/resume/checkpoint.safetensors").is_file());
    let state = |k: usize| json(&["study", "status", word(&out)])["runs"][k]["state"].clone();
    assert_eq!((state(0), state(1)), ("begun".into(), "waiting".into()));

    let directory = tempfile::tempdir().unwrap();
    let out = planned(directory.path(), &[]);
    fs::create_dir_all(out.join("runs/vae-seed-1")).unwrap();
    fs::write(out.join("runs/vae-seed-1/in-the-way"), "").unwrap();
    refuse(&["study", "work", word(&out)], "run `vae-seed-1` failed 3 times");
    let states = json(&["study", "status", word(&out)]);
    let done = states["runs"].as_array().unwrap().iter().filter(|run| run["state"] == "done");
    assert_eq!(done.count(), 3);
}

#[test]
fn turned_codes_cost_the_same_and_score_otherwise() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("run");
    #[rustfmt::skip]
    succeed(&[
        "train", "--quiet", "--model", "beta-vae", "--data", "squares", "--steps", "800", "--set", "model.beta=1",
        "--set", "train.learning_rate=1e-3", "--set", "model.latents=6", "--set", "train.threads=2", "--out", word(&out),
    ]);
    let table = json(&["rotate", word(&out), "--metrics", "mig,mcc"]);
    let row = |name: &str| {
        let rows = table["rows"].as_array().unwrap();
        let row = rows.iter().find(|row| row["row"] == name).unwrap();
        (row["before"].as_f64().unwrap(), row["rotated"].as_f64().unwrap())
    };
    for name in ["reconstruction", "kl"] {
        let (before, rotated) = row(name);
        assert!((before - rotated).abs() < 1e-3 * before.abs(), "{name}: {before} {rotated}");
    }
    let (before, rotated) = row("mig");
    assert!(before > 0.1 && rotated < 0.5 * before, "mig: {before} {rotated}");

    // The turned run is a run like any other, and decodes what the first one does.
    let turned = directory.path().join("run-rotated");
    assert_eq!(table["run"], word(&turned));
    let scores = json(&["score", word(&turned), "--metrics", "mig"]);
    assert!((scores["scores"][0]["value"].as_f64().unwrap() - rotated).abs() < 1e-9);
    succeed(&["traverse", word(&turned), "--quiet"]);
    refuse(&["rotate", word(&turned)], "turned already");
}

#[test]
fn drawn_codes_are_scored_beside_means_and_refused_where_there_are_none() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("run");
    let train = |model: &str, out: &Path| {
        let words = ["train", "--quiet", "--data", "squares", "--steps", "3", "--model", model];
        succeed(&[&words[..], &["--out", word(out)]].concat());
    };
    train("vae", &out);
    let words = ["score", word(&out), "--metrics", "total-correlation"];
    let sampled = ["--sampled", "total-correlation"];
    let scores = json(&[&words[..], &sampled].concat())["scores"].clone();
    assert_eq!((&scores[0]["codes"], &scores[1]["codes"]), (&Json::Null, &"sample".into()));
    assert_ne!(scores[0]["value"], scores[1]["value"]);
    // Both are kept when another metric is scored later.
    json(&["score", word(&out), "--metrics", "mig"]);
    let kept: Json =
        serde_json::from_str(&fs::read_to_string(out.join("scores.json")).unwrap()).unwrap();
    assert_eq!(kept["scores"].as_array().map(Vec::len), Some(3));

    let floor = directory.path().join("pca");
    train("pca", &floor);
    let words = ["score", word(&floor), "--metrics", "mig"];
    refuse(&[&words[..], &sampled].concat(), "there is nothing to draw");
    refuse(&["rotate", word(&floor)], "has no posterior to turn");
}
