//! The layers of the flow: matrices, biases and the inverse of ψ(h) = tanh h + ρ h.

use crate::rng::Rng;

/// The least ρ: below it ψ⁻¹ would throw far numbers further than anything can learn from.
const LEAST: f64 = 0.02;
/// ρ at the start: a gentle bend.
const START: f64 = 1.0;
/// Newton's method needs a handful of steps; this is where it is given up.
const NEWTON: usize = 60;

/// Layers with their numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Layers {
    /// How many.
    pub count: usize,
    /// How many sources.
    pub size: usize,
    /// Matrices `[count, size, size]`, biases `[count, size]`, and for all layers but the last the
    /// numbers whose softplus is ρ, `[count - 1, size]`.
    pub numbers: Vec<f64>,
}

impl Layers {
    /// Random rotations without bias.
    pub fn random(count: usize, size: usize, rng: &mut Rng) -> Self {
        let mut numbers = Vec::new();
        for _ in 0..count {
            numbers.extend(rotation(size, rng));
        }
        numbers.resize(numbers.len() + count * size, 0.0);
        let raw = (START - LEAST).exp_m1().ln();
        numbers.resize(numbers.len() + (count - 1) * size, raw);
        Self { count, size, numbers }
    }

    fn matrix(&self, layer: usize) -> &[f64] {
        let cells = self.size * self.size;
        &self.numbers[layer * cells..(layer + 1) * cells]
    }

    /// Where the biases of a layer begin, and where the numbers of its ρ.
    fn places(&self, layer: usize) -> (usize, usize) {
        let biases = self.count * self.size * self.size;
        (biases + layer * self.size, biases + (self.count + layer) * self.size)
    }

    fn rho(&self, layer: usize, unit: usize) -> f64 {
        softplus(self.numbers[self.places(layer).1 + unit]) + LEAST
    }

    /// h W + b
    fn affine(&self, layer: usize, h: &[f64]) -> Vec<f64> {
        let bias = self.places(layer).0;
        let mut y = self.numbers[bias..bias + self.size].to_vec();
        for (h, weights) in h.iter().zip(self.matrix(layer).chunks(self.size)) {
            y.iter_mut().zip(weights).for_each(|(y, weight)| *y += h * weight);
        }
        y
    }

    /// What comes out of each layer, one after another; the sources are last.
    pub(super) fn pass(&self, row: &[f64]) -> Vec<f64> {
        let mut hidden = Vec::with_capacity(self.count * self.size);
        let mut h = row.to_vec();
        for layer in 0..self.count {
            h = self.affine(layer, &h);
            if layer + 1 < self.count {
                for (unit, y) in h.iter_mut().enumerate() {
                    *y = unbent(*y, self.rho(layer, unit));
                }
            }
            hidden.extend(&h);
        }
        hidden
    }

    /// From whitened numbers to sources.
    pub fn sources(&self, row: &[f64]) -> Vec<f64> {
        self.pass(row).split_off((self.count - 1) * self.size)
    }

    /// The inverses of the matrices, for [`observed`](Self::observed).
    pub fn inverses(&self) -> Vec<Vec<f64>> {
        (0..self.count).map(|layer| inverse(self.matrix(layer), self.size).0).collect()
    }

    /// From sources to whitened numbers.
    pub fn observed(&self, sources: &[f64], inverses: &[Vec<f64>]) -> Vec<f64> {
        let mut y = sources.to_vec();
        for layer in (0..self.count).rev() {
            if layer + 1 < self.count {
                for (unit, h) in y.iter_mut().enumerate() {
                    *h = h.tanh() + self.rho(layer, unit) * *h;
                }
            }
            let bias = self.places(layer).0;
            let mut h = vec![0.0; self.size];
            for (i, weights) in inverses[layer].chunks(self.size).enumerate() {
                let centred = y[i] - self.numbers[bias + i];
                h.iter_mut().zip(weights).for_each(|(h, weight)| *h += centred * weight);
            }
            y = h;
        }
        y
    }

