//! Small matrices.

use ndarray::Array2;
use unbraid_measure::rng::Rng;

/// The inverse of a small matrix and its log |det|, by Gauss-Jordan elimination with partial pivoting. No
/// pivot is taken as smaller than `least`, so that what is singular has an inverse too, a large one.
pub fn inverse(mut m: Array2<f64>, least: f64) -> (Array2<f64>, f64) {
    let n = m.nrows();
    let mut out: Array2<f64> = Array2::eye(n);
    let mut log_determinant = 0.0;
    for column in 0..n {
        let largest =
            (column..n).max_by(|&a, &b| m[[a, column]].abs().total_cmp(&m[[b, column]].abs()));
        let from = largest.unwrap_or(column);
        for k in 0..n {
            m.swap([column, k], [from, k]);
            out.swap([column, k], [from, k]);
        }
        let pivot = m[[column, column]];
        let pivot = if pivot.abs() < least { least.copysign(pivot) } else { pivot };
        log_determinant += pivot.abs().ln();
        m[[column, column]] = pivot;
        for k in 0..n {
            m[[column, k]] /= pivot;
            out[[column, k]] /= pivot;
        }
        for row in (0..n).filter(|row| *row != column) {
            let times = m[[row, column]];
            for k in 0..n {
                m[[row, k]] -= times * m[[column, k]];
                out[[row, k]] -= times * out[[column, k]];
            }
        }
    }
    (out, log_determinant)
}

/// A random orthogonal matrix, by Gram and Schmidt on normal draws.
pub fn orthogonal(size: usize, rng: &mut Rng) -> Array2<f64> {
    let mut m = Array2::from_shape_simple_fn((size, size), || f64::from(rng.normal()));
    for k in 0..size {
        for before in 0..k {
            let along = m.row(k).dot(&m.row(before));
            let other = m.row(before).to_owned();
            m.row_mut(k).scaled_add(-along, &other);
        }
        let length = m.row(k).dot(&m.row(k)).sqrt();
        m.row_mut(k).mapv_inplace(|entry| entry / length);
    }
    m
}

/// P, L and U with m = P L U, by Gauss with the largest pivot.
pub fn decomposed(m: Array2<f64>) -> [Array2<f64>; 3] {
    let size = m.nrows();
    let (mut upper, mut lower) = (m, Array2::<f64>::zeros((size, size)));
    let mut order: Vec<usize> = (0..size).collect();
    for k in 0..size {
        let largest =
            (k..size).max_by(|&a, &b| upper[[a, k]].abs().total_cmp(&upper[[b, k]].abs()));
        let pivot = largest.expect("k is below the size");
        for column in 0..size {
            upper.swap([k, column], [pivot, column]);
            lower.swap([k, column], [pivot, column]);
        }
        order.swap(k, pivot);
        for row in k + 1..size {
            let times = upper[[row, k]] / upper[[k, k]];
            lower[[row, k]] = times;
            for column in k..size {
                upper[[row, column]] -= times * upper[[k, column]];
            }
        }
    }
    // Row k of L U is row order[k] of m.
    let mut permutation = Array2::zeros((size, size));
    order.iter().enumerate().for_each(|(k, &row)| permutation[[row, k]] = 1.0);
    [permutation, lower, upper]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_is_its_parts_and_its_inverse_undoes_it() {
        let m = orthogonal(5, &mut Rng::new(1)) * 2.0 + Array2::<f64>::eye(5);
        let [permutation, lower, upper] = decomposed(m.clone());
        let again = permutation.dot(&(lower + Array2::<f64>::eye(5))).dot(&upper);
        let (back, log_determinant) = inverse(m.clone(), f64::MIN_POSITIVE);
        let one = m.dot(&back);
        for ((k, entry), found) in m.indexed_iter().zip(&again) {
            assert!((entry - found).abs() < 1e-12);
            assert!((one[k] - f64::from(u8::from(k.0 == k.1))).abs() < 1e-12);
        }
        let product: f64 = upper.diag().iter().map(|entry| entry.abs().ln()).sum();
        assert!((product - log_determinant).abs() < 1e-12);
    }
}
