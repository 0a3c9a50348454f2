//! Raw observations as codes: the lower reference of every score.

use ndarray::{Array2, ArrayView2};
use unbraid_measure::data::Dataset;
use unbraid_measure::info::Info;
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::Watch;

use crate::error::Result;
use crate::model::batch::Seen;
use crate::model::weights::Weights;
use crate::model::{Baseline, Nothing};

/// The identity.
pub struct Raw;

impl Baseline for Raw {
    type Config = Nothing;
    const INFO: Info = Info {
        name: "raw",
        title: "Raw observations",
        summary: "baseline: the observation itself is the representation",
        paper: "",
        page: "\
## What it is
No model: every pixel (or number) of an observation is a code.

## What it is for
A lower reference. A representation that does not score above raw pixels has learned nothing that the
metric can see. With thousands of codes some metrics are slow and some do not apply (a constant pixel has
no correlation); `pca` is the more practical baseline.",
    };

    fn fit(_config: &Nothing, _data: &dyn Dataset, _rng: &Rng, _watch: &dyn Watch) -> Result<Self> {
        Ok(Self)
    }

    fn encode(&self, seen: &Seen) -> Array2<f32> {
        seen.observations.clone()
    }

    fn decode(&self, codes: ArrayView2<f32>) -> Option<Array2<f32>> {
        Some(codes.to_owned())
    }

    fn weights(&self) -> Weights {
        Weights::new()
    }

    fn from_weights(_weights: Weights) -> Result<Self> {
        Ok(Self)
    }
}
