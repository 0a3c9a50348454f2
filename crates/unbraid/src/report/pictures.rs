//! What can be seen: codes, reconstructions, the training.

use super::figures::figure;
use super::html::Html;
use crate::error::Result;
use crate::run::Run;

/// What each code does to an observation, and which factor it follows.
pub(super) fn codes(run: &Run) -> Result<Html> {
    let walks = figure(
        &run.traversal(),
        "each row walks one code, from low to high",
        "Each row walks one code of one observation from low to high while the others stay. Codes are \
         in the order of how much they tell; a pale one tells next to nothing.",
    )?;
    let matching = figure(
        &run.matching_figure(),
        "each factor against the code it is matched to",
        "Each true factor against the code it is matched to, a dot per row. A thin line is a factor \
         that was found, a bent one was found up to a curve, a cloud was not.",
    )?;
    let factors = figure(
        &run.factor_figure(),
        "the mean code over each factor",
        "The mean of each code over each true factor. The band is one standard deviation: what all \
         other factors do to the code. A steep curve in a narrow band is a code that follows this \
         factor and no other.",
    )?;
    let layers = figure(
        &run.layers_figure(),
        "the codes of each layer along their two main directions",
        "The codes of each layer, from the one next to the data up, along their two main directions; a \
         dot per row. Colours that stand together are what the layer knows of the factor; a layer \
         whose colours are stirred knows nothing of it.",
    )?;
    Ok(walks + matching + factors + layers)
}

/// What is kept in the codes at all.
pub(super) fn reconstructions(run: &Run) -> Result<Html> {
    figure(
        &run.reconstructions(),
        "observations above, decoded codes below",
        "Observations above, what is decoded from their codes below. What is missing there is in no \
         code.",
    )
}

/// Whether it came to rest.
pub(super) fn training(run: &Run) -> Result<Html> {
    figure(
        &run.training_figure(),
        "the terms of the loss over the steps",
        "The terms of the loss over the steps, each on a scale of its own.",
    )
}
