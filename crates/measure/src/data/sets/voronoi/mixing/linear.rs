//! The linear pieces of a flow: a norm per number, and a turn of all of them.

use crate::rng::Rng;

/// Scales are kept within e^±3, as in the published flow.
const STEEPEST: f64 = 3.0;

/// y = (x + bias) · scale, per number.
pub(super) struct Norm {
    bias: Vec<f32>,
    scale: Vec<f32>,
}

impl Norm {
    /// What gives these rows, `[rows, width]`, mean 0 and standard deviation 1.
    pub(super) fn of(rows: &[f32], width: usize) -> Self {
        let count = (rows.len() / width) as f64;
        let (mut sum, mut squares) = (vec![0.0_f64; width], vec![0.0_f64; width]);
        for row in rows.chunks_exact(width) {
            row.iter().zip(&mut sum).for_each(|(v, sum)| *sum += f64::from(*v) / count);
        }
        for row in rows.chunks_exact(width) {
            for ((v, mean), squares) in row.iter().zip(&sum).zip(&mut squares) {
                *squares += (f64::from(*v) - mean).powi(2) / (count - 1.0);
            }
        }
        let scale = |variance: &f64| (-variance.ln() / 2.0).clamp(-STEEPEST, STEEPEST).exp() as f32;
        Self {
            bias: sum.iter().map(|mean| -mean as f32).collect(),
            scale: squares.iter().map(scale).collect(),
        }
    }

    pub(super) fn apply(&self, row: &mut [f32]) {
        for ((v, bias), scale) in row.iter_mut().zip(&self.bias).zip(&self.scale) {
            *v = (*v + bias) * scale;
        }
    }

    #[cfg(test)]
    pub(super) fn invert(&self, row: &mut [f32]) {
        for ((v, bias), scale) in row.iter_mut().zip(&self.bias).zip(&self.scale) {
            *v = *v / scale - bias;
        }
    }
}

/// y = x W with a random orthogonal W.
pub(super) struct Turn {
    /// `[inputs][outputs]`
    rows: Vec<Vec<f32>>,
}

impl Turn {
    /// Rows drawn from a normal distribution and made orthonormal one after the other (Gram-Schmidt).
    pub(super) fn draw(width: usize, rng: &mut Rng) -> Self {
        let mut rows: Vec<Vec<f64>> = Vec::with_capacity(width);
        for _ in 0..width {
            let mut row: Vec<f64> = (0..width).map(|_| f64::from(rng.normal())).collect();
            // Twice: once leaves an error where a row is almost along those before.
            for before in rows.iter().chain(&rows) {
                let along: f64 = row.iter().zip(before).map(|(a, b)| a * b).sum();
                row.iter_mut().zip(before).for_each(|(v, b)| *v -= along * b);
            }
            let norm = row.iter().map(|v| v * v).sum::<f64>().sqrt();
            rows.push(row.iter().map(|v| v / norm).collect());
        }
        let single = |row: &Vec<f64>| row.iter().map(|v| *v as f32).collect();
        Self { rows: rows.iter().map(single).collect() }
    }

    pub(super) fn apply(&self, row: &mut [f32]) {
        let mut out = [0.0_f32; 16];
        let out = &mut out[..row.len()];
        for (v, weights) in row.iter().zip(&self.rows) {
            out.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += v * weight);
        }
        row.copy_from_slice(out);
    }

    #[cfg(test)]
    pub(super) fn invert(&self, row: &mut [f32]) {
        let dot = |weights: &Vec<f32>| row.iter().zip(weights).map(|(v, w)| v * w).sum();
        let back: Vec<f32> = self.rows.iter().map(dot).collect();
        row.copy_from_slice(&back);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_keeps_lengths_and_can_be_turned_back() {
        let turn = Turn::draw(5, &mut Rng::new(0));
        let before = [1.0, -2.0, 0.5, 3.0, 0.25];
        let mut row = before.to_vec();
        turn.apply(&mut row);
        let square = |row: &[f32]| row.iter().map(|v| v * v).sum::<f32>();
        assert!((square(&row) - square(&before)).abs() < 1e-4);
        turn.invert(&mut row);
        assert!(row.iter().zip(before).all(|(a, b)| (a - b).abs() < 1e-5));
    }

    #[test]
    fn a_norm_is_that_of_its_rows_but_never_steeper_than_its_limit() {
        let norm = Norm::of(&[1.0, 5.0, 3.0, 5.0], 2);
        let mut row = [3.0, 5.0];
        norm.apply(&mut row);
        assert!((row[0] - 0.5_f32.sqrt()).abs() < 1e-6 && row[1] == 0.0);
        assert!((norm.scale[1] - 3.0_f32.exp()).abs() < 1e-4);
    }
}
