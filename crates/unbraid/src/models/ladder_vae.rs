//! The Ladder VAE: Sønderby, Raiko, Maaløe, Sønderby and Winther, Ladder Variational Autoencoders, NIPS
//! 2016 (arXiv:1602.02282).
//!
//! Bottom-up: d_n = MLP(d_{n−1}) from d_0 = x, with a Gaussian N(μ̂_i, σ̂²_i) from each, the evidence.
//! Top-down: the layer above gives the prior N(μ_p, σ²_p). The posterior is the product of evidence and
//! prior, weighted by precision:
//!
//! ```text
//! σ²_q = 1 / (σ̂⁻² + σ_p⁻²),   μ_q = (μ̂ σ̂⁻² + μ_p σ_p⁻²) σ²_q,   q(z_L|x) = N(μ̂_L, σ̂²_L)
//! L = E_q[−log p(x|z_1)] + β Σ_i KL(q(z_i|z_{i+1}, x) ‖ p(z_i|z_{i+1}))
//! ```
//!
//! The slides print σ_q for what is σ²_q. The networks of the prior also give what is merged, as in
//! the paper; the released code has two sets of them (`share = false`) and feeds d_n from the mean
//! μ̂ of the layer below (`up = "means"`). A widespread port takes the KL to the evidence in place
//! of the prior, without the ½ of log σ², and leaves the top layer out: its loss is no bound.
//!
//! Ours: the closed-form KL of each layer given the layer above (the released code has `kl = "drawn"`);
//! Adam with ε = 1e-8 and no clipping; Glorot-uniform weights.

use burn::module::Module;
use burn::tensor::{Device, Tensor};
use serde::{Deserialize, Serialize};
use unbraid_measure::data::{Dataset, Supervision};
use unbraid_measure::info::Info;
use unbraid_measure::rng::Rng;
use unbraid_measure::settings::words;
use unbraid_measure::watch::Watch;

use crate::compute::flatten;
use crate::error::Result;
use crate::model::batch::Batch;
use crate::model::{Abilities, Code, Densities, Loss, Model, Settings, Step, Task};
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
    /// Whether the networks of the prior also give what is merged with the bottom-up evidence.
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
    /// x, then d_i or μ̂_i, to the bottom-up evidence of each layer, from the bottom.
    up: Vec<GaussianNet>,
    /// What is merged with the evidence if that is not the prior; one for each layer but the top.
    down: Option<Vec<GaussianNet>>,
    #[module(skip)]
    means_up: bool,
    #[module(skip)]
    cost: Cost,
}

impl LadderVae {
    /// The bottom-up evidence N(μ̂_i, σ̂²_i) of each layer, from the bottom.
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

    /// Sample each layer given the one above; returned from the bottom.
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
        summary: "a VAE with layers of latents: merges bottom-up evidence and top-down prior",
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

    fn finish(self, data: &dyn Dataset, rng: &Rng, watch: &dyn Watch) -> Result<Self> {
        normalised::over_data(self, data, rng, watch)
    }

    fn encode(&self, seen: &Batch) -> Code {
        let statistics = &mut Statistics::Data;
        let evidence = self.evidence(flatten(seen.x()), statistics);
        self.hierarchy.code(self.descend(evidence, statistics, &mut Draws::Means))
    }

    fn abilities(&self) -> Abilities<'_> {
        self.hierarchy.abilities(self)
    }
}

impl Densities for LadderVae {
    fn log_weights(&self, seen: &Batch, draws: usize, step: &mut Step) -> Tensor<1> {
        let statistics = &mut Statistics::Data;
        let x = flatten(seen.x());
        let evidence = self.evidence(x.clone(), statistics);
        let evidence = evidence.into_iter().map(|found| found.repeated(draws)).collect();
        let layers = self.descend(evidence, statistics, &mut Draws::Random(step));
        self.hierarchy.log_weight(repeated(x, draws), &layers, statistics)
    }

    fn is_bernoulli(&self) -> bool {
        self.hierarchy.is_bernoulli()
    }
}

const PAGE: &str = "\
## What it is
A VAE with a hierarchy of latent layers. The generative model is top-down: z_L to z_1 to the observation.
With bottom-up inference, where each layer is sampled given the one below, the upper layers suffer
posterior collapse. The Ladder VAE has a deterministic bottom-up pass, then a stochastic top-down pass:
the posterior of each layer is the precision-weighted product of the bottom-up evidence and the top-down
prior.

    L = E[-log p(x|z_1)] + beta sum_i KL(q(z_i | z_{i+1}, x) || p(z_i | z_{i+1}))

## Settings
layers ([64, 32, 16, 8, 4], latents from the bottom up), widths (units of the two hidden layers of each;
512, 256, 128, 64, 32), batch_norm (true), beta (0 to 1 in the first 2000 steps: KL warm-up, without which
upper layers collapse; the paper takes 200 of 2000 epochs), kl (exact, or drawn: a single-sample
estimate), codes (0: the posterior means of all layers, concatenated; 1 and up: of that layer), likelihood
(bernoulli, gaussian or auto), noise (standard deviation of the gaussian likelihood; 0 learns one per
pixel).

share (true): the networks of the prior also give what is merged with the evidence; the released code has
two sets of networks (false). up (hidden): the input of the next layer; means in the released code.

For likelihoods of grey images set train.binarize = true: pixels are sampled as 0 or 1 each time an image
is seen. `unbraid evaluate RUN --bound 5000` then gives the IWAE bound that papers report.

## What to expect
Upper layers that stay active, and a better ELBO than `hierarchical-vae` of the same size.

## Reading the log
`bound` is the negative ELBO, L with beta = 1. `layer/3/kl` and `layer/3/active` are the KL and the number
of active latents of layer 3; `kl/0` is the KL of latent 0, counted from the bottom layer.

## Cautions
Decoding starts at the lowest layer among the codes: if the codes have all layers, only z_1 is decoded. In
latent traversals (`unbraid traverse`) a change passes on: each layer below keeps its offset from the mean
of its prior. With batch norm the training loss of a row depends on the other rows of the batch (with
train.batch = 1 nothing is left of the row); codes and the IWAE bound use statistics of the training
data.";
