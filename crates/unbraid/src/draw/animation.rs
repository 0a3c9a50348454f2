//! Animations: the rows of a sheet as one moving tile each, forth and back without an end.

use std::path::Path;

use image::codecs::gif::{GifEncoder, Repeat};
use image::{Delay, DynamicImage, Frame, ImageError, RgbImage, imageops};
use unbraid_measure::Error as MeasureError;
use unbraid_measure::files::Draft;

use crate::draw::picture::{INK, LABEL, MARGIN, PALE, PAPER, REMARK, Sheet, Strip};
use crate::draw::picture::{enlarged, text_width, write_text};
use crate::error::Result;

/// How many tiles stand side by side at most.
const ACROSS: usize = 5;
/// How long a frame is shown, in milliseconds.
const PACE: u32 = 80;
/// The share of a palette's search: 1 is the best and slowest, 30 the fastest.
const PALETTE_SPEED: i32 = 10;

/// Moments `0 .. steps` forth and back, each end once: `0 1 2 3 2 1` of four.
pub fn forth_and_back(steps: usize) -> Vec<usize> {
    (0..steps).chain((1..steps.saturating_sub(1)).rev()).collect()
}

/// How far along its way each of `steps` moments is, from 0 to 1: slow at both ends, so that the
/// turn is seen and not a jolt.
pub fn eased(steps: usize) -> Vec<f32> {
    let last = (steps.max(2) - 1) as f32;
    (0..steps).map(|i| 0.5 - 0.5 * (std::f32::consts::PI * i as f32 / last).cos()).collect()
}

/// The frames: each strip of the sheet is one place in a grid, its tiles are the moments.
pub fn frames(sheet: &Sheet) -> Vec<RgbImage> {
    let moments = sheet.strips.iter().map(|strip| strip.tiles.len()).max().unwrap_or(0);
    let first = sheet.strips.iter().find_map(|strip| strip.tiles.first());
    let Some(layout) = first.map(|tile| Layout::new(sheet, tile)) else { return vec![] };
    // What stands still is drawn once.
    let ground = layout.ground(sheet);
    let frame = |moment: usize| {
        let mut frame = ground.clone();
        for (place, strip) in sheet.strips.iter().enumerate() {
            if let Some(tile) = strip.tiles.get(moment) {
                let (x, y) = layout.tile_corner(place);
                let shown = strip.shown(tile, layout.tile);
                imageops::replace(&mut frame, &shown, i64::from(x), i64::from(y));
            }
        }
        frame
    };
    forth_and_back(moments).into_iter().map(frame).collect()
}

/// Write frames as a GIF that repeats for ever, atomically.
pub fn save(frames: Vec<RgbImage>, path: &Path) -> Result<()> {
    let wrong = |source: ImageError| match source {
        ImageError::IoError(source) => MeasureError::io("write", path, &source),
        other => MeasureError::io("write", path, &std::io::Error::other(other)),
    };
    let mut draft = Draft::create(path)?;
    let mut encoder = GifEncoder::new_with_speed(&mut draft, PALETTE_SPEED);
    encoder.set_repeat(Repeat::Infinite).map_err(wrong)?;
    let delay = Delay::from_numer_denom_ms(PACE, 1);
    let frames = frames
        .into_iter()
        .map(|frame| Frame::from_parts(DynamicImage::ImageRgb8(frame).into_rgba8(), 0, 0, delay));
    encoder.encode_frames(frames).map_err(wrong)?;
    // It writes the last byte of the file when it goes.
    drop(encoder);
    Ok(draft.finish()?)
}

/// Where things stand.
struct Layout {
    /// The size of a tile.
    tile: (u32, u32),
    /// The size of a place: a tile with its label and remark.
    place: (u32, u32),
    across: usize,
    top: u32,
}

impl Layout {
    fn new(sheet: &Sheet, first: &RgbImage) -> Self {
        let (width, height) = enlarged(first);
        let words =
            |strip: &Strip| text_width(&strip.label, LABEL).max(text_width(&strip.remark, REMARK));
        let widest = sheet.strips.iter().map(words).fold(0.0, f32::max).ceil() as u32;
        let place = (width.max(widest) + MARGIN, height + 2 * LABEL as u32 + MARGIN + 8);
        // Rows of equal length: six are two rows of three, not five and one.
        let down = sheet.strips.len().div_ceil(ACROSS).max(1);
        let across = sheet.strips.len().div_ceil(down).max(1);
        Self { tile: (width, height), place, across, top: MARGIN + 30 }
    }

