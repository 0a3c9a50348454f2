//! Actions of a trained run: which was done between two observations.

use ndarray::Array1;
use serde_json::Value as Json;
use unbraid_measure::data::Dataset;
use unbraid_measure::watch::Watch;

use super::files;
use super::trained::TrainedRun;
use crate::error::{Error, Result};
use crate::intervene::retrieval;

/// The part of the data that is judged, where there is one.
const PART: &str = "test";
/// Pairs that are judged at most.
const JUDGED: usize = 10_000;

impl TrainedRun {
    /// Let the model tell the action of every pair of the test part, and keep what was found in the run.
    pub fn actions(&self, watch: &dyn Watch) -> Result<Json> {
        let other = self.plan().part(PART);
        let data: &dyn Dataset = other.as_deref().unwrap_or(&*self.plan().data);
        let document = retrieval::measure(self.learner(), data, JUDGED, watch)?.to_json();
        self.run().write_document(files::ACTIONS, &document)?;
        Ok(document)
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
