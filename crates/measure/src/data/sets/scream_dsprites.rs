//! `scream-dsprites`: dSprites as windows that invert the colours of a painting behind them.

use std::path::Path;

use serde::{Deserialize, Serialize};
use toml::Table;

use crate::data::drawing::drawn::Drawn;
use crate::data::drawing::grid::Grid;
use crate::data::drawing::sprites::{self, COLOUR, SIDE, Sprites};
use crate::data::storage::library::{self, Import, Publication};
use crate::data::{Opened, Source};
use crate::error::Result;
use crate::info::Info;
use crate::rng::Rng;
use crate::settings;

mod picture;

use picture::Picture;

/// The registry entry.
pub const SOURCE: Source = Source {
    info: Info {
        name: "scream-dsprites",
        title: "Scream-dSprites",
        summary: "dSprites that invert a patch of a painting; 737,280 of 64x64",
        paper: "Locatello et al., Challenging Common Assumptions, ICML 2019",
        page: "\
The shapes of `dsprites` before a random patch of a painting, Munch's The Scream in the original.
737,280 images, 3x64x64, values 0 to 1, drawn on the fly. The ground is the mean of the patch and
one random colour; inside the shape every ground colour c is 1 - c.

| factor      | values | meaning                                         |
| ----------- | -----: | ----------------------------------------------- |
| shape       |      3 | 1 square, 2 ellipse, 3 heart                    |
| scale       |      6 | 0.5, 0.6, ... 1.0                               |
| orientation |     40 | angle in radians, 0 to 2 pi in 39 steps         |
| posX        |     32 | 0 (left) to 1 (right)                           |
| posY        |     32 | 0 (top) to 1 (bottom)                           |

Settings:
- picture: what is behind the shapes. The path of a .png or .jpg, which is made to fit into 350x274
  pixels (Lanczos, never enlarged); or \"drawn\" for a texture drawn on the fly; or \"auto\", the
  default, for the picture that was imported, and \"drawn\" if none was: `unbraid data import
  scream-dsprites --from scream.jpg`. The settings of a run say which it was.
- seed: picks the patches and colours, 0 by default.

Good to know:
- \"drawn\" is a stand-in, not the painting: swirls of orange over dark blue. Numbers measured with
  it are not to be compared with published ones; for that, save the painting as a file and give its
  path. No picture comes with this program.
- The original code samples a new patch and colour whenever an image is read. Here they belong to
  the row, so that the same row is always the same image; another seed gives others.

dSprites is published under Apache-2.0; the painting is of 1893. Cite: Locatello, Bauer, Lucic,
Raetsch, Gelly, Schoelkopf, Bachem, Challenging Common Assumptions in the Unsupervised Learning of
Disentangled Representations, ICML 2019; and Matthey et al., dSprites, 2017.",
    },
    open,
    publication: Some(&PUBLICATION),
};

/// The painting is not ours to publish: whoever has a picture of it brings it.
static PUBLICATION: Publication = Publication {
    licence: "dSprites is under Apache-2.0, the painting is of 1893; a photograph of it may have terms",
    citation: "Locatello et al., Challenging Common Assumptions in the Unsupervised Learning of \
               Disentangled Representations, ICML 2019; Matthey et al., dSprites, 2017",
    parts: &[],
    files: &[],
    import: import_picture,
};

/// The name of the picture in the library.
const PICTURE: &str = "picture.png";

/// Any picture that can be read and is large enough, whatever its name.
fn import_picture(import: &mut Import) -> Result<()> {
    let png = Picture::read(import.from())?.to_png();
    import.keep(PICTURE, &png)
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct Settings {
    picture: String,
    seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { picture: "auto".into(), seed: 0 }
    }
}

fn open(given: &Table) -> Result<Opened> {
    let mut settings: Settings = settings::parse("data", given)?;
    if settings.picture == "auto" {
        settings.picture = in_library().unwrap_or("drawn".into());
    }
    let picture = match settings.picture.as_str() {
        "drawn" => Picture::drawn(),
        path => Picture::read(Path::new(path))?,
    };
    let (sprites, patches) = (Sprites::new(), Rng::new(settings.seed).split("patch"));
    let draw = move |index, classes, out: &mut [f32]| {
        tinted_patch(&picture, patches.at(index as u64), out);
        let mask = sprites.mask(classes);
        for plane in out.chunks_exact_mut(SIDE * SIDE) {
            mask.pixels().for_each(|pixel| plane[pixel] = 1.0 - plane[pixel]);
        }
    };
    let grid = Grid::new(sprites::factors().to_vec())?;
    Ok((Box::new(Drawn::new(grid, COLOUR, draw)), settings::to_table(&settings)))
}

/// The picture that someone has put into the library.
fn in_library() -> Option<String> {
    let path = library::directory("scream-dsprites").ok()?.join(PICTURE);
    path.is_file().then(|| path.to_str().map(String::from))?
}

/// (patch + tint) / 2, both random.
fn tinted_patch(picture: &Picture, mut rng: Rng, out: &mut [f32]) {
    let [top, left] = [picture.height, picture.width].map(|length| rng.below(length - SIDE));
    for (channel, plane) in out.chunks_exact_mut(SIDE * SIDE).enumerate() {
        let tint = rng.uniform() as f32;
        for (row, line) in plane.chunks_exact_mut(SIDE).enumerate() {
            let colours = picture.line(channel, top + row, left, SIDE);
            line.iter_mut().zip(colours).for_each(|(pixel, colour)| *pixel = 0.5 * (colour + tint));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data;
    use crate::data::sets::dsprites;

    #[test]
    fn inside_the_sprite_the_ground_is_inverted() {
        // A picture of one colour, so that the ground is known but for its tint.
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("flat.png");
        image::RgbImage::from_pixel(80, 90, image::Rgb([255, 0, 102])).save(&path).unwrap();
        let settings = format!("picture = {path:?}");
        let (data, _) = open(&settings.parse().unwrap()).unwrap();
        let (white, _) = (dsprites::SOURCE.open)(&Table::new()).unwrap();
        for row in [0, 123_456] {
            let (image, mask) =
                (data::observations(&*data, &[row]), data::observations(&*white, &[row]));
            for (channel, colour) in [1.0, 0.0, 0.4].into_iter().enumerate() {
                let plane = |pixel: usize| image[[0, channel * SIDE * SIDE + pixel]];
                let ground = plane(0);
                let tint = 2.0 * ground - colour;
                assert!((0.0..1.0).contains(&tint), "row {row}: {tint}");
                for pixel in 0..SIDE * SIDE {
                    let expected = if mask[[0, pixel]] == 1.0 { 1.0 - ground } else { ground };
                    assert!((plane(pixel) - expected).abs() < 1e-6, "row {row} pixel {pixel}");
                }
            }
        }
    }

    #[test]
    fn a_picture_is_imported_as_it_will_be_used() {
        let folder = tempfile::tempdir().unwrap();
        let (path, target) = (folder.path().join("a.png"), folder.path().join("scream-dsprites"));
        image::RgbImage::from_fn(80, 90, |x, y| image::Rgb([x as u8, y as u8, 7]))
            .save(&path)
            .unwrap();
        let watch = crate::watch::Stage::unwatched();
        library::import_to(&PUBLICATION, &path, &target, false, &watch).unwrap();
        let (kept, own) = (target.join(PICTURE), Picture::read(&path).unwrap());
        let kept = Picture::read(&kept).unwrap();
        assert_eq!((kept.width, kept.height), (own.width, own.height));
        assert_eq!(kept.line(1, 70, 3, 64), own.line(1, 70, 3, 64));
    }

    #[test]
    fn the_settings_say_what_was_chosen() {
        let (_, settings) = open(&"picture = \"drawn\"".parse().unwrap()).unwrap();
        assert_eq!(settings["picture"].as_str(), Some("drawn"));
        let (_, settings) = open(&Table::new()).unwrap();
        assert_ne!(settings["picture"].as_str(), Some("auto"));
        let error = open(&"picture = \"nowhere.png\"".parse().unwrap()).err().unwrap();
        assert!(error.to_string().contains("cannot read nowhere.png"), "{error}");
    }
}
