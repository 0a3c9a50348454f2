//! Pictures that analyses draw: panels with boxes of scores, lines against the strength, or dots.

use crate::draw::figure::{Anchor, Extent, Figure, INK, PALE, Panel, category, text_width};

use super::statistics::quantile;

const TITLE: f64 = 15.0;
const WORDS: f64 = 12.0;
const SMALL: f64 = 11.0;
const EDGE: f64 = 16.0;
/// Panels in a row.
const ACROSS: usize = 3;

/// Panels side by side, each with a name.
pub(crate) struct Panels<'a> {
    pub(crate) title: &'a str,
    pub(crate) contents: Vec<(String, Content)>,
    /// What stands under each panel.
    pub(crate) below: &'a str,
    /// The lines or boxes in words, by colour.
    pub(crate) legend: &'a [String],
}

/// What a panel shows.
pub(crate) enum Content {
    /// A box for each group of values: from the lower to the upper quartile with the median, and a dot for each value
    /// if there are few. The names stand below.
    Boxes(Vec<(String, Vec<f64>)>),
    /// A line for each entry of the legend: place, value, and the ends of its band.
    Lines { lines: Vec<Vec<(f64, f64, [f64; 2])>>, logarithmic: bool },
    /// A dot for each pair, with the colour of its entry in the legend; the line x = y if asked for.
    Dots { dots: Vec<(usize, f64, f64)>, logarithmic: bool, identity: bool },
}

impl Panels<'_> {
    pub(crate) fn draw(&self) -> Figure {
        const WIDE: f64 = 250.0;
        const HIGH: f64 = 190.0;
        const LEFT: f64 = 58.0;
        const DOWN: f64 = HIGH + 66.0;
        let across = self.contents.len().clamp(1, ACROSS);
        let down = self.contents.len().div_ceil(across);
        let legend = self.legend_rows(across as f64 * (LEFT + WIDE));
        let top = 48.0 + 20.0 * legend.len() as f64 + 24.0;
        let width = (across as f64 * (LEFT + WIDE) + 2.0 * EDGE)
            .max(2.0 * EDGE + text_width(self.title, TITLE));
        let mut figure = Figure::new(width, top + down as f64 * DOWN);
        figure.text((EDGE, 28.0), TITLE, INK, Anchor::Start, self.title);
        for (row, entries) in legend.iter().enumerate() {
            for (k, x) in entries {
                let y = 50.0 + 20.0 * row as f64;
                figure.rectangle([*x, y - 9.0, 14.0, 9.0], category(*k));
                figure.text((x + 20.0, y), WORDS, INK, Anchor::Start, &self.legend[*k]);
            }
        }
        for (k, (name, content)) in self.contents.iter().enumerate() {
            let left = EDGE + LEFT + (k % across) as f64 * (LEFT + WIDE) - 10.0;
            let y = top + (k / across) as f64 * DOWN;
            figure.text((left, y - 8.0), WORDS, INK, Anchor::Start, name);
            content.draw(&mut figure, [left, y, WIDE, HIGH]);
            let below = (left + WIDE / 2.0, y + HIGH + 36.0);
            figure.text(below, SMALL, INK, Anchor::Middle, self.below);
        }
        figure
    }

    /// Where each entry of the legend begins, row by row.
    fn legend_rows(&self, width: f64) -> Vec<Vec<(usize, f64)>> {
        let (mut rows, mut x) = (vec![], f64::INFINITY);
        for (k, name) in self.legend.iter().enumerate() {
            let wide = 20.0 + text_width(name, WORDS) + 22.0;
            if x + wide > EDGE + width {
                rows.push(vec![]);
                x = EDGE;
            }
            rows.last_mut().expect("the first entry begins a row").push((k, x));
            x += wide;
        }
        rows
    }
}

