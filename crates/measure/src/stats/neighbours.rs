//! How much a number tells about a class, from nearest neighbours: no bins (Ross 2014,
//! doi:10.1371/journal.pone.0087357).
//!
//! Of row i with class c, let d be the distance to its k-th nearest neighbour of the same class,
//! k_i the number of other rows of the class within d, and m_i the number of other rows of any
//! class within d. Where a number tells the class, neighbours are of one class and m_i is k_i:
//!
//! ```text
//! I(z; c) = ψ(n) - mean of ψ(n_c)  +  mean of ψ(k_i) - mean of ψ(m_i)
//!           `--------H(c)--------´    `-------never above zero-----´
//! ```
//!
//! ψ is the digamma function and n_c the number of rows of the class of row i; a class of k rows
//! or fewer uses the neighbours it has, and a row alone in its class is left out. Without equal
//! numbers k_i = k, which is the estimator of Ross. Equal numbers share their distances, and
//! counting all of them, as Gao et al. (2017, arXiv:1709.06212) do where d = 0, gives the
//! plug-in estimate for numbers that take few values.

use rayon::prelude::*;

use crate::stats::order::Sorted;

mod strict;

pub use strict::Scattered;

/// Classes that can be asked about: the rows that share theirs with another, and digammas.
pub struct Classes<'a> {
    labels: &'a [u32],
    /// How many rows each class has.
    sizes: Vec<usize>,
    /// ψ(i) at i, up to the number of rows; ψ(0) is not used.
    digamma: Vec<f64>,
    /// How many rows share their class with another.
    rows: usize,
}

impl<'a> Classes<'a> {
    /// From the class of each row.
    pub fn new(labels: &'a [u32]) -> Self {
        let mut sizes = vec![0; labels.iter().max().map_or(0, |&label| label as usize + 1)];
        for &label in labels {
            sizes[label as usize] += 1;
        }
        let rows = sizes.iter().filter(|size| **size > 1).sum();
        Self { labels, sizes, digamma: digammas(labels.len()), rows }
    }

    /// H(c) = ψ(n) - mean of ψ(n_c): the information of a number that tells the class. 0 if no two
    /// classes have two rows each.
    pub fn entropy(&self) -> f64 {
        let shared = self.sizes.iter().filter(|size| **size > 1);
        if shared.clone().count() < 2 {
            return 0.0;
        }
        let sum: f64 = shared.map(|&size| size as f64 * self.digamma[size]).sum();
        self.digamma[self.rows] - sum / self.rows as f64
    }

    /// I(z; c) in nats by `k` nearest neighbours, between 0 and [`entropy`](Self::entropy).
    pub fn information(&self, numbers: &Sorted, k: usize) -> f64 {
        let entropy = self.entropy();
        if entropy == 0.0 {
            return 0.0;
        }
        // The numbers of rows that count, sorted; and again class by class, each sorted.
        let mut all = Vec::with_capacity(self.rows);
        let mut places = vec![Vec::new(); self.sizes.len()];
        for (&value, &row) in numbers.values.iter().zip(&numbers.rows) {
            let class = self.labels[row as usize] as usize;
            if self.sizes[class] > 1 {
                places[class].push(all.len());
                all.push(value);
            }
        }
        let sums: Vec<f64> = places.par_iter().map(|class| self.surprise(class, &all, k)).collect();
        (entropy + sums.iter().sum::<f64>() / self.rows as f64).max(0.0)
    }

    /// Σ ψ(k_i) - ψ(m_i) over the rows of one class, given by their places in `all`.
    fn surprise(&self, class: &[usize], all: &[f32], k: usize) -> f64 {
        let numbers: Vec<f32> = class.iter().map(|&place| all[place]).collect();
        let k = k.min(class.len().saturating_sub(1));
        let of_row = |(i, &place): (usize, &usize)| {
            let (first, distance) = nearest(&numbers, i, k);
            let same = within(&numbers, i, [first, first + k], distance);
            let any = within(all, place, [class[first], class[first + k]], distance);
            self.digamma[same] - self.digamma[any]
        };
        class.iter().enumerate().map(of_row).sum()
    }
}

/// The `k` numbers nearest to number `i` and itself stand side by side: where these k + 1 start,
/// and how far the farthest is.
fn nearest<N: Copy + Into<f64>>(sorted: &[N], i: usize, k: usize) -> (usize, f64) {
    let starts = i.saturating_sub(k)..=i.min(sorted.len() - 1 - k);
    let reach = |first: usize| (first, gap(sorted, first, i).max(gap(sorted, i, first + k)));
    starts
        .map(reach)
        .reduce(|best, next| if next.1 < best.1 { next } else { best })
        .expect("a number has at least one window around it")
}

/// How many other numbers lie at most `distance` from number `i`, given that those of a window
/// around it do.
fn within(sorted: &[f32], i: usize, [first, last]: [usize; 2], distance: f64) -> usize {
    let left = gallop(first, |step| gap(sorted, first - step, i) <= distance);
    let right = gallop(sorted.len() - 1 - last, |step| gap(sorted, i, last + step) <= distance);
    left + (last - first) + right
}

