//! `unbraid encode`: observations to codes.

use anyhow::Result;
use unbraid::Error;
use unbraid::data::Shape;
use unbraid::evaluate::encode;
use unbraid::model::Task;
use unbraid::rng::Rng;
use unbraid::run::Run;

use super::Output;
use super::args::Encode;
use super::data::open;
use super::train::set_up_reader;

pub(super) fn run(options: &Encode, output: Output) -> Result<()> {
    let run = Run::open(&options.run)?;
    set_up_reader(run.config());
    let plan = run.config().clone().resolve()?;
    let learner = run.learner(&plan)?;
    let other = options.data.as_deref().map(|name| open(name, &options.set)).transpose()?;
    let data = other.as_deref().unwrap_or(&*plan.data);
    let form = |shape: Shape| [shape.channels, shape.height, shape.width];
    if form(data.shape()) != form(plan.task.shape) {
        return Err(Error::Unable(format!(
            "the model was trained on {} and these data are {}; resize or convert them first",
            plan.task.shape,
            data.shape()
        ))
        .into());
    }
    let labels = Task::of(data).label;
    if learner.sees_labels() && labels != plan.task.label {
        return Err(Error::Unable(format!(
            "the encoder of this model sees the {} labels of a row beside it, and these data have \
             {labels}; take a model that encodes observations alone (model.labels = \"no\")",
            plan.task.label
        ))
        .into());
    }
    if options.rows.is_some_and(|rows| rows == 0 || rows > data.len()) {
        let reason = format!("--rows must be from 1 to {}, the rows of the data", data.len());
        return Err(Error::Unable(reason).into());
    }
    let rng = Rng::new(plan.config.seed).split("encode");
    let rows = encode::rows(data, options.rows.unwrap_or(usize::MAX), &rng);
    output.note(&format!("encoding {} rows", rows.len()));
    let codes = encode::encode(&*learner, data, &rows)?;
    let out = options.out.clone().unwrap_or_else(|| run.codes_file());
    codes.save(&out)?;
    output.file(&out)
}
