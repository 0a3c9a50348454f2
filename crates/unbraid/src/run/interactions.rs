//! What actions touch: the interactions that a trained run has learned, beside the true ones.

use std::path::PathBuf;

use ndarray::{Array2, ArrayView1};
use serde_json::{Value as Json, json};
use unbraid_measure::data::{Dataset, Transition};
use unbraid_measure::stats::interactions::{Told, interaction_f1};
use unbraid_measure::watch::{Stage, Watch};

use super::files;
use super::trained::TrainedRun;
use crate::draw::picture;
use crate::error::{Error, Result};
use crate::figures::interactions::{self, Map};
use crate::model::learner::Learner;

/// The part of the data whose steps are judged, where there is one.
const PART: &str = "test";
/// How many steps are judged at most.
const JUDGED: usize = 10_000;

impl TrainedRun {
    /// Whether the method learns what actions touch.
    pub(crate) fn knows_interactions(&self) -> bool {
        let width = self.plan().task.action;
        width > 0 && self.learner().interactions(Array2::zeros((1, width)).view()).is_some()
    }

    /// Compare learned interactions with the true targets of each step, keep what was found in the run, and
    /// draw where an action must be to touch each factor, if actions are places.
    pub fn interactions(&self, watch: &dyn Watch) -> Result<(Json, Option<PathBuf>)> {
        let stage = Stage::new(watch, "interactions");
        let other = self.plan().part(PART);
        let data: &dyn Dataset = other.as_deref().unwrap_or(&*self.plan().data);
        let steps: Vec<Transition> =
            (0..data.len()).filter_map(|row| data.next(row)).take(JUDGED).collect();
        let learned = learned(self.learner(), &steps)?;
        stage.advance(0.5)?;
        let factors = data.factors();
        let truth = table(&steps, factors.len(), |step| &step.targets)?.mapv(|target| target > 0.0);
        let found = interaction_f1(learned.view(), truth.view())?;
        let factor = |(k, told): (usize, &Option<Told>)| {
            json!({
                "name": factors[k].name, "latent": told.map(|told| told.latent),
                "flipped": told.map(|told| told.flipped), "f1": told.map(|told| told.f1),
                "constant": told.map(|told| told.constant),
            })
        };
        let document = json!({
            "format": 1, "steps": steps.len(), "f1": found.mean,
            "factors": found.factors.iter().enumerate().map(factor).collect::<Vec<_>>(),
        });
        self.run().write_document(files::INTERACTIONS, &document)?;
        let map = |(factor, told): (usize, &Option<Told>)| Some(Map { factor, told: (*told)? });
        let maps: Vec<Map> = found.factors.iter().enumerate().filter_map(map).collect();
        let title = [self.plan().entry.info.title, self.plan().config.data_title()];
        let sheet = interactions::sheet(title, self.learner(), data, &maps);
        let path = sheet.as_ref().map(|_| self.run().file(interactions::FILE));
        if let (Some(sheet), Some(path)) = (sheet, &path) {
            picture::save(&sheet.draw(), path)?;
        }
        stage.advance(0.5)?;
        Ok((document, path))
    }
}

/// Whether each latent is touched in each step.
fn learned(learner: &dyn Learner, steps: &[Transition]) -> Result<Array2<bool>> {
    let width = steps.first().map_or(0, |step| step.action.len());
    let actions = table(steps, width, |step| &step.action)?;
    let touched = learner.interactions(actions.view()).ok_or_else(|| {
        Error::Unable(
            "this model does not learn what actions touch; train biscuit-vae or biscuit-nf".into(),
        )
    })?;
    Ok(touched.mapv(|logit| logit > 0.0))
}

fn table<'a>(
    steps: &'a [Transition],
    width: usize,
    row: impl Fn(&'a Transition) -> &'a Vec<f32>,
) -> Result<Array2<f32>> {
    if steps.is_empty() || width == 0 || steps.iter().any(|step| row(step).len() != width) {
        return Err(Error::Unable(
            "these data have no steps with actions and targets to judge interactions by".into(),
        ));
    }
    let mut out = Array2::zeros((steps.len(), width));
    for (mut line, step) in out.rows_mut().into_iter().zip(steps) {
        line.assign(&ArrayView1::from(row(step)));
    }
    Ok(out)
}
