//! Codes made ready for trees, once for all trees: each column is sorted, and its order is cut into
//! bins, so that a tree needs to look at single rows only where a bin may hide the best split.

use std::cmp::Ordering;

use ndarray::ArrayView2;
use rayon::prelude::*;

/// Bins per column, at most.
pub(super) const BINS: usize = 128;

/// Neighbours that are closer than this are not separated, as in scikit-learn.
const SAME: f32 = 1e-7;

/// Codes made ready for trees.
#[derive(Clone, Debug)]
pub struct Columns {
    /// How many rows there are, at least one.
    pub(super) rows: usize,
    /// Values by row.
    pub(super) values: Vec<Vec<f32>>,
    /// The same, sorted.
    pub(super) sorted: Vec<Sorted>,
    /// The bin of each value, `[rows, columns]`.
    pub(super) bins: Vec<u8>,
    /// The place of each column in an order that depends on what it holds alone.
    pub(super) ranks: Vec<usize>,
}

/// A column sorted and cut into bins.
#[derive(Clone, Debug)]
pub(super) struct Sorted {
    /// Rows by value.
    pub(super) order: Vec<u32>,
    /// Where each bin starts in `order`, and where the last one ends.
    pub(super) starts: Vec<u32>,
    /// Whether a split may lie inside each bin.
    pub(super) divisible: Vec<bool>,
}

/// Whether a split may lie between two neighbours.
pub(super) fn apart(lower: f32, upper: f32) -> bool {
    upper > lower + SAME
}

impl Columns {
    /// From codes `[rows, columns]`; every number must be finite.
    pub fn new(codes: ArrayView2<f32>) -> Self {
        let values: Vec<Vec<f32>> = codes.columns().into_iter().map(|code| code.to_vec()).collect();
        let sorted: Vec<Sorted> = values.par_iter().map(|values| Sorted::new(values)).collect();
        let (rows, width) = codes.dim();
        let mut bins = vec![0; rows * width];
        for (j, column) in sorted.iter().enumerate() {
            for bin in 0..column.divisible.len() {
                for &row in column.rows(bin) {
                    bins[row as usize * width + j] = bin as u8;
                }
            }
        }
        let ranks = ranks(&values, &sorted);
        Self { rows, values, sorted, bins, ranks }
    }
}

impl Sorted {
    fn new(values: &[f32]) -> Self {
        let mut order: Vec<u32> = (0..values.len() as u32).collect();
        order.sort_by(|&i, &j| compare(values[i as usize], values[j as usize]));
        let value = |place: usize| values[order[place] as usize];
        // Edges between which no split can lie whatever rows are taken away: values there may be
        // equal, or almost.
        let mut groups = vec![0];
        groups.extend((1..values.len()).filter(|&i| apart(value(i - 1), value(i))));
        // As many rows in each bin as can be; every group its own bin where they are few.
        let bin = |(number, &start): (usize, &usize)| match groups.len() <= BINS {
            true => number,
            false => start * BINS / values.len(),
        };
        let bins: Vec<usize> = groups.iter().enumerate().map(bin).collect();
        let opens = |i: &usize| *i == 0 || bins[*i] != bins[i - 1];
        let mut starts: Vec<u32> =
            (0..groups.len()).filter(opens).map(|i| groups[i] as u32).collect();
        starts.push(values.len() as u32);
        // Not only where a bin has several groups: of three values that are almost equal, the
        // outer two may be apart once the middle one is in another node.
        let divisible = starts
            .windows(2)
            .map(|bin| apart(value(bin[0] as usize), value(bin[1] as usize - 1)))
            .collect();
        Self { order, starts, divisible }
    }

    /// The rows of a bin by value.
    pub(super) fn rows(&self, bin: usize) -> &[u32] {
        &self.order[self.starts[bin] as usize..self.starts[bin + 1] as usize]
    }
}

fn compare(a: f32, b: f32) -> Ordering {
    a.partial_cmp(&b).expect("codes are finite")
}

/// Columns compared as words are: by the order of their rows, so that a new scale changes nothing,
/// and where that is the same, by their values, first row first.
fn ranks(values: &[Vec<f32>], sorted: &[Sorted]) -> Vec<usize> {
    let words = |&i: &usize, &j: &usize| {
        let pairs = values[i].iter().zip(&values[j]);
        let by_value = pairs.map(|(a, b)| compare(*a, *b)).find(|order| order.is_ne());
        let by_order = sorted[i].order.cmp(&sorted[j].order);
        by_order.then(by_value.unwrap_or(Ordering::Equal))
    };
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(words);
    let mut ranks = vec![0; values.len()];
    for (rank, column) in order.into_iter().enumerate() {
        ranks[column] = rank;
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn few_values_have_a_bin_each_and_nothing_inside() {
        let columns = Columns::new(array![[3.0], [-0.0], [3.0], [1.0], [0.0]].view());
        assert_eq!(columns.bins, [2, 0, 2, 1, 0]);
        assert_eq!(columns.sorted[0].order, [1, 4, 3, 0, 2]);
        assert_eq!(columns.sorted[0].starts, [0, 2, 3, 5]);
        assert_eq!(columns.sorted[0].divisible, [false; 3]);
    }

    #[test]
    fn many_values_share_bins_and_equal_ones_stay_together() {
        // 0, 1, 1, 2, 2, 2, ... and a long run of equal values in the middle.
        let mut values: Vec<f32> = (0..60).flat_map(|v| vec![v as f32; v as usize + 1]).collect();
        values.extend(vec![30.5; 1000]);
        values.extend((0..500).map(|v| 100.0 + v as f32));
        let sorted = Sorted::new(&values);
        assert!(sorted.divisible.len() <= BINS && sorted.divisible.contains(&true));
        for edge in &sorted.starts[1..sorted.starts.len() - 1] {
            let value = |place: u32| values[sorted.order[place as usize] as usize];
            assert!(value(edge - 1) < value(*edge));
        }
    }

    #[test]
    fn values_that_are_almost_equal_are_one_unless_a_row_between_is_missing() {
        let close = [1.0, 1.0 + 0.9e-7, 1.0 + 1.8e-7, 2.0];
        let sorted = Sorted::new(&close);
        assert_eq!(sorted.starts, [0, 3, 4]);
        assert_eq!(sorted.divisible, [true, false]);
        assert!(!apart(1.0, 1.0 + 0.9e-7) && apart(0.0, 1.1e-7));
    }

    #[test]
    fn ranks_follow_the_columns() {
        let codes = array![[2.0, 1.0, 1.0], [0.0, 5.0, 4.0]];
        assert_eq!(Columns::new(codes.view()).ranks, [2, 1, 0]);
        assert_eq!(
            Columns::new(codes.select(ndarray::Axis(1), &[1, 2, 0]).view()).ranks,
            [1, 0, 2]
        );
    }
}
