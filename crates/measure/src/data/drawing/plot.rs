//! Pictures as Matplotlib 3.11 draws them: a figure of 96x96 pixels on white, whose plot box has the
//! default margins. The scripts of CausalVAE drew their images so; the rules were read off images
//! that they gave.

use std::f64::consts::FRAC_PI_4;

use self::coverage::Coverage;

pub(crate) mod coverage;

/// Pixels per row and column.
pub(crate) const SIDE: usize = 96;

pub(crate) const BLACK: [u8; 3] = [0, 0, 0];
pub(crate) const FIREBRICK: [u8; 3] = [178, 34, 34];
pub(crate) const LIGHT_SKY_BLUE: [u8; 3] = [135, 206, 250];
pub(crate) const ORANGE: [u8; 3] = [255, 165, 0];

/// The plot box is 12 to 86.4 by 11.52 to 85.44 pixels; what is drawn is cut off at whole pixels.
const BOX_LEFT: f64 = 12.0;
const BOX_BOTTOM: f64 = 85.44;
const BOX_SIZE: [f64; 2] = [74.4, 73.92];
const LEFT: usize = 12;
const TOP: usize = 12;
/// Width and height of what is left.
const WINDOW: [usize; 2] = [74, 73];

/// Pixels per point, the unit of line widths.
const POINT: f64 = 96.0 / 72.0;
/// The width of the edge that Matplotlib gives every disc and rectangle, in points.
const EDGE: f64 = 1.0;

/// A picture in the making: red, green, blue and opacity, one after the other.
pub(crate) struct Plot<'a> {
    /// What the left and the bottom side of the box stand for.
    low: [f64; 2],
    /// Pixels per unit of the data.
    unit: [f64; 2],
    coverage: Coverage,
    out: &'a mut [f32],
}

impl<'a> Plot<'a> {
    /// An empty picture whose box shows `x` and `y`, each from the first number to the second.
    pub(crate) fn new(x: [f64; 2], y: [f64; 2], out: &'a mut [f32]) -> Self {
        out.fill(1.0);
        let unit = [BOX_SIZE[0] / (x[1] - x[0]), BOX_SIZE[1] / (y[1] - y[0])];
        Self { low: [x[0], y[0]], unit, coverage: Coverage::new(WINDOW), out }
    }

    /// A line with flat ends, `width` points wide.
    pub(crate) fn line(&mut self, from: [f64; 2], to: [f64; 2], width: f64, colour: [u8; 3]) {
        let (mut from, mut to) = (self.pixel(from), self.pixel(to));
        if (0..2).any(|axis| (to[axis] - from[axis]).abs() < 1e-4) {
            (from, to) = (snapped(from, width), snapped(to, width));
        }
        let [x, y] = normal(from, to).map(|v| v * width * POINT / 2.0);
        let beside = |[px, py]: [f64; 2], side: f64| [px + side * x, py + side * y];
        let corners = [beside(from, 1.0), beside(to, 1.0), beside(to, -1.0), beside(from, -1.0)];
        self.paint(&[&corners], colour);
    }

    /// A curve through these points, `width` points wide, whose ends stick out by half of that. It
    /// must bend gently: its two sides may not cross themselves.
    pub(crate) fn curve(&mut self, points: &[[f64; 2]], width: f64, colour: [u8; 3]) {
        let mut points: Vec<[f64; 2]> = points.iter().map(|point| self.pixel(*point)).collect();
        let half = width * POINT / 2.0;
        let last = points.len() - 1;
        let (first, end) = (extended(points[1], points[0], half), points[last]);
        points[last] = extended(points[last - 1], end, half);
        points[0] = first;
        let side = |distance: f64| {
            let points = &points;
            (0..=last).map(move |k| {
                let before = if k == 0 { None } else { Some(points[k - 1]) };
                corner(before, points[k], points.get(k + 1).copied(), distance)
            })
        };
        let outline: Vec<[f64; 2]> = side(half).chain(side(-half).rev()).collect();
        self.paint(&[&outline], colour);
    }

