//! Bins, entropy and mutual information: how much knowing one column tells about another.
//!
//! Everything is the plug-in estimate in nats: probabilities are the frequencies in the table.
//! Labels are small whole numbers, so counting needs arrays only: O(rows + cells).

use ndarray::Array2;
use rayon::prelude::*;

/// Pairs of labels are counted in a table if it has at most this many cells, or as many as rows.
const CELLS: usize = 1 << 20;

/// Cut a column into `bins` bins of equal width between its minimum and maximum; labels are
/// `0..bins`, a bin is closed on the left, and the maximum falls into the last one. A constant
/// column `c` is cut between `c - 0.5` and `c + 0.5` and has one label. `bins` must not be zero.
pub fn histogram_bins(column: &[f32], bins: usize) -> Vec<u32> {
    assert!(bins > 0, "a histogram needs at least one bin");
    let edges = left_edges(column, bins);
    let per_unit = (bins - 1) as f64 / (edges[bins - 1] - edges[0]);
    let label = |&value: &f32| {
        let value = f64::from(value);
        // Arithmetic finds the bin up to rounding (a cast takes NaN to 0); the edges decide.
        let mut bin = (((value - edges[0]) * per_unit) as usize).min(bins - 1);
        while bin > 0 && edges[bin] > value {
            bin -= 1;
        }
        while bin + 1 < bins && edges[bin + 1] <= value {
            bin += 1;
        }
        bin as u32
    };
    column.iter().map(label).collect()
}

/// The entropy of a column of labels: H(a) = -Σ p(a) ln p(a).
pub fn entropy(labels: &[u32]) -> f64 {
    entropy_of(&counts(labels))
}

fn entropy_of(counts: &[usize]) -> f64 {
    let n = counts.iter().sum::<usize>() as f64;
    let term = |&count: &usize| match count {
        0 => 0.0,
        count => -(count as f64 / n) * (count as f64 / n).ln(),
    };
    // A single label gives -1 ln 1 = -0; adding zero makes it a plain one.
    counts.iter().map(term).sum::<f64>() + 0.0
}

/// The mutual information of two columns of labels: I(a; b) = Σ p(a,b) ln( p(a,b) / p(a) p(b) ).
/// Exactly zero if one of them has a single label.
pub fn mutual_information(a: &[u32], b: &[u32]) -> f64 {
    information(a, b, &counts(a), &counts(b))
}

/// I(a_i; b_j) of every column of `a` with every column of `b`, `[columns of a, columns of b]`.
pub fn information_matrix(a: &[Vec<u32>], b: &[Vec<u32>]) -> Array2<f64> {
    let counts_of = |columns: &[Vec<u32>]| -> Vec<Vec<usize>> {
        columns.par_iter().map(|column| counts(column)).collect()
    };
    let (counts_a, counts_b) = (counts_of(a), counts_of(b));
    let cell = |cell: usize| {
        let (i, j) = (cell / b.len(), cell % b.len());
        information(&a[i], &b[j], &counts_a[i], &counts_b[j])
    };
    let cells = (0..a.len() * b.len()).into_par_iter().map(cell).collect();
    Array2::from_shape_vec((a.len(), b.len()), cells).expect("one number per cell")
}

/// I(a_i; a_j) of every two columns, `[columns, columns]`; the diagonal is the entropy of each.
pub fn pairwise_information(columns: &[Vec<u32>]) -> Array2<f64> {
    let counts: Vec<_> = columns.par_iter().map(|column| counts(column)).collect();
    let pairs: Vec<(usize, usize)> =
        (0..columns.len()).flat_map(|i| (0..=i).map(move |j| (i, j))).collect();
    let of_pair = |&(i, j): &(usize, usize)| match i == j {
        true => entropy_of(&counts[i]),
        false => information(&columns[i], &columns[j], &counts[i], &counts[j]),
    };
    let found: Vec<f64> = pairs.par_iter().map(of_pair).collect();
    let mut matrix = Array2::zeros((columns.len(), columns.len()));
    for ((i, j), information) in pairs.into_iter().zip(found) {
        (matrix[[i, j]], matrix[[j, i]]) = (information, information);
    }
    matrix
}

/// The mutual information of two columns, given how often each of their labels occurs.
fn information(a: &[u32], b: &[u32], count_a: &[usize], count_b: &[usize]) -> f64 {
    assert_eq!(a.len(), b.len(), "row i of both columns must be the same observation");
    if a.is_empty() || is_single(count_a) || is_single(count_b) {
        return 0.0;
    }
    let n = a.len() as f64;
    let mut information = 0.0;
    for_each_pair(a, b, [count_a.len(), count_b.len()], |[a, b], count| {
        let count = f64::from(count);
        information += count / n * (count * n / (count_a[a] as f64 * count_b[b] as f64)).ln();
    });
    // Rounding may leave independent columns a hair below zero.
    information.max(0.0)
}

