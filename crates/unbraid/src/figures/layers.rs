//! The figure of a hierarchy: the codes of each layer along their two main directions, a dot per row,
//! coloured by a factor. What a layer knows of the factor shows as colours that stand together.

use ndarray::{ArrayView2, Axis};
use unbraid_measure::components::pca::Pca;
use unbraid_measure::factors::{Factor, Kind};
use unbraid_measure::representation::Representation;
use unbraid_measure::rng::Rng;

use super::{Command, Drawing, Entry, Section, Subject};
use crate::draw::figure::{Anchor, Colour, Extent, Figure, INK, PALE, Panel, ordered};
use crate::error::{Error, Result};

/// How many dots a panel shows.
const POINTS: usize = 1000;
/// A legend has at most so many values.
const NAMED: usize = 12;
const ACROSS: usize = 3;
const SIDE: f64 = 240.0;
const LEFT: f64 = 52.0;
const TOP: f64 = 108.0;
const DOWN: f64 = SIDE + 66.0;

/// For methods with several layers of latents.
pub const FIGURE: Entry = Entry {
    files: &[("layers.svg", "the codes of each layer, coloured by a factor")],
    command: Command::Traverse,
    section: Section::Factors,
    caption: "The codes of each layer, from the one next to the data up, along their two main directions; a \
              dot per row. Colours that stand together are what the layer knows of the factor; a layer \
              whose colours are stirred knows nothing of it.",
    possible: |subject| is_for(subject),
    draw: |subject| {
        if !is_for(subject) {
            return Ok(vec![]);
        }
        let title = subject.title("what each layer knows");
        let figure = draw(subject.codes.get()?, &subject.learner.layers(), &title)?;
        Ok(vec![Drawing::Figure(figure, title)])
    },
};

fn is_for(subject: &Subject) -> bool {
    subject.learner.layers().len() > 1 && !subject.data.factors().is_empty()
}

/// Draw the layers, whose sizes stand from the bottom up.
pub fn draw(codes: &Representation, layers: &[usize], title: &str) -> Result<Figure> {
    if layers.iter().sum::<usize>() != codes.codes.ncols() || codes.factors.is_empty() {
        let reason = "the codes are of no hierarchy, or there is no factor to colour them by";
        return Err(Error::Unable(reason.into()));
    }
    let rows = layers.len().div_ceil(ACROSS);
    let across = layers.len().min(ACROSS);
    let width = (across as f64 * (LEFT + SIDE) + 18.0).max(640.0);
    let mut figure = Figure::new(width, TOP + rows as f64 * DOWN - 14.0);
    figure.text((18.0, 30.0), 16.0, INK, Anchor::Start, title);
    let colouring = Colouring::new(codes);
    let said = format!(
        "the two main directions of each layer, a dot per row; colour: {}",
        colouring.factor.name
    );
    figure.text((18.0, 50.0), 12.0, PALE, Anchor::Start, &said);
    colouring.legend(&mut figure);
    let mut from = 0;
    for (k, &size) in layers.iter().enumerate() {
        let place = [LEFT + (k % ACROSS) as f64 * (LEFT + SIDE), TOP + (k / ACROSS) as f64 * DOWN];
        let layer = codes.codes.slice_axis(Axis(1), (from..from + size).into());
        panel(&mut figure, layer, place, &colouring, k + 1)?;
        from += size;
    }
    Ok(figure)
}

fn panel(
    figure: &mut Figure,
    layer: ArrayView2<f32>,
    [left, top]: [f64; 2],
    colouring: &Colouring,
    number: usize,
) -> Result<()> {
    let plural = if layer.ncols() == 1 { "latent" } else { "latents" };
    let said = format!("layer {number}: {} {plural}", layer.ncols());
    figure.text((left, top - 8.0), 12.0, INK, Anchor::Start, &said);
    let points = points(layer, colouring)?;
    let extent = |axis: fn(&(f64, f64)) -> f64| Extent::of(points.iter().map(axis)).padded(0.04);
    let panel = Panel {
        place: [left, top, SIDE, SIDE],
        x: extent(|point| point.0),
        y: extent(|point| point.1),
    };
    panel.frame(figure);
    panel.label_x(figure);
    panel.label_y(figure);
    for (row, point) in points.iter().enumerate().step_by(step(points.len())) {
        figure.dot(panel.at(*point), 1.4, colouring.of_row(row));
    }
    Ok(())
}

