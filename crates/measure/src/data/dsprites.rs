//! `dsprites`: a white square, ellipse or heart on black, all 737,280 images, drawn by index. No
//! download: the published pixels follow from a rule.
//!
//! The rule (image coordinates, x right, y down): turn and scale the outline, move it to
//! (16 + 32·posX, 16 + 32·posY), snap every vertex to multiples of 1/256 pixel as the graphics card
//! did, and set the pixels whose centre lies inside (even-odd; centres on a left or bottom edge
//! count as inside). Of 66,080 published images it gives 66,071; nine differ in one pixel, where a
//! vertex falls between two multiples and the rounding of the original is unknown.

use std::f64::consts::TAU;

use serde::{Deserialize, Serialize};
use toml::Table;

use super::grid::Grid;
use super::{Dataset, Opened, Range, Shape, Source, library};
use crate::error::Result;
use crate::factors::Factor;
use crate::info::Info;
use crate::settings;

mod published;

/// The registry entry.
pub const SOURCE: Source = Source {
    info: Info {
        name: "dsprites",
        title: "dSprites",
        summary: "a white shape on black: shape, scale, orientation, position; 737,280 of 64x64",
        paper: "Matthey et al., dSprites, 2017",
        page: "\
One white shape on a black ground: the standard test of disentanglement. 737,280 images, 1x64x64,
each pixel 0 or 1: every combination of the five factors, once. Drawn on the fly, nothing to
download, unless you ask for the published files.

| factor      | values | meaning                                         |
| ----------- | -----: | ----------------------------------------------- |
| shape       |      3 | 1 square, 2 ellipse, 3 heart                    |
| scale       |      6 | 0.5, 0.6, ... 1.0                               |
| orientation |     40 | angle in radians, 0 to 2 pi in 39 steps         |
| posX        |     32 | 0 (left) to 1 (right)                           |
| posY        |     32 | 0 (top) to 1 (bottom)                           |

Settings:
- source: drawn, which needs no files; or published, which reads the published ones. `unbraid data
  import dsprites --from FILE` takes them, .npz or .hdf5.

Rows are in the published order: posY changes fastest, shape slowest. The published files have one
more column, colour, which is always white and left out here.

Good to know:
- Orientation 0 and 2 pi are the same angle, so the first and the last of the 40 give the same
  image. A square looks the same after a quarter turn and an ellipse after half a turn: no method
  can read the angle itself off an image.
- The images are computed by a rule that was checked against 66,080 published ones: 66,071 are
  identical and nine differ in a single pixel.

Published under Apache-2.0. Cite: Loic Matthey, Irina Higgins, Demis Hassabis, Alexander Lerchner,
dSprites: Disentanglement testing Sprites dataset, 2017.",
    },
    open,
    publication: Some(&published::PUBLICATION),
};

const SIDE: usize = 64;
const SCALES: usize = 6;
const ORIENTATIONS: usize = 40;
/// Half the side of the square of scale 1, in pixels.
const RADIUS: f64 = 9.6;
/// Steps per pixel of the grid that vertices snap to.
const STEPS: i32 = 256;

/// Where images come from.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum Origin {
    #[default]
    Drawn,
    Published,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
struct Settings {
    source: Origin,
}

fn open(given: &Table) -> Result<Opened> {
    let settings: Settings = settings::parse("data", given)?;
    let data: Box<dyn Dataset> = match settings.source {
        Origin::Drawn => Box::new(drawn()?),
        Origin::Published => {
            Box::new(library::open_part("dsprites", &published::PUBLICATION, "all")?)
        }
    };
    Ok((data, settings::to_table(&settings)))
}

fn drawn() -> Result<Dsprites> {
    let positions = || (0..32).map(|k| (f64::from(k) / 31.0) as f32);
    let grid = Grid::new(vec![
        Factor::discrete("shape", [1.0, 2.0, 3.0]),
        Factor::discrete("scale", (0..SCALES).map(|k| scale(k) as f32)),
        Factor::discrete("orientation", (0..ORIENTATIONS).map(|k| angle(k) as f32)),
        Factor::discrete("posX", positions()),
        Factor::discrete("posY", positions()),
    ])?;
    Ok(Dsprites { grid, outlines: turned_outlines() })
}

