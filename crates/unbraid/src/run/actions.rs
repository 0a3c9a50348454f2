//! Actions of a trained run: which was done between two observations.

use std::path::PathBuf;

use ndarray::{Array1, Array2};
use serde_json::Value as Json;
use unbraid_measure::data::{Dataset, undone};
use unbraid_measure::watch::Watch;

use super::files;
use super::trained::TrainedRun;
use crate::draw::picture;
use crate::error::{Error, Result};
use crate::figures::{acts, confusion};
use crate::intervene::{acting, retrieval};
use crate::model::batch::Seen;

/// The part of the data that is judged, where there is one.
const PART: &str = "test";
/// Pairs that are judged at most.
const JUDGED: usize = 10_000;
/// Images of actions that are judged at most.
const ACTED: usize = 1000;

impl TrainedRun {
    /// Let the model tell the action of every pair of the test part, and keep what was found in the run.
    pub fn actions(&self, watch: &dyn Watch) -> Result<Json> {
        let other = self.plan().part(PART);
        let data: &dyn Dataset = other.as_deref().unwrap_or(&*self.plan().data);
        let document = retrieval::measure(self.learner(), data, JUDGED, watch)?.to_json();
        self.run().write_document(files::ACTIONS, &document)?;
        let title = self.titles().join(" on ") + ": which factor it says was changed";
        if let Some(figure) = confusion::drawn(&document, &title) {
            figure.save(&title, &self.run().file(confusion::FILE))?;
        }
        Ok(document)
    }

    /// Hold the images that the model makes of actions against the true ones, keep what was found in the run, and draw one
    /// of each action.
    pub fn acted(&self, watch: &dyn Watch) -> Result<(Json, Option<PathBuf>)> {
        let other = self.plan().part(PART);
        let data: &dyn Dataset = other.as_deref().unwrap_or(&*self.plan().data);
        let document = acting::measure(self.learner(), data, ACTED, watch)?;
        self.run().write_document(files::ACTED, &document)?;
        let sheet = acts::sheet(self.titles(), self.learner(), data)?;
        let path = sheet.as_ref().map(|_| self.run().file(acts::FILE));
        if let (Some(sheet), Some(path)) = (sheet, &path) {
            picture::save(&sheet.draw(), path)?;
        }
        Ok((document, path))
    }

    /// What it is called, and what was trained on.
    fn titles(&self) -> [&str; 2] {
        [self.plan().entry.info.title, self.plan().config.data_title()]
    }

    /// The action of this name, done in every step.
    pub fn action_of(&self, name: &str) -> Result<Vec<f32>> {
        let data = &*self.plan().data;
        let mut action = vec![0.0; data.actions().len()];
        action[acting::number(data, name)?] = 1.0;
        Ok(action)
    }

    /// Whether the method tells which of these named actions was done.
    pub(crate) fn retrieves(&self) -> bool {
        let first = Seen::of(&*self.plan().data, &[0]);
        self.plan().task.named && self.learner().retrieve(&first, &first).is_some()
    }

    /// Whether it says what they do to an image, of which the data have the true ones.
    pub(crate) fn acts(&self) -> bool {
        let (data, task) = (&*self.plan().data, &self.plan().task);
        let zeros = |columns: usize| Array2::zeros((1, columns));
        task.named && undone(data.actions()) && {
            let codes = self.learner().encode(&Seen::of(data, &[0]));
            let (targets, actions) = (zeros(data.factors().len()), zeros(task.action));
            self.learner().next(codes.view(), targets.view(), actions.view()).is_some()
        }
    }

    /// How likely each action is to have led from one row to another, the likeliest first.
    pub fn retrieve(&self, rows: [usize; 2]) -> Result<Vec<(String, f32)>> {
        let data = self.tested()?;
        for row in rows {
            if row >= data.len() {
                let last = data.len() - 1;
                return Err(Error::Unable(format!(
                    "there is no row {row}: the last one is {last}"
                )));
            }
        }
        let found: Array1<f32> =
            retrieval::likely(self.learner(), data, &[rows])?.row(0).to_owned();
        let mut named: Vec<(String, f32)> =
            data.actions().iter().cloned().zip(found.iter().map(|log| log.exp())).collect();
        named.sort_by(|a, b| b.1.total_cmp(&a.1));
        Ok(named)
    }
}
