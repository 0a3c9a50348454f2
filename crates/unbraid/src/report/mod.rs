//! The page about a run: one HTML file that needs nothing else, for somebody who was not there.
//!
//! A section stands where its files are in the run directory; what is missing is made first.

use std::path::Path;

use serde_json::Value as Json;
use unbraid_measure::Error as MeasureError;
use unbraid_measure::files::write;
use unbraid_measure::representation::Representation;
use unbraid_measure::watch::Watch;

use crate::error::{Error, Result};
use crate::figures::Section;
use crate::run::files::{
    ACTED, ACTIONS, EFFECTS, INTERACTIONS, REPORT, SCORES, TEMPORAL, TRIPLETS,
};
use crate::run::score::{self, Scoring};
use crate::run::{TrainedRun, card};

mod actions;
mod alone;
mod base64;
mod columns;
pub(crate) mod embedded;
mod graph;
pub(crate) mod html;
mod interventions;
mod kept;
mod likelihood;
mod opening;
mod provenance;
pub mod published;
mod scores;
mod sequences;

use embedded::figures;
use html::{document, section};

/// What is shown of the codes.
const CODES: [Section; 4] = [Section::Codes, Section::Matching, Section::Factors, Section::Alone];

impl TrainedRun {
    /// Make what is missing (scores, figures, effects), then the page, at `out` if that is given; returns
    /// the scores on it. A run that was not trained to its end is refused.
    pub fn report(&self, out: Option<&Path>, watch: &dyn Watch) -> Result<Json> {
        self.run().check_finished()?;
        let _lock = self.run().lock("writing a report")?;
        let (scores, codes) = self.scores_for_report(watch)?;
        self.run().sweep();
        self.draw_missing(codes, watch)?;
        self.judge_if_possible(watch)?;
        self.judge_sequences(watch)?;
        self.judge_actions(watch)?;
        card::write(self.run(), self.plan())?;
        let page = page(self, &scores)?;
        match out {
            Some(out) => write(out, page.as_bytes())?,
            None => self.run().write(REPORT, page.as_bytes())?,
        }
        Ok(scores)
    }

    /// The scores of the run, and its codes if they had to be made for them.
    fn scores_for_report(
        &self,
        watch: &dyn Watch,
    ) -> Result<(Json, Option<Representation<'static>>)> {
        let wanted = Scoring::default().metrics_of(self.plan())?;
        let there = self.run().document(SCORES)?;
        if let Some(scores) = there.filter(|scores| score::has_all(scores, &wanted)) {
            return Ok((scores, None));
        }
        let found = self.score_alone(&Scoring::default(), watch)?;
        // Those of other metrics, scored before, are in the run; if nothing could be, the reasons are
        // not.
        let scores = self.run().document(SCORES)?.unwrap_or(found.document);
        Ok((scores, Some(found.codes)))
    }

    /// Hold interventions against the simulator, where there are both and it was not done before.
    fn judge_if_possible(&self, watch: &dyn Watch) -> Result<bool> {
        if self.learner().dimensions().is_none() || self.run().file(EFFECTS).is_file() {
            return Ok(false);
        }
        let interventions = self.interventions()?;
        let possible = interventions.can_be_judged();
        if possible {
            interventions.effects(watch)?;
        }
        Ok(possible)
    }

    /// Triplets, interactions and the temporal graph, where there are such and they were not made before.
    fn judge_sequences(&self, watch: &dyn Watch) -> Result<bool> {
        if !self.is_of_sequences() {
            return Ok(false);
        }
        let missing = |file: &str| !self.run().file(file).is_file();
        let mut judged = false;
        if missing(TRIPLETS) && self.has_triplets() {
            self.triplets(watch)?;
            judged = true;
        }
        if missing(INTERACTIONS) && self.knows_interactions() {
            self.interactions(watch)?;
            judged = true;
        }
        if missing(TEMPORAL) {
            // Too few variables were found, or too few steps are there: the page is whole without it.
            match self.temporal_graph(watch) {
                Ok(_) => judged = true,
                Err(error @ (Error::Unable(_) | Error::Measure(MeasureError::Missing(_)))) => {
                    watch.note(&format!("no temporal graph: {error}"));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(judged)
    }

    /// Which action was done, and what each does, where the method can say and it was not asked before.
    fn judge_actions(&self, watch: &dyn Watch) -> Result<bool> {
        let missing = |file: &str| !self.run().file(file).is_file();
        let mut judged = false;
        if missing(ACTIONS) && self.retrieves() {
            self.actions(watch)?;
            judged = true;
        }
        if missing(ACTED) && self.acts() {
            self.acted(watch)?;
            judged = true;
        }
        Ok(judged)
    }
}

fn page(trained: &TrainedRun, found: &Json) -> Result<String> {
    let (run, plan) = (trained.run(), trained.plan());
    let main = opening::opening(plan, trained.learner(), found)
        + section("scores", "What it found", scores::scores(&plan.config, found))
        + section("columns", "What was observed", columns::columns(plan))
        + section("likelihood", "How likely it finds the data", likelihood::likelihood(run)?)
        + section("graph", "The graph", graph::graph(run)?)
        + section("interventions", "What if", interventions::interventions(run)?)
        + section("actions", "What actions do", actions::actions(run)?)
        + section("sequences", "Causal variables in time", sequences::sequences(run)?)
        + section("codes", "What each code does", figures(run, &CODES)?)
        + section("reconstructions", "Reconstructions", figures(run, &[Section::Reconstructions])?)
        + section("training", "Training", figures(run, &[Section::Training])?)
        + section("provenance", "Provenance", provenance::provenance(run)?);
    Ok(document(&opening::title(plan), main))
}
