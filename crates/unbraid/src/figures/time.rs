//! Codes over time: a line for each code over the rows in their order.

use unbraid_measure::representation::Representation;

use super::{Command, Drawing, Entry, Section};
use crate::draw::figure::{Anchor, Extent, Figure, INK, Panel, category, text_width};
use crate::evaluate::latents::{Latent, by_importance};

/// How many codes and rows are shown at most.
const SHOWN: usize = 8;
const ROWS: usize = 1200;
const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 74.0;
const LEFT: f64 = 150.0;
const DOWN: f64 = HEIGHT + 22.0;
const TOP: f64 = 76.0;
const MARGIN: f64 = 18.0;

/// The codes of a series.
pub const FIGURE: Entry = Entry {
    files: &[("time.svg", "each code over the rows in their order")],
    command: Command::Traverse,
    section: Section::Alone,
    caption: "Each code over the rows in the order of the file. Steps and waves that one code has to itself are what \
              it follows in time.",
    possible: |subject| {
        let data = subject.data;
        subject.is_own()
            && (data.about().is_in_time()
                || (0..data.len().min(9)).any(|row| data.next(row).is_some()))
    },
    draw: |subject| {
        let title = subject.title("codes over time");
        let all = subject.data.len();
        Ok(vec![Drawing::Figure(draw(subject.codes.get()?, all, &title), title)])
    },
};

fn draw(codes: &Representation, all: usize, title: &str) -> Figure {
    let known = by_importance(codes);
    let active = known.iter().filter(|latent| !latent.is_dead()).count();
    let shown: Vec<Latent> = known.into_iter().take(active.clamp(1, SHOWN)).collect();
    let rows = codes.rows();
    // Of all rows a stretch, in which something can be followed; of rows drawn at random what there is.
    let stretch = rows.min(ROWS);
    let note = match (rows == all, stretch < rows) {
        (true, true) => format!("The first {stretch} of {all} rows."),
        (true, false) => format!("All {all} rows."),
        (false, _) => {
            format!("{stretch} of {all} rows in their order; rows between them are left out.")
        }
    };
    let words = text_width(title, 17.0) + 2.0 * MARGIN;
    let width = (LEFT + WIDTH + MARGIN).max(words).ceil();
    let mut figure = Figure::new(width, TOP + shown.len() as f64 * DOWN + 18.0);
    figure.text((MARGIN, 32.0), 17.0, INK, Anchor::Start, title);
    figure.text((MARGIN, 53.0), 12.0, INK, Anchor::Start, &note);
    for (place, latent) in shown.iter().enumerate() {
        let top = TOP + place as f64 * DOWN;
        let points: Vec<(f64, f64)> = (0..stretch)
            .map(|row| (row as f64, f64::from(codes.codes[[row, latent.index]])))
            .collect();
        let y = Extent::of(points.iter().map(|point| point.1)).padded(0.06);
        let x = Extent { low: 0.0, high: (stretch.max(2) - 1) as f64 };
        let panel = Panel { place: [LEFT, top, WIDTH, HEIGHT], x, y };
        panel.frame(&mut figure);
        panel.label_y(&mut figure);
        if place + 1 == shown.len() {
            panel.label_x(&mut figure);
        }
        let middle = top + HEIGHT / 2.0;
        figure.text((MARGIN, middle), 17.0, INK, Anchor::Start, &format!("z{}", latent.index));
        figure.text((MARGIN, middle + 17.0), 12.0, INK, Anchor::Start, &latent.amount());
        panel.curve(&mut figure, &points, category(place), 1.2);
    }
    figure
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    #[test]
    fn a_long_series_is_shown_from_its_start() {
        let codes = Array2::from_shape_fn((2000, 1), |(row, _)| (row as f32 * 0.1).sin());
        let codes = Representation::new(codes, Array2::zeros((2000, 0)), vec![]).unwrap();
        let svg = draw(&codes, 2000, "t").to_svg("t");
        assert!(svg.contains("The first 1200 of 2000 rows") && svg.contains(">z0<"), "{svg}");
        assert!(draw(&codes, 90_000, "t").to_svg("t").contains("rows between them are left out"));
    }
}
