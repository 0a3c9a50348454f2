//! Whether runs with other seeds agree, which needs no labels.

use unbraid_measure::watch::Watch;

use super::trained::TrainedRun;
use crate::error::{Error, Result};
use crate::evaluate::agreement::udr;

/// The UDR of each of several runs on the same data, by codes of the same rows.
pub fn agreement(runs: &[TrainedRun], watch: &dyn Watch) -> Result<Vec<f64>> {
    let [first, others @ ..] = runs else { return Ok(vec![]) };
    for other in others {
        let (a, b) = (first.plan(), other.plan());
        if a.config.data != b.config.data {
            return Err(Error::Unable(format!(
                "{} and {} were trained on different data ([data] of their run.toml), so their codes cannot be \
                 compared; give runs that differ in their seed",
                first.run().directory().display(),
                other.run().directory().display()
            )));
        }
    }
    let codes = runs.iter().map(|run| run.codes_of(first.plan(), watch)).collect::<Result<_>>()?;
    udr(codes, watch)
}
