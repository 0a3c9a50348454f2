//! The figure of a learned graph: beside the true one, and how its edges grew.

use serde_json::{Map, Value as Json};
use unbraid_measure::graph::Graph;

use super::{Command, Drawing, Entry, Section};
use crate::draw::figure::{Anchor, Colour, Extent, Figure, INK, PALE, Panel, category, text_width};
use crate::intervene::graph::Causes;
use crate::parts::concepts::structure::acyclic;

const RIGHT: Colour = Colour(0, 114, 178);
const WRONG: Colour = Colour(213, 94, 0);
const PANEL: f64 = 400.0;
const MARGIN: f64 = 24.0;
const TOP: f64 = 84.0;
/// From one layer of the graph to the next.
const LAYER: f64 = 120.0;
const BOX: f64 = 34.0;
const TEXT: f64 = 13.0;
/// The panel of the curves.
const CURVES: f64 = 190.0;
const LEGEND: f64 = 250.0;

/// The learned graph beside the true one.
pub const FIGURE: Entry = Entry {
    files: &[("graph.svg", "the learned graph, and the true one where it is known")],
    command: Command::Graph,
    section: Section::Graph,
    caption: "Arrows go from causes to effects.",
    possible: |subject| subject.learner.graph().is_some(),
    draw: |subject| {
        let title = subject.title("causes");
        let figure = draw(subject.graph.get()?, subject.log, &title);
        Ok(vec![Drawing::Figure(figure, title)])
    },
};

/// Draw a graph; `log` is that of the run.
pub fn draw(causes: &Causes, log: &[Map<String, Json>], title: &str) -> Figure {
    let learned = acyclic(&causes.learned.matrix, causes.learned.least);
    let layout = Layout::new(causes.truth.as_ref().unwrap_or(&learned));
    let curves = curves(causes, log);
    let below = TOP + 40.0 + layout.height();
    let height = if curves.is_empty() { below } else { below + CURVES + 90.0 };
    let panels = if causes.truth.is_some() { 2.0 } else { 1.0 };
    let width = (panels * PANEL + (panels + 1.0) * MARGIN).max(760.0);
    let mut figure = Figure::new(width, height);
    figure.text((MARGIN, 32.0), 17.0, INK, Anchor::Start, title);
    let words = match causes.distance(&causes.present()) {
        Some(distance) => format!("learned, {} wrong", distance.hamming()),
        None => "learned".into(),
    };
    graph(&mut figure, causes, &layout, (MARGIN, TOP), &words, false);
    if causes.truth.is_some() {
        let left = 2.0 * MARGIN + PANEL;
        graph(&mut figure, causes, &layout, (left, TOP), "true", true);
    }
    if !curves.is_empty() {
        grown(&mut figure, &curves, below + 20.0, width);
    }
    figure
}

/// Where each concept stands: causes above effects.
struct Layout {
    /// Layer, and place within it from 0 to 1.
    places: Vec<(usize, f64)>,
    layers: usize,
}

impl Layout {
    fn new(graph: &Graph) -> Self {
        let mut depth = vec![0usize; graph.len()];
        for node in graph.order() {
            let above = graph.parents(node).into_iter().map(|cause| depth[cause] + 1).max();
            depth[node] = above.unwrap_or(0);
        }
        // A root stands right above the first of its effects, not at the top of a long graph.
        for node in 0..graph.len() {
            let effects = (0..graph.len()).filter(|&effect| graph.has_edge(node, effect));
            if let (true, Some(first)) =
                (graph.parents(node).is_empty(), effects.map(|effect| depth[effect]).min())
            {
                depth[node] = first - 1;
            }
        }
        let layers = depth.iter().max().map_or(0, |last| last + 1);
        let place = |node: usize| {
            let layer: Vec<usize> =
                (0..graph.len()).filter(|other| depth[*other] == depth[node]).collect();
            let at = layer.iter().position(|other| *other == node).unwrap_or(0);
            (depth[node], (at as f64 + 0.5) / layer.len() as f64)
        };
        Self { places: (0..graph.len()).map(place).collect(), layers }
    }

