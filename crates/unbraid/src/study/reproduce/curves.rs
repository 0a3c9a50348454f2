//! Curves: a number against one key of `[vary]`, a line for each value of another or each row.

use super::short;
use crate::draw::figure::{Anchor, Extent, Figure, INK, Panel, ordered, text_width};
use crate::study::{Gathered, Line, markdown};

const WIDTH: f64 = 520.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 70.0;
const TOP: f64 = 64.0;
/// Left of the names in the legend: a gap and a piece of the line.
const SAMPLE: f64 = 54.0;

/// What is drawn against what.
#[derive(Debug)]
pub struct Curves {
    /// The key along the horizontal axis.
    pub x: &'static str,
    /// Its name.
    pub x_title: &'static str,
    /// The key with a line for each of its values; "" for a line for each row of the file.
    pub lines: &'static str,
    /// Its name.
    pub lines_title: &'static str,
    /// The number that is drawn.
    pub number: &'static str,
    /// Its name.
    pub number_title: &'static str,
}

/// One curve.
struct Series {
    name: String,
    /// x, mean, standard deviation.
    points: Vec<(f64, f64, f64)>,
}

impl Curves {
    fn series(&self, lines: &[Line]) -> Vec<Series> {
        let mut found: Vec<Series> = Vec::new();
        for line in lines {
            let (Some(x), Some(cell)) = (line.number(self.x), line.cells.get(self.number)) else {
                continue;
            };
            let name = match line.number(self.lines) {
                Some(value) => format!("{}: {value}", self.lines_title),
                None => line.family.clone(),
            };
            let place = found.iter().position(|series| series.name == name);
            let place = place.unwrap_or_else(|| {
                found.push(Series { name, points: vec![] });
                found.len() - 1
            });
            found[place].points.push((x, cell.mean(), cell.deviation()));
        }
        for series in &mut found {
            series.points.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        found
    }

    pub(super) fn markdown(&self, lines: &[Line]) -> String {
        let series = self.series(lines);
        let mut places: Vec<f64> =
            series.iter().flat_map(|series| series.points.iter().map(|point| point.0)).collect();
        places.sort_by(f64::total_cmp);
        places.dedup();
        let mut head = vec![format!("{} by {}", self.number_title, self.x_title)];
        head.extend(places.iter().map(f64::to_string));
        let mut rows = vec![head];
        for one in &series {
            let cell = |x: &f64| {
                let point = one.points.iter().find(|point| point.0 == *x);
                match point {
                    Some((_, mean, deviation)) if *deviation > 0.0 => {
                        format!("{} ± {}", short(Some(*mean)), short(Some(*deviation)))
                    }
                    point => short(point.map(|point| point.1)),
                }
            };
            let mut row = vec![one.name.clone()];
            row.extend(places.iter().map(cell));
            rows.push(row);
        }
        markdown(&rows)
    }

    /// The picture. The horizontal axis is logarithmic where its numbers double.
    pub fn draw(&self, gathered: &Gathered, title: &str) -> Figure {
        let series = self.series(&gathered.lines);
        let xs: Vec<f64> = series.iter().flat_map(|s| s.points.iter().map(|p| p.0)).collect();
        let span = Extent::of(xs.iter().copied());
        let logarithmic = span.low > 0.0 && span.high / span.low >= 8.0;
        let place = |x: f64| if logarithmic { x.log2() } else { x };
        let names = series.iter().map(|one| text_width(&one.name, 12.0)).fold(0.0, f64::max);
        let width = LEFT + WIDTH + SAMPLE + names + 18.0;
        let mut figure = Figure::new(width, TOP + HEIGHT + 64.0);
        figure.text((18.0, 30.0), 16.0, INK, Anchor::Start, title);
        let panel = Panel {
            place: [LEFT, TOP, WIDTH, HEIGHT],
            x: Extent::of(xs.iter().map(|x| place(*x))).padded(0.04),
            y: Extent { low: 0.0, high: 1.0 },
        };
        panel.frame_y(&mut figure);
        panel.label_y(&mut figure);
        let mut named: Vec<f64> = xs;
        named.sort_by(f64::total_cmp);
        named.dedup();
        for x in named {
            let (x_at, _) = panel.at((place(x), 0.0));
            let below = TOP + HEIGHT + 16.0;
            figure.text((x_at, below), 11.0, INK, Anchor::Middle, &x.to_string());
        }
        let middle = (LEFT + WIDTH / 2.0, TOP + HEIGHT + 40.0);
        figure.text(middle, 12.0, INK, Anchor::Middle, self.x_title);
        figure.text((LEFT, TOP - 10.0), 12.0, INK, Anchor::Start, self.number_title);
        for (k, one) in series.iter().enumerate() {
            let ink = ordered(k, series.len().max(3));
            let band: Vec<_> = one
                .points
                .iter()
                .map(|(x, mean, sd)| (place(*x), (mean - sd).max(0.0), (mean + sd).min(1.0)))
                .collect();
            let line: Vec<_> = one.points.iter().map(|(x, mean, _)| (place(*x), *mean)).collect();
            panel.band(&mut figure, &band, ink);
            panel.curve(&mut figure, &line, ink, 2.0);
            for point in line {
                figure.dot(panel.at(point), 3.5, ink);
            }
            let y = TOP + 14.0 + 20.0 * k as f64;
            let x = LEFT + WIDTH + 24.0;
            figure.line(&[(x, y - 4.0), (x + 22.0, y - 4.0)], ink, 2.0);
            figure.text((LEFT + WIDTH + SAMPLE, y), 12.0, INK, Anchor::Start, &one.name);
        }
        figure
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::Cell;
    use toml::Value;

    const CURVES: Curves = Curves {
        x: "data.segments",
        x_title: "segments",
        lines: "data.layers",
        lines_title: "mixing layers",
        number: "mcc",
        number_title: "MCC",
    };

    fn line(segments: i64, layers: i64, values: &[f64]) -> Line {
        let at = [("data.segments", segments), ("data.layers", layers)];
        Line {
            row: format!("iVAE segments {segments} layers {layers}"),
            family: "iVAE".into(),
            at: at.map(|(key, value)| (key.to_string(), Value::Integer(value))).into(),
            runs: (1, 1),
            cells: [("mcc".to_string(), Cell { values: values.to_vec() })].into(),
        }
    }

    #[test]
    fn a_line_for_each_value_and_places_in_order() {
        let lines = [line(40, 1, &[0.9]), line(5, 1, &[0.7, 0.9]), line(40, 3, &[0.5])];
        let expected = "| MCC by segments | 5 | 40 |\n|---|---|---|\n\
                        | mixing layers: 1 | 0.800 ± 0.141 | 0.900 |\n| mixing layers: 3 | - | 0.500 |\n";
        assert_eq!(CURVES.markdown(&lines), expected);
    }

    #[test]
    fn the_picture_names_its_axes_its_places_and_its_lines() {
        let lines = vec![line(5, 1, &[0.7]), line(40, 1, &[0.9])];
        let svg = CURVES.draw(&Gathered { columns: vec![], lines }, "title").to_svg("title");
        for words in ["title", "segments", "MCC", ">5<", ">40<", "mixing layers: 1"] {
            assert!(svg.contains(words), "{words}: {svg}");
        }
    }
}
