//! The picture. The tiles are painted one after the other, each filled and then stroked in black, on
//! white: every one covers part of what is there,
//!
//! ```text
//! pixel = pixel (1 - area) + colour area
//! ```
//!
//! which is linear in the colours. So a pixel is a sum of colours with weights that never change, and
//! most pixels show one colour only: those are filled run by run, and sums are left for the borders.

use super::cells::{cells, cut};
use super::outline::moved;
use super::{Point, SIDE, colour};
use crate::data::drawing::plot::coverage::Coverage;

/// Half the width of a stroke: 50 points of 1/72 pixel.
const HALF: f64 = 50.0 / 72.0 / 2.0;
/// A frame as thin as a hair is drawn at the very edge; it takes one of 255 levels from what it runs
/// over.
const HAIR: f32 = 1.0 / 255.0;
/// More than this of a pixel is all of it; what is missing are rounding errors.
const ALL: f32 = 1.0 - 1e-4;

/// How much of each pixel shows what, `[pixels][tiles, then white, then black]`.
fn weights(points: &[Point]) -> Vec<Vec<f32>> {
    let (white, black) = (points.len(), points.len() + 1);
    let mut unpainted = vec![0.0; points.len() + 2];
    unpainted[white] = 1.0;
    let mut weights = vec![unpainted; SIDE * SIDE];
    let mut coverage = Coverage::new([SIDE, SIDE]);
    let mut paint = |polygons: &[&[Point]], with: usize| {
        coverage.of(polygons, |row, column, area| {
            let area = if area > ALL { 1.0 } else { area };
            cover(&mut weights[row * SIDE + column], with, area);
        });
    };
    for (tile, outline) in cells(points).iter().enumerate() {
        paint(&[&visible(outline)], tile);
        let mut inner = visible(&moved(outline, -HALF));
        inner.reverse();
        paint(&[&visible(&moved(outline, HALF)), &inner], black);
    }
    for k in 0..SIDE {
        for edge in [k, (SIDE - 1) * SIDE + k, k * SIDE, k * SIDE + SIDE - 1] {
            cover(&mut weights[edge], black, HAIR);
        }
    }
    weights
}

/// Paint over part of a pixel.
fn cover(pixel: &mut [f32], with: usize, area: f32) {
    for weight in &mut *pixel {
        *weight *= 1.0 - area;
    }
    pixel[with] += area;
}

/// The part of an outline in the picture or just beside it, as pixels with y down.
fn visible(outline: &[Point]) -> Vec<Point> {
    let side = SIDE as f64;
    let mut kept = cut(outline, |[x, _]| -1.0 - x);
    kept = cut(&kept, |[x, _]| x - side - 1.0);
    kept = cut(&kept, |[_, y]| -1.0 - y);
    kept = cut(&kept, |[_, y]| y - side - 1.0);
    // Turned over, it goes around the other way; backwards it is as before.
    kept.iter().rev().map(|[x, y]| [*x, side - y]).collect()
}

/// Pixels in a row that all show one tile and nothing else.
struct Run {
    pixels: std::ops::Range<usize>,
    tile: usize,
}

/// A pixel that shows several things.
struct Mixed {
    pixel: usize,
    white: f32,
    /// Where its tiles and their weights are.
    parts: std::ops::Range<usize>,
}

/// A picture whose colours are still open.
pub(in super::super) struct Painting {
    runs: Vec<Run>,
    mixed: Vec<Mixed>,
    parts: Vec<(usize, f32)>,
}

impl Painting {
    /// Of the tiles around these points.
    pub(in super::super) fn new(points: &[Point]) -> Self {
        let mut painting = Self { runs: Vec::new(), mixed: Vec::new(), parts: Vec::new() };
        let white = points.len();
        for (pixel, weights) in weights(points).iter().enumerate() {
            if let Some(tile) = weights[..white].iter().position(|weight| *weight == 1.0) {
                painting.extend_run(pixel, tile);
                continue;
            }
            let start = painting.parts.len();
            let shown = weights[..white].iter().copied().enumerate();
            painting.parts.extend(shown.filter(|(_, weight)| *weight > 0.0));
            let parts = start..painting.parts.len();
            painting.mixed.push(Mixed { pixel, white: weights[white], parts });
        }
        painting
    }

    fn extend_run(&mut self, pixel: usize, tile: usize) {
        match self.runs.last_mut() {
            Some(run) if run.tile == tile && run.pixels.end == pixel => run.pixels.end += 1,
            _ => self.runs.push(Run { pixels: pixel..pixel + 1, tile }),
        }
    }

