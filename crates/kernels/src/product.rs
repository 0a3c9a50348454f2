//! out[row, column] = Σₖ left[row, k] · panel[k, column], a tile of sums at a time in registers.
//!
//! The rows of the left side lie anywhere: a row is a number of runs of neighbouring floats. A pixel's
//! neighbourhood in an image with channels last is exactly that (a run for each row of the kernel), so
//! a convolution is a product without any copying.

use std::array::from_fn;
use std::ops::Range;

use crate::activation::Activation;
use crate::cpu::Kernel;
use crate::lanes::{Lanes, WIDTH};
use crate::panel::{PanelRow, tile_height};

/// Rows that are swept by all panels before going on, so that they stay in cache: at most so many, and
/// fewer where a row of either side is long.
const ROW_BLOCK: usize = 192;
const ROW_BYTES: usize = 384 * 1024;

/// Bytes of a panel that are swept by all those rows before going on: half of a first-level cache.
const PANEL_BLOCK: usize = 16 * 1024;

/// Where the rows of a product come from and go to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    /// Start of each row of the left side.
    pub(crate) from: Vec<usize>,
    /// Start of each row of the output.
    pub(crate) to: Vec<usize>,
    /// How many runs a row has,
    pub(crate) runs: usize,
    /// how long each is,
    pub(crate) run: usize,
    /// and from the start of one to the start of the next.
    pub(crate) pitch: usize,
}

impl Rows {
    /// Plain rows: `count` of `length` numbers each.
    pub(crate) fn matrix(
        count: usize,
        length: usize,
        from_stride: usize,
        to_stride: usize,
    ) -> Self {
        let starts = |stride: usize| (0..count).map(|row| row * stride).collect();
        Self { from: starts(from_stride), to: starts(to_stride), runs: 1, run: length, pitch: 0 }
    }

    /// Numbers in a row.
    pub(crate) fn depth(&self) -> usize {
        self.runs * self.run
    }
}

/// A product of gathered rows with packed panels.
pub(crate) struct Product<'a> {
    pub(crate) rows: &'a Rows,
    /// Only the first so many rows.
    pub(crate) count: usize,
    pub(crate) left: *const f32,
    /// Rows of sixteen: those of a panel, then those of the next,
    pub(crate) panels: &'a [PanelRow],
    /// which starts so many rows later.
    pub(crate) panel_rows: usize,
    /// Columns of the output; those of the last panel beyond it are not written.
    pub(crate) columns: usize,
    pub(crate) out: *mut f32,
    /// One number per column, rounded up to whole panels; empty to start from zero.
    pub(crate) bias: &'a [f32],
    /// Start from what is in the output instead of the bias.
    pub(crate) accumulate: bool,
    pub(crate) activation: Activation,
}

impl Kernel for Product<'_> {
    type Output = ();

    /// # Safety
    /// Every row of the left side lies within `left`; every row of the output has `columns` floats
    /// within `out`, which nobody else uses.
    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let panels = self.columns.div_ceil(WIDTH);
        assert!(self.panels.len() >= (panels - 1) * self.panel_rows + self.rows.depth());
        assert!(self.bias.is_empty() || self.bias.len() >= panels * WIDTH);
        let together = (PANEL_BLOCK / size_of::<PanelRow>() / self.rows.run.max(1)).max(1);
        let row = size_of::<f32>() * self.rows.depth().max(self.columns);
        let rows = (ROW_BYTES / row / L::ROWS * L::ROWS).clamp(L::ROWS, ROW_BLOCK);
        for block in (0..self.count).step_by(rows) {
            let end = (block + rows).min(self.count);
            let mut panel = 0;
            while panel < panels {
                let pair = L::PANELS >= 2 && (panel + 2) * WIDTH <= self.columns;
                // At least once: without any run the output is the bias.
                let mut runs = 0..together.min(self.rows.runs);
                loop {
                    // SAFETY: these rows, runs and panels exist; the caller answers for the memory.
                    unsafe {
                        match pair {
                            true => self.sweep::<L, 2>(block..end, panel, runs.clone()),
                            false => self.sweep::<L, 1>(block..end, panel, runs.clone()),
                        }
                    }
                    if runs.end == self.rows.runs {
                        break;
                    }
                    runs = runs.end..(runs.end + together).min(self.rows.runs);
                }
                panel += if pair { 2 } else { 1 };
            }
        }
    }
}