    /// The top left corner of a place.
    fn corner(&self, place: usize) -> (u32, u32) {
        let (column, row) = (place % self.across, place / self.across);
        (MARGIN + column as u32 * self.place.0, self.top + row as u32 * self.place.1)
    }

    fn tile_corner(&self, place: usize) -> (u32, u32) {
        let (x, y) = self.corner(place);
        (x, y + 2 * LABEL as u32 + 6)
    }

    /// Paper with title and labels.
    fn ground(&self, sheet: &Sheet) -> RgbImage {
        let down = sheet.strips.len().div_ceil(self.across) as u32;
        let title = text_width(&sheet.title, LABEL).ceil() as u32;
        let width = (self.across as u32 * self.place.0).max(title) + MARGIN;
        let mut ground =
            RgbImage::from_pixel(width + MARGIN, self.top + down * self.place.1, PAPER);
        write_text(&mut ground, &sheet.title, MARGIN as f32, MARGIN as f32, LABEL, INK);
        for (place, strip) in sheet.strips.iter().enumerate() {
            let (x, y) = self.corner(place);
            let (x, y) = (x as f32, y as f32);
            write_text(&mut ground, &strip.label, x, y, LABEL, strip.ink());
            write_text(&mut ground, &strip.remark, x, y + LABEL + 2.0, REMARK, PALE);
        }
        ground
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::codecs::gif::GifDecoder;
    use image::{AnimationDecoder, Rgb};

    fn sheet(strips: usize, moments: u8) -> Sheet {
        let tile = |level: u8| RgbImage::from_pixel(8, 8, Rgb([level; 3]));
        let tiles: Vec<RgbImage> = (0..moments).map(|i| tile(i * 40)).collect();
        let strip = Strip { label: "z0".into(), tiles, ..Strip::default() };
        Sheet { title: "walks".into(), strips: vec![strip; strips], ..Sheet::default() }
    }

    #[test]
    fn it_goes_forth_and_back_and_turns_slowly() {
        assert_eq!(forth_and_back(4), [0, 1, 2, 3, 2, 1]);
        assert_eq!((forth_and_back(1), forth_and_back(0)), (vec![0], vec![]));
        let eased = eased(5);
        assert_eq!((eased[0], eased[4]), (0.0, 1.0));
        assert!((eased[2] - 0.5).abs() < 1e-6 && eased[1] < 0.25);
    }

    #[test]
    fn the_file_has_every_frame_and_repeats() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("walk.gif");
        save(frames(&sheet(7, 4)), &path).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        // The extension that browsers look for, with 0 for "no end".
        let looping = b"NETSCAPE2.0\x03\x01\x00\x00\x00";
        assert!(bytes.windows(looping.len()).any(|window| window == looping));
        assert_eq!(bytes.last(), Some(&0x3b), "the file is closed");
        let decoder = GifDecoder::new(std::io::Cursor::new(bytes)).unwrap();
        let read = decoder.into_frames().collect_frames().unwrap();
        assert_eq!(read.len(), 6);
        assert_eq!(read[0].delay().numer_denom_ms(), (PACE, 1));
        // The middle of the first tile moves; the corner of the paper does not.
        let layout = Layout::new(&sheet(7, 4), &RgbImage::new(8, 8));
        let (x, y) = layout.tile_corner(0);
        let level = |frame: usize| read[frame].buffer().get_pixel(x + 32, y + 32).0[0];
        assert_eq!([0, 1, 2, 3, 4, 5].map(level), [0, 40, 80, 120, 80, 40]);
        assert!(read.iter().all(|frame| frame.buffer().get_pixel(0, 0).0[..3] == PAPER.0));
    }

    #[test]
    fn tiles_stand_in_rows_of_equal_length() {
        let across = |strips| Layout::new(&sheet(strips, 1), &RgbImage::new(8, 8)).across;
        assert_eq!([1, 5, 6, 10, 11, 20].map(across), [1, 5, 3, 5, 4, 5]);
    }

    #[test]
    fn a_sheet_without_tiles_has_no_frames() {
        assert!(frames(&Sheet::default()).is_empty());
    }
}
