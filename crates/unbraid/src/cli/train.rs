//! `unbraid train`: from a configuration to a run directory.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result};
use serde_json::json;
use toml::{Table, Value};
use unbraid::Error;
use unbraid::compute::device;
use unbraid::figures::training;
use unbraid::report::card;
use unbraid::run::Run;
use unbraid::run::bench::peak_memory;
use unbraid::run::config::{self, Config, Plan};
use unbraid::run::train::{Ending, train};

use super::Output;
use super::args::Train;
use super::progress::Screen;

pub(super) fn run(options: &Train, output: Output) -> Result<ExitCode> {
    let given = given(options)?;
    let resumed = resumed(&given, options, output)?;
    let plan = match &resumed {
        Some((_, plan)) => plan,
        None => &fresh(given, options, output)?,
    };
    if options.dry_run {
        let table = plan.config.to_table();
        output.result(&toml::to_string(&table)?, || json!({"format": 1, "config": table}))?;
        return Ok(ExitCode::SUCCESS);
    }
    let run = match (&resumed, options.out.as_deref()) {
        (Some((run, _)), _) => run,
        (None, Some(out)) => &Run::create(out, plan)?,
        (None, None) => {
            let reason = "where should the run go? give --out DIRECTORY";
            return Err(Error::Unable(reason.into()).into());
        }
    };
    let start = Instant::now();
    if run.is_finished()? {
        let directory = run.directory().display();
        output.note(&format!("{directory}: every step has been taken already"));
        // It may have been killed between its last step and this.
        if !run.training_figure().is_file() && draw_training(run, plan, output) {
            card::write(run, plan)?;
        }
    } else if let Some(code) = train_with_progress(run, plan, output)? {
        return Ok(code);
    }
    report(run, plan, output, start.elapsed().as_secs_f64())?;
    Ok(ExitCode::SUCCESS)
}

/// Train under a progress bar; the exit code of the signal if one stopped it.
pub(super) fn train_with_progress(
    run: &Run,
    plan: &Plan,
    output: Output,
) -> Result<Option<ExitCode>> {
    // A baseline is fitted in one go and loses nothing: there a signal does what it always does.
    let screen = match plan.entry.takes_steps {
        true => Screen::heeding_signals(output)?,
        false => Screen::new(output),
    };
    let ending = train(run, plan, &screen);
    let interrupted = screen.interrupted();
    drop(screen);
    match ending? {
        Ending::Finished => {
            draw_training(run, plan, output);
            card::write(run, plan)?;
            Ok(None)
        }
        Ending::Interrupted(done) => {
            let directory = run.directory().display();
            output.note(&format!(
                "stopped after step {done}; go on with: unbraid train --resume --out {directory}"
            ));
            Ok(Some(interrupted.unwrap_or(ExitCode::from(130))))
        }
    }
}

/// Draw the log, if it has rows; says whether there is a figure now. The run is whole without it,
/// so a failure is told and no more.
pub(super) fn draw_training(run: &Run, plan: &Plan, output: Output) -> bool {
    let (model, data) = (plan.entry.info.title, plan.config.data_name());
    let title = format!("{model} on {data}: the terms of the loss, step by step");
    let drawn = run.log_rows().and_then(|rows| match training::draw(&rows, &title) {
        Some(figure) => figure.save(&title, &run.training_figure()).map(|()| true),
        None => Ok(false),
    });
    drawn.unwrap_or_else(|error| {
        output.note(&format!("the training is not drawn: {error}"));
        false
    })
}

/// The device and rayon's threads serve every part of the program; they are set once, before the
/// first use.
pub(super) fn set_up(config: &Config) -> Result<()> {
    device::select(&config.train.device)?;
    set_threads(config);
    Ok(())
}

/// The same for a run that is only read: its weights fit any device, so without a GPU the processor
/// will do.
pub(super) fn set_up_reader(config: &Config) {
    // "cpu" is always there, so what cannot be selected leaves it selected.
    let _ = device::select(&config.train.device);
    set_threads(config);
}

fn set_threads(config: &Config) {
    if config.train.threads > 0 {
        let builder = rayon::ThreadPoolBuilder::new().num_threads(config.train.threads);
        // Already set means already as wanted: a process has one run.
        let _ = builder.build_global();
    }
}

