//! Nearest neighbours: some rows, and those that are nearest to them by their codes.

use ndarray::{Array2, ArrayView1, Axis};
use unbraid_measure::data;
use unbraid_measure::rng::Rng;

use super::{Command, Drawing, Entry, Section, Subject, tiles};
use crate::draw::figure::{Anchor, Extent, Figure, INK, Panel, category, text_width};
use crate::draw::picture::{Sheet, Strip};
use crate::error::Result;
use crate::model::batch::Seen;

/// Neighbours are sought among so many rows.
const AMONG: usize = 2000;
/// So many rows are shown, with so many neighbours each.
const SHOWN: usize = 6;
const NEAREST: usize = 7;
/// Longer vectors are cut.
const NUMBERS: usize = 60;
const TOP: f64 = 92.0;
const MARGIN: f64 = 18.0;

/// How to read either.
const CAPTION: &str = "Some rows, and beside each those that are nearest to it by their codes: what the model takes for \
                       alike. If neighbours have nothing in common that you care for, the codes will not help you.";

/// Pictures beside those that are alike to the model.
pub const FIGURE: Entry = Entry {
    files: &[("neighbours.png", "pictures beside their nearest by codes")],
    command: Command::Traverse,
    section: Section::Alone,
    caption: CAPTION,
    possible: |subject| subject.is_own() && subject.has_images(),
    draw: |subject| Ok(vec![Drawing::Sheet(sheet(subject)?)]),
};

/// The same of vectors, as profiles.
pub const PROFILES: Entry = Entry {
    files: &[("neighbours.svg", "rows beside their nearest by codes")],
    command: Command::Traverse,
    section: Section::Alone,
    caption: CAPTION,
    possible: |subject| {
        subject.is_own() && !subject.has_images() && subject.data.shape().size() > 2
    },
    draw: |subject| {
        let title = subject.title("rows and those nearest to them by codes");
        Ok(vec![Drawing::Figure(profiles(subject, &title), title)])
    },
};

/// Some rows with their neighbours.
struct Found {
    /// The row and then its neighbours, as rows of the data.
    groups: Vec<Vec<usize>>,
}

fn found(subject: &Subject) -> Found {
    let rows = data::rows(subject.data, AMONG, &Rng::new(subject.seed).split("neighbours"));
    let codes = subject.learner.encode(&Seen::of(subject.data, &rows));
    let shown = SHOWN.min(rows.len());
    let group = |k: usize| {
        let from = k * rows.len() / shown;
        let near = nearest(&codes, from).into_iter().map(|place| rows[place]);
        std::iter::once(rows[from]).chain(near).collect()
    };
    Found { groups: (0..shown).map(group).collect() }
}

/// The rows of codes nearest to one of them, the nearest first.
fn nearest(codes: &Array2<f32>, from: usize) -> Vec<usize> {
    let square = |row: ArrayView1<f32>| {
        row.iter().zip(codes.row(from)).map(|(a, b)| (a - b) * (a - b)).sum::<f32>()
    };
    let far: Vec<f32> = codes.rows().into_iter().map(square).collect();
    let mut order: Vec<usize> = (0..codes.nrows()).filter(|row| *row != from).collect();
    order.sort_by(|a, b| far[*a].total_cmp(&far[*b]));
    order.truncate(NEAREST);
    order
}

/// What is known of a row, in words: its first factors.
fn known(subject: &Subject, row: usize) -> String {
    let factors = subject.data.factors();
    if factors.is_empty() || !subject.data.is_labelled(row) {
        return format!("row {row}");
    }
    let values = data::values(subject.data, &[row]);
    let named = factors.iter().zip(values.row(0)).take(2);
    named
        .map(|(factor, value)| format!("{} = {}", factor.name, factor.called(*value)))
        .collect::<Vec<_>>()
        .join(", ")
}

fn sheet(subject: &Subject) -> Result<Sheet> {
    let strip = |group: &Vec<usize>| {
        let seen = data::observations(subject.data, group);
        let tiles = tiles(&seen, subject.data.shape())?;
        Ok(Strip { label: known(subject, group[0]), tiles, ..Strip::default() })
    };
    let strips = found(subject).groups.iter().map(strip).collect::<Result<_>>()?;
    let mut columns = vec!["this row".to_string(), "nearest".into()];
    columns.resize(NEAREST + 1, String::new());
    Ok(Sheet {
        title: subject.title("pictures and those nearest to them by codes"),
        columns,
        strips,
    })
}

fn profiles(subject: &Subject, title: &str) -> Figure {
    const WIDE: f64 = 330.0;
    const HIGH: f64 = 104.0;
    const LEFT: f64 = 44.0;
    let groups = found(subject).groups;
    let names = subject.names();
    let shown = names.len().min(NUMBERS);
    let note = format!(
        "Thick: a row; thin: its {NEAREST} nearest. From left to right the {} observed, as the model sees them: {}{}",
        match shown < names.len() {
            true => format!("first {shown} of {} numbers", names.len()),
            false => format!("{shown} numbers"),
        },
        names.iter().take(4).cloned().collect::<Vec<_>>().join(", "),
        if names.len() > 4 { ", …" } else { "." },
    );
    let words = text_width(title, 17.0).max(text_width(&note, 12.0)) + 2.0 * MARGIN;
    let width = (2.0 * (LEFT + WIDE) + 2.0 * MARGIN + 10.0).max(words).ceil();
    let height = TOP + groups.len().div_ceil(2) as f64 * (HIGH + 46.0);
    let mut figure = Figure::new(width, height);
    figure.text((MARGIN, 32.0), 17.0, INK, Anchor::Start, title);
    figure.text((MARGIN, 53.0), 12.0, INK, Anchor::Start, &note);
    let seen: Vec<Array2<f32>> =
        groups.iter().map(|group| data::observations(subject.data, group)).collect();
    let numbers = seen.iter().flat_map(|rows| rows.iter().copied().map(f64::from));
    let y = Extent::of(numbers).padded(0.03);
    for (place, (rows, group)) in seen.iter().zip(&groups).enumerate() {
        let left = MARGIN + LEFT + (place % 2) as f64 * (WIDE + LEFT + 10.0);
        let top = TOP + (place / 2) as f64 * (HIGH + 46.0);
        let x = Extent { low: 0.0, high: (shown.max(2) - 1) as f64 };
        let panel = Panel { place: [left, top, WIDE, HIGH], x, y };
        panel.frame_y(&mut figure);
        panel.label_y(&mut figure);
        figure.text((left, top - 8.0), 13.0, INK, Anchor::Start, &known(subject, group[0]));
        for (k, row) in rows.axis_iter(Axis(0)).enumerate().rev() {
            let points: Vec<(f64, f64)> = row
                .iter()
                .take(shown)
                .enumerate()
                .map(|(k, v)| (k as f64, f64::from(*v)))
                .collect();
            let (colour, thick) = if k == 0 { (INK, 2.2) } else { (category(4), 1.0) };
            panel.inside(&mut figure, |figure| panel.curve(figure, &points, colour, thick));
        }
    }
    figure
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn the_nearest_comes_first_and_a_row_is_not_its_own_neighbour() {
        let codes = array![[0.0, 0.0], [5.0, 5.0], [0.0, 1.0], [3.0, 0.0]];
        assert_eq!(nearest(&codes, 0), [2, 3, 1]);
    }
}
