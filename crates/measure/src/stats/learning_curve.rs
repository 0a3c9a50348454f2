//! How often classifiers are right that were taught by few and by many rows: what the downstream
//! metrics report, as in the study of Locatello et al. (2019, arXiv:1811.12359).

use crate::error::{Error, Result};
use crate::factors::Factor;
use crate::stats::mean;

/// How many rows teach in the study.
pub const STUDY_SIZES: &[usize] = &[10, 100, 1000, 10_000];

/// Those of `sizes` that are not more than the rows that teach. Refused for `metric` if there are
/// none; a classifier needs at least `fewest` rows.
pub fn sizes_within(
    rows: usize,
    sizes: &[usize],
    fewest: usize,
    metric: &str,
) -> Result<Vec<usize>> {
    let within: Vec<usize> = sizes.iter().copied().filter(|size| *size <= rows).collect();
    match within.is_empty() {
        false => Ok(within),
        true => Err(Error::Missing(format!(
            "{metric} cannot be computed, because there are {rows} rows that teach; give at least {}",
            sizes.first().copied().unwrap_or(fewest).max(fewest)
        ))),
    }
}

/// Accuracies by how many rows taught.
#[derive(Clone, Debug)]
pub struct LearningCurve {
    /// How many rows taught, rising.
    pub sizes: Vec<usize>,
    /// By size and factor: on the rows that judge, and on those that taught.
    pub accuracies: Vec<Vec<[f64; 2]>>,
}

impl LearningCurve {
    /// The mean over factors at the largest size, on the rows that judge.
    pub fn value(&self) -> f64 {
        self.mean(self.sizes.len() - 1, 0)
    }

    /// `test/N` and `train/N` at each size, `test/N/FACTOR` at the largest, and with the sizes of
    /// the study `statistical_efficiency`: `test/100` divided by `test/10000`.
    pub fn parts(&self, factors: &[Factor]) -> Vec<(String, f64)> {
        let mut parts = Vec::new();
        for (which, rows) in ["test", "train"].into_iter().enumerate() {
            let sizes = self.sizes.iter().enumerate();
            parts.extend(sizes.map(|(i, size)| (format!("{rows}/{size}"), self.mean(i, which))));
        }
        let at = |size: usize| {
            let place = self.sizes.iter().position(|other| *other == size)?;
            Some(self.mean(place, 0))
        };
        if let (Some(few), Some(many)) = (at(100), at(10_000))
            && many > 0.0
        {
            parts.push(("statistical_efficiency".into(), few / many));
        }
        if let (Some(size), Some(largest)) = (self.sizes.last(), self.accuracies.last()) {
            let each = factors.iter().zip(largest);
            parts.extend(
                each.map(|(factor, [test, _])| (format!("test/{size}/{}", factor.name), *test)),
            );
        }
        parts
    }

    /// Over factors, at one of the sizes.
    fn mean(&self, size: usize, which: usize) -> f64 {
        mean(self.accuracies[size].iter().map(|both| both[which]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_is_summed_up_at_each_size_and_by_factor_at_the_largest() {
        let factors = ["a", "b"].map(Factor::continuous);
        let accuracies = vec![vec![[0.25, 1.0], [0.5, 1.0]], vec![[0.5, 0.75], [1.0, 0.75]]];
        let curve = LearningCurve { sizes: vec![100, 10_000], accuracies };
        let expected = [
            ("test/100", 0.375),
            ("test/10000", 0.75),
            ("train/100", 1.0),
            ("train/10000", 0.75),
            ("statistical_efficiency", 0.5),
            ("test/10000/a", 0.5),
            ("test/10000/b", 1.0),
        ];
        assert_eq!(curve.parts(&factors), expected.map(|(name, part)| (name.to_string(), part)));
        assert_eq!(curve.value(), 0.75);
    }

    #[test]
    fn sizes_that_are_not_there_are_left_out_and_none_is_refused() {
        assert_eq!(sizes_within(100, STUDY_SIZES, 1, "x").unwrap(), [10, 100]);
        let error = sizes_within(8, &[9], 20, "x").unwrap_err().to_string();
        assert!(error.ends_with("there are 8 rows that teach; give at least 20"), "{error}");
    }
}
