//! Our own variant of CausalVAE (`causal_vae.rs`), with nonlinear structural equations and a decoder in
//! parts, so that interventions have the right effects.
//!
//! ```text
//! z ~ q(z|x) = N(h(x), σ(x)²)           the encoder sees the image alone
//! z_i = g_i(z_causes) + ε_i             so ε_i = z_i − g_i(z_causes) is what an intervention keeps
//! x_p ~ p(x_p | z_S(p))                 pixel p is decoded from the concepts S(p) that explain it
//! L = E[−log p(x|z)] + KL(q(z|x) ‖ N(λ(u), s²)) + E Σ_i (λ(u)_i − g_i(λ(u)_causes))²
//! ```
//!
//! Two things differ from the paper. Its ε belongs to a linear SCM, so it absorbs what is nonlinear
//! in a mechanism, and an intervention carries that over unchanged; here ε is the residual of the
//! nonlinear mechanism. And its decoder may render an effect from its causes, which determine it
//! just as well; here it cannot.
//!
//! A step decodes one part for each row, the parts in turn, and weights it by their number: the
//! gradient is that of the whole image in expectation, at the cost of one decoder pass.

use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor};
use ndarray::Array2;
use unbraid_measure::data::{self, Dataset, Do, Supervision};
use unbraid_measure::graph::Graph;
use unbraid_measure::info::Info;
use unbraid_measure::predictors::attribution::attribute;
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::Watch;

use crate::error::Result;
use crate::model::batch::{self, Batch, Seen};
use crate::model::{
    Abilities, Code, Concepts, Decoder, Group, Intervened, Loss, Model, Step, Strengths, Task,
};
use crate::parts::concepts::canvas::Canvas;
use crate::parts::concepts::found_graph::GraphSettings;
use crate::parts::concepts::mask::{Factual, MaskLayer, Sees, Setting};
use crate::parts::concepts::nets::ConceptNets;
use crate::parts::concepts::scaling::{Scaling, labels};
use crate::parts::concepts::structure::acyclic;
use crate::parts::distributions::gaussian::Gaussian;
use crate::parts::nets::layers::fixed;
use crate::parts::schedule::cosine_decay;

mod settings;

pub use settings::{Config, InParts, Support};

/// How many rows are used to assign pixels to concepts.
const LOOKED_AT: usize = 3000;
/// How many rows are used to estimate the strength of an edge.
const WEIGHED: usize = 1024;
/// The hidden layers of a mechanism.
const MECHANISM: [usize; 2] = [64, 64];
/// Their initial learning rate, which falls to 0. They are small, and their targets have no noise.
const MECHANISM_RATE: f64 = 5e-3;

/// A VAE with nonlinear structural equations.
#[derive(Module, Debug)]
pub struct StructuralVae {
    nets: ConceptNets,
    mask: MaskLayer,
    canvas: Canvas,
    scaling: Scaling,
    /// 1 where there is an edge, `[cause, effect]`.
    edges: Param<Tensor<2>>,
    /// The change of each effect under a random intervention on its cause, relative to its own
    /// variation.
    strengths: Param<Tensor<2>>,
    #[module(skip)]
    spread: f64,
    #[module(skip)]
    graph: GraphSettings,
    #[module(skip)]
    in_parts: bool,
    #[module(skip)]
    count: usize,
}

impl StructuralVae {
    fn prior(&self, labels: Tensor<2>) -> Gaussian {
        let log_variance = labels.full_like(2.0 * self.spread.ln());
        Gaussian { mean: labels, log_variance }
    }

    /// −log p(x|z), estimated from one part of each row.
    fn error(&self, z: Tensor<2>, batch: &Batch, step: &Step) -> Tensor<1> {
        let (x, parts) = (batch.x(), self.canvas.parts());
        if parts == 1 {
            return self.nets.error(z, x);
        }
        let axes @ [rows, ..] = x.dims();
        let part_of_row: Vec<usize> =
            (0..rows).map(|row| (row + step.number as usize) % parts).collect();
        let [who, places] = self.canvas.of_rows(&part_of_row);
        let inside = places.reshape(axes);
        let numbers: usize = axes[1..].iter().product();
        let covered = inside.clone().sum() / rows as f64;
        let decoded = self.nets.decoded(z * who) * inside.clone();
        let likelihood = self.nets.likelihood();
        let error = likelihood.error(decoded, x.clone() * inside);
        // Outside its part a row is 0 and decoded as 0, which adds a constant to the loss.
        let nothing: Tensor<4> = Tensor::zeros([1, 1, 1, 1], &x.device());
        let outside = likelihood.error(nothing.clone(), nothing);
        (error - (covered * -1.0 + numbers as f64) * outside) * parts as f64
    }

