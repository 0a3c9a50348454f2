//! Where the mean or the spread of a series changes: the cuts with the largest likelihood of a Gaussian whose mean and
//! variance are constant between them, less a penalty for each cut (optimal partitioning, Jackson et al. 2005), over a
//! grid of rows, each cut then moved to its best row.
//!
//! Rows of real series depend on each other, for which a penalty that grows with ln(rows) is too low, so it is taken
//! several times: what is found is a suggestion.

use ndarray::ArrayView2;

/// How many times the penalty of independent rows is asked for.
const STRICT: f64 = 4.0;
/// No segment has fewer rows.
const SHORTEST: usize = 20;
/// So many places are tried for a cut.
const TRIED: usize = 500;

/// The rows, in order, at which something changes in `[rows, channels]`.
pub fn changes(series: ArrayView2<f32>) -> Vec<usize> {
    let rows = series.nrows();
    if rows < 2 * SHORTEST {
        return vec![];
    }
    let sums = Sums::of(series);
    let penalty = STRICT * (2 * series.ncols() + 1) as f64 * (rows as f64).ln();
    let step = rows.div_ceil(TRIED).max(SHORTEST / 4);
    let mut grid: Vec<usize> = (0..rows).step_by(step).collect();
    grid.push(rows);
    let cuts = partition(&sums, &grid, penalty);
    moved(&sums, &cuts, step, rows)
}

/// The cuts of the cheapest partition of the grid, in order.
fn partition(sums: &Sums, grid: &[usize], penalty: f64) -> Vec<usize> {
    let mut cost = vec![f64::INFINITY; grid.len()];
    let mut before = vec![0; grid.len()];
    cost[0] = -penalty;
    for end in 1..grid.len() {
        for start in 0..end {
            if grid[end] - grid[start] < SHORTEST {
                break;
            }
            let now = cost[start] + sums.cost(grid[start], grid[end]) + penalty;
            if now < cost[end] {
                (cost[end], before[end]) = (now, start);
            }
        }
    }
    let mut cuts = Vec::new();
    let mut place = before[grid.len() - 1];
    while place > 0 {
        cuts.push(grid[place]);
        place = before[place];
    }
    cuts.reverse();
    cuts
}

/// Each cut at the best row within a step of the grid.
fn moved(sums: &Sums, cuts: &[usize], step: usize, rows: usize) -> Vec<usize> {
    let mut found: Vec<usize> = Vec::new();
    for (k, &cut) in cuts.iter().enumerate() {
        let from = found.last().copied().unwrap_or(0);
        let to = cuts.get(k + 1).copied().unwrap_or(rows);
        let around = (cut.saturating_sub(step).max(from + 2))..=(cut + step).min(to - 2);
        let cost = |cut: usize| sums.cost(from, cut) + sums.cost(cut, to);
        found.push(around.min_by(|a, b| cost(*a).total_cmp(&cost(*b))).unwrap_or(cut));
    }
    found
}

/// Sums of numbers and squares up to each row, channel by channel.
struct Sums {
    channels: usize,
    /// `[rows + 1][channels]` pairs.
    upto: Vec<[f64; 2]>,
}

impl Sums {
    fn of(series: ArrayView2<f32>) -> Self {
        let channels = series.ncols();
        let mut upto = vec![[0.0; 2]; channels];
        upto.reserve(series.len());
        for row in series.rows() {
            for value in row {
                let before = upto[upto.len() - channels];
                let value = f64::from(*value);
                upto.push([before[0] + value, before[1] + value * value]);
            }
        }
        Self { channels, upto }
    }

    /// Minus twice the logarithm of the largest likelihood of these rows, but for constants.
    fn cost(&self, from: usize, to: usize) -> f64 {
        let rows = (to - from) as f64;
        let one = |channel: usize| {
            let [a, b] = [from, to].map(|row| self.upto[row * self.channels + channel]);
            let mean = (b[0] - a[0]) / rows;
            let variance = (b[1] - a[1]) / rows - mean * mean;
            rows * variance.max(1e-6).ln()
        };
        (0..self.channels).map(one).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use ndarray::Array2;

    /// Noise whose spread is 1 or 4 by turns of so many rows.
    fn series(rows: usize, turn: usize) -> Array2<f32> {
        let mut rng = Rng::new(0);
        Array2::from_shape_fn((rows, 2), |(row, _)| {
            rng.normal() * if turn > 0 && row / turn % 2 == 1 { 4.0 } else { 1.0 }
        })
    }

    #[test]
    fn changes_of_spread_are_found_where_they_are_and_noise_has_none() {
        let found = changes(series(1000, 250).view());
        assert_eq!(found.len(), 3, "{found:?}");
        for (found, truth) in found.iter().zip([250_usize, 500, 750]) {
            assert!(found.abs_diff(truth) <= 5, "{found} {truth}");
        }
        assert_eq!(changes(series(1000, 0).view()), [0; 0]);
        assert_eq!(changes(series(10, 0).view()), [0; 0]);
    }
}