/// Call `f` with every pair of labels that occurs, in order, and with how often it does.
fn for_each_pair(a: &[u32], b: &[u32], sizes: [usize; 2], mut f: impl FnMut([usize; 2], u32)) {
    let pairs = a.iter().zip(b).map(|(&a, &b)| a as usize * sizes[1] + b as usize);
    let mut visit = |pair: usize, count: u32| f([pair / sizes[1], pair % sizes[1]], count);
    if sizes[0] * sizes[1] <= CELLS.max(a.len()) {
        let mut table = vec![0_u32; sizes[0] * sizes[1]];
        pairs.for_each(|pair| table[pair] += 1);
        let found = table.iter().enumerate().filter(|(_, count)| **count > 0);
        found.for_each(|(pair, &count)| visit(pair, count));
    } else {
        // Most cells of the table would be empty.
        let mut sorted: Vec<usize> = pairs.collect();
        sorted.sort_unstable();
        sorted.chunk_by(|one, other| one == other).for_each(|run| visit(run[0], run.len() as u32));
    }
}

/// The left edges of the bins in NumPy's arithmetic (`linspace`: number times step, plus start),
/// because values that sit on an edge go where rounding puts them.
fn left_edges(column: &[f32], bins: usize) -> Vec<f64> {
    let minimum = f64::from(column.iter().copied().fold(f32::INFINITY, f32::min));
    let maximum = f64::from(column.iter().copied().fold(f32::NEG_INFINITY, f32::max));
    let margin = if minimum == maximum { 0.5 } else { 0.0 };
    let (start, stop) = (minimum - margin, maximum + margin);
    let step = (stop - start) / bins as f64;
    (0..bins).map(|number| number as f64 * step + start).collect()
}

/// How often each label occurs.
fn counts(labels: &[u32]) -> Vec<usize> {
    let mut counts = vec![0; labels.iter().max().map_or(0, |&label| label as usize + 1)];
    for &label in labels {
        counts[label as usize] += 1;
    }
    counts
}

fn is_single(counts: &[usize]) -> bool {
    counts.iter().filter(|count| **count > 0).count() < 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_closed_on_the_left_and_the_maximum_is_in_the_last() {
        let column = [0.0, 0.24, 0.25, 0.5, 0.99, 1.0];
        assert_eq!(histogram_bins(&column, 4), [0, 0, 1, 2, 3, 3]);
        assert_eq!(histogram_bins(&[], 4), [0; 0]);
    }

    #[test]
    fn a_constant_column_has_one_label_inside_the_range() {
        for constant in [0.0, 0.25, -3.7, 1e30] {
            let labels = histogram_bins(&[constant; 5], 20);
            assert!(labels.iter().all(|label| *label == labels[0] && *label < 20), "{constant}");
        }
    }

    #[test]
    fn edges_round_as_in_numpy() {
        // In NumPy, linspace(0, 1, 21) holds 3 * 0.05 = 0.15000000000000002 and the like.
        let edges = left_edges(&[0.0, 1.0], 20);
        assert_eq!(edges[3], 0.150_000_000_000_000_02);
        assert_eq!(edges[19], 0.950_000_000_000_000_1);
    }

    #[test]
    fn entropy_of_even_labels_is_the_logarithm_of_their_number() {
        let labels: Vec<u32> = (0..60).map(|row| row % 6).collect();
        assert!((entropy(&labels) - 6f64.ln()).abs() < 1e-12);
        assert_eq!(entropy(&[3; 7]).to_bits(), 0);
        assert_eq!(entropy(&[]), 0.0);
    }

    #[test]
    fn information_is_full_for_a_renaming_and_none_for_a_grid() {
        let a: Vec<u32> = (0..60).map(|row| row / 10).collect();
        let renamed: Vec<u32> = a.iter().map(|label| 7 - label).collect();
        let crossed: Vec<u32> = (0..60).map(|row| row % 10).collect();
        assert!((mutual_information(&a, &renamed) - 6f64.ln()).abs() < 1e-12);
        assert!(mutual_information(&a, &crossed) < 1e-12);
        assert_eq!(mutual_information(&a, &[4; 60]), 0.0);
    }

    #[test]
    fn many_labels_are_counted_as_few_are() {
        let mut rng = crate::rng::Rng::new(0);
        let mut labels = |most| -> Vec<u32> { (0..900).map(|_| rng.below(most) as u32).collect() };
        let (a, b) = (labels(7), labels(5));
        let spread = |labels: &[u32]| -> Vec<u32> { labels.iter().map(|l| 1000 * l).collect() };
        // Seven and five labels among thousands: the same counts in the same order.
        assert_eq!(mutual_information(&a, &b), mutual_information(&spread(&a), &spread(&b)));
    }

    #[test]
    fn pairwise_is_the_matrix_of_columns_with_themselves() {
        let mut rng = crate::rng::Rng::new(1);
        let columns: Vec<Vec<u32>> =
            (0..4).map(|_| (0..300).map(|_| rng.below(4) as u32).collect()).collect();
        let (found, all) = (pairwise_information(&columns), information_matrix(&columns, &columns));
        assert!(found.iter().zip(&all).all(|(one, other)| (one - other).abs() < 1e-12));
    }
}
