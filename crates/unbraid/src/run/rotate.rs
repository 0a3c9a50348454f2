//! Non-identifiability, shown on a trained run: rotated codes have the same loss and other scores.

use std::path::Path;

use unbraid_measure::data;
use unbraid_measure::rng::Rng;
use unbraid_measure::scoring::Report;
use unbraid_measure::watch::Watch;

use super::card;
use super::directory::Run;
use super::plan::Plan;
use super::score::{Scoring, save};
use super::trained::TrainedRun;
use crate::error::{Error, Result};
use crate::evaluate::encode;
use crate::model::batch::Seen;
use crate::model::rotation::{Bound, bounds, direction};

/// How many rows the loss is measured on.
const ROWS: usize = 2048;

/// A rotated run beside the one it was made from.
pub struct Rotated {
    /// The rotated run.
    pub run: Run,
    /// The negative ELBO, before and after.
    pub losses: [Bound; 2],
    /// The scores, before and after.
    pub reports: [Report; 2],
}

impl Run {
    /// Refuse, before anything is opened, what cannot be rotated to this place.
    pub fn check_can_rotate(&self, out: &Path, how: &Scoring) -> Result<()> {
        let refused = |reason: &str| Err(Error::Unable(reason.into()));
        if self.config().rotation.is_some() {
            return refused("these codes are turned already; give the run they were made from");
        }
        if self.config().model.contains_key("base") {
            return refused(
                "this model stands on another run, and its ELBO is of codes, not of observations",
            );
        }
        Self::check_free(out)?;
        how.metrics_or(&self.config().score.metrics).map(drop)
    }
}

impl TrainedRun {
    /// Rotate the codes in a way that the prior does not notice, into a directory of their own, and score
    /// them before and after.
    pub fn rotate(&self, out: &Path, how: &Scoring, watch: &dyn Watch) -> Result<Rotated> {
        let (run, plan, learner) = (self.run(), self.plan(), self.learner());
        run.check_can_rotate(out, how)?;
        let metrics = how.metrics_or(&plan.config.score.metrics)?;
        let mut codes = self.scored_codes(watch)?;
        let rng = Rng::new(plan.config.seed).split("rotate");
        let rows = data::rows(&*plan.data, ROWS, &rng);
        let posterior = encode::posterior(learner, &*plan.data, &rows, watch)?;
        if posterior.kl.is_some() {
            return Err(other_prior(plan));
        }
        let v = direction(&posterior.kl_per_latent().ok_or_else(|| no_posterior(plan))?);
        let seen = Seen::of(&*plan.data, &rows);
        let losses = bounds(learner, &v, &seen, learner.noise(), &mut rng.split("draws"));
        let losses = losses.ok_or_else(|| no_posterior(plan))?;

        let mut config = plan.config.clone();
        config.rotation = Some(v);
        let turned_plan = config.resolve_with(plan.entry)?;
        let turned = Self::with(run.turned(out, &turned_plan)?, turned_plan)?;
        let mut turned_codes = turned.scored_codes(watch)?;
        let reports = [
            how.judge(&mut codes, &metrics, watch)?,
            how.judge(&mut turned_codes, &metrics, watch)?,
        ];
        save(turned.run(), reports[1].to_json())?;
        card::write(turned.run(), turned.plan())?;
        Ok(Rotated { run: turned.run().clone(), losses, reports })
    }
}

fn other_prior(plan: &Plan) -> Error {
    Error::Unable(format!(
        "`{}` has a prior other than N(0, I), which a turn would change (that is how labels of time make \
         codes identifiable); the demonstration needs a model with the prior N(0, I), such as `vae`",
        plan.entry.info.name
    ))
}

fn no_posterior(plan: &Plan) -> Error {
    let name = plan.entry.info.name;
    Error::Unable(format!("`{name}` has no posterior to turn; any VAE has one"))
}
