//! Random forests of regression trees (Breiman 2001) that can be cut at any depth. Trees grow from
//! the top, so the first levels of a deep tree are the shallow tree: one forest gives the
//! predictions of every depth.
//!
//! Each tree sees rows drawn with replacement, and all columns. Thresholds lie between the bins of a
//! column, at most 256 with equally many rows, so that the time of a level grows with the rows.

use ndarray::{ArrayView1, ArrayView2};
use rayon::prelude::*;

use crate::rng::Rng;
use crate::stats::order::sorted;

/// Bins per column, at most.
const BINS: usize = 256;

/// What a forest says if it is cut at one depth.
#[derive(Clone, Debug, PartialEq)]
pub struct Cut {
    /// The prediction for each row that judges.
    pub told: Vec<f64>,
    /// By how much the splits of each column lower the squared error, all trees together.
    pub gains: Vec<f64>,
}

/// Columns cut into bins once for all trees.
#[derive(Clone, Debug)]
pub struct Binned {
    /// `[columns][rows that teach]` and `[columns][rows that judge]`
    taught: Vec<Vec<u8>>,
    judged: Vec<Vec<u8>>,
}

impl Binned {
    /// From codes `[rows, columns]`.
    pub fn new(taught: ArrayView2<f32>, judged: ArrayView2<f32>) -> Self {
        let edges: Vec<Vec<f32>> = taught.columns().into_iter().map(edges).collect();
        let bins = |codes: ArrayView2<f32>| -> Vec<Vec<u8>> {
            let bin = |code: &f32, edges: &[f32]| edges.partition_point(|edge| edge < code) as u8;
            let columns = codes.columns().into_iter().zip(&edges);
            columns.map(|(column, edges)| column.iter().map(|c| bin(c, edges)).collect()).collect()
        };
        Self { taught: bins(taught), judged: bins(judged) }
    }
}

/// The largest value of each bin but the last.
fn edges(column: ArrayView1<f32>) -> Vec<f32> {
    let values = sorted(column).values;
    let last = values[values.len() - 1];
    let mut edges: Vec<f32> =
        (1..BINS).map(|bin| values[(bin * values.len() / BINS).max(1) - 1]).collect();
    edges.dedup();
    edges.retain(|edge| *edge < last);
    edges
}

/// Forests of so many trees for a target of the rows that teach, cut at depths 1, 2, … `depths`.
pub fn cuts(binned: &Binned, target: &[f64], trees: u64, depths: usize, rng: &Rng) -> Vec<Cut> {
    let judged = binned.judged.first().map_or(0, Vec::len);
    let tree = |number: u64| {
        let mut rng = rng.at(number);
        let rows = target.iter().map(|_| rng.below(target.len()) as u32).collect();
        let mut tree = Growing {
            binned,
            target,
            told: vec![vec![0.0; judged]; depths],
            gains: vec![vec![0.0; binned.taught.len()]; depths],
        };
        tree.grow(rows, (0..judged as u32).collect(), 0);
        tree
    };
    let grown: Vec<Growing> = (0..trees).into_par_iter().map(tree).collect();
    let cut = |depth: usize| {
        // A cut below has all splits of the levels above it.
        let mut cut = Cut { told: vec![0.0; judged], gains: vec![0.0; binned.taught.len()] };
        for tree in &grown {
            let told = cut.told.iter_mut().zip(&tree.told[depth]);
            told.for_each(|(sum, one)| *sum += one / trees as f64);
            for gains in &tree.gains[..=depth] {
                cut.gains.iter_mut().zip(gains).for_each(|(sum, gain)| *sum += gain);
            }
        }
        cut
    };
    (0..depths).map(cut).collect()
}

/// A tree while it grows.
struct Growing<'a> {
    binned: &'a Binned,
    target: &'a [f64],
    /// The prediction of each row that judges, `[depths][rows]`.
    told: Vec<Vec<f64>>,
    /// What the splits of a level gain, `[depths][columns]`.
    gains: Vec<Vec<f64>>,
}

/// How a node is parted: bins up to this one go left.
struct Split {
    column: usize,
    bin: u8,
    gain: f64,
}