    /// Residuals of the mechanisms, (z_i − g_i(z_causes))², averaged over the batch, `[concepts]`.
    fn left_over(&self, codes: Tensor<2>) -> Tensor<1> {
        let [rows, concepts] = codes.dims();
        let z: Tensor<3> = codes.reshape([rows, concepts, 1]);
        let apart = z.clone() - self.mask.forward(&z, &self.edges.val());
        apart.square().sum_dim(0).reshape([concepts]) / rows as f64
    }

    /// 1 for concepts that have a cause, `[concepts]`.
    fn caused(&self) -> Tensor<1> {
        let edges = self.edges.val().abs().sum_dim(0).reshape([self.count]);
        edges.greater_elem(0.0).float()
    }

    fn graph(&self) -> Graph {
        acyclic(&array(self.edges.val()), 0.0)
    }

    /// The expected observation, decoded part by part.
    fn drawn(&self, z: &Tensor<2>) -> Tensor<4> {
        let parts = self.canvas.parts();
        if parts == 1 {
            return self.nets.decode(z.clone());
        }
        let rows = z.dims()[0];
        let one = |part: usize| {
            let [who, places] = self.canvas.of_rows(&vec![part; rows]);
            let drawn = self.nets.decode(z.clone() * who);
            drawn.clone() * places.reshape(drawn.dims())
        };
        (1..parts).map(one).fold(one(0), |sum, part| sum + part)
    }

    /// Permute one cause over the rows and measure how its effects change.
    fn weighed(&self, codes: &Array2<f32>, rng: &Rng) -> Array2<f32> {
        let device = crate::compute::device::inference();
        let (rows, n) = codes.dim();
        let model = self.valid();
        let made = |codes: &Array2<f32>| {
            let numbers: Vec<f32> = codes.iter().copied().collect();
            let z = batch::matrix(&numbers, rows, n, &device).reshape([rows, n, 1]);
            let made = batch::numbers(model.mask.forward(&z, &model.edges.val()));
            Array2::from_shape_vec((rows, n), made).expect("a code for each concept")
        };
        let before = made(codes);
        let edges = array(self.edges.val());
        let others = rng.split("exchange").permutation(rows);
        let mut strengths = Array2::zeros((n, n));
        for cause in 0..n {
            let mut exchanged = codes.clone();
            for (row, other) in others.iter().enumerate() {
                exchanged[[row, cause]] = codes[[*other, cause]];
            }
            let after = made(&exchanged);
            for effect in (0..n).filter(|effect| edges[[cause, *effect]] != 0.0) {
                let moved = (&after.column(effect) - &before.column(effect)).mapv(|d| d * d);
                let spread = 2.0 * codes.column(effect).var(0.0);
                let share = moved.mean().unwrap_or(0.0) / spread.max(1e-12);
                strengths[[cause, effect]] = share.sqrt();
            }
        }
        strengths
    }
}

fn array(matrix: Tensor<2>) -> Array2<f32> {
    let [rows, columns] = matrix.dims();
    Array2::from_shape_vec((rows, columns), batch::numbers(matrix)).expect("as many numbers")
}

impl Model for StructuralVae {
    type Config = Config;
    const INFO: Info = Info {
        name: "structural-vae",
        title: "Structural VAE",
        summary: "CausalVAE with nonlinear mechanisms and a modular decoder, for interventions",
        paper: "",
        page: "\
## What it is
Our variant of `causal-vae`, made so that interventions have the right effects. The latents are the
labelled concepts of the data; conditional independencies of the labels give the edges; then

    z_i = g_i(causes of i) + eps_i     a nonlinear mechanism for each concept, and its residual
    x_p = f(z_S(p))                    pixel p is decoded from the concepts S(p) that explain it
    L = E[-log p(x|z)] + KL(q(z|x) || N(u, spread^2)) + sum_i (u_i - g_i(u of the causes))^2

For an intervention, eps is inferred from the image, some latents are set, and their effects follow by g.

S(p) is found before training: each block of pixels is predicted from every single concept and every
pair, and assigned to the smallest set that explains it, effects before causes. So a shadow is decoded
from its own length and position, and can be set to a place where no light would throw it.

The encoder sees the image alone, so latents cannot copy the labels.

## Settings
spread (0.02: standard deviation of the conditional prior, for labels in -1..1), parts (yes; no for a
decoder that sees every latent at every pixel), graph (independence, or given with
edges = [[0, 2], [1, 2]]), net, width, likelihood and noise as in `vae`.

## What to expect
Latents that follow their labels, a graph with no wrong edge on `pendulum`, and counterfactuals near those
of the simulator, also where no such image is in the data. `unbraid intervene RUN --effects` measures it.

## Cautions
Every row needs the labels of all concepts. Noise is assumed additive: a cause that changes only the
variance of an effect is not found. In photographs no small set of concepts explains a pixel, and the
decoder has one part.",
    };
    const SUPERVISION: Supervision = Supervision::Labels;

