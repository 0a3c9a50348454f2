//! CausalVAE: Yang, Liu, Chen, Shen, Hao and Wang, CausalVAE: Disentangled Representation Learning via
//! Neural Structural Causal Models, CVPR 2021 (arXiv:2004.08697).
//!
//! ```text
//! ε ~ q(ε|x, u) = N(h(x, u), σ(x, u)²)       the encoder sees the labels u of the concepts
//! z = C ε,  C = (I − Aᵀ)⁻¹                   a linear structural model over concepts
//! ẑ_i = g_i(A_i ∘ z) + ε_i                   the mask layer: each concept from its causes
//! x ~ p(x|ẑ)
//! L = E[−log p(x|ẑ)] + KL(q(ε|x, u) ‖ N(0, I)) + KL(q(z|x, u) ‖ N(λ(u), λ₂² I))
//!     + α h(A) + β E‖u − σ(Aᵀ u)‖² + γ E Σ_i ‖z_i − g_i(A_i ∘ z)‖²
//! ```
//!
//! With Σ = diag σ² the KL of z is exact:
//! ½ ((tr C Σ Cᵀ + ‖C h − λ(u)‖²) / λ₂² − n + 2 n log λ₂ − Σ log σ² − 2 log |det C|).
//!
//! `variant = "released"` computes what the released code computes (see `released.rs`).
//!
//! The reconstruction loss is divided by channels x height, as in the released code, which produced the
//! paper's numbers; the paper does not say. With the ELBO (`reconstruction = 1`) the conditional prior
//! weighs next to nothing beside some hundred nats of pixels, and latents mix concepts. For the same
//! reason λ₂ is 0.1 for labels in −1..1. The paper has λ₂ = 1 and λ₁(u) = u in units it does not state;
//! with 1 on this scale the standard normal prior of ε and the mask term pull latents off their labels.
//!
//! Ours: the model is never given the true graph. By default conditional independence tests on the
//! labels find its edges before training, and only their weights are learned; "zero" learns all of
//! A from the paper's losses. σ in the label term needs labels within 0..1, so they are rescaled
//! for that term. For interventions, a linear regression on the trained latents maps label values
//! to latents.

use burn::module::Module;
use burn::tensor::{Device, Tensor};
use unbraid_measure::data::{Dataset, Do, Supervision};
use unbraid_measure::info::Info;
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::Watch;

use crate::error::Result;
use crate::model::batch::{self, Batch, Seen};
use crate::model::{
    Abilities, Code, Concepts, Decoder, Intervened, Loss, Model, Step, Strengths, Task,
};
use crate::parts::concepts::calibration::Calibration;
use crate::parts::concepts::found_graph::GraphSettings;
use crate::parts::concepts::mask::{Factual, MaskLayer, Sees, Setting};
use crate::parts::concepts::nets::ConceptNets;
use crate::parts::concepts::scaling::{Balance, Scaling, in_dimensions, labels};
use crate::parts::concepts::structure::{Solved, Structure, acyclic};
use crate::parts::distributions::gaussian::Gaussian;
use crate::parts::schedule::Schedule;

mod page;
mod paper;
mod released;
mod settings;

use page::PAGE;
use released::Released;
pub use settings::{Config, SeesLabels, Variant};

/// How many rows calibrate latents against labels.
const CALIBRATED: usize = 2048;

/// CausalVAE.
#[derive(Module, Debug)]
pub struct CausalVae {
    nets: ConceptNets,
    structure: Structure,
    mask: MaskLayer,
    scaling: Scaling,
    /// Maps from label values to latents, before and after the mask layer.
    before: Calibration,
    after: Calibration,
    released: Option<Released>,
    #[module(skip)]
    balance: Balance,
    #[module(skip)]
    weights: [Schedule; 3],
    #[module(skip)]
    graph: GraphSettings,
    #[module(skip)]
    sees_labels: bool,
    #[module(skip)]
    fixed_scaling: Vec<[f32; 2]>,
    #[module(skip)]
    concepts: usize,
    #[module(skip)]
    dimensions: usize,
}

impl CausalVae {
    /// q(ε|x, u), for labels on their scale.
    fn posterior(&self, x: Tensor<4>, labels: Option<&Tensor<2>>) -> Gaussian {
        let q = self.nets.posterior(x, labels.filter(|_| self.sees_labels).cloned());
        match self.released {
            Some(_) => Gaussian { log_variance: q.mean.zeros_like(), ..q },
            None => q,
        }
    }

