//! The page about a run: one HTML file that needs nothing else, for somebody who was not there.
//!
//! Nothing is computed here: a section stands where its files are in the run directory.

use std::path::Path;

use serde_json::Value as Json;
use unbraid_measure::files;

use crate::error::Result;
use crate::run::Run;
use crate::run::config::Plan;

mod base64;
pub mod card;
mod figures;
mod graph;
mod html;
mod interventions;
mod likelihood;
mod opening;
mod pictures;
mod provenance;
pub mod published;
mod scores;

use html::{Html, element, opened, section, with};

const STYLE: &str = include_str!("style.css");

/// Neither scripts nor anything from elsewhere, and a browser sees to it.
const POLICY: &str = "default-src 'none'; img-src data:; style-src 'unsafe-inline'";

/// Write the page from what is in the run directory now. `scores` is the document of its scores,
/// which is not in the directory where none could be computed.
pub fn write(run: &Run, plan: &Plan, scores: &Json, path: &Path) -> Result<()> {
    Ok(files::write(path, page(run, plan, scores)?.as_bytes())?)
}

fn page(run: &Run, plan: &Plan, found: &Json) -> Result<String> {
    let main = opening::opening(plan, found)
        + section("scores", "What it found", scores::scores(plan, found))
        + section("likelihood", "How likely it finds the data", likelihood::likelihood(run)?)
        + section("graph", "The graph", graph::graph(run)?)
        + section("interventions", "What if", interventions::interventions(run)?)
        + section("codes", "What each code does", pictures::codes(run)?)
        + section("reconstructions", "Reconstructions", pictures::reconstructions(run)?)
        + section("training", "Training", pictures::training(run)?)
        + section("provenance", "Provenance", provenance::provenance(run)?);
    let head = opened("meta", &[("charset", &"utf-8")])
        + opened("meta", &[("http-equiv", &"Content-Security-Policy"), ("content", &POLICY)])
        + opened(
            "meta",
            &[("name", &"viewport"), ("content", &"width=device-width, initial-scale=1")],
        )
        + opened("meta", &[("name", &"color-scheme"), ("content", &"light dark")])
        + element("title", opening::title(plan))
        + element("style", Html::trusted(STYLE));
    let document = element("head", head) + element("body", element("main", main));
    let document = with("html", &[("lang", &"en")], document);
    Ok(format!("<!doctype html>\n{}\n", document.into_string()))
}
