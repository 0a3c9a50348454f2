//! A heat map: a table with a cell of its own colour for each, and the number in it.

use super::colours::{Colour, INK, PALE, diverging};
use super::svg::{Anchor, Figure, text_width};

const TITLE: f64 = 16.0;
const WORDS: f64 = 12.0;
const EDGE: f64 = 18.0;
const HIGH: f64 = 34.0;
const NARROWEST: f64 = 46.0;
const DARK: [f64; 3] = [0.0, 94.0, 150.0];
const LIGHT: [f64; 3] = [243.0, 244.0, 246.0];
/// Orange, which is none of the scales'.
const FRAME: Colour = Colour(213, 94, 0);
const WHITE: Colour = Colour(255, 255, 255);

/// What numbers are, and how they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// From 0, light, to 1, dark; with two digits.
    Share,
    /// From -1 over 0, light, to 1; in percent.
    Correlation,
}

/// A heat map; a cell without a number holds a dash.
#[derive(Clone, Debug)]
pub struct HeatMap<'a> {
    /// What stands above it.
    pub title: &'a str,
    /// How to read it, below the title; nothing if it is empty.
    pub legend: &'a str,
    /// The names on the left.
    pub rows: &'a [String],
    /// The names above.
    pub columns: &'a [String],
    /// A list for each row.
    pub cells: Vec<Vec<Option<f64>>>,
    /// What the numbers are.
    pub scale: Scale,
    /// Which cells have a frame, as `cells`; none if it is empty.
    pub framed: Vec<Vec<bool>>,
}

impl HeatMap<'_> {
    /// Draw it.
    pub fn draw(&self) -> Figure {
        let widest =
            |names: &[String]| names.iter().map(|name| text_width(name, WORDS)).fold(0.0, f64::max);
        let left = EDGE + widest(self.rows) + 12.0;
        let wide = (widest(self.columns) + 14.0).max(NARROWEST);
        let top = if self.legend.is_empty() { 66.0 } else { 88.0 };
        let words = text_width(self.title, TITLE).max(text_width(self.legend, WORDS));
        let width = (left + wide * self.columns.len() as f64 + EDGE).max(2.0 * EDGE + words);
        let mut figure = Figure::new(width, top + HIGH * self.rows.len() as f64 + EDGE);
        figure.text((EDGE, 30.0), TITLE, INK, Anchor::Start, self.title);
        if !self.legend.is_empty() {
            figure.text((EDGE, 50.0), WORDS, PALE, Anchor::Start, self.legend);
        }
        for (k, name) in self.columns.iter().enumerate() {
            let middle = left + wide * (k as f64 + 0.5);
            figure.text((middle, top - 8.0), WORDS, INK, Anchor::Middle, name);
        }
        for (row, (name, cells)) in self.rows.iter().zip(&self.cells).enumerate() {
            let y = top + HIGH * row as f64;
            let base = y + HIGH / 2.0 + 4.0;
            figure.text((left - 10.0, base), WORDS, INK, Anchor::End, name);
            for (column, value) in cells.iter().enumerate() {
                let x = left + wide * column as f64;
                let middle = (x + wide / 2.0, base);
                let Some(value) = *value else {
                    figure.text(middle, WORDS, PALE, Anchor::Middle, "–");
                    continue;
                };
                let [ground, ink] = self.scale.colours(value);
                let mut inset = 1.0;
                if self.framed.get(row).is_some_and(|line| line[column]) {
                    figure.rectangle([x + 1.0, y + 1.0, wide - 2.0, HIGH - 2.0], FRAME);
                    inset = 4.0;
                }
                let inner = [wide - 2.0 * inset, HIGH - 2.0 * inset];
                figure.rectangle([x + inset, y + inset, inner[0], inner[1]], ground);
                figure.text(middle, WORDS, ink, Anchor::Middle, &self.scale.written(value));
            }
        }
        figure
    }
}

impl Scale {
    /// The ground of a cell, and what is written on it.
    fn colours(self, value: f64) -> [Colour; 2] {
        match self {
            Self::Share => {
                let share = value.clamp(0.0, 1.0);
                let blend = |k: usize| (LIGHT[k] + (DARK[k] - LIGHT[k]) * share).round() as u8;
                [Colour(blend(0), blend(1), blend(2)), if share > 0.5 { WHITE } else { INK }]
            }
            // The ends of the scale are dark.
            Self::Correlation => {
                [diverging((value + 1.0) / 2.0), if value.abs() > 0.62 { WHITE } else { INK }]
            }
        }
    }

    /// Never "-0".
    fn written(self, value: f64) -> String {
        let text = match self {
            Self::Share => format!("{:.2}", (value * 100.0).round() / 100.0 + 0.0),
            Self::Correlation => format!("{:.0}", (value * 100.0).round() + 0.0),
        };
        text.replace('-', "−")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn svg(scale: Scale, legend: &str) -> String {
        let names = ["mig".to_string(), "dci".into()];
        let cells = vec![vec![Some(1.0), Some(-0.254)], vec![None, Some(-0.001)]];
        HeatMap {
            title: "agreement",
            legend,
            rows: &names,
            columns: &names,
            cells,
            scale,
            framed: vec![vec![true, false]],
        }
        .draw()
        .to_svg("t")
    }

    #[test]
    fn correlations_are_in_percent_and_a_gap_is_a_dash() {
        let svg = svg(Scale::Correlation, "");
        for text in [">100<", ">−25<", ">–<", ">0<", ">agreement<"] {
            assert!(svg.contains(text), "{text}: {svg}");
        }
    }

    #[test]
    fn a_framed_cell_has_another_rectangle() {
        let frames = svg(Scale::Share, "").matches("#d55e00").count();
        assert_eq!(frames, 1);
    }

    #[test]
    fn shares_have_two_digits_and_a_legend_its_place() {
        let svg = svg(Scale::Share, "how to read it");
        for text in [">1.00<", ">−0.25<", ">–<", ">0.00<", ">how to read it<"] {
            assert!(svg.contains(text), "{text}: {svg}");
        }
    }
}
