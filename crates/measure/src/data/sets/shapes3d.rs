//! `shapes3d`: a coloured object in a coloured room, all 480,000 images, drawn by index. No
//! download: a small ray-caster whose scene was fitted to the published preview.
//!
//! What a pixel shows depends on scale, shape and orientation (480 combinations); `mixture` finds
//! that out once for each, when it is first needed; an image is then a sum of four colours.

use std::sync::OnceLock;

use toml::Table;

use self::mixture::Mixture;
use self::scene::{Camera, Object};
use crate::data::drawing::grid::Grid;
use crate::data::storage::library;
use crate::data::{Dataset, Opened, Range, Shape, Source};
use crate::error::Result;
use crate::factors::Factor;
use crate::info::Info;

mod light;
mod mixture;
mod published;
mod scene;

/// The registry entry.
pub const SOURCE: Source = Source {
    info: Info {
        name: "shapes3d",
        title: "3D Shapes, redrawn",
        summary: "an object in a room: three hues, scale, shape, view; 480,000 of 64x64 in colour",
        paper: "Burgess and Kim, 3D Shapes, 2018",
        page: "\
One object in the middle of a room, seen from a camera that moves around it. 480,000 images, 3x64x64
(red, green, blue), values 0 to 1: every combination of the six factors, once. Drawn on the fly,
nothing to download, unless you ask for the published file.

| factor      | values | meaning                                                          |
| ----------- | -----: | ---------------------------------------------------------------- |
| floor_hue   |     10 | 0 red, 0.1 orange, ... 0.9 pink                                  |
| wall_hue    |     10 | the same                                                         |
| object_hue  |     10 | the same                                                         |
| scale       |      8 | size of the object, 0.75 to 1.25                                 |
| shape       |      4 | 0 cube, 1 cylinder, 2 sphere, 3 capsule                          |
| orientation |     15 | place of the camera in degrees, -30 (left) to 30 (right)         |

Rows are in the published order, orientation fastest and floor_hue slowest, and the factors have the
values of the published file.

Settings:
- source: drawn, which needs no files; or published, which reads the published images. `unbraid
  data import shapes3d --from 3dshapes.h5` takes them.

Good to know:
- These are not the published pixels. The scene, its light and its texture were fitted to the 53
  frames of the published preview and are on average 0.0070 of full scale away from them; edges of
  walls and floor lie within half a pixel, those of the object within one. The preview shows every
  value of every factor, but few combinations.
- Use them to try, to test and to compare methods with each other. A number that is to stand beside
  one from a paper needs the published file: source = \"published\".
- Neighbouring hues differ in one or two of the three colours only; the last hue, 0.9, is as near to
  the first as 0.1 is.
- The first images take longer: 480 views are prepared when they are first needed, and kept in
  20 MB.

The published images are under Apache-2.0. Cite: Chris Burgess and Hyunjik Kim, 3D Shapes Dataset,
2018.",
    },
    open,
    publication: Some(&published::PUBLICATION),
};

const SIDE: usize = 64;
const SCALES: usize = 8;
const SHAPES: usize = 4;
const ORIENTATIONS: usize = 15;
/// What is seen over the walls.
const SKY: [f32; 3] = [153.0 / 255.0, 226.0 / 255.0, 249.0 / 255.0];

fn open(given: &Table) -> Result<Opened> {
    library::drawn_or_published("shapes3d", &published::PUBLICATION, given, || {
        let hue = |name| Factor::discrete(name, (0..10).map(|k| (f64::from(k) / 10.0) as f32));
        let grid = Grid::new(vec![
            hue("floor_hue"),
            hue("wall_hue"),
            hue("object_hue"),
            Factor::discrete("scale", (0..SCALES).map(|k| scale(k) as f32)),
            Factor::discrete("shape", (0..SHAPES).map(|k| k as f32))
                .with_words(["cube", "cylinder", "sphere", "capsule"].map(String::from).to_vec()),
            Factor::discrete("orientation", (0..ORIENTATIONS).map(|k| orientation(k) as f32)),
        ])?;
        let views = (0..SCALES * SHAPES * ORIENTATIONS).map(|_| OnceLock::new()).collect();
        Ok(Box::new(Shapes3d { grid, views }))
    })
}

