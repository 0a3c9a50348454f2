//! `unbraid traverse`: draw what each code does.

use std::path::{Path, PathBuf};

use anyhow::Result;
use unbraid::Error;
use unbraid::config::Plan;
use unbraid::learner::Learner;
use unbraid::run::Run;
use unbraid::{card, encode, picture, traverse};

use super::args::Traverse;
use super::print;
use super::train::set_threads;

pub(super) fn run(options: &Traverse) -> Result<()> {
    let run = Run::open(&options.run)?;
    set_threads(run.config());
    let plan = run.config().clone().resolve()?;
    let learner = run.learner(&plan)?;
    let path = draw(&run, &plan, &*learner, options.row, options.out.as_deref())?;
    print(&format!("{}\n", path.display()))
}

/// Draw the traversal of a run and return where it is.
pub(super) fn draw(
    run: &Run,
    plan: &Plan,
    learner: &dyn Learner,
    row: usize,
    out: Option<&Path>,
) -> Result<PathBuf> {
    let codes = encode::of_run(run, plan, learner)?;
    if row >= codes.rows() {
        let reason = format!("there are {} rows; --row counts from 0", codes.rows());
        return Err(Error::Unable(reason).into());
    }
    let walks = traverse::walks(learner, &codes, row)?;
    let title = format!(
        "{} on {}: each row walks one code",
        plan.entry.info.title,
        plan.config.data_name()
    );
    let sheet = traverse::sheet(&walks, plan.task.shape, title)?;
    let path = out.map_or_else(|| run.traversal(), Path::to_path_buf);
    picture::save(&sheet.draw(), &path)?;
    card::write(run, plan)?;
    Ok(path)
}
