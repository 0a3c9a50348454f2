//! Interchange interventions on a trained run: two images combined by their latents, as one asks for them,
//! and as the triplets of a data set have them.

use std::path::{Path, PathBuf};

use serde_json::Value as Json;
use unbraid_measure::data::{Dataset, Triplet};
use unbraid_measure::info::did_you_mean;
use unbraid_measure::metrics::alignment;
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::Watch;

use super::files;
use super::trained::TrainedRun;
use crate::draw::picture;
use crate::error::{Error, Result};
use crate::figures::triplets::sheet;
use crate::intervene::causal_encoder::{CausalEncoder, STEPS};
use crate::intervene::triplets;

/// The part of a data set in which rows come in threes.
const PART: &str = "test_triplets";
/// How many triplets are shown.
const SHOWN: usize = 8;

impl TrainedRun {
    /// The factor of each latent: as the model says, or else the one that it predicts best.
    pub fn blocks(&self, watch: &dyn Watch) -> Result<Vec<Option<usize>>> {
        match self.learner().blocks() {
            Some(blocks) => Ok(blocks),
            None => Ok(alignment::assigned(&self.judged_codes(watch)?)?),
        }
    }

    /// Hold the mixtures that the model makes of two images against the true ones, and keep what was found in
    /// the run, with a picture of some.
    pub fn triplets(&self, watch: &dyn Watch) -> Result<(Json, PathBuf)> {
        let data = self.triplet_data()?;
        let blocks = self.blocks(watch)?;
        let rng = Rng::new(self.plan().config.seed).split("triplets");
        let encoder = CausalEncoder::taught(&*self.plan().data, STEPS, &rng, watch)?;
        let found = triplets::measure(self.learner(), &encoder, &*data, &blocks, watch)?;
        let document = found.to_json();
        self.run().write_document(files::TRIPLETS, &document)?;
        let shown = triplets::all(&*data, SHOWN);
        let made = triplets::predicted(self.learner(), &*data, &blocks, &shown)?;
        let path = self.run().file(crate::figures::triplets::FILE);
        let title = [self.plan().entry.info.title, self.plan().config.data_title()];
        picture::save(&sheet(title, &*data, &shown, &made)?.draw(), &path)?;
        Ok((document, path))
    }

    /// Take some factors of one row and all else of another. `out` is where the picture goes, if not into the
    /// run directory.
    pub fn swap(
        &self,
        names: &[String],
        [from, into]: [usize; 2],
        out: Option<&Path>,
        watch: &dyn Watch,
    ) -> Result<PathBuf> {
        let data = self.tested()?;
        for row in [from, into] {
            if row >= data.len() {
                let last = data.len() - 1;
                return Err(Error::Unable(format!(
                    "there is no row {row}: the last one is {last}"
                )));
            }
        }
        let taken = chosen(data, names)?;
        let blocks = self.blocks(watch)?;
        for (factor, _) in taken.iter().enumerate().filter(|(_, taken)| **taken) {
            if !blocks.contains(&Some(factor)) {
                let name = &data.factors()[factor].name;
                return Err(Error::Unable(format!(
                    "no latent of this model stands for `{name}`, so it cannot be swapped"
                )));
            }
        }
        let asked = Triplet { rows: [into, from, into], from_second: taken };
        let shown = vec![asked];
        let made = triplets::predicted(self.learner(), data, &blocks, &shown)?;
        let title = [self.plan().entry.info.title, self.plan().config.data_title()];
        let path = out.map_or_else(|| self.run().file(files::SWAP), Path::to_path_buf);
        picture::save(&sheet(title, data, &shown, &made)?.draw(), &path)?;
        Ok(path)
    }

    /// Whether there is something to judge mixtures by.
    pub(crate) fn has_triplets(&self) -> bool {
        self.triplet_data().is_ok()
    }

    /// The same data where rows come in threes.
    fn triplet_data(&self) -> Result<Box<dyn Dataset>> {
        let name = self.plan().config.data_title();
        match self.plan().part(PART) {
            Some(data) if data.triplet(0).is_some() => Ok(data),
            _ => Err(Error::Unable(format!(
                "`{name}` has no triplets to judge mixtures by; pong, ball-in-boxes, voronoi and the files \
                 of CITRIS have some, and `--swap` mixes any two rows"
            ))),
        }
    }
}

/// Whether each factor is among these names.
fn chosen(data: &dyn Dataset, names: &[String]) -> Result<Vec<bool>> {
    let mut chosen = vec![false; data.factors().len()];
    for name in names {
        chosen[factor_number(data, name)?] = true;
    }
    Ok(chosen)
}

/// The number of the factor of this name.
pub(super) fn factor_number(data: &dyn Dataset, name: &str) -> Result<usize> {
    let known = || data.factors().iter().map(|factor| factor.name.as_str());
    known().position(|known| known == name).ok_or_else(|| {
        let hint = did_you_mean(name, known());
        let all = known().collect::<Vec<_>>().join(", ");
        Error::Unable(format!("unknown factor `{name}`{hint} (known: {all})"))
    })
}
