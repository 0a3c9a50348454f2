//! `unbraid show NAME`: the page of a model, a data set, a metric or a topic.

use anyhow::Result;
use serde_json::json;
use unbraid::Error;
use unbraid::data::{DATASETS, variant};
use unbraid::info::{Info, did_you_mean};
use unbraid::metrics::METRICS;
use unbraid::models::MODELS;

use super::Output;

pub(super) fn run(name: &str, output: Output) -> Result<()> {
    let models = MODELS.iter().map(|entry| ("model", entry.info));
    let data = DATASETS.iter().map(|source| ("data set", source.info));
    let metrics = METRICS.iter().map(|metric| ("metric", metric.info()));
    let topics = [("topic", variant::INFO)];
    let all: Vec<(&str, Info)> = models.chain(data).chain(metrics).chain(topics).collect();
    let found: Vec<_> = all.iter().filter(|(_, info)| info.name == name).collect();
    if found.is_empty() {
        let hint = did_you_mean(name, all.iter().map(|(_, info)| info.name));
        let error = format!("nothing is called `{name}`{hint} (`unbraid list` shows all)");
        return Err(Error::Unable(error).into());
    }
    let page = |(kind, info): &&(&str, Info)| {
        let paper = if info.paper.is_empty() { "" } else { &format!("\n{}\n", info.paper) };
        format!("# {} ({kind} `{}`)\n{paper}\n{}\n", info.title, info.name, info.page)
    };
    output.result(&found.iter().map(page).collect::<String>(), || {
        let card = |(kind, info): &&(&str, Info)| {
            json!({"kind": kind, "name": info.name, "title": info.title,
                   "summary": info.summary, "paper": info.paper, "page": info.page})
        };
        json!({"format": 1, "found": found.iter().map(card).collect::<Vec<_>>()})
    })
}
