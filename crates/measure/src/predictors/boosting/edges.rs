//! What is known at the edges of the bins of a column, within a node.

use super::columns::BINS;
use super::histogram::{Cell, Grid, float};

/// Left of each edge of a column's bins; edge 0 has nothing on its left, the last edge everything.
#[derive(Clone, Debug)]
pub(super) struct Edges {
    /// Sums of residuals, and counts with magnitudes, as in a [`Cell`].
    pub(super) wholes: [i64; BINS + 1],
    pub(super) packed: [i64; BINS + 1],
    sums: [f64; BINS + 1],
    magnitudes: [f64; BINS + 1],
    /// sum - count * mean
    pub(super) deviations: [f64; BINS + 1],
    /// count * (all - count)
    pub(super) spreads: [f64; BINS + 1],
    /// deviation^2 / spread
    gains: [f64; BINS + 1],
}

impl Edges {
    pub(super) const NEW: Self = Self {
        wholes: [0; BINS + 1],
        packed: [0; BINS + 1],
        sums: [0.0; BINS + 1],
        magnitudes: [0.0; BINS + 1],
        deviations: [0.0; BINS + 1],
        spreads: [0.0; BINS + 1],
        gains: [0.0; BINS + 1],
    };

    /// Look at a node with so many rows; the largest gain at an edge.
    pub(super) fn look(&mut self, bins: &[Cell], grid: Grid, rows: f64, mean: f64) -> f64 {
        let (mut whole, mut packed) = (0, 0);
        for (bin, cell) in bins.iter().enumerate() {
            whole += cell[0];
            packed += cell[1];
            self.wholes[bin + 1] = whole;
            self.packed[bin + 1] = packed;
        }
        for edge in 0..=bins.len() {
            let count = float(grid.count(self.packed[edge]));
            self.sums[edge] = float(self.wholes[edge]);
            self.magnitudes[edge] = grid.magnitude(self.packed[edge]);
            let deviation = self.sums[edge] - count * mean;
            let spread = count * (rows - count);
            self.deviations[edge] = deviation;
            self.spreads[edge] = spread;
            self.gains[edge] = deviation * deviation / if spread > 1.0 { spread } else { 1.0 };
        }
        largest(&self.gains[..=bins.len()])
    }

    /// For each bin, above zero if a split inside it may gain more than `level`.
    ///
    /// The gain is convex in (count, sum), so inside a bin it is below its largest value at the
    /// corners of any box around the way from edge to edge: counts from edge to edge; sums from
    /// all that is negative first to all that is positive first.
    pub(super) fn promise(&self, level: f64, slack: f64, promise: &mut [f64; BINS]) {
        let sides = |of: &[f64; BINS + 1], bin: usize| (of[bin], of[bin + 1]);
        for (bin, promise) in promise.iter_mut().enumerate() {
            let ((s0, s1), (m0, m1)) = (sides(&self.sums, bin), sides(&self.magnitudes, bin));
            let (d0, d1) = sides(&self.deviations, bin);
            let (v0, v1) = sides(&self.spreads, bin);
            let (sum, magnitude) = (s1 - s0, m1 - m0 + slack);
            let left = magnitude + (2.0 * d0 + sum).abs();
            let right = magnitude + (2.0 * d1 - sum).abs();
            let left = left * left - 4.0 * level * v0;
            let right = right * right - 4.0 * level * v1;
            *promise = if left > right { left } else { right };
        }
    }

    /// Rows between the edges of a bin.
    pub(super) fn rows(&self, bin: usize, grid: Grid) -> i64 {
        grid.count(self.packed[bin + 1] - self.packed[bin])
    }
}

/// In four lanes: a fold over one would wait for each comparison.
fn largest(numbers: &[f64]) -> f64 {
    let larger = |a: f64, b: f64| if b > a { b } else { a };
    let (fours, rest) = numbers.as_chunks::<4>();
    let mut lanes = [0.0; 4];
    for four in fours {
        for (lane, number) in lanes.iter_mut().zip(four) {
            *lane = larger(*lane, *number);
        }
    }
    lanes.iter().chain(rest).fold(0.0, |a, b| larger(a, *b))
}
