//! Clumps: neighbouring rows that no good cut would separate. The best cuts of an axis never pass
//! between rows that lie in the same bin of the other axis, and cannot pass between equal values.

use super::axis::{Axis, equal_bins};

/// No bin: the mark of a value whose rows lie in several bins.
const SEVERAL: u32 = u32::MAX;

/// The rows of one axis in clumps, for equal bins of the other.
pub(super) struct Clumps<'a> {
    equal: &'a Axis,
    free: &'a Axis,
    /// In the order of the free axis, the rank of each row on the other.
    partners: Vec<u32>,
    /// The number of values of the equal axis up to the end of each bin.
    bins: Vec<u32>,
    /// In the order of the free axis, the bin of each row.
    row_bins: Vec<u32>,
    /// The number of rows up to the end of each clump, before they are joined.
    small: Vec<u32>,
    /// The number of rows up to the end of each clump.
    ends: Vec<u32>,
    /// The bin of each value of the equal axis.
    bin_of_value: Vec<u32>,
    /// Space for what comes next.
    spare: Vec<u32>,
}

/// How many rows lie in each bin, up to the end of each clump.
pub(super) struct Counts {
    pub(super) clumps: usize,
    /// How many numbers there are for each bin: 0, one for each clump, and the last one again up to
    /// a whole number of tiles.
    pub(super) width: usize,
    /// `[bins, width]`
    within: Vec<u32>,
    /// Over all bins, `[width]`.
    pub(super) total: Vec<u32>,
}

impl Counts {
    pub(super) fn bins(&self) -> impl Iterator<Item = &[u32]> {
        self.within.chunks_exact(self.width)
    }
}

impl<'a> Clumps<'a> {
    pub(super) fn new(equal: &'a Axis, free: &'a Axis) -> Self {
        let partners = free.order.iter().map(|&row| equal.ranks[row as usize]).collect();
        let [bins, row_bins, small, ends, bin_of_value, spare] = Default::default();
        Self { equal, free, partners, bins, row_bins, small, ends, bin_of_value, spare }
    }

    /// Cut one axis into `bins` equal bins, and the other into clumps, joined to equal numbers of
    /// rows where they are more than `limit`. True if both came out as before.
    pub(super) fn cut(&mut self, bins: usize, limit: usize) -> bool {
        equal_bins(&self.equal.ends, bins, &mut self.spare);
        let mut same = self.spare == self.bins;
        if !same {
            std::mem::swap(&mut self.bins, &mut self.spare);
            self.place_rows();
            self.find_clumps();
        }
        if self.small.len() > limit {
            equal_bins(&self.small, limit, &mut self.spare);
            self.spare.iter_mut().for_each(|cut| *cut = self.small[*cut as usize - 1]);
        } else {
            self.spare.clone_from(&self.small);
        }
        same &= self.spare == self.ends;
        std::mem::swap(&mut self.ends, &mut self.spare);
        same
    }

    /// Count the rows; the numbers of a bin are filled up to a multiple of `tile`.
    pub(super) fn counts(&self, tile: usize) -> Counts {
        let clumps = self.ends.len();
        let width = (clumps + 1).next_multiple_of(tile);
        let mut within = vec![0; self.bins.len() * width];
        let mut start = 0;
        for (clump, &end) in self.ends.iter().enumerate() {
            for &bin in &self.row_bins[start..end as usize] {
                within[bin as usize * width + clump + 1] += 1;
            }
            start = end as usize;
        }
        for bin in within.chunks_exact_mut(width) {
            let mut sum = 0;
            for count in bin {
                sum += *count;
                *count = sum;
            }
        }
        let mut total = [&[0], &self.ends[..]].concat();
        total.resize(width, start as u32);
        Counts { clumps, width, within, total }
    }

    fn place_rows(&mut self) {
        self.bin_of_value.clear();
        for (bin, &end) in self.bins.iter().enumerate() {
            self.bin_of_value.resize(end as usize, bin as u32);
        }
        self.row_bins.clear();
        self.row_bins.extend(self.partners.iter().map(|&value| self.bin_of_value[value as usize]));
    }

    /// Neighbours in one bin make a clump; equal values that lie in several bins are one of their
    /// own.
    fn find_clumps(&mut self) {
        self.small.clear();
        let (mut start, mut before) = (0, SEVERAL);
        for &end in &self.free.ends {
            let (first, rest) =
                self.row_bins[start..end as usize].split_first().expect("every value has a row");
            let bin = if rest.iter().all(|bin| bin == first) { *first } else { SEVERAL };
            if start > 0 && (bin != before || bin == SEVERAL) {
                self.small.push(start as u32);
            }
            (start, before) = (end as usize, bin);
        }
        self.small.push(start as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clumps_hold_what_no_cut_separates() {
        // Bins of y:  0 0 | 1 1 | 0 1 (tied in x) | 1 0 (tied in x) | 1
        let x = [0.0, 1.0, 2.0, 3.0, 4.0, 4.0, 5.0, 5.0, 6.0];
        let y = [0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0];
        let (x, y) = (Axis::new(&x), Axis::new(&y));
        let mut clumps = Clumps::new(&y, &x);
        assert!(!clumps.cut(2, 9));
        assert_eq!(clumps.ends, [2, 4, 6, 8, 9]);
        let counts = clumps.counts(2);
        assert_eq!(counts.within, [0, 2, 2, 3, 4, 4, 0, 0, 2, 3, 4, 5]);
        assert_eq!(counts.total, [0, 2, 4, 6, 8, 9]);
        // Two values fall into the same two bins; with a lower limit, clumps are joined.
        assert!(clumps.cut(3, 9));
        assert!(!clumps.cut(4, 2));
        assert_eq!(clumps.ends, [4, 9]);
    }
}
