//! `unbraid graph`: the learned graph beside the true one.

use std::fmt::Write;

use anyhow::Result;
use unbraid::figures;
use unbraid::intervene::graph::{Causes, Edge};

use super::args::Graph;
use super::progress::Screen;
use super::{Output, opened, table};

pub(super) fn run(options: &Graph, output: Output) -> Result<()> {
    let trained = opened(&options.run)?;
    let causes = trained.graph(&Screen::new(output))?;
    let figure = trained.run().file(figures::graph::FIGURE.name());
    let text = format!("{}\n{}\n", described(&causes), figure.display());
    output.result(&text, || causes.to_json())
}

/// Edges with their reasons, then how far they are from the truth.
fn described(causes: &Causes) -> String {
    let mut out = String::new();
    let name = |k: usize| causes.names[k].as_str();
    let row = |edge: &Edge| {
        let arrow = format!("{} -> {}", name(edge.cause), name(edge.effect));
        vec![arrow, format!("{:.2}", edge.strength), edge.principle.clone()]
    };
    match causes.edges.is_empty() {
        true => out.push_str("no edges\n"),
        false => out.push_str(&table(&causes.edges.iter().map(row).collect::<Vec<_>>())),
    }
    if !causes.separations.is_empty() {
        let _ = write!(out, "\nNo edge: {}.\n", causes.separations.join("; "));
    }
    let judged = |title: &str, edges: &ndarray::Array2<bool>| {
        let distance = causes.distance(edges)?;
        Some(vec![
            title.to_string(),
            distance.hamming().to_string(),
            format!("{:.2}", distance.precision()),
            format!("{:.2}", distance.recall()),
        ])
    };
    let mut rows =
        vec![["against the true graph", "SHD", "precision", "recall"].map(String::from).to_vec()];
    rows.extend(judged("this model", &causes.present()));
    rows.extend(causes.others.iter().filter_map(|other| judged(other.name, &other.edges)));
    match rows.len() {
        1 => out.push_str("\nThe true graph of these data is not known.\n"),
        _ => {
            let _ = write!(out, "\n{}", table(&rows));
        }
    }
    out
}
