//! What each layer of a hierarchy tells, step by step.

use super::{DOWN, HEIGHT, LEFT, Log, heading, last};
use crate::draw::figure::{Anchor, Colour, Extent, Figure, INK, Panel, ordered};

const WIDTH: f64 = 400.0;
/// From one panel to the next: the numbers of the second.
const BETWEEN: f64 = 70.0;

/// The columns of one kind, `layer/1/kl`, `layer/2/kl`, …, from the bottom.
fn columns<'a>(log: &'a Log, kind: &str) -> Vec<&'a [f64]> {
    let column = |layer: usize| {
        let name = format!("layer/{layer}/{kind}");
        log.terms.iter().find(|(term, _)| *term == name).map(|(_, column)| &column[..])
    };
    (1..).map_while(column).collect()
}

/// How much room they take; none without layers.
pub(super) fn height(log: &Log) -> f64 {
    if columns(log, "kl").is_empty() { 0.0 } else { DOWN }
}

/// The KL and the active latents of each layer, side by side, with one legend.
pub(super) fn draw(figure: &mut Figure, log: &Log, top: f64) {
    let (kl, active) = (columns(log, "kl"), columns(log, "active"));
    if kl.is_empty() {
        return;
    }
    let place = |k: usize| [LEFT + k as f64 * (WIDTH + BETWEEN), top, WIDTH, HEIGHT];
    panel(figure, log, &kl, place(0), "KL of each layer, in nats");
    panel(figure, log, &active, place(1), "active latents of each layer");
    let left = LEFT + 2.0 * WIDTH + BETWEEN + 18.0;
    for (k, column) in kl.iter().enumerate() {
        let y = top + (k as f64 + 0.7) * 19.0;
        figure.line(&[(left, y - 4.0), (left + 22.0, y - 4.0)], colour(k, kl.len()), 3.0);
        let text = format!("layer {}  {:.1}", k + 1, last(column));
        figure.text((left + 30.0, y), 12.0, INK, Anchor::Start, &text);
    }
}

fn colour(layer: usize, layers: usize) -> Colour {
    ordered(layer, layers)
}

fn panel(figure: &mut Figure, log: &Log, columns: &[&[f64]], place: [f64; 4], name: &str) {
    let numbers = columns.iter().flat_map(|column| column.iter().copied());
    let high = Extent::of(numbers).high.max(1.0) * 1.05;
    let panel = Panel { place, x: log.x(), y: Extent { low: 0.0, high } };
    heading(figure, &panel, name);
    panel.inside(figure, |figure| {
        for (k, column) in columns.iter().enumerate() {
            panel.curve(figure, &log.points(column), colour(k, columns.len()), 1.8);
        }
    });
}