    /// A disc: its area, and then over it an edge of the same colour. Agg draws it as eight curves
    /// and cuts each into `parts`.
    pub(crate) fn disc(&mut self, centre: [f64; 2], radius: f64, parts: usize, colour: [u8; 3]) {
        let outline = self.ellipse(centre, radius, parts);
        self.paint(&[&outline], colour);
        self.edge(&outline, colour);
    }

    /// A rectangle between two corners: its area and its edge, moved to whole pixels.
    pub(crate) fn rectangle(&mut self, from: [f64; 2], to: [f64; 2], colour: [u8; 3]) {
        let [[x0, y0], [x1, y1]] = [from, to].map(|corner| snapped(self.pixel(corner), EDGE));
        // The same way round as a disc: y points down.
        let outline = [[x0, y1], [x1, y1], [x1, y0], [x0, y0]];
        self.paint(&[&outline], colour);
        self.edge(&outline, colour);
    }

    /// The edge of a polygon, half of it inside and half outside.
    fn edge(&mut self, outline: &[[f64; 2]], colour: [u8; 3]) {
        let mut inner = widened(outline, -EDGE * POINT / 2.0);
        inner.reverse();
        self.paint(&[&widened(outline, EDGE * POINT / 2.0), &inner], colour);
    }

    fn paint(&mut self, polygons: &[&[[f64; 2]]], colour: [u8; 3]) {
        let colour = colour.map(|level| f32::from(level) / 255.0);
        let out = &mut *self.out;
        self.coverage.of(polygons, |row, column, area| {
            let place = (row + TOP) * SIDE + column + LEFT;
            for (channel, level) in colour.iter().enumerate() {
                let pixel = &mut out[channel * SIDE * SIDE + place];
                *pixel += (level - *pixel) * area;
            }
        });
    }

    /// From the units of the data to pixels of the window, y down.
    fn pixel(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let [right, up] = [self.unit[0] * (x - self.low[0]), self.unit[1] * (y - self.low[1])];
        [right + BOX_LEFT - LEFT as f64, BOX_BOTTOM - up - TOP as f64]
    }

    /// A circle in the units of the data as Agg flattens it: for each of eight arcs its start, and
    /// then one point per part, pushed out by a third of the height of the part over its chord.
    /// Points on the circle itself would be off by up to 17 grey levels at the rim.
    fn ellipse(&self, centre: [f64; 2], radius: f64, parts: usize) -> Vec<[f64; 2]> {
        let [x, y] = self.pixel(centre);
        let point = |angle: f64, factor: f64| {
            let (sin, cos) = angle.sin_cos();
            let distance = radius * factor;
            [x + self.unit[0] * distance * cos, y + self.unit[1] * distance * sin]
        };
        let part = FRAC_PI_4 / parts as f64;
        let pushed = 1.0 + (1.0 - (part / 2.0).cos()) / 3.0;
        let mut outline = Vec::with_capacity(8 * (parts + 1));
        for arc in 0..8 {
            let start = f64::from(arc) * FRAC_PI_4;
            outline.push(point(start, 1.0));
            outline.extend((0..parts).map(|k| point(start + (k as f64 + 0.5) * part, pushed)));
        }
        outline
    }
}

/// Horizontal and vertical lines are moved to whole pixels, or to their middles where the width
/// rounds to an odd number, for a sharp look.
fn snapped(point: [f64; 2], width: f64) -> [f64; 2] {
    let middle = (width * POINT).round() % 2.0 / 2.0;
    point.map(|v| (v + 0.5).floor() + middle)
}

/// The point `distance` beyond `to`, seen from `from`.
fn extended(from: [f64; 2], to: [f64; 2], distance: f64) -> [f64; 2] {
    let [x, y] = normal(from, to);
    [to[0] - y * distance, to[1] + x * distance]
}

