//! Nonlinear ICA of nonstationary sources, whose scale changes by segment, by exact likelihood: ours.
//!
//! The setting is that of TCL (Hyvärinen and Morioka 2016) and iVAE (Khemakhem et al. 2020). The
//! idea to replace the ELBO of an iVAE by the likelihood of a flow is that of iFlow (Li, Hooi and
//! Lee 2020). What differs is the flow: the inverse of a network of the form that generates the
//! data, small enough for L-BFGS on all rows from several starts; see `components/segment_flow.rs`
//! of unbraid-measure.

use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};
use unbraid_measure::components::segment_flow::{Layers, Options, Prior, SegmentFlow};
use unbraid_measure::data::{Dataset, Supervision};
use unbraid_measure::info::Info;
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::{Stage, Watch};

use crate::error::{Error, Result};
use crate::model::batch::Seen;
use crate::model::weights::{self, Weight, Weights};
use crate::model::{Baseline, Settings, Task};
use crate::parts::nets::size;
use crate::parts::segments;

/// The settings of a segment flow.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Config {
    /// How many sources; 0 for as many as observed variables.
    pub latents: usize,
    /// How many layers the mixing is assumed to have.
    pub layers: usize,
    /// How many random starts; the one with the highest likelihood is kept.
    pub starts: usize,
    /// Steps of L-BFGS from each start.
    pub steps: usize,
    /// How many rows of each segment are used from each start.
    pub points: usize,
    /// Steps of L-BFGS on all rows, from the best.
    pub refinement: usize,
    /// "gaussian" or "laplace".
    pub prior: Prior,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            latents: 0,
            layers: 3,
            starts: 4,
            steps: 500,
            points: 100,
            refinement: 100,
            prior: Prior::Gaussian,
        }
    }
}

impl Settings for Config {
    fn resolve(&mut self, task: &Task) -> Result<()> {
        let observed = task.shape.size();
        if self.latents == 0 {
            self.latents = observed;
        }
        if self.latents > observed {
            let reason = format!("must be at most {observed}, the numbers that are observed");
            return Err(Error::setting("model.latents", reason));
        }
        for (key, number) in [
            ("model.layers", self.layers),
            ("model.starts", self.starts),
            ("model.steps", self.steps),
        ] {
            if !(1..=size::MOST).contains(&number) {
                return Err(Error::setting(key, format!("must be from 1 to {}", size::MOST)));
            }
        }
        let square = (observed * observed) as f64;
        size::check("model.layers", self.layers, self.layers as f64 * square)?;
        if self.points < 2 {
            return Err(Error::setting("model.points", "must be at least 2"));
        }
        Ok(())
    }
}

/// A fitted flow.
pub struct Flow {
    flow: SegmentFlow,
}

impl Baseline for Flow {
    type Config = Config;
    const INFO: Info = Info {
        name: "segment-flow",
        title: "Segment flow",
        summary: "nonlinear ICA of sources whose scale changes by segment, by exact likelihood",
        paper: "",
        page: "\
## What it is
Sources are independent, and the scale of each changes by segment of time (the label). The observation is
an invertible function of the sources. The flow learns its inverse: layers of a matrix and an invertible
nonlinearity. So the likelihood is exact, and the maximum-likelihood scale of each source in each segment
has a closed form.

The assumptions are those of TCL and iVAE. An iVAE maximises a lower bound by stochastic gradients. The
flow maximises the likelihood itself, by L-BFGS from several random starts, and keeps the best.

## Settings
latents (0 = as many as observed), layers (3), starts (4), steps (500) on points (100) rows of each
segment, refinement (100 steps on all rows), prior (gaussian or laplace).

## What to expect
On the reference problem of the iVAE paper (5 sources, 40 segments, 3 layers) an MCC of 0.97 over ten
data sets, in 20 seconds each on one core (`unbraid reproduce ivae`). Permutation, sign and scale of the
sources are not identifiable.

## Cautions
It assumes as many sources as independent directions of the data, and no observation noise. If the mixing
has another form than the layers, use more of them.",
    };
    const SUPERVISION: Supervision = Supervision::Labels;

    fn fit(config: &Config, data: &dyn Dataset, rng: &Rng, watch: &dyn Watch) -> Result<Self> {
        let rows: Vec<usize> = (0..data.len()).collect();
        let seen = Seen::of(data, &rows);
        let labels = seen.labels.as_ref().expect("the sampler has refused data without labels");
        let segments = segments::segments(labels).ok_or_else(|| {
            Error::Unable(
                "the labels are no segments (not 1 in one place and 0 elsewhere), which this method \
                 needs; choose another, such as `ivae`"
                    .into(),
            )
        })?;
        let options = Options {
            sources: config.latents,
            layers: config.layers,
            starts: config.starts,
            steps: config.steps,
            points: config.points,
            refinement: config.refinement,
            prior: config.prior,
        };
        let x = seen.observations.view();
        let mut flow =
            SegmentFlow::fit(x, &segments, options, rng, &Stage::new(watch, "fitting the flow"))?;
        // Rounded as when read back from a file.
        flow.layers.numbers.iter_mut().for_each(|number| *number = f64::from(*number as f32));
        Ok(Self { flow })
    }

    fn encode(&self, seen: &Seen) -> Array2<f32> {
        self.flow.encode(seen.observations.view())
    }

    fn decode(&self, codes: ArrayView2<f32>) -> Option<Array2<f32>> {
        Some(self.flow.decode(codes))
    }

    fn weights(&self) -> Weights {
        let SegmentFlow { mean, whitening, unwhitening, layers, objective } = &self.flow;
        let vector = |values: Vec<f32>| Weight { shape: vec![values.len()], values };
        let numbers = layers.numbers.iter().map(|number| *number as f32).collect();
        Weights::from([
            ("layers".into(), vector(numbers)),
            ("mean".into(), vector(mean.clone())),
            ("objective".into(), vector(vec![*objective as f32])),
            ("unwhitening".into(), Weight::matrix(unwhitening)),
            ("whitening".into(), Weight::matrix(whitening)),
        ])
    }

    fn from_weights(mut weights: Weights) -> Result<Self> {
        let mut take = |name: &str| weights::take(&mut weights, name);
        let (mean, numbers) = (take("mean")?.values, take("layers")?.values);
        let objective = take("objective")?.values.first().copied().unwrap_or(f32::NAN);
        let (whitening, unwhitening) = (take("whitening")?, take("unwhitening")?);
        let size = whitening.shape[0];
        // count (size² + size) + (count - 1) size numbers
        let count = (numbers.len() + size) / (size * size + 2 * size);
        let layers = Layers { count, size, numbers: numbers.into_iter().map(f64::from).collect() };
        let shape = [size, mean.len()];
        let (whitening, unwhitening) =
            (whitening.into_matrix(shape)?, unwhitening.into_matrix(shape)?);
        let objective = f64::from(objective);
        Ok(Self { flow: SegmentFlow { mean, whitening, unwhitening, layers, objective } })
    }
}
