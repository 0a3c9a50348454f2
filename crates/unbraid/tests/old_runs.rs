//! A run directory of an earlier version, with settings under their names of then, still opens: it goes on
//! to the same bytes and has the same scores.

mod program;

use std::fs;
use std::path::Path;

use program::unbraid;
use serde_json::Value as Json;
use unbraid::model::weights;

fn fixture(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/runs").join(name);
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn a_run_of_an_earlier_version_goes_on_to_the_same_bytes_and_scores() {
    let place = tempfile::tempdir().unwrap();
    let run = place.path().join("run");
    fs::create_dir_all(run.join("resume")).unwrap();
    for name in ["run.toml", "log.jsonl", "model.safetensors", "resume/checkpoint.safetensors"] {
        fs::write(run.join(name), fixture(&format!("begun/{name}"))).unwrap();
    }
    let ask = |words: &[&str]| {
        let mut command = unbraid();
        command.current_dir(place.path()).args(["--cpu", "portable", "--json"]).args(words);
        let done = command.output().expect("the program starts");
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(done.status.success(), "{words:?}: {said}");
        (serde_json::from_slice::<Json>(&done.stdout).unwrap(), said)
    };
    // Of a run directory nobody typed the old names, so nothing is said of them.
    let (_, said) = ask(&["train", "--resume", "--out", "run"]);
    assert!(!said.contains("is now"), "{said}");
    assert!(said.contains("has no checksum; an earlier unbraid wrote it"), "{said}");
    let log = fs::read(run.join("log.jsonl")).unwrap();
    assert!(log == fixture("whole/log.jsonl"), "the log differs");
    // The same but for the checksum, which files have now.
    let made = weights::read(&run.join("model.safetensors")).unwrap();
    let expected = weights::from_bytes(&fixture("whole/model.safetensors")).unwrap();
    assert!(made.sealed && !expected.sealed);
    assert!(made.weights == expected.weights, "the weights differ");
    assert_eq!(made.about["step"], expected.about["step"]);
    let (scores, _) = ask(&["score", "run"]);
    let earlier: Json = serde_json::from_slice(&fixture("whole/scores.json")).unwrap();
    let values = |document: &Json| -> Vec<(Json, Json)> {
        let all = document["scores"].as_array().unwrap();
        all.iter().map(|score| (score["metric"].clone(), score["value"].clone())).collect()
    };
    assert_eq!(values(&scores), values(&earlier));
    let (config, _) = ask(&["train", "run/run.toml", "--dry-run"]);
    assert_eq!(config["config"]["model"]["changed"], 2, "what was `train.changed`");
    assert_eq!(config["config"]["train"]["learning_rate"], 1e-3, "what was `train.rate`");
}
