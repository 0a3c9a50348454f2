//! The learned graph of a trained run.

use unbraid_measure::watch::Watch;

use super::files;
use super::trained::TrainedRun;
use crate::error::Result;
use crate::figures::Command;
use crate::intervene::graph::{self, Causes};

impl TrainedRun {
    /// The learned graph beside the true one, kept as numbers and drawn.
    pub fn graph(&self, watch: &dyn Watch) -> Result<Causes> {
        let causes = self.learned_graph(watch)?;
        self.with_subject(None, watch, |subject| {
            subject.graph.set(causes.clone());
            self.draw(subject, Command::Graph, None)
        })?;
        Ok(causes)
    }

    /// The learned graph, kept as numbers.
    pub(super) fn learned_graph(&self, watch: &dyn Watch) -> Result<Causes> {
        let plan = self.plan();
        let causes = graph::learned(self.learner(), &*plan.data, plan.config.seed, watch)?;
        self.run().write_document(files::GRAPH, &causes.to_json())?;
        Ok(causes)
    }
}
