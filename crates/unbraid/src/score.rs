//! Scoring: metrics on codes, and their results as the JSON that users and scripts rely on.

use serde_json::{Value as Json, json};
use unbraid_measure::files;
use unbraid_measure::metrics::{self, METRICS, Metric, Outcome};
use unbraid_measure::representation::Representation;
use unbraid_measure::rng::Rng;

use crate::error::{Error, Result};
use crate::run::Run;

/// The number of the format of the scores.
pub const FORMAT: u32 = 1;

/// A larger matrix of codes against factors (that of raw pixels) is left out of the JSON.
const MOST_CELLS: usize = 10_000;

/// The metrics of these names; "all" is all of them.
pub fn metrics_named(names: &[String]) -> Result<Vec<&'static dyn Metric>> {
    let mut chosen: Vec<&'static dyn Metric> = Vec::new();
    for name in names.iter().map(|name| name.trim()).filter(|name| !name.is_empty()) {
        let found = match name {
            "all" => METRICS.to_vec(),
            name => vec![metrics::find(name)?],
        };
        for metric in found {
            if chosen.iter().all(|other| other.info().name != metric.info().name) {
                chosen.push(metric);
            }
        }
    }
    match chosen.is_empty() {
        true => Err(Error::setting("metrics", "is empty; name some, or all")),
        false => Ok(chosen),
    }
}

/// Judge codes with these metrics.
pub fn score(codes: &Representation, metrics: &[&'static dyn Metric], seed: u64) -> Vec<Outcome> {
    metrics::score_all(codes, metrics, &Rng::new(seed).split("metrics"))
}

/// One document: `{"format":1,"scores":[{"metric":…,"value":…,"parts":{…},"seconds":…}]}`. Each
/// score says its seed and rows, since those of a run may come from several calls.
pub fn to_json(outcomes: &[Outcome], rows: usize, seed: u64) -> Json {
    let one = |outcome: &Outcome| match &outcome.score {
        Ok(score) => {
            let parts: serde_json::Map<String, Json> =
                score.parts.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
            let mut document = json!({"metric": outcome.metric, "value": score.value,
                   "parts": parts, "seconds": outcome.seconds, "seed": seed, "rows": rows});
            if let Some(matrix) = score.matrix.as_ref().filter(|matrix| matrix.len() <= MOST_CELLS)
            {
                document["matrix"] = matrix.rows().into_iter().map(|row| row.to_vec()).collect();
            }
            document
        }
        Err(reason) => json!({"metric": outcome.metric, "value": null,
                              "reason": reason.to_string(), "seconds": outcome.seconds,
                              "seed": seed, "rows": rows}),
    };
    let scores: Vec<Json> = outcomes.iter().map(one).collect();
    json!({"format": FORMAT, "scores": scores})
}

/// Write the scores into the run; metrics scored before and not now are kept.
pub fn save(run: &Run, mut document: Json) -> Result<()> {
    let named = |score: &Json| score["metric"].as_str().map(str::to_string);
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
