//! Time-contrastive learning: Hyvärinen and Morioka, Unsupervised Feature Extraction by
//! Time-Contrastive Learning and Nonlinear ICA, NeurIPS 2016, arXiv:1605.06336.
//!
//! ```text
//! L = E[ −log softmax(W h(x) + b)_τ ] + λ Σ ½ ‖V‖²   over the segments τ and all matrices V
//! ```
//!
//! If log p(s_i | τ) = λ_i(τ) q(s_i) − log Z and x = f(s), then at the optimum q(s) = A h(x) + d: a
//! linear ICA of the features gives q(s), which is |s| for Laplace sources and s² for Gaussian ones.
//! As in the released code, observations are whitened in full dimension, the logistic regression is
//! trained alone first, and the features use an exponential moving average (EMA) of the weights.
//! Differences: Adam in place of SGD with momentum, which needs far fewer steps, and an EMA decay of
//! min(average, (1 + t) / (10 + t)), so that a short run does not average in its initial weights.

use std::collections::BTreeSet;

use burn::module::Module;
use burn::tensor::{Device, Tensor};
use ndarray::{Array2, ArrayView1, Axis};
use serde::{Deserialize, Serialize};
use unbraid_measure::components::fast_ica::FastIca;
use unbraid_measure::components::pca::Pca;
use unbraid_measure::data::{self, Dataset, Supervision};
use unbraid_measure::info::Info;
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::Watch;

use crate::compute;
use crate::compute::device;
use crate::error::{Error, Result};
use crate::model::batch::{self, Batch};
use crate::model::{Code, Loss, Model, Settings, Step, Task};
use crate::parts::nets::fitted::Fitted;
use crate::parts::nets::size;
use crate::parts::segments;

mod net;

use net::Net;

/// Whitening in full dimension needs a square matrix; larger observations, such as images, are refused.
const MOST_OBSERVED: usize = 1024;
/// The most rows that whitening is fitted to, and the most for the ICA of the features.
const WHITENED: usize = 200_000;
const UNMIXED: usize = 20_000;
/// Features are computed in chunks of so many rows.
const CHUNK: usize = 512;

/// The settings of time-contrastive learning.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Config {
    /// How many features; 0 for as many as observed variables.
    pub latents: usize,
    /// How many layers the mixing is assumed to have; the feature network has as many.
    pub layers: usize,
    /// Maxout units of all layers but the last; 0 for twice the observed variables.
    pub width: usize,
    /// The weight decay: the weight of half the squared norm of every matrix.
    pub decay: f64,
    /// The decay of the exponential moving average of the weights.
    pub average: f64,
    /// The share of the steps in which only the logistic regression is trained.
    pub head: f64,
}

impl Default for Config {
    fn default() -> Self {
        Self { latents: 0, layers: 3, width: 0, decay: 1e-4, average: 0.999, head: 0.1 }
    }
}

impl Settings for Config {
    fn resolve(&mut self, task: &Task) -> Result<()> {
        let observed = task.shape.size();
        if observed > MOST_OBSERVED {
            return Err(Error::Unable(format!(
                "tcl whitens all numbers of an observation, {MOST_OBSERVED} at most, and these have \
                 {observed}; give it fewer, such as their principal components"
            )));
        }
        if task.label == 1 {
            return Err(one_segment());
        }
        if self.latents == 0 {
            self.latents = observed;
        }
        if self.latents > observed {
            let reason = format!("must be at most {observed}, the numbers that are observed");
            return Err(Error::setting("model.latents", reason));
        }
        if self.width == 0 {
            self.width = 2 * observed;
        }
        if !(1..=64).contains(&self.layers) {
            return Err(Error::setting("model.layers", "must be from 1 to 64"));
        }
        if self.width > 10_000 {
            return Err(Error::setting("model.width", "must be at most 10000"));
        }
        let weights = size::of_dense(observed, self.width, self.layers, self.latents);
        size::check("model.width", self.width, weights)?;
        if !(self.decay.is_finite() && self.decay >= 0.0) {
            return Err(Error::setting("model.decay", "must be a number of at least 0"));
        }
        for (key, share) in [("model.average", self.average), ("model.head", self.head)] {
            if !(0.0..1.0).contains(&share) {
                return Err(Error::setting(key, "must be at least 0 and less than 1"));
            }
        }
        Ok(())
    }
}

/// Time-contrastive learning.
#[derive(Module, Debug)]
pub struct Tcl {
    whitening: Fitted,
    net: Net,
    /// The exponential moving average of `net`.
    average: Net,
    /// The linear ICA of the averaged features; the identity until it is fitted.
    unmixing: Fitted,
    #[module(skip)]
    decay: f64,
    #[module(skip)]
    average_decay: f64,
    #[module(skip)]
    head: f64,
}