impl Growing<'_> {
    /// A node on `level`, with its rows that teach and that judge.
    fn grow(&mut self, rows: Vec<u32>, judged: Vec<u32>, level: usize) {
        let sum: f64 = rows.iter().map(|&row| self.target[row as usize]).sum();
        let mean = sum / rows.len() as f64;
        let first = self.target[rows[0] as usize];
        let pure = rows.iter().all(|&row| self.target[row as usize] == first);
        let split = match level == self.told.len() || pure {
            true => None,
            false => self.best_split(&rows, mean),
        };
        // Cut at the depth of its level, a node answers itself; without a split, at all below too.
        let until = if split.is_some() { level } else { self.told.len() };
        for told in &mut self.told[level.saturating_sub(1)..until] {
            for &row in &judged {
                told[row as usize] = mean;
            }
        }
        let Some(split) = split else { return };
        self.gains[level][split.column] += split.gain;
        let left = |bins: &[u8], row: &u32| bins[*row as usize] <= split.bin;
        let (taught, asked) =
            (&self.binned.taught[split.column], &self.binned.judged[split.column]);
        let rows = rows.into_iter().partition::<Vec<u32>, _>(|row| left(taught, row));
        let judged = judged.into_iter().partition::<Vec<u32>, _>(|row| left(asked, row));
        self.grow(rows.0, judged.0, level + 1);
        self.grow(rows.1, judged.1, level + 1);
    }

    /// The split with the largest gain, the first of equals; `None` if all columns are constant.
    fn best_split(&self, rows: &[u32], mean: f64) -> Option<Split> {
        let mut best: Option<Split> = None;
        for (column, bins) in self.binned.taught.iter().enumerate() {
            let (all, mut count, mut sum) = (rows.len() as f64, 0.0, 0.0);
            let mut sums = self.sums(rows, bins, mean);
            sums.pop();
            for (bin, rows, residuals) in sums {
                (count, sum) = (count + rows, sum + residuals);
                // Residuals add up to zero: s² / c + s² / (n - c).
                let gain = sum * sum * all / (count * (all - count));
                if best.as_ref().is_none_or(|best| gain > best.gain) {
                    best = Some(Split { column, bin, gain });
                }
            }
        }
        best
    }

    /// Of each bin that has rows: its number, how many, and the sum of their residuals.
    fn sums(&self, rows: &[u32], bins: &[u8], mean: f64) -> Vec<(u8, f64, f64)> {
        let residual = |row: u32| self.target[row as usize] - mean;
        let mut found: Vec<(u8, f64, f64)> = Vec::new();
        if rows.len() >= BINS / 4 {
            let mut table = [[0.0; 2]; BINS];
            for &row in rows {
                let cell = &mut table[usize::from(bins[row as usize])];
                *cell = [cell[0] + 1.0, cell[1] + residual(row)];
            }
            let filled = table.iter().enumerate().filter(|(_, [count, _])| *count > 0.0);
            found.extend(filled.map(|(bin, [count, sum])| (bin as u8, *count, *sum)));
            return found;
        }
        // Most of the table would be empty.
        let mut few: Vec<(u8, u32)> = rows.iter().map(|&row| (bins[row as usize], row)).collect();
        few.sort_unstable();
        for run in few.chunk_by(|one, other| one.0 == other.0) {
            let sum = run.iter().map(|(_, row)| residual(*row)).sum();
            found.push((run[0].0, run.len() as f64, sum));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    #[test]
    fn each_depth_doubles_the_steps_that_are_told() {
        // Eight levels, of which depth 1 tells two, depth 2 four and depth 3 all.
        let codes = Array2::from_shape_fn((800, 2), |(row, j)| [(row % 8) as f32, 0.5][j]);
        let target: Vec<f64> = codes.column(0).iter().map(|code| f64::from(*code)).collect();
        let binned = Binned::new(codes.view(), codes.view());
        let found = cuts(&binned, &target, 20, 5, &Rng::new(0));
        let error = |cut: &Cut| -> f64 {
            cut.told.iter().zip(&target).map(|(told, v)| (told - v).powi(2)).sum::<f64>() / 800.0
        };
        // Variances within halves, quarters and eighths: 15 / 12, 3 / 12 and 0.
        for (cut, expected) in found.iter().zip([1.25, 0.25, 0.0, 0.0, 0.0]) {
            assert!((error(cut) - expected).abs() < 0.06, "{}", error(cut));
            assert!(cut.gains[0] > 0.0 && cut.gains[1] == 0.0);
        }
        assert!(found[1].gains[0] > found[0].gains[0]);
        assert_eq!(found[3], found[4]);
    }

    #[test]
    fn rows_that_were_not_shown_are_told() {
        let mut rng = Rng::new(1);
        let codes = Array2::from_shape_simple_fn((2000, 3), || rng.normal());
        let target: Vec<f64> =
            codes.rows().into_iter().map(|row| f64::from(row[0] * row[1].signum())).collect();
        let (taught, judged) = codes.view().split_at(ndarray::Axis(0), 1500);
        let found = cuts(&Binned::new(taught, judged), &target[..1500], 30, 12, &Rng::new(0));
        let off: f64 =
            found[11].told.iter().zip(&target[1500..]).map(|(t, v)| (t - v).powi(2)).sum();
        assert!(off / 500.0 < 0.1, "{}", off / 500.0);
    }

    #[test]
    fn constant_columns_and_targets_leave_the_mean() {
        let codes = Array2::<f32>::ones((40, 1));
        let target: Vec<f64> = (0..40).map(|row| f64::from(row % 2)).collect();
        let binned = Binned::new(codes.view(), codes.view());
        let found = cuts(&binned, &target, 200, 3, &Rng::new(0));
        assert!((found[2].told[0] - 0.5).abs() < 0.05 && found[2].gains == [0.0]);
        assert_eq!(cuts(&binned, &[3.0; 40], 2, 3, &Rng::new(0))[0].told, [3.0; 40]);
    }
}
