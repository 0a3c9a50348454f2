//! `unbraid list`: the registries.

use anyhow::Result;
use serde_json::{Value as Json, json};
use unbraid::data::{DATASETS, Source};
use unbraid::info::Info;
use unbraid::metrics::METRICS;
use unbraid::models::MODELS;

use super::args::{List, Listed};
use super::{Output, table};

pub(super) fn run(options: &List, output: Output) -> Result<()> {
    let all = [Listed::Models, Listed::Data, Listed::Metrics];
    let wanted: Vec<Listed> = options.what.map_or(all.to_vec(), |what| vec![what]);
    let section = |what: &Listed| match wanted.len() {
        1 => table(&rows(*what)),
        _ => format!("{}\n{}", title(*what), table(&rows(*what))),
    };
    output.result(&wanted.iter().map(section).collect::<Vec<_>>().join("\n"), || {
        let mut document = serde_json::Map::from_iter([("format".to_string(), json!(1))]);
        document.extend(wanted.iter().map(|what| (title(*what).to_lowercase(), entries(*what))));
        Json::Object(document)
    })
}

fn title(what: Listed) -> &'static str {
    match what {
        Listed::Models => "Models",
        Listed::Data => "Data",
        Listed::Metrics => "Metrics",
    }
}

fn rows(what: Listed) -> Vec<Vec<String>> {
    let row = |info: Info| vec![info.name.to_string(), info.summary.to_string()];
    match what {
        Listed::Models => MODELS.iter().map(|entry| row(entry.info)).collect(),
        Listed::Data => DATASETS.iter().map(|source| row(source.info)).collect(),
        Listed::Metrics => METRICS.iter().map(|metric| row(metric.info())).collect(),
    }
}

fn entries(what: Listed) -> Json {
    let card = |info: Info| {
        json!({"name": info.name, "title": info.title, "summary": info.summary,
               "paper": info.paper})
    };
    let with = |mut card: Json, key: &str, value: Json| {
        card[key] = value;
        card
    };
    match what {
        Listed::Models => MODELS
            .iter()
            .map(|e| with(card(e.info), "supervision", json!(e.supervision.to_string())))
            .collect(),
        Listed::Data => DATASETS.iter().map(|source: &Source| card(source.info)).collect(),
        Listed::Metrics => METRICS
            .iter()
            .map(|metric| with(card(metric.info()), "needs", json!(metric.needs().to_string())))
            .collect(),
    }
}
