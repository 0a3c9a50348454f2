//! Small square matrices, row by row: random rotations, inverses, determinants.

use crate::rng::Rng;

/// A random rotation: normal numbers, each row made orthogonal to those before.
pub(super) fn rotation(size: usize, rng: &mut Rng) -> Vec<f64> {
    let mut rows: Vec<Vec<f64>> = Vec::with_capacity(size);
    while rows.len() < size {
        let mut row: Vec<f64> = (0..size).map(|_| f64::from(rng.normal())).collect();
        for other in &rows {
            let along: f64 = row.iter().zip(other).map(|(a, b)| a * b).sum();
            row.iter_mut().zip(other).for_each(|(a, b)| *a -= along * b);
        }
        let length = row.iter().map(|a| a * a).sum::<f64>().sqrt();
        // By bad luck along the others: draw again.
        if length > 1e-3 {
            for a in &mut row {
                *a /= length;
            }
            rows.push(row);
        }
    }
    rows.concat()
}

/// The inverse of a small matrix and the logarithm of its determinant's size, by elimination with
/// row exchange.
pub(super) fn inverse(matrix: &[f64], size: usize) -> (Vec<f64>, f64) {
    let mut left = matrix.to_vec();
    let mut right = vec![0.0; size * size];
    (0..size).for_each(|i| right[i * size + i] = 1.0);
    let mut log_determinant = 0.0;
    for column in 0..size {
        let largest = |a: &usize, b: &usize| {
            left[a * size + column].abs().total_cmp(&left[b * size + column].abs())
        };
        let pivot = (column..size).max_by(largest).unwrap_or(column);
        for j in 0..size {
            left.swap(pivot * size + j, column * size + j);
            right.swap(pivot * size + j, column * size + j);
        }
        let head = left[column * size + column];
        log_determinant += head.abs().ln();
        for j in 0..size {
            left[column * size + j] /= head;
            right[column * size + j] /= head;
        }
        for i in (0..size).filter(|i| *i != column) {
            let factor = left[i * size + column];
            for j in 0..size {
                left[i * size + j] -= factor * left[column * size + j];
                right[i * size + j] -= factor * right[column * size + j];
            }
        }
    }
    (right, log_determinant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverse_and_determinant_by_hand() {
        let (found, log_determinant) = inverse(&[0.0, 2.0, 1.0, 4.0], 2);
        for (found, expected) in found.iter().zip([-2.0, 1.0, 0.5, 0.0]) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
        assert!((log_determinant - 2f64.ln()).abs() < 1e-12);
    }
}
