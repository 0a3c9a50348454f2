//! How much of each pixel a polygon covers: the exact area, as in the Agg renderer behind
//! Matplotlib. The rasteriser is the one of ab_glyph, chosen because it computes that area and does
//! not count sample points.

use ab_glyph_rasterizer::{Rasterizer, point};

/// Polygons are rasterised in the smallest box around them, so that one that sticks out of the
/// window costs no more and cannot spill into the next row.
pub(crate) struct Coverage {
    window: [usize; 2],
    rasterizer: Rasterizer,
}

impl Coverage {
    /// A window of `[width, height]` pixels whose top left corner is (0, 0).
    pub(crate) fn new(window: [usize; 2]) -> Self {
        Self { window, rasterizer: Rasterizer::new(0, 0) }
    }

    /// Call `pixel(row, column, area)` for the pixels of the window that these closed polygons
    /// cover; one drawn the other way round takes its area away.
    pub(crate) fn of(
        &mut self,
        polygons: &[&[[f64; 2]]],
        mut pixel: impl FnMut(usize, usize, f32),
    ) {
        let corners = || polygons.iter().flat_map(|polygon| polygon.iter());
        let low = [0, 1].map(|axis| corners().map(|c| c[axis]).fold(f64::INFINITY, f64::min));
        let high = [0, 1].map(|axis| corners().map(|c| c[axis]).fold(f64::NEG_INFINITY, f64::max));
        let outside = |axis: usize| !(low[axis] < self.window[axis] as f64 && high[axis] > 0.0);
        if outside(0) || outside(1) {
            return;
        }
        let [left, top] = low.map(f64::floor);
        let [width, height] = [high[0] - left, high[1] - top].map(|side| side.ceil() as usize + 1);
        self.rasterizer.reset(width, height);
        for polygon in polygons {
            let place = |[x, y]: [f64; 2]| point((x - left) as f32, (y - top) as f32);
            let ends = polygon.iter().cycle().skip(1);
            for (&from, &to) in polygon.iter().zip(ends) {
                self.rasterizer.draw_line(place(from), place(to));
            }
        }
        let [columns, rows] = self.window.map(|side| side as i64);
        self.rasterizer.for_each_pixel_2d(|x, y, area| {
            let (column, row) = (i64::from(x) + left as i64, i64::from(y) + top as i64);
            // Sums of parts of a pixel leave a dust of rounding errors.
            if area > 1e-5 && (0..columns).contains(&column) && (0..rows).contains(&row) {
                pixel(row as usize, column as usize, area.min(1.0));
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn areas(polygon: &[[f64; 2]]) -> [[f32; 4]; 3] {
        let mut out = [[0.0; 4]; 3];
        Coverage::new([4, 3]).of(&[polygon], |row, column, area| out[row][column] = area);
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
        let wide = [[-10.0, 1.0], [10.0, 1.0], [10.0, 9.0], [-10.0, 9.0]];
        assert_eq!(areas(&wide), [[0.0; 4], [1.0; 4], [1.0; 4]]);
        let left = [[-3.0, 0.0], [1.0, 0.0], [-3.0, 4.0]];
        assert_eq!(areas(&left), [[0.5, 0.0, 0.0, 0.0], [0.0; 4], [0.0; 4]]);
        assert_eq!(areas(&[[1e9, 0.0], [2e9, 0.0], [2e9, 1e9]]), [[0.0; 4]; 3]);
    }

    #[test]
    fn a_hole_takes_its_area_away() {
        let outer = [[0.0, 0.0], [3.0, 0.0], [3.0, 3.0], [0.0, 3.0]];
        let hole = [[1.0, 1.0], [1.0, 2.0], [2.0, 2.0], [2.0, 1.0]];
        let mut total = 0.0;
        Coverage::new([4, 3]).of(&[&outer, &hole], |_, _, area| total += area);
        assert_eq!(total, 8.0);
    }
}
