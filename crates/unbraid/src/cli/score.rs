//! `unbraid score`: judge the codes of a run, or codes from anywhere.

use std::path::Path;

use anyhow::{Result, bail};
use serde_json::Value as Json;
use unbraid::evaluate::encode;
use unbraid::model::learner::Learner;
use unbraid::report::card;
use unbraid::representation::{Protocol, Representation, Split};
use unbraid::run::Run;
use unbraid::run::config::{Plan, ScoreSettings};
use unbraid::run::scores::{Codes, joined, save};
use unbraid_measure::metrics::Metric;
use unbraid_measure::scoring::{self, Options, Outcome, Report, metrics_named};

use super::args::{Score, Scoring};
use super::evaluate;
use super::progress::Screen;
use super::readings;
use super::train::set_up_reader;
use super::{Output, table};

pub(super) fn run(options: &Score, output: Output) -> Result<()> {
    if let Some(run) = &options.run {
        return score_run(run, &options.how, output);
    }
    let metrics = metrics_named(&chosen(&options.how, &["all".into()]))?;
    let mut codes = readings::codes(options)?;
    set_protocol(&mut codes, &options.how);
    let report = judge(&codes, &metrics, scoring_options(&options.how), output)?;
    show(&report, &[], report.to_json(), output)
}

fn score_run(directory: &Path, how: &Scoring, output: Output) -> Result<()> {
    let run = Run::open(directory)?;
    set_up_reader(run.config());
    // Before the data are opened: a misspelt name is answered at once.
    metrics_named(&chosen(how, &run.config().score.metrics))?;
    let plan = run.config().clone().resolve()?;
    let learner = run.learner(&plan)?;
    let Found { report, others, document, .. } = of_run(&run, &plan, &*learner, how, output)?;
    show(&report, &others, document, output)
}

/// What scoring a run found.
pub(super) struct Found {
    /// The codes by which it was judged.
    pub(super) codes: Representation<'static>,
    /// Of the means of the training data.
    report: Report,
    /// Of drawn codes and of held-out rows.
    others: Vec<(Codes, Report)>,
    /// All of it, as it is kept in the run.
    pub(super) document: Json,
}

/// Score a run and keep what was found, if anything was, in its directory and on its card.
pub(super) fn of_run(
    run: &Run,
    plan: &Plan,
    learner: &dyn Learner,
    how: &Scoring,
    output: Output,
) -> Result<Found> {
    let metrics = metrics_named(&chosen(how, &plan.config.score.metrics))?;
    output.note(&format!("encoding {} rows", plan.config.score.rows.min(plan.task.rows)));
    let score = |codes: &mut Representation, metrics: &[&'static dyn Metric]| {
        set_protocol(codes, how);
        judge(codes, metrics, scoring_options(how), output)
    };
    let mut codes = encode::of_run(run, plan, learner)?;
    let report = score(&mut codes, &metrics)?;
    let mut others = Vec::new();
    if let Some((mut codes, metrics)) = drawn_codes(how, plan, learner)? {
        others.push((Codes::Sample, score(&mut codes, &metrics)?));
    }
    if let Some(plan) = plan.held_out()? {
        output.note(&format!(
            "encoding {} held-out rows",
            plan.config.score.rows.min(plan.task.rows)
        ));
        let mut codes = encode::of_plan(&plan, learner)?;
        others.push((Codes::HeldOut, score(&mut codes, &metrics)?));
        if let Some((mut codes, metrics)) = drawn_codes(how, &plan, learner)? {
            others.push((Codes::HeldOutSample, score(&mut codes, &metrics)?));
        }
    }
    let document = joined(&report, &others);
    let scored = report.outcomes.iter().any(|outcome| outcome.score.is_ok());
    if scored {
        save(run, document.clone())?;
    }
    // After the scores are safe: it may be refused.
    let ScoreSettings { bound, bound_rows, .. } = plan.config.score;
    let bounded = match bound {
        0 => Ok(()),
        draws => evaluate::of_run(run, plan, learner, [draws, bound_rows], output).map(drop),
    };
    if scored {
        card::write(run, plan)?;
    }
    bounded?;
    Ok(Found { codes, report, others, document })
}

/// What is scored on codes drawn from the posterior, if anything.
fn drawn_codes(
    how: &Scoring,
    plan: &Plan,
    learner: &dyn Learner,
) -> Result<Option<(Representation<'static>, Vec<&'static dyn Metric>)>> {
    let asked = !how.sampled.is_empty();
    let names = if asked { &how.sampled } else { &plan.config.score.sampled };
    if names.is_empty() {
        return Ok(None);
    }
    let metrics = metrics_named(names)?;
    match encode::drawn_of_plan(plan, learner)? {
        Some(codes) => Ok(Some((codes, metrics))),
        // A study asks it of every row; only a person who asks is told.
        None if !asked => Ok(None),
        None => {
            let name = plan.entry.info.name;
            bail!(
                "`{name}` has one code per observation, so there is nothing to draw; leave --sampled out"
            )
        }
    }
}

fn chosen(how: &Scoring, default: &[String]) -> Vec<String> {
    if how.metrics.is_empty() { default.to_vec() } else { how.metrics.clone() }
}

fn scoring_options(how: &Scoring) -> Options {
    Options { seed: how.seed, bootstrap: how.bootstrap }
}

/// Bins and the split as asked.
fn set_protocol(codes: &mut Representation, how: &Scoring) {
    let split = Split::asked(how.train_rows, how.test_rows, codes.rows(), how.seed);
    codes.protocol = Protocol { bins: how.bins as usize, split };
}

/// Judge, with a bar on a terminal for what takes longer.
pub(super) fn judge(
    codes: &Representation,
    metrics: &[&'static dyn Metric],
    options: Options,
    output: Output,
) -> Result<Report> {
    Ok(scoring::score(codes, metrics, options, &Screen::new(output))?)
}

fn show(report: &Report, others: &[(Codes, Report)], document: Json, output: Output) -> Result<()> {
    for warning in &report.warnings {
        output.note(&format!("warning: {warning}"));
    }
    let mut text = score_table(&report.outcomes);
    for (codes, report) in others {
        text += &["\n", codes.heading(), ":\n", &score_table(&report.outcomes)].concat();
    }
    output.result(&text, || document)?;
    match report.outcomes.iter().all(|outcome| outcome.score.is_err()) {
        true => bail!("no score could be computed; each metric says why"),
        false => Ok(()),
    }
}

/// One line per metric: its value, its interval if there is one, and how to read it; or why there
/// is no value.
fn score_table(outcomes: &[Outcome]) -> String {
    let row = |outcome: &Outcome| {
        let (value, reading) = match &outcome.score {
            Ok(score) => (format!("{:.3}", score.value), outcome.metric.reading().to_string()),
            Err(reason) => ("-".to_string(), reason.to_string()),
        };
        let interval = outcome.interval.map(|(low, high)| format!("{low:.3} to {high:.3}"));
        let mut row = vec![outcome.metric.info().name.to_string(), value];
        row.extend(
            outcomes.iter().any(|o| o.interval.is_some()).then(|| interval.unwrap_or_default()),
        );
        row.push(reading);
        row
    };
    table(&outcomes.iter().map(row).collect::<Vec<_>>())
}
