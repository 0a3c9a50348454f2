//! Images in memory: channels last, with a border of zeros.
//!
//! `[image][border + row + border][border + column + border][channel]`. With the channels last a
//! pixel's neighbourhood is a few runs of neighbouring floats, and with the border it needs no
//! special case at the edge of the image.

use std::mem::MaybeUninit;
use std::ops::Range;

use crate::fill::fill;

/// The form of a batch of images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Map {
    /// How many.
    pub images: usize,
    /// Numbers per pixel.
    pub channels: usize,
    /// Rows of pixels, without the border.
    pub height: usize,
    /// Columns of pixels, without the border.
    pub width: usize,
    /// Zero pixels around each image.
    pub border: usize,
}

/// Where the numbers of images lie elsewhere: the offset of the first, and the distances between
/// images, channels, rows and columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The first number.
    pub offset: usize,
    /// From image to image, channel to channel, row to row, column to column.
    pub strides: [usize; 4],
}

impl Map {
    /// Floats of one image.
    pub fn image_size(&self) -> usize {
        (self.height + 2 * self.border) * self.row_size()
    }

    /// Floats of one row of pixels.
    pub fn row_size(&self) -> usize {
        (self.width + 2 * self.border) * self.channels
    }

    /// Floats of the batch.
    pub fn size(&self) -> usize {
        self.images * self.image_size()
    }

    /// Whether its size, and whatever is computed on the way to it, is a size that memory can have.
    pub(crate) fn fits(&self) -> bool {
        let side = |length: usize| self.border.checked_mul(2)?.checked_add(length);
        let size = || {
            let row = side(self.width)?.checked_mul(self.channels)?;
            side(self.height)?
                .checked_mul(row)?
                .checked_mul(self.images)?
                .checked_mul(size_of::<f32>())
        };
        size().is_some_and(|bytes| isize::try_from(bytes).is_ok())
    }

    /// Where a pixel of the first image starts; −1 is the first pixel of a border of one.
    pub(crate) fn pixel(&self, y: isize, x: isize) -> usize {
        let border = self.border as isize;
        debug_assert!(y >= -border && x >= -border, "({y}, {x}) is outside of {self:?}");
        (y + border) as usize * self.row_size() + (x + border) as usize * self.channels
    }

    /// Where the numbers of this map lie in its own memory.
    pub fn placement(&self) -> Placement {
        let strides = [self.image_size(), 1, self.row_size(), self.channels];
        Placement { offset: self.pixel(0, 0), strides }
    }

    /// The memory of some of the images.
    pub(crate) fn some<'a>(&self, all: &'a [f32], images: &Range<usize>) -> &'a [f32] {
        &all[images.start * self.image_size()..images.end * self.image_size()]
    }

    /// The same images with other channels.
    pub(crate) fn with_channels(self, channels: usize) -> Self {
        Self { channels, ..self }
    }

    /// Images that lie elsewhere, as a map.
    pub fn gather(&self, from: &[f32], placement: Placement) -> Vec<f32> {
        let [image, channel, row, column] = placement.strides;
        fill(self.size(), self.image_size(), |i, out| {
            self.clear_border(out);
            for y in 0..self.height {
                let from = &from[placement.offset + i * image + y * row..];
                let out = &mut out[self.pixel(y as isize, 0)..][..self.width * self.channels];
                // Rows of single, double, … channels are what images come as.
                match (column, self.channels) {
                    (1, 1) => interleave::<1>(from, channel, out),
                    (1, 2) => interleave::<2>(from, channel, out),
                    (1, 3) => interleave::<3>(from, channel, out),
                    (1, 4) => interleave::<4>(from, channel, out),
                    _ => {
                        for (x, out) in out.chunks_exact_mut(self.channels).enumerate() {
                            for (c, out) in out.iter_mut().enumerate() {
                                out.write(from[x * column + c * channel]);
                            }
                        }
                    }
                }
            }
        })
    }

    /// The inverse of [`gather`](Self::gather): `[image][channel][row][column]` without a border.
    pub fn planes(&self, from: &[f32]) -> Vec<f32> {
        assert_eq!(from.len(), self.size(), "the map has as many numbers as its form says");
        let (plane, pixels) = (self.height * self.width, self.width * self.channels);
        fill(self.images * self.channels * plane, self.channels * plane, |i, out| {
            let from = &from[i * self.image_size()..][..self.image_size()];
            for y in 0..self.height {
                let from = &from[self.pixel(y as isize, 0)..][..pixels];
                for c in 0..self.channels {
                    let out = &mut out[c * plane + y * self.width..][..self.width];
                    let from = from[c..].iter().step_by(self.channels);
                    out.iter_mut().zip(from).for_each(|(out, value)| {
                        out.write(*value);
                    });
                }
            }
        })
    }

    /// Write zeros around one image.
    pub(crate) fn clear_border(&self, image: &mut [MaybeUninit<f32>]) {
        if self.border == 0 {
            return;
        }
        let (row, edge) = (self.row_size(), self.border * self.channels);
        let zero = MaybeUninit::new(0.0);
        image[..self.border * row + edge].fill(zero);
        for y in self.border..self.border + self.height - 1 {
            // The right edge of this row and the left edge of the next are neighbours.
            image[(y + 1) * row - edge..(y + 1) * row + edge].fill(zero);
        }
        image[(self.border + self.height) * row - edge..].fill(zero);
    }
}

/// One row of pixels from one row of each of C channels.
fn interleave<const C: usize>(from: &[f32], channel: usize, out: &mut [MaybeUninit<f32>]) {
    let width = out.len() / C;
    let rows: [&[f32]; C] = std::array::from_fn(|c| &from[c * channel..][..width]);
    let (pixels, _) = out.as_chunks_mut::<C>();
    for (x, pixel) in pixels.iter_mut().enumerate() {
        for (out, row) in pixel.iter_mut().zip(rows) {
            out.write(row[x]);
        }
    }
}
