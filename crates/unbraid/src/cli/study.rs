//! `unbraid study`: many runs, each a process of its own, and their table.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use serde_json::{json, to_value};
use toml::Value;
use unbraid::run::config;
use unbraid::study::submit::Request;
use unbraid::study::{Ended, Orders, Study, analyse, slurm};

use super::args::{Engine, Study as Verb, Submit, Work};
use super::progress::Screen;
use super::{Output, choose, standing, this_program};

/// How often `--watch` looks again.
const LOOK_EVERY: Duration = Duration::from_secs(2);

pub(super) fn run(verb: &Verb, output: Output) -> Result<ExitCode> {
    match verb {
        Verb::Plan { file, out, set, leave_out } => plan(file, out, (set, leave_out), output)?,
        Verb::Work(options) => return work(options, output),
        Verb::Submit(options) => submit(options, output)?,
        Verb::Status { directory, runs, watch } => status(directory, *runs, *watch, output)?,
        Verb::Gather { directory } => gather(directory, output)?,
        Verb::Analyse { directory, table, out } => {
            let (study, tables, out) = (directory.clone(), table.clone(), out.clone());
            analyse(&analyse::Request { study, tables, out }, output)?;
        }
        Verb::Choose(options) => return choose::run(options, output),
    }
    Ok(ExitCode::SUCCESS)
}

fn plan(
    file: &Path,
    out: &Path,
    (set, left_out): (&[String], &[String]),
    output: Output,
) -> Result<()> {
    let mut table = config::read_table(file)?;
    for assignment in set {
        config::set(&mut table, assignment)?;
    }
    if !left_out.is_empty() {
        let names = left_out.iter().map(|name| Value::String(name.clone()));
        table.insert("leave_out".into(), Value::Array(names.collect()));
    }
    let study = Study::create(out, &table)?;
    tell(&study, output);
    let runs = study.runs.len();
    let text =
        format!("{runs} runs planned; start them with: unbraid study work {}\n", out.display());
    output.result(&text, || json!({"format": 1, "directory": out.to_string_lossy(), "runs": runs}))
}

/// What is to be said of the file of a study.
fn tell(study: &Study, output: Output) {
    for note in &study.notes {
        output.note(&format!("note: {note}"));
    }
}

fn work(options: &Work, output: Output) -> Result<ExitCode> {
    let screen = Screen::heeding_signals(output)?;
    let study = Study::open(&options.directory)?;
    tell(&study, output);
    let orders = Orders {
        jobs: usize::from(options.jobs),
        threads: options.threads.map(usize::from),
        shard: options.shard as usize,
        only: options.only.clone(),
        retries: usize::from(options.retries),
        again: options.again,
        wait: !options.no_wait,
    };
    match study.work(&this_program()?, &orders, &screen)? {
        Ended::Stopped => stopped(&screen),
        Ended::Left => {
            output.note("nothing is left to begin; other workers have the rest");
            Ok(ExitCode::SUCCESS)
        }
        Ended::Done => {
            drop(screen);
            gather(&options.directory, output)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Everything is written and given back. Slurm wants more than an end; see `study/slurm.rs`.
fn stopped(screen: &Screen) -> Result<ExitCode> {
    if slurm::is_here() {
        match screen.signal().map(i32::from) {
            Some(signal_hook::consts::SIGTERM) => loop {
                // Until it is killed. A second SIGTERM ends it too.
                std::thread::sleep(Duration::from_secs(1));
            },
            #[cfg(unix)]
            Some(signal_hook::consts::SIGUSR1) => {
                slurm::queue_again()?;
                return Ok(ExitCode::from(slurm::QUEUED_AGAIN));
            }
            _ => {}
        }
    }
    Ok(screen.exit_code())
}

fn submit(options: &Submit, output: Output) -> Result<()> {
    let study = Study::open(&options.directory)?;
    tell(&study, output);
    let request = Request {
        shards: options.shards,
        cores: options.cores,
        memory: options.memory.clone(),
        time: options.time.clone(),
        partition: options.partition.clone(),
        address: options.address.clone(),
    };
    let program = this_program()?;
    let python = std::env::var_os("UNBRAID_PYTHON").map_or("python3".into(), PathBuf::from);
    match (options.engine, options.dry_run) {
        (Engine::Local, true) => {
            let words = study.local_words(&program, &request);
            output.result(
                &format!("{}\n", words.join(" ")),
                || json!({"format": 1, "command": words}),
            )
        }
        (Engine::Local, false) => {
            let started = study.start_locally(&program, &request)?;
            let text = format!(
                "{} workers started; look at them with: unbraid study status {}\n",
                started.len(),
                options.directory.display()
            );
            output.result(&text, || json!({"format": 1, "processes": started}))
        }
        (Engine::Slurm, true) => {
            let scripts = study.slurm_scripts(&program, &request)?;
            let text = format!("{}\n{}", scripts.work, scripts.gather);
            output.result(
                &text,
                || json!({"format": 1, "work": scripts.work, "gather": scripts.gather}),
            )
        }
        (Engine::Slurm, false) => {
            let [work, gather] = study.submit_to_slurm(&program, &request)?;
            let text = format!("submitted as job {work}, the table as job {gather}\n");
            output.result(&text, || json!({"format": 1, "work": work, "gather": gather}))
        }
        (Engine::Ray, true) => {
            let words = study.ray_command(&python, &program, &request);
            output.result(
                &format!("{}\n", words.join(" ")),
                || json!({"format": 1, "command": words}),
            )
        }
        (Engine::Ray, false) => {
            study.run_on_ray(&python, &program, &request)?;
            gather(&options.directory, output)
        }
    }
}

fn status(directory: &Path, runs: bool, watch: bool, output: Output) -> Result<()> {
    loop {
        let status = Study::open(directory)?.status()?;
        let over = status.is_over();
        let text = standing::text(&status, runs);
        if watch && !output.json {
            standing::clear()?;
        }
        output.result(&text, || {
            let mut document = to_value(&status).unwrap_or_default();
            document["format"] = json!(1);
            document
        })?;
        if !watch || over {
            return Ok(());
        }
        std::thread::sleep(LOOK_EVERY);
    }
}

fn analyse(request: &analyse::Request, output: Output) -> Result<()> {
    let found = analyse::analyse(request, &Screen::heeding_signals(output)?)?;
    let mut text = String::new();
    for (k, one) in found.conclusions.iter().enumerate() {
        let _ = writeln!(text, "{}. {}: {}", k + 1, one.title, one.verdict.words());
        for line in &one.evidence {
            let _ = writeln!(text, "   {line}");
        }
    }
    output.result(&text, || found.to_json())?;
    output.note(&format!("the page: {}", found.page().display()));
    Ok(())
}

fn gather(directory: &Path, output: Output) -> Result<()> {
    let study = Study::open(directory)?;
    let gathered = study.gather()?;
    gathered.write_csv(&study.table_file())?;
    let mut paths = vec![study.table_file()];
    paths.extend(study.write_results()?);
    output.result(&gathered.markdown(), || gathered.to_json())?;
    let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    output.note(&format!("every number: {}", paths.join(", ")));
    Ok(())
}
