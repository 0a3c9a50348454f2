//! The IWAE bound of a trained run.

use unbraid_measure::data::{self, Dataset};
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::Watch;

use super::trained::TrainedRun;
use super::{card, files};
use crate::error::Result;
use crate::evaluate::bound::{self, Bound};

impl TrainedRun {
    /// The bound of log p(x) by so many draws on at most so many held-out rows, or on rows of the
    /// training data if none are held out; kept in the run and on its card.
    pub fn evaluate(&self, draws: usize, rows: usize, watch: &dyn Watch) -> Result<Bound> {
        self.run().check_finished()?;
        let found = self.measure_bound(draws, rows, watch)?;
        card::write(self.run(), self.plan())?;
        Ok(found)
    }

    /// The same without the card. Where training drew pixels black or white, so are these, once.
    pub(super) fn measure_bound(
        &self,
        draws: usize,
        rows: usize,
        watch: &dyn Watch,
    ) -> Result<Bound> {
        let held_out = self.held_out()?;
        let plan = held_out.unwrap_or(self.plan());
        let rng = Rng::new(plan.config.seed).split("bound");
        let drawn = plan.binarized(rng.split("binarize"));
        let data: &dyn Dataset = drawn.as_ref().map_or(&*plan.data, |drawn| drawn);
        let rows = data::rows(data, rows, &rng);
        if self.learner().is_bernoulli() {
            bound::check_black_and_white(data, &rows)?;
        }
        let found = bound::measure(self.learner(), data, &rows, draws, &rng, watch)?;
        let found = Bound { held_out: held_out.is_some(), ..found };
        self.run().write_document(files::BOUND, &found.to_json())?;
        Ok(found)
    }
}
