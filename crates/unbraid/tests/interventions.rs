//! Models of concepts from the outside: graphs, interventions, and everything that can be asked wrongly.

mod program;

use std::path::{Path, PathBuf};

use program::{refuse, run, succeed, word};
use serde_json::Value as Json;
use tempfile::TempDir;

/// A pendulum of 16x16 with few angles.
const DATA: [&str; 2] = ["--set", "data.variant={ size = 16, keep = { pendulum = '-10..10' } }"];

fn trained(directory: &TempDir, model: &str, more: &[&str]) -> PathBuf {
    let out = directory.path().join(model);
    #[rustfmt::skip]
    let words = [
        "train", "--quiet", "--model", model, "--data", "pendulum", "--steps", "40",
        "--set", "train.batch=16", "--set", "train.log_every=10", "--out", word(&out),
    ];
    succeed(&[&words[..], &DATA, more].concat());
    out
}

fn document(words: &[&str]) -> Json {
    serde_json::from_str(&succeed(words)).expect("one JSON document")
}

fn ask(run: &Path, dos: &[&str]) -> Json {
    let mut words = vec!["intervene", word(run), "--row", "7", "--json", "--quiet"];
    for set in dos {
        words.extend(["--do", set]);
    }
    document(&words)
}

fn number(document: &Json, part: &str, name: &str) -> f64 {
    document[part][name].as_f64().unwrap_or_else(|| panic!("no {part}/{name} in {document}"))
}

const ALL: [&str; 4] = ["pendulum", "light", "shadow-length", "shadow-position"];

#[test]
fn effects_follow_and_nothing_else_moves_whatever_is_set() {
    let directory = tempfile::tempdir().unwrap();
    for model in ["structural-vae", "causal-vae"] {
        let run = trained(&directory, model, &[]);
        // Values are those of f32 after a way there and back.
        let near = |a: f64, b: f64| (a - b).abs() < 1e-3 * b.abs().max(1.0);
        let effect = ask(&run, &["shadow-length=8"]);
        assert!(near(number(&effect, "after", "shadow-length"), 8.0), "{model}: {effect}");
        for stays in ["pendulum", "light", "shadow-position"] {
            let [before, after] = ["before", "after"].map(|part| number(&effect, part, stays));
            assert!(near(after, before), "{model}: {stays} moved from {before} to {after}");
        }
        let cause = ask(&run, &["light=70"]);
        let moved = |name: &str| number(&cause, "after", name) - number(&cause, "before", name);
        assert!(moved("pendulum").abs() < 1e-3, "{model}: {cause}");
        assert!(moved("shadow-position").abs() > 1e-3, "{model}: {cause}");
        // The simulator agrees about what was set, and knows the rest.
        assert_eq!(number(&cause, "truth", "light"), 70.0);
        assert_eq!(number(&cause, "truth", "pendulum"), number(&cause, "label", "pendulum"));
        // The overview of all concepts is another file, and stays.
        assert!(run.join("counterfactual.png").is_file());
        assert!(!run.join("interventions.png").is_file());

        let sets = ["pendulum=3", "light=90", "shadow-length=5", "shadow-position=11"];
        let all = ask(&run, &sets);
        for (name, value) in ALL.iter().zip([3.0, 90.0, 5.0, 11.0]) {
            assert!(near(number(&all, "after", name), value), "{model}: {all}");
        }
    }
}

#[test]
fn without_a_graph_an_intervention_stays_where_it_is() {
    let directory = tempfile::tempdir().unwrap();
    let run = trained(&directory, "condition-vae", &[]);
    let cause = ask(&run, &["light=70"]);
    for name in ["pendulum", "shadow-length", "shadow-position"] {
        let [before, after] = ["before", "after"].map(|part| number(&cause, part, name));
        assert!((after - before).abs() < 1e-4 * before.abs().max(1.0), "{cause}");
    }
    refuse(&["graph", word(&run)], "learns no graph");
}

#[test]
fn the_graph_is_found_from_labels_and_its_document_is_that_of_the_contract() {
    let directory = tempfile::tempdir().unwrap();
    for model in ["structural-vae", "causal-vae"] {
        let run = trained(&directory, model, &[]);
        let graph = document(&["graph", word(&run), "--json"]);
        assert_eq!(
            (graph["format"].as_i64(), graph["shd"].as_i64()),
            (Some(1), Some(0)),
            "{graph}"
        );
        assert_eq!((graph["precision"].as_f64(), graph["recall"].as_f64()), (Some(1.0), Some(1.0)));
        assert_eq!(graph["names"].as_array().unwrap().len(), 4);
        // Row = cause: the pendulum causes both numbers of the shadow.
        let learned = |i: usize, j: usize| graph["learned"][i][j].as_f64().unwrap();
        assert!(learned(0, 2) != 0.0 && learned(0, 3) != 0.0 && learned(2, 0) == 0.0);
        assert_eq!(graph["true"][1][2].as_f64(), Some(1.0));
        let principle = graph["edges"][0]["principle"].as_str().unwrap();
        assert_eq!(principle, "collider: pendulum is independent of light");
        let svg = std::fs::read_to_string(run.join("graph.svg")).unwrap();
        assert!(ALL.iter().all(|name| svg.contains(name)), "{svg}");
        assert!(succeed(&["graph", word(&run)]).contains("NOTEARS"));
        // The same graph by way of the metric.
        let scores = document(&["score", word(&run), "--metrics", "shd", "--json", "--quiet"]);
        assert_eq!(scores["scores"][0]["value"].as_f64(), Some(0.0), "{scores}");
    }
}

