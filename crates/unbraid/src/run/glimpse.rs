//! A look at what a model of sequences has found so far, written into its log: R² of each variable from the
//! latents that stand for it, on frames that it is not trained on where the data have such a part. Such models find their variables one after
//! the other, and a run that is stuck on one should be seen before it ends. Nothing is chosen by these numbers.

use unbraid_measure::data::{self, Dataset};
use unbraid_measure::metrics::alignment::glimpse;
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::Nobody;

use super::plan::Plan;
use crate::error::Result;
use crate::evaluate::encode::drawn_or_mean;
use crate::model::learner::{Learner, Terms};

/// Frames that are looked at.
const ROWS: usize = 2000;
/// Steps from one look to the next, or a little more: a look is part of a row of the log.
const EVERY: u64 = 500;
/// The parts of a data set that are for such looks, the best first: frames that were drawn independently.
const PARTS: [&str; 2] = ["val_indep", "val"];

/// Where to look.
pub(super) struct Glimpses<'a> {
    data: Validation<'a>,
    rows: Vec<usize>,
    rng: Rng,
    plan: &'a Plan,
}

enum Validation<'a> {
    Part(Box<dyn Dataset>),
    /// There is no such part: the data that are trained on.
    Same(&'a dyn Dataset),
}

impl<'a> Glimpses<'a> {
    /// Nothing for models of single frames, and for data whose variables are not known.
    pub(super) fn of(plan: &'a Plan, rng: &Rng) -> Option<Self> {
        if !plan.is_of_sequences() || plan.data.factors().is_empty() {
            return None;
        }
        let part = PARTS.iter().find_map(|part| plan.part(part).filter(|part| part.len() >= 3));
        let data = part.map_or(Validation::Same(&*plan.data), Validation::Part);
        let rows = data::labelled_rows(data.get(), ROWS, rng);
        Some(Self { data, rows, rng: rng.split("draws"), plan })
    }

    /// Whether one is due in this row of the log.
    pub(super) fn due(&self, done: u64, last: bool) -> bool {
        let before = done.saturating_sub(self.plan.config.train.log_every);
        last || done / EVERY != before / EVERY
    }

    /// `found`, the mean, and `found/NAME` of each variable. Nothing where it cannot be said, as where no variable
    /// changes among so few frames: a training does not end for want of a look.
    pub(super) fn look(&self, learner: &dyn Learner) -> Terms {
        self.found(learner).unwrap_or_default()
    }

    fn found(&self, learner: &dyn Learner) -> Result<Terms> {
        let data = self.data.get();
        let mut codes = drawn_or_mean(learner, data, &self.rows, &self.rng, &Nobody)?;
        codes.readings.targets = self.plan.targets();
        let found = glimpse(&codes)?;
        let mean = found.iter().map(|(_, r2)| r2).sum::<f64>() / found.len() as f64;
        let name = |factor: usize| format!("found/{}", codes.factors[factor].name).into();
        let each = found.iter().map(|(factor, r2)| (name(*factor), *r2 as f32));
        Ok([("found".into(), mean as f32)].into_iter().chain(each).collect())
    }
}

impl Validation<'_> {
    fn get(&self) -> &dyn Dataset {
        match self {
            Self::Part(data) => &**data,
            Self::Same(data) => *data,
        }
    }
}