    /// `[batch, concepts, dimensions]`
    fn in_concepts(&self, codes: Tensor<2>) -> Tensor<3> {
        let rows = codes.dims()[0];
        codes.reshape([rows, self.concepts, self.dimensions])
    }

    /// `[batch, concepts · dimensions]`
    fn flat(&self, codes: Tensor<3>) -> Tensor<2> {
        let rows = codes.dims()[0];
        codes.reshape([rows, self.concepts * self.dimensions])
    }

    /// λ(u) for every dimension of a concept, `[batch, concepts · dimensions]`.
    fn prior_means(&self, labels: &Tensor<2>) -> Tensor<2> {
        in_dimensions(labels, self.dimensions)
    }

    /// The decoder's input without added noise: the mask layer's output plus the exogenous part.
    fn made(&self, z: &Tensor<3>, noise: &Tensor<3>, a: &Tensor<2>) -> Tensor<3> {
        let from_causes = self.mask.forward(z, a);
        from_causes + self.exogenous_part(z, noise)
    }

    /// The part of a concept that its causes do not determine: ε, or in the released code the
    /// attention.
    fn exogenous_part(&self, z: &Tensor<3>, noise: &Tensor<3>) -> Tensor<3> {
        match &self.released {
            Some(released) => released.attend(z.clone(), noise.clone()),
            None => noise.clone(),
        }
    }

    /// The diagonal of C Σ Cᵀ of each row, `[batch, latents]`.
    fn variance_of_z(&self, q: &Gaussian, solved: &Solved) -> Tensor<2> {
        let squared = Solved {
            inverse: solved.inverse.clone().square(),
            log_determinant: solved.log_determinant.clone(),
        };
        let variance = self.in_concepts(q.log_variance.clone().exp());
        self.flat(Structure::endogenous(&squared, variance))
    }

    /// z of each row as independent Gaussians: the means, and the diagonal of the covariance.
    fn marginals(&self, q: &Gaussian, solved: &Solved) -> Gaussian {
        let mean = self.flat(Structure::endogenous(solved, self.in_concepts(q.mean.clone())));
        Gaussian { mean, log_variance: self.variance_of_z(q, solved).log() }
    }

    fn kl_from_prior(&self, z: &Gaussian, labels: &Tensor<2>) -> Tensor<2> {
        z.kl_from(&self.balance.prior(self.prior_means(labels)))
    }

    /// Fit the maps from label values to latents, on the trained model.
    fn calibrated(mut self, data: &dyn Dataset, rng: &Rng) -> Self {
        let rows = unbraid_measure::data::rows(data, CALIBRATED, &rng.split("calibration"));
        let seen = Seen::of(data, &rows);
        let device = crate::compute::device::inference();
        let model = self.valid();
        let mut parts = [vec![], vec![]];
        for from in (0..rows.len()).step_by(64) {
            let draw = seen.part(from, rows.len().min(from + 64));
            let batch = Batch::new(&draw, data.shape(), &device);
            let z = model.in_concepts(model.encode(&batch).mean);
            let noise = model.structure.exogenous(z.clone());
            let made = model.made(&z, &noise, &model.structure.adjacency());
            parts[0].extend(batch::numbers(z));
            parts[1].extend(batch::numbers(made));
        }
        let labels = seen.labels.expect("the sampler has refused data without labels");
        let labels = self.scaling.scaled_array(&labels);
        let shape = (rows.len(), self.concepts * self.dimensions);
        let device = self.structure.adjacency().device();
        let [before, after] = parts.map(|numbers| {
            let codes = ndarray::Array2::from_shape_vec(shape, numbers);
            Calibration::fitted(&codes.expect("a row for each"), &labels, &device)
        });
        (self.before, self.after) = (before, after);
        self
    }
}

/// The loss with its terms, in the order of the log.
fn logged(total: Tensor<1>, terms: [Tensor<1>; 6], a: Tensor<2>) -> Loss {
    let names = ["reconstruction", "kl_exogenous", "kl", "mask", "labels", "cycles"];
    let loss = Loss::new(total).graph(a);
    names.into_iter().zip(terms).fold(loss, |loss, (name, term)| loss.term(name, term))
}

impl Model for CausalVae {
    type Config = Config;
    const INFO: Info = Info {
        name: "causal-vae",
        title: "CausalVAE",
        summary: "a VAE with labelled concepts as latents in a structural causal model it learns",
        paper: "Yang et al., CausalVAE, CVPR 2021",
        page: PAGE,
    };
    const SUPERVISION: Supervision = Supervision::Labels;

