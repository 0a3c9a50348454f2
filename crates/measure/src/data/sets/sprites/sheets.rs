//! The artwork in memory: of every sheet and view the pixels that are painted, and nothing of those
//! that are seen through. A million in all: 39 sheets take 5 MB in place of 175.

use std::path::Path;

use crate::error::{Error, Result};
use crate::npz::{Npz, NpzWriter};

/// Pixels on a side of an image, which is a tile of a sheet.
pub(super) const SIDE: usize = 64;
/// Tiles of a sheet, across and down.
const TILES: [usize; 2] = [13, 21];
/// Pixels of a sheet, across and down.
pub(super) const SHEET: [usize; 2] = [TILES[0] * SIDE, TILES[1] * SIDE];
pub(super) const ACTIONS: usize = 5;
pub(super) const ROTATIONS: usize = 3;
pub(super) const FRAMES: usize = 6;
/// Images that one sheet has a part in.
const VIEWS: usize = ACTIONS * ROTATIONS * FRAMES;
/// Pixels are painted where they are more opaque than this.
const OPAQUE: u8 = 128;

/// Sheets one after the other.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Sheets {
    /// Where the pixels of each view begin, `[sheets, actions, rotations, frames]`, and where the last
    /// ones end.
    starts: Vec<u32>,
    /// Where in the image a pixel is.
    places: Vec<u16>,
    /// Its red, green and blue.
    colours: Vec<[u8; 3]>,
}

impl Sheets {
    /// Add a sheet, `[1344, 832, 4]` with transparency last.
    pub(super) fn add(&mut self, pixels: &[u8]) {
        self.starts.pop();
        for view in 0..VIEWS {
            self.starts.push(self.places.len() as u32);
            let [column, row] = tile(view);
            for place in 0..SIDE * SIDE {
                let (x, y) = (column * SIDE + place % SIDE, row * SIDE + place / SIDE);
                let start = (y * SHEET[0] + x) * 4;
                let [red, green, blue, alpha] = [0, 1, 2, 3].map(|k| pixels[start + k]);
                if alpha > OPAQUE {
                    self.places.push(place as u16);
                    self.colours.push([red, green, blue]);
                }
            }
        }
        self.starts.push(self.places.len() as u32);
    }

    /// Paint a view of a sheet over what is there, `[3, 64, 64]`: no blending.
    pub(super) fn paint(&self, sheet: usize, view: usize, out: &mut [f32]) {
        let at = sheet * VIEWS + view;
        let pixels = self.starts[at] as usize..self.starts[at + 1] as usize;
        for (place, colour) in self.places[pixels.clone()].iter().zip(&self.colours[pixels]) {
            for (channel, byte) in colour.iter().enumerate() {
                out[channel * SIDE * SIDE + usize::from(*place)] = f32::from(*byte) / 255.0;
            }
        }
    }

    /// Write them as arrays.
    pub(super) fn write(&self, mut file: NpzWriter) -> Result<()> {
        file.array("starts", &[self.starts.len()], &self.starts)?;
        file.array("places", &[self.places.len()], &self.places)?;
        file.array("colours", &[self.colours.len(), 3], self.colours.as_flattened())?;
        file.finish()
    }

    /// Read so many of them.
    pub(super) fn read(path: &Path, sheets: usize) -> Result<Self> {
        let mut file = Npz::open(path)?;
        let mut numbers = |name: &str| Ok::<_, Error>(file.array(name)?.into_floats());
        let starts: Vec<u32> = numbers("starts")?.into_iter().map(|start| start as u32).collect();
        let places: Vec<u16> = numbers("places")?.into_iter().map(|place| place as u16).collect();
        let colours: Vec<u8> = numbers("colours")?.into_iter().map(|byte| byte as u8).collect();
        let (colours, rest) = colours.as_chunks::<3>();
        let whole = starts.len() == sheets * VIEWS + 1
            && starts.is_sorted()
            && starts.last().map(|end| *end as usize) == Some(places.len())
            && places.iter().all(|place| usize::from(*place) < SIDE * SIDE)
            && colours.len() == places.len()
            && rest.is_empty();
        match whole {
            true => Ok(Self { starts, places, colours: colours.to_vec() }),
            false => Err(Error::format(path, "is damaged; import the data set again")),
        }
    }
}

/// The number of a view.
pub(super) fn view(action: usize, rotation: usize, frame: usize) -> usize {
    (action * ROTATIONS + rotation) * FRAMES + frame
}

/// Where a view is in a sheet: its tile, across and down. Each action has four rows, of which the
/// first is seen from behind and left out.
fn tile(view: usize) -> [usize; 2] {
    let (action, rotation) = (view / FRAMES / ROTATIONS, view / FRAMES % ROTATIONS);
    [view % FRAMES, 4 * action + rotation + 1]
}
