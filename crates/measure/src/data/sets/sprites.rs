//! `sprites`: characters of the Liberated Pixel Cup, all 4,630,500 images, drawn from the published
//! sheets by index.

use toml::Table;

use crate::data::drawing::drawn::Drawn;
use crate::data::drawing::grid::Grid;
use crate::data::storage::formats::pictures::Pictures;
use crate::data::storage::library::{self, Import, Publication};
use crate::data::{Opened, Range, Shape, Source};
use crate::error::{Error, Result};
use crate::factors::Factor;
use crate::info::Info;
use crate::settings;
use sheets::{ACTIONS, FRAMES, ROTATIONS, SHEET, SIDE, Sheets, view};

mod files;
mod sheets;

/// The registry entry.
pub const SOURCE: Source = Source {
    info: Info {
        name: "sprites",
        title: "Sprites",
        summary: "dressed characters in motion: nine factors; 4,630,500 of 64x64",
        paper: "Li and Mandt, Disentangled Sequential Autoencoder, 2018",
        page: "\
Characters of a game on black: what they wear, what they do, and a frame of its animation. 4,630,500
images, 3x64x64, every combination once. The 39 published sheets are kept in 0.8 MB, and images are
drawn from them on the fly.

| factor     | values | meaning                                                        |
| ---------- | -----: | -------------------------------------------------------------- |
| bottomwear |      7 | which trousers or skirt                                        |
| topwear    |      7 | which shirt or armour                                          |
| hair       |     10 | which hair                                                     |
| eyes       |      5 | their colour                                                   |
| shoes      |      3 | which shoes                                                    |
| body       |      7 | which skin                                                     |
| action     |      5 | 0 cast a spell, 1 thrust, 2 walk, 3 slash, 4 shoot             |
| rotation   |      3 | 0 to the left, 1 to the front, 2 to the right                  |
| frame      |      6 | of the action                                                  |

`unbraid data fetch sprites` downloads the sheets from github.com/YingzhenLi/Sprites, and `unbraid
data import sprites --from DIRECTORY` takes a copy of that repository: folders body, bottomwear,
eyes, hair, shoes and topwear with sheets 0.png, 1.png, ...

Rows and images are those of SpritesData in disent, on which CT-VAE was judged: frame changes
fastest, bottomwear slowest; body, shoes, bottomwear, topwear, eyes and hair are painted over each
other in this order wherever they are more than half opaque.

Good to know:
- Two pieces of clothing, bottomwear 5 and topwear 5, are not drawn in the actions thrust and shoot.
- Hair may hide the eyes: about one in a hundred neighbouring images are the same.
- This is not the set of Reed et al. 2015, which has 672 characters, nor the videos of Li and Mandt,
  which have 1,296 characters in three actions.

The sheets are under CC-BY-SA 3.0 and GPL 3.0, and so are images drawn from them; no artwork comes
with this program. Credit: the contributors to the Liberated Pixel Cup (lpc.opengameart.org) and to
the Universal LPC spritesheet (jrconway3, makrohn). Cite: Yingzhen Li, Stephan Mandt, Disentangled
Sequential Autoencoder, ICML 2018.",
    },
    open,
    publication: Some(&PUBLICATION),
};

static PUBLICATION: Publication = Publication {
    licence: "CC-BY-SA 3.0 and GPL 3.0",
    citation: "the contributors to the Liberated Pixel Cup and the Universal LPC spritesheet; \
               Yingzhen Li, Stephan Mandt, Disentangled Sequential Autoencoder, ICML 2018",
    // What is kept is the sheets.
    parts: &[],
    files: &files::FILES,
    import,
};

/// The factors that are sheets, in order, with how many there are of each.
const WORN: [(&str, usize); 6] =
    [("bottomwear", 7), ("topwear", 7), ("hair", 10), ("eyes", 5), ("shoes", 3), ("body", 7)];
/// The name of the sheets in the library.
const KEPT: &str = "sheets.npz";

fn import(import: &mut Import) -> Result<()> {
    let names: Vec<String> = files::FILES.iter().map(|file| file.name.to_string()).collect();
    for name in &names {
        import.file(name)?;
    }
    let mut sheets = Sheets::default();
    let pixels = |picture: image::DynamicImage| {
        let size = [picture.width(), picture.height()].map(|side| side as usize);
        if size == SHEET { picture.into_rgba8().into_raw() } else { Vec::new() }
    };
    Pictures::open(import.from())?.each(&names, pixels, |number, pixels| {
        if pixels.is_empty() {
            let [width, height] = SHEET;
            let reason = format!("holds {}, which is not {width}x{height} pixels", names[number]);
            return Err(Error::format(import.from(), reason));
        }
        sheets.add(pixels);
        import.advance(1.0 / names.len() as f64)
    })?;
    sheets.write(import.arrays(KEPT)?)
}

fn open(given: &Table) -> Result<Opened> {
    settings::parse::<Table>("data", given)?;
    let path = library::kept("sprites", &PUBLICATION, KEPT)?;
    let sheets = Sheets::read(&path, files::FILES.len())?;
    let numbers = |size: usize| (0..size).map(|k| k as f32);
    let seen = [("action", ACTIONS), ("rotation", ROTATIONS), ("frame", FRAMES)];
    let factors = WORN.into_iter().chain(seen);
    let grid =
        Grid::new(factors.map(|(name, size)| Factor::discrete(name, numbers(size))).collect())?;
    let shape = Shape { channels: 3, height: SIDE, width: SIDE, range: Range::Unit };
    let draw = move |_, classes, out: &mut [f32]| draw(&sheets, classes, out);
    Ok((Box::new(Drawn::new(grid, shape, draw)), Table::new()))
}

fn draw(sheets: &Sheets, classes: [usize; 9], out: &mut [f32]) {
    let [bottomwear, topwear, hair, eyes, shoes, body, action, rotation, frame] = classes;
    let first = |factor: usize| WORN[..factor].iter().map(|worn| worn.1).sum::<usize>();
    let view = view(action, rotation, frame);
    out.fill(0.0);
    // From the skin outwards.
    for (factor, class) in
        [(5, body), (4, shoes), (0, bottomwear), (1, topwear), (3, eyes), (2, hair)]
    {
        sheets.paint(first(factor) + class, view, out);
    }
}

#[cfg(test)]
mod tests;
