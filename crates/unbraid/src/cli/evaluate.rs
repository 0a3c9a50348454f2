//! `unbraid evaluate`: how likely a model finds the data, by a bound.

use anyhow::Result;
use unbraid::evaluate::bound::{self, Bound};
use unbraid::model::learner::Learner;
use unbraid::report::card;
use unbraid::run::Run;
use unbraid::run::config::Plan;
use unbraid_measure::files;

use super::Output;
use super::args::Evaluate;
use super::progress::Screen;
use super::train::set_up_reader;

pub(super) fn run(options: &Evaluate, output: Output) -> Result<()> {
    let run = Run::open(&options.run)?;
    run.check_finished()?;
    set_up_reader(run.config());
    let plan = run.config().clone().resolve()?;
    let learner = run.learner(&plan)?;
    let rows = options.rows.unwrap_or(usize::MAX);
    let found = of_run(&run, &plan, &*learner, [options.bound, rows], output)?;
    card::write(&run, &plan)?;
    output.result(&described(&found), || found.to_json())
}

/// Measure the bound by so many draws on at most so many rows, and keep it in the run.
pub(super) fn of_run(
    run: &Run,
    plan: &Plan,
    learner: &dyn Learner,
    [draws, rows]: [usize; 2],
    output: Output,
) -> Result<Bound> {
    let found = bound::of_run(plan, learner, draws, rows, &Screen::new(output))?;
    files::write(run.bound_file(), format!("{:#}\n", found.to_json()).as_bytes())?;
    Ok(found)
}

fn described(found: &Bound) -> String {
    let Bound { value, error, single, draws, rows, held_out } = found;
    let kind = if *held_out { "held-out rows" } else { "rows of the training data" };
    format!(
        "log p(x) >= {value:.2} nats, by {draws} draws; {single:.2} by one\nthe mean over {rows} {kind}, \
         standard error {error:.2}\n"
    )
}
