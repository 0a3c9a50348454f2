//! `unbraid score`: judge the codes of a run, of several runs, or codes from anywhere.

use std::path::PathBuf;

use anyhow::{Result, bail};
use serde_json::{Value as Json, json};
use unbraid::run::score::{Codes, Scored, Scoring};
use unbraid::run::{Run, TrainedRun, agreement};
use unbraid_measure::scoring::{Outcome, Report};

use super::args::{self, Score};
use super::progress::Screen;
use super::{Output, alone, loaded, readings, table};

pub(super) fn run(options: &Score, output: Output) -> Result<()> {
    let how = scoring(&options.how);
    match &options.run[..] {
        [] => files(options, &how, output),
        [one] => {
            let found = scored(one, &how, output)?.1;
            let more = alone::text(&found);
            show(&found.report, &found.others, found.document, output, &more)
        }
        several => together(several, &how, output),
    }
}

/// Codes from files.
fn files(options: &Score, how: &Scoring, output: Output) -> Result<()> {
    let metrics = how.metrics_or(&["all".into()])?;
    let screen = Screen::new(output);
    let report = how.judge(&mut readings::codes(options)?, &metrics, &screen)?;
    drop(screen);
    show(&report, &[], report.to_json(), output, "")
}

/// One run; by the codes it kept where its data are gone.
fn scored(
    directory: &PathBuf,
    how: &Scoring,
    output: Output,
) -> Result<(Option<TrainedRun>, Scored)> {
    let run = Run::open(directory)?;
    // Before the data are opened: a misspelt name is answered at once.
    how.metrics_or(&run.config().score.metrics)?;
    let screen = Screen::new(output);
    if run.lost().is_some() {
        return Ok((None, run.score_kept(how, &screen)?));
    }
    let trained = loaded(run)?;
    let found = trained.score(how, &screen)?;
    Ok((Some(trained), found))
}

/// Several runs: each by itself, then whether they agree.
fn together(directories: &[PathBuf], how: &Scoring, output: Output) -> Result<()> {
    let (mut runs, mut all) = (Vec::new(), Vec::new());
    for directory in directories {
        let (run, found) = scored(directory, how, output)?;
        let Some(run) = run else {
            bail!("{}: without its data it cannot be compared with others", directory.display());
        };
        runs.push(run);
        all.push(found);
    }
    let agreed = agreement(&runs, &Screen::new(output))?;
    let metrics = || all[0].report.outcomes.iter().map(|outcome| outcome.metric.info().name);
    let head = ["run", "udr"].into_iter().chain(metrics()).map(String::from).collect();
    let mut rows: Vec<Vec<String>> = vec![head];
    let mut documents = Vec::new();
    for ((directory, found), udr) in directories.iter().zip(all).zip(agreed) {
        let value = |outcome: &Outcome| {
            outcome.score.as_ref().map_or("-".into(), |score| format!("{:.3}", score.value))
        };
        let mut row = vec![directory.display().to_string(), format!("{udr:.3}")];
        row.extend(found.report.outcomes.iter().map(value));
        rows.push(row);
        documents.push(json!({"run": directory, "udr": udr, "scores": found.document["scores"]}));
    }
    let text = format!(
        "{}\nudr: 0 to 1, higher is better: each code of a run has one counterpart in most of the others. Runs that agree \
         need not be right, and runs with few codes agree easily.\n",
        table(&rows)
    );
    output.result(&text, || json!({"format": 1, "runs": documents}))
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

fn show(
    report: &Report,
    others: &[(Codes, Report)],
    document: Json,
    output: Output,
    more: &str,
) -> Result<()> {
    for warning in &report.warnings {
        output.note(&format!("warning: {warning}"));
    }
    let mut text = score_table(&report.outcomes) + &opinions(report);
    for (codes, report) in others {
        text += &["\n", codes.heading(), ":\n", &score_table(&report.outcomes)].concat();
        text += &opinions(report);
    }
    output.result(&(text + more), || document)?;
    let nothing = report.outcomes.iter().all(|outcome| outcome.score.is_err());
    match nothing && more.is_empty() {
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
