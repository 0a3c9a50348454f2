//! How matrices lie in memory: packed into the panels that a product reads, transposed, and from panels
//! of outputs to panels of rows. Dense layers need the same numbers in these orders.

use std::mem::MaybeUninit;

use crate::fill::fill;
use crate::lanes::{Lanes, WIDTH};
use crate::panel::PanelRow;

/// Numbers a thread turns at once.
const PIECE: usize = 1 << 15;

/// `[panel][depth][16]` of a block of a matrix with rows `stride` apart; the block below it, which will be
/// the next, is asked for meanwhile.
///
/// # Safety
/// The processor has the instructions of `L`.
#[inline(always)]
pub(crate) unsafe fn pack<L: Lanes>(
    from: &[f32],
    stride: usize,
    depth: usize,
    columns: usize,
    panels: &mut [PanelRow],
) {
    let (whole, rest) = (columns / WIDTH, columns % WIDTH);
    assert!(from.len() >= (depth - 1) * stride + columns);
    assert!(panels.len() >= columns.div_ceil(WIDTH) * depth);
    for k in 0..depth {
        // SAFETY: row k has `columns` floats, and each panel a row k: the assertions.
        unsafe {
            let row = from.as_ptr().add(k * stride);
            let to = panels.as_mut_ptr().add(k);
            for panel in 0..whole {
                L::load(row.add(panel * WIDTH)).store(to.add(panel * depth).cast());
                prefetch(row.wrapping_add(panel * WIDTH + depth * stride));
            }
            if rest > 0 {
                L::load_part(row.add(whole * WIDTH), rest).store(to.add(whole * depth).cast());
            }
        }
    }
}

/// Ask for the cache line at an address that will be read soon.
#[inline(always)]
fn prefetch(address: *const f32) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint, which every x86-64 has; it reads nothing and does not fault, whatever the address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T1>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// `[columns][rows]` of `[rows][columns]`, in squares that stay in cache.
pub(crate) fn transpose(from: &[f32], rows: usize, columns: usize) -> Vec<f32> {
    let strip = WIDTH.max((PIECE / rows).next_multiple_of(WIDTH));
    fill(rows * columns, strip * rows, |i, out| {
        let (first, count) = (i * strip, out.len() / rows);
        for row in (0..rows).step_by(WIDTH) {
            let height = WIDTH.min(rows - row);
            for column in (0..count).step_by(WIDTH) {
                let width = WIDTH.min(count - column);
                let mut square = [[0.0; WIDTH]; WIDTH];
                for (r, square) in square[..height].iter_mut().enumerate() {
                    let from = &from[(row + r) * columns + first + column..];
                    match from.first_chunk::<WIDTH>() {
                        Some(whole) if width == WIDTH => *square = *whole,
                        _ => square[..width].copy_from_slice(&from[..width]),
                    }
                }
                for c in 0..width {
                    let turned: [f32; WIDTH] = std::array::from_fn(|r| square[r][c]);
                    let out = &mut out[(column + c) * rows + row..][..height];
                    match out.first_chunk_mut::<WIDTH>() {
                        Some(whole) => *whole = turned.map(MaybeUninit::new),
                        None => {
                            out.write_copy_of_slice(&turned[..height]);
                        }
                    }
                }
            }
        }
    })
}

/// From panels of outputs, `[panel][row][16 outputs]`, to panels of rows, `[panel][output][16 rows]`.
pub(crate) fn turn_panels(panels: &[PanelRow], rows: usize, outputs: usize) -> Vec<PanelRow> {
    let mut out = vec![PanelRow::default(); rows.div_ceil(WIDTH) * outputs];
    for (panel, from) in panels.chunks_exact(rows).enumerate() {
        let wide = WIDTH.min(outputs - panel * WIDTH);
        for (row, from) in from.iter().enumerate() {
            let out = &mut out[row / WIDTH * outputs + panel * WIDTH..][..wide];
            for (out, value) in out.iter_mut().zip(from.0) {
                out.0[row % WIDTH] = value;
            }
        }
    }
    out
}