#[test]
fn the_papers_losses_alone_can_be_watched_from_zero() {
    let directory = tempfile::tempdir().unwrap();
    let run = trained(&directory, "causal-vae", &["--set", "model.graph=zero"]);
    let graph = document(&["graph", word(&run), "--json"]);
    assert!(graph["shd"].as_i64().is_some(), "{graph}");
    let log = std::fs::read_to_string(run.join("log.jsonl")).unwrap();
    let last: Json = serde_json::from_str(log.lines().last().unwrap()).unwrap();
    assert!(last["edge/0-2"].as_f64().unwrap() != 0.0, "{last}");
}

#[test]
fn what_cannot_be_asked_is_refused_with_the_way_out() {
    let directory = tempfile::tempdir().unwrap();
    let run = trained(&directory, "structural-vae", &[]);
    let ask = |words: &[&str], sentence: &str| {
        refuse(&[&["intervene", word(&run)], words].concat(), sentence);
    };
    ask(&["--do", "ligth=80"], "did you mean `light`?");
    ask(&["--do", "light"], "NAME=VALUE");
    ask(&["--do", "light=bright"], "is not a number");
    ask(&["--do", "light=80", "--do", "light=90"], "is set twice");
    ask(&["--do", "light=80", "--row", "99999"], "there is no row 99999");
    ask(&[], "nothing is asked");

    let plain = trained(&directory, "beta-vae", &["--set", "model.latents=4"]);
    refuse(&["intervene", word(&plain), "--do", "light=80"], "do not stand for concepts");
    refuse(&["graph", word(&plain)], "learns no graph");
}

#[test]
fn a_value_outside_of_the_data_is_allowed_with_a_word_of_caution() {
    let directory = tempfile::tempdir().unwrap();
    let asked = trained(&directory, "structural-vae", &[]);
    let output = run(&["intervene", word(&asked), "--do", "pendulum=60"]);
    let notes = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && notes.contains("outside of the data"), "{notes}");
}

#[test]
fn graphs_and_labels_that_cannot_work_are_refused_before_training() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("run");
    let words = ["train", "--data", "pendulum", "--steps", "5", "--out", word(&out), "--model"];
    let given = |model: &str, edges: &str, sentence: &str| {
        let edges = format!("model.edges={edges}");
        let more = [model, "--set", "model.graph=given", "--set", edges.as_str()];
        refuse(&[&words[..], &more, &DATA].concat(), sentence);
    };
    for model in ["causal-vae", "structural-vae"] {
        given(model, "[[0, 1], [1, 0]]", "cycle");
        given(model, "[[0, 9]]", "names a node that is not there");
        given(model, "[]", "must list the edges");
        // One value is left of the light, but it is still a label.
        let one = "data.variant={ size = 16, keep = { light = 80 } }";
        let more = [model, "--set", one];
        refuse(&[&words[..], &more].concat(), "`light` has the label 80 in every row");
        assert!(!out.join("model.safetensors").exists());
        std::fs::remove_dir_all(&out).ok();
    }
}

#[test]
fn codes_that_saw_labels_need_labels() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("plain.npz");
    let mut writer = unbraid_measure::npz::NpzWriter::create(&file).unwrap();
    writer.array("images", &[3, 16, 16, 4], &[9u8; 3 * 16 * 16 * 4]).unwrap();
    writer.finish().unwrap();
    let sees = trained(&directory, "causal-vae", &[]);
    let words = ["--data", word(&file), "--quiet"];
    refuse(&[&["encode", word(&sees)], &words[..]].concat(), "sees the 4 labels");
    let alone = trained(&directory, "structural-vae", &[]);
    succeed(&[&["encode", word(&alone)], &words[..]].concat());
}

/// The six faces of the format fixture are too few to find a graph in; it is given.
#[test]
fn a_causal_vae_trains_on_chosen_attributes_of_faces() {
    let directory = tempfile::tempdir().unwrap();
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("../measure/tests/formats/celeb_a");
    let study = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/celeba-smile.toml");
    let out = directory.path().join("run");
    let unbraid = |words: &[&str]| {
        let mut command = program::unbraid();
        let output = command.env("UNBRAID_DATA_DIR", directory.path().join("data")).args(words);
        let output = output.output().expect("the program starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).to_string()
    };
    unbraid(&["data", "import", "celeba", "--from", word(&files), "--unchecked", "--quiet"]);
    #[rustfmt::skip]
    unbraid(&[
        "train", word(&study), "--quiet", "--steps", "2", "--out", word(&out), "--set", "train.batch=2",
        "--set", "data.part=all", "--set", "score.held_out={}", "--set", "model.graph=given",
        "--set", "model.edges=[[3, 1], [3, 2], [0, 2]]",
    ]);
    let asked = unbraid(&["intervene", word(&out), "--do", "Smiling=1", "--json", "--quiet"]);
    let asked: Json = serde_json::from_str(&asked).unwrap();
    assert!((number(&asked, "after", "Smiling") - 1.0).abs() < 1e-3, "{asked}");
    assert!(asked["truth"].is_null(), "nobody can simulate a face: {asked}");
    let graph: Json = serde_json::from_str(&unbraid(&["graph", word(&out), "--json"])).unwrap();
    // In the order of the file: Male, Mouth_Slightly_Open, Narrow_Eyes, Smiling.
    assert_eq!((graph["shd"].is_null(), graph["names"][3].as_str()), (true, Some("Smiling")));
}
