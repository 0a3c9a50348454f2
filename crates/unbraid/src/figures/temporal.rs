//! The figure of a temporal graph: causes down, effects across, a square for each edge.

use ndarray::Array2;

use crate::draw::figure::{Anchor, Colour, Figure, INK, PALE, text_width};
use crate::intervene::temporal::TemporalCauses;

/// The file of a run.
pub const FILE: &str = "temporal-graph.svg";

const RIGHT: Colour = Colour(0, 114, 178);
const WRONG: Colour = Colour(213, 94, 0);
const MISSING: Colour = Colour(196, 199, 204);
const EMPTY: Colour = Colour(243, 244, 246);
const CELL: f64 = 30.0;
const TOP: f64 = 92.0;
const BETWEEN: f64 = 46.0;

/// Draw the found graph, that of the same search on true values, and the truth.
pub fn draw(causes: &TemporalCauses, title: &str) -> Figure {
    let n = causes.names.len();
    let side = n as f64 * CELL;
    let names = causes.names.iter().map(|name| text_width(name, 12.0)).fold(0.0, f64::max) + 30.0;
    let mut panels = vec![
        (said("from latents", causes, &causes.learned.edges), &causes.learned.edges),
        (said("from true values", causes, &causes.of_truth.edges), &causes.of_truth.edges),
    ];
    panels.extend(causes.truth.as_ref().map(|truth| ("true".to_string(), truth)));
    let width = names + panels.len() as f64 * (side.max(170.0) + BETWEEN);
    let mut figure = Figure::new(width.max(620.0), TOP + side + 60.0);
    figure.text((18.0, 30.0), 16.0, INK, Anchor::Start, title);
    let legend = "a row's variable causes the column's at the next step; blue right, orange wrong, grey missing";
    figure.text((18.0, 50.0), 12.0, PALE, Anchor::Start, legend);
    for (k, name) in causes.names.iter().enumerate() {
        let y = TOP + (k as f64 + 0.62) * CELL;
        figure.text((names - 10.0, y), 12.0, INK, Anchor::End, &format!("{}  {name}", k + 1));
    }
    for (place, (words, edges)) in panels.into_iter().enumerate() {
        let left = names + place as f64 * (side.max(170.0) + BETWEEN);
        figure.text((left, TOP - 12.0), 13.0, INK, Anchor::Start, &words);
        matrix(&mut figure, edges, causes.truth.as_ref(), left);
    }
    figure
}

/// What a panel shows, and how many of its edges are wrong.
fn said(words: &str, causes: &TemporalCauses, edges: &Array2<bool>) -> String {
    let found = [&causes.learned, &causes.of_truth].into_iter().find(|found| found.edges == *edges);
    match found.and_then(|found| causes.distance(found)) {
        Some(distance) => format!("{words}, SHD {}", distance.hamming()),
        None => words.into(),
    }
}

fn matrix(figure: &mut Figure, edges: &Array2<bool>, truth: Option<&Array2<bool>>, left: f64) {
    for ((cause, effect), edge) in edges.indexed_iter() {
        let real = truth.map(|truth| truth[[cause, effect]]);
        let ink = match (*edge, real) {
            (true, Some(false)) => WRONG,
            (true, _) => RIGHT,
            (false, Some(true)) => MISSING,
            (false, _) => EMPTY,
        };
        let (x, y) = (left + effect as f64 * CELL, TOP + cause as f64 * CELL);
        figure.rectangle([x + 1.0, y + 1.0, CELL - 2.0, CELL - 2.0], ink);
    }
    for effect in 0..edges.ncols() {
        let x = left + (effect as f64 + 0.5) * CELL;
        let y = TOP + edges.nrows() as f64 * CELL + 16.0;
        figure.text((x, y), 12.0, INK, Anchor::Middle, &(effect + 1).to_string());
    }
}
