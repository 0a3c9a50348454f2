//! `squares`: a grey square on black, 405 tiny images, every factor plain to see. Drawn on the fly;
//! the data set of tests, docs and first runs.

use std::ops::RangeInclusive;

use toml::Table;

use crate::data::drawing::grid::Grid;
use crate::data::{Dataset, Opened, Range, Shape, Source};
use crate::error::Result;
use crate::factors::Factor;
use crate::info::Info;
use crate::settings;

/// The registry entry.
pub const SOURCE: Source = Source {
    info: Info {
        name: "squares",
        title: "Squares",
        summary: "a grey square on black: position, size and brightness; 405 images of 16x16",
        paper: "",
        page: "\
One grey square on a black ground, drawn on the fly: 405 images, 1x16x16, values 0 to 1.

Factors: x of the centre (9 values, pixels 4 to 12), y (5 values, 6 to 10), side (4, 6 or 8 pixels),
brightness (0.4, 0.7 or 1).
The square never leaves the image, so every factor is visible in every image. It moves farther
sideways than up and down, on purpose: with equal ranges any rotation of the two position latents
would explain the images equally well, and x and y would not be identifiable.

Use it to try a model or a setting in a minute. It is too easy to compare methods on.",
    },
    open,
    publication: None,
};

const SIDE: usize = 16;

fn open(given: &Table) -> Result<Opened> {
    settings::parse::<Table>("data", given)?;
    let pixels = |range: RangeInclusive<u8>| range.map(f32::from);
    let grid = Grid::new(vec![
        Factor::discrete("x", pixels(4..=12)),
        Factor::discrete("y", pixels(6..=10)),
        Factor::discrete("side", [4.0, 6.0, 8.0]),
        Factor::discrete("brightness", [0.4, 0.7, 1.0]),
    ])?;
    Ok((Box::new(Squares { grid }), Table::new()))
}

struct Squares {
    grid: Grid,
}

impl Dataset for Squares {
    fn factors(&self) -> &[Factor] {
        self.grid.factors()
    }

    fn shape(&self) -> Shape {
        Shape { channels: 1, height: SIDE, width: SIDE, range: Range::Unit }
    }

    fn len(&self) -> usize {
        self.grid.len()
    }

    fn observe(&self, index: usize, out: &mut [f32]) {
        let mut values = [0.0; 4];
        self.grid.values(index, &mut values);
        let [x, y, side, brightness] = values;
        let inside = |pixel: usize, centre: f32| {
            let distance = pixel as f32 + 0.5 - centre;
            distance.abs() < side / 2.0
        };
        for (row, line) in out.chunks_exact_mut(SIDE).enumerate() {
            for (column, pixel) in line.iter_mut().enumerate() {
                let lit = inside(row, y) && inside(column, x);
                *pixel = if lit { brightness } else { 0.0 };
            }
        }
    }

    fn values(&self, index: usize, out: &mut [f32]) {
        self.grid.values(index, out);
    }

    fn label(&self, index: usize) -> Option<Vec<f32>> {
        let mut values = vec![0.0; 4];
        self.grid.values(index, &mut values);
        Some(values)
    }

    fn find(&self, values: &[f32]) -> Option<usize> {
        self.grid.find(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_square_has_its_side_and_brightness() {
        let (data, _) = open(&Table::new()).unwrap();
        assert_eq!(data.len(), 405);
        let index = data.find(&[5.0, 10.0, 4.0, 0.7]).unwrap();
        let image = crate::data::testing::row(&*data, index);
        assert_eq!(image.iter().filter(|pixel| **pixel == 0.7).count(), 16);
        assert_eq!(image.iter().filter(|pixel| **pixel == 0.0).count(), 240);
        // Rows 8..12 and columns 3..7 are lit.
        assert_eq!(image[8 * SIDE + 3], 0.7);
        assert_eq!(image[11 * SIDE + 6], 0.7);
        assert_eq!(image[12 * SIDE + 6], 0.0);
    }
}