    fn init(config: &Config, task: &Task, rng: &Rng, device: &Device) -> Self {
        let n = task.label;
        let size = [n, 1];
        let none = || fixed(vec![0.0; n * n], [n, n], device);
        Self {
            nets: ConceptNets::new(&config.net, task, size, 0, rng, device),
            mask: MaskLayer::new(size, Sees::Each, &MECHANISM, &rng.split("mask"), device),
            canvas: Canvas::new(n, task.shape, device),
            scaling: Scaling::new(n, device),
            edges: none(),
            strengths: none(),
            spread: config.spread,
            graph: config.graph_settings(),
            in_parts: config.parts == InParts::Yes,
            count: n,
        }
    }

    fn prepare(mut self, data: &dyn Dataset, rng: &Rng, _watch: &dyn Watch) -> Result<Self> {
        let device = self.scaling.device();
        let labels = labels(data, rng)?;
        self.scaling = Scaling::fitted(&labels, &device);
        let support = self.graph.start(&self.scaling.scaled_array(&labels), rng)?.support;
        let n = self.count;
        self.edges = fixed(support.iter().copied().collect(), [n, n], &device);
        self.strengths = self.edges.clone();
        self.mask = self.mask.pruned(&support);
        if self.in_parts {
            let seen = Seen::of(data, &data::labelled_rows(data, LOOKED_AT, &rng.split("parts")));
            let labels = seen.labels.as_ref().expect("their labels were read above");
            let parts = attribute(&seen.observations, labels, &self.graph(), data.shape().axes());
            self.canvas = Canvas::of(&parts, n, &device);
        }
        Ok(self)
    }

    fn loss(&self, batch: &Batch, step: &mut Step) -> Loss {
        let labels = self.scaling.of(batch);
        let q = self.nets.posterior(batch.x(), None);
        let reconstruction = self.error(q.sample(step), batch, step);
        let [rows, latents] = q.mean.dims();
        let each = q.kl_from(&self.prior(labels.clone())).sum_dim(0);
        let each = each.reshape([latents]) / rows as f64;
        let kl = each.clone().sum();
        let mechanisms = self.left_over(labels);
        // A concept without causes has a mechanism too, which learns its mean; it is left out of
        // the log.
        let logged = (mechanisms.clone().detach() * self.caused()).sum();
        Loss::new(reconstruction.clone() + kl.clone() + mechanisms.sum())
            .term("reconstruction", reconstruction)
            .term("kl", kl)
            .term("mechanisms", logged)
            .latents(each)
    }

    fn groups(&self, step: &Step) -> Vec<Group> {
        let done = step.number as f64 / step.total.max(1) as f64;
        let rate = cosine_decay(MECHANISM_RATE, done);
        vec![Group { prefix: "mask", rate, betas: [0.9, 0.999] }]
    }

    fn finish(mut self, data: &dyn Dataset, rng: &Rng, _watch: &dyn Watch) -> Result<Self> {
        let rows = data::rows(data, WEIGHED, &rng.split("weighed"));
        let known = data::labels(data, &rows).expect("the sampler has refused data without labels");
        let codes = self.scaling.scaled_array(&known);
        let strengths = self.weighed(&codes, rng);
        let n = self.count;
        self.strengths = fixed(strengths.into_iter().collect(), [n, n], &self.scaling.device());
        Ok(self)
    }

    fn encode(&self, seen: &Batch) -> Code {
        self.nets.posterior(seen.x(), None).into()
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { decoder: Some(self), concepts: Some(self), ..Abilities::default() }
    }
}

impl Decoder for StructuralVae {
    fn decode(&self, z: Tensor<2>) -> Tensor<4> {
        self.drawn(&z)
    }
}

impl Concepts for StructuralVae {
    fn dimensions(&self) -> usize {
        1
    }

    fn graph(&self) -> Option<Strengths> {
        let reason = self.graph.graph.reason();
        Some(Strengths { matrix: array(self.strengths.val()), least: 0.0, reason })
    }

    fn values(&self, z: Tensor<2>) -> Tensor<2> {
        self.scaling.unscaled(z)
    }

    fn intervene(&self, z: Tensor<2>, dos: &[Do]) -> Intervened {
        let [rows, concepts] = z.dims();
        let z: Tensor<3> = z.reshape([rows, concepts, 1]);
        let edges = self.edges.val();
        let noise = z.clone() - self.mask.forward(&z, &edges);
        let factual = Factual { made: z.clone(), z, noise };
        let set = |&Do { factor: concept, value }: &Do| {
            let code = self.scaling.code(concept, value);
            let code = Tensor::full([1], code, &edges.device());
            Setting { concept, z: code.clone(), made: code }
        };
        let set: Vec<Setting> = dos.iter().map(set).collect();
        let [z, _] = self.mask.intervene(&factual, &edges, &self.graph(), &set);
        let z = z.reshape([rows, concepts]);
        Intervened { x: self.drawn(&z), z }
    }
}
