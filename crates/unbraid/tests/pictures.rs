//! The pictures of a run: all are drawn, the model card shows them, and what cannot be drawn is said.

mod program;

use std::fs;
use std::path::{Path, PathBuf};

use program::{run, succeed, unbraid, word};
use unbraid::run::Run;
use unbraid_measure::npz::NpzWriter;

const DRAWN: [&str; 4] = ["traversal.png", "traversal.gif", "reconstructions.png", "factors.svg"];

/// A few small steps of `vae` on these data.
fn trained(directory: &Path, data: &str, more: &[&str]) -> PathBuf {
    let out = directory.join("run");
    #[rustfmt::skip]
    let words = [
        "train", "--quiet", "--model", "vae", "--data", data, "--steps", "4", "--set", "model.net=fc",
        "--set", "model.width=8", "--set", "train.log_every=1", "--out", word(&out),
    ];
    succeed(&[&words[..], more].concat());
    out
}

#[test]
fn every_picture_is_drawn_shown_on_the_card_and_forgotten_with_the_weights() {
    let directory = tempfile::tempdir().unwrap();
    let out = trained(directory.path(), "squares", &[]);
    let training = fs::read_to_string(out.join("training.svg")).unwrap();
    for text in ["loss", "reconstruction", "kl", "KL of each latent, in nats"] {
        assert!(training.contains(&format!(">{text}</text>")), "{text} is not drawn");
    }

    for range in ["quantile", "prior", "min-max"] {
        let words = ["traverse", word(&out), "--quiet", "--json", "--range", range];
        let report: serde_json::Value = serde_json::from_str(&succeed(&words)).unwrap();
        let files: Vec<&str> =
            report["files"].as_array().unwrap().iter().filter_map(|f| f.as_str()).collect();
        assert_eq!(files, DRAWN.map(|name| out.join(name)).each_ref().map(|path| word(path)));
    }
    let card = fs::read_to_string(out.join("README.md")).unwrap();
    for name in DRAWN.iter().chain(&["training.svg"]) {
        assert!(out.join(name).is_file(), "{name} is missing");
        assert!(card.contains(&format!("]({name})")), "the card does not show {name}");
    }
    let figure = fs::read_to_string(out.join("factors.svg")).unwrap();
    assert!(figure.contains("x →, y ↓") && figure.contains(">brightness</text>"));

    // New weights, and what was drawn from the old ones is gone; the log is still the same.
    let run = Run::open(&out).unwrap();
    let plan = run.config().clone().resolve().unwrap();
    run.save(&*run.learner(&plan).unwrap(), 4, None).unwrap();
    assert!(DRAWN.iter().all(|name| !out.join(name).exists()));
    assert!(out.join("training.svg").is_file());
}

#[test]
fn an_unknown_range_is_refused_with_those_there_are() {
    let output = run(&["traverse", "somewhere", "--range", "wide"]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.contains("invalid value 'wide'"), "{errors}");
    assert!(errors.contains("quantile") && errors.contains("min-max"), "{errors}");
}

#[test]
fn of_vectors_is_drawn_what_codes_move_and_no_pictures() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("vectors.npz");
    let values: Vec<f32> = (0..200).map(|i| (i % 10) as f32).collect();
    let numbers = values.iter().flat_map(|value| [*value, 1.0 - value, 0.5]);
    let mut file = NpzWriter::create(&path).unwrap();
    file.array("observations", &[200, 3], &numbers.collect::<Vec<f32>>()).unwrap();
    file.array("values", &[200, 1], &values).unwrap();
    file.finish().unwrap();
    let out = trained(directory.path(), word(&path), &["--set", "train.batch=8"]);
    let output = unbraid().args(["traverse", word(&out)]).output().unwrap();
    let notes = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{notes}");
    let printed = String::from_utf8_lossy(&output.stdout);
    let drawn: Vec<&str> = printed.lines().filter_map(|line| line.rsplit('/').next()).collect();
    let expected = [
        "moves.svg",
        "columns.svg",
        "factors.svg",
        "map.svg",
        "distribution.svg",
        "neighbours.svg",
    ];
    assert_eq!(drawn, expected, "{notes}");
    assert!(!out.join("traversal.png").exists());
}

#[test]
fn a_run_whose_training_cannot_be_drawn_is_whole_all_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let out = trained(directory.path(), "squares", &[]);
    for name in ["training.svg", "model.safetensors", "resume/checkpoint.safetensors"] {
        fs::remove_file(out.join(name)).unwrap();
    }
    // A folder of that name with something in it cannot be replaced by a file.
    fs::create_dir_all(out.join("training.svg/in the way")).unwrap();
    let output = run(&["train", "--resume", "--out", word(&out)]);
    let notes = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{notes}");
    assert!(notes.contains("the training is not drawn"), "{notes}");
    assert!(out.join("model.safetensors").is_file() && out.join("README.md").is_file());

    // Once nothing is in the way, resuming the finished run draws it.
    fs::remove_dir_all(out.join("training.svg")).unwrap();
    succeed(&["train", "--quiet", "--resume", "--out", word(&out)]);
    assert!(out.join("training.svg").is_file());
    assert!(fs::read_to_string(out.join("README.md")).unwrap().contains("](training.svg)"));
}
