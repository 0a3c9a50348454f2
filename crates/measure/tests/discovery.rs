//! The graphs of pendulum and flow, learned from their labels alone, and what NOTEARS makes of them.
#![allow(clippy::print_stderr, reason = "agreement is a number")]

use std::time::Instant;

use ndarray::{Array2, Axis};
use unbraid_measure::causal::acyclicity::polynomial;
use unbraid_measure::causal::discovery::{Discovered, discover};
use unbraid_measure::causal::graph_distance::GraphDistance;
use unbraid_measure::causal::notears;
use unbraid_measure::data;
use unbraid_measure::rng::Rng;

/// Labels, their names and the true graph.
struct Labelled {
    labels: Array2<f32>,
    names: Vec<String>,
    truth: Array2<bool>,
}

fn open(name: &str, labels: &str, split: &str) -> Labelled {
    let settings = format!("labels = {labels:?}\nsplit = {split:?}").parse().unwrap();
    let (data, _) = data::open(name, &settings).unwrap();
    let rows: Vec<usize> = (0..data.len()).collect();
    let graph = data.graph().unwrap();
    let truth = Array2::from_shape_fn((graph.len(), graph.len()), |(i, j)| graph.has_edge(i, j));
    let labels = data::labels(&*data, &rows).unwrap();
    Labelled { labels, names: graph.names().to_vec(), truth }
}

const KINDS: [[&str; 2]; 4] =
    [["exact", "all"], ["exact", "train"], ["file-name", "all"], ["file-name", "train"]];

impl Labelled {
    /// With the last column first: no order may decide.
    fn turned(&self) -> Self {
        let order: Vec<usize> = (0..self.names.len()).rev().collect();
        Self {
            labels: self.labels.select(Axis(1), &order),
            names: order.iter().map(|&column| self.names[column].clone()).collect(),
            truth: self.truth.select(Axis(0), &order).select(Axis(1), &order),
        }
    }
}

/// The structural Hamming distance for each kind of labels and five seeds, every other one with the
/// columns turned round as well.
fn distances(name: &str) -> Vec<usize> {
    let mut all = Vec::new();
    for [labels, split] in KINDS {
        let given = open(name, labels, split);
        let turned = given.turned();
        for (seed, data) in
            [0, 1, 2, 3, 4, 0, 2, 4].into_iter().zip([&given; 5].into_iter().chain([&turned; 3]))
        {
            let start = Instant::now();
            let found = discover(data.labels.view(), &Rng::new(seed)).unwrap();
            let seconds = start.elapsed().as_secs_f64();
            let nodes = data.names.len();
            let mut learned = Array2::from_elem((nodes, nodes), false);
            for edge in &found.edges {
                learned[[edge.cause, edge.effect]] = true;
            }
            let distance = GraphDistance::between(learned.view(), data.truth.view()).unwrap();
            eprintln!("{name} {labels} {split} seed {seed}: {distance:?} in {seconds:.1} s");
            tell(&found, &data.names);
            all.push(distance.hamming());
        }
    }
    all
}

fn tell(found: &Discovered, names: &[String]) {
    for edge in &found.edges {
        let (cause, effect) = (&names[edge.cause], &names[edge.effect]);
        eprintln!("  {cause} -> {effect} adds {:.3}; {}", edge.strength, edge.words(names));
    }
    for apart in &found.separations {
        eprintln!("  {} (gain {:.4})", apart.words(names), apart.gain);
    }
}

#[test]
fn the_pendulum_is_found_from_its_labels() {
    let distances = distances("pendulum");
    assert!(distances.iter().all(|distance| *distance == 0), "{distances:?}");
}

#[test]
fn the_flow_is_found_from_its_labels_but_for_one_edge() {
    let distances = distances("flow");
    assert!(distances.iter().all(|distance| *distance <= 1), "{distances:?}");
}

#[test]
fn notears_finds_some_graph_without_cycles() {
    for name in ["pendulum", "flow"] {
        for [labels, split] in KINDS {
            let data = open(name, labels, split);
            let x = data.labels.mapv(f64::from);
            let x = (&x - &x.mean_axis(Axis(0)).unwrap()) / &x.std_axis(Axis(0), 0.0);
            let learned = notears::learn(x.view(), &notears::Settings::default());
            assert!(polynomial(learned.weights.view()).value < 1e-8, "{learned:?}");
            let edges = learned.weights.mapv(|weight| weight != 0.0);
            let distance = GraphDistance::between(edges.view(), data.truth.view()).unwrap();
            let hamming = distance.hamming();
            eprintln!("NOTEARS on {name} {labels} {split}: SHD {hamming}, {distance:?}");
        }
    }
}
