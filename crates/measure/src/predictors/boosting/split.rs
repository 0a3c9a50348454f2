//! The best split of a node: first at the edges of bins, then inside those bins where a better one
//! may be.
//!
//! With c rows and a sum of residuals s on the left, of n rows with sum t, squared errors fall by
//!
//! ```text
//! s² / c + (t - s)² / (n - c) - t² / n  =  n (s - c t / n)² / ( c (n - c) )
//! ```
//!
//! The first form without its last term decides, as in scikit-learn: columns that part the rows
//! alike, or as mirror images, then have the same score to the last bit. The second form needs no
//! division to be compared with the best so far, so it chooses what is worth deciding.

use super::columns::{BINS, Columns, apart};
use super::edges::Edges;
use super::histogram::{Grid, Histogram};

/// A node whose residuals vary less is not split, as in scikit-learn.
const PURE: f64 = f64::EPSILON;

/// The rows of a tree while it grows.
pub(super) struct Rows<'a> {
    pub(super) columns: &'a Columns,
    /// Residuals on the grid.
    pub(super) wholes: &'a [i64],
    pub(super) grid: Grid,
    /// The node of each row.
    pub(super) nodes: &'a [u8],
}

/// Rows that are together so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) id: u8,
    pub(super) count: i64,
    /// The sum of their residuals, on the grid.
    pub(super) sum: i64,
}

/// How a node is parted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Split {
    pub(super) column: usize,
    /// Rows above go right.
    pub(super) threshold: f32,
    /// How many rows go left.
    pub(super) count: i64,
    /// The sum of their residuals, on the grid.
    pub(super) sum: i64,
    /// By how much the squared error falls.
    pub(super) gain: f64,
}

/// The best split of a node that has more than one row; `None` if its residuals are all the same, or
/// no column can part it. `edges` is space to work in.
pub(super) fn best_split(
    rows: &Rows,
    histogram: &Histogram,
    edges: &mut [Edges],
    node: Node,
    seed: u64,
) -> Option<Split> {
    let mean = node.sum as f64 / node.count as f64;
    let mut search = Search { rows, node, mean, seed, best: None, level: 0.0 };
    search.at_edges(histogram, edges);
    // The variance is at least what can be gained per row.
    let unit = rows.grid.scale * rows.grid.scale;
    if search.level * node.count as f64 <= PURE * unit && search.variance() <= PURE * unit {
        return None;
    }
    search.inside_bins(edges);
    let best = search.best?;
    let (lower, upper) = search.neighbours(best.column, best.place)?;
    Some(Split {
        column: best.column,
        threshold: midway(lower, upper),
        count: best.count,
        sum: best.sum,
        gain: search.level_of(best.count, best.sum) * node.count as f64 / unit,
    })
}

/// The search in one node.
struct Search<'a> {
    rows: &'a Rows<'a>,
    node: Node,
    mean: f64,
    seed: u64,
    best: Option<Candidate>,
    /// The level of the best, less a little for rounding: what is below cannot be as good.
    level: f64,
}

#[derive(Clone, Copy)]
struct Candidate {
    column: usize,
    /// How many rows of the column's order are on the left, other nodes' rows with them.
    place: usize,
    count: i64,
    sum: i64,
    score: f64,
    /// Which of equal candidates is taken.
    tie: u64,
}