impl Content {
    fn draw(&self, figure: &mut Figure, place: [f64; 4]) {
        match self {
            Self::Boxes(groups) => boxes(figure, place, groups),
            Self::Lines { lines, logarithmic } => draw_lines(figure, place, lines, *logarithmic),
            Self::Dots { dots, logarithmic, identity } => {
                draw_dots(figure, place, dots, [*logarithmic, *identity]);
            }
        }
    }
}

fn draw_lines(
    figure: &mut Figure,
    place: [f64; 4],
    lines: &[Vec<(f64, f64, [f64; 2])>],
    logarithmic: bool,
) {
    let scale = |value: f64| scaled(value, logarithmic);
    let points = || lines.iter().flatten();
    let heights = points().flat_map(|(_, y, band)| [*y, band[0], band[1]].map(scale));
    let panel = Panel {
        place,
        x: Extent::of(points().map(|point| point.0)).padded(0.06),
        y: Extent::of(heights).padded(0.06),
    };
    frame(figure, &panel, [false, logarithmic], false);
    let mut places: Vec<f64> = points().map(|point| point.0).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    for x in places {
        label_x(figure, &panel, x, &x.to_string());
    }
    for (k, line) in lines.iter().enumerate() {
        let band: Vec<_> = line.iter().map(|(x, _, [a, b])| (*x, scale(*a), scale(*b))).collect();
        panel.band(figure, &band, category(k));
    }
    for (k, line) in lines.iter().enumerate() {
        let line: Vec<_> = line.iter().map(|(x, y, _)| (*x, scale(*y))).collect();
        panel.curve(figure, &line, category(k), 2.0);
        for point in line {
            figure.dot(panel.at(point), 3.0, category(k));
        }
    }
}

fn draw_dots(
    figure: &mut Figure,
    place: [f64; 4],
    dots: &[(usize, f64, f64)],
    [logarithmic, identity]: [bool; 2],
) {
    let scale = |value: f64| scaled(value, logarithmic);
    let (x, y) = (dots.iter().map(|dot| scale(dot.1)), dots.iter().map(|dot| scale(dot.2)));
    let (x, y) = match identity {
        // One scale for both, or the line means nothing.
        true => [Extent::of(x.chain(y)).padded(0.06); 2].into(),
        false => (Extent::of(x).padded(0.06), Extent::of(y).padded(0.06)),
    };
    let panel = Panel { place, x, y };
    frame(figure, &panel, [logarithmic; 2], true);
    if identity {
        panel.curve(figure, &[(x.low, x.low), (x.high, x.high)], PALE, 1.0);
    }
    for (k, x, y) in dots {
        figure.dot(panel.at((scale(*x), scale(*y))), 2.0, category(*k));
    }
}

/// On a logarithmic scale nothing is below a millionth.
fn scaled(value: f64, logarithmic: bool) -> f64 {
    if logarithmic { value.max(1e-6).log10() } else { value }
}

/// Axes and grid, each logarithmic or not; `across` says whether the horizontal axis has ticks.
fn frame(figure: &mut Figure, panel: &Panel, logarithmic: [bool; 2], across: bool) {
    match (logarithmic, across) {
        ([false, false], true) => panel.frame(figure),
        ([_, false], _) => panel.frame_y(figure),
        ([_, true], _) => {
            let x = if across { ticks(panel.x) } else { vec![] };
            panel.frame_at(figure, &x, &ticks(panel.y));
        }
    }
    match (logarithmic[0], across) {
        (_, false) => {}
        (false, true) => panel.label_x(figure),
        (true, true) => {
            for tick in ticks(panel.x) {
                label_x(figure, panel, tick, &power(tick));
            }
        }
    }
    match logarithmic[1] {
        false => panel.label_y(figure),
        true => ticks(panel.y).iter().for_each(|tick| {
            let (_, y) = panel.at((panel.x.low, *tick));
            figure.text((panel.place[0] - 6.0, y + 4.0), SMALL, INK, Anchor::End, &power(*tick));
        }),
    }
}

fn label_x(figure: &mut Figure, panel: &Panel, x: f64, text: &str) {
    let (at, _) = panel.at((x, panel.y.low));
    let below = (at, panel.place[1] + panel.place[3] + 15.0);
    figure.text(below, SMALL, INK, Anchor::Middle, text);
}

