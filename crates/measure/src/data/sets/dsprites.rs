//! `dsprites`: a white square, ellipse or heart on black, all 737,280 images, drawn by index. No
//! download: the published pixels follow from the rule in `sprites.rs`.

use toml::Table;

use crate::data::drawing::drawn::Drawn;
use crate::data::drawing::grid::Grid;
use crate::data::drawing::sprites::{self, SIDE, Sprites};
use crate::data::storage::library;
use crate::data::{Opened, Range, Shape, Source};
use crate::error::Result;
use crate::info::Info;

mod published;

/// The registry entry.
pub const SOURCE: Source = Source {
    info: Info {
        name: "dsprites",
        title: "dSprites",
        summary: "a white shape on black: shape, scale, orientation, position; 737,280 of 64x64",
        paper: "Matthey et al., dSprites, 2017",
        page: "\
One white shape on a black ground: the standard benchmark of disentanglement. 737,280 images,
1x64x64, each pixel 0 or 1: every combination of the five factors, once. Drawn on the fly, nothing
to download, unless you ask for the published files.

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
  image. A square looks the same after a quarter turn and an ellipse after half a turn: the angle
  itself is not identifiable from an image.
- The images are computed by a rule that was checked against 66,080 published ones: 66,071 are
  identical and nine differ in a single pixel.

Published under Apache-2.0. Cite: Loic Matthey, Irina Higgins, Demis Hassabis, Alexander Lerchner,
dSprites: Disentanglement testing Sprites dataset, 2017.",
    },
    open,
    publication: Some(&published::PUBLICATION),
};

fn open(given: &Table) -> Result<Opened> {
    library::drawn_or_published("dsprites", &published::PUBLICATION, given, || {
        let shape = Shape { channels: 1, height: SIDE, width: SIDE, range: Range::Binary };
        let sprites = Sprites::new();
        let draw = move |_, classes, out: &mut [f32]| sprites.mask(classes).paint(1.0, 0.0, out);
        let grid = Grid::new(sprites::factors().to_vec())?;
        Ok(Box::new(Drawn::new(grid, shape, draw)))
    })
}