impl Search<'_> {
    fn at_edges(&mut self, histogram: &Histogram, edges: &mut [Edges]) {
        let (grid, all) = (self.rows.grid, self.node.count);
        for (column, (bins, edges)) in histogram.iter().zip(edges).enumerate() {
            let sorted = &self.rows.columns.sorted[column];
            let width = sorted.divisible.len();
            if edges.look(&bins[..width], grid, all as f64, self.mean) < self.level {
                continue;
            }
            for edge in 1..width {
                let count = grid.count(edges.packed[edge]);
                let deviation = edges.deviations[edge];
                let close = deviation * deviation >= edges.spreads[edge] * self.level;
                if close && count > 0 && count < all {
                    let place = sorted.starts[edge] as usize;
                    self.offer(column, place, count, edges.wholes[edge]);
                }
            }
        }
    }

    fn inside_bins(&mut self, edges: &[Edges]) {
        let grid = self.rows.grid;
        let mut promise = [0.0; BINS];
        for (column, edges) in edges.iter().enumerate() {
            let divisible = &self.rows.columns.sorted[column].divisible;
            // Far more than deviations are off by rounding.
            let slack = 1e-14 * grid.magnitude(edges.packed[divisible.len()]);
            edges.promise(self.level, slack, &mut promise);
            for (bin, _) in divisible.iter().enumerate().filter(|(_, divisible)| **divisible) {
                if promise[bin] > 0.0 && edges.rows(bin, grid) > 1 {
                    self.inside(column, bin, grid.count(edges.packed[bin]), edges.wholes[bin]);
                }
            }
        }
    }

    /// Every place in a bin, with so many rows and such a sum on its left.
    #[inline(never)]
    fn inside(&mut self, column: usize, bin: usize, mut count: i64, mut sum: i64) {
        let columns = self.rows.columns;
        let sorted = &columns.sorted[column];
        let (nodes, wholes) = (&self.rows.nodes[..columns.rows], &self.rows.wholes[..columns.rows]);
        let (id, all, mean) = (self.node.id, self.node.count as f64, self.mean);
        let mut level = self.level;
        for (place, &row) in (sorted.starts[bin] as usize..).zip(sorted.rows(bin)) {
            let (node, whole) = (nodes[row as usize], wholes[row as usize]);
            let here = node == id;
            let c = count as f64;
            let deviation = sum as f64 - c * mean;
            let close = deviation * deviation > c * (all - c) * level;
            // Almost never true: one jump that is foreseen is faster than one for each condition.
            if close & here {
                if self.may_part(column, place) {
                    self.offer(column, place, count, sum);
                }
                level = self.level;
            }
            count += i64::from(here);
            sum += whole & -i64::from(here);
        }
    }

    fn may_part(&self, column: usize, place: usize) -> bool {
        self.neighbours(column, place).is_some_and(|(lower, upper)| apart(lower, upper))
    }

    /// The nearest values of the node on both sides of a place.
    fn neighbours(&self, column: usize, place: usize) -> Option<(f32, f32)> {
        let here = |row: &&u32| self.rows.nodes[**row as usize] == self.node.id;
        let (left, right) = self.rows.columns.sorted[column].order.split_at(place);
        let (lower, upper) = (left.iter().rev().find(here)?, right.iter().find(here)?);
        let values = &self.rows.columns.values[column];
        Some((values[*lower as usize], values[*upper as usize]))
    }

    fn offer(&mut self, column: usize, place: usize, count: i64, sum: i64) {
        let (c, s) = (count as f64, sum as f64);
        let (n, t) = (self.node.count as f64, self.node.sum as f64);
        let score = s * s / c + (t - s) * (t - s) / (n - c);
        let tie = scramble(self.seed, self.rows.columns.ranks[column]);
        let candidate = Candidate { column, place, count, sum, score, tie };
        if self.best.is_none_or(|best| candidate.is_before(&best)) {
            self.best = Some(candidate);
            self.level = self.level_of(count, sum) * (1.0 - 1e-10);
        }
    }

    /// (s - c t / n)² / ( c (n - c) ), a share of what is gained.
    fn level_of(&self, count: i64, sum: i64) -> f64 {
        let (c, n) = (count as f64, self.node.count as f64);
        let deviation = sum as f64 - c * self.mean;
        deviation * deviation / (c * (n - c))
    }

    fn variance(&self) -> f64 {
        let rows = self.rows.nodes.iter().zip(self.rows.wholes);
        let square = |whole: &i64| (*whole as f64 - self.mean).powi(2);
        let squares = rows.filter(|(id, _)| **id == self.node.id).map(|(_, whole)| square(whole));
        squares.sum::<f64>() / self.node.count as f64
    }
}

impl Candidate {
    /// The better; of equals, one column by lot and its first place.
    fn is_before(&self, other: &Self) -> bool {
        let lot = (self.tie, self.count) < (other.tie, other.count);
        self.score > other.score || (self.score == other.score && lot)
    }
}

/// The largest number that is not above the middle: comparing with it is comparing with the middle.
fn midway(lower: f32, upper: f32) -> f32 {
    let middle = f64::from(lower) / 2.0 + f64::from(upper) / 2.0;
    let near = middle as f32;
    if f64::from(near) > middle { near.next_down() } else { near }
}

