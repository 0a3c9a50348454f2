//! Pictures: observations as tiles, tiles as labelled sheets.

use std::path::Path;

use ab_glyph::{Font, FontRef, PxScale, ScaleFont, point};
use image::imageops::{self, FilterType};
use image::{ImageError, Rgb, RgbImage};
use unbraid_measure::Error as MeasureError;
use unbraid_measure::data::Shape;
use unbraid_measure::files::Draft;

use crate::error::Result;

pub(crate) const INK: Rgb<u8> = Rgb([32, 33, 36]);
/// For what matters less: still 4.5 times as dark as the paper, so that it can be read.
pub(crate) const PALE: Rgb<u8> = Rgb([104, 107, 112]);
/// Not quite white, so that white pictures have an edge.
pub(crate) const PAPER: Rgb<u8> = Rgb([243, 244, 246]);
/// How much of a faded picture is paper.
const FADE: f32 = 0.6;
const GAP: u32 = 3;
pub(crate) const MARGIN: u32 = 14;
/// The size of a label and of the remark under it, in pixels.
pub(crate) const LABEL: f32 = 15.0;
pub(crate) const REMARK: f32 = 11.5;

/// One row of a sheet.
#[derive(Clone, Debug, Default)]
pub struct Strip {
    /// What the row shows.
    pub label: String,
    /// A smaller line under the label.
    pub remark: String,
    /// Whether the row does not matter much; its pictures then are as pale as its label.
    pub faded: bool,
    /// The pictures from left to right.
    pub tiles: Vec<RgbImage>,
}

/// Rows of pictures under a title.
#[derive(Clone, Debug, Default)]
pub struct Sheet {
    /// One line on top.
    pub title: String,
    /// What stands over each column; may be empty.
    pub columns: Vec<String>,
    /// The rows.
    pub strips: Vec<Strip>,
}

/// An observation as a picture, if it is one. One channel is grey, three are red, green and blue,
/// a fourth is opacity over white; two are red and green.
pub fn tile(observation: &[f32], shape: Shape) -> Option<RgbImage> {
    if shape.is_vector() || shape.channels > 4 {
        return None;
    }
    let plane = shape.height * shape.width;
    let level = |channel: usize, pixel: usize| observation[channel * plane + pixel].clamp(0.0, 1.0);
    let colour = |x: u32, y: u32| {
        let pixel = y as usize * shape.width + x as usize;
        let rgb = match shape.channels {
            1 => [level(0, pixel); 3],
            2 => [level(0, pixel), level(1, pixel), 0.0],
            3 => [0, 1, 2].map(|channel| level(channel, pixel)),
            _ => [0, 1, 2].map(|c| 1.0 + (level(c, pixel) - 1.0) * level(3, pixel)),
        };
        Rgb(rgb.map(|value| (value * 255.0).round() as u8))
    };
    Some(RgbImage::from_fn(shape.width as u32, shape.height as u32, colour))
}

/// Write a picture as PNG, atomically.
pub fn save(picture: &RgbImage, path: &Path) -> Result<()> {
    let mut draft = Draft::create(path)?;
    picture.write_to(&mut draft, image::ImageFormat::Png).map_err(|source| match source {
        ImageError::IoError(source) => MeasureError::io("write", path, &source),
        other => MeasureError::io("write", path, &std::io::Error::other(other)),
    })?;
    Ok(draft.finish()?)
}

impl Sheet {
    /// Draw the sheet. Small tiles are enlarged by a whole number, pixels staying sharp.
    pub fn draw(&self) -> RgbImage {
        let Some(first) = self.strips.iter().find_map(|strip| strip.tiles.first()) else {
            return RgbImage::from_pixel(1, 1, PAPER);
        };
        let (width, height) = enlarged(first);
        let columns = self.strips.iter().map(|strip| strip.tiles.len()).max().unwrap_or(0) as u32;
        let beside = self.width_of_labels();
        let top = MARGIN + 26 + if self.columns.is_empty() { 0 } else { 18 };
        let title = text_width(&self.title, LABEL + 1.0).ceil() as u32;
        let total_width = (beside + columns * (width + GAP)).max(MARGIN + title) + MARGIN;
        let total_height = top + self.strips.len() as u32 * (height + GAP) + MARGIN - GAP;
        let mut canvas = RgbImage::from_pixel(total_width, total_height, PAPER);
        write_text(&mut canvas, &self.title, MARGIN as f32, MARGIN as f32, LABEL + 1.0, INK);
        for (i, column) in self.columns.iter().enumerate() {
            let middle = beside as f32 + (i as u32 * (width + GAP) + width / 2) as f32;
            let x = middle - text_width(column, REMARK) / 2.0;
            write_text(&mut canvas, column, x, top as f32 - 16.0, REMARK, PALE);
        }
        for (row, strip) in self.strips.iter().enumerate() {
            let y = top + row as u32 * (height + GAP);
            strip.write_labels(&mut canvas, y as f32 + height as f32 / 2.0);
            for (column, tile) in strip.tiles.iter().enumerate() {
                let large = strip.shown(tile, (width, height));
                let x = beside + column as u32 * (width + GAP);
                imageops::replace(&mut canvas, &large, i64::from(x), i64::from(y));
            }
        }
        canvas
    }

    fn width_of_labels(&self) -> u32 {
        let width =
            |strip: &Strip| text_width(&strip.label, LABEL).max(text_width(&strip.remark, REMARK));
        let widest = self.strips.iter().map(width).fold(0.0, f32::max);
        MARGIN + widest.ceil() as u32 + if widest > 0.0 { MARGIN } else { 0 }
    }
}

