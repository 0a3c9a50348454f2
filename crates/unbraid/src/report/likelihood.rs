//! How likely the model finds the data, where that was measured.

use super::html::{Html, element};
use crate::draw::words::grouped;
use crate::error::Result;
use crate::run::Run;
use crate::run::files::BOUND;

/// The bound in a sentence or two; nothing if there is none.
pub(super) fn likelihood(run: &Run) -> Result<Html> {
    let Some(bound) = run.document(BOUND)? else { return Ok(Html::nothing()) };
    let nats = |key: &str| {
        let value = bound[key].as_f64().unwrap_or(f64::NAN);
        format!("{value:.2}").replace('-', "\u{2212}")
    };
    let count = |key: &str| grouped(bound[key].as_u64().unwrap_or_default());
    let rows = match bound["held_out"] == true {
        true => "rows that were not trained on",
        false => "rows of the training data",
    };
    let said = Html::from("log p(x) is at least ")
        + element("strong", nats("bound"))
        + " nats (standard error "
        + nats("standard_error")
        + format!("), the mean over {} {rows}, by {} draws each. ", count("rows"), count("draws"))
        + "One draw alone, as in training, gives "
        + nats("bound_of_one_draw")
        + ". More draws only raise the bound, towards log p(x) itself.";
    Ok(element("p", said))
}
