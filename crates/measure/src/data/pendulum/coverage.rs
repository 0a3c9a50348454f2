//! How much of each pixel a polygon covers: the exact area, as in the Agg renderer behind
//! Matplotlib. (Renderers that count sample points instead are off by several grey levels.)

use std::ops::Range;

/// Covered area per pixel of a small window whose top left corner is (0, 0).
pub(super) struct Coverage<const WIDTH: usize, const HEIGHT: usize> {
    /// Per pixel, by how much the coverage changes from its left neighbour. [row][column]
    changes: [[f32; WIDTH]; HEIGHT],
    /// The rows that have changes.
    rows: Range<usize>,
}

impl<const WIDTH: usize, const HEIGHT: usize> Coverage<WIDTH, HEIGHT> {
    pub(super) fn new() -> Self {
        Self { changes: [[0.0; WIDTH]; HEIGHT], rows: HEIGHT..0 }
    }

    /// Add a closed polygon; one drawn the other way round takes its area away. What lies outside
    /// the window is cut off.
    pub(super) fn add(&mut self, polygon: &[[f64; 2]]) {
        let Some(mut from) = polygon.last().copied() else { return };
        for &to in polygon {
            self.edge(from, to);
            from = to;
        }
    }

    /// Call `pixel(row, column, area)` where any area is covered, and start afresh.
    pub(super) fn take(&mut self, mut pixel: impl FnMut(usize, usize, f32)) {
        for row in std::mem::replace(&mut self.rows, HEIGHT..0) {
            let mut area = 0.0_f32;
            for (column, change) in self.changes[row].iter_mut().enumerate() {
                area += std::mem::take(change);
                // Sums of parts of a pixel leave a dust of rounding errors.
                if area.abs() > 1e-5 {
                    pixel(row, column, area.abs().min(1.0));
                }
            }
        }
    }

    /// An edge adds its height to all that lies to its right, row by row.
    fn edge(&mut self, from: [f64; 2], to: [f64; 2]) {
        let (sign, [x0, y0], [x1, y1]) =
            if from[1] < to[1] { (1.0, from, to) } else { (-1.0, to, from) };
        let slope = (x1 - x0) / (y1 - y0);
        let first = y0.floor().clamp(0.0, HEIGHT as f64) as usize;
        let end = y1.ceil().clamp(0.0, HEIGHT as f64) as usize;
        self.rows = self.rows.start.min(first)..self.rows.end.max(end);
        for row in first..end {
            let (upper, lower) = (y0.max(row as f64), y1.min((row + 1) as f64));
            let at = |y: f64| x0 + (y - y0) * slope;
            self.span(row, sign * (lower - upper), at(upper), at(lower));
        }
    }

    /// The part of an edge within one row, between `a` and `b`, of a signed height.
    fn span(&mut self, row: usize, height: f64, a: f64, b: f64) {
        let (left, right) = if a < b { (a, b) } else { (b, a) };
        let share = |a: f64, b: f64| if left < right { (b - a) / (right - left) } else { 1.0 };
        let changes = &mut self.changes[row];
        if left < 0.0 {
            changes[0] += (height * share(left, right.min(0.0))) as f32;
        }
        let first = left.floor().clamp(0.0, WIDTH as f64) as usize;
        let end = (right.floor() + 1.0).clamp(0.0, WIDTH as f64) as usize;
        for column in first..end {
            let (start, end) = (left.max(column as f64), right.min((column + 1) as f64));
            let height = height * share(start, end);
            // A trapezium: the pixel itself is covered to the right of the middle of the part.
            let inside = (column + 1) as f64 - f64::midpoint(start, end);
            changes[column] += (height * inside) as f32;
            if let Some(next) = changes.get_mut(column + 1) {
                *next += (height * (1.0 - inside)) as f32;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn areas(polygon: &[[f64; 2]]) -> [[f32; 4]; 3] {
        let mut coverage = Coverage::<4, 3>::new();
        coverage.add(polygon);
        let mut out = [[0.0; 4]; 3];
        coverage.take(|row, column, area| out[row][column] = area);
        out
    }

    #[test]
    fn a_pixel_has_the_area_of_its_covered_part() {
        let rectangle = [[0.5, 0.5], [2.0, 0.5], [2.0, 1.75], [0.5, 1.75]];
        let expected = [[0.25, 0.5, 0.0, 0.0], [0.375, 0.75, 0.0, 0.0], [0.0; 4]];
        assert_eq!(areas(&rectangle), expected);
        let triangle = [[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]];
        assert_eq!(areas(&triangle), [[1.0, 0.5, 0.0, 0.0], [0.5, 0.0, 0.0, 0.0], [0.0; 4]]);
    }

    #[test]
    fn what_lies_outside_is_cut_off() {
        let wide = [[-1e9, 1.0], [1e9, 1.0], [1e9, 1e9], [-1e9, 1e9]];
        assert_eq!(areas(&wide), [[0.0; 4], [1.0; 4], [1.0; 4]]);
        // The diagonal from (-2, 1) to (2, -3) passes above the window, all else is inside it.
        let slanted = [[-4.0, 3.0], [4.0, -5.0], [8.0, 3.0]];
        let area: f32 = areas(&slanted).iter().flatten().sum();
        assert!((area - 12.0).abs() < 1e-5, "{area}");
        let left = [[-3.0, 0.0], [1.0, 0.0], [-3.0, 4.0]];
        assert_eq!(areas(&left), [[0.5, 0.0, 0.0, 0.0], [0.0; 4], [0.0; 4]]);
    }
}
