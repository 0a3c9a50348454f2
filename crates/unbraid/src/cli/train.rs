//! `unbraid train`: from a configuration to a run directory.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use serde_json::json;
use toml::{Table, Value};
use unbraid::Error;
use unbraid::compute::device;
use unbraid::run::bench::peak_memory;
use unbraid::run::config::{self, Config};
use unbraid::run::train::{Ending, train};
use unbraid::run::{Plan, Run};

use super::args::Train;
use super::progress::Screen;
use super::{Output, columns};

pub(super) fn run(options: &Train, output: Output) -> Result<ExitCode> {
    let given = given(options, output)?;
    let resumed = resumed(&given, options, output)?;
    // A recipe of a model counts as a default: nobody has said it.
    let default_steps =
        resumed.is_none() && given.get("train").is_none_or(|train| train.get("steps").is_none());
    let plan = match &resumed {
        Some((_, plan)) => plan,
        None => &fresh(given, options)?,
    };
    if options.dry_run {
        dry_run(plan, output)?;
        return Ok(ExitCode::SUCCESS);
    }
    columns::tell(plan.data.about(), output);
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
    }
    if let Some(code) = train_on_screen(run, plan, output, default_steps)? {
        return Ok(code);
    }
    report(run, plan, output, start.elapsed().as_secs_f64())?;
    Ok(ExitCode::SUCCESS)
}

/// Every setting, and what the columns of the data are used for.
fn dry_run(plan: &Plan, output: Output) -> Result<()> {
    let (table, about) = (plan.config.to_table(), plan.data.about());
    let mut text = toml::to_string(&table)?;
    let columns = columns::comments(about);
    if !columns.is_empty() {
        text += &format!("\n{columns}");
    }
    output.result(&text, || {
        let mut document = json!({"format": 1, "config": table});
        if !about.channels.is_empty() {
            document["columns"] = columns::document(about);
        }
        document
    })
}

/// Train under a progress bar; the exit code of the signal if one stopped it.
pub(super) fn train_with_progress(
    run: &Run,
    plan: &Plan,
    output: Output,
) -> Result<Option<ExitCode>> {
    train_on_screen(run, plan, output, false)
}

/// The same, where it is known whether somebody chose the number of steps.
fn train_on_screen(
    run: &Run,
    plan: &Plan,
    output: Output,
    default_steps: bool,
) -> Result<Option<ExitCode>> {
    // A baseline is fitted in one go and loses nothing: there a signal does what it always does.
    let screen = match plan.entry.takes_steps {
        true => Screen::heeding_signals(output)?,
        false => Screen::new(output),
    };
    let screen = screen.of_default_steps(default_steps);
    let ending = train(run, plan, &screen);
    let code = screen.exit_code();
    drop(screen);
    match ending? {
        Ending::Finished => Ok(None),
        Ending::Interrupted(done) => {
            let directory = run.directory().display();
            output.note(&format!(
                "stopped after step {done}; go on with: unbraid train --resume --out {directory}"
            ));
            Ok(Some(code))
        }
    }
}

/// The device and rayon's threads serve every part of the program; they are set once, before the
/// first use.
pub(super) fn set_up(config: &Config) -> Result<()> {
    device::select(config.train.device)?;
    set_threads(config);
    Ok(())
}

/// The same for a run that is only read: its weights fit any device, so without a GPU the processor
/// will do.
pub(super) fn set_up_reader(config: &Config) {
    // "cpu" is always there, so what cannot be selected leaves it selected.
    let _ = device::select(config.train.device);
    set_threads(config);
}

fn set_threads(config: &Config) {
    if config.train.threads > 0 {
        let builder = rayon::ThreadPoolBuilder::new().num_threads(config.train.threads);
        // Already set means already as wanted: a process has one run.
        let _ = builder.build_global();
    }
}

/// The file, then the short options, then every `--set`; each under its name of today.
fn given(options: &Train, output: Output) -> Result<Table> {
    let mut table = match &options.config {
        Some(path) => config::read_table(path)?,
        None => Table::new(),
    };
    let mut put = |key: &str, value: Value| config::put(&mut table, key, value);
    if let Some(model) = &options.model {
        put("model.name", Value::String(model.clone()))?;
    }
    if let Some(data) = &options.data {
        put("data.name", Value::String(data.clone()))?;
    }
    if let Some(steps) = options.steps {
        put("train.steps", Value::Integer(i64::try_from(steps)?))?;
    }
    if let Some(seed) = options.seed {
        put("seed", Value::Integer(i64::try_from(seed)?))?;
    }
    tell(&config::renamed(&mut table)?, output);
    for assignment in &options.set {
        set(&mut table, assignment, output)?;
    }
    Ok(table)
}

/// Set one key. Under its old name it takes the place of the new one: what is typed last counts.
fn set(table: &mut Table, assignment: &str, output: Output) -> Result<()> {
    let name = table.get("model").and_then(|model| model.get("name")).and_then(Value::as_str);
    let (key, value) = assignment.split_once('=').unwrap_or((assignment, ""));
    let Some((now, note)) = config::renamed_key(key.trim(), name) else {
        return Ok(config::set(table, assignment)?);
    };
    tell(&[note], output);
    match now {
        Some(now) => Ok(config::set(table, &format!("{now}={value}"))?),
        None => Ok(()),
    }
}

fn tell(notes: &[String], output: Output) {
    for note in notes {
        output.note(&format!("note: {note}"));
    }
}

/// The plan of a new run; refuses a place that is taken.
fn fresh(given: Table, options: &Train) -> Result<Plan> {
    if let Some(out) = &options.out {
        if options.resume && given.is_empty() {
            let reason = "holds no run to resume; give its model and data to start it";
            return Err(Error::run(out, reason).into());
        }
        Run::check_free(out)?;
    }
    let config = Config::from_table(given)?;
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
    let (plan, notes) = run.plan_to_resume(given)?;
    tell(&notes, output);
    Ok(Some((run, plan)))
}

fn report(run: &Run, plan: &Plan, output: Output, seconds: f64) -> Result<()> {
    let Config { train, .. } = &plan.config;
    let (model, data) = (plan.config.model_name(), plan.config.data_name());
    let (directory, title) = (run.directory(), plan.config.data_title());
    let text = format!("{model} on {title}, {} steps: {}\n", train.steps, directory.display());
    output.result(&text, || {
        json!({
            "format": 1, "run": directory.to_string_lossy(), "model": model, "data": data, "steps": train.steps,
            "seconds": seconds, "peak_rss_mb": peak_memory(),
        })
    })
}
