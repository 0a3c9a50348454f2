//! sum[k, column] += Σ_pixel left[pixel, k] · right[pixel, column], a tile of sums at a time in
//! registers: the gradient of a convolution's weights.

use std::array::from_fn;
use std::mem::MaybeUninit;

use crate::cpu::Kernel;
use crate::lanes::{Lanes, WIDTH};
use crate::panel::{PanelRow, tile_height};

/// Distances, in floats, between images, rows and pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strides {
    pub(crate) image: usize,
    pub(crate) row: usize,
    pub(crate) pixel: usize,
}

/// The gradient of a convolution's weights, summed over pixels.
pub(crate) struct Outer<'a> {
    pub(crate) images: usize,
    pub(crate) height: usize,
    pub(crate) width: usize,
    /// The larger map, at the first number of the first pixel's neighbourhood, which is `runs` runs
    /// of `run` floats, `pitch` apart.
    pub(crate) left: *const f32,
    pub(crate) left_strides: Strides,
    pub(crate) runs: usize,
    pub(crate) run: usize,
    pub(crate) pitch: usize,
    /// The smaller map: whole panels of channels at every pixel.
    pub(crate) right: *const f32,
    pub(crate) right_strides: Strides,
    /// `[panels][runs · run]` rows of sixteen,
    pub(crate) sums: &'a mut [MaybeUninit<PanelRow>],
    /// added to, or written.
    pub(crate) accumulate: bool,
}

/// Bytes of the left side that all tiles of a run sweep before going on: half of a first-level cache.
const OUTER_BLOCK: usize = 16 * 1024;

impl Kernel for Outer<'_> {
    type Output = ();

    /// # Safety
    /// Every neighbourhood lies within the left map, and every pixel of the right map has as many
    /// channels as `sums` has columns.
    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let depth = self.runs * self.run;
        let panels = self.sums.len() / depth;
        let sums = self.sums.as_mut_ptr().cast::<f32>();
        // Blocks of rows of an image, or of whole images where they are small.
        let row_bytes = self.width * self.left_strides.pixel * size_of::<f32>();
        let rows = (OUTER_BLOCK / row_bytes).clamp(1, self.height);
        let fitting =
            (OUTER_BLOCK / (row_bytes * self.height)).max(64 / (self.height * self.width));
        let images = if rows < self.height { 1 } else { fitting.max(1) };
        for image in (0..self.images).step_by(images) {
            for y in (0..self.height).step_by(rows) {
                let block = Block {
                    images: images.min(self.images - image),
                    height: rows.min(self.height - y),
                    width: self.width,
                    left: self.left_strides,
                    right: self.right_strides,
                    panel: depth * WIDTH,
                    accumulate: self.accumulate || image > 0 || y > 0,
                };
                for run in 0..self.runs {
                    let mut panel = 0;
                    while panel < panels {
                        let pair = L::PANELS >= 2 && panel + 2 <= panels;
                        // SAFETY: the contract of `run`, for the images, rows, run and panels at hand.
                        unsafe {
                            let (l, r) = (self.left_strides, self.right_strides);
                            let left =
                                self.left.add(image * l.image + y * l.row + run * self.pitch);
                            let right = self.right.add(image * r.image + y * r.row + panel * WIDTH);
                            let sums = sums.add((panel * depth + run * self.run) * WIDTH);
                            match pair {
                                true => block.sweep::<L, 2>(self.run, left, right, sums),
                                false => block.sweep::<L, 1>(self.run, left, right, sums),
                            }
                        }
                        panel += if pair { 2 } else { 1 };
                    }
                }
            }
        }
    }
}

/// A part of the pixels of two maps.
struct Block {
    images: usize,
    height: usize,
    width: usize,
    left: Strides,
    right: Strides,
    /// Floats from the sums of a panel to those of the next.
    panel: usize,
    accumulate: bool,
}

impl Block {
    /// All tiles of one run and P panels.
    #[inline(always)]
    unsafe fn sweep<L: Lanes, const P: usize>(
        &self,
        run: usize,
        left: *const f32,
        right: *const f32,
        sums: *mut f32,
    ) {
        let mut k = 0;
        while k < run {
            let height = tile_height::<L>(run - k);
            // SAFETY: the contract of `Outer::run`.
            unsafe {
                let (left, sums) = (left.add(k), sums.add(k * WIDTH));
                match height {
                    12 => self.tile::<L, 12, P>(left, right, sums),
                    6 => self.tile::<L, 6, P>(left, right, sums),
                    5 => self.tile::<L, 5, P>(left, right, sums),
                    4 => self.tile::<L, 4, P>(left, right, sums),
                    3 => self.tile::<L, 3, P>(left, right, sums),
                    2 => self.tile::<L, 2, P>(left, right, sums),
                    _ => self.tile::<L, 1, P>(left, right, sums),
                }
            }
            k += height;
        }
    }

    #[inline(always)]
    unsafe fn tile<L: Lanes, const R: usize, const P: usize>(
        &self,
        left: *const f32,
        right: *const f32,
        out: *mut f32,
    ) {
        // SAFETY: the contract of `Outer::run`.
        unsafe {
            let mut sums = [[L::splat(0.0); P]; R];
            if self.accumulate {
                for i in 0..R {
                    sums[i] = from_fn(|p| L::load(out.add(p * self.panel + i * WIDTH)));
                }
            }
            for image in 0..self.images {
                for y in 0..self.height {
                    let mut left = left.add(image * self.left.image + y * self.left.row);
                    let mut right = right.add(image * self.right.image + y * self.right.row);
                    for _ in 0..self.width / 2 {
                        add_outer(&mut sums, left, right);
                        add_outer(
                            &mut sums,
                            left.add(self.left.pixel),
                            right.add(self.right.pixel),
                        );
                        left = left.add(2 * self.left.pixel);
                        right = right.add(2 * self.right.pixel);
                    }
                    if self.width % 2 == 1 {
                        add_outer(&mut sums, left, right);
                    }
                }
            }
            for i in 0..R {
                for p in 0..P {
                    sums[i][p].store(out.add(p * self.panel + i * WIDTH));
                }
            }
        }
    }
}

/// sums[i][p] += left[i] · right[p]
#[inline(always)]
unsafe fn add_outer<L: Lanes, const R: usize, const P: usize>(
    sums: &mut [[L; P]; R],
    left: *const f32,
    right: *const f32,
) {
    // SAFETY: the pixel has R numbers on the left and P panels on the right.
    unsafe {
        let right: [L; P] = from_fn(|p| L::load(right.add(p * WIDTH)));
        for i in 0..R {
            let left = L::splat(*left.add(i));
            for p in 0..P {
                sums[i][p] = left.mul_add(right[p], sums[i][p]);
            }
        }
    }
}
