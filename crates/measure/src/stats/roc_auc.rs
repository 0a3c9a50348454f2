//! The area under the ROC curve: the probability that a row of a class gets a higher score than a
//! row of another class, ties counting one half. From ranks, in O(rows log rows) per class.

use ndarray::{ArrayView1, ArrayView2};
use rayon::prelude::*;

use crate::stats::mean;

/// The mean over `classes` of the area for "this class against all others", from probabilities
/// `[rows, all classes]`. Each must have rows, and so must the others together: NaN if not.
pub fn macro_roc_auc(
    probabilities: ArrayView2<f64>,
    truth: &[Option<usize>],
    classes: &[usize],
) -> f64 {
    let area =
        |class: &usize| roc_auc(probabilities.column(*class), |row| truth[row] == Some(*class));
    mean(classes.par_iter().map(area).collect::<Vec<f64>>())
}

/// The area for one class, from scores that are not negative.
fn roc_auc(scores: ArrayView1<f64>, is_member: impl Fn(usize) -> bool) -> f64 {
    // The bits of numbers that are not negative are ordered as the numbers are, and the first is
    // free for the class. Whole numbers sort much faster than pairs.
    let key = |(row, score): (usize, &f64)| score.abs().to_bits() << 1 | u64::from(is_member(row));
    let mut keys: Vec<u64> = scores.iter().enumerate().map(key).collect();
    keys.sort_unstable();
    let (mut members, mut others) = (0.0, 0.0);
    // Pairs in which the member is higher, plus half of those in which both are equal.
    let mut won = 0.0;
    for ties in keys.chunk_by(|a, b| a >> 1 == b >> 1) {
        let tied_members = ties.iter().filter(|key| *key & 1 == 1).count() as f64;
        let tied_others = ties.len() as f64 - tied_members;
        won += tied_members * (others + 0.5 * tied_others);
        members += tied_members;
        others += tied_others;
    }
    won / (members * others)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    fn area(scores: &[f64], members: &[bool]) -> f64 {
        roc_auc(ArrayView1::from(scores), |row| members[row])
    }

    #[test]
    fn areas_are_shares_of_won_pairs() {
        assert_eq!(area(&[0.1, 0.4, 0.35, 0.8], &[false, false, true, true]), 0.75);
        assert_eq!(area(&[0.5, 0.5, 0.5], &[true, false, false]), 0.5);
        assert_eq!(area(&[0.0, 0.2, 0.2, 1.0], &[false, true, false, true]), 0.875);
        assert_eq!(area(&[1.0, 1e-320, 0.0], &[false, true, true]), 0.0);
        assert!(area(&[0.3, 0.6], &[true, true]).is_nan());
    }

    #[test]
    fn the_mean_is_over_classes() {
        let probabilities = array![[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.7, 0.1, 0.2]];
        // Class 0 is row 0: beats row 1, loses to row 2. Class 1 and class 2 are separated, but
        // row 1 beats row 2 in class 2.
        let truth = [Some(0), Some(1), Some(2)];
        let mean = macro_roc_auc(probabilities.view(), &truth, &[0, 1, 2]);
        assert!((mean - (0.5 + 1.0 + 0.5) / 3.0).abs() < 1e-15);
        assert_eq!(macro_roc_auc(probabilities.view(), &truth, &[1]), 1.0);
    }
}
