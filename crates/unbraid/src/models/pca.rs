//! Principal components as codes: the linear baseline of every score.

use ndarray::{Array2, ArrayView2};
use unbraid_measure::components::pca::Pca as Components;
use unbraid_measure::data::{self, Dataset};
use unbraid_measure::info::Info;
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::Watch;

use crate::error::Result;
use crate::model::Baseline;
use crate::model::batch::Seen;
use crate::model::weights::{self, Weight, Weights};
use crate::parts::linear::LinearSettings;

/// Fitted principal components.
pub struct Pca {
    components: Components,
}

impl Baseline for Pca {
    type Config = LinearSettings;
    const INFO: Info = Info {
        name: "pca",
        title: "Principal components",
        summary: "baseline: linear PCA, the directions of largest variance",
        paper: "Pearson 1901; Hotelling 1933",
        page: "\
## What it is
The linear code with the least squared reconstruction error: the orthogonal directions of largest
variance.

## Settings
latents (10), rows to fit on (10,000, drawn at random).

## What it is for
The linear baseline. The position of an object is not linear in its pixels, so PCA mixes factors of
images. What a model scores above it is the gain of nonlinearity.",
    };

    fn fit(
        config: &LinearSettings,
        data: &dyn Dataset,
        rng: &Rng,
        _watch: &dyn Watch,
    ) -> Result<Self> {
        let rows = rng.split("rows").distinct(config.rows, data.len());
        let observations = data::observations(data, &rows);
        let rng = &mut rng.split("pca");
        let components = Components::fit(observations.view(), config.latents, rng)?;
        Ok(Self { components })
    }

    fn encode(&self, seen: &Seen) -> Array2<f32> {
        self.components.encode(seen.observations.view())
    }

    fn decode(&self, codes: ArrayView2<f32>) -> Option<Array2<f32>> {
        Some(self.components.decode(codes))
    }

    fn weights(&self) -> Weights {
        let Components { mean, components, variances } = &self.components;
        let vector =
            |values: &Vec<f32>| Weight { shape: vec![values.len()], values: values.clone() };
        Weights::from([
            ("components".into(), Weight::matrix(components)),
            ("mean".into(), vector(mean)),
            ("variances".into(), vector(variances)),
        ])
    }

    fn from_weights(mut weights: Weights) -> Result<Self> {
        let mut take = |name: &str| weights::take(&mut weights, name);
        let (mean, variances) = (take("mean")?.values, take("variances")?.values);
        let components = take("components")?.into_matrix([variances.len(), mean.len()])?;
        Ok(Self { components: Components { mean, components, variances } })
    }
}
