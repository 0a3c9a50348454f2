//! `unbraid score`: judge the codes of a run, or codes from anywhere.

use std::path::Path;

use anyhow::Result;
use unbraid::card;
use unbraid::encode;
use unbraid::metrics::Outcome;
use unbraid::representation::Representation;
use unbraid::run::Run;
use unbraid::score::{metrics_named, save, score, to_json};
use unbraid_measure::npz::{self, Array, Npz};
use unbraid_measure::{Error, tables};

use super::args::Score;
use super::train::set_up_reader;
use super::{Output, table};

pub(super) fn run(options: &Score, output: Output) -> Result<()> {
    match (&options.run, &options.codes) {
        (Some(run), _) => score_run(run, options, output),
        (None, Some(codes)) => {
            let names = chosen(options, &["all".into()]);
            let metrics = metrics_named(&names)?;
            let codes = read_codes(codes, options.factors.as_deref())?;
            let outcomes = score(&codes, &metrics, options.seed);
            show(&outcomes, codes.rows(), options, output)
        }
        (None, None) => unreachable!("clap asks for one of them"),
    }
}

fn score_run(directory: &Path, options: &Score, output: Output) -> Result<()> {
    let run = Run::open(directory)?;
    set_up_reader(run.config());
    let metrics = metrics_named(&chosen(options, &run.config().score.metrics))?;
    let plan = run.config().clone().resolve()?;
    let learner = run.learner(&plan)?;
    output.note(&format!("encoding {} rows", plan.config.score.rows.min(plan.task.rows)));
    let codes = encode::of_run(&run, &plan, &*learner)?;
    let outcomes = score(&codes, &metrics, options.seed);
    save(&run, to_json(&outcomes, codes.rows(), options.seed))?;
    card::write(&run, &plan)?;
    show(&outcomes, codes.rows(), options, output)
}

fn chosen(options: &Score, default: &[String]) -> Vec<String> {
    if options.metrics.is_empty() { default.to_vec() } else { options.metrics.clone() }
}

fn show(outcomes: &[Outcome], rows: usize, options: &Score, output: Output) -> Result<()> {
    output.result(&score_table(outcomes), || to_json(outcomes, rows, options.seed))
}

/// One line per metric: its value, or why there is none.
fn score_table(outcomes: &[Outcome]) -> String {
    let row = |outcome: &Outcome| {
        let value = match &outcome.score {
            Ok(score) => format!("{:.3}", score.value),
            Err(reason) => format!("-  ({reason})"),
        };
        vec![outcome.metric.to_string(), value]
    };
    table(&outcomes.iter().map(row).collect::<Vec<_>>())
}

/// Codes and factors from files as users have them.
fn read_codes(codes: &Path, factors: Option<&Path>) -> Result<Representation> {
    match factors {
        Some(factors) => Ok(Representation::from_arrays(
            read_array(codes, &["codes"])?,
            read_array(factors, &["values", "factors"])?,
        )?),
        None if is(codes, "npz") => Ok(Representation::load(codes)?),
        None => Err(Error::Missing(format!(
            "{} holds no factor values; give them with --factors FILE",
            codes.display()
        ))
        .into()),
    }
}

fn read_array(path: &Path, names: &[&str]) -> Result<Array> {
    if is(path, "npy") {
        return Ok(npz::read_npy(path)?);
    }
    if is(path, "csv") {
        return Ok(tables::read_csv(path)?);
    }
    if !is(path, "npz") {
        let reason = "is neither .npy, .npz nor .csv; save the array as one of these";
        return Err(Error::format(path, reason).into());
    }
    let mut file = Npz::open(path)?;
    let known = file.names();
    let name = match names.iter().find(|name| file.has(name)) {
        Some(name) => (*name).to_string(),
        // A file with a single array leaves no doubt.
        None if known.len() == 1 => known[0].clone(),
        None => names[0].to_string(),
    };
    Ok(file.array(&name)?)
}

fn is(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
}
