//! The page about a run: one file, whole, with what there is and nothing that is not.

mod program;

use std::fs;
use std::path::{Path, PathBuf};

use program::{refuse, succeed, word};
use tempfile::TempDir;
use unbraid::run::Run;
use unbraid_measure::npz::NpzWriter;

/// Marks that are never closed.
const VOID: [&str; 2] = ["meta", "img"];

/// A few small steps of `vae` on these data, in a directory whose name is no plain word.
fn trained(directory: &TempDir, data: &str, more: &[&str]) -> PathBuf {
    let out = directory.path().join("run <b>& 'x'");
    #[rustfmt::skip]
    let words = [
        "train", "--quiet", "--model", "vae", "--data", data, "--steps", "4", "--set", "model.net=fc",
        "--set", "model.width=8", "--set", "train.batch=8", "--set", "train.log_every=1",
        "--out", word(&out),
    ];
    succeed(&[&words[..], more].concat());
    out
}

/// The page of a run, checked for what every page must be.
fn page(run: &Path) -> String {
    succeed(&["report", word(run), "--quiet"]);
    let text = fs::read_to_string(run.join("report.html")).unwrap();
    check_balance(&text);
    check_nothing_is_loaded(&text);
    text
}

/// Every mark that is opened is closed, and in the right order.
fn check_balance(text: &str) {
    let mut open: Vec<&str> = Vec::new();
    for (at, _) in text.match_indices('<') {
        let mark = &text[at + 1..];
        let mark = &mark[..mark.find('>').expect("a mark has an end")];
        let name = mark.trim_start_matches('/').split([' ', '\n', '/']).next().unwrap();
        if mark.starts_with('!') || mark.ends_with('/') || VOID.contains(&name) {
            continue;
        }
        match mark.starts_with('/') {
            false => open.push(name),
            true => assert_eq!(open.pop(), Some(name), "</{name}> closes another mark"),
        }
    }
    assert!(open.is_empty(), "{open:?} are not closed");
}

fn check_nothing_is_loaded(text: &str) {
    for start in ["<script", "<link", "<iframe", "href=", "@import", "url(http", "@font-face"] {
        assert!(!text.contains(start), "the page has {start}");
    }
    for (at, _) in text.match_indices("src=\"") {
        let source = text[at..].chars().take(20).collect::<String>();
        assert!(source.starts_with("src=\"data:image/"), "{source}");
    }
}

fn has_section(text: &str, id: &str) -> bool {
    text.contains(&format!("<section id=\"{id}\">"))
}

#[test]
fn a_page_has_scores_pictures_and_the_way_to_repeat_it() {
    let directory = tempfile::tempdir().unwrap();
    let out = trained(&directory, "squares", &[]);
    let text = page(&out);
    for id in ["scores", "codes", "reconstructions", "training", "provenance"] {
        assert!(has_section(&text, id), "no {id}");
    }
    assert!(!has_section(&text, "graph") && !has_section(&text, "interventions"));
    for metric in ["mig", "factor-vae-score", "mcc", "mcc-spearman"] {
        assert!(text.contains(&format!("<code>{metric}</code>")), "{metric} is missing");
    }
    // What was missing has been made, and stays in the run.
    for name in ["scores.json", "traversal.png", "reconstructions.png", "factors.svg"] {
        assert!(out.join(name).is_file(), "{name} was not made");
    }
    assert!(text.contains("log_every = 1"), "every setting is there");
    assert!(!text.contains("run <b>"), "the name of the directory is escaped");
    assert!(text.contains("run &lt;b&gt;&amp; &#39;\\&#39;&#39;x"), "and quoted for a shell");
}

