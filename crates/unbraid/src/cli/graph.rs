//! `unbraid graph`: the learned graph beside the true one.

use std::fmt::Write;

use anyhow::Result;
use unbraid::figures;
use unbraid::intervene::graph::{Causes, Edge};
use unbraid::intervene::temporal::TemporalCauses;
use unbraid_measure::causal::temporal::Found;

use super::args::Graph;
use super::progress::Screen;
use super::{Output, opened, table};

pub(super) fn run(options: &Graph, output: Output) -> Result<()> {
    let trained = opened(&options.run)?;
    if trained.is_of_sequences() {
        let screen = Screen::new(output);
        let assignment = trained.assignment(&screen)?;
        let (causes, figure) = trained.temporal_graph(&screen)?;
        drop(screen);
        let text =
            format!("{}\n{}\n{}\n", assigned(&assignment), over_time(&causes), figure.display());
        return output.result(&text, || causes.to_json());
    }
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

/// Which latents stand for which variable.
fn assigned(assignment: &[(Option<String>, Vec<usize>)]) -> String {
    let mut rows = vec![["variable", "latents"].map(String::from).to_vec()];
    for (name, latents) in assignment {
        let latents: Vec<String> = latents.iter().map(usize::to_string).collect();
        let list = if latents.is_empty() { "-".into() } else { latents.join(", ") };
        rows.push(vec![name.clone().unwrap_or_else(|| "none of them".into()), list]);
    }
    table(&rows)
}

/// What causes each variable at the next step, then how far that is from the truth.
fn over_time(causes: &TemporalCauses) -> String {
    let mut rows = vec![["variable", "caused by"].map(String::from).to_vec()];
    for (effect, name) in causes.names.iter().enumerate() {
        let cause = |cause: usize| {
            let strength = causes.learned.strengths[[cause, effect]];
            let present = causes.learned.edges[[cause, effect]];
            present.then(|| format!("{} {strength:.2}", causes.names[cause]))
        };
        let list: Vec<String> = (0..causes.names.len()).filter_map(cause).collect();
        rows.push(vec![name.clone(), if list.is_empty() { "-".into() } else { list.join(", ") }]);
    }
    let judged = |title: &str, found: &Found| {
        let distance = causes.distance(found)?;
        let [precision, recall] = [distance.precision(), distance.recall()];
        let numbers =
            [distance.hamming().to_string(), format!("{precision:.2}"), format!("{recall:.2}")];
        Some([title.to_string()].into_iter().chain(numbers).collect::<Vec<_>>())
    };
    let mut against =
        vec![["against the true graph", "SHD", "precision", "recall"].map(String::from).to_vec()];
    against.extend(judged("from latents", &causes.learned));
    against.extend(judged("from true values, by the same search", &causes.of_truth));
    let against = match against.len() {
        1 => "The true graph of these data is not known.\n".into(),
        _ => table(&against),
    };
    format!("{}\n{against}", table(&rows))
}
