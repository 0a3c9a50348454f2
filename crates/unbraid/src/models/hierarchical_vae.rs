//! The VAE with several layers of latents: the generative model of the Ladder VAE, inferred from the bottom
//! up (Burda et al. 2016, Kingma and Welling 2014); the baseline of Sønderby et al., Ladder Variational
//! Autoencoders, NIPS 2016.
//!
//! ```text
//! q(z|x) = q(z_1|x) Π_{i>1} q(z_i|z_{i−1}),   each N(μ, σ²) of two hidden layers
//! L = E_q[−log p(x|z_1) + β Σ_i (log q(z_i|z_{i−1}) − log p(z_i|z_{i+1}))]
//! ```
//!
//! The KL is a single-sample estimate: z_{i+1} was drawn given z_i, so the closed form of a
//! Gaussian KL, which takes them as independent, would not be a bound.

use burn::module::Module;
use burn::tensor::{Device, Tensor};
use unbraid_measure::data::{Dataset, Supervision};
use unbraid_measure::info::Info;
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::Watch;

use crate::compute::flatten;
use crate::error::Result;
use crate::model::batch::Batch;
use crate::model::{Abilities, Code, Densities, Loss, Model, Step, Task};
use crate::parts::distributions::gaussian::{Gaussian, repeated};
use crate::parts::nets::hierarchy::{
    Cost, Draws, GaussianNet, Hierarchy, HierarchySettings, Layer,
};
use crate::parts::nets::normalised::{self, Statistics};

/// The VAE with several layers.
#[derive(Module, Debug)]
pub struct HierarchicalVae {
    hierarchy: Hierarchy,
    /// q(z_1|x), then q(z_i|z_{i−1}).
    up: Vec<GaussianNet>,
}

impl HierarchicalVae {
    /// Sample each layer given the one below, starting from the posterior of the first.
    fn ascend(
        &self,
        first: Gaussian,
        statistics: &mut Statistics,
        draws: &mut Draws,
    ) -> Vec<Layer> {
        let mut drawn = vec![(draws.of(&first), first)];
        for net in &self.up[1..] {
            let below = drawn[drawn.len() - 1].0.clone();
            let posterior = net.forward(below, statistics).1;
            drawn.push((draws.of(&posterior), posterior));
        }
        let prior = |i: usize, statistics: &mut Statistics| match drawn.get(i + 1) {
            None => Gaussian::standard_like(&drawn[i].0),
            Some((above, _)) => self.hierarchy.prior(i, above.clone(), statistics),
        };
        let priors: Vec<Gaussian> = (0..drawn.len()).map(|i| prior(i, statistics)).collect();
        let layer = |((z, posterior), prior)| Layer { z, posterior, prior };
        drawn.into_iter().zip(priors).map(layer).collect()
    }

    fn first(&self, x: Tensor<2>, statistics: &mut Statistics) -> Gaussian {
        self.up[0].forward(x, statistics).1
    }
}

impl Model for HierarchicalVae {
    type Config = HierarchySettings;
    const INFO: Info = Info {
        name: "hierarchical-vae",
        title: "Hierarchical VAE",
        summary: "a VAE with layers of latents and bottom-up inference; the Ladder VAE's baseline",
        paper: "Sønderby et al., Ladder Variational Autoencoders, NIPS 2016",
        page: PAGE,
    };
    const SUPERVISION: Supervision = Supervision::None;

    fn init(config: &HierarchySettings, task: &Task, rng: &Rng, device: &Device) -> Self {
        let mut input = task.shape.size();
        let drawn = &mut rng.split("encoder");
        let mut up = Vec::new();
        for (&latents, &width) in config.layers.iter().zip(&config.widths) {
            up.push(GaussianNet::new([input, width, latents], config.batch_norm, drawn, device));
            input = latents;
        }
        Self { hierarchy: Hierarchy::new(config, task, rng, device), up }
    }

    fn loss(&self, batch: &Batch, step: &mut Step) -> Loss {
        let mut statistics = Statistics::of_batch();
        let first = self.first(flatten(batch.x()), &mut statistics);
        let layers = self.ascend(first, &mut statistics, &mut Draws::Random(step));
        self.hierarchy.loss(batch.x(), &layers, Cost::Drawn, statistics, step)
    }

    fn finish(self, data: &dyn Dataset, rng: &Rng, watch: &dyn Watch) -> Result<Self> {
        normalised::over_data(self, data, rng, watch)
    }

    fn encode(&self, seen: &Batch) -> Code {
        let statistics = &mut Statistics::Data;
        let first = self.first(flatten(seen.x()), statistics);
        self.hierarchy.code(self.ascend(first, statistics, &mut Draws::Means))
    }

    fn abilities(&self) -> Abilities<'_> {
        self.hierarchy.abilities(self)
    }
}

impl Densities for HierarchicalVae {
    fn log_weights(&self, seen: &Batch, draws: usize, step: &mut Step) -> Tensor<1> {
        let statistics = &mut Statistics::Data;
        let x = flatten(seen.x());
        let first = self.first(x.clone(), statistics).repeated(draws);
        let layers = self.ascend(first, statistics, &mut Draws::Random(step));
        self.hierarchy.log_weight(repeated(x, draws), &layers, statistics)
    }

    fn is_bernoulli(&self) -> bool {
        self.hierarchy.is_bernoulli()
    }
}

const PAGE: &str = "\
## What it is
A VAE with a hierarchy of latent layers. The generative model is top-down: z_L to z_1 to the observation.
Inference is bottom-up: q(z_1|x), then q(z_i|z_{i-1}) from a sample of the layer below. It has the
generative model of the Ladder VAE and is its baseline.

    L = E[-log p(x|z_1)] + beta sum_i E[log q(z_i|z_{i-1}) - log p(z_i|z_{i+1})]

## Settings
Those of `ladder-vae` without `share`, `up` and `kl`: layers, widths, batch_norm, beta, codes, likelihood,
noise. With one layer it is a VAE with dense layers. The plain baseline of the paper's tables has
batch_norm = false and beta = 1.

## What to expect
The lower layers do the work. Beyond the second or third, layers suffer posterior collapse, and adding
more does not improve the ELBO. `unbraid show ladder-vae` is the remedy.

## Reading the log
`bound` is the negative ELBO, L with beta = 1. `layer/3/kl` and `layer/3/active` are the KL and the number
of active latents of layer 3; `kl/0` is the KL of latent 0, counted from the bottom layer.";
