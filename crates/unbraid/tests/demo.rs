//! The demo: the README's first command reaches what the README shows.

mod program;

use program::{succeed, word};

/// The `beta-vae` column of the table in the README.
fn promised() -> Vec<(String, f64)> {
    let readme = include_str!("../../../README.md");
    let table = readme.split("pca    beta-vae\n").nth(1).expect("the README shows the table");
    let row = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        (words[0].to_string(), words[2].parse().expect("a number"))
    };
    table.lines().take_while(|line| !line.is_empty()).map(row).collect()
}

#[test]
fn the_demo_reaches_the_scores_of_the_readme() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("demo");
    let printed = succeed(&["demo", "--quiet", "--json", "--out", word(&out)]);
    let report: serde_json::Value = serde_json::from_str(&printed).unwrap();
    assert!(out.join("traversal.png").is_file());
    let scores = report["scores"].as_array().unwrap();
    let promised = promised();
    assert!(promised.len() >= 3);
    for (metric, value) in promised {
        let score = scores.iter().find(|score| score["metric"] == metric.as_str());
        let reached = score.and_then(|score| score["value"].as_f64()).expect("it is scored");
        // Another processor rounds otherwise, and thousands of steps later that can be seen.
        assert!((reached - value).abs() < 0.15, "{metric}: {reached}, the README says {value}");
    }
}
