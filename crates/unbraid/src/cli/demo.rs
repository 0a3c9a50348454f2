//! `unbraid demo`: the whole story on built-in data, in a few minutes on two cores.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use unbraid::config::Config;
use unbraid::run::Run;
use unbraid::score::{metrics_named, save, score, to_json};
use unbraid::{card, encode, models};

use super::args::Demo;
use super::score::score_table;
use super::train::{set_threads, train_with_progress};
use super::{note, print, traverse};

/// Small enough for minutes, and enough for the codes to come apart.
const CONFIG: &str = include_str!("demo.toml");

pub(super) fn run(options: &Demo, quiet: bool) -> Result<ExitCode> {
    let start = Instant::now();
    let config = Config::from_table(CONFIG.parse()?)?;
    set_threads(&config);
    let plan = config.resolve()?;
    let run = match Run::exists(&options.out) {
        true => Run::open(&options.out)?,
        false => Run::create(&options.out, &plan)?,
    };
    note(
        quiet,
        &format!(
            "Training a {} on `{}`: {} images whose {} true factors are known to us, not to it.",
            plan.entry.info.title,
            plan.config.data_name(),
            plan.task.rows,
            plan.data.factors().len()
        ),
    );
    if !run.is_finished()?
        && let Some(code) = train_with_progress(&run, &plan, quiet)?
    {
        return Ok(code);
    }
    let learner = run.learner(&plan)?;
    let codes = encode::of_run(&run, &plan, &*learner)?;
    let outcomes = score(&codes, &metrics_named(&plan.config.score.metrics)?, 0);
    save(&run, to_json(&outcomes, codes.rows(), 0))?;
    let picture = traverse::draw(&run, &plan, &*learner, codes.rows() / 2, None)?;
    card::write(&run, &plan)?;

    print(&format!("\nScores (1 is perfect; the floor is `{}`):\n\n", models::MODELS[1].info.name))?;
    print(&score_table(&outcomes))?;
    print(&format!(
        "\nWhat each code does:  {}\nThe run:              {}\nTook {:.0} s.\n",
        picture.display(),
        run.directory().display(),
        start.elapsed().as_secs_f64()
    ))?;
    Ok(ExitCode::SUCCESS)
}