struct Dsprites {
    grid: Grid,
    /// One per shape, scale and orientation, centred on (0, 0), in pixels.
    outlines: Vec<Vec<[f64; 2]>>,
}

impl Dataset for Dsprites {
    fn factors(&self) -> &[Factor] {
        self.grid.factors()
    }

    fn shape(&self) -> Shape {
        Shape { channels: 1, height: SIDE, width: SIDE, range: Range::Binary }
    }

    fn len(&self) -> usize {
        self.grid.len()
    }

    fn observe(&self, index: usize, out: &mut [f32]) {
        let [shape, scale, orientation, x, y] = self.grid.classes(index);
        let outline = &self.outlines[(shape * SCALES + scale) * ORIENTATIONS + orientation];
        let centre = [x, y].map(|k| 16.0 + 32.0 * (k as f64 / 31.0));
        let rows = fill(outline, centre);
        for (line, bits) in out.chunks_exact_mut(SIDE).zip(rows) {
            if bits == 0 {
                line.fill(0.0);
                continue;
            }
            for (column, pixel) in line.iter_mut().enumerate() {
                *pixel = (bits >> column & 1) as f32;
            }
        }
    }

    fn values(&self, index: usize, out: &mut [f32]) {
        self.grid.values(index, out);
    }

    fn label(&self, index: usize) -> Option<Vec<f32>> {
        let mut values = vec![0.0; self.grid.factors().len()];
        self.grid.values(index, &mut values);
        Some(values)
    }

    fn find(&self, values: &[f32]) -> Option<usize> {
        self.grid.find(values)
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

/// The pixels inside an outline around `centre`: one word per row of the image, bit c for column c.
///
/// Every edge flips all pixels to the right of where it crosses the middle of a row; what is
/// flipped an odd number of times is inside.
fn fill(outline: &[[f64; 2]], centre: [f64; 2]) -> [u64; SIDE] {
    let half = STEPS / 2;
    let snap = |vertex: &[f64; 2]| {
        // The whole outline lies in the image, so truncation after adding a half rounds.
        [0, 1].map(|axis| ((vertex[axis] + centre[axis]) * f64::from(STEPS) + 0.5) as i32)
    };
    let mut rows = [0_u64; SIDE];
    let Some(mut from) = outline.last().map(snap) else { return rows };
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
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(values: [f32; 5]) -> Vec<f32> {
        let (data, _) = open(&Table::new()).unwrap();
        let mut out = vec![f32::NAN; SIDE * SIDE];
        data.observe(data.find(&values).unwrap(), &mut out);
        out
    }

    #[test]
    fn an_upright_square_is_a_square() {
        // Half side 9.6 · 0.5 = 4.8 around (16, 16): centres 11.5 to 20.5 are inside.
        let square = image([1.0, 0.5, 0.0, 0.0, 0.0]);
        for (index, pixel) in square.iter().enumerate() {
            let inside = |k| (11..=20).contains(&k);
            assert_eq!(*pixel == 1.0, inside(index / SIDE) && inside(index % SIDE));
        }
    }

    #[test]
    fn the_first_and_the_last_orientation_are_one() {
        let (data, _) = open(&Table::new()).unwrap();
        let angles = data.factors()[2].clone();
        let crate::factors::Kind::Discrete(angles) = angles.kind else { panic!("not a list") };
        for shape in [1.0, 2.0, 3.0] {
            let turned = |angle| image([shape, 1.0, angle, 0.0, 1.0]);
            assert_eq!(turned(angles[0]), turned(angles[39]));
            assert_ne!(turned(angles[0]), turned(angles[38]));
        }
    }

    #[test]
    fn centres_on_a_left_or_bottom_edge_are_inside_and_on_a_right_or_top_edge_outside() {
        let corner = |x, y| [x, y];
        let outline = [corner(2.5, 2.5), corner(5.5, 2.5), corner(5.5, 5.5), corner(2.5, 5.5)];
        let rows = fill(&outline, [0.0, 0.0]);
        let lit: Vec<usize> = (0..SIDE).filter(|&row| rows[row] != 0).collect();
        assert_eq!(lit, [3, 4, 5]);
        assert!(lit.iter().all(|&row| rows[row] == 0b1_1100));
    }
}