impl Strip {
    /// The colour of the label.
    pub(crate) fn ink(&self) -> Rgb<u8> {
        if self.faded { PALE } else { INK }
    }

    /// A tile as it is shown: of this size, and pale if the row is faded.
    pub(crate) fn shown(&self, tile: &RgbImage, (width, height): (u32, u32)) -> RgbImage {
        let mut large = imageops::resize(tile, width, height, FilterType::Nearest);
        if self.faded {
            large.pixels_mut().for_each(|pixel| *pixel = blend(*pixel, PAPER, FADE));
        }
        large
    }

    fn write_labels(&self, canvas: &mut RgbImage, middle: f32) {
        let ink = self.ink();
        let x = MARGIN as f32;
        if self.remark.is_empty() {
            write_text(canvas, &self.label, x, middle - LABEL / 2.0, LABEL, ink);
            return;
        }
        write_text(canvas, &self.label, x, middle - LABEL, LABEL, ink);
        write_text(canvas, &self.remark, x, middle + 3.0, REMARK, PALE);
    }
}

/// The size at which small tiles are shown: a whole multiple, so that pixels stay sharp.
pub(crate) fn enlarged(tile: &RgbImage) -> (u32, u32) {
    let times = 64u32.div_ceil(tile.height().max(tile.width())).max(1);
    (tile.width() * times, tile.height() * times)
}

/// A colour with a share of another over it.
fn blend(below: Rgb<u8>, above: Rgb<u8>, share: f32) -> Rgb<u8> {
    let mix = |i: usize| {
        let (below, above) = (f32::from(below.0[i]), f32::from(above.0[i]));
        (below + (above - below) * share).round() as u8
    };
    Rgb([mix(0), mix(1), mix(2)])
}

fn font() -> FontRef<'static> {
    FontRef::try_from_slice(dejavu::sans::regular()).expect("the built-in font is sound")
}

pub(crate) fn text_width(text: &str, size: f32) -> f32 {
    let font = font();
    let scaled = font.as_scaled(PxScale::from(size));
    text.chars().map(|c| scaled.h_advance(scaled.glyph_id(c))).sum()
}

/// Write with the top left corner at (x, y), blending the edges of the letters.
pub(crate) fn write_text(
    canvas: &mut RgbImage,
    text: &str,
    x: f32,
    y: f32,
    size: f32,
    ink: Rgb<u8>,
) {
    let font = font();
    let scale = PxScale::from(size);
    let scaled = font.as_scaled(scale);
    let mut cursor = x;
    for letter in text.chars() {
        let id = scaled.glyph_id(letter);
        let glyph = id.with_scale_and_position(scale, point(cursor, y + scaled.ascent()));
        cursor += scaled.h_advance(id);
        let Some(outline) = font.outline_glyph(glyph) else { continue };
        let corner = outline.px_bounds().min;
        outline.draw(|dx, dy, cover| {
            let (px, py) = (corner.x as i64 + i64::from(dx), corner.y as i64 + i64::from(dy));
            if let (Ok(px), Ok(py)) = (u32::try_from(px), u32::try_from(py))
                && px < canvas.width()
                && py < canvas.height()
            {
                let under = *canvas.get_pixel(px, py);
                canvas.put_pixel(px, py, blend(under, ink, cover.clamp(0.0, 1.0)));
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unbraid_measure::data::Range;

    #[test]
    fn channels_become_colours() {
        let shape = |channels| Shape { channels, height: 1, width: 2, range: Range::Unit };
        let grey = tile(&[0.0, 1.0], shape(1)).unwrap();
        assert_eq!((grey.get_pixel(0, 0).0, grey.get_pixel(1, 0).0), ([0; 3], [255; 3]));
        // Red, fully opaque; and red, fully transparent, which is the white behind it.
        let see_through = tile(&[1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0], shape(4)).unwrap();
        assert_eq!(see_through.get_pixel(0, 0).0, [255, 0, 0]);
        assert_eq!(see_through.get_pixel(1, 0).0, [255; 3]);
        assert!(
            tile(&[0.0; 5], Shape { channels: 5, height: 1, width: 1, range: Range::Real })
                .is_none()
        );
    }

    #[test]
    fn a_sheet_shows_its_tiles_enlarged_beside_their_labels() {
        let tile = RgbImage::from_pixel(16, 16, Rgb([200, 0, 0]));
        let strip =
            Strip { label: "z0".into(), tiles: vec![tile.clone(), tile], ..Strip::default() };
        let sheet =
            Sheet { title: "t".into(), strips: vec![strip.clone(), strip], columns: vec![] };
        let picture = sheet.draw();
        let red = picture.pixels().filter(|pixel| pixel.0 == [200, 0, 0]).count();
        assert_eq!(red, 4 * 64 * 64);
    }

    #[test]
    fn a_faded_row_has_pale_pictures() {
        let tile = RgbImage::from_pixel(64, 64, Rgb([0, 0, 0]));
        let strip = Strip { faded: true, tiles: vec![tile], ..Strip::default() };
        let picture = Sheet { strips: vec![strip], ..Sheet::default() }.draw();
        assert!(picture.pixels().all(|pixel| pixel.0[0] > 120), "a black tile is grey now");
        assert!(picture.pixels().any(|pixel| pixel.0[0] < 160), "but it can be seen");
    }
}