fn step(rows: usize) -> usize {
    rows.div_ceil(POINTS).max(1)
}

/// Along the two main directions; a layer of one latent against the value of the factor.
fn points(layer: ArrayView2<f32>, colouring: &Colouring) -> Result<Vec<(f64, f64)>> {
    if layer.ncols() == 1 {
        let alone = layer.column(0);
        return Ok(alone
            .iter()
            .zip(&colouring.values)
            .map(|(code, value)| (f64::from(*code), *value))
            .collect());
    }
    let found = Pca::fit(layer, 2, &mut Rng::new(0))?.encode(layer);
    Ok(found.rows().into_iter().map(|row| (f64::from(row[0]), f64::from(row[1]))).collect())
}

/// Which colour a row has.
struct Colouring {
    factor: Factor,
    values: Vec<f64>,
    extent: Extent,
}

impl Colouring {
    /// By the first factor with few values, as a class is; else by the first.
    fn new(codes: &Representation) -> Self {
        let few = |factor: &Factor| factor.size().is_some_and(|size| (2..=NAMED).contains(&size));
        let column = codes.factors.iter().position(few).unwrap_or(0);
        let values: Vec<f64> = codes.values.column(column).iter().map(|v| f64::from(*v)).collect();
        let extent = Extent::of(values.iter().copied());
        Self { factor: codes.factors[column].clone(), values, extent }
    }

    fn of_row(&self, row: usize) -> Colour {
        self.of(self.values[row])
    }

    fn of(&self, value: f64) -> Colour {
        match &self.factor.kind {
            Kind::Discrete(all) => {
                let place = all.iter().position(|other| f64::from(*other) == value);
                ordered(place.unwrap_or_default(), all.len())
            }
            Kind::Continuous | Kind::Angle => {
                ordered((self.extent.share(value) * 100.0) as usize, 101)
            }
        }
    }

    fn legend(&self, figure: &mut Figure) {
        let values: Vec<f64> = match &self.factor.kind {
            Kind::Discrete(all) if all.len() <= NAMED => {
                all.iter().map(|v| f64::from(*v)).collect()
            }
            _ => vec![self.extent.low, self.extent.high],
        };
        for (k, value) in values.iter().enumerate() {
            let x = LEFT + k as f64 * 46.0;
            figure.dot((x, 70.0), 4.0, self.of(*value));
            // The values are f32: with more digits 0.6 would be 0.6000000238418579.
            let text = format!("{}", (value * 1000.0).round() / 1000.0);
            figure.text((x + 8.0, 74.0), 12.0, INK, Anchor::Start, &text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    fn codes() -> Representation<'static> {
        let codes = Array2::from_shape_fn((60, 4), |(row, k)| ((row * (k + 2)) as f32).sin());
        let values = Array2::from_shape_fn((60, 1), |(row, _)| (row % 3) as f32);
        Representation::new(codes, values, vec![Factor::discrete("digit", vec![0.0, 1.0, 2.0])])
            .unwrap()
    }

    #[test]
    fn every_layer_has_a_panel_and_every_value_a_colour() {
        let svg = draw(&codes(), &[3, 1], "layers").unwrap().to_svg("layers");
        assert!(svg.contains("layer 1: 3 latents") && svg.contains("layer 2: 1 latent<"), "{svg}");
        for place in 0..3 {
            let colour = format!("fill=\"{}\"", ordered(place, 3));
            // Twenty rows in each of two panels, and one dot of the legend.
            assert_eq!(svg.matches(&colour).count(), 41, "{colour}");
        }
        assert!(!svg.contains("NaN"));
    }

    #[test]
    fn codes_without_layers_have_no_figure() {
        assert!(draw(&codes(), &[], "").is_err());
        assert!(draw(&codes(), &[3], "").is_err());
    }
}
