//! The temporal graph over the variables that a trained run has found.

use std::path::PathBuf;

use unbraid_measure::data::Dataset;
use unbraid_measure::watch::Watch;

use super::files;
use super::trained::TrainedRun;
use crate::error::Result;
use crate::figures::temporal::{FILE, draw};
use crate::intervene::temporal::{TemporalCauses, learned};

/// The part of the data in which causes are searched, where there is one.
const PART: &str = "test";

impl TrainedRun {
    /// Whether the method learns from sequences.
    pub fn is_of_sequences(&self) -> bool {
        self.plan().is_of_sequences()
    }

    /// The latents of each factor that has some, and those of none.
    pub fn assignment(&self, watch: &dyn Watch) -> Result<Vec<(Option<String>, Vec<usize>)>> {
        let (blocks, factors) = (self.blocks(watch)?, self.plan().data.factors());
        let of = |factor: Option<usize>| -> Vec<usize> {
            (0..blocks.len()).filter(|latent| blocks[*latent] == factor).collect()
        };
        let each = factors.iter().enumerate();
        let mut table: Vec<_> =
            each.map(|(k, factor)| (Some(factor.name.clone()), of(Some(k)))).collect();
        table.push((None, of(None)));
        Ok(table)
    }

    /// The temporal graph beside the true one, kept as numbers and drawn.
    pub fn temporal_graph(&self, watch: &dyn Watch) -> Result<(TemporalCauses, PathBuf)> {
        let plan = self.plan();
        let other = plan.part(PART);
        let data: &dyn Dataset = other.as_deref().unwrap_or(&*plan.data);
        let blocks = self.blocks(watch)?;
        let causes = learned(self.learner(), data, &blocks, plan.config.seed, watch)?;
        self.run().write_document(files::TEMPORAL, &causes.to_json())?;
        let [model, name] = [plan.entry.info.title, plan.config.data_title()];
        let title = format!("{model} on {name}: what causes what at the next step");
        let path = self.run().file(FILE);
        draw(&causes, &title).save(&title, &path)?;
        Ok((causes, path))
    }
}
