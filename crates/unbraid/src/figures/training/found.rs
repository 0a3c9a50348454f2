//! How well each variable is found, step by step, where a model of sequences was looked at while it learned.

use super::{DOWN, HEIGHT, LEFT, Log, WIDE, heading, last};
use crate::draw::figure::{Anchor, Extent, Figure, INK, Panel, category};

/// The variables with their columns, `found/NAME`.
fn columns(log: &Log) -> Vec<(&str, &[f64])> {
    let named = log.terms.iter().map(|(name, column)| (name.strip_prefix("found/"), &column[..]));
    named.filter_map(|(name, column)| Some((name?, column))).collect()
}

/// How much room they take; none where there are none.
pub(super) fn height(log: &Log) -> f64 {
    if columns(log).is_empty() { 0.0 } else { DOWN + 40.0 }
}

/// A line for each variable, with a legend.
pub(super) fn draw(figure: &mut Figure, log: &Log, top: f64) {
    let columns = columns(log);
    if columns.is_empty() {
        return;
    }
    let place = [LEFT, top, WIDE - 60.0, HEIGHT + 40.0];
    let panel = Panel { place, x: log.x(), y: Extent { low: 0.0, high: 1.04 } };
    heading(
        figure,
        &panel,
        "R2 of each variable from its latents, on validation frames if there are any",
    );
    for (k, (name, column)) in columns.iter().enumerate() {
        let points = log.points(column);
        panel.inside(figure, |figure| panel.curve(figure, &points, category(k), 1.8));
        let (x, y) = (LEFT + WIDE - 42.0, top + (k as f64 + 0.7) * 19.0);
        figure.line(&[(x, y - 4.0), (x + 22.0, y - 4.0)], category(k), 3.0);
        let text = format!("{name}  {:.2}", last(column));
        figure.text((x + 30.0, y), 12.0, INK, Anchor::Start, &text);
    }
}