#[test]
fn a_page_can_go_elsewhere_and_is_one_file() {
    let directory = tempfile::tempdir().unwrap();
    let out = trained(&directory, "squares", &[]);
    let elsewhere = tempfile::tempdir().unwrap();
    let file = elsewhere.path().join("page.html");
    let printed = succeed(&["report", word(&out), "--quiet", "--json", "--out", word(&file)]);
    let printed: serde_json::Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(printed, serde_json::json!({"format": 1, "file": word(&file)}));
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 1);
    assert!(!out.join("report.html").exists());
}

#[test]
fn graph_and_interventions_stand_where_their_files_are_and_are_forgotten_with_the_weights() {
    let directory = tempfile::tempdir().unwrap();
    let out = trained(&directory, "squares", &[]);
    let graph = r#"{"format":1,"names":["a<b","side"],"learned":[[0,0.4],[0,0]],"true":null,
        "shd":null,"precision":null,"recall":null,"edges":[{"cause":"a<b","effect":"side",
        "strength":0.4,"principle":"<script>alert(1)</script>"}]}"#;
    fs::write(out.join("graph.json"), graph).unwrap();
    fs::write(out.join("graph.svg"), "<svg width=\"9\"><g/></svg>").unwrap();
    let effects = r#"{"format":1,"rows":7,"reconstruction_error":0.0004,"reader":{"side":0.01},
        "concepts":[{"name":"side","image_error":0.001,"image_error_ratio":null,
        "descendants":[{"name":"x","correlation":0.98}],"others":[]}]}"#;
    fs::write(out.join("effects.json"), effects).unwrap();
    let text = page(&out);
    assert!(has_section(&text, "graph") && has_section(&text, "interventions"));
    assert!(text.contains("<svg width=\"9\">"), "the figure is part of the page");
    assert!(text.contains(">a&lt;b<") && text.contains("&lt;script&gt;alert(1)"));
    assert!(text.contains("0.000400") && text.contains("0.980"));

    let run = Run::open(&out).unwrap();
    let plan = run.config().clone().resolve().unwrap();
    run.save(&*run.learner(&plan).unwrap(), 4, None).unwrap();
    for name in ["graph.json", "graph.svg", "effects.json", "report.html"] {
        assert!(!out.join(name).exists(), "{name} belongs to older weights");
    }
}

#[test]
fn of_vectors_without_factors_the_page_shows_what_codes_tell_by_themselves() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("vectors.npz");
    let numbers: Vec<f32> = (0..600).map(|i| (i as f32).sin()).collect();
    let mut file = NpzWriter::create(&path).unwrap();
    file.array("observations", &[200, 3], &numbers).unwrap();
    file.finish().unwrap();
    let text = page(&trained(&directory, word(&path), &[]));
    assert!(text.contains("<code>total-correlation</code>"), "{text}");
    for part in [
        "Without labels",
        "of the variance",
        "With true values of some rows",
        "what each code moves",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.contains("on vectors.npz"), "called by its file");
    assert!(has_section(&text, "training") && has_section(&text, "codes"));
    assert!(!text.contains("<code>mig</code>"), "nothing is asked that cannot be answered");
}

#[test]
fn published_numbers_stand_beside_ours() {
    let directory = tempfile::tempdir().unwrap();
    #[rustfmt::skip]
    let more = [
        "--model", "beta-vae", "--set", "score.metrics=['mic', 'mcc']", "--set", "score.rows=50",
    ];
    let text = page(&trained(&directory, "pendulum", &more));
    assert!(text.contains("0.226 ± 0.046") && text.contains("CVPR 2021, Table 1"));
}

#[test]
fn an_unfinished_run_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let out = trained(&directory, "squares", &[]);
    let run = Run::open(&out).unwrap();
    let plan = run.config().clone().resolve().unwrap();
    run.save(&*run.learner(&plan).unwrap(), 2, None).unwrap();
    refuse(&["report", word(&out)], "has taken 2 of 4 steps; finish training with");
    fs::remove_file(out.join("model.safetensors")).unwrap();
    refuse(&["report", word(&out)], "has no model yet; finish training with");
    refuse(&["report", "nowhere"], "is no run directory");
}
