//! `unbraid retrieve`: which action led from one observation to another.

use anyhow::{Result, bail};
use serde_json::{Value as Json, json};

use super::args::Retrieve;
use super::progress::Screen;
use super::{Output, opened, table};

pub(super) fn run(options: &Retrieve, output: Output) -> Result<()> {
    if !matches!(options.row.len(), 0 | 2) {
        bail!(
            "--row is given once for the observation before and once for the one after, as in --row 3 --row 7"
        );
    }
    let trained = opened(&options.run)?;
    if let [before, after] = options.row[..] {
        let found = trained.retrieve([before, after])?;
        let line = |(name, share): &(String, f32)| vec![name.clone(), format!("{share:.3}")];
        let rows: Vec<Vec<String>> = found.iter().map(line).collect();
        let text = format!("from row {before} to row {after}\n\n{}", table(&rows));
        let each = |(name, share): &(String, f32)| json!({ "action": name, "probability": share });
        return output.result(&text, || json!(found.iter().map(each).collect::<Vec<_>>()));
    }
    let screen = Screen::new(output);
    let found = trained.actions(&screen)?;
    drop(screen);
    output.result(&told(&found), || found)
}

/// `actions.json` as a table.
fn told(found: &Json) -> String {
    let number = |value: &Json| value.as_f64().map_or("-".into(), |value| format!("{value:.3}"));
    let mut rows = vec![["action", "pairs", "told right", "same code"].map(String::from).to_vec()];
    for (k, action) in found["actions"].as_array().into_iter().flatten().enumerate() {
        let pairs = action["pairs"].as_f64().unwrap_or(0.0).max(1.0);
        let share = |value: &Json| format!("{:.3}", value.as_f64().unwrap_or(0.0) / pairs);
        rows.push(vec![
            action["name"].as_str().unwrap_or_default().to_string(),
            action["pairs"].to_string(),
            share(&action["told"][k]),
            share(&action["blind"]),
        ]);
    }
    let mut whole = vec![["", "accuracy", "balanced", "most frequent"].map(String::from).to_vec()];
    for kind in ["action", "factor"] {
        let of = &found[kind];
        if of.is_object() {
            let numbers = ["accuracy", "balanced", "majority"].map(|key| number(&of[key]));
            whole.push([vec![kind.to_string()], numbers.to_vec()].concat());
        }
    }
    format!("{}\n{}\n{} pairs\n", table(&rows), table(&whole), found["action"]["rows"])
}
