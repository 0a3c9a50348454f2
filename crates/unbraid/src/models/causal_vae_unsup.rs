//! CausalVAE-unsup, the ablation in CausalVAE's table (Yang et al., CVPR 2021, section 6.1): the same
//! model without labels, hence without the mask layer and the conditional prior. No code was released.
//!
//! ```text
//! ε ~ q(ε|x),  z = (I − Aᵀ)⁻¹ ε,  L = E[−log p(x|z)] + KL(q(ε|x) ‖ N(0, I)) + α h(A)
//! ```

use burn::module::Module;
use burn::tensor::{Device, Tensor};
use serde::{Deserialize, Serialize};
use unbraid_measure::data::Supervision;
use unbraid_measure::info::Info;
use unbraid_measure::rng::Rng;

use crate::error::Result;
use crate::model::batch::Batch;
use crate::model::{Abilities, Code, Loss, Model, Settings, Step, Task};
use crate::parts::concepts::acyclic::Form;
use crate::parts::concepts::nets::{ConceptNetSettings, ConceptNets};
use crate::parts::concepts::structure::{Solved, Structure};
use crate::parts::distributions::gaussian::Gaussian;
use crate::parts::schedule::Schedule;

/// The settings of the ablation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Config {
    /// α, the weight of the acyclicity penalty.
    pub alpha: Schedule,
    /// How cycles are counted: "polynomial" or "exponential".
    pub acyclicity: Form,
    /// How many codes.
    pub latents: usize,
    /// The networks.
    #[serde(flatten)]
    pub net: ConceptNetSettings,
}

impl Default for Config {
    fn default() -> Self {
        let net = ConceptNetSettings::default();
        Self { alpha: 1.0.into(), acyclicity: Form::Polynomial, latents: 4, net }
    }
}

impl Settings for Config {
    fn resolve(&mut self, task: &Task) -> Result<()> {
        self.alpha.check("model.alpha", 0.0)?;
        self.net.resolve(task, self.latents)
    }
}

/// CausalVAE without labels.
#[derive(Module, Debug)]
pub struct CausalVaeUnsup {
    nets: ConceptNets,
    structure: Structure,
    #[module(skip)]
    alpha: Schedule,
    #[module(skip)]
    acyclicity: Form,
}

fn through(solved: &Solved, codes: Tensor<2>) -> Tensor<2> {
    let [rows, latents] = codes.dims();
    Structure::endogenous(solved, codes.reshape([rows, latents, 1])).reshape([rows, latents])
}

impl Model for CausalVaeUnsup {
    type Config = Config;
    const INFO: Info = Info {
        name: "causal-vae-unsup",
        title: "CausalVAE-unsup",
        summary: "CausalVAE without labels: a VAE with a linear SCM over its latents; an ablation",
        paper: "Yang et al., CausalVAE, CVPR 2021",
        page: "\
## What it is
What is left of `causal-vae` without labels:

    z = A' z + eps,   L = E[-log p(x|z)] + KL(q(eps|x) || N(0, I)) + alpha h(A)

Nothing ties a latent to a concept, and the decoder can absorb any linear map of Gaussian noise. So this
is a VAE, and scores like one.

## Settings
alpha (1), acyclicity (polynomial or exponential), latents (4), net, width, likelihood and noise as in
`causal-vae`.

## What to expect
MIC and TIC far below those of `causal-vae`; the graph means nothing.",
    };
    const SUPERVISION: Supervision = Supervision::None;

    fn init(config: &Config, task: &Task, rng: &Rng, device: &Device) -> Self {
        Self {
            nets: ConceptNets::new(&config.net, task, [config.latents, 1], 0, rng, device),
            structure: Structure::open(config.latents, device),
            alpha: config.alpha,
            acyclicity: config.acyclicity,
        }
    }

    fn loss(&self, batch: &Batch, step: &mut Step) -> Loss {
        let q = self.nets.posterior(batch.x(), None);
        let solved = self.structure.solve();
        let reconstruction = self.nets.error(through(&solved, q.sample(step)), batch.x());
        let each = q.kl_per_latent();
        let kl = each.clone().sum();
        let a = self.structure.adjacency();
        let cycles = self.acyclicity.of(a.clone());
        let total = reconstruction.clone() + kl.clone() + cycles.clone() * self.alpha.at(step);
        Loss::new(total)
            .term("reconstruction", reconstruction)
            .term("kl", kl)
            .term("cycles", cycles)
            .latents(each)
            .graph(a)
    }

    fn encode(&self, seen: &Batch) -> Code {
        let q = self.nets.posterior(seen.x(), None);
        let solved = self.structure.solve();
        let squared = Solved { inverse: solved.inverse.clone().square(), ..solved.clone() };
        let variance = through(&squared, q.log_variance.clone().exp());
        // The KL of eps at the same index: the prior of z itself does not factorise.
        let prior = Gaussian { mean: q.mean.zeros_like(), log_variance: q.mean.zeros_like() };
        let kl = q.kl_from(&prior);
        let mean = through(&solved, q.mean);
        Code { mean, log_variance: Some(variance.log()), kl: Some(kl) }
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { decoder: Some(&self.nets), ..Abilities::default() }
    }
}
