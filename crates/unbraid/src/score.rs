//! The scores of a run: what `unbraid_measure::scoring` found, kept in the run directory.

use serde_json::{Value as Json, json};
use unbraid_measure::files;
use unbraid_measure::scoring::Report;

use crate::error::Result;
use crate::run::Run;

/// The document of scores of means and of drawn codes: those of drawn codes say so.
pub fn joined(of_means: &Report, of_draws: Option<&Report>) -> Json {
    let mut document = of_means.to_json();
    let mut drawn = of_draws.map_or(json!([]), |report| report.to_json()["scores"].take());
    if let (Some(scores), Some(drawn)) = (document["scores"].as_array_mut(), drawn.as_array_mut()) {
        for score in drawn {
            score["codes"] = json!("sample");
            scores.push(score.take());
        }
    }
    document
}

/// How a score is called in tables: `mig`, or `mig (sampled)` of drawn codes.
pub fn title(score: &Json) -> String {
    let name = score["metric"].as_str().unwrap_or_default();
    match score["codes"].as_str() {
        Some("sample") => format!("{name} (sampled)"),
        _ => name.to_string(),
    }
}

/// Write the scores into the run; metrics scored before and not now are kept.
pub fn save(run: &Run, mut document: Json) -> Result<()> {
    let named = |score: &Json| (score["metric"].clone(), score["codes"].clone());
    if let Some(earlier) = run.scores()?
        && let (Some(old), Some(new)) =
            (earlier["scores"].as_array(), document["scores"].as_array_mut())
    {
        let known: Vec<_> = new.iter().map(named).collect();
        new.extend(old.iter().filter(|score| !known.contains(&named(score))).cloned());
    }
    let text = serde_json::to_string_pretty(&document).expect("JSON in memory can be written");
    Ok(files::write(run.scores_file(), format!("{text}\n").as_bytes())?)
}
