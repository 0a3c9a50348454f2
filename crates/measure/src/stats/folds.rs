//! Rows cut into folds: each is judged by what the others teach.

use std::ops::Range;

use crate::rng::Rng;

/// `rows` rows in a row, cut into `folds` runs; the first ones have a row more where it does not
/// come out even.
pub fn runs(rows: usize, folds: usize) -> Vec<Range<usize>> {
    let start = |fold: usize| fold * (rows / folds) + fold.min(rows % folds);
    (0..folds).map(|fold| start(fold)..start(fold + 1)).collect()
}

/// Which rows teach and which judge, fold by fold, by the order of rows: every row judges once.
pub fn folds_of(order: &[usize], folds: usize) -> Vec<[Vec<usize>; 2]> {
    let fold = |run: Range<usize>| {
        let teach = [&order[..run.start], &order[run.end..]].concat();
        [teach, order[run].to_vec()]
    };
    runs(order.len(), folds).into_iter().map(fold).collect()
}

/// The same of rows in a random order.
pub fn shuffled_folds(rows: usize, folds: usize, rng: &Rng) -> Vec<[Vec<usize>; 2]> {
    let order = rng.split("folds").permutation(rows);
    let mut folds = folds_of(&order, folds);
    // Sums of many numbers then do not depend on the draw more than they must.
    folds.iter_mut().flatten().for_each(|rows| rows.sort_unstable());
    folds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_judges_once_and_teaches_the_other_times() {
        assert_eq!(runs(11, 4), [0..3, 3..6, 6..9, 9..11]);
        let folds = shuffled_folds(11, 4, &Rng::new(0));
        let mut judged: Vec<usize> = folds.iter().flat_map(|[_, judge]| judge.clone()).collect();
        judged.sort_unstable();
        assert_eq!(judged, (0..11).collect::<Vec<_>>());
        for [teach, judge] in &folds {
            let mut all = [&teach[..], judge].concat();
            all.sort_unstable();
            assert_eq!(all, (0..11).collect::<Vec<_>>());
        }
    }
}
