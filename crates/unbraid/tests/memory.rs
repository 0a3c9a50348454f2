//! Training on dSprites stays small: nothing is stored of its 3 GB.

mod program;

use program::{succeed, word};

#[cfg(target_os = "linux")]
#[test]
fn dsprites_trains_in_less_than_500_megabytes() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("run");
    let printed = succeed(&[
        "train",
        "--quiet",
        "--json",
        "--model",
        "beta-vae",
        "--data",
        "dsprites",
        "--steps",
        "6",
        "--set",
        "train.checkpoint_every=3",
        "--out",
        word(&out),
    ]);
    let report: serde_json::Value = serde_json::from_str(&printed).unwrap();
    let peak = report["peak_rss_mb"].as_f64().unwrap();
    assert!(peak > 1.0 && peak < 500.0, "{peak} MB");
}
