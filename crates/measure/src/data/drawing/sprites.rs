//! The sprites of dSprites, as masks of pixels: what `dsprites` and its colourful kin have in common.
//!
//! The rule (image coordinates, x right, y down): turn and scale the outline, move it to
//! (16 + 32·posX, 16 + 32·posY), snap every vertex to multiples of 1/256 pixel as the graphics card
//! did, and set the pixels whose centre lies inside (even-odd; centres on a left or bottom edge
//! count as inside). Of 66,080 published images it gives 66,071; nine differ in one pixel, where a
//! vertex falls between two multiples and the rounding of the original is unknown.

use std::f64::consts::TAU;

use crate::data::{Range, Shape};
use crate::factors::Factor;

/// Pixels of an image, each way.
pub(crate) const SIDE: usize = 64;
/// The form of the images in colour.
pub(crate) const COLOUR: Shape =
    Shape { channels: 3, height: SIDE, width: SIDE, range: Range::Unit };
/// How many orientations there are.
pub(crate) const ORIENTATIONS: usize = 40;
const SCALES: usize = 6;
/// Half the side of the square of scale 1, in pixels.
const RADIUS: f64 = 9.6;
/// Steps per pixel of the grid that vertices snap to.
const STEPS: i32 = 256;

/// The factors: shape, scale, orientation, posX and posY.
pub(crate) fn factors() -> [Factor; 5] {
    let positions = || (0..32).map(|k| (f64::from(k) / 31.0) as f32);
    [
        Factor::discrete("shape", [1.0, 2.0, 3.0])
            .with_words(["", "square", "ellipse", "heart"].map(String::from).to_vec()),
        Factor::discrete("scale", (0..SCALES).map(|k| scale(k) as f32)),
        Factor::discrete("orientation", (0..ORIENTATIONS).map(|k| angle(k) as f32)),
        Factor::discrete("posX", positions()),
        Factor::discrete("posY", positions()),
    ]
}

/// The pixels that a sprite covers: one word per row of the image, bit c for column c.
pub(crate) struct Mask([u64; SIDE]);

impl Mask {
    /// Paint one channel: one number inside, another outside.
    pub(crate) fn paint(&self, inside: f32, outside: f32, plane: &mut [f32]) {
        for (line, &bits) in plane.chunks_exact_mut(SIDE).zip(&self.0) {
            if bits == 0 {
                line.fill(outside);
                continue;
            }
            for (column, pixel) in line.iter_mut().enumerate() {
                *pixel = if bits >> column & 1 == 1 { inside } else { outside };
            }
        }
    }

    /// The places of the pixels inside, in order.
    pub(crate) fn pixels(&self) -> impl Iterator<Item = usize> {
        self.0.iter().enumerate().flat_map(|(row, &bits)| {
            let mut left = bits;
            std::iter::from_fn(move || {
                let column = left.trailing_zeros() as usize;
                left &= left.checked_sub(1)?;
                Some(row * SIDE + column)
            })
        })
    }
}

/// Draws sprites.
pub(crate) struct Sprites {
    /// One per shape, scale and orientation, centred on (0, 0), in pixels.
    outlines: Vec<Vec<[f64; 2]>>,
}

impl Sprites {
    pub(crate) fn new() -> Self {
        Self { outlines: turned_outlines() }
    }

    /// The sprite of these classes, in the order of [`factors`].
    pub(crate) fn mask(&self, [shape, scale, orientation, x, y]: [usize; 5]) -> Mask {
        let outline = &self.outlines[(shape * SCALES + scale) * ORIENTATIONS + orientation];
        fill(outline, [x, y].map(|k| 16.0 + 32.0 * (k as f64 / 31.0)))
    }
}

fn scale(k: usize) -> f64 {
    0.5 + 0.1 * k as f64
}

/// 39 steps make a full turn, so the last orientation repeats the first.
fn angle(k: usize) -> f64 {
    k as f64 * TAU / 39.0
}

fn turned_outlines() -> Vec<Vec<[f64; 2]>> {
    let mut outlines = Vec::with_capacity(3 * SCALES * ORIENTATIONS);
    for outline in [square(), ellipse(), heart()] {
        for s in (0..SCALES).map(scale) {
            for (sin, cos) in (0..ORIENTATIONS).map(|k| angle(k).sin_cos()) {
                let turn = |&[x, y]: &[f64; 2]| {
                    let (x, y) = (s * x, s * y);
                    [cos * x + sin * y, -sin * x + cos * y]
                };
                outlines.push(outline.iter().map(turn).collect());
            }
        }
    }
    outlines
}

