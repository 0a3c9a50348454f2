//! The page of a run whose data are gone: of what the run has kept.

use std::path::Path;

use serde_json::Value as Json;
use unbraid_measure::files::write;
use unbraid_measure::watch::Watch;

use super::embedded::figures;
use super::html::{Html, classed, document, element, section};
use super::{actions, graph, interventions, likelihood, provenance, scores, sequences};
use crate::error::Result;
use crate::figures::Section;
use crate::models;
use crate::run::Run;
use crate::run::files::{REPORT, REPRESENTATION, SCORES};
use crate::run::score::Scoring;

impl Run {
    /// Write the page without the data: scores that are there, or of the codes that were kept, and the figures that
    /// have been drawn. At `out` if that is given.
    pub fn report_kept(&self, out: Option<&Path>, watch: &dyn Watch) -> Result<()> {
        self.check_finished()?;
        let scores = match self.document(SCORES)? {
            Some(scores) => scores,
            None if self.file(REPRESENTATION).is_file() => {
                self.score_kept(&Scoring::default(), watch)?.document
            }
            None => Json::Null,
        };
        watch.note(&format!(
            "{}; the page is made of what the run has kept",
            self.lost().unwrap_or_default()
        ));
        let page = page(self, &scores)?;
        match out {
            Some(out) => Ok(write(out, page.as_bytes())?),
            None => self.write(REPORT, page.as_bytes()),
        }
    }
}

fn page(run: &Run, found: &Json) -> Result<String> {
    let config = run.config();
    let model = models::find(config.model_name())?.info.title;
    let title = format!("{model} on {}", config.data_title());
    let gone = config.lost_data().map_or(String::new(), |path| {
        format!(
            "The data were not at {} when this page was made: scores and figures are those that the run had kept.",
            path.display()
        )
    });
    let head = element("h1", title.clone()) + classed("p", "lead", gone);
    let of = |sections: &[Section]| -> Result<Html> { figures(run, sections) };
    let main = element("header", head)
        + section("scores", "What it found", scores::scores(config, found))
        + section("likelihood", "How likely it finds the data", likelihood::likelihood(run)?)
        + section("graph", "The graph", graph::graph(run)?)
        + section("interventions", "What if", interventions::interventions(run)?)
        + section("actions", "What actions do", actions::actions(run)?)
        + section("sequences", "Causal variables in time", sequences::sequences(run)?)
        + section("codes", "What each code does", of(&super::CODES)?)
        + section("reconstructions", "Reconstructions", of(&[Section::Reconstructions])?)
        + section("training", "Training", of(&[Section::Training])?)
        + section("provenance", "Provenance", provenance::provenance(run)?);
    Ok(document(&title, main))
}
