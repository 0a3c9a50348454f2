//! What both inner loops share: panels of sixteen columns, and the heights of tiles.

use crate::lanes::{Lanes, WIDTH};

/// A row of sixteen columns of a right side; aligned, so that no load crosses a cache line.
#[derive(Clone, Copy, Default)]
#[repr(C, align(64))]
pub(crate) struct PanelRow(pub(crate) [f32; WIDTH]);

/// The next tile for so many rows that are left: the largest, but 7 as 4 + 3 and 8 as 4 + 4.
#[inline(always)]
pub(crate) fn tile_height<L: Lanes>(left: usize) -> usize {
    match left {
        12.. if L::ROWS >= 12 => 12,
        7 | 8 => L::ROWS.min(4),
        _ => left.min(6).min(L::ROWS),
    }
}

/// The bias with zeros behind, up to a whole number of panels; nothing stays nothing.
pub(crate) fn whole_panels(bias: &[f32]) -> Vec<f32> {
    let mut out = bias.to_vec();
    out.resize(bias.len().next_multiple_of(WIDTH), 0.0);
    out
}