/// A polygon with every edge moved outwards by `distance`.
fn widened(polygon: &[[f64; 2]], distance: f64) -> Vec<[f64; 2]> {
    let count = polygon.len();
    let moved = |k: usize| {
        let [before, here, after] = [k + count - 1, k, k + 1].map(|k| polygon[k % count]);
        corner(Some(before), here, Some(after), distance)
    };
    (0..count).map(moved).collect()
}

/// A corner of a line whose edges are moved by `distance` to its left side (y down).
fn corner(
    before: Option<[f64; 2]>,
    here: [f64; 2],
    after: Option<[f64; 2]>,
    distance: f64,
) -> [f64; 2] {
    let [a, b] = [before.map(|from| normal(from, here)), after.map(|to| normal(here, to))];
    let ([ax, ay], [bx, by]) = (a.or(b).unwrap_or_default(), b.or(a).unwrap_or_default());
    // The corner moves along a + b, by so much that it is `distance` from both edges.
    let along = distance / (1.0 + ax * bx + ay * by);
    [here[0] + along * (ax + bx), here[1] + along * (ay + by)]
}

/// The direction at right angles to an edge, of length 1.
fn normal(from: [f64; 2], to: [f64; 2]) -> [f64; 2] {
    let (x, y) = (to[0] - from[0], to[1] - from[1]);
    let length = x.hypot(y).max(f64::MIN_POSITIVE);
    [y / length, -x / length]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Grey levels of the red channel after `draw` on a box that shows 0 to 20 by 0 to 20.
    fn red(draw: impl Fn(&mut Plot)) -> impl Fn(usize, usize) -> u8 {
        let mut out = vec![f32::NAN; 4 * SIDE * SIDE];
        draw(&mut Plot::new([0.0, 20.0], [0.0, 20.0], &mut out));
        move |row, column| (out[row * SIDE + column] * 255.0).round() as u8
    }

    #[test]
    fn an_upright_line_of_two_points_has_one_dark_column_between_two_grey_ones() {
        let level = red(|plot| plot.line([3.0, 0.0], [3.0, 19.0], 2.0, BLACK));
        // 8/3 pixels around 23.5: a sixth of the columns beside it stays white.
        assert_eq!([21, 22, 23, 24, 25].map(|column| level(40, column)), [255, 43, 0, 43, 255]);
        // 19 is 15.2 pixels from above, moved to 15.5.
        assert_eq!([14, 15, 16].map(|row| level(row, 23)), [255, 128, 0]);
        assert_eq!([84, 85].map(|row| level(row, 23)), [0, 255], "the box ends");
    }

    #[test]
    fn a_rectangle_is_snapped_with_a_soft_edge() {
        let level = red(|plot| plot.rectangle([3.0, 0.0], [8.0, 6.0], LIGHT_SKY_BLUE));
        assert_eq!([61, 62, 63].map(|row| level(row, 30)), [255, 235, 135]);
        assert_eq!([21, 22, 23].map(|column| level(70, column)), [255, 235, 135]);
        assert_eq!([42, 43, 44].map(|column| level(70, column)), [135, 235, 255]);
    }

    #[test]
    fn a_straight_curve_is_a_line_with_longer_ends() {
        // From (12 + 3.72 · 5, y) to 37.2 pixels farther, 4 pixels wide: 2 more at either end.
        let level = red(|plot| {
            plot.curve(&[[5.0, 10.0], [8.0, 10.0], [15.0, 10.0]], 3.0, BLACK);
        });
        // 30.6 - 2 = 28.6 and 67.8 + 2 = 69.8; row 48.48 lies within.
        assert_eq!([27, 28, 29].map(|column| level(48, column)), [255, 153, 0]);
        assert_eq!([68, 69, 70].map(|column| level(48, column)), [0, 51, 255]);
    }
}