    fn init(config: &Config, task: &Task, rng: &Rng, device: &Device) -> Self {
        let size @ [concepts, dimensions] = [task.label, config.dimensions];
        let labels = if config.sees_labels() { concepts } else { 0 };
        let released = config.variant == Variant::Released;
        let sees = if released { Sees::Sum } else { Sees::Each };
        Self {
            nets: ConceptNets::new(&config.net, task, size, labels, rng, device),
            structure: Structure::new(concepts, device),
            mask: MaskLayer::new(size, sees, &[32], &rng.split("mask"), device),
            scaling: Scaling::new(concepts, device),
            before: Calibration::new(concepts, dimensions, device),
            after: Calibration::new(concepts, dimensions, device),
            released: released.then(|| Released::new(size, rng, device)),
            balance: config.balance,
            weights: [config.alpha, config.beta, config.gamma],
            graph: config.graph.clone(),
            sees_labels: config.sees_labels(),
            fixed_scaling: config.scaling.clone(),
            concepts,
            dimensions,
        }
    }

    fn prepare(mut self, data: &dyn Dataset, rng: &Rng, _watch: &dyn Watch) -> Result<Self> {
        let labels = labels(data, rng)?;
        let device = self.structure.adjacency().device();
        self.scaling = match self.fixed_scaling.is_empty() {
            true => Scaling::fitted(&labels, &device),
            false => Scaling::with(&self.fixed_scaling, &device),
        };
        let start = self.graph.start(&self.scaling.scaled_array(&labels), rng)?;
        self.structure = Structure::with(&start.weight, &start.support, &device);
        self.mask = self.mask.pruned(&start.support);
        Ok(self)
    }

    fn loss(&self, batch: &Batch, step: &mut Step) -> Loss {
        match &self.released {
            Some(released) => self.released_loss(released, batch, step),
            None => self.paper_loss(batch, step),
        }
    }

    fn finish(self, data: &dyn Dataset, rng: &Rng, _watch: &dyn Watch) -> Result<Self> {
        Ok(self.calibrated(data, rng))
    }

    fn encode(&self, seen: &Batch) -> Code {
        let labels = seen.labels_if_known().map(|labels| self.scaling.scaled(labels));
        let q = self.posterior(seen.x(), labels.as_ref());
        let z = self.marginals(&q, &self.structure.solve());
        let kl = labels.map(|labels| self.kl_from_prior(&z, &labels));
        Code { kl, ..z.into() }
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities {
            decoder: Some(self),
            concepts: Some(self),
            sees_labels: self.sees_labels,
            ..Abilities::default()
        }
    }
}

impl Decoder for CausalVae {
    fn decode(&self, z: Tensor<2>) -> Tensor<4> {
        let z = self.in_concepts(z);
        let noise = self.structure.exogenous(z.clone());
        let made = self.made(&z, &noise, &self.structure.adjacency());
        self.nets.decode(self.flat(made))
    }
}

impl Concepts for CausalVae {
    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn graph(&self) -> Option<Strengths> {
        let reason = self.graph.graph.reason();
        let (matrix, least) = (self.structure.strengths(), self.graph.least());
        Some(Strengths { matrix, least, reason })
    }

    fn values(&self, z: Tensor<2>) -> Tensor<2> {
        self.scaling.unscaled(self.before.labels(self.in_concepts(z)))
    }

    fn intervene(&self, z: Tensor<2>, dos: &[Do]) -> Intervened {
        let a = self.structure.adjacency();
        let z = self.in_concepts(z);
        let noise = self.structure.exogenous(z.clone());
        let made = self.made(&z, &noise, &a);
        let noise = self.exogenous_part(&z, &noise);
        let factual = Factual { z, made, noise };
        let set: Vec<Setting> = dos
            .iter()
            .map(|&Do { factor: concept, value }| {
                let label = self.scaling.code(concept, value);
                let (z, made) = (self.before.code(concept, label), self.after.code(concept, label));
                Setting { concept, z, made }
            })
            .collect();
        let graph = acyclic(&self.structure.strengths(), self.graph.least());
        let [z, made] = self.mask.intervene(&factual, &a, &graph, &set);
        Intervened { z: self.flat(z), x: self.nets.decode(self.flat(made)) }
    }
}
