//! `xy-object`: one coloured square at many places, the toy of disent.

use serde::{Deserialize, Serialize};
use toml::Table;

use crate::data::drawing::drawn::Drawn;
use crate::data::drawing::grid::Grid;
use crate::data::{Dataset, Opened, Range, Shape, Source};
use crate::error::{Error, Result};
use crate::factors::Factor;
use crate::info::Info;
use crate::settings;

/// The registry entry.
pub const SOURCE: Source = Source {
    info: Info {
        name: "xy-object",
        title: "XYObject",
        summary: "a coloured square on black: place, size and colour; 75,000 of 64x64",
        paper: "Michlo, disent, 2021",
        page: "\
One square of one colour on a black ground. 75,000 images, 3x64x64, values 0 to 1, every combination
of the four factors once; drawn on the fly, nothing to download.

| factor | values | meaning                                                          |
| ------ | -----: | ---------------------------------------------------------------- |
| x      |     25 | centre of the square in pixels, 7.5, 9.5, ... 55.5               |
| y      |     25 | the same, from the top                                           |
| scale  |      5 | side of the square: 7, 9, 11, 13 or 15 pixels                    |
| color  |     24 | 0 to 23: red, yellow, green, cyan, blue, magenta, darkest first  |

Color 0 to 5 are the six hues at a quarter of full brightness, 6 to 11 at a half, and so on.

Settings:
- palette: \"rainbow_4\" by default: the kind of colours and the number of levels of brightness.
  Kinds are rainbow (the six above), rgb (red, green, blue), colors (red, green, blue, yellow, cyan,
  magenta, white) and greys (white only, images of one channel); levels are 1, 2 or 4.
- shaded: false by default. With true the same images have brightness and hue as two factors,
  intensity (4 values from 0.25 to 1) and color (6 values), as in XYObjectShaded.

Good to know:
- All sizes have the same places, those where the largest fits, so the place of a square says
  nothing about its size.
- Squares that do not overlap have the same pixel-wise distance wherever they are, so a pixel-wise
  reconstruction loss sees positions only where squares overlap.

The original is published under the MIT licence. Cite: Nathan Juraj Michlo, disent: a modular
disentangled representation learning framework, 2021.",
    },
    open,
    publication: None,
};

const SIDE: usize = 64;
/// Pixels between neighbouring places.
const SPACING: usize = 2;
const LARGEST: usize = 15;
const SIZES: [usize; 5] = [7, 9, 11, 13, LARGEST];
const PLACES: usize = (SIDE - LARGEST) / SPACING + 1;

#[derive(Clone, Debug, Deserialize, Serialize)]
struct Settings {
    palette: String,
    shaded: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self { palette: "rainbow_4".into(), shaded: false }
    }
}

fn open(given: &Table) -> Result<Opened> {
    let settings: Settings = settings::parse("data", given)?;
    let Palette { hues, levels, colours } = Palette::named(&settings.palette)?;
    let range = if levels == 1 { Range::Binary } else { Range::Unit };
    let shape = Shape { channels: colours[0].len(), height: SIDE, width: SIDE, range };
    let counted = |name: &str, count: usize| Factor::discrete(name, (0..count).map(|k| k as f32));
    let mut factors = vec![
        Factor::discrete("x", (0..PLACES).map(centre)),
        Factor::discrete("y", (0..PLACES).map(centre)),
        Factor::discrete("scale", SIZES.map(|size| size as f32)),
    ];
    let data: Box<dyn Dataset> = if settings.shaded {
        let intensities = (1..=levels).map(|level| level as f32 / levels as f32);
        factors.extend([Factor::discrete("intensity", intensities), counted("color", hues)]);
        let draw = move |_, [x, y, size, level, hue]: [usize; 5], out: &mut [f32]| {
            square([x, y], SIZES[size], &colours[level * hues + hue], out);
        };
        Box::new(Drawn::new(Grid::new(factors)?, shape, draw))
    } else {
        factors.push(counted("color", colours.len()));
        let draw = move |_, [x, y, size, colour]: [usize; 4], out: &mut [f32]| {
            square([x, y], SIZES[size], &colours[colour], out);
        };
        Box::new(Drawn::new(Grid::new(factors)?, shape, draw))
    };
    Ok((data, settings::to_table(&settings)))
}

/// The middle of the square in the k-th place, in pixels.
fn centre(k: usize) -> f32 {
    (SPACING * k) as f32 + LARGEST as f32 / 2.0
}

fn square(place: [usize; 2], size: usize, colour: &[f32], out: &mut [f32]) {
    out.fill(0.0);
    let [left, top] = place.map(|k| SPACING * k + (LARGEST - size) / 2);
    for (plane, &level) in out.chunks_exact_mut(SIDE * SIDE).zip(colour) {
        for line in plane.chunks_exact_mut(SIDE).skip(top).take(size) {
            line[left..left + size].fill(level);
        }
    }
}

/// Hues, each in a number of levels of brightness.
struct Palette {
    hues: usize,
    levels: usize,
    /// Hue by hue, darkest first; a number per channel.
    colours: Vec<Vec<f32>>,
}

