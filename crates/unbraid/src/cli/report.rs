//! `unbraid report`: one page about a run, with what is missing made first.

use std::path::Path;

use anyhow::Result;
use serde_json::Value as Json;
use unbraid::evaluate::encode;
use unbraid::figures::traverse::Span;
use unbraid::model::learner::Learner;
use unbraid::report;
use unbraid::report::card;
use unbraid::representation::Representation;
use unbraid::run::Run;
use unbraid::run::config::Plan;
use unbraid::run::scores;
use unbraid_measure::scoring::metrics_named;

use super::args::{Report, Scoring};
use super::intervene::Question;
use super::score::of_run;
use super::train::{draw_training, set_up_reader};
use super::traverse::Pictures;
use super::{Output, graph};

pub(super) fn run(options: &Report, output: Output) -> Result<()> {
    let run = Run::open(&options.run)?;
    run.check_finished()?;
    set_up_reader(run.config());
    let plan = run.config().clone().resolve()?;
    let learner = run.learner(&plan)?;
    let path = options.out.clone().unwrap_or_else(|| run.report());
    make(&run, &plan, &*learner, &path, output)?;
    output.file(&path)
}

/// Make what is missing, then the page; returns the scores on it.
pub(super) fn make(
    run: &Run,
    plan: &Plan,
    learner: &dyn Learner,
    path: &Path,
    output: Output,
) -> Result<Json> {
    let (scores, codes) = scores(run, plan, learner, output)?;
    let mut drawn = draw(run, plan, learner, codes)?;
    if !run.training_figure().is_file() {
        drawn |= draw_training(run, plan, output);
    }
    drawn |= concepts(run, plan, learner, output)?;
    if drawn {
        card::write(run, plan)?;
    }
    report::write(run, plan, &scores, path)?;
    Ok(scores)
}

/// The graph, the sheet of interventions and their judgement, where the model has concepts; whether
/// any was missing.
fn concepts(run: &Run, plan: &Plan, learner: &dyn Learner, output: Output) -> Result<bool> {
    let mut made = false;
    if learner.graph().is_some() && !run.graph_file().is_file() {
        graph::draw(run, plan, learner)?;
        made = true;
    }
    if learner.dimensions().is_none() {
        return Ok(made);
    }
    let question = Question::about(run, plan, learner)?;
    if !plan.task.shape.is_vector() && !run.interventions().is_file() {
        question.draw_grid()?;
        made = true;
    }
    if !run.effects_file().is_file() && question.can_be_judged() {
        question.judge(output)?;
        made = true;
    }
    Ok(made)
}

/// The scores of the run, and its codes if they had to be made for them.
fn scores(
    run: &Run,
    plan: &Plan,
    learner: &dyn Learner,
    output: Output,
) -> Result<(Json, Option<Representation<'static>>)> {
    let wanted = metrics_named(&plan.config.score.metrics)?;
    if let Some(scores) = run.scores()?.filter(|scores| scores::has_all(scores, &wanted)) {
        return Ok((scores, None));
    }
    let found = of_run(run, plan, learner, &Scoring::default(), output)?;
    // Those of other metrics, scored before, are in the run; if nothing could be, the reasons are
    // not.
    let scores = run.scores()?.unwrap_or(found.document);
    Ok((scores, Some(found.codes)))
}

/// Draw what is missing as `unbraid traverse` does; whether there was any.
fn draw(
    run: &Run,
    plan: &Plan,
    learner: &dyn Learner,
    codes: Option<Representation<'static>>,
) -> Result<bool> {
    if !lacks_pictures(run, plan, learner) {
        return Ok(false);
    }
    let codes = match codes {
        Some(codes) => codes,
        None => encode::of_run(run, plan, learner)?,
    };
    let (row, span, sheet) = (codes.rows() / 2, Span::Quantile, run.traversal());
    let pictures = Pictures { run, plan, learner, codes: &codes, row, span, sheet };
    Ok(!pictures.draw_missing()?.is_empty())
}

/// Whether a picture is missing that these data may have. Encoding takes its time, so what only a
/// decoder could tell is tried, and the rest is not.
fn lacks_pictures(run: &Run, plan: &Plan, learner: &dyn Learner) -> bool {
    let images = !plan.task.shape.is_vector();
    let factors = plan.data.factors();
    let continuous = !factors.is_empty() && factors.iter().all(|factor| factor.size().is_none());
    [
        (images, run.traversal()),
        (images, run.reconstructions()),
        (!factors.is_empty(), run.factor_figure()),
        (continuous, run.matching_figure()),
        (!factors.is_empty() && learner.layers().len() > 1, run.layers_figure()),
    ]
    .iter()
    .any(|(possible, path)| *possible && !path.is_file())
}
