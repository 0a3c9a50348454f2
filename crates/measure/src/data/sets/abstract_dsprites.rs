//! `abstract-dsprites`: coloured dSprites on five greys, made for abstract reasoning.

use toml::Table;

use crate::data::drawing::drawn::{Drawn, Seed};
use crate::data::drawing::grid::Grid;
use crate::data::drawing::sprites::{self, COLOUR, ORIENTATIONS, SIDE, Sprites};
use crate::data::{Opened, Source};
use crate::error::Result;
use crate::factors::Factor;
use crate::info::Info;
use crate::rng::Rng;
use crate::settings;

/// The registry entry.
pub const SOURCE: Source = Source {
    info: Info {
        name: "abstract-dsprites",
        title: "Abstract dSprites",
        summary: "dSprites in six colours on five greys, turned at random; 552,960 of 64x64",
        paper: "van Steenkiste et al., NeurIPS 2019",
        page: "\
The shapes of `dsprites` in one of six colours on one of five greys: the pictures of the tasks of
abstract reasoning. 552,960 images, 3x64x64, values 0 to 1, every combination of the six factors
once; drawn on the fly, nothing to download.

| factor       | values | meaning                                                 |
| ------------ | -----: | ------------------------------------------------------- |
| background   |      5 | grey, 0 (black), 0.25, 0.5, 0.75, 1 (white)             |
| object-color |      6 | 0 orange, 1 olive, 2 green, 3 blue, 4 violet, 5 pink    |
| shape        |      3 | 1 square, 2 ellipse, 3 heart                            |
| scale        |      6 | 0.5, 0.6, ... 1.0                                       |
| posX         |     32 | 0 (left) to 1 (right)                                   |
| posY         |     32 | 0 (top) to 1 (bottom)                                   |

The orientation is no factor: every row has one of the 40 of `dsprites`, sampled at random.

Settings:
- seed: picks the orientations, 0 by default.

Good to know:
- The original code samples a new orientation whenever an image is read. Here it belongs to the row,
  so that the same row is always the same image; another seed gives other orientations.

dSprites is published under Apache-2.0. Cite: van Steenkiste, Locatello, Schmidhuber, Bachem, Are
Disentangled Representations Helpful for Abstract Visual Reasoning?, NeurIPS 2019; and Matthey et
al., dSprites, 2017.",
    },
    open,
    publication: None,
};

const GREYS: [f32; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
/// Six hues of one lightness.
const COLOURS: [[f32; 3]; 6] = [
    [0.9096, 0.5883, 0.3658],
    [0.6350, 0.6928, 0.3627],
    [0.3765, 0.7284, 0.5963],
    [0.3955, 0.7074, 0.7875],
    [0.6964, 0.6221, 0.8997],
    [0.9082, 0.5511, 0.7494],
];

fn open(given: &Table) -> Result<Opened> {
    let settings: Seed = settings::parse("data", given)?;
    let (sprites, turns) = (Sprites::new(), Rng::new(settings.seed).split("orientation"));
    let draw = move |index, classes, out: &mut [f32]| {
        let [background, colour, shape, scale, x, y]: [usize; 6] = classes;
        let orientation = turns.at(index as u64).below(ORIENTATIONS);
        let mask = sprites.mask([shape, scale, orientation, x, y]);
        for (plane, level) in out.chunks_exact_mut(SIDE * SIDE).zip(COLOURS[colour]) {
            mask.paint(level, GREYS[background], plane);
        }
    };
    let [shape, scale, _, x, y] = sprites::factors();
    let background = Factor::discrete("background", GREYS);
    let colour = Factor::discrete("object-color", (0..COLOURS.len()).map(|k| k as f32));
    let grid = Grid::new(vec![background, colour, shape, scale, x, y])?;
    Ok((Box::new(Drawn::new(grid, COLOUR, draw)), settings::to_table(&settings)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data;

    #[test]
    fn ground_and_object_have_the_colours_of_their_classes() {
        let (data, _) = open(&Table::new()).unwrap();
        assert_eq!(data.len(), 552_960);
        let row = data.find(&[0.25, 4.0, 1.0, 1.0, 0.0, 1.0]).unwrap();
        let image = data::observations(&*data, &[row]);
        let at = |x: usize, y: usize| [0, 1, 2].map(|c| image[[0, (c * SIDE + y) * SIDE + x]]);
        // The centre of the sprite is at (16, 48).
        assert_eq!(at(16, 48), COLOURS[4]);
        assert_eq!(at(48, 16), [0.25; 3]);
    }

    #[test]
    fn equal_squares_on_other_grounds_are_turned_differently() {
        let (data, _) = open(&Table::new()).unwrap();
        let inside = |background: f32| {
            let row = data.find(&[background, 0.0, 1.0, 1.0, 0.0, 0.0]).unwrap();
            let image = data::observations(&*data, &[row]);
            image.iter().map(|pixel| *pixel == COLOURS[0][0]).collect::<Vec<bool>>()
        };
        let first = inside(GREYS[0]);
        assert!(GREYS[1..].iter().any(|grey| inside(*grey) != first));
    }
}