    fn height(&self) -> f64 {
        LAYER * self.layers.saturating_sub(1) as f64 + BOX
    }

    fn at(&self, node: usize, (left, top): (f64, f64)) -> (f64, f64) {
        let (layer, share) = self.places[node];
        (left + PANEL * share, top + 34.0 + LAYER * layer as f64)
    }
}

/// One graph: right edges blue, wrong ones orange, missing ones grey and dashed.
fn graph(
    figure: &mut Figure,
    causes: &Causes,
    layout: &Layout,
    corner: (f64, f64),
    words: &str,
    truth: bool,
) {
    figure.text((corner.0, corner.1 - 14.0), 14.0, INK, Anchor::Start, words);
    let learned = causes.present();
    let n = causes.names.len();
    let is_true =
        |i: usize, j: usize| causes.truth.as_ref().is_some_and(|truth| truth.has_edge(i, j));
    for cause in 0..n {
        for effect in 0..n {
            let ends = [layout.at(cause, corner), layout.at(effect, corner)];
            let (has, should) = (learned[[cause, effect]], is_true(cause, effect));
            if truth && should {
                arrow(figure, ends, INK, 1.6, false);
            } else if !truth && has {
                let colour = match (causes.truth.is_some(), should) {
                    (true, false) => WRONG,
                    _ => RIGHT,
                };
                let strength = causes.learned.matrix[[cause, effect]];
                let width = 1.2 + 2.4 * f64::from(strength.abs().min(1.0));
                arrow(figure, ends, colour, width, false);
            } else if !truth && should {
                arrow(figure, ends, PALE, 1.4, true);
            }
        }
    }
    for edge in causes.edges.iter().filter(|_| !truth) {
        let ends = [layout.at(edge.cause, corner), layout.at(edge.effect, corner)];
        strength_on(figure, ends, f64::from(edge.strength), INK);
    }
    for (node, name) in causes.names.iter().enumerate() {
        let (x, y) = layout.at(node, corner);
        let width = text_width(name, TEXT) + 24.0;
        let edge = [x - width / 2.0, y - BOX / 2.0, width, BOX];
        figure.rectangle(edge, INK);
        let inside = [edge[0] + 1.2, edge[1] + 1.2, edge[2] - 2.4, edge[3] - 2.4];
        figure.rectangle(inside, Colour(255, 255, 255));
        figure.text((x, y + 4.5), TEXT, INK, Anchor::Middle, name);
    }
}

/// From box to box; level ones bow out so that they do not run through what stands between.
fn arrow(figure: &mut Figure, [from, to]: [(f64, f64); 2], ink: Colour, width: f64, dashed: bool) {
    let level = (from.1 - to.1).abs() < 1.0;
    let down = if to.1 > from.1 { 1.0 } else { -1.0 };
    let lean = lean(from, to);
    let start = (from.0 + lean, from.1 + down * BOX / 2.0);
    let end = (to.0 - lean, to.1 - down * (BOX / 2.0 + 7.0));
    let bow = if level { BOX } else { 0.0 };
    let (start, end) = match level {
        true => ((from.0, from.1 + BOX / 2.0), (to.0, to.1 + BOX / 2.0 + 7.0)),
        false => (start, end),
    };
    let at = |t: f64| {
        let x = start.0 + (end.0 - start.0) * t;
        (x, start.1 + (end.1 - start.1) * t + bow * 4.0 * t * (1.0 - t))
    };
    let points: Vec<(f64, f64)> = (0..=24).map(|k| at(f64::from(k) / 24.0)).collect();
    let pieces = if dashed { 3 } else { points.len() };
    for piece in points.chunks(pieces) {
        let drawn = if dashed { &piece[..piece.len().min(2)] } else { piece };
        figure.line(drawn, ink, width);
    }
    let (before, tip) = (points[points.len() - 3], points[points.len() - 1]);
    let (dx, dy) = (tip.0 - before.0, tip.1 - before.1);
    let length = (dx * dx + dy * dy).sqrt().max(1e-9);
    let (ux, uy) = (dx / length, dy / length);
    let point = (tip.0 + 7.0 * ux, tip.1 + 7.0 * uy);
    let side = |s: f64| (tip.0 - 4.0 * ux - s * 5.0 * uy, tip.1 - 4.0 * uy + s * 5.0 * ux);
    figure.area(&[side(1.0), point], &[side(-1.0)], ink, 1.0);
}

