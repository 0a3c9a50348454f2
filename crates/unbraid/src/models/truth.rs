//! The ground-truth factors as codes: the upper reference of every score.

use ndarray::Array2;
use unbraid_measure::data::{Dataset, Supervision};
use unbraid_measure::info::Info;
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::Watch;

use crate::error::Result;
use crate::model::batch::Seen;
use crate::model::weights::Weights;
use crate::model::{Baseline, Nothing};

/// The labels.
pub struct Truth;

impl Baseline for Truth {
    type Config = Nothing;
    const INFO: Info = Info {
        name: "truth",
        title: "Ground truth",
        summary: "baseline: the ground-truth labels as the representation, the upper reference",
        paper: "",
        page: "\
## What it is
No model: the labels of the data, its ground-truth factors where these are known, are the codes.

## What it is for
An upper reference. Where it scores below 1, the metric has a limitation: two factors that it cannot
distinguish, or a code that is not linear in its factor.",
    };
    const SUPERVISION: Supervision = Supervision::Labels;
    const SEES_LABELS: bool = true;

    fn fit(_config: &Nothing, _data: &dyn Dataset, _rng: &Rng, _watch: &dyn Watch) -> Result<Self> {
        Ok(Self)
    }

    fn encode(&self, seen: &Seen) -> Array2<f32> {
        seen.labels.clone().unwrap_or_else(|| Array2::zeros((seen.len(), 0)))
    }

    fn weights(&self) -> Weights {
        Weights::new()
    }

    fn from_weights(_weights: Weights) -> Result<Self> {
        Ok(Self)
    }
}
