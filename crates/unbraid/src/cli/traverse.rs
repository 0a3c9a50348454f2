//! `unbraid traverse`: draw what each code does.

use std::path::Path;

use anyhow::Result;
use unbraid::Error;
use unbraid::config::Plan;
use unbraid::learner::Learner;
use unbraid::representation::Representation;
use unbraid::run::Run;
use unbraid::{card, encode, picture, traverse};

use super::Output;
use super::args::Traverse;
use super::train::set_up_reader;

pub(super) fn run(options: &Traverse, output: Output) -> Result<()> {
    let run = Run::open(&options.run)?;
    set_up_reader(run.config());
    let plan = run.config().clone().resolve()?;
    let learner = run.learner(&plan)?;
    let codes = encode::of_run(&run, &plan, &*learner)?;
    let row = options.row.unwrap_or(codes.rows() / 2);
    if row >= codes.rows() {
        let reason = format!("there are {} rows; --row counts from 0", codes.rows());
        return Err(Error::Unable(reason).into());
    }
    let path = options.out.clone().unwrap_or_else(|| run.traversal());
    draw(&plan, &*learner, &codes, row, &path)?;
    card::write(&run, &plan)?;
    output.file(&path)
}

/// Draw the traversal of a row.
pub(super) fn draw(
    plan: &Plan,
    learner: &dyn Learner,
    codes: &Representation,
    row: usize,
    path: &Path,
) -> Result<()> {
    let walks = traverse::walks(learner, codes, row)?;
    let title = format!(
        "{} on {}: each row walks one code",
        plan.entry.info.title,
        plan.config.data_name()
    );
    let sheet = traverse::sheet(&walks, plan.task.shape, title)?;
    Ok(picture::save(&sheet.draw(), path)?)
}
