//! The picture of a pendulum, its light and its shadow, as Matplotlib 3.11 draws it: a figure of
//! 96x96 pixels whose plot box has the default margins and shows 0 to 20 by -1 to 21, so that
//! circles become ellipses.

use std::f64::consts::FRAC_PI_4;

use super::coverage::Coverage;
use super::{GROUND, PIVOT, along_rod, projection};

/// Pixels per row and column.
pub(super) const SIDE: usize = 96;

/// The plot box is 12 to 86.4 by 11.52 to 85.44 pixels; what is drawn is cut off at whole pixels.
const LEFT: usize = 12;
const TOP: usize = 12;
/// Width and height of what is left.
const WINDOW: [usize; 2] = [74, 73];

/// Pixels per unit.
const UNIT: [f64; 2] = [3.72, 3.36];
/// Half of 3 points, the width of rod and shadow, in pixels.
const HALF_LINE: f64 = 2.0;
/// Half of 1 point, the width of the edge that Matplotlib gives every disc, in pixels.
const HALF_EDGE: f64 = 2.0 / 3.0;

const BLACK: [u8; 3] = [0, 0, 0];
const FIREBRICK: [u8; 3] = [178, 34, 34];
const ORANGE: [u8; 3] = [255, 165, 0];

/// Draw red, green, blue and opacity, one after the other, into `out`.
pub(super) fn draw([pendulum, light, length, position]: [f32; 4], out: &mut [f32]) {
    let ball = along_rod(pendulum, 8.0);
    let sun = [projection(light, PIVOT, 20.5), 20.5];
    let [position, half] = [f64::from(position), f64::from(length) / 2.0];

    out.fill(1.0);
    let mut picture = Picture { coverage: Coverage::new(WINDOW), out };
    picture.line(PIVOT, ball);
    // Discs are eight curves; the renderer cuts those of the small one in two, of the large in four.
    picture.disc(ball, 1.5, 2, FIREBRICK);
    picture.disc(sun, 3.0, 4, ORANGE);
    // An intervention may ask for any shadow; what is far outside needs no pixels.
    let [start, end] = [position - half, position + half].map(|x| x.clamp(-9.0, 29.0));
    picture.line([start, GROUND], [end, GROUND]);
}

struct Picture<'a> {
    coverage: Coverage,
    out: &'a mut [f32],
}

impl Picture<'_> {
    /// A black line with flat ends.
    fn line(&mut self, from: [f64; 2], to: [f64; 2]) {
        let (mut from, mut to) = (pixel(from), pixel(to));
        // Horizontal and vertical lines are moved to whole pixels, for a sharp look.
        if (0..2).any(|axis| (to[axis] - from[axis]).abs() < 1e-4) {
            from = from.map(|v| (v + 0.5).floor());
            to = to.map(|v| (v + 0.5).floor());
        }
        let [x, y] = normal(from, to).map(|v| v * HALF_LINE);
        let beside = |[px, py]: [f64; 2], side: f64| [px + side * x, py + side * y];
        let corners = [beside(from, 1.0), beside(to, 1.0), beside(to, -1.0), beside(from, -1.0)];
        self.paint(&[&corners], BLACK);
    }

    /// A disc: its area, and then over it an edge of the same colour.
    fn disc(&mut self, centre: [f64; 2], radius: f64, parts: usize, colour: [u8; 3]) {
        let outline = ellipse(centre, radius, parts);
        self.paint(&[&outline], colour);
        let mut inner = widened(&outline, -HALF_EDGE);
        inner.reverse();
        self.paint(&[&widened(&outline, HALF_EDGE), &inner], colour);
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
}

/// From the units of the data to pixels of the window, y down.
fn pixel([x, y]: [f64; 2]) -> [f64; 2] {
    [UNIT[0] * x + 12.0 - LEFT as f64, 85.44 - UNIT[1] * (y + 1.0) - TOP as f64]
}

/// A circle in the units of the data as Agg flattens it: for each of eight arcs its start, and then
/// one point per part, pushed out by a third of the height of the part over its chord. Points on
/// the circle itself would be off by up to 17 grey levels at the rim.
fn ellipse(centre: [f64; 2], radius: f64, parts: usize) -> Vec<[f64; 2]> {
    let [x, y] = pixel(centre);
    let point = |angle: f64, factor: f64| {
        let (sin, cos) = angle.sin_cos();
        let distance = radius * factor;
        [x + UNIT[0] * distance * cos, y + UNIT[1] * distance * sin]
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

/// A polygon with every edge moved outwards by `distance`.
fn widened(polygon: &[[f64; 2]], distance: f64) -> Vec<[f64; 2]> {
    let count = polygon.len();
    let corner = |k: usize| {
        let [before, here, after] = [k + count - 1, k, k + 1].map(|k| polygon[k % count]);
        let ([ax, ay], [bx, by]) = (normal(before, here), normal(here, after));
        // The corner moves along a + b, by so much that it is `distance` from both edges.
        let along = distance / (1.0 + ax * bx + ay * by);
        [here[0] + along * (ax + bx), here[1] + along * (ay + by)]
    };
    (0..count).map(corner).collect()
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

    fn levels(values: [f32; 4], row: usize, column: usize) -> [u8; 4] {
        let mut out = vec![f32::NAN; 4 * SIDE * SIDE];
        draw(values, &mut out);
        [0, 1, 2, 3].map(|k| (out[k * SIDE * SIDE + row * SIDE + column] * 255.0).round() as u8)
    }

    #[test]
    fn every_object_is_in_its_place() {
        let values = [0.0, 100.0, 3.0, 5.0];
        assert_eq!(levels(values, 0, 0), [255; 4], "the ground is white and opaque");
        assert_eq!(levels(values, 50, 48), [0, 0, 0, 255], "the rod hangs down");
        assert_eq!(levels(values, 73, 49), [178, 34, 34, 255], "the ball is at its end");
        assert_eq!(levels(values, 15, 49), [255, 165, 0, 255], "the light is overhead");
        // 3.5 to 6.5 are pixels 25.02 to 36.18, moved to 25 to 36; the bar ends with the box.
        assert_eq!(levels(values, 83, 25), [0, 0, 0, 255]);
        assert_eq!(levels(values, 83, 24), [255; 4]);
        assert_eq!(levels(values, 83, 36), [255; 4]);
        assert_eq!(levels(values, 85, 30), [255; 4]);
    }

    #[test]
    fn a_shadow_without_length_is_not_there() {
        assert_eq!(levels([0.0, 100.0, 0.0, 5.0], 83, 30), [255; 4]);
    }
}
