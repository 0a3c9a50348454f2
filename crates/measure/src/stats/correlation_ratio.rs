//! The correlation ratio: how much of the ranks of y the bins of x tell, whatever the curve,
//!
//! ```text
//! η² = 1 - Σ_bins Σ (rank y - mean of the bin)² / Σ (rank y - mean)²
//! ```
//!
//! less what as many bins would tell of noise: (η² - b) / (1 - b) with b = (bins - 1) / (rows - 1).

use ndarray::ArrayView1;

use crate::stats::correlation::ranks;

/// Bins of equally many rows, for a column of many different values.
const BINS: usize = 20;
/// No bin of fewer rows.
const ROWS_PER_BIN: usize = 8;

/// The bin of each row: its value where there are few, and otherwise one of some with equally many rows.
pub fn bins(column: ArrayView1<f32>) -> Vec<usize> {
    let places = ranks(column);
    let most = BINS.min(column.len() / ROWS_PER_BIN).max(2);
    let mut different = places.clone();
    different.sort_by(f64::total_cmp);
    different.dedup();
    if different.len() <= most {
        let place = |rank: &f64| different.partition_point(|other| other < rank);
        return places.iter().map(place).collect();
    }
    let rows = column.len() as f64;
    // Ranks count from 1, so that the largest falls into the last bin.
    places.iter().map(|rank| ((rank - 1.0) / rows * most as f64) as usize).collect()
}

/// η² of these ranks by these bins, not below 0; 0 for ranks that are all equal.
pub fn ratio(bins: &[usize], ranks: &[f64]) -> f64 {
    let count = bins.iter().max().map_or(0, |last| last + 1);
    let mut of_bins = vec![(0.0, 0.0); count];
    for (&bin, rank) in bins.iter().zip(ranks) {
        of_bins[bin].0 += 1.0;
        of_bins[bin].1 += rank;
    }
    let rows = ranks.len() as f64;
    let mean = ranks.iter().sum::<f64>() / rows;
    let spread: f64 = ranks.iter().map(|rank| (rank - mean).powi(2)).sum();
    if spread == 0.0 {
        return 0.0;
    }
    let used = of_bins.iter().filter(|(rows, _)| *rows > 0.0);
    let between: f64 = used.clone().map(|(rows, sum)| rows * (sum / rows - mean).powi(2)).sum();
    let by_noise = (used.count() - 1) as f64 / (rows - 1.0);
    ((between / spread - by_noise) / (1.0 - by_noise)).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use ndarray::Array1;

    fn of(x: &Array1<f32>, y: &Array1<f32>) -> f64 {
        ratio(&bins(x.view()), &ranks(y.view()))
    }

    #[test]
    fn any_curve_is_seen_and_noise_is_nothing() {
        let mut rng = Rng::new(0);
        let x = Array1::from_shape_simple_fn(1000, || rng.normal());
        let noise = Array1::from_shape_simple_fn(1000, || rng.normal());
        assert!(of(&x, &x.mapv(|x| x.powi(3))) > 0.99);
        assert!(of(&x, &x.mapv(f32::cos)) > 0.9);
        // The root of a square has two signs.
        assert!(of(&x.mapv(|x| x * x), &x) < 0.05);
        assert!(of(&x, &noise) < 0.03);
        assert_eq!(of(&x, &Array1::zeros(1000)), 0.0);
    }

    #[test]
    fn few_values_are_bins_by_themselves() {
        let labels = Array1::from_shape_fn(300, |row| (row % 3) as f32);
        let moved = labels.mapv(|label| [5.0, -1.0, 2.0][label as usize]);
        assert!((of(&labels, &moved) - 1.0).abs() < 1e-12);
    }
}
