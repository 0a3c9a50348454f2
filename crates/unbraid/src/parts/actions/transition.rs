//! p(codes after | codes before, action): a causal graph over the cells, drawn for each image and action, and messages
//! along it (Gendron et al. 2023, sections 3 and 4).
//!
//! ```text
//! R_i ~ Bernoulli(mask(x, a)_i)                        which cells the action touches; none without an action
//! G_ij ~ Bernoulli((1 − R_i) α⁰_ij + R_i α^a_ij)       what a cell depends on: as without action, or as with it
//! h = messages along G,  G_ii = 1;  the action is a parent of the cells it touches
//! y_i = softmax(κ 1[code_i] + O leaky((1 − R_i) W h_i + R_i (s_a ∘ W h_i + t_a)))
//! ```
//!
//! The mask of a cell sees the cells around it. (In the paper it sees the cell alone, which cannot know that a sprite is
//! about to enter it.) κ makes a cell keep its code unless something speaks against it: a change is learned, not the whole image.
//! As the paper has it, and the released code does not: edges lead from parent to child, the action is a parent (its
//! node there sends to nobody), and a cell that is not touched knows nothing of the action.

use burn::module::{Module, Param};
use burn::tensor::activation::leaky_relu;
use burn::tensor::{Device, Tensor};
use serde::{Deserialize, Serialize};
use unbraid_measure::rng::Rng;
use unbraid_measure::settings::words;

use super::choice::Choice;
use super::discoverer::{Discoverers, SLOPE};
use super::graph_net::Messages;
use super::mask::Mask;
use super::nodes::Nodes;
use crate::error::{Error, Result};
use crate::model::{Grid, Task};
use crate::parts::nets::layers::{Activation, Dense, constant, glorot};

/// κ at first: of 128 codes a cell has its own with a probability of 0.76.
const STAY: f32 = 6.0;

words! {
    /// What the messages go along.
    pub enum GraphKind {
        /// A graph that is learned.
        Learned = "learned",
        /// From every cell to every cell; an action touches all.
        Full = "full",
    }
}

/// The settings.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TransitionSettings {
    /// "learned", or "full": a plain transition without a graph.
    pub graph: GraphKind,
    /// The features of a node.
    pub width: usize,
    /// The hidden units of a discoverer.
    pub hidden: usize,
    /// Layers of messages.
    pub layers: usize,
    /// Heads of attention.
    pub heads: usize,
    /// Whether there is a parent of noise.
    pub noise: bool,
}

impl Default for TransitionSettings {
    fn default() -> Self {
        Self { graph: GraphKind::Learned, width: 64, hidden: 32, layers: 2, heads: 4, noise: false }
    }
}

impl TransitionSettings {
    /// Refuse what makes no sense.
    pub fn check(&self, task: &Task) -> Result<()> {
        if task.grid.is_none() {
            let reason = "must be a quantised model, a run of vq-vae or mcq-vae; leave it out, and one is trained";
            return Err(Error::setting("model.base", reason));
        }
        for (name, value) in
            [("hidden", self.hidden), ("heads", self.heads), ("layers", self.layers)]
        {
            if !(1..=1024).contains(&value) {
                return Err(Error::setting(format!("model.{name}"), "must be from 1 to 1024"));
            }
        }
        if self.width == 0 || !self.width.is_multiple_of(self.heads) {
            let reason = format!("must be a multiple of model.heads, which is {}", self.heads);
            return Err(Error::setting("model.width", reason));
        }
        Ok(())
    }
}

/// From codes to codes.
#[derive(Module, Debug)]
pub struct Transition {
    nodes: Nodes,
    /// None where every cell is connected with every other, and touched.
    found: Option<Found>,
    /// What an action is as a node, `[actions, width]`.
    actions: Param<Tensor<2>>,
    messages: Vec<Messages>,
    head: Dense,
    /// s and t of each action, `[actions, 2 · 2 width]`.
    bent: Param<Tensor<2>>,
    codes: Dense,
    /// κ, of cells that are left alone and of those that are touched.
    stay: Param<Tensor<1>>,
    #[module(skip)]
    noise: bool,
}