impl Model for Tcl {
    type Config = Config;
    const INFO: Info = Info {
        name: "tcl",
        title: "Time-contrastive learning",
        summary: "nonlinear ICA: features that classify segments of time, followed by linear ICA",
        paper: "Hyvärinen and Morioka, Time-Contrastive Learning and Nonlinear ICA, NeurIPS 2016",
        page: "\
## What it is
Sources are independent, and the scale of each changes by segment of time. The observation is an
invertible function of the sources. A network learns to classify the segment of an observation. Its last
hidden layer h(x) then holds the magnitudes of the sources, mixed by a matrix, and a linear ICA of h(x)
separates them.

    L = E[-log softmax(W h(x) + b)_segment] + decay * (sum of half the squares of all weights)

The theory: if log p(s | segment) = lambda(segment) q(s) - log Z, then q(s) = A h(x) + d. For Laplace
sources q(s) is |s|, for Gaussian ones s^2.

Observations are whitened first. The hidden layers are maxout units with two pieces, and the features are
absolute values. In the first steps only the logistic regression W, b is trained. The codes use an
exponential moving average of the weights, and the ICA is fitted after the last step.

## Settings
latents (0 = as many as observed), layers (3: how many the mixing is assumed to have; the feature
network has as many), width (maxout units of all layers but the last; 0 = twice the observed variables),
decay (0.0001, weight decay), average (0.999, decay of the moving average), head (0.1, share of the steps
in which only the logistic regression is trained).

By default batches have 512 rows, and the learning rate rises to 0.02 and falls by half a cosine, which Adam
bears here. One layer is found sooner at a higher rate:

    unbraid train --model tcl --data mixing --set data.generator=tcl --set data.layers=1 \\
        --set data.factors=size --set model.layers=1 --steps 5000 \\
        --set \"train.learning_rate={schedule='cosine', from=0.1, to=1e-5, steps=5000}\"

## What to expect
The command above finds the magnitudes of 20 sources in a linear mixture with an MCC of 0.999, in half a
minute on one thread; so do the defaults with their 20,000 steps, and with three layers 0.94 (data seed 0). Each layer of the mixing makes it harder. With 2, 3, 4 and 5 layers, as many in
the network, and 15,000 steps at a learning rate from 0.01 the MCC is 0.98, 0.85, 0.73 and 0.60, means
over three data sets. The optimisation is what falls short: the cross-entropy could be about as low as for
a linear mixture. More segments help: with 8, 32 and 128 in place of 256 three layers give 0.26, 0.65 and
0.84. `unbraid reproduce tcl` prints the table.

## Reading the log
`accuracy` is the classification accuracy of segments in a batch, `chance` that of guessing. An accuracy
near chance is no failure where many segments are alike; while `cross_entropy` still falls, train longer.

## Cautions
Signs are lost: evaluate the codes against the magnitudes of the sources (`data.factors = \"size\"` of
`mixing`). If the means of the sources change too, the theory does not hold; `data.staircase` of `mixing`
demonstrates that. The segments must differ enough: with few segments some sources are not identifiable.
There is no decoder, and order and scale of codes are arbitrary.",
    };
    const SUPERVISION: Supervision = Supervision::Labels;
    const RECIPE: &'static str = "\
[train]
batch = 512
learning_rate = { schedule = 'warmup', to = 0.02, steps = 100 }";

    fn init(config: &Config, task: &Task, rng: &Rng, device: &Device) -> Self {
        let observed = task.shape.size();
        let mut sizes = vec![observed];
        sizes.extend(vec![config.width; config.layers - 1]);
        sizes.push(config.latents);
        // Built twice from the same random numbers: a clone would share its parameters' identity.
        let net = || Net::new(&sizes, task.label.max(1), &mut rng.split("net"), device);
        Self {
            whitening: Fitted::identity(observed, device),
            net: net(),
            average: net().no_grad(),
            unmixing: Fitted::identity(config.latents, device),
            decay: config.decay,
            average_decay: config.average,
            head: config.head,
        }
    }

    fn prepare(mut self, data: &dyn Dataset, rng: &Rng, _watch: &dyn Watch) -> Result<Self> {
        let rows = rng.split("rows").distinct(WHITENED.min(data.len()), data.len());
        check_segments(data, &rows)?;
        let x = data::observations(data, &rows);
        let size = x.ncols();
        let pca = Pca::fit(x.view(), size.min(x.nrows()), &mut rng.split("whitening"))?;
        let rank = pca.rank();
        if rank == 0 {
            let reason = "all observations are the same; tcl has nothing to learn from";
            return Err(Error::Unable(reason.into()));
        }
        if rank < size {
            return Err(Error::Unable(format!(
                "the observations have {size} numbers but vary in {rank} directions only, and tcl \
                 needs as many as numbers; leave out those that can be computed from others"
            )));
        }
        self.whitening = Fitted::new(&pca.mean, &pca.whitening(), &self.whitening.device());
        Ok(self)
    }