    /// Σ log ψ' of a row, whose gradient at the sources is `slope`; adds to the gradient of all.
    pub(super) fn back(
        &self,
        row: &[f64],
        hidden: &[f64],
        slope: &mut [f64],
        gradient: &mut [f64],
    ) -> f64 {
        let (size, mut value) = (self.size, 0.0);
        for layer in (0..self.count).rev() {
            let (bias, raw) = self.places(layer);
            if layer + 1 < self.count {
                for unit in 0..size {
                    let (h, rho) = (hidden[layer * size + unit], self.rho(layer, unit));
                    let tanh = h.tanh();
                    let bend = 1.0 - tanh * tanh;
                    let steepness = bend + rho;
                    value += steepness.ln();
                    // Of h: from above, and from log ψ'(h) itself.
                    let of_h = slope[unit] - 2.0 * tanh * bend / steepness;
                    // Of ρ at fixed y: dh/dρ = -h / ψ', and log ψ' has it too.
                    let of_rho = (1.0 - of_h * h) / steepness;
                    gradient[raw + unit] += of_rho * sigmoid(self.numbers[raw + unit]);
                    slope[unit] = of_h / steepness;
                }
            }
            let before = if layer == 0 { row } else { &hidden[(layer - 1) * size..layer * size] };
            let cells = layer * size * size;
            let mut below = vec![0.0; size];
            for (i, h) in before.iter().enumerate() {
                let weights = &self.matrix(layer)[i * size..(i + 1) * size];
                let cells = &mut gradient[cells + i * size..cells + (i + 1) * size];
                for ((cell, weight), slope) in cells.iter_mut().zip(weights).zip(&*slope) {
                    *cell += h * slope;
                    below[i] += weight * slope;
                }
            }
            gradient[bias..bias + size].iter_mut().zip(&*slope).for_each(|(b, s)| *b += s);
            slope.copy_from_slice(&below);
        }
        value
    }

    /// Σ log|det W|; takes its gradient off.
    pub(super) fn log_determinants(&self, gradient: &mut [f64]) -> f64 {
        let mut sum = 0.0;
        for layer in 0..self.count {
            let (inverse, log_determinant) = inverse(self.matrix(layer), self.size);
            sum += log_determinant;
            let first = layer * self.size * self.size;
            for i in 0..self.size {
                for j in 0..self.size {
                    gradient[first + i * self.size + j] -= inverse[j * self.size + i];
                }
            }
        }
        sum
    }
}

/// h with tanh h + ρ h = y. Newton's method, never further than 1 at once: monotone, so it arrives.
fn unbent(y: f64, rho: f64) -> f64 {
    let far = y.abs() > 1.0 + rho;
    let mut h = if far { (y.abs() - 1.0) / rho * y.signum() } else { y / (1.0 + rho) };
    for _ in 0..NEWTON {
        let tanh = h.tanh();
        let step = (tanh + rho * h - y) / (1.0 - tanh * tanh + rho);
        h -= step.clamp(-1.0, 1.0);
        if step.abs() < 1e-12 * h.abs().max(1.0) {
            break;
        }
    }
    h
}

fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// A random rotation: normal numbers, each row made orthogonal to those before.
fn rotation(size: usize, rng: &mut Rng) -> Vec<f64> {
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
fn inverse(matrix: &[f64], size: usize) -> (Vec<f64>, f64) {
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

    #[test]
    fn unbending_undoes_bending_near_and_far() {
        for rho in [0.02, 0.1, 1.0, 30.0] {
            for h in [0.0, 1e-9, 0.3, -1.0, 2.5, -40.0, 1e4] {
                let found = unbent(f64::tanh(h) + rho * h, rho);
                assert!((found - h).abs() < 1e-7 * h.abs().max(1.0), "{rho} {h} {found}");
            }
        }
    }

    #[test]
    fn observed_undoes_sources() {
        let mut layers = Layers::random(3, 4, &mut Rng::new(0));
        layers.numbers.iter_mut().enumerate().for_each(|(k, x)| *x += 0.1 * (k as f64).sin());
        let row = [0.5, -1.5, 0.2, 3.0];
        let back = layers.observed(&layers.sources(&row), &layers.inverses());
        assert!(row.iter().zip(&back).all(|(a, b)| (a - b).abs() < 1e-8), "{back:?}");
    }
}
