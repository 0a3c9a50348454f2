//! `unbraid score`: judge the codes of a run, or codes from anywhere.

use anyhow::{Result, bail};
use serde_json::Value as Json;
use unbraid::run::Run;
use unbraid::run::score::{Codes, Scoring};
use unbraid_measure::scoring::{Outcome, Report};

use super::args::{self, Score};
use super::progress::Screen;
use super::readings;
use super::{Output, loaded, table};

pub(super) fn run(options: &Score, output: Output) -> Result<()> {
    let how = scoring(&options.how);
    let screen = Screen::new(output);
    let Some(directory) = &options.run else {
        let metrics = how.metrics_or(&["all".into()])?;
        let report = how.judge(&mut readings::codes(options)?, &metrics, &screen)?;
        drop(screen);
        return show(&report, &[], report.to_json(), output);
    };
    let run = Run::open(directory)?;
    // Before the data are opened: a misspelt name is answered at once.
    how.metrics_or(&run.config().score.metrics)?;
    let found = loaded(run)?.score(&how, &screen)?;
    drop(screen);
    show(&found.report, &found.others, found.document, output)
}

fn scoring(how: &args::Scoring) -> Scoring {
    Scoring {
        metrics: how.metrics.clone(),
        sampled: how.sampled.clone(),
        seed: how.seed,
        bins: how.bins as usize,
        train_rows: how.train_rows,
        test_rows: how.test_rows,
        bootstrap: how.bootstrap,
        null: how.null,
        doctor: how.doctor,
    }
}

fn show(report: &Report, others: &[(Codes, Report)], document: Json, output: Output) -> Result<()> {
    for warning in &report.warnings {
        output.note(&format!("warning: {warning}"));
    }
    let mut text = score_table(&report.outcomes) + &opinions(report);
    for (codes, report) in others {
        text += &["\n", codes.heading(), ":\n", &score_table(&report.outcomes)].concat();
        text += &opinions(report);
    }
    output.result(&text, || document)?;
    match report.outcomes.iter().all(|outcome| outcome.score.is_err()) {
        true => bail!("no score could be computed; each metric says why"),
        false => Ok(()),
    }
}

/// Which scores to believe, and why; nothing where nobody looked.
fn opinions(report: &Report) -> String {
    let Some(look) = &report.look else { return String::new() };
    let opinion = |outcome: &Outcome| {
        let opinion = report.opinion(outcome)?;
        let word = if opinion.believe { "believe" } else { "do not believe" };
        let value = outcome.score.as_ref().ok()?.value;
        let name = outcome.metric.info().name.to_string();
        Some(vec![name, format!("{value:.3}"), word.to_string(), opinion.why])
    };
    let rows: Vec<Vec<String>> = report.outcomes.iter().filter_map(opinion).collect();
    let signs: String = look.signs.iter().map(|sign| format!("- {sign}\n")).collect();
    let signs = if signs.is_empty() {
        signs
    } else {
        format!("\nwhat makes these scores hard to read:\n{signs}")
    };
    format!("\n{}{signs}", table(&rows))
}

/// One line per metric: its value, its interval if there is one, what chance would score, and how to read it; or why
/// there is no value.
fn score_table(outcomes: &[Outcome]) -> String {
    let chance = outcomes.iter().any(|outcome| outcome.null.is_some());
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
        row.extend(chance.then(|| by_chance(outcome)));
        row.push(reading);
        row
    };
    table(&outcomes.iter().map(row).collect::<Vec<_>>())
}

/// What codes that know nothing would score, and whether this score is no better.
fn by_chance(outcome: &Outcome) -> String {
    let (Some(null), Ok(score)) = (outcome.null, &outcome.score) else { return String::new() };
    let [low, high] = null.interval;
    let no_better = null.explains(score.value, outcome.metric.reading().better);
    let word = if no_better { "no better than" } else { "by" };
    format!("{word} chance ({low:.3} to {high:.3})")
}
