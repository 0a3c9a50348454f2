//! `noisy-dsprites`: white dSprites in a ground of noise.

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
        name: "noisy-dsprites",
        title: "Noisy-dSprites",
        summary: "dSprites, white in a ground of coloured noise; 737,280 of 64x64",
        paper: "Locatello et al., Challenging Common Assumptions, ICML 2019",
        page: "\
The shapes of `dsprites`, white in a ground of coloured noise. 737,280 images, 3x64x64, values 0 to
1, drawn on the fly, nothing to download. It is hard because most of the reconstruction loss is due
to noise.

| factor      | values | meaning                                         |
| ----------- | -----: | ----------------------------------------------- |
| shape       |      3 | 1 square, 2 ellipse, 3 heart                    |
| scale       |      6 | 0.5, 0.6, ... 1.0                               |
| orientation |     40 | angle in radians, 0 to 2 pi in 39 steps         |
| posX        |     32 | 0 (left) to 1 (right)                           |
| posY        |     32 | 0 (top) to 1 (bottom)                           |

Every pixel of the ground has a red, a green and a blue of its own, drawn independently and evenly
between 0 and 1.

Settings:
- seed: picks the noise, 0 by default.

Good to know:
- The original code samples new noise whenever an image is read. Here the noise belongs to the row,
  so that the same row is always the same image; another seed gives other noise.
- The first and the last orientation are the same angle, as in `dsprites`, but not the same noise.

dSprites is published under Apache-2.0. Cite: Locatello, Bauer, Lucic, Raetsch, Gelly, Schoelkopf,
Bachem, Challenging Common Assumptions in the Unsupervised Learning of Disentangled
Representations, ICML 2019; and Matthey et al., dSprites, 2017.",
    },
    open,
    publication: None,
};

fn open(given: &Table) -> Result<Opened> {
    let settings: Seed = settings::parse("data", given)?;
    let (sprites, noise) = (Sprites::new(), Rng::new(settings.seed).split("noise"));
    let draw = move |index, classes, out: &mut [f32]| {
        let mask = sprites.mask(classes);
        noise.at(index as u64).fill_uniform(out);
        // min(sprite + noise, 1), where the sprite is 0 or 1.
        for plane in out.chunks_exact_mut(SIDE * SIDE) {
            mask.pixels().for_each(|pixel| plane[pixel] = 1.0);
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

    #[test]
    fn the_sprite_is_white_and_the_ground_is_even_noise() {
        let (data, _) = open(&Table::new()).unwrap();
        let (white, _) = (dsprites::SOURCE.open)(&Table::new()).unwrap();
        let rows = [0, 5, 123_456, 737_279];
        let (noisy, masks) =
            (data::observations(&*data, &rows), data::observations(&*white, &rows));
        let mut ground = Vec::new();
        for (image, mask) in noisy.rows().into_iter().zip(masks.rows()) {
            for (place, pixel) in image.iter().enumerate() {
                match mask[place % (SIDE * SIDE)] == 1.0 {
                    true => assert_eq!(*pixel, 1.0),
                    false => ground.push(f64::from(*pixel)),
                }
            }
        }
        let count = ground.len() as f64;
        let mean = ground.iter().sum::<f64>() / count;
        let variance = ground.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / count;
        // Five standard errors of some 47,000 draws: 5 · 0.289 / √47,000 and 5 · 0.0745 / √47,000.
        assert!(count > 45_000.0);
        assert!((mean - 0.5).abs() < 0.0067, "{mean}");
        assert!((variance - 1.0 / 12.0).abs() < 0.0018, "{variance}");
        // Neither rows nor channels nor seeds share their noise.
        assert_ne!(noisy.row(0)[0], noisy.row(1)[0]);
        assert_ne!(noisy.row(0)[0], noisy.row(0)[SIDE * SIDE]);
        let (other, _) = open(&"seed = 1".parse().unwrap()).unwrap();
        assert_ne!(data::observations(&*other, &rows), noisy);
    }
}