/// The file, then the short options, then every `--set`.
fn given(options: &Train) -> Result<Table> {
    let mut table = match &options.config {
        Some(path) => config::read_table(path)?,
        None => Table::new(),
    };
    let mut put = |section: Option<&str>, key: &str, value: Value| {
        let target = match section {
            None => &mut table,
            Some(name) => {
                let entry = table.entry(name).or_insert_with(|| Value::Table(Table::new()));
                entry.as_table_mut().with_context(|| format!("[{name}] must be a section"))?
            }
        };
        target.insert(key.into(), value);
        Ok::<(), anyhow::Error>(())
    };
    if let Some(model) = &options.model {
        put(Some("model"), "name", Value::String(model.clone()))?;
    }
    if let Some(data) = &options.data {
        put(Some("data"), "name", Value::String(data.clone()))?;
    }
    if let Some(steps) = options.steps {
        put(Some("train"), "steps", Value::Integer(i64::try_from(steps)?))?;
    }
    if let Some(seed) = options.seed {
        put(None, "seed", Value::Integer(i64::try_from(seed)?))?;
    }
    for assignment in &options.set {
        config::set(&mut table, assignment)?;
    }
    Ok(table)
}

/// The settings under the names they have now, and a note for each that was given another.
fn renamed(mut given: Table, output: Output) -> Result<Table> {
    // A run.toml has every key of its version: nobody typed them.
    let typed = !given.contains_key("format");
    for note in config::renamed(&mut given)?.iter().filter(|_| typed) {
        output.note(&format!("note: {note}"));
    }
    Ok(given)
}

/// The plan of a new run; refuses a place that is taken.
fn fresh(given: Table, options: &Train, output: Output) -> Result<Plan> {
    if let Some(out) = &options.out {
        if options.resume && given.is_empty() {
            let reason = "holds no run to resume; give its model and data to start it";
            return Err(Error::run(out, reason).into());
        }
        Run::check_free(out)?;
    }
    let config = Config::from_table(renamed(given, output)?)?;
    set_up(&config)?;
    Ok(config.resolve()?)
}

/// The run that is to go on, if there is one; refuses settings it was not started with.
fn resumed(given: &Table, options: &Train, output: Output) -> Result<Option<(Run, Plan)>> {
    let Some(out) = options.out.as_deref().filter(|out| options.resume && Run::exists(out)) else {
        return Ok(None);
    };
    let run = Run::open(out)?;
    set_up(run.config())?;
    let plan = run.config().clone().resolve()?;
    let differs = |key: &str| {
        let reason = format!(
            "was started with another `{key}`; leave the settings out to resume it as it was, \
             or choose another --out"
        );
        anyhow::Error::from(Error::run(out, reason))
    };
    // With every key, also those that came after it was started.
    let started = plan.config.to_table();
    // Another model has other settings, so the names are compared before the rest.
    let asked_name = |section: &str| given.get(section)?.get("name")?.as_str();
    if asked_name("model").is_some_and(|name| name != run.config().model_name()) {
        return Err(differs("model.name"));
    }
    if let Some(name) = asked_name("data") {
        let (name, found) = config::data_by_name_or_path(name, Table::new());
        let same_path =
            found.get("path").is_none_or(|path| run.config().data.get("path") == Some(path));
        if name != run.config().data_name() || !same_path {
            return Err(differs("data.name"));
        }
    }
    // What was given has its name of today before it meets the settings of the run, or both would
    // be there; which model reads it, the run knows.
    let mut given = given.clone();
    config::put(&mut given, "model.name", run.config().model_name().into())?;
    // Only what was given can differ; all else is as the run has it.
    let mut asked = config::overlaid(started.clone(), renamed(given, output)?);
    if let (Some(Value::Table(asked)), Some(data)) = (asked.get_mut("data"), started.get("data")) {
        asked.insert("name".into(), data["name"].clone());
    }
    let asked = Config::from_table(asked)?.resolve()?.config.to_table();
    match first_difference(&asked, &started) {
        Some(key) => Err(differs(&key)),
        None => Ok(Some((run, plan))),
    }
}

fn first_difference(asked: &Table, started: &Table) -> Option<String> {
    asked.iter().find_map(|(key, value)| match (value, started.get(key)) {
        (Value::Table(asked), Some(Value::Table(started))) => {
            first_difference(asked, started).map(|inner| format!("{key}.{inner}"))
        }
        (value, other) => (Some(value) != other).then(|| key.clone()),
    })
}

fn report(run: &Run, plan: &Plan, output: Output, seconds: f64) -> Result<()> {
    let Config { train, .. } = &plan.config;
    let (model, data) = (plan.config.model_name(), plan.config.data_name());
    let directory = run.directory();
    let text = format!("{model} on {data}, {} steps: {}\n", train.steps, directory.display());
    output.result(&text, || {
        json!({
            "format": 1, "run": directory, "model": model, "data": data, "steps": train.steps,
            "seconds": seconds, "peak_rss_mb": peak_memory(),
        })
    })
}