/// Arrows leave and reach a box where they come from, so that two of them do not meet there.
fn lean(from: (f64, f64), to: (f64, f64)) -> f64 {
    (0.15 * (to.0 - from.0)).clamp(-26.0, 26.0)
}

/// On the arrow, before it crosses others.
fn strength_on(figure: &mut Figure, [from, to]: [(f64, f64); 2], strength: f64, ink: Colour) {
    const ALONG: f64 = 0.34;
    let lean = lean(from, to);
    let (start, end) = (from.0 + lean, to.0 - lean);
    let (x, y) = (start + (end - start) * ALONG, from.1 + (to.1 - from.1) * ALONG);
    let words = format!("{strength:.2}");
    let width = text_width(&words, 12.0) + 6.0;
    figure.rectangle([x - width / 2.0, y - 9.0, width, 17.0], Colour(255, 255, 255));
    figure.text((x, y + 4.0), 12.0, ink, Anchor::Middle, &words);
}

/// The strength of each edge over the steps, the strongest in the end first.
fn curves(causes: &Causes, log: &[Map<String, Json>]) -> Vec<(String, Vec<(f64, f64)>)> {
    let n = causes.names.len();
    let curve = |k: usize| {
        let (cause, effect) = (k / n, k % n);
        let key = format!("edge/{cause}-{effect}");
        let point =
            |row: &Map<String, Json>| Some((row["step"].as_f64()?, row.get(&key)?.as_f64()?));
        let points: Vec<(f64, f64)> = log.iter().filter_map(point).collect();
        (format!("{} \u{2192} {}", causes.names[cause], causes.names[effect]), points)
    };
    let mut curves: Vec<_> = (0..n * n).map(curve).collect();
    curves.retain(|(_, points)| points.iter().any(|point| point.1 != 0.0));
    let last = |points: &[(f64, f64)]| points.last().map_or(0.0, |point| point.1.abs());
    curves.sort_by(|a, b| last(&b.1).total_cmp(&last(&a.1)));
    curves
}

fn grown(figure: &mut Figure, curves: &[(String, Vec<(f64, f64)>)], top: f64, width: f64) {
    figure.text(
        (MARGIN, top + 8.0),
        14.0,
        INK,
        Anchor::Start,
        "weight of each edge over the steps",
    );
    let all = || curves.iter().flat_map(|(_, points)| points);
    let last = all().map(|point| point.0).fold(1.0, f64::max);
    let place = [MARGIN + 44.0, top + 24.0, width - LEGEND - 2.0 * MARGIN - 44.0, CURVES];
    let panel = Panel {
        place,
        x: Extent { low: 0.0, high: last },
        y: Extent::of(all().map(|point| point.1).chain([0.0])).padded(0.05),
    };
    panel.frame(figure);
    panel.label_x(figure);
    panel.label_y(figure);
    for (number, (name, points)) in curves.iter().enumerate().take(12) {
        panel.curve(figure, points, category(number), 1.6);
        let y = place[1] + 10.0 + 16.0 * number as f64;
        let x = place[0] + place[2] + 18.0;
        figure.line(&[(x, y - 4.0), (x + 16.0, y - 4.0)], category(number), 2.4);
        figure.text((x + 22.0, y), 12.0, INK, Anchor::Start, name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_stand_above_their_effects_and_roots_right_above() {
        // 0 → 1 → 2 ← 3: node 3 stands beside 1, not beside 0.
        let graph = Graph::new(["a", "b", "c", "d"], &[(0, 1), (1, 2), (3, 2)]).unwrap();
        let layout = Layout::new(&graph);
        let layers: Vec<usize> = layout.places.iter().map(|place| place.0).collect();
        assert_eq!((layers, layout.layers), (vec![0, 1, 2, 1], 3));
        assert_eq!(layout.places[1].1, 0.25);
    }
}
