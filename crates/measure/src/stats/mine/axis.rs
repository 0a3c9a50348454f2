//! One axis of a scatter plot: its rows in order, and how they fall into equal bins.

use ndarray::ArrayView1;

use crate::stats::order::{Sorted, sorted};

/// A column, sorted once for all searches it takes part in.
#[derive(Clone, Debug)]
pub struct Axis {
    /// The rows, from the smallest value to the largest.
    pub(super) order: Vec<u32>,
    /// For each row the number of its value among the distinct ones.
    pub(super) ranks: Vec<u32>,
    /// For each distinct value the number of rows up to its last.
    pub(super) ends: Vec<u32>,
}

impl Axis {
    /// Sort a column of finite numbers.
    pub fn new<'c>(column: impl Into<ArrayView1<'c, f32>>) -> Self {
        let Sorted { values, rows: order } = sorted(column.into());
        let (mut ranks, mut ends) = (vec![0; order.len()], Vec::new());
        let mut start = 0;
        for (rank, equal) in values.chunk_by(|one, other| one == other).enumerate() {
            let end = start + equal.len();
            order[start..end].iter().for_each(|&row| ranks[row as usize] = rank as u32);
            ends.push(end as u32);
            start = end;
        }
        Self { order, ranks, ends }
    }
}

/// Join groups of rows into at most `bins` bins, as equal as the groups allow: a group joins a bin
/// while its middle lies before the end that the bin should have, and that end is set anew for
/// each bin from the rows and bins that are left. `ends` has the number of rows up to the end of
/// each group; `cuts` gets the number of groups up to the end of each bin.
pub(super) fn equal_bins(ends: &[u32], bins: usize, cuts: &mut Vec<u32>) {
    cuts.clear();
    let rows = u64::from(ends[ends.len() - 1]);
    let (mut first, mut start) = (0, 0);
    while first < ends.len() {
        // (group start + group end) / 2 < start + (rows - start) / left, in whole numbers.
        let left = (bins - cuts.len()) as u64;
        let end = 2 * (start * left + rows - start);
        let joins = |group: usize| u64::from(ends[group - 1] + ends[group]) * left < end;
        first = first_not(first + 1, ends.len(), joins);
        start = u64::from(ends[first - 1]);
        cuts.push(first as u32);
    }
}

/// The first number from `low` to before `high` that does not hold, or `high`; all that hold come
/// first.
fn first_not(mut low: usize, mut high: usize, holds: impl Fn(usize) -> bool) -> usize {
    while low < high {
        let middle = usize::midpoint(low, high);
        if holds(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_have_one_rank_and_zero_has_no_sign() {
        let axis = Axis::new(&[2.0, -0.0, 5.0, 0.0, 2.0]);
        assert_eq!(axis.ranks, [1, 0, 2, 0, 1]);
        assert_eq!(axis.ends, [2, 4, 5]);
        let sorted: Vec<u32> = axis.order.iter().map(|row| axis.ranks[*row as usize]).collect();
        assert_eq!(sorted, [0, 0, 1, 1, 2]);
    }

    fn bins(sizes: &[u32], bins: usize) -> Vec<u32> {
        let ends: Vec<u32> = sizes
            .iter()
            .scan(0, |sum, size| Some(std::mem::replace(sum, *sum + size) + size))
            .collect();
        let mut cuts = Vec::new();
        equal_bins(&ends, bins, &mut cuts);
        cuts
    }

    #[test]
    fn bins_are_equal_where_groups_allow() {
        assert_eq!(bins(&[1; 9], 3), [3, 6, 9]);
        // 3.5 rows each: the fourth row's middle is where the bin should end, so it stays out.
        assert_eq!(bins(&[1; 7], 2), [3, 7]);
        // The first group is more than its share; the rest is shared anew: 5 rows each.
        assert_eq!(bins(&[10, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1], 3), [1, 6, 11]);
        // One group cannot be cut, and two give no more than two bins.
        assert_eq!(bins(&[8], 4), [1]);
        assert_eq!(bins(&[3, 5], 4), [1, 2]);
        assert_eq!(bins(&[3, 5, 2], 1), [3]);
    }
}
