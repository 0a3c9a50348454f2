//! The initial graph of a model: from conditional independencies of its labels, from the paper's
//! search, from zero, or from the user. Never the true graph.

use ndarray::Array2;
use serde::{Deserialize, Serialize};
use unbraid_measure::causal::discovery;
use unbraid_measure::causal::label_search;
use unbraid_measure::data::Dataset;
use unbraid_measure::graph::Graph;
use unbraid_measure::rng::Rng;
use unbraid_measure::settings::words;

use crate::compute::device;
use crate::error::{Error, Result};
use crate::model::Reason;
use crate::parts::concepts::acyclic::Form;
use crate::parts::concepts::scaling::{self, Scaling};

/// Below this an edge of an open graph does not count; the released code prunes there.
pub const PRUNED: f32 = 0.3;

words! {
    /// The source of the edges.
    pub enum Origin {
        /// Conditional independence tests on the labels; only their edges are learned.
        Independence = "independence",
        /// The paper's augmented Lagrangian search on the labels, then the loss.
        Lagrangian = "lagrangian",
        /// An empty graph: the loss learns every edge.
        Zero = "zero",
        /// The user; only these edges are learned.
        Given = "given",
        /// The initial graph of the released code.
        Released = "released",
    }
}

impl Origin {
    /// Why edges of such a graph point where they point.
    pub fn reason(self) -> Reason {
        match self {
            Self::Independence => Reason::Tests,
            Self::Given => Reason::Said("given by you"),
            Self::Lagrangian => {
                Reason::Said("learned by the loss, from the paper's search on labels")
            }
            Self::Released => Reason::Said("the released code starts with it"),
            Self::Zero => Reason::Said("learned by the loss, from nothing"),
        }
    }
}

/// The settings of a graph.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GraphSettings {
    /// "independence" tests of the labels, the paper's "lagrangian" search on them, "zero", "given" by
    /// `edges`, or what the "released" code starts from.
    pub graph: Origin,
    /// Pairs of cause and effect, by the number of the label; for "given".
    pub edges: Vec<[usize; 2]>,
    /// How cycles are counted: "polynomial" or "exponential".
    pub acyclicity: Form,
}

impl Default for GraphSettings {
    fn default() -> Self {
        Self { graph: Origin::Independence, edges: vec![], acyclicity: Form::Polynomial }
    }
}

/// An initial graph: A, and its allowed edges.
#[derive(Clone, Debug, PartialEq)]
pub struct Start {
    /// `[cause, effect]`
    pub weight: Array2<f32>,
    /// 1 where an edge is allowed.
    pub support: Array2<f32>,
}

impl GraphSettings {
    /// Refuse graphs that are none.
    pub fn check(&self, concepts: usize) -> Result<()> {
        let wrong = |reason: String| Err(Error::setting("model.edges", reason));
        match (self.graph == Origin::Given, self.edges.is_empty()) {
            (true, true) => {
                return wrong("must list the edges of model.graph = \"given\", as [[0, 2]]".into());
            }
            (false, false) => {
                return wrong("are only looked at with model.graph = \"given\"".into());
            }
            _ => {}
        }
        let edges: Vec<(usize, usize)> = self.edges.iter().map(|edge| (edge[0], edge[1])).collect();
        match Graph::new((0..concepts).map(|node| node.to_string()), &edges) {
            Ok(_) => Ok(()),
            Err(source) => wrong(format!("cannot be used: {source}")),
        }
    }

    /// Only stronger edges count: every edge of a support that was found, `PRUNED` where all are allowed.
    pub fn least(&self) -> f32 {
        match self.graph {
            Origin::Independence | Origin::Given => 0.0,
            Origin::Lagrangian | Origin::Zero | Origin::Released => PRUNED,
        }
    }

    /// The initial graph, for scaled labels `[rows, concepts]`.
    pub fn start(&self, labels: &Array2<f32>, rng: &Rng) -> Result<Start> {
        let n = labels.ncols();
        let open = Array2::from_shape_fn((n, n), |(i, j)| f32::from(u8::from(i != j)));
        let of = |edges: &[(usize, usize)]| {
            let mut support = Array2::zeros((n, n));
            for edge in edges {
                support[*edge] = 1.0;
            }
            support
        };
        Ok(match self.graph {
            Origin::Independence => {
                let found = discovery::discover(labels.view(), rng)?;
                let edges: Vec<_> =
                    found.edges.iter().map(|edge| (edge.cause, edge.effect)).collect();
                let support = of(&edges);
                Start { weight: support.clone(), support }
            }
            Origin::Given => {
                let support = of(&self.edges.iter().map(|e| (e[0], e[1])).collect::<Vec<_>>());
                Start { weight: support.clone(), support }
            }
            Origin::Lagrangian => Start { weight: by_the_paper(labels), support: open },
            Origin::Released => {
                let triangle = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3)];
                let inside: Vec<_> = triangle.into_iter().filter(|(_, j)| *j < n).collect();
                Start { weight: of(&inside), support: open }
            }
            Origin::Zero => Start { weight: Array2::zeros((n, n)), support: open },
        })
    }
}

/// The labels of the data scaled to −1..1, from which a graph is learned.
pub fn scaled_labels(data: &dyn Dataset, rng: &Rng) -> Result<Array2<f32>> {
    let labels = scaling::labels(data, rng)?;
    Ok(Scaling::fitted(&labels, &device::inference()).scaled_array(&labels))
}

/// The graph that the paper's search finds in scaled labels, `[cause, effect]`.
pub fn by_the_paper(labels: &Array2<f32>) -> Array2<f32> {
    // σ only reaches 0..1.
    let labels = labels.mapv(|label| f64::midpoint(f64::from(label), 1.0));
    label_search::search(labels.view()).mapv(|weight| weight as f32)
}
