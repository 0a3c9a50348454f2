//! `color-dsprites`: dSprites in a random bright colour on black.

use toml::Table;

use crate::data::drawing::drawn::{Drawn, Seed};
use crate::data::drawing::grid::Grid;
use crate::data::drawing::sprites::{self, COLOUR, SIDE, Sprites};
use crate::data::{Opened, Source};
use crate::error::Result;
use crate::info::Info;
use crate::rng::Rng;
use crate::settings;

/// The registry entry.
pub const SOURCE: Source = Source {
    info: Info {
        name: "color-dsprites",
        title: "Color-dSprites",
        summary: "dSprites in a random colour on black; 737,280 of 64x64",
        paper: "Locatello et al., Challenging Common Assumptions, ICML 2019",
        page: "\
The shapes of `dsprites`, each in a random bright colour on a black ground. 737,280 images, 3x64x64,
values 0 to 1, drawn on the fly, nothing to download. The colour is a nuisance variable, not a
factor.

| factor      | values | meaning                                         |
| ----------- | -----: | ----------------------------------------------- |
| shape       |      3 | 1 square, 2 ellipse, 3 heart                    |
| scale       |      6 | 0.5, 0.6, ... 1.0                               |
| orientation |     40 | angle in radians, 0 to 2 pi in 39 steps         |
| posX        |     32 | 0 (left) to 1 (right)                           |
| posY        |     32 | 0 (top) to 1 (bottom)                           |

Red, green and blue are drawn independently and evenly between 0.5 and 1.

Settings:
- seed: picks the colours, 0 by default.

Good to know:
- The original code samples a new colour whenever an image is read. Here the colour belongs to the
  row, so that the same row is always the same image; another seed gives other colours.
- The first and the last orientation are the same angle, as in `dsprites`.

dSprites is published under Apache-2.0. Cite: Locatello, Bauer, Lucic, Raetsch, Gelly, Schoelkopf,
Bachem, Challenging Common Assumptions in the Unsupervised Learning of Disentangled
Representations, ICML 2019; and Matthey et al., dSprites, 2017.",
    },
    open,
    publication: None,
};

fn open(given: &Table) -> Result<Opened> {
    let settings: Seed = settings::parse("data", given)?;
    let (sprites, colours) = (Sprites::new(), Rng::new(settings.seed).split("colour"));
    let draw = move |index, classes, out: &mut [f32]| {
        let mask = sprites.mask(classes);
        let mut colour = colours.at(index as u64);
        for plane in out.chunks_exact_mut(SIDE * SIDE) {
            mask.paint(0.5 + 0.5 * colour.uniform() as f32, 0.0, plane);
        }
    };
    let grid = Grid::new(sprites::factors().to_vec())?;
    Ok((Box::new(Drawn::new(grid, COLOUR, draw)), settings::to_table(&settings)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data;
    use crate::data::sets::dsprites;

    /// Row by row [channels, pixels], of a data set with these settings.
    fn colours(row: usize, seed: &str) -> Vec<[f32; 3]> {
        let (data, _) = open(&seed.parse().unwrap()).unwrap();
        let image = data::observations(&*data, &[row]);
        (0..SIDE * SIDE)
            .map(|pixel| [0, 1, 2].map(|c| image[[0, c * SIDE * SIDE + pixel]]))
            .collect()
    }

    #[test]
    fn the_sprite_has_one_bright_colour_and_the_ground_is_black() {
        let (white, _) = (dsprites::SOURCE.open)(&Table::new()).unwrap();
        let mut seen = Vec::new();
        for row in [0, 123_456, 737_279] {
            let mask = data::observations(&*white, &[row]);
            let pixels = colours(row, "");
            let inside: Vec<_> =
                mask.iter().zip(&pixels).filter(|(m, _)| **m == 1.0).map(|(_, p)| *p).collect();
            assert!(inside.iter().all(|pixel| *pixel == inside[0]), "row {row}");
            assert!(inside[0].iter().all(|level| (0.5..1.0).contains(level)), "row {row}");
            let outside = mask.iter().zip(&pixels).filter(|(m, _)| **m == 0.0);
            assert!(outside.into_iter().all(|(_, pixel)| *pixel == [0.0; 3]), "row {row}");
            seen.push(inside[0]);
        }
        assert!(seen[0] != seen[1] && seen[1] != seen[2]);
        assert_ne!(colours(0, "seed = 1"), colours(0, ""));
    }
}
