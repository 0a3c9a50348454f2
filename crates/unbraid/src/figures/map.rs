//! The map of the rows: the two codes that tell most, a dot per row, coloured by a factor where one is known.

use unbraid_measure::representation::Representation;

use super::{Command, Drawing, Entry, Section};
use crate::draw::figure::{
    Anchor, Colour, Extent, Figure, INK, Panel, category, ordered, text_width,
};
use crate::draw::words::short;
use crate::evaluate::latents::{Latent, by_importance};

const POINTS: usize = 3000;
const SIDE: f64 = 440.0;
const LEFT: f64 = 70.0;
const TOP: f64 = 84.0;
const MARGIN: f64 = 18.0;
/// So many kinds are named beside the map.
const NAMED: usize = 22;
/// More kinds than colours are coloured by their order.
const KINDS: usize = 6;

/// The rows by two codes.
pub const FIGURE: Entry = Entry {
    files: &[("map.svg", "the rows by the two codes that tell most")],
    command: Command::Traverse,
    section: Section::Alone,
    caption: "Each dot is a row, at its two codes that tell most. Rows that lie together are alike to the model; clouds \
              that lie apart are kinds of rows. Colours, where there are any, are of a known factor, which the \
              model did not see unless it learns from labels.",
    possible: |subject| subject.is_own(),
    draw: |subject| {
        let codes = subject.codes.get()?;
        if codes.codes.ncols() < 2 {
            return Ok(vec![]);
        }
        let title = subject.title("the rows by two codes");
        Ok(vec![Drawing::Figure(draw(codes, &title), title)])
    },
};

fn draw(codes: &Representation, title: &str) -> Figure {
    let latents = by_importance(codes);
    let (a, b) = (latents[0].index, latents[1].index);
    let kinds = Kinds::of(codes);
    let beside =
        kinds.legend.iter().map(|(_, word)| text_width(word, 12.0)).fold(0.0, f64::max) + 30.0;
    let words = text_width(title, 17.0) + 2.0 * MARGIN;
    let width = (LEFT + SIDE + MARGIN + 10.0 + beside).max(words).ceil();
    let mut figure = Figure::new(width, TOP + SIDE + 54.0);
    figure.text((MARGIN, 32.0), 17.0, INK, Anchor::Start, title);
    if let Some(name) = &kinds.name {
        figure.text((MARGIN, 53.0), 12.0, INK, Anchor::Start, &format!("coloured by {name}"));
    }
    let extent = |place: usize| {
        let Latent { index, .. } = latents[place];
        // What a dead code does is noise, and should not look like more.
        let room = if latents[place].is_dead() { vec![-1.0, 1.0] } else { vec![] };
        let numbers = codes.codes.column(index).to_vec().into_iter().map(f64::from);
        Extent::of(numbers.chain(room)).padded(0.04)
    };
    let panel = Panel { place: [LEFT, TOP, SIDE, SIDE], x: extent(0), y: extent(1) };
    panel.frame(&mut figure);
    panel.label_x(&mut figure);
    panel.label_y(&mut figure);
    let said = |place: usize| format!("z{}  ({})", latents[place].index, latents[place].amount());
    figure.text(
        (LEFT + SIDE / 2.0, TOP + SIDE + 38.0),
        13.0,
        INK,
        Anchor::Middle,
        &format!("{} →", said(0)),
    );
    figure.text((LEFT, TOP - 10.0), 13.0, INK, Anchor::Start, &format!("↑ {}", said(1)));
    for row in (0..codes.rows()).step_by(codes.rows().div_ceil(POINTS)) {
        let point = (f64::from(codes.codes[[row, a]]), f64::from(codes.codes[[row, b]]));
        figure.dot(panel.at(point), 1.9, kinds.of_row[row]);
    }
    for (line, (colour, word)) in kinds.legend.iter().enumerate() {
        let (x, y) = (LEFT + SIDE + 22.0, TOP + 14.0 + line as f64 * 19.0);
        figure.dot((x, y - 4.0), 4.5, *colour);
        figure.text((x + 12.0, y), 12.0, INK, Anchor::Start, word);
    }
    figure
}

/// What is told apart by colour.
struct Kinds {
    name: Option<String>,
    of_row: Vec<Colour>,
    legend: Vec<(Colour, String)>,
}

impl Kinds {
    /// By the factor with the fewest values, if there is one.
    fn of(codes: &Representation) -> Self {
        let size =
            |k: &usize| codes.factors[*k].size().filter(|size| *size > 1).unwrap_or(usize::MAX);
        let factor = (0..codes.factors.len()).min_by_key(size);
        let Some(factor) = factor else {
            return Self { name: None, of_row: vec![category(0); codes.rows()], legend: vec![] };
        };
        let known = &codes.factors[factor];
        let column = codes.values.column(factor);
        let mut values: Vec<f32> = column.to_vec();
        values.sort_by(f32::total_cmp);
        values.dedup();
        let name = Some(known.name.clone());
        let few = known.size().is_some() && (values.len() <= 10 || !known.words.is_empty());
        let place = |value: &f32| values.partition_point(|other| other < value);
        let colour = |place: usize| match values.len() <= KINDS {
            true => category(place),
            false => ordered(place, values.len()),
        };
        if few {
            let named = values.iter().enumerate().take(NAMED);
            let mut legend: Vec<_> = named.map(|(k, v)| (colour(k), known.called(*v))).collect();
            if let more @ 1.. = values.len().saturating_sub(NAMED) {
                legend.push((INK, format!("and {more} more")));
            }
            return Self {
                name,
                of_row: column.iter().map(|v| colour(place(v))).collect(),
                legend,
            };
        }
        let (low, high) = (values[0], values[values.len() - 1]);
        let share = |value: &f32| ((value - low) / (high - low).max(1e-12) * 100.0) as usize;
        let legend =
            (0..5).map(|k| (ordered(k * 25, 101), short(low + (high - low) * k as f32 / 4.0)));
        Self {
            name,
            of_row: column.iter().map(|v| ordered(share(v), 101)).collect(),
            legend: legend.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;
    use unbraid_measure::factors::Factor;

    #[test]
    fn kinds_have_their_words_and_without_factors_there_is_one_colour() {
        let codes = Array2::from_shape_fn((6, 2), |(row, k)| (row * (k + 1)) as f32);
        let kinds =
            Factor::discrete("kind", [0.0, 1.0]).with_words(vec!["cup".into(), "plate".into()]);
        let values = Array2::from_shape_fn((6, 1), |(row, _)| (row % 2) as f32);
        let known = Representation::new(codes.clone(), values, vec![kinds]).unwrap();
        let svg = draw(&known, "t").to_svg("t");
        assert!(
            svg.contains(">cup<") && svg.contains(">plate<") && svg.contains("coloured by kind")
        );
        let alone = Representation::new(codes, Array2::zeros((6, 0)), vec![]).unwrap();
        let svg = draw(&alone, "t").to_svg("t");
        assert!(!svg.contains("coloured by") && !svg.contains("NaN"));
    }
}
