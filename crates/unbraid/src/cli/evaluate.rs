//! `unbraid evaluate`: the IWAE bound of log p(x).

use anyhow::Result;
use unbraid::evaluate::bound::Bound;
use unbraid::run::Run;

use super::args::Evaluate;
use super::progress::Screen;
use super::{Output, loaded};

pub(super) fn run(options: &Evaluate, output: Output) -> Result<()> {
    let run = Run::open(&options.run)?;
    run.check_finished()?;
    let trained = loaded(run)?;
    let rows = options.rows.unwrap_or(usize::MAX);
    let found = trained.evaluate(options.bound, rows, &Screen::new(output))?;
    output.result(&described(&found), || found.to_json())
}

fn described(found: &Bound) -> String {
    let Bound { value, error, single, draws, rows, held_out } = found;
    let kind = if *held_out { "held-out rows" } else { "rows of the training data" };
    format!(
        "log p(x) >= {value:.2} nats, by {draws} draws; {single:.2} by one\nthe mean over {rows} {kind}, \
         standard error {error:.2}\n"
    )
}
