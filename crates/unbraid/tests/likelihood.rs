//! `unbraid evaluate`: how likely a trained model finds data, from the outside.

mod program;

use std::fs;
use std::path::{Path, PathBuf};

use program::{refuse, run, succeed, word};

/// A few steps of a small ladder on grey squares that are drawn black or white, a part of them held out.
fn ladder(directory: &Path, more: &[&str]) -> PathBuf {
    let out = directory.join("ladder");
    #[rustfmt::skip]
    let words = [
        "train", "--quiet", "--model", "ladder-vae", "--data", "squares", "--steps", "6",
        "--set", "model.layers=[3, 2]", "--set", "model.widths=[8, 8]", "--set", "train.batch=16",
        "--set", "train.log_every=2", "--set", "data.variant={part=\"train\"}",
        "--set", "score.held_out={variant={part=\"test\"}}", "--out", word(&out),
    ];
    succeed(&[&words[..], more].concat());
    out
}

#[test]
fn a_bound_is_the_same_each_time_and_stands_in_the_run_the_card_and_the_report() {
    let directory = tempfile::tempdir().unwrap();
    let ladder = ladder(directory.path(), &["--set", "train.binarize=true"]);
    let evaluate = ["evaluate", word(&ladder), "--quiet", "--bound", "120", "--rows", "30"];
    let said = succeed(&evaluate);
    assert!(said.contains("by 120 draws") && said.contains("30 held-out rows"), "{said}");
    let file = ladder.join("bound.json");
    let first = fs::read(&file).unwrap();
    succeed(&evaluate);
    assert_eq!(fs::read(&file).unwrap(), first);
    let found: serde_json::Value = serde_json::from_slice(&first).unwrap();
    assert_eq!((&found["draws"], &found["held_out"]), (&120.into(), &true.into()));
    let [many, one] = ["bound", "bound_of_one_draw"].map(|key| found[key].as_f64().unwrap());
    assert!(one < many && many < 0.0, "{found}");

    let nats = format!("{many:.2}");
    let card = fs::read_to_string(ladder.join("README.md")).unwrap();
    assert!(card.contains(&nats), "{card}");
    succeed(&["report", word(&ladder), "--quiet"]);
    let page = fs::read_to_string(ladder.join("report.html")).unwrap();
    assert!(page.contains(&nats.replace('-', "\u{2212}")), "the bound is not on the page");
    assert!(page.contains("layer 2: 2 latents"), "the codes of each layer are not on the page");
}

#[test]
fn what_has_no_density_is_refused_with_the_way_out() {
    let directory = tempfile::tempdir().unwrap();
    let grey = ladder(directory.path(), &[]);
    refuse(&["evaluate", word(&grey), "--bound", "5"], "train with train.binarize = true");
    let pca = directory.path().join("pca");
    succeed(&["train", "--quiet", "--model", "pca", "--data", "squares", "--out", word(&pca)]);
    refuse(&["evaluate", word(&pca), "--bound", "5"], "this method has no bound");
    let none = run(&["evaluate", word(&pca), "--bound", "0"]);
    assert!(!none.status.success(), "no draws are no bound");
}

/// A study asks for scores and a bound: where there is no bound, the scores are kept.
#[test]
fn scores_are_kept_where_the_bound_beside_them_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let grey = ladder(directory.path(), &["--set", "score.bound=5"]);
    refuse(&["score", word(&grey), "--metrics", "mig"], "the data are grey");
    let scores = fs::read_to_string(grey.join("scores.json")).unwrap();
    assert!(scores.contains("\"mig\""), "{scores}");
}
