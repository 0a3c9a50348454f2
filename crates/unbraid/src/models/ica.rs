//! Independent components as codes: the linear code with maximally non-Gaussian components.

use ndarray::{Array2, ArrayView2};
use unbraid_measure::components::fast_ica::FastIca;
use unbraid_measure::data::{self, Dataset};
use unbraid_measure::info::Info;
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::Watch;

use crate::error::Result;
use crate::model::Baseline;
use crate::model::batch::Seen;
use crate::model::weights::{self, Weight, Weights};
use crate::parts::linear::LinearSettings;

/// Fitted independent components.
pub struct Ica {
    components: FastIca,
}

impl Baseline for Ica {
    type Config = LinearSettings;
    const INFO: Info = Info {
        name: "ica",
        title: "Independent components",
        summary: "baseline: linear ICA by FastICA, the most non-Gaussian directions",
        paper: "Hyvärinen, Fast and Robust Fixed-Point Algorithms for ICA, 1999",
        page: "\
## What it is
FastICA: the principal components, rotated to be maximally non-Gaussian, with the log cosh contrast and
all components in parallel, as in scikit-learn. Each has unit variance; order and signs are arbitrary.

## Settings
latents (10), rows to fit on (10,000, drawn at random).

## What it is for
The linear baseline that assumes independent sources. It recovers the sources of a linear mixture; pixels
are not one.",
    };

    fn fit(
        config: &LinearSettings,
        data: &dyn Dataset,
        rng: &Rng,
        _watch: &dyn Watch,
    ) -> Result<Self> {
        let rows = rng.split("rows").distinct(config.rows, data.len());
        let observations = data::observations(data, &rows);
        let rng = &mut rng.split("ica");
        Ok(Self { components: FastIca::fit(observations.view(), config.latents, rng)? })
    }

    fn encode(&self, seen: &Seen) -> Array2<f32> {
        self.components.transform(seen.observations.view())
    }

    fn decode(&self, codes: ArrayView2<f32>) -> Option<Array2<f32>> {
        Some(self.components.inverse(codes))
    }

    fn weights(&self) -> Weights {
        let FastIca { mean, unmixing, mixing, .. } = &self.components;
        let mean = Weight { shape: vec![mean.len()], values: mean.clone() };
        Weights::from([
            ("mean".into(), mean),
            ("mixing".into(), Weight::matrix(mixing)),
            ("unmixing".into(), Weight::matrix(unmixing)),
        ])
    }

    fn from_weights(mut weights: Weights) -> Result<Self> {
        let mut take = |name: &str| weights::take(&mut weights, name);
        let (mean, mixing, unmixing) = (take("mean")?.values, take("mixing")?, take("unmixing")?);
        let size = [mixing.shape[0], mean.len()];
        let (mixing, unmixing) = (mixing.into_matrix(size)?, unmixing.into_matrix(size)?);
        let components = FastIca { mean, unmixing, mixing, iterations: 0, converged: true };
        Ok(Self { components })
    }
}
