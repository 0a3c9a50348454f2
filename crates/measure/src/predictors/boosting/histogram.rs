//! Sums of residuals over the bins of each column, exact.
//!
//! Residuals are rounded to whole numbers of a fine grid. Sums of whole numbers do not depend on
//! their order, so a node's sums can be had as its parent's less its sibling's, columns that part a
//! node alike tie exactly, and threads change nothing. The grid is finer than 1e-11 for 10,000 rows;
//! a grid of 1e-9 gives the same scores.

use super::columns::{BINS, Columns};

/// Adding 1.5 * 2^52 to a number below 2^51 rounds it and leaves it in the low bits.
const MAGIC: f64 = 6_755_399_441_055_744.0;

/// A whole number below 2^51 as a float; unlike a cast, several at a time.
pub(super) fn float(whole: i64) -> f64 {
    f64::from_bits((whole + MAGIC.to_bits() as i64) as u64) - MAGIC
}

/// How residuals are written as whole numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    /// Whole numbers per unit.
    pub(super) scale: f64,
    /// Where the count starts in the second number of a cell.
    count_bit: u32,
    /// How many bits of a magnitude are left out there.
    magnitude_bit: u32,
}

/// The residuals of some rows: their sum; and their count in the high bits, with the sum of their
/// magnitudes (rounded up) in the low ones, so that both cost one addition.
pub(super) type Cell = [i64; 2];

/// The bins of each column.
pub(super) type Histogram = [[Cell; BINS]];

impl Grid {
    /// For so many residuals between -1 and 1. Sums stay below 2^51, counts with magnitudes below
    /// 2^62.
    pub(super) fn new(rows: usize) -> Self {
        let bits = usize::BITS - rows.leading_zeros();
        let (sum_bits, count_bit) = (51 - bits, (62 - bits).min(51));
        let magnitude_bit = sum_bits.saturating_sub(count_bit - bits - 1);
        Self { scale: (1_i64 << sum_bits) as f64, count_bit, magnitude_bit }
    }

    /// The nearest whole number.
    pub(super) fn whole(self, residual: f64) -> i64 {
        (residual * self.scale + MAGIC).to_bits() as i64 - MAGIC.to_bits() as i64
    }

    /// A row by itself.
    fn cell(self, whole: i64) -> Cell {
        [whole, (1 << self.count_bit) + (whole.abs() >> self.magnitude_bit) + 1]
    }

    /// How many rows.
    pub(super) fn count(self, packed: i64) -> i64 {
        packed >> self.count_bit
    }

    /// At least the sum of their magnitudes.
    pub(super) fn magnitude(self, packed: i64) -> f64 {
        let low = packed & ((1 << self.count_bit) - 1);
        float(low) * (1_i64 << self.magnitude_bit) as f64
    }
}

/// All rows.
pub(super) fn fill(histogram: &mut Histogram, columns: &Columns, wholes: &[i64], grid: Grid) {
    histogram.fill([[0; 2]; BINS]);
    for (&whole, bins) in wholes.iter().zip(columns.bins.chunks_exact(histogram.len())) {
        add(histogram, bins, grid.cell(whole));
    }
}

/// The rows of one node, which are taken out of its parent's histogram.
pub(super) fn fill_child(
    (parent, child): (&mut Histogram, &mut Histogram),
    columns: &Columns,
    wholes: &[i64],
    grid: Grid,
    (nodes, node): (&[u8], u8),
) {
    child.fill([[0; 2]; BINS]);
    let width = child.len();
    each_row(nodes, node, |row| {
        add(child, &columns.bins[row * width..][..width], grid.cell(wholes[row]));
    });
    for (parent, child) in parent.as_flattened_mut().iter_mut().zip(child.as_flattened()) {
        parent[0] -= child[0];
        parent[1] -= child[1];
    }
}

fn add(histogram: &mut Histogram, bins: &[u8], cell: Cell) {
    for (column, &bin) in histogram.iter_mut().zip(bins) {
        let sum = &mut column[usize::from(bin) % BINS];
        sum[0] += cell[0];
        sum[1] += cell[1];
    }
}

/// Visit the rows of a node, in order. Nodes are below 128, so that eight can be compared at once.
fn each_row(nodes: &[u8], node: u8, mut visit: impl FnMut(usize)) {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let (eights, rest) = nodes.as_chunks::<8>();
    let wanted = u64::from_le_bytes([node; 8]);
    for (at, eight) in eights.iter().enumerate() {
        // The high bit of each byte stays where the rest of the byte is zero.
        let mut found = !((u64::from_le_bytes(*eight) ^ wanted) + LOW) & !LOW;
        while found != 0 {
            visit(8 * at + found.trailing_zeros() as usize / 8);
            found &= found - 1;
        }
    }
    for (at, _) in rest.iter().enumerate().filter(|(_, other)| **other == node) {
        visit(8 * eights.len() + at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    #[test]
    fn a_cell_keeps_sum_count_and_magnitude_for_few_and_for_many_rows() {
        for rows in [1, 7, 1000, 10_000, 1 << 20, (1 << 24) + 3] {
            let grid = Grid::new(rows);
            for residual in [1.0, -1.0, 0.3] {
                let cell = grid.cell(grid.whole(residual));
                let all = [cell[0] * rows as i64, cell[1] * rows as i64];
                assert_eq!(grid.count(all[1]), rows as i64);
                let (sum, exact) = (float(all[0]) / grid.scale, residual * rows as f64);
                assert!((sum - exact).abs() <= rows as f64 / grid.scale, "{rows}: {sum}");
                let magnitude = grid.magnitude(all[1]) / grid.scale;
                assert!(magnitude >= sum.abs() && magnitude < 1.01 * exact.abs(), "{rows}");
            }
        }
        assert!(Grid::new(10_000).scale > 1e11);
    }

    #[test]
    fn a_child_is_taken_out_of_its_parent() {
        let codes = Array2::from_shape_fn((50, 2), |(i, j)| (i * (j + 3) % 11) as f32);
        let (columns, grid) = (Columns::new(codes.view()), Grid::new(50));
        let wholes: Vec<i64> = (0..50).map(|i| grid.whole((i as f64 - 20.0) / 50.0)).collect();
        let nodes: Vec<u8> = (0..50).map(|i| u8::from(i % 3 == 0)).collect();
        let mut all = vec![[[0; 2]; BINS]; 2];
        fill(&mut all, &columns, &wholes, grid);
        let (mut parent, mut child) = (all.clone(), all.clone());
        fill_child((&mut parent, &mut child), &columns, &wholes, grid, (&nodes, 1));
        for (bin, cell) in child[1].iter().enumerate() {
            let here =
                |i: &usize| i.is_multiple_of(3) && usize::from(columns.bins[i * 2 + 1]) == bin;
            let rows: Vec<usize> = (0..50).filter(here).collect();
            assert_eq!(cell[0], rows.iter().map(|&i| wholes[i]).sum::<i64>());
            assert_eq!(grid.count(cell[1]), rows.len() as i64);
        }
        let whole = all.as_flattened().iter();
        for (whole, (parent, child)) in
            whole.zip(parent.as_flattened().iter().zip(child.as_flattened()))
        {
            assert_eq!(*whole, [parent[0] + child[0], parent[1] + child[1]]);
        }
    }
}