struct Shapes3d {
    grid: Grid,
    /// One per scale, shape and orientation, computed when it is first needed.
    views: Vec<OnceLock<Mixture>>,
}

impl Dataset for Shapes3d {
    fn factors(&self) -> &[Factor] {
        self.grid.factors()
    }

    fn shape(&self) -> Shape {
        Shape { channels: 3, height: SIDE, width: SIDE, range: Range::Unit }
    }

    fn len(&self) -> usize {
        self.grid.len()
    }

    fn observe(&self, index: usize, out: &mut [f32]) {
        let [floor, wall, object, size, shape, side] = self.grid.classes(index);
        let view = &self.views[(size * SHAPES + shape) * ORIENTATIONS + side];
        let mixture = view.get_or_init(|| {
            Mixture::new(&Object::new(shape, scale(size)), &Camera::new(orientation(side)))
        });
        mixture.paint([rainbow(floor), rainbow(wall), rainbow(object), SKY], out);
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
    0.75 + k as f64 * 0.5 / (SCALES - 1) as f64
}

/// In degrees.
fn orientation(k: usize) -> f64 {
    -30.0 + k as f64 * 60.0 / (ORIENTATIONS - 1) as f64
}

/// The full colour of hue k/10: red, green and blue are 1 around 0, 1/3 and 2/3 of the circle, 0 on
/// the far side and straight lines between.
fn rainbow(k: usize) -> [f32; 3] {
    [0, 10, 20].map(|peak| {
        // In thirtieths of a turn, the shorter way round.
        let away = (3 * k).abs_diff(peak);
        let away = away.min(30 - away) as f32;
        (2.0 - away / 5.0).clamp(0.0, 1.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(values: [usize; 6]) -> Vec<f32> {
        let (data, _) = open(&Table::new()).unwrap();
        let sizes = [10, 10, 10, SCALES, SHAPES, ORIENTATIONS];
        let index = values.iter().zip(sizes).fold(0, |index, (value, size)| index * size + value);
        crate::data::testing::row(&*data, index)
    }

    fn colour(image: &[f32], row: usize, column: usize) -> [f32; 3] {
        [0, 1, 2].map(|channel| image[(channel * SIDE + row) * SIDE + column])
    }

    #[test]
    fn factors_have_the_published_values() {
        let (data, _) = open(&Table::new()).unwrap();
        assert_eq!(data.len(), 480_000);
        let mut values = [0.0; 6];
        data.values(479_999, &mut values);
        assert_eq!(values, [0.9, 0.9, 0.9, 1.25, 3.0, 30.0]);
        data.values(15 * 4 + 16, &mut values);
        assert_eq!(
            values,
            [0.0, 0.0, 0.0, (0.75 + 0.5 / 7.0) as f32, 1.0, (-30.0 + 60.0 / 14.0) as f32]
        );
    }

    #[test]
    fn hues_go_round_the_circle() {
        assert_eq!(rainbow(0), [1.0, 0.0, 0.0]);
        assert_eq!(rainbow(5), [0.0, 1.0, 1.0]);
        for (k, expected) in [(1, [1.0, 0.6, 0.0]), (3, [0.2, 1.0, 0.0]), (9, [1.0, 0.0, 0.6])] {
            let near = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-6;
            assert!(rainbow(k).iter().zip(&expected).all(near), "{k}: {:?}", rainbow(k));
        }
    }

    #[test]
    fn each_hue_colours_its_own_thing() {
        // Red floor, green wall, blue object.
        let [red, green, blue] = [0, 3, 7];
        let picture = image([red, green, blue, 3, 0, 7]);
        let strongest = |row, column| {
            let colour = colour(&picture, row, column);
            (0..3).max_by(|a, b| colour[*a].total_cmp(&colour[*b])).unwrap()
        };
        assert_eq!(strongest(60, 5), 0);
        assert_eq!(strongest(25, 5), 1);
        assert_eq!(strongest(45, 32), 2);
        assert_eq!(colour(&picture, 3, 30), SKY);
    }
}
