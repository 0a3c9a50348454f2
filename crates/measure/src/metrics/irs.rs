//! Interventional robustness score (Suter et al. 2019, arXiv:1811.00007), as computed by
//! Locatello et al. (2019): with q the 99th percentile (the paper: the maximum) over rows,
//!
//! ```text
//! IRS(j, k) = 1 - ( mean over values a of v_k of  q of |z_j - mean(z_j | v_k = a)| ) / M_j
//! M_j = max |z_j - mean(z_j)|,   IRS = Σ M_j max over k of IRS(j, k) / Σ M_j
//! ```
//!
//! Constant codes are left out; without any other the score is 0.

use ndarray::Array2;
use rayon::prelude::*;

use super::{Asks, Better, Metric, Reading, Score};
use crate::error::{Error, Result};
use crate::info::Info;
use crate::representation::Representation;
use crate::rng::Rng;
use crate::stats::{is_constant, mean};
use crate::watch::Stage;

const PAGE: &str = "\
## What it measures

Whether each code depends on one factor and is robust to interventions on all others.

## How

Rows are grouped by the value of one factor. Within each group a code should not change, whatever
the other factors do: its deviation is the 99th percentile of the distance from the group's mean.
The deviations of all groups are averaged and divided by the largest distance of the code from its
mean over all rows; 1 minus that is the robustness of the code given the factor. A code's best
factor counts, and codes are weighted by their largest distance. Every factor is discretised into 20
bins of equal width first, so that a factor with more than 20 values has neighbouring ones merged.
Constant codes are left out.

## Reading it

Up to 1: each code is a function of one factor. Gaussian noise in 10,000 rows scores about 0.35,
since its 99th percentile is well below its maximum. 0: all codes are constant, or codes vary as
much within groups as over all rows; a little below 0 is possible. The parts `irs/code-J` are the
scores of the codes, counted from 0; the matrix has the robustness of each code (row) given each
factor, and its largest entry in a row names the code's factor.

## Cautions

- A factor that no code encodes costs nothing, nor does a factor encoded by many codes.
- One far outlier makes the largest distance large, and the code look robust.
- Codes are weighted by their range: rescaling a code changes the score.
- Deviations in groups of few rows are underestimated; with many factors of many values score more
  rows.
- A constant factor makes one group of all rows. It is kept, as in Locatello et al. 2019, and can be
  the best factor of a code of noise.

## Reference

Suter, Miladinović, Schölkopf and Bauer, Robustly Disentangled Causal Mechanisms, 2019,
arXiv:1811.00007; settings of Locatello et al. 2019, arXiv:1811.12359.";

/// Interventional robustness score.
#[derive(Clone, Copy, Debug)]
pub struct Irs {
    /// The quantile of the distances within a group, from 0 to 1.
    pub quantile: f64,
}

impl Irs {
    /// The settings of Locatello et al. 2019.
    pub const STUDY: Self = Self { quantile: 0.99 };
}

impl Metric for Irs {
    fn info(&self) -> Info {
        Info {
            name: "irs",
            title: "IRS",
            summary: "interventional robustness: does each code follow one factor whatever the \
                      others do?",
            paper: "Suter et al., Robustly Disentangled Causal Mechanisms, ICML 2019",
            page: PAGE,
        }
    }

    fn reading(&self) -> Reading {
        let line = "each code follows one factor and nothing else";
        // Distances within a group are at most the code's range, which is at most twice M.
        Reading { low: -1.0, high: 1.0, better: Better::Higher, line }
    }

    fn asks(&self) -> &'static [Asks] {
        &[Asks::Modular]
    }

    fn score(&self, representation: &Representation, _: &mut Rng, watch: &Stage) -> Result<Score> {
        let groups: Vec<Groups> =
            representation.binned_values().into_iter().map(Groups::new).collect();
        if groups.is_empty() {
            return Err(Error::Missing("there is no factor to hold fixed; give factors".into()));
        }
        let codes = &representation.codes;
        let robustness = |j: usize| {
            watch.advance(1.0 / codes.ncols() as f64)?;
            Ok(self.robustness(&codes.column(j).to_vec(), &groups))
        };
        let found: Vec<(f64, Vec<f64>)> =
            (0..codes.ncols()).into_par_iter().map(robustness).collect::<Result<_>>()?;
        let matrix = Array2::from_shape_fn((codes.ncols(), groups.len()), |(j, k)| found[j].1[k]);
        let (mut parts, mut sum, mut weight) = (Vec::new(), 0.0, 0.0);
        for (j, (range, row)) in found.iter().enumerate().filter(|(_, (range, _))| *range > 0.0) {
            let best = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            parts.push((format!("irs/code-{j}"), best));
            sum += range * best;
            weight += range;
        }
        let value = if weight > 0.0 { sum / weight } else { 0.0 };
        Ok(Score { value, parts, matrix: Some(matrix) })
    }
}