/// The last of the steps `1..=most` that is inside, all before it being so; 0 if none is. Steps
/// double until one is outside: neighbours are few, and look-ups grow with their logarithm only.
fn gallop(most: usize, inside: impl Fn(usize) -> bool) -> usize {
    let (mut last, mut stride) = (0, 1);
    while last + stride <= most && inside(last + stride) {
        last += stride;
        stride *= 2;
    }
    // What follows `last` by `stride` is outside, or beyond the end.
    while stride > 1 {
        stride /= 2;
        if last + stride <= most && inside(last + stride) {
            last += stride;
        }
    }
    last
}

fn gap<N: Copy + Into<f64>>(sorted: &[N], i: usize, j: usize) -> f64 {
    sorted[j].into() - sorted[i].into()
}

/// ψ(1) = -γ and ψ(i + 1) = ψ(i) + 1 / i.
fn digammas(most: usize) -> Vec<f64> {
    const EULER: f64 = 0.577_215_664_901_532_9;
    let mut digamma = vec![f64::NAN, -EULER];
    (1..most).for_each(|i| digamma.push(digamma[i] + 1.0 / i as f64));
    digamma
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use crate::stats::information::mutual_information;
    use crate::stats::order::sorted;
    use ndarray::{Array1, ArrayView1};

    fn information(numbers: &[f32], labels: &[u32]) -> f64 {
        Classes::new(labels).information(&sorted(ArrayView1::from(numbers)), 3)
    }

    #[test]
    fn windows_and_steps_agree_with_trying_all() {
        let mut rng = Rng::new(0);
        for rows in 2..40 {
            let column = Array1::from_shape_simple_fn(rows, || (8.0 * rng.normal()).round() / 8.0);
            let values = sorted(column.view()).values;
            for i in 0..rows {
                let mut distances: Vec<f64> = (0..rows)
                    .filter(|j| *j != i)
                    .map(|j| (f64::from(values[j]) - f64::from(values[i])).abs())
                    .collect();
                distances.sort_by(f64::total_cmp);
                for k in 1..rows.min(6) {
                    let (first, distance) = nearest(&values, i, k);
                    assert_eq!(distance, distances[k - 1]);
                    let inside = distances.iter().filter(|d| **d <= distance).count();
                    assert_eq!(within(&values, i, [first, first + k], distance), inside);
                    assert_eq!(within(&values, i, [i, i], distance), inside);
                }
            }
        }
    }

    #[test]
    fn two_bells_apart_by_a_known_information() {
        // Classes -1 and 1, z = class + normal: I = H(z) - H(normal) = 0.33683 nats, by integration.
        let mut rng = Rng::new(1);
        let labels: Vec<u32> = (0..20_000).map(|row| row % 2).collect();
        let bell = |label: &u32| 2.0 * *label as f32 - 1.0 + rng.normal();
        let numbers: Vec<f32> = labels.iter().map(bell).collect();
        let found = information(&numbers, &labels);
        assert!((found - 0.336_83).abs() < 0.02, "{found}");
    }

    #[test]
    fn a_number_that_is_the_class_tells_all_and_one_apart_from_it_nothing() {
        let labels: Vec<u32> = (0..6000).map(|row| row % 6).collect();
        let renamed: Vec<f32> = labels.iter().map(|label| 7.0 - *label as f32).collect();
        let entropy = Classes::new(&labels).entropy();
        assert!((entropy - 6f64.ln()).abs() < 1e-3);
        assert_eq!(information(&renamed, &labels), entropy);
        let mut rng = Rng::new(2);
        let noise: Vec<f32> = labels.iter().map(|_| rng.normal()).collect();
        assert!(information(&noise, &labels) < 0.02);
    }

    #[test]
    fn few_values_give_the_plug_in_estimate() {
        let mut rng = Rng::new(3);
        let labels: Vec<u32> = (0..20_000).map(|_| rng.below(5) as u32).collect();
        let noisy: Vec<u32> =
            labels.iter().map(|label| (label + rng.below(3) as u32) % 5).collect();
        let numbers: Vec<f32> = noisy.iter().map(|label| *label as f32).collect();
        let difference = information(&numbers, &labels) - mutual_information(&noisy, &labels);
        assert!(difference.abs() < 2e-3, "{difference}");
    }

    #[test]
    fn lonely_rows_are_left_out() {
        let (numbers, labels) = ([0.0, 0.1, 5.0, 5.1, 2.0], [0, 0, 1, 1, 2]);
        assert_eq!(information(&numbers, &labels), information(&numbers[..4], &labels[..4]));
        assert_eq!(information(&numbers, &[0, 1, 2, 3, 4]), 0.0);
        assert_eq!(information(&numbers, &[0, 0, 0, 0, 1]), 0.0);
    }
}