/// What finds the graph.
#[derive(Module, Debug)]
struct Found {
    /// What a cell sees of all others before it is known whether it is touched.
    around: Messages,
    mask: Mask,
    discoverers: Discoverers,
}

impl Found {
    fn new(settings: &TransitionSettings, task: &Task, rng: &Rng, device: &Device) -> Self {
        let TransitionSettings { width, hidden, heads, .. } = *settings;
        let (actions, cells) = (task.action, task.grid.map_or(0, |grid| grid.cells()));
        let networks = &mut rng.split("discoverers");
        Self {
            around: Messages::new([cells, heads], width, &mut rng.split("around"), device),
            mask: Mask::new(width, actions, &mut rng.split("mask"), device),
            discoverers: Discoverers::new(actions + 1, [width, hidden], networks, device),
        }
    }
}

/// What was found of some rows.
pub struct After {
    /// Of the code of each book in each cell, `[rows · cells · books, codes]`.
    pub logits: Tensor<2>,
    /// Which cells were touched, `[rows, cells, 1]`, and the logits of that.
    pub touched: [Tensor<3>; 2],
    /// Which cells each depends on, `[rows, child, parent]`, and the logits of that.
    pub edges: [Tensor<3>; 2],
}

impl Transition {
    /// With seeded weights; the settings must have been checked.
    pub fn new(settings: &TransitionSettings, task: &Task, rng: &Rng, device: &Device) -> Self {
        let grid = task.grid.expect("settings are checked before");
        let TransitionSettings { graph, width, layers, heads, noise, .. } = *settings;
        let (actions, cells) = (task.action, grid.cells());
        let layer = |k: usize| {
            let rng = &mut rng.split("messages").at(k as u64);
            Messages::new([cells, heads], width, rng, device)
        };
        let last = &mut rng.split("head");
        Self {
            nodes: Nodes::new(grid, width, &mut rng.split("nodes"), device),
            found: (graph == GraphKind::Learned).then(|| Found::new(settings, task, rng, device)),
            actions: glorot([actions, width], 1, 1, &mut rng.split("actions"), device),
            messages: (0..layers).map(layer).collect(),
            head: Dense::new([width, 2 * width], Activation::None, last, device).he(),
            bent: glorot([actions, 4 * width], 4 * width, 4 * width, last, device),
            codes: Dense::new([2 * width, grid.books * grid.codes], Activation::None, last, device),
            stay: constant(STAY, 2, device),
            noise,
        }
    }

    /// The codes after, of codes before as ones `[rows · cells · books, codes]`, and actions as ones `[rows, actions]`,
    /// all zero for none.
    pub fn forward(&self, ones: Tensor<2>, actions: Tensor<2>, choice: &mut Choice) -> After {
        let x = self.nodes.features(ones.clone());
        let touched = self.touched(x.clone(), actions.clone(), choice);
        let edges = self.edges(x.clone(), actions.clone(), &touched[0], choice);
        let changed = self.changed(x, actions, [&touched[0], &edges[0]], choice);
        let logits = changed + self.stay(ones, &touched[0]);
        After { logits, touched, edges }
    }

    /// The same with a cell that depends on itself alone, and no action.
    pub fn alone(&self, ones: Tensor<2>, choice: &mut Choice) -> Tensor<2> {
        let x = self.nodes.features(ones.clone());
        let ([rows, cells, _], device) = (x.dims(), x.device());
        let actions = Tensor::zeros([rows, self.actions.dims()[0]], &device);
        let touched = Tensor::zeros([rows, cells, 1], &device);
        let edges = diagonal(cells, &device).repeat_dim(0, rows);
        self.changed(x, actions, [&touched, &edges], choice) + self.stay(ones, &touched)
    }

    /// κ for the code that a cell has.
    fn stay(&self, ones: Tensor<2>, touched: &Tensor<3>) -> Tensor<2> {
        let ([all, _], [rows, cells, _]) = (ones.dims(), touched.dims());
        let books = all / (rows * cells);
        let kappa = |k: usize| self.stay.val().narrow(0, k, 1).reshape([1, 1, 1]);
        let stay = kappa(0) + (kappa(1) - kappa(0)) * touched.clone();
        ones * stay.repeat_dim(2, books).reshape([all, 1])
    }