    fn loss(&self, batch: &Batch, step: &mut Step) -> Loss {
        let segments = batch.labels();
        let chance = 1.0 / segments.dims()[1] as f32;
        let head_only = (step.number as f64) < self.head * step.total as f64;
        let net = if head_only { self.net.with_fixed_features() } else { self.net.clone() };
        let logits = net.logits(self.features_of(&net, batch));
        let accuracy = accuracy(logits.clone().detach(), segments.clone());
        let chance = Tensor::from_data([chance], &accuracy.device());
        let cross_entropy = compute::cross_entropy(logits, segments);
        Loss::new(cross_entropy.clone() + net.squared_norms() * (0.5 * self.decay))
            .term("cross_entropy", cross_entropy)
            .term("accuracy", accuracy)
            .term("chance", chance)
    }

    fn follow(mut self, step: &Step) -> Self {
        let t = step.number as f64;
        let decay = self.average_decay.min((1.0 + t) / (10.0 + t));
        self.average = self.average.towards(&self.net, 1.0 - decay);
        self
    }

    fn finish(mut self, data: &dyn Dataset, rng: &Rng, _watch: &dyn Watch) -> Result<Self> {
        let rows = rng.split("rows").distinct(UNMIXED.min(data.len()), data.len());
        let h = self.valid().averaged_features(&data::observations(data, &rows));
        let latents = h.ncols();
        let pca = Pca::fit(h.view(), latents.min(h.nrows()), &mut rng.split("rank"))?;
        // Directions in which the features are constant have codes of zero.
        let rank = pca.rank();
        let mut unmixing = Array2::zeros((latents, latents));
        if rank > 0 {
            let ica = FastIca::fit(h.view(), rank, &mut rng.split("ica"))?;
            unmixing.slice_axis_mut(Axis(0), (0..rank).into()).assign(&ica.unmixing);
        }
        self.unmixing = Fitted::new(&pca.mean, &unmixing, &self.unmixing.device());
        Ok(self)
    }

    fn encode(&self, seen: &Batch) -> Code {
        let mean = self.unmixing.forward(self.features_of(&self.average, seen));
        Code { mean, log_variance: None, kl: None }
    }
}

impl Tcl {
    /// `[batch, latents]`
    fn features_of(&self, net: &Net, batch: &Batch) -> Tensor<2> {
        net.features(self.whitening.forward(compute::flatten(batch.x())))
    }

    /// The features of rows of observations, before their ICA.
    fn averaged_features(&self, x: &Array2<f32>) -> Array2<f32> {
        let mut h = Vec::new();
        for rows in x.axis_chunks_iter(Axis(0), CHUNK) {
            let numbers: Vec<f32> = rows.iter().copied().collect();
            let rows = batch::matrix(&numbers, rows.nrows(), x.ncols(), &device::inference());
            h.extend(batch::numbers(self.average.features(self.whitening.forward(rows))));
        }
        let width = h.len() / x.nrows().max(1);
        Array2::from_shape_vec((x.nrows(), width), h).expect("every row has the same width")
    }
}

/// The share of rows whose segment has the largest logit.
fn accuracy(logits: Tensor<2>, segments: Tensor<2>) -> Tensor<1> {
    let largest = logits.clone().max_dim(1);
    let found = (logits * segments).sum_dim(1);
    found.greater_equal(largest).float().mean()
}

/// Refuse labels that are not one-hot segments, and a single segment.
fn check_segments(data: &dyn Dataset, rows: &[usize]) -> Result<()> {
    let mut found = BTreeSet::new();
    for &row in rows {
        let label = data.label(row).unwrap_or_default();
        let label = ArrayView1::from(&label).insert_axis(Axis(0)).to_owned();
        match segments::segments(&label) {
            Some(segment) => found.extend(segment),
            None => {
                return Err(Error::Unable(
                    "tcl needs the segment of each row, a label with one 1 and zeros; the labels of \
                     these data are others"
                        .into(),
                ));
            }
        }
    }
    if found.len() < 2 { Err(one_segment()) } else { Ok(()) }
}

fn one_segment() -> Error {
    Error::Unable(
        "all rows lie in one segment, and tcl learns by telling segments apart; give two or more \
         (of your own series, a smaller data.segment_length)"
            .into(),
    )
}

#[cfg(test)]
mod tests;
