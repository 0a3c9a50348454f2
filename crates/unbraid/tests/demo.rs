//! The demo: the README's first command reaches what the README shows.

mod program;

use program::{succeed, word};
use serde_json::Value as Json;

/// The column of the model in the table of the README.
fn promised() -> Vec<(String, f64)> {
    let readme = include_str!("../../../README.md");
    let table =
        readme.split("structural-vae  published\n").nth(1).expect("the README has the table");
    let row = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        (words[0].to_string(), words[2].parse().expect("a number"))
    };
    table.lines().take_while(|line| !line.is_empty()).map(row).collect()
}

/// Every number of a key, wherever it stands.
fn all(document: &Json, key: &str) -> Vec<f64> {
    match document {
        Json::Object(map) => map
            .iter()
            .flat_map(|(name, value)| match value.as_f64() {
                Some(number) if name == key => vec![number],
                _ => all(value, key),
            })
            .collect(),
        Json::Array(list) => list.iter().flat_map(|value| all(value, key)).collect(),
        _ => vec![],
    }
}

#[test]
fn the_demo_reaches_what_the_readme_shows() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("demo");
    let printed = succeed(&["demo", "--quiet", "--json", "--out", word(&out)]);
    let report: Json = serde_json::from_str(&printed).unwrap();
    for name in ["report.html", "graph.svg", "interventions.png", "traversal.png"] {
        assert!(out.join(name).is_file(), "{name} is missing");
    }
    let scores = report["scores"].as_array().unwrap();
    let promised = promised();
    assert!(promised.len() >= 3);
    for (metric, value) in promised {
        let score = scores.iter().find(|score| score["metric"] == metric.as_str());
        let reached = score.and_then(|score| score["value"].as_f64()).expect("it is scored");
        // Another processor rounds otherwise, and thousands of steps later that can be seen.
        assert!((reached - value).abs() < 0.05, "{metric}: {reached}, the README says {value}");
    }
    assert_eq!(report["graph"]["shd"].as_i64(), Some(0));
    // The promises of an intervention: effects follow, the rest stays, and images are as good as
    // reconstructions.
    let effects = &report["effects"];
    let (follow, stay) = (all(effects, "correlation"), all(effects, "movement"));
    assert_eq!((follow.len(), stay.len()), (4, 8));
    assert!(follow.iter().all(|correlation| *correlation > 0.95), "{effects}");
    assert!(stay.iter().all(|movement| *movement < 0.05), "{effects}");
    assert!(all(effects, "image_error_ratio").iter().all(|ratio| *ratio < 2.0), "{effects}");
}
