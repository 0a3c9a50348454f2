//! The scores of a run: what `unbraid_measure::scoring` found, kept in the run directory.

use serde_json::{Value as Json, json};
use unbraid_measure::files;
use unbraid_measure::metrics::Metric;
use unbraid_measure::scoring::Report;

use crate::error::Result;
use crate::run::Run;

/// Codes that are scored beside the means of the training data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codes {
    /// One draw from each posterior.
    Sample,
    /// The means of held-out rows.
    HeldOut,
    /// One draw from each posterior of held-out rows.
    HeldOutSample,
}

impl Codes {
    /// In `scores.json`, in a table, and above one.
    const WORDS: [(Self, &str, &str, &str); 3] = [
        (Self::Sample, "sample", "sampled", "of codes drawn from the posterior"),
        (Self::HeldOut, "held-out", "held out", "of held-out rows"),
        (Self::HeldOutSample, "held-out-sample", "held out, sampled", "of held-out rows, drawn"),
    ];

    fn words(self) -> (&'static str, &'static str) {
        let found = Self::WORDS.iter().find(|words| words.0 == self);
        let (_, key, _, heading) = found.expect("every kind has words");
        (key, heading)
    }

    /// What stands above their table.
    pub fn heading(self) -> &'static str {
        self.words().1
    }
}

/// The document of scores of means and of other codes, which say what they are.
pub fn joined(of_means: &Report, others: &[(Codes, Report)]) -> Json {
    let mut document = of_means.to_json();
    let mut more = Vec::new();
    for (codes, report) in others {
        let mut scores = report.to_json()["scores"].take();
        for score in scores.as_array_mut().into_iter().flatten() {
            score["codes"] = json!(codes.words().0);
            more.push(score.take());
        }
    }
    if let Some(scores) = document["scores"].as_array_mut() {
        scores.extend(more);
    }
    document
}

/// How a score is called in tables: `mig`, or `mig (sampled)` of drawn codes.
pub fn title(score: &Json) -> String {
    let name = score["metric"].as_str().unwrap_or_default();
    let codes = score["codes"].as_str().unwrap_or_default();
    match Codes::WORDS.iter().find(|(_, key, ..)| *key == codes) {
        Some((_, _, words, _)) => format!("{name} ({words})"),
        None => name.to_string(),
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

/// Whether a document of scores has each of these metrics, of the means.
pub fn has_all(document: &Json, metrics: &[&'static dyn Metric]) -> bool {
    let scores = document["scores"].as_array();
    let has = |name: &str| {
        let mut scores = scores.into_iter().flatten();
        scores.any(|score| score["metric"] == name && score["codes"].is_null())
    };
    metrics.iter().all(|metric| has(metric.info().name))
}
