//! `xy-squares`: a red, a green and a blue square that move on their own, the toy of disent that
//! pixels cannot explain.

use serde::{Deserialize, Serialize};
use toml::Table;

use crate::data::drawing::drawn::Drawn;
use crate::data::drawing::grid::Grid;
use crate::data::{Opened, Range, Shape, Source};
use crate::error::{Error, Result};
use crate::factors::Factor;
use crate::info::Info;
use crate::settings;

/// The registry entry.
pub const SOURCE: Source = Source {
    info: Info {
        name: "xy-squares",
        title: "XYSquares",
        summary: "three squares that never half overlap: six positions; 262,144 of 64x64",
        paper: "Michlo et al., Overlooked Implications of the Reconstruction Loss, IJCAI 2023",
        page: "\
A red, a green and a blue square of 8x8 pixels on a black ground, each in one of 8x8 places. 262,144
images, 3x64x64, each value 0 or 1, every combination of the six factors once; drawn on the fly,
nothing to download.

| factor  | values | meaning                                                |
| ------- | -----: | ------------------------------------------------------ |
| x-red   |      8 | centre of the red square in pixels, 4, 12, ... 60      |
| y-red   |      8 | the same, from the top                                 |
| x-green |      8 | the green square                                       |
| y-green |      8 |                                                        |
| x-blue  |      8 | the blue square                                        |
| y-blue  |      8 |                                                        |

Squares add up: where red and green meet there is yellow.

It is hard on purpose. As the places do not overlap, any two places of a square have the same
pixel-wise distance, and a reconstruction loss gives no hint which places are neighbours. Smaller
spacing makes places overlap and the task easy again.

Settings:
- spacing: pixels between neighbouring places, 8 by default. With less than 8 there are still eight
  places each way, in the middle of the image; with more there are as many as fit.

The original is published under the MIT licence. Cite: Nathan Michlo, Richard Klein, Steven James,
Overlooked Implications of the Reconstruction Loss for VAE Disentanglement, IJCAI 2023.",
    },
    open,
    publication: None,
};

const SIDE: usize = 64;
const SQUARE: usize = 8;
/// The most places each way.
const PLACES: usize = 8;

#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
struct Settings {
    spacing: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { spacing: SQUARE }
    }
}

fn open(given: &Table) -> Result<Opened> {
    let settings: Settings = settings::parse("data", given)?;
    let spacing = settings.spacing;
    if spacing == 0 || spacing > SIDE - SQUARE {
        let reason = format!("is {spacing}; it must be from 1 to {}", SIDE - SQUARE);
        return Err(Error::setting("data.spacing", reason));
    }
    let places = PLACES.min((SIDE - SQUARE) / spacing + 1);
    let margin = (SIDE - SQUARE - (places - 1) * spacing) / 2;
    let start = move |place: usize| margin + place * spacing;
    let factor = |name: &str| {
        Factor::discrete(name, (0..places).map(|place| (start(place) + SQUARE / 2) as f32))
    };
    let names = ["x-red", "y-red", "x-green", "y-green", "x-blue", "y-blue"];
    let grid = Grid::new(names.map(factor).to_vec())?;
    let shape = Shape { channels: 3, height: SIDE, width: SIDE, range: Range::Binary };
    let draw = move |_, classes: [usize; 6], out: &mut [f32]| {
        out.fill(0.0);
        for (plane, place) in out.chunks_exact_mut(SIDE * SIDE).zip(classes.chunks_exact(2)) {
            let (left, top) = (start(place[0]), start(place[1]));
            for line in plane.chunks_exact_mut(SIDE).skip(top).take(SQUARE) {
                line[left..left + SQUARE].fill(1.0);
            }
        }
    };
    Ok((Box::new(Drawn::new(grid, shape, draw)), settings::to_table(&settings)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{self, Dataset};

    fn open(settings: &str) -> Box<dyn Dataset> {
        super::open(&settings.parse().unwrap()).unwrap().0
    }

    #[test]
    fn mean_and_deviation_are_the_published_ones_in_every_image() {
        for settings in ["", "spacing = 1", "spacing = 3"] {
            let data = open(settings);
            assert_eq!(data.len(), 262_144);
            let images = data::observations(&*data, &[0, 1, 8, 100_000, 262_143]);
            for image in images.rows() {
                let mean = f64::from(image.sum()) / image.len() as f64;
                assert_eq!(mean, 0.015_625);
                // Within each channel, with n - 1 in the denominator.
                let variance = mean * (1.0 - mean) * 4096.0 / 4095.0;
                assert!((variance.sqrt() - 0.124_03).abs() < 1e-5);
            }
        }
    }

    #[test]
    fn each_channel_holds_its_square() {
        let data = open("");
        let row = data.find(&[4.0, 60.0, 12.0, 20.0, 60.0, 4.0]).unwrap();
        let image = data::observations(&*data, &[row]);
        for (channel, [left, top]) in [[0, 56], [8, 16], [56, 0]].into_iter().enumerate() {
            for place in 0..SIDE * SIDE {
                let inside = |at: usize, from: usize| (from..from + 8).contains(&at);
                let lit = inside(place % SIDE, left) && inside(place / SIDE, top);
                assert_eq!(image[[0, channel * SIDE * SIDE + place]] == 1.0, lit);
            }
        }
    }

    #[test]
    fn places_are_centred_and_never_leave_the_image() {
        // Eight places two pixels apart span 22 pixels: 21 are left on either side.
        assert_eq!(
            open("spacing = 2").factors()[0],
            Factor::discrete("x-red", (0..8).map(|k| (25 + 2 * k) as f32))
        );
        assert_eq!(open("spacing = 20").len(), 729);
        assert_eq!(open("spacing = 56").len(), 64);
        for wrong in ["spacing = 0", "spacing = 57"] {
            let error = super::open(&wrong.parse().unwrap()).err().unwrap().to_string();
            assert!(error.starts_with("setting `data.spacing` is"), "{error}");
        }
    }
}