fn square() -> Vec<[f64; 2]> {
    [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|p| p.map(|v| RADIUS * v)).to_vec()
}

fn ellipse() -> Vec<[f64; 2]> {
    let vertex = |i| {
        let (sin, cos) = (TAU * f64::from(i) / 100.0).sin_cos();
        [RADIUS * 1.33 * cos, RADIUS / 1.33 * sin]
    };
    (0..100).map(vertex).collect()
}

/// The well-known heart curve, x = 16 sin³t, y = 13 cos t − 5 cos 2t − 2 cos 3t − cos 4t, made as
/// wide as the square and moved up a little.
fn heart() -> Vec<[f64; 2]> {
    let vertex = |i| {
        let t = TAU * f64::from(i) / 150.0;
        let height =
            13.0 * t.cos() - 5.0 * (2.0 * t).cos() - 2.0 * (3.0 * t).cos() - (4.0 * t).cos();
        [RADIUS * t.sin().powi(3), -RADIUS * (height / 14.5 + 0.15)]
    };
    (0..150).map(vertex).collect()
}

/// The pixels inside an outline around `centre`.
///
/// Every edge flips all pixels to the right of where it crosses the middle of a row; what is
/// flipped an odd number of times is inside.
fn fill(outline: &[[f64; 2]], centre: [f64; 2]) -> Mask {
    let half = STEPS / 2;
    let snap = |vertex: &[f64; 2]| {
        // The whole outline lies in the image, so truncation after adding a half rounds.
        [0, 1].map(|axis| ((vertex[axis] + centre[axis]) * f64::from(STEPS) + 0.5) as i32)
    };
    let mut rows = [0_u64; SIDE];
    let Some(mut from) = outline.last().map(snap) else { return Mask(rows) };
    for to in outline.iter().map(snap) {
        let ([x0, y0], [x1, y1]) = if from[1] < to[1] { (from, to) } else { (to, from) };
        // Rows whose middle lies in (y0, y1]: the bottom edge belongs to the shape.
        let first = (y0 - half).div_euclid(STEPS) + 1;
        let last = (y1 - half).div_euclid(STEPS);
        let (width, height) = (x1 - x0, y1 - y0);
        for row in first..=last {
            // Column c is to the right if c·256 + 128 ≥ x0 + (y − y0)·width/height: the left edge
            // belongs to the shape. The least such c is a quotient rounded up.
            let y = row * STEPS + half;
            let crossing = (x0 - half) * height + (y - y0) * width;
            let column = -(-crossing).div_euclid(STEPS * height);
            rows[row as usize] ^= u64::MAX << column;
        }
        from = to;
    }
    Mask(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn centres_on_a_left_or_bottom_edge_are_inside_and_on_a_right_or_top_edge_outside() {
        let corner = |x, y| [x, y];
        let outline = [corner(2.5, 2.5), corner(5.5, 2.5), corner(5.5, 5.5), corner(2.5, 5.5)];
        let Mask(rows) = fill(&outline, [0.0, 0.0]);
        let lit: Vec<usize> = (0..SIDE).filter(|&row| rows[row] != 0).collect();
        assert_eq!(lit, [3, 4, 5]);
        assert!(lit.iter().all(|&row| rows[row] == 0b1_1100));
    }

    #[test]
    fn painted_pixels_are_those_listed() {
        let mut rows = [0; SIDE];
        (rows[0], rows[7], rows[63]) = (0b101, u64::MAX, 1 << 63);
        let mask = Mask(rows);
        let mut plane = vec![f32::NAN; SIDE * SIDE];
        mask.paint(0.5, 0.25, &mut plane);
        let painted: Vec<usize> = (0..plane.len()).filter(|&place| plane[place] == 0.5).collect();
        assert_eq!(painted.len(), 2 + 64 + 1);
        assert!(plane.iter().all(|pixel| [0.5, 0.25].contains(pixel)));
        assert_eq!(mask.pixels().collect::<Vec<_>>(), painted);
    }
}
