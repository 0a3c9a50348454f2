//! The distribution of each code over the rows, beside the prior where there is one.

use unbraid_measure::representation::Representation;

use super::{Command, Drawing, Entry, Section};
use crate::draw::figure::{Anchor, Extent, Figure, INK, PALE, Panel, category, text_width};
use crate::evaluate::latents::by_importance;

/// How many codes are shown at most.
const SHOWN: usize = 12;
const BINS: usize = 36;
const ACROSS: usize = 4;
const WIDTH: f64 = 200.0;
const HEIGHT: f64 = 96.0;
const GAP: f64 = 30.0;
const DOWN: f64 = HEIGHT + 52.0;
const TOP: f64 = 96.0;
const MARGIN: f64 = 18.0;

/// How each code is distributed.
pub const FIGURE: Entry = Entry {
    files: &[("distribution.svg", "how each code is distributed over the rows")],
    command: Command::Traverse,
    section: Section::Alone,
    caption: "How the means of each code are distributed over the rows. The thin line is the prior, where there is \
              one: a code that tells nothing is a needle at 0. Several humps are kinds of rows that a code tells apart.",
    possible: |subject| subject.is_own(),
    draw: |subject| {
        let title = subject.title("how each code is distributed");
        Ok(vec![Drawing::Figure(draw(subject.codes.get()?, &title), title)])
    },
};

fn draw(codes: &Representation, title: &str) -> Figure {
    let mut latents = by_importance(codes);
    latents.truncate(SHOWN);
    let rows = latents.len().div_ceil(ACROSS);
    let across = latents.len().min(ACROSS);
    let words = text_width(title, 17.0) + 2.0 * MARGIN;
    let width = (2.0 * MARGIN + across as f64 * (WIDTH + GAP) - GAP).max(words);
    let mut figure = Figure::new(width.ceil(), TOP + rows as f64 * DOWN - 14.0);
    figure.text((MARGIN, 32.0), 17.0, INK, Anchor::Start, title);
    let note = format!("{} rows; upwards: their share", codes.rows());
    figure.text((MARGIN, 53.0), 12.0, INK, Anchor::Start, &note);
    let prior = codes.readings.kl.is_some();
    for (place, latent) in latents.iter().enumerate() {
        let left = MARGIN + (place % ACROSS) as f64 * (WIDTH + GAP);
        let top = TOP + (place / ACROSS) as f64 * DOWN;
        let column: Vec<f64> =
            codes.codes.column(latent.index).iter().map(|v| f64::from(*v)).collect();
        let ends = if prior { vec![-3.0, 3.0] } else { vec![] };
        let x = Extent::of(column.iter().copied().chain(ends)).padded(0.02);
        let density = histogram(&column, x);
        let high = density.iter().copied().fold(if prior { 0.42 } else { 0.0 }, f64::max);
        let panel = Panel {
            place: [left, top, WIDTH, HEIGHT],
            x,
            y: Extent { low: 0.0, high: high.max(1e-9) },
        };
        let ink = if latent.is_dead() { PALE } else { INK };
        let head = format!("z{}   {}", latent.index, latent.amount());
        figure.text((left, top - 8.0), 13.0, ink, Anchor::Start, &head);
        panel.frame_at(&mut figure, &x.ticks(4), &[]);
        panel.label_x(&mut figure);
        let wide = WIDTH / BINS as f64;
        for (bin, density) in density.iter().enumerate().filter(|(_, density)| **density > 0.0) {
            let high = HEIGHT * density / panel.y.high;
            let place = [left + bin as f64 * wide, top + HEIGHT - high, wide - 0.6, high];
            figure.rectangle(place, if latent.is_dead() { PALE } else { category(0) });
        }
        if prior {
            panel.curve(&mut figure, &normal(x), category(1), 1.3);
        }
    }
    figure
}

/// The density in each of the bins.
fn histogram(column: &[f64], x: Extent) -> Vec<f64> {
    let mut counts = vec![0.0; BINS];
    for value in column {
        counts[((x.share(*value) * BINS as f64) as usize).min(BINS - 1)] += 1.0;
    }
    let unit = column.len() as f64 * (x.high - x.low) / BINS as f64;
    counts.into_iter().map(|count| count / unit).collect()
}

/// The standard normal density.
fn normal(x: Extent) -> Vec<(f64, f64)> {
    let at = |k: usize| x.low + (x.high - x.low) * k as f64 / 60.0;
    let density = |v: f64| (-0.5 * v * v).exp() / (2.0 * std::f64::consts::PI).sqrt();
    (0..=60).map(|k| (at(k), density(at(k)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn densities_sum_to_one_and_a_constant_code_is_drawn() {
        let x = Extent { low: -2.0, high: 2.0 };
        let density = histogram(&[-2.0, 0.1, 0.2, 2.0], x);
        let sum: f64 = density.iter().sum::<f64>() * 4.0 / BINS as f64;
        assert!((sum - 1.0).abs() < 1e-12, "{sum}");
        let codes = ndarray::Array2::from_elem((5, 1), 1.0_f32);
        let codes = Representation::new(codes, ndarray::Array2::zeros((5, 0)), vec![]).unwrap();
        assert!(!draw(&codes, "t").to_svg("t").contains("NaN"));
    }
}
