//! The scores of a run: what `unbraid_measure::scoring` found, kept in the run directory.

use serde_json::Value as Json;
use unbraid_measure::files;

use crate::error::Result;
use crate::run::Run;

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
