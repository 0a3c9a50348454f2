//! `unbraid encode`: observations to codes.

use anyhow::Result;
use toml::Table;
use unbraid::Error;
use unbraid::data::{self, Dataset};
use unbraid::encode;
use unbraid::rng::Rng;
use unbraid::run::Run;

use super::args::Encode;
use super::train::set_threads;
use super::{note, print};

pub(super) fn run(options: &Encode, quiet: bool) -> Result<()> {
    let run = Run::open(&options.run)?;
    set_threads(run.config());
    let plan = run.config().clone().resolve()?;
    let learner = run.learner(&plan)?;
    let other = options.data.as_deref().map(open).transpose()?;
    let data = other.as_deref().unwrap_or(&*plan.data);
    if data.shape().size() != plan.task.shape.size()
        || data.shape().channels != plan.task.shape.channels
    {
        return Err(Error::Unable(format!(
            "the model was trained on {} and these data are {}; resize or convert them first",
            plan.task.shape,
            data.shape()
        ))
        .into());
    }
    let rng = Rng::new(plan.config.seed).split("encode");
    let rows = encode::rows(data, options.rows.unwrap_or(usize::MAX), &rng);
    note(quiet, &format!("encoding {} rows", rows.len()));
    let codes = encode::encode(&*learner, data, &rows)?;
    let out = options.out.clone().unwrap_or_else(|| run.codes_file());
    codes.save(&out)?;
    print(&format!("{}\n", out.display()))
}

fn open(name: &str) -> Result<Box<dyn Dataset>> {
    let (name, given) = unbraid::config::data_by_name_or_path(name, Table::new());
    Ok((data::find(&name)?.open)(&given)?.0)
}