/// Logarithms of round numbers on a scale: 1, 2 and 5 of each power of ten, or only the powers where there are many.
fn ticks(extent: Extent) -> Vec<f64> {
    let decades = extent.high - extent.low;
    let (low, high) = (extent.low.floor() as i64, extent.high.ceil() as i64);
    let step = (decades / 6.0).floor() as i64 + 1;
    let factors: &[f64] = if decades < 2.5 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    (low..=high)
        .filter(|power| power.rem_euclid(step) == 0)
        .flat_map(|power| factors.iter().map(move |factor| power as f64 + factor.log10()))
        .filter(|tick| (extent.low..=extent.high).contains(tick))
        .collect()
}

/// The number whose logarithm this is.
fn power(logarithm: f64) -> String {
    let number = 10f64.powf(logarithm);
    match logarithm.floor() as i64 {
        0..=4 => format!("{number:.0}"),
        below @ -4..0 => format!("{number:.digits$}", digits = -below as usize),
        _ => format!("{number:.0e}").replace('-', "−"),
    }
}

fn boxes(figure: &mut Figure, place: [f64; 4], groups: &[(String, Vec<f64>)]) {
    /// More dots than these hide each other.
    const FEW: usize = 60;
    let panel = Panel {
        place,
        x: Extent { low: 0.0, high: groups.len() as f64 },
        y: Extent::of(groups.iter().flat_map(|(_, values)| values.iter().copied())).padded(0.06),
    };
    panel.frame_y(figure);
    panel.label_y(figure);
    let unit = place[2] / groups.len() as f64;
    let wide = (unit * 0.6).min(34.0);
    for (k, (name, values)) in groups.iter().enumerate() {
        let middle = place[0] + unit * (k as f64 + 0.5);
        figure.text((middle, place[1] + place[3] + 15.0), SMALL, INK, Anchor::Middle, name);
        if values.is_empty() {
            continue;
        }
        let y = |share: f64| panel.at((0.0, quantile(values, share))).1;
        let [low, lower, median, upper, high] = [0.0, 0.25, 0.5, 0.75, 1.0].map(y);
        figure.line(&[(middle, low), (middle, high)], PALE, 1.0);
        let (left, right) = (middle - wide / 2.0, middle + wide / 2.0);
        let corners = [(left, upper), (right, upper)];
        figure.area(&corners, &[(left, lower), (right, lower)], category(k), 0.35);
        figure.line(&[(left, median), (right, median)], category(k), 2.5);
        if values.len() <= FEW {
            for (n, value) in values.iter().enumerate() {
                // Beside each other in a fixed order, so that equal values are seen.
                let aside = ((n as f64 * 0.618_033_988_749_895).fract() - 0.5) * wide * 0.8;
                let (_, y) = panel.at((0.0, *value));
                figure.dot((middle + aside, y), 1.6, INK);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_have_names_a_legend_and_ticks_of_powers() {
        let lines = vec![vec![(1.0, 0.01, [0.005, 0.02]), (2.0, 10.0, [1.0, 20.0])]];
        let dots = vec![(0, 0.01, 0.1), (0, 1.0, 1.0)];
        let panels = Panels {
            title: "total correlation",
            contents: vec![
                ("left".into(), Content::Lines { lines, logarithmic: true }),
                ("right".into(), Content::Dots { dots, logarithmic: true, identity: true }),
                (
                    "boxes".into(),
                    Content::Boxes(vec![("0".into(), vec![0.1, 0.2]), ("1".into(), vec![])]),
                ),
            ],
            below: "strength",
            legend: &["β-VAE".to_string()],
        };
        let svg = panels.draw().to_svg("t");
        for text in [">left<", ">right<", ">strength<", ">β-VAE<", ">0.01<", ">10<", ">1<"] {
            assert!(svg.contains(text), "{text}: {svg}");
        }
    }
}