/// A number that looks random (the last steps of SplitMix64).
fn scramble(seed: u64, number: usize) -> u64 {
    let mut x = seed ^ (number as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predictors::boosting::histogram::{fill, fill_child};
    use crate::rng::Rng;
    use ndarray::Array2;

    /// The best score and the columns that have it, trying every place of every column.
    fn exhaustive(rows: &Rows, node: Node) -> Option<(f64, Vec<usize>)> {
        let mut best: Option<(f64, Vec<usize>)> = None;
        for (column, values) in rows.columns.values.iter().enumerate() {
            let here = |row: &usize| rows.nodes[*row] == node.id;
            let mut order: Vec<usize> = (0..values.len()).filter(here).collect();
            order.sort_by(|&i, &j| values[i].total_cmp(&values[j]));
            let (mut sum, n) = (0, node.count as f64);
            for (place, pair) in order.windows(2).enumerate() {
                sum += rows.wholes[pair[0]];
                if !apart(values[pair[0]], values[pair[1]]) {
                    continue;
                }
                let (c, s, rest) = ((place + 1) as f64, sum as f64, (node.sum - sum) as f64);
                let score = s * s / c + rest * rest / (n - c);
                match &mut best {
                    Some((largest, columns)) if *largest == score => columns.push(column),
                    Some((largest, _)) if *largest > score => {}
                    _ => best = Some((score, vec![column])),
                }
            }
        }
        best
    }

    /// Codes of every kind: continuous, few values, almost equal values, a constant, mirror images.
    fn codes(rows: usize, rng: &mut Rng) -> Array2<f32> {
        let mut codes = Array2::zeros((rows, 7));
        for mut row in codes.rows_mut() {
            let (a, b) = (rng.normal(), rng.below(9) as f32);
            let close = 0.3 + rng.below(40) as f32 * 5e-8;
            let values = [a, b, -a, close, 4.0, (rng.normal() * 300.0).round(), a.max(0.0)];
            row.iter_mut().zip(values).for_each(|(code, value)| *code = value);
        }
        codes
    }

    #[test]
    fn no_split_is_better_than_the_one_found() {
        let mut rng = Rng::new(5);
        for case in 0..60 {
            let rows = [3, 20, 150, 900, 4000][case % 5] + rng.below(30);
            let columns = Columns::new(codes(rows, &mut rng).view());
            let grid = Grid::new(rows);
            // Rare positives with a place of their own, as the residuals of one class of many are.
            let positive =
                |row: usize, rng: &mut Rng| columns.values[0][row] > 1.0 || rng.below(30) == 0;
            let wholes: Vec<i64> = (0..rows)
                .map(|row| match positive(row, &mut rng) {
                    true => grid.whole(1.0 - 0.3 * rng.uniform()),
                    false => grid.whole(-0.1 * rng.uniform()),
                })
                .collect();
            let nodes: Vec<u8> =
                (0..rows).map(|_| u8::from(rng.below(case % 7 + 2) == 0)).collect();
            let members = Rows { columns: &columns, wholes: &wholes, grid, nodes: &nodes };
            let mut histograms = [vec![[[0; 2]; BINS]; 7], vec![[[0; 2]; BINS]; 7]];
            let [parent, child] = &mut histograms;
            fill(parent, &columns, &wholes, grid);
            fill_child((parent, child), &columns, &wholes, grid, (&nodes, 1));
            for (id, histogram) in (0..).zip(&histograms) {
                let of_node = || (0..rows).filter(|&row| nodes[row] == id);
                let (count, sum) =
                    (of_node().count() as i64, of_node().map(|row| wholes[row]).sum());
                let node = Node { id, count, sum };
                if count < 2 {
                    continue;
                }
                let mut edges = vec![Edges::NEW; 7];
                let found = best_split(&members, histogram, &mut edges, node, case as u64);
                let (Some(found), Some((score, ties))) = (found, exhaustive(&members, node)) else {
                    panic!("case {case}: {found:?}");
                };
                let (c, s, t) = (found.count as f64, found.sum as f64, sum as f64);
                let (n, rest) = (count as f64, t - s);
                assert_eq!(s * s / c + rest * rest / (n - c), score, "case {case}: {found:?}");
                assert!(ties.contains(&found.column), "case {case}: {found:?}, not in {ties:?}");
                let left =
                    of_node().filter(|&r| columns.values[found.column][r] <= found.threshold);
                assert_eq!(left.count() as i64, found.count, "case {case}");
                let gain = (score - t * t / n) / (grid.scale * grid.scale);
                assert!((found.gain - gain).abs() < 1e-9 * score, "case {case}: {gain}");
            }
        }
    }

    #[test]
    fn equal_residuals_and_equal_values_are_not_parted() {
        let split = |codes: [f32; 6], residuals: [f64; 6]| {
            let columns = Columns::new(ndarray::arr2(&[codes]).t());
            let grid = Grid::new(6);
            let wholes = residuals.map(|residual| grid.whole(residual));
            let rows = Rows { columns: &columns, wholes: &wholes, grid, nodes: &[0; 6] };
            let mut histogram = [[[0; 2]; BINS]];
            fill(&mut histogram, &columns, &wholes, grid);
            let node = Node { id: 0, count: 6, sum: wholes.iter().sum() };
            best_split(&rows, &histogram, &mut [Edges::NEW], node, 0)
        };
        let rising = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0];
        assert!(split(rising, [0.3; 6]).is_none());
        assert!(split([1.0; 6], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]).is_none());
        let found = split(rising, [0.5, 0.5, -0.25, -0.25, -0.25, -0.25]).unwrap();
        assert_eq!((found.threshold, found.count), (1.5, 2));
        // 2 * 4 / 6 (0.5 + 0.25)²
        assert!((found.gain - 0.75).abs() < 1e-9);
        // Nothing is gained by any split, but below one of them something is.
        assert!(split([0.0, 0.0, 0.0, 1.0, 1.0, 1.0], [0.5, 0.5, -1.0, 0.5, 0.5, -1.0]).is_some());
    }

    #[test]
    fn the_middle_is_rounded_down() {
        assert_eq!(midway(1.0, 2.0), 1.5);
        let next = 1f32.next_up();
        assert_eq!(midway(1.0, next), 1.0);
        assert_eq!(midway(next, next.next_up()), next);
        assert_eq!(midway(-3e38, 3e38), 0.0);
        assert_eq!(midway(3e38, 3.2e38), 3.1e38);
    }
}
