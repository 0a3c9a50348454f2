//! The Ladder VAE: Sønderby, Raiko, Maaløe, Sønderby and Winther, Ladder Variational Autoencoders, NIPS
//! 2016 (arXiv:1602.02282).
//!
//! Up: d_n = MLP(d_{n−1}) from d_0 = x, with a Gaussian N(μ̂_i, σ̂²_i) read off each. Down: that
//! Gaussian is evidence, and the layer above gives the prior N(μ_p, σ²_p) of each; the posterior is their
//! product, weighted by precision:
//!
//! ```text
//! σ²_q = 1 / (σ̂⁻² + σ_p⁻²),   μ_q = (μ̂ σ̂⁻² + μ_p σ_p⁻²) σ²_q,   q(z_L|x) = N(μ̂_L, σ̂²_L)
//! L = E_q[−log p(x|z_1)] + β Σ_i KL(q(z_i|z_{i+1}, x) ‖ p(z_i|z_{i+1}))
//! ```
//!
//! The slides print σ_q for what is σ²_q. The nets that give the prior also give what is merged, as in
//! the paper; the released code has two sets of them (`share = false`) and feeds d_n from the mean μ̂ of
//! the layer below (`up = "means"`). A widespread port takes the KL to the evidence in place of the
//! prior, without the ½ of log σ², and leaves the top layer out: its loss is no bound.
//!
//! What is ours: the KL of each layer in closed form given the layer above (`kl = "drawn"` is the released
//! code's); Adam with ε = 1e-8 and no clipping; Glorot-uniform weights.

use burn::module::Module;
use burn::tensor::{Device, Tensor};
use serde::{Deserialize, Serialize};
use unbraid_measure::data::{Dataset, Supervision};
use unbraid_measure::info::Info;
use unbraid_measure::rng::Rng;
use unbraid_measure::settings::words;

use crate::compute::flatten;
use crate::error::Result;
use crate::model::batch::Batch;
use crate::model::{Code, Loss, Model, Settings, Step, Task};
use crate::parts::distributions::gaussian::{Gaussian, repeated};
use crate::parts::nets::hierarchy::{
    Cost, Draws, GaussianNet, Hierarchy, HierarchySettings, Layer,
};
use crate::parts::nets::normalised::{self, Statistics};

words! {
    /// What goes up to the next layer.
    pub enum Up {
        /// The hidden units, as in the paper.
        Hidden = "hidden",
        /// The means of the layer below, as in the released code.
        Means = "means",
    }
}

/// The settings of a Ladder VAE.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Config {
    /// Whether the nets of the prior also give what is merged with the evidence.
    pub share: bool,
    /// What goes up to the next layer: "hidden" units, or "means" as in the released code.
    pub up: Up,
    /// "exact", or "drawn" by one sample, as in the released code.
    pub kl: Cost,
    /// The layers.
    #[serde(flatten)]
    pub hierarchy: HierarchySettings,
}

impl Default for Config {
    fn default() -> Self {
        let (up, kl) = (Up::Hidden, Cost::Exact);
        Self { share: true, up, kl, hierarchy: HierarchySettings::default() }
    }
}

impl Settings for Config {
    fn resolve(&mut self, task: &Task) -> Result<()> {
        self.hierarchy.resolve(task)
    }
}

/// The Ladder VAE.
#[derive(Module, Debug)]
pub struct LadderVae {
    hierarchy: Hierarchy,
    /// x, then d_i or μ̂_i, to the evidence of each layer, from the bottom.
    up: Vec<GaussianNet>,
    /// What is merged with the evidence, where it is not the prior; one for each layer but the top.
    down: Option<Vec<GaussianNet>>,
    #[module(skip)]
    means_up: bool,
    #[module(skip)]
    cost: Cost,
}

impl LadderVae {
    /// The evidence N(μ̂_i, σ̂²_i) of each layer, from the bottom.
    fn evidence(&self, x: Tensor<2>, statistics: &mut Statistics) -> Vec<Gaussian> {
        let mut d = x;
        let mut evidence = Vec::new();
        for net in &self.up {
            let (h, found) = net.forward(d, statistics);
            d = if self.means_up { found.mean.clone() } else { h };
            evidence.push(found);
        }
        evidence
    }

    /// Each layer drawn given the one above, returned from the bottom.
    fn descend(
        &self,
        mut evidence: Vec<Gaussian>,
        statistics: &mut Statistics,
        draws: &mut Draws,
    ) -> Vec<Layer> {
        let mut layers: Vec<Layer> = Vec::new();
        while let Some(found) = evidence.pop() {
            let i = evidence.len();
            let (posterior, prior) = match layers.last() {
                None => (found.clone(), Gaussian::standard_like(&found.mean)),
                Some(above) => {
                    let prior = self.hierarchy.prior(i, above.z.clone(), statistics);
                    let merged = match &self.down {
                        None => found.merged(&prior),
                        Some(down) => found.merged(&down[i].forward(above.z.clone(), statistics).1),
                    };
                    (merged, prior)
                }
            };
            layers.push(Layer { z: draws.of(&posterior), posterior, prior });
        }
        layers.reverse();
        layers
    }
}

