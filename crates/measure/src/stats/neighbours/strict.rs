//! The estimator of Ross (2014) to the letter, as `mutual_info_classif` of scikit-learn has it. Its
//! author takes numbers to be all different, and so equal ones are told apart by noise first. With d
//! the distance of row i to its k'-th nearest neighbour of the same class, k' = min(k, n_c - 1), and
//! m_i the rows of any class that are nearer than d, row i itself among them,
//!
//! ```text
//! I(z; c) = ψ(n) - mean of ψ(n_c)  +  mean of ψ(k') - mean of ψ(m_i),     not below zero
//! ```
//!
//! The parent module counts equal numbers instead, which is better for codes with few values; this
//! one is what published scores were made with. There, d is made smaller by one step of rounding, so
//! that the neighbour itself is not counted; here, distances are compared by "less than".

use rayon::prelude::*;

use super::{Classes, gallop, gap, nearest};
use crate::rng::Rng;

/// How large the noise is, beside a standard deviation of 1: below what single precision resolves.
const NOISE: f64 = 1e-10;

/// A column with mean 0 and deviation 1, equal numbers moved apart by noise, sorted.
#[derive(Clone, Debug)]
pub struct Scattered {
    values: Vec<f64>,
    rows: Vec<u32>,
}

impl Scattered {
    /// From standardised numbers. The noise of a row is the same for every column that is scattered
    /// by an equal generator, so that the order of columns does not matter.
    pub fn new(standardised: &[f64], rng: &Rng) -> Self {
        let mut rng = rng.clone();
        // scikit-learn takes the larger of 1 and the mean size, which is at most the deviation.
        let moved: Vec<f64> =
            standardised.iter().map(|value| value + NOISE * f64::from(rng.normal())).collect();
        let mut rows: Vec<u32> = (0..moved.len() as u32).collect();
        rows.sort_unstable_by(|&i, &j| {
            moved[i as usize].total_cmp(&moved[j as usize]).then(i.cmp(&j))
        });
        Self { values: rows.iter().map(|&row| moved[row as usize]).collect(), rows }
    }
}

impl Classes<'_> {
    /// I(z; c) in nats by `k` nearest neighbours, strictly after Ross; 0 if no two classes have two
    /// rows each.
    pub fn strict_information(&self, numbers: &Scattered, k: usize) -> f64 {
        let entropy = self.entropy();
        if entropy == 0.0 {
            return 0.0;
        }
        let mut all = Vec::with_capacity(self.rows);
        let mut places = vec![Vec::new(); self.sizes.len()];
        for (&value, &row) in numbers.values.iter().zip(&numbers.rows) {
            let class = self.labels[row as usize] as usize;
            if self.sizes[class] > 1 {
                places[class].push(all.len());
                all.push(value);
            }
        }
        let sums: Vec<f64> =
            places.par_iter().map(|class| self.strict_surprise(class, &all, k)).collect();
        (entropy + sums.iter().sum::<f64>() / self.rows as f64).max(0.0)
    }

    /// Σ ψ(k') - ψ(m_i) over the rows of one class, given by their places in `all`.
    fn strict_surprise(&self, class: &[usize], all: &[f64], k: usize) -> f64 {
        let numbers: Vec<f64> = class.iter().map(|&place| all[place]).collect();
        let k = k.min(class.len().saturating_sub(1));
        let of_row = |(i, &place): (usize, &usize)| {
            let (_, distance) = nearest(&numbers, i, k);
            // A distance of zero is left after all where noise was rounded away: then equals count.
            let nearer = |gap: f64| gap < distance || gap == 0.0;
            let left = gallop(place, |step| nearer(gap(all, place - step, place)));
            let right = gallop(all.len() - 1 - place, |step| nearer(gap(all, place, place + step)));
            self.digamma[k] - self.digamma[left + 1 + right]
        };
        class.iter().enumerate().map(of_row).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::information::mutual_information;

    fn information(numbers: &[f64], labels: &[u32], k: usize) -> f64 {
        let scattered = Scattered::new(numbers, &Rng::new(0));
        Classes::new(labels).strict_information(&scattered, k)
    }

    /// By the definition: all distances of all rows.
    fn by_definition(numbers: &[f64], labels: &[u32], k: usize) -> f64 {
        let size = |label: u32| labels.iter().filter(|other| **other == label).count();
        let rows: Vec<usize> = (0..labels.len()).filter(|&row| size(labels[row]) > 1).collect();
        let digamma = super::super::digammas(labels.len());
        let mut sum = 0.0;
        for &i in &rows {
            let apart = |j: usize| (numbers[j] - numbers[i]).abs();
            let same = rows.iter().filter(|&&j| j != i && labels[j] == labels[i]);
            let mut distances: Vec<f64> = same.map(|&j| apart(j)).collect();
            distances.sort_by(f64::total_cmp);
            let k = k.min(distances.len());
            let nearer = rows.iter().filter(|&&j| apart(j) < distances[k - 1]).count();
            sum += digamma[k] - digamma[size(labels[i])] - digamma[nearer];
        }
        (digamma[rows.len()] + sum / rows.len() as f64).max(0.0)
    }

    #[test]
    fn it_is_what_its_definition_says() {
        let mut rng = Rng::new(4);
        for case in 0..20 {
            let rows = 12 + 9 * case;
            let labels: Vec<u32> = (0..rows).map(|_| rng.below(2 + case % 7) as u32).collect();
            let numbers: Vec<f64> =
                labels.iter().map(|l| 0.7 * f64::from(*l) + f64::from(rng.normal())).collect();
            for k in [1, 3, 10] {
                let off = information(&numbers, &labels, k) - by_definition(&numbers, &labels, k);
                assert!(off.abs() < 1e-12, "{rows} rows, k = {k}: {off}");
            }
        }
    }

    #[test]
    fn equal_numbers_are_told_apart_and_not_taken_for_certainty() {
        let mut rng = Rng::new(5);
        let labels: Vec<u32> = (0..3000).map(|_| rng.below(4) as u32).collect();
        let coin: Vec<u32> = (0..3000).map(|_| rng.below(2) as u32).collect();
        let numbers: Vec<f64> = coin.iter().map(|coin| f64::from(*coin)).collect();
        assert!(information(&numbers, &labels, 10) < 0.03);
        let told: Vec<f64> = labels.iter().map(|label| f64::from(*label)).collect();
        let off = information(&told, &labels, 10) - mutual_information(&labels, &labels);
        assert!(off.abs() < 0.01, "{off}");
    }
}