impl Product<'_> {
    /// Some rows, P panels, some runs.
    #[inline(always)]
    unsafe fn sweep<L: Lanes, const P: usize>(
        &self,
        rows: Range<usize>,
        panel: usize,
        runs: Range<usize>,
    ) {
        let mut row = rows.start;
        while row < rows.end {
            let height = tile_height::<L>(rows.end - row);
            let runs = runs.clone();
            // SAFETY: the contract of `run`.
            unsafe {
                match height {
                    12 => self.tile::<L, 12, P>(row, panel, runs),
                    6 => self.tile::<L, 6, P>(row, panel, runs),
                    5 => self.tile::<L, 5, P>(row, panel, runs),
                    4 => self.tile::<L, 4, P>(row, panel, runs),
                    3 => self.tile::<L, 3, P>(row, panel, runs),
                    2 => self.tile::<L, 2, P>(row, panel, runs),
                    _ => self.tile::<L, 1, P>(row, panel, runs),
                }
            }
            row += height;
        }
    }

    /// R rows by P panels of sums. Only a panel by itself may be partly beyond the columns.
    #[inline(always)]
    unsafe fn tile<L: Lanes, const R: usize, const P: usize>(
        &self,
        row: usize,
        panel: usize,
        runs: Range<usize>,
    ) {
        let column = panel * WIDTH;
        let width = WIDTH.min(self.columns - column);
        // Known to the compiler for a pair, whose loops over sums are then short enough to be unrolled: a
        // loop that is not would move the sums out of registers.
        let whole = P > 1 || width == WIDTH;
        // SAFETY: the contract of `run`; offsets of rows are in bounds because `row + R ≤ count`.
        unsafe {
            let from: [usize; R] = from_fn(|i| *self.rows.from.get_unchecked(row + i));
            let to: [*mut f32; R] =
                from_fn(|i| self.out.add(*self.rows.to.get_unchecked(row + i) + column));
            let mut sums = [[L::splat(0.0); P]; R];
            if self.accumulate || runs.start > 0 {
                for i in 0..R {
                    for p in 0..P {
                        let to = to[i].add(p * WIDTH);
                        sums[i][p] = if whole { L::load(to) } else { L::load_part(to, width) };
                    }
                }
            } else if !self.bias.is_empty() {
                let bias = self.bias.as_ptr().add(column);
                sums = [from_fn(|p| L::load(bias.add(p * WIDTH))); R];
            }
            let last = runs.end == self.rows.runs;
            let skipped = panel * self.panel_rows + runs.start * self.rows.run;
            let right = self.panels.as_ptr().add(skipped);
            let mut right: [*const f32; P] =
                from_fn(|p| right.add(p * self.panel_rows).cast::<f32>());
            for run in runs {
                let left: [*const f32; R] =
                    from_fn(|i| self.left.add(from[i] + run * self.rows.pitch));
                let mut k = 0;
                while k + 4 <= self.rows.run {
                    multiply(&mut sums, &left, k, &right);
                    multiply(&mut sums, &left, k + 1, &right.map(|right| right.add(WIDTH)));
                    multiply(&mut sums, &left, k + 2, &right.map(|right| right.add(2 * WIDTH)));
                    multiply(&mut sums, &left, k + 3, &right.map(|right| right.add(3 * WIDTH)));
                    right = right.map(|right| right.add(4 * WIDTH));
                    k += 4;
                }
                while k < self.rows.run {
                    multiply(&mut sums, &left, k, &right);
                    right = right.map(|right| right.add(WIDTH));
                    k += 1;
                }
            }
            if last && self.activation == Activation::Relu {
                for i in 0..R {
                    for p in 0..P {
                        sums[i][p] = L::splat(0.0).max(sums[i][p]);
                    }
                }
            }
            for i in 0..R {
                for p in 0..P {
                    let to = to[i].add(p * WIDTH);
                    if whole { sums[i][p].store(to) } else { sums[i][p].store_part(to, width) }
                }
            }
            if last && !matches!(self.activation, Activation::None | Activation::Relu) {
                for to in to {
                    for p in 0..P {
                        let to = to.add(p * WIDTH);
                        let value: L = if whole { L::load(to) } else { L::load_part(to, width) };
                        let value = self.activation.apply(value);
                        if whole { value.store(to) } else { value.store_part(to, width) }
                    }
                }
            }
        }
    }
}

/// sums[i][p] += left[i][k] · right[p]
#[inline(always)]
unsafe fn multiply<L: Lanes, const R: usize, const P: usize>(
    sums: &mut [[L; P]; R],
    left: &[*const f32; R],
    k: usize,
    right: &[*const f32; P],
) {
    // SAFETY: `k` is within every run and each of `right` has a row of sixteen.
    unsafe {
        let right: [L; P] = from_fn(|p| L::load(right[p]));
        for i in 0..R {
            let left = L::splat(*left[i].add(k));
            for p in 0..P {
                sums[i][p] = left.mul_add(right[p], sums[i][p]);
            }
        }
    }
}