impl Palette {
    fn named(name: &str) -> Result<Self> {
        let [red, green, blue] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let [yellow, cyan, magenta] = [[1.0, 1.0, 0.0], [0.0, 1.0, 1.0], [1.0, 0.0, 1.0]];
        let lists = |hues: &[[f32; 3]]| hues.iter().map(|hue| hue.to_vec()).collect();
        let (kind, levels) = name.rsplit_once('_').unwrap_or((name, ""));
        let hues: Vec<Vec<f32>> = match kind {
            "rainbow" => lists(&[red, yellow, green, cyan, blue, magenta]),
            "rgb" => lists(&[red, green, blue]),
            "colors" => lists(&[red, green, blue, yellow, cyan, magenta, [1.0; 3]]),
            "greys" => vec![vec![1.0]],
            _ => Vec::new(),
        };
        let levels = ["1", "2", "4"].contains(&levels).then(|| levels.parse().unwrap_or(1));
        let (Some(levels), false) = (levels, hues.is_empty()) else {
            let reason = format!(
                "cannot be \"{name}\": it is rainbow, rgb, colors or greys with _1, _2 or _4, as \
                 in \"rainbow_4\""
            );
            return Err(Error::setting("data.palette", reason));
        };
        // Whole bytes, as in the original: 63, 127, 191 and 255 where there are four levels.
        let brightness = |level: usize| (255 * level / levels) as f32 / 255.0;
        let scaled =
            |level| hues.iter().map(move |hue| hue.iter().map(|v| v * brightness(level)).collect());
        let colours = (1..=levels).flat_map(scaled).collect();
        Ok(Self { hues: hues.len(), levels, colours })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data;

    fn open(settings: &str) -> Box<dyn Dataset> {
        super::open(&settings.parse().unwrap()).unwrap().0
    }

    #[test]
    fn mean_and_deviation_are_the_published_ones() {
        // Every size and colour in one place; the other places have the same pixels elsewhere.
        let data = open("");
        assert_eq!(data.len(), 75_000);
        let images = data::observations(&*data, &(7 * 120..8 * 120).collect::<Vec<_>>());
        // What is published is the mean over images and channels of the deviation within each.
        let deviations = images.rows().into_iter().flat_map(|image| {
            let image = image.to_vec();
            let planes = image.chunks_exact(SIDE * SIDE).map(|plane| {
                let mean = plane.iter().sum::<f32>() / plane.len() as f32;
                let squares: f32 = plane.iter().map(|v| (v - mean).powi(2)).sum();
                (squares / (plane.len() - 1) as f32).sqrt()
            });
            planes.collect::<Vec<f32>>()
        });
        let mean = images.iter().map(|v| f64::from(*v)).sum::<f64>() / images.len() as f64;
        let deviation = deviations.sum::<f32>() / 360.0;
        assert!((mean - 0.009_819).abs() < 1e-6, "{mean}");
        assert!((deviation - 0.052_63).abs() < 1e-5, "{deviation}");
    }

    #[test]
    fn squares_are_whole_in_every_place_and_centred_on_it() {
        let data = open("");
        for values in [[7.5, 7.5, 15.0, 23.0], [55.5, 7.5, 7.0, 18.0], [31.5, 55.5, 11.0, 19.0]] {
            let [x, y, side, _] = values;
            let image = data::observations(&*data, &[data.find(&values).unwrap()]);
            let inside =
                |place: usize, centre: f32| (place as f32 + 0.5 - centre).abs() < side / 2.0;
            // All of these colours have red at full brightness.
            for (place, level) in image.iter().take(SIDE * SIDE).enumerate() {
                let lit = inside(place % SIDE, x) && inside(place / SIDE, y);
                assert_eq!(*level, f32::from(u8::from(lit)), "{values:?} at {place}");
            }
        }
    }

    #[test]
    fn shaded_has_the_same_images_under_other_factors() {
        let (plain, shaded) = (open(""), open("shaded = true"));
        assert_eq!(shaded.len(), plain.len());
        let rows = [0, 17, 40_000, 74_999];
        assert_eq!(data::observations(&*plain, &rows), data::observations(&*shaded, &rows));
        let sizes: Vec<_> = shaded.factors().iter().filter_map(Factor::size).collect();
        assert_eq!(sizes, [25, 25, 5, 4, 6]);
    }

    #[test]
    fn palettes_have_their_colours() {
        let palette = |name| Palette::named(name).map(|palette| palette.colours);
        let rainbow = palette("rainbow_2").unwrap();
        assert_eq!(rainbow.len(), 12);
        assert_eq!(rainbow[1], [127.0 / 255.0, 127.0 / 255.0, 0.0]);
        assert_eq!(
            palette("greys_4").unwrap(),
            [63.0, 127.0, 191.0, 255.0].map(|v| vec![v / 255.0])
        );
        assert_eq!(palette("colors_1").unwrap().len(), 7);
        assert_eq!(open("palette = \"greys_1\"").shape().to_string(), "1x64x64");
        for wrong in ["rainbow", "rainbow_3", "sunset_4", ""] {
            let error = palette(wrong).unwrap_err().to_string();
            assert!(error.starts_with("setting `data.palette` cannot be"), "{error}");
        }
    }
}