impl Irs {
    /// M of a code, and its IRS(j, k) given each factor; zeros for a constant code.
    fn robustness(self, code: &[f32], factors: &[Groups]) -> (f64, Vec<f64>) {
        let range = largest_distance(code);
        if range == 0.0 {
            return (0.0, vec![0.0; factors.len()]);
        }
        let given = |groups: &Groups| 1.0 - groups.movement(code, self.quantile) / range;
        (range, factors.par_iter().map(given).collect())
    }
}

/// M = max |z - mean(z)|, exactly 0 for a constant code.
fn largest_distance(code: &[f32]) -> f64 {
    if is_constant(code.into()) {
        return 0.0;
    }
    let mean = mean(code.iter().copied().map(f64::from));
    code.iter().map(|value| (f64::from(*value) - mean).abs()).fold(0.0, f64::max)
}

/// The rows of a table by the bin of one factor.
struct Groups {
    /// The bin of each row.
    labels: Vec<u32>,
    /// Where each bin starts if rows are sorted by theirs; one more than bins.
    starts: Vec<usize>,
}

impl Groups {
    fn new(labels: Vec<u32>) -> Self {
        let mut starts = vec![0; labels.iter().max().map_or(0, |&label| label as usize + 1) + 1];
        for &label in &labels {
            starts[label as usize + 1] += 1;
        }
        for bin in 1..starts.len() {
            starts[bin] += starts[bin - 1];
        }
        Self { labels, starts }
    }

    /// The mean over groups of the quantile of |z - mean of the group|.
    fn movement(&self, code: &[f32], quantile: f64) -> f64 {
        let mut sorted = vec![0.0; code.len()];
        let mut next = self.starts.clone();
        for (&value, &label) in code.iter().zip(&self.labels) {
            sorted[next[label as usize]] = value;
            next[label as usize] += 1;
        }
        let (mut sum, mut groups, mut distances) = (0.0, 0.0, Vec::new());
        for bin in self.starts.windows(2).filter(|bin| bin[0] < bin[1]) {
            let group = &sorted[bin[0]..bin[1]];
            let mean = mean(group.iter().copied().map(f64::from));
            distances.clear();
            distances.extend(group.iter().map(|value| (f64::from(*value) - mean).abs()));
            sum += quantile_of(&mut distances, quantile);
            groups += 1.0;
        }
        sum / groups
    }
}

/// The quantile with linear interpolation, without sorting all values.
fn quantile_of(values: &mut [f64], quantile: f64) -> f64 {
    let place = quantile * (values.len() - 1) as f64;
    let (_, &mut low, above) = values.select_nth_unstable_by(place as usize, f64::total_cmp);
    let high = above.iter().copied().fold(f64::INFINITY, f64::min);
    // The largest value has no neighbour above, and needs none.
    if above.is_empty() { low } else { low + (high - low) * place.fract() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::representation::grid;

    /// The grid of two factors with 5 values each.
    fn score(quantile: f64, code: impl Fn(f32, f32) -> Vec<f32>) -> Score {
        let table = grid([5, 5], 1, |[a, b]| code(a, b));
        Irs { quantile }.score(&table, &mut Rng::new(0), &Stage::unwatched()).unwrap()
    }

    #[test]
    fn a_sum_of_two_factors_by_hand() {
        // a + 3 b runs from 0 to 16 around 8. Given b it moves by 2 at most, given a by 6.
        let found = score(1.0, |a, b| vec![a + 3.0 * b]);
        let matrix = found.matrix.unwrap();
        assert!((matrix[[0, 0]] - 0.25).abs() < 1e-12 && (matrix[[0, 1]] - 0.75).abs() < 1e-12);
        assert!((found.value - 0.75).abs() < 1e-12);
    }

    #[test]
    fn codes_weigh_by_their_range_and_dead_ones_do_not() {
        let found = score(1.0, |a, b| vec![a, 0.1, 4.0 * (a + 3.0 * b)]);
        // Ranges 2 and 32, robustness 1 and 0.75.
        assert!((found.value - (2.0 + 32.0 * 0.75) / 34.0).abs() < 1e-12);
        let names: Vec<&str> = found.parts.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["irs/code-0", "irs/code-2"]);
        assert_eq!(found.matrix.unwrap().row(1).sum(), 0.0);
        let dead = score(0.99, |_, _| vec![0.1, 7.0]);
        assert!(dead.value == 0.0 && dead.parts.is_empty());
    }

    #[test]
    fn quantiles_lie_between_neighbours() {
        let values = || vec![4.0, 1.0, 3.0, 2.0, 5.0];
        for (quantile, expected) in [(0.0, 1.0), (0.5, 3.0), (0.6, 3.4), (0.99, 4.96), (1.0, 5.0)] {
            assert!((quantile_of(&mut values(), quantile) - expected).abs() < 1e-12);
        }
        assert_eq!(quantile_of(&mut [7.0], 0.99), 7.0);
    }
}
