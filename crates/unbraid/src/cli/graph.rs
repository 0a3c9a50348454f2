//! `unbraid graph`: the learned graph beside the true one.

use std::fmt::Write;

use anyhow::Result;
use unbraid::figures;
use unbraid::intervene::graph::{self, Causes};
use unbraid::model::learner::Learner;
use unbraid::run::Run;
use unbraid::run::config::Plan;
use unbraid_measure::files;

use super::args::Graph;
use super::train::set_up_reader;
use super::{Output, table};

pub(super) fn run(options: &Graph, output: Output) -> Result<()> {
    let run = Run::open(&options.run)?;
    set_up_reader(run.config());
    let plan = run.config().clone().resolve()?;
    let learner = run.learner(&plan)?;
    let causes = draw(&run, &plan, &*learner)?;
    let figure = format!("\n{}\n", run.graph_figure().display());
    output.result(&(described(&causes) + &figure), || causes.to_json())
}

/// Write `graph.json` and `graph.svg`.
pub(super) fn draw(run: &Run, plan: &Plan, learner: &dyn Learner) -> Result<Causes> {
    let causes = graph::of_run(plan, learner)?;
    files::write(run.graph_file(), format!("{:#}\n", causes.to_json()).as_bytes())?;
    let title = format!("{} on {}: causes", plan.entry.info.title, plan.config.data_name());
    let figure = figures::graph::draw(&causes, &run.log_rows()?, &title);
    figure.save(&title, &run.graph_figure())?;
    Ok(causes)
}

/// Edges with their reasons, then how far they are from the truth.
fn described(causes: &Causes) -> String {
    let mut out = String::new();
    let name = |k: usize| causes.names[k].as_str();
    let row = |edge: &graph::Edge| {
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