    /// Draw with the colours of these angles: red, green and blue one after the other, in levels of
    /// 1/255.
    pub(in super::super) fn draw(&self, angles: impl IntoIterator<Item = f32>, out: &mut [f32]) {
        // A fourth channel that nobody sees makes a colour one vector.
        let mut colours = [[0.0; 4]; 16];
        for (place, angle) in colours.iter_mut().zip(angles) {
            place[..3].copy_from_slice(&colour(angle));
        }
        let (red, rest) = out.split_at_mut(SIDE * SIDE);
        let (green, blue) = rest.split_at_mut(SIDE * SIDE);
        for Run { pixels, tile } in &self.runs {
            let [r, g, b, _] = colours[*tile].map(level);
            red[pixels.clone()].fill(r);
            green[pixels.clone()].fill(g);
            blue[pixels.clone()].fill(b);
        }
        for Mixed { pixel, white, parts } in &self.mixed {
            let mut sum = [*white; 4];
            for (tile, weight) in &self.parts[parts.clone()] {
                sum.iter_mut().zip(&colours[*tile]).for_each(|(sum, shade)| *sum += weight * shade);
            }
            [red[*pixel], green[*pixel], blue[*pixel], _] = sum.map(level);
        }
    }
}

/// The nearest of 256 levels. Adding 2²³ leaves no place for a fraction.
fn level(shade: f32) -> f32 {
    const WHOLE: f32 = 8_388_608.0;
    (shade * 255.0 + WHOLE - WHOLE).min(255.0) / 255.0
}

#[cfg(test)]
mod tests {
    use super::super::points;
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn the_weights_of_a_pixel_sum_to_one() {
        for seed in 0..10 {
            for pixel in weights(&points(6, &mut Rng::new(seed))) {
                assert!((pixel.iter().sum::<f32>() - 1.0).abs() < 1e-5);
                assert!(pixel.iter().all(|weight| *weight >= 0.0));
            }
        }
    }

    #[test]
    fn the_middle_of_a_tile_has_exactly_its_colour() {
        for seed in 0..10 {
            let points = points(6, &mut Rng::new(seed));
            let angles = [-2.6, -1.5, -0.3, 0.4, 1.7, 2.7];
            let mut out = vec![f32::NAN; 3 * SIDE * SIDE];
            Painting::new(&points).draw(angles, &mut out);
            for ([x, y], angle) in points.iter().zip(angles) {
                let pixel = (SIDE - 1 - *y as usize) * SIDE + *x as usize;
                let shown = [0, 1, 2].map(|channel| out[channel * SIDE * SIDE + pixel]);
                assert_eq!(shown, colour(angle).map(level));
            }
        }
    }

    #[test]
    fn two_tiles_have_a_black_line_between_them() {
        // Three in a row, borders at x = 11 and 21: a line .69 wide takes .35 of either side.
        let points = [[6.0, 16.0], [16.0, 16.0], [26.0, 16.0]];
        let weights = weights(&points);
        let at = |column: usize| &weights[16 * SIDE + column];
        assert_eq!(at(8)[..], [1.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(at(14)[..], [0.0, 1.0, 0.0, 0.0, 0.0]);
        // Left of a border both tiles are stroked; right of it the second paints over the first one's.
        let (half, none) = (HALF as f32, 0.0);
        assert!((at(10)[0] - (1.0 - half).powi(2)).abs() < 1e-3 && at(10)[1] == none);
        assert!((at(11)[1] - (1.0 - half)).abs() < 1e-3 && at(11)[0] == none);
        assert!((at(11)[4] - half).abs() < 1e-3);
        // The hair at the rim.
        assert!((at(0)[4] - HAIR).abs() < 1e-6 && (weights[0][4] - 2.0 * HAIR).abs() < 1e-4);
    }

    #[test]
    fn up_is_up() {
        let points = [[16.0, 27.0], [6.0, 8.0], [26.0, 8.0]];
        let mut out = vec![f32::NAN; 3 * SIDE * SIDE];
        Painting::new(&points).draw([0.0, 2.0, -2.0], &mut out);
        assert_eq!(out[2 * SIDE + 16], 1.0, "red is above");
        assert!(out[28 * SIDE + 6] < 0.2 && out[28 * SIDE + 26] < 0.2);
    }

    #[test]
    fn levels_are_the_nearest() {
        for k in 0..=255_u8 {
            let shade = f32::from(k) / 255.0;
            assert_eq!(level(shade), shade);
            assert_eq!(level((f32::from(k) + 0.4) / 255.0), shade);
        }
        assert_eq!((level(0.0), level(1.0)), (0.0, 1.0));
    }
}