    fn touched(&self, x: Tensor<3>, actions: Tensor<2>, choice: &mut Choice) -> [Tensor<3>; 2] {
        let [rows, cells, _] = x.dims();
        let acted = actions.clone().sum_dim(1).reshape([rows, 1, 1]);
        let Some(Found { around, mask, .. }) = &self.found else {
            let all = acted.expand([rows, cells, 1]);
            return [all.clone(), all];
        };
        let all = Tensor::ones([rows, cells, cells], &x.device());
        let logits = mask.logits(around.forward(x, &[], &all), actions);
        [choice.of(logits.clone()) * acted, logits]
    }

    fn edges(
        &self,
        x: Tensor<3>,
        actions: Tensor<2>,
        touched: &Tensor<3>,
        choice: &mut Choice,
    ) -> [Tensor<3>; 2] {
        let ([rows, cells, _], device) = (x.dims(), x.device());
        let all = || Tensor::ones([rows, cells, cells], &device);
        let discoverers = match (&self.found, &choice) {
            (None, _) | (_, Choice::Yes(_)) => return [all(), all()],
            (Some(Found { discoverers, .. }), _) => discoverers,
        };
        let kinds = |none: Tensor<2>, some: Tensor<2>| Tensor::cat(vec![none, some], 1);
        let none = kinds(Tensor::ones([rows, 1], &device), Tensor::zeros(actions.dims(), &device));
        let some = kinds(Tensor::zeros([rows, 1], &device), actions);
        let usual = discoverers.logits(x.clone(), none);
        let acted = discoverers.logits(x, some);
        // Mixed as logits, which is the same where a cell is touched or not, and nothing between.
        let logits = usual.clone() + (acted - usual) * touched.clone();
        let own = diagonal(cells, &device);
        let drawn = choice.of(logits.clone());
        [drawn.clone() * (own.clone() * -1.0 + 1.0) + own, logits]
    }

    /// What speaks for each code.
    fn changed(
        &self,
        x: Tensor<3>,
        actions: Tensor<2>,
        [touched, edges]: [&Tensor<3>; 2],
        choice: &mut Choice,
    ) -> Tensor<2> {
        let ([rows, cells, width], device) = (x.dims(), x.device());
        let action = actions.clone().matmul(self.actions.val()).reshape([rows, 1, width]);
        let (mut parents, mut all) = (vec![action], vec![edges.clone(), touched.clone()]);
        if self.noise {
            parents.push(match choice {
                Choice::Likelier => Tensor::zeros([rows, 1, width], &device),
                Choice::Drawn { step, .. } | Choice::Yes(step) => {
                    step.noise([rows, 1, width], &device)
                }
            });
            all.push(Tensor::ones([rows, cells, 1], &device));
        }
        let all = Tensor::cat(all, 2);
        let send = |h, layer: &Messages| layer.forward(h, &parents, &all);
        let h = self.messages.iter().fold(x, send);
        let units = self.head.forward(h.reshape([rows * cells, width]));
        let units = units.reshape([rows, cells, 2 * width]);
        let bent = actions.matmul(self.bent.val()).reshape([rows, 2, 2 * width]);
        let (times, plus) = (bent.clone().narrow(1, 0, 1), bent.narrow(1, 1, 1));
        let units = units.clone() + (units * times + plus) * touched.clone();
        let units = leaky_relu(units, SLOPE.into()).reshape([rows * cells, 2 * width]);
        let Grid { books, codes, .. } = self.nodes.grid();
        self.codes.forward(units).reshape([rows * cells * books, codes])
    }

    /// How nodes see codes.
    pub fn nodes(&self) -> &Nodes {
        &self.nodes
    }
}

/// `[1, cells, cells]`
pub fn diagonal(cells: usize, device: &Device) -> Tensor<3> {
    Tensor::<2>::eye(cells, device).unsqueeze::<3>()
}
