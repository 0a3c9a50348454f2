//! The graph that a model has learned, edge by edge, beside the true one and beside what other learners
//! of graphs make of the same labels.

use ndarray::{Array2, Axis};
use serde_json::{Value as Json, json};
use unbraid_measure::causal::discovery;
use unbraid_measure::causal::graph_distance::GraphDistance;
use unbraid_measure::causal::notears;
use unbraid_measure::data::Dataset;
use unbraid_measure::graph::Graph;
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::{Stage, Watch};

use crate::error::{Error, Result};
use crate::model::learner::Learner;
use crate::model::{Reason, Strengths};
use crate::parts::concepts::found_graph::{self, PRUNED};
use crate::parts::concepts::scaling;

/// One edge.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// By the number of the concept.
    pub cause: usize,
    /// By the number of the concept.
    pub effect: usize,
    /// What the model says of it.
    pub strength: f32,
    /// Why it points this way.
    pub principle: String,
}

/// What another learner finds in the same labels.
#[derive(Clone, Debug)]
pub struct Other {
    /// Its name.
    pub name: &'static str,
    /// Its edges.
    pub edges: Array2<bool>,
}

/// A learned graph with all there is to hold it against.
#[derive(Clone, Debug)]
pub struct Causes {
    /// The concepts.
    pub names: Vec<String>,
    /// What was learned.
    pub learned: Strengths,
    /// What is true, where it is known.
    pub truth: Option<Graph>,
    /// The learned edges.
    pub edges: Vec<Edge>,
    /// Why other pairs have none, where that is known.
    pub separations: Vec<String>,
    /// What other learners find.
    pub others: Vec<Other>,
}

/// The graph of a method that was trained on these data with this seed.
pub fn learned(
    learner: &dyn Learner,
    data: &dyn Dataset,
    seed: u64,
    watch: &dyn Watch,
) -> Result<Causes> {
    let stage = Stage::new(watch, "searching the graph");
    let learned = learner.graph().ok_or_else(|| {
        Error::Unable(
            "this model learns no graph over concepts; `causal-vae` and `structural-vae` do".into(),
        )
    })?;
    let names: Vec<String> = (0..learned.matrix.nrows()).map(|k| scaling::name(data, k)).collect();
    // As in training: the same labels, the same random numbers.
    let rng = Rng::new(seed).split("fit");
    let labels = found_graph::scaled_labels(data, &rng)?;
    let found = match learned.reason {
        Reason::Tests => Some(discovery::discover(labels.view(), &rng)?),
        Reason::Said(_) => None,
    };
    stage.advance(0.4)?;
    let tested = |cause: usize, effect: usize| {
        let edges = found.iter().flat_map(|found| &found.edges);
        let edge = edges.into_iter().find(|edge| (edge.cause, edge.effect) == (cause, effect));
        edge.map_or("learned by the loss".into(), |edge| edge.words(&names))
    };
    let principle = |cause: usize, effect: usize| match learned.reason {
        Reason::Tests => tested(cause, effect),
        Reason::Said(words) => words.into(),
    };
    let edges = learned
        .present()
        .indexed_iter()
        .filter(|(_, edge)| **edge != 0)
        .map(|((cause, effect), _)| Edge {
            cause,
            effect,
            strength: learned.matrix[[cause, effect]],
            principle: principle(cause, effect),
        })
        .collect();
    let separations = found.iter().flat_map(|found| &found.separations);
    let separations = separations.map(|pair| pair.words(&names)).collect();
    let truth = data.graph().filter(|graph| graph.len() == names.len()).cloned();
    let others = others(&labels, &stage)?;
    Ok(Causes { names, learned, truth, edges, separations, others })
}

/// What NOTEARS and the paper's search make of the labels.
fn others(labels: &Array2<f32>, stage: &Stage) -> Result<Vec<Other>> {
    let standard = standardised(labels);
    let linear = notears::learn(standard.view(), &notears::Settings::default()).weights;
    stage.advance(0.3)?;
    let paper = found_graph::by_the_paper(labels);
    stage.advance(0.3)?;
    Ok(vec![
        Other {
            name: "NOTEARS, linear, on standardised labels",
            edges: linear.mapv(|weight| weight != 0.0),
        },
        Other {
            name: "the paper's search on labels, from zero",
            edges: paper.mapv(|weight| weight.abs() > PRUNED),
        },
    ])
}

fn standardised(labels: &Array2<f32>) -> Array2<f64> {
    let mut x = labels.mapv(f64::from);
    for mut column in x.axis_iter_mut(Axis(1)) {
        let (mean, spread) = (column.mean().unwrap_or(0.0), column.std(0.0));
        column.mapv_inplace(|v| (v - mean) / if spread > 0.0 { spread } else { 1.0 });
    }
    x
}

impl Causes {
    /// The edges of the model that count, `[cause, effect]`.
    pub fn present(&self) -> Array2<bool> {
        self.learned.present().mapv(|edge| edge != 0)
    }

    /// How far edges are from the true ones.
    pub fn distance(&self, edges: &Array2<bool>) -> Option<GraphDistance> {
        let truth = self.truth.as_ref()?;
        let n = truth.len();
        let truth = Array2::from_shape_fn((n, n), |(i, j)| truth.has_edge(i, j));
        GraphDistance::between(edges.view(), truth.view()).ok()
    }

    /// The document of `graph.json`; row = cause.
    pub fn to_json(&self) -> Json {
        let n = self.names.len();
        let rows = |number: &dyn Fn(usize, usize) -> Json| -> Vec<Vec<Json>> {
            (0..n).map(|i| (0..n).map(|j| number(i, j)).collect()).collect()
        };
        let counts = self.present();
        let learned =
            rows(&|i, j| json!(if counts[[i, j]] { self.learned.matrix[[i, j]] } else { 0.0 }));
        let truth =
            self.truth.as_ref().map(|truth| rows(&|i, j| json!(u8::from(truth.has_edge(i, j)))));
        let edge = |edge: &Edge| {
            json!({
                "cause": self.names[edge.cause], "effect": self.names[edge.effect],
                "strength": edge.strength, "principle": edge.principle,
            })
        };
        let other = |other: &Other| {
            let mut document = self.judged(&other.edges);
            document.insert("name".into(), json!(other.name));
            Json::Object(document)
        };
        let mut document = self.judged(&counts);
        document.extend([
            ("format".to_string(), json!(1)),
            ("names".to_string(), json!(self.names)),
            ("learned".to_string(), json!(learned)),
            ("true".to_string(), json!(truth)),
            ("edges".to_string(), self.edges.iter().map(edge).collect()),
            ("separations".to_string(), json!(self.separations)),
            ("others".to_string(), self.others.iter().map(other).collect()),
        ]);
        Json::Object(document)
    }

    fn judged(&self, edges: &Array2<bool>) -> serde_json::Map<String, Json> {
        let distance = self.distance(edges);
        serde_json::Map::from_iter([
            ("shd".to_string(), json!(distance.map(|d| d.hamming()))),
            ("precision".to_string(), json!(distance.map(|d| d.precision()))),
            ("recall".to_string(), json!(distance.map(|d| d.recall()))),
        ])
    }
}
