//! `unbraid train`: from a configuration to a run directory.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result};
use serde_json::json;
use toml::{Table, Value};
use unbraid::Error;
use unbraid::bench::peak_memory;
use unbraid::card;
use unbraid::config::{self, Config, Plan};
use unbraid::run::Run;
use unbraid::train::{Ending, train};

use super::args::Train;
use super::progress::Watcher;
use super::{note, print, print_json};

pub(super) fn run(options: &Train, quiet: bool) -> Result<ExitCode> {
    let given = given(options)?;
    if options.dry_run {
        let plan = Config::from_table(given)?.resolve()?;
        return dry_run(&plan, options);
    }
    let out = options
        .out
        .as_deref()
        .ok_or_else(|| Error::Unable("where should the run go? give --out DIRECTORY".into()))?;
    let (run, plan) = open_or_create(out, given, options)?;
    if run.is_finished()? {
        note(quiet, &format!("{}: every step has been taken already", out.display()));
        report(&run, &plan, options.json, 0.0)?;
        return Ok(ExitCode::SUCCESS);
    }
    let start = Instant::now();
    let code = train_with_progress(&run, &plan, quiet)?;
    if code.is_none() {
        report(&run, &plan, options.json, start.elapsed().as_secs_f64())?;
    }
    Ok(code.unwrap_or(ExitCode::SUCCESS))
}

/// Train under a progress bar; the exit code of the signal if one stopped it.
pub(super) fn train_with_progress(run: &Run, plan: &Plan, quiet: bool) -> Result<Option<ExitCode>> {
    let mut watcher = Watcher::new(quiet)?;
    let ending = train(run, plan, &mut |progress| watcher.step(progress));
    watcher.finish();
    match ending? {
        Ending::Finished => {
            card::write(run, plan)?;
            Ok(None)
        }
        Ending::Interrupted(done) => {
            let directory = run.directory().display();
            note(
                quiet,
                &format!(
                    "stopped after step {done}; go on with: unbraid train --resume --out {directory}"
                ),
            );
            Ok(Some(ExitCode::from(128 + watcher.signal().unwrap_or(2))))
        }
    }
}

/// Rayon's threads serve every part of the program; they can be set once, before the first use.
pub(super) fn set_threads(config: &Config) {
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

fn open_or_create(out: &Path, given: Table, options: &Train) -> Result<(Run, Plan)> {
    let resuming = options.resume && Run::exists(out);
    if options.resume && !resuming && given.is_empty() {
        let reason = "holds no run to resume; give its model and data to start it";
        return Err(Error::run(out, reason).into());
    }
    if !resuming {
        let config = Config::from_table(given)?;
        set_threads(&config);
        let plan = config.resolve()?;
        return Ok((Run::create(out, &plan)?, plan));
    }
    let run = Run::open(out)?;
    set_threads(run.config());
    let plan = run.config().clone().resolve()?;
    if !given.is_empty() {
        // Only what was given can differ; all else is as the run has it.
        let asked = overlaid(run.config().to_table(), given);
        let asked = Config::from_table(asked)?.resolve()?.config.to_table();
        if let Some(key) = first_difference(&asked, &run.config().to_table()) {
            let reason = format!(
                "was started with another `{key}`; leave the settings out to resume it as it was, \
                 or choose another --out"
            );
            return Err(Error::run(out, reason).into());
        }
    }
    Ok((run, plan))
}

/// `below` with the keys of `above` in place of its own, section by section.
fn overlaid(mut below: Table, above: Table) -> Table {
    for (key, value) in above {
        match (below.remove(&key), value) {
            (Some(Value::Table(old)), Value::Table(new)) => {
                below.insert(key, Value::Table(overlaid(old, new)));
            }
            (_, value) => {
                below.insert(key, value);
            }
        }
    }
    below
}

fn first_difference(asked: &Table, started: &Table) -> Option<String> {
    asked.iter().find_map(|(key, value)| match (value, started.get(key)) {
        (Value::Table(asked), Some(Value::Table(started))) => {
            first_difference(asked, started).map(|inner| format!("{key}.{inner}"))
        }
        (value, other) => (Some(value) != other).then(|| key.clone()),
    })
}

fn dry_run(plan: &Plan, options: &Train) -> Result<ExitCode> {
    let table = plan.config.to_table();
    if options.json {
        print_json(&json!({"format": 1, "config": table}))?;
    } else {
        print(&toml::to_string(&table)?)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn report(run: &Run, plan: &Plan, json: bool, seconds: f64) -> Result<()> {
    let directory = run.directory();
    if json {
        return print_json(&json!({
            "format": 1, "run": directory, "model": plan.config.model_name(),
            "data": plan.config.data_name(), "steps": plan.config.train.steps,
            "seconds": seconds, "peak_rss_mb": peak_memory(),
        }));
    }
    print(&format!(
        "{} on {}, {} steps: {}\n",
        plan.config.model_name(),
        plan.config.data_name(),
        plan.config.train.steps,
        directory.display()
    ))
}
