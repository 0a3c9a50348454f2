//! `unbraid show NAME`: the page of a model, a data set or a metric.

use anyhow::Result;
use unbraid::Error;
use unbraid::data::DATASETS;
use unbraid::info::{Info, did_you_mean};
use unbraid::metrics::METRICS;
use unbraid::models::MODELS;

use super::print;

pub(super) fn run(name: &str) -> Result<()> {
    let models = MODELS.iter().map(|entry| ("model", entry.info));
    let data = DATASETS.iter().map(|source| ("data set", source.info));
    let metrics = METRICS.iter().map(|metric| ("metric", metric.info()));
    let all: Vec<(&str, Info)> = models.chain(data).chain(metrics).collect();
    let found: Vec<_> = all.iter().filter(|(_, info)| info.name == name).collect();
    if found.is_empty() {
        let hint = did_you_mean(name, all.iter().map(|(_, info)| info.name));
        let error = format!("nothing is called `{name}`{hint} (`unbraid list` shows all)");
        return Err(Error::Unable(error).into());
    }
    for (kind, info) in found {
        let paper =
            if info.paper.is_empty() { String::new() } else { format!("\n{}\n", info.paper) };
        print(&format!("# {} ({kind} `{}`)\n{paper}\n{}\n", info.title, info.name, info.page))?;
    }
    Ok(())
}
