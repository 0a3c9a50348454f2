//! Principal components as codes: the linear floor under every score.

use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};
use unbraid_measure::data::{self, Dataset};
use unbraid_measure::info::Info;
use unbraid_measure::rng::Rng;
use unbraid_measure::stats::pca::Pca as Components;

use crate::error::{Error, Result};
use crate::model::{Baseline, Settings, Task};
use crate::weights::{Weight, Weights};

/// The settings of the principal components.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Config {
    /// How many components.
    pub latents: usize,
    /// How many rows they are fitted on, drawn at random if there are more.
    pub rows: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self { latents: 10, rows: 10_000 }
    }
}

impl Settings for Config {
    fn resolve(&mut self, task: &Task) -> Result<()> {
        self.rows = self.rows.min(task.rows);
        let most = self.rows.min(task.shape.size());
        if self.latents == 0 || self.latents > most {
            let reason = format!("must be from 1 to {most} with these data");
            return Err(Error::setting("model.latents", reason));
        }
        Ok(())
    }
}

/// Fitted principal components.
pub struct Pca {
    components: Components,
}

impl Baseline for Pca {
    type Config = Config;
    const INFO: Info = Info {
        name: "pca",
        title: "Principal components",
        summary: "baseline: the directions of largest variance, a linear code",
        paper: "Pearson 1901; Hotelling 1933",
        page: "\
## What it is
The best linear code of a given size: the orthogonal directions in which the observations vary most.

## Settings
latents (10), rows it is fitted on (10,000, drawn at random).

## What it is for
The linear floor. Position of an object is not linear in its pixels, so on images it mixes factors;
what a model gains over it is what its non-linearity bought.",
    };

    fn fit(config: &Config, data: &dyn Dataset, rng: &Rng) -> Result<Self> {
        let rows = rng.split("rows").distinct(config.rows, data.len());
        let observations = data::observations(data, &rows);
        let rng = &mut rng.split("pca");
        let components = Components::fit(observations.view(), config.latents, rng)?;
        Ok(Self { components })
    }

    fn encode(&self, observations: ArrayView2<f32>) -> Array2<f32> {
        self.components.encode(observations)
    }

    fn decode(&self, codes: ArrayView2<f32>) -> Option<Array2<f32>> {
        Some(self.components.decode(codes))
    }

    fn weights(&self) -> Weights {
        let Components { mean, components, variances } = &self.components;
        let vector =
            |values: &Vec<f32>| Weight { shape: vec![values.len()], values: values.clone() };
        let matrix = Weight {
            shape: components.shape().to_vec(),
            values: components.iter().copied().collect(),
        };
        Weights::from([
            ("components".into(), matrix),
            ("mean".into(), vector(mean)),
            ("variances".into(), vector(variances)),
        ])
    }

    fn from_weights(mut weights: Weights) -> Result<Self> {
        let mut take = |name: &str| {
            weights.remove(name).ok_or_else(|| Error::Unable(format!("weight `{name}` is missing")))
        };
        let Weight { shape, values } = take("components")?;
        let (mean, variances) = (take("mean")?.values, take("variances")?.values);
        if shape != [variances.len(), mean.len()] {
            let reason = format!("weight `components` is {shape:?} and does not fit the others");
            return Err(Error::Unable(reason));
        }
        let components = Array2::from_shape_vec((variances.len(), mean.len()), values)
            .expect("a weight has as many numbers as its shape says");
        Ok(Self { components: Components { mean, components, variances } })
    }
}