impl Model for LadderVae {
    type Config = Config;
    const INFO: Info = Info {
        name: "ladder-vae",
        title: "Ladder VAE",
        summary: "a VAE with layers of codes; what the data say and what the layer above expects meet",
        paper: "Sønderby et al., Ladder Variational Autoencoders, NIPS 2016",
        page: PAGE,
    };
    const SUPERVISION: Supervision = Supervision::None;

    fn init(config: &Config, task: &Task, rng: &Rng, device: &Device) -> Self {
        let HierarchySettings { layers, widths, batch_norm, .. } = &config.hierarchy;
        let means_up = config.up == Up::Means;
        let mut input = task.shape.size();
        let drawn = &mut rng.split("encoder");
        let mut up = Vec::new();
        for (&latents, &width) in layers.iter().zip(widths) {
            up.push(GaussianNet::new([input, width, latents], *batch_norm, drawn, device));
            input = if means_up { latents } else { width };
        }
        let drawn = &mut rng.split("down");
        let down = |i: usize| {
            let size = [layers[i + 1], widths[i + 1], layers[i]];
            GaussianNet::new(size, *batch_norm, drawn, device)
        };
        let hierarchy = Hierarchy::new(&config.hierarchy, task, rng, device);
        let down = (!config.share).then(|| (0..layers.len() - 1).map(down).collect());
        Self { hierarchy, up, down, means_up, cost: config.kl }
    }

    fn loss(&self, batch: &Batch, step: &mut Step) -> Loss {
        let mut statistics = Statistics::of_batch();
        let evidence = self.evidence(flatten(batch.x()), &mut statistics);
        let layers = self.descend(evidence, &mut statistics, &mut Draws::Random(step));
        self.hierarchy.loss(batch.x(), &layers, self.cost, statistics, step)
    }

    fn finish(self, data: &dyn Dataset, rng: &Rng) -> Result<Self> {
        Ok(normalised::over_data(self, data, rng))
    }

    fn encode(&self, seen: &Batch) -> Code {
        let statistics = &mut Statistics::Data;
        let evidence = self.evidence(flatten(seen.x()), statistics);
        self.hierarchy.code(self.descend(evidence, statistics, &mut Draws::Means))
    }

    fn decode(&self, z: Tensor<2>) -> Option<Tensor<4>> {
        Some(self.hierarchy.decode(z))
    }

    fn decode_changed(&self, from: Tensor<2>, to: Tensor<2>) -> Option<Tensor<4>> {
        Some(self.hierarchy.decode_changed(from, to))
    }

    fn layers(&self) -> Vec<usize> {
        self.hierarchy.layers()
    }

    fn log_weights(&self, seen: &Batch, draws: usize, step: &mut Step) -> Option<Tensor<1>> {
        let statistics = &mut Statistics::Data;
        let x = flatten(seen.x());
        let evidence = self.evidence(x.clone(), statistics);
        let evidence = evidence.into_iter().map(|found| found.repeated(draws)).collect();
        let layers = self.descend(evidence, statistics, &mut Draws::Random(step));
        Some(self.hierarchy.log_weight(repeated(x, draws), &layers, statistics))
    }
}

const PAGE: &str = "\
## What it is
A VAE whose code is a hierarchy: z_1 makes the observation, z_2 makes z_1, and so on to the top. The
usual way to train one infers z_1 from the data and each further layer from the one below, and the upper
layers soon tell nothing. The Ladder VAE goes up without drawing anything, then down: each layer's
posterior is the product of what the data say and of what the layer above expects, weighted by how sure
each is.

    L = E[-log p(x|z_1)] + beta sum_i KL(q(z_i | z_{i+1}, x) || p(z_i | z_{i+1}))

## Settings
layers ([64, 32, 16, 8, 4], latents from the bottom up), widths (units of the two hidden layers of each;
512, 256, 128, 64, 32), batch_norm (true), beta (0 to 1 in the first 2000 steps: the warm-up, without
which upper layers die; the paper takes 200 of 2000 epochs), kl (exact, or drawn by one sample), codes
(0: the means of all layers side by side; 1 and up: of that layer), likelihood (bernoulli, gaussian or
auto), noise (standard deviation of the gaussian likelihood; 0 learns it for each number).

share (true): the nets that give the prior also give what is merged with the evidence. The released code
has two sets of nets (false). up (hidden): what goes up to the next layer; the released code has means.

For likelihoods of grey images set train.binarize = true: pixels are drawn black or white anew at each
look. `unbraid evaluate RUN --bound 5000` then gives the bound that papers print.

## What to expect
Upper layers that stay active, and a better bound than `hierarchical-vae` of the same size.

## Reading the log
`bound` is L with beta = 1. `layer/3/kl` and `layer/3/active` are the KL and the active latents of layer
3, `kl/0` is the KL of each latent, counted from the bottom.

## Cautions
Decoding starts at the lowest layer among the codes: with the codes of all layers the first says all. In
walks (`unbraid traverse`) a change of a code passes on: each layer below keeps its distance from what the
one above expects. In training, batch norm makes what one row costs depend on the rows beside it (with
train.batch = 1 nothing is left of the row); codes and bounds use statistics of the training data.";
