//! The layers of the flow: matrices, biases and the inverse of ψ(h) = tanh h + ρ h.
//!
//! Numbers of many rows stand unit by unit, `[size, rows]`, so that every loop runs along rows.

use super::bend::{tanh, unbend};
use super::matrices::{inverse, rotation};
use crate::rng::Rng;

/// The least ρ: below it ψ⁻¹ would throw far numbers further than anything can learn from.
const LEAST: f64 = 0.02;
/// ρ at the start: a gentle bend.
const START: f64 = 1.0;

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

    /// What comes out of each layer, `[count, size, rows]`, for whitened numbers `[size, rows]`; the
    /// sources are last.
    pub(super) fn pass(&self, white: &[f64]) -> Vec<f64> {
        let (rows, all) = (white.len() / self.size, white.len());
        let mut hidden = vec![0.0; self.count * all];
        for layer in 0..self.count {
            let (done, rest) = hidden.split_at_mut(layer * all);
            let before = if layer == 0 { white } else { &done[(layer - 1) * all..] };
            let (bias, weights) = (self.places(layer).0, self.matrix(layer));
            for (j, y) in rest[..all].chunks_mut(rows).enumerate() {
                y.fill(self.numbers[bias + j]);
                for (i, h) in before.chunks(rows).enumerate() {
                    add(y, weights[i * self.size + j], h);
                }
                if layer + 1 < self.count {
                    unbend(y, self.rho(layer, j));
                }
            }
        }
        hidden
    }

    /// The sources of whitened numbers, both `[size, rows]`.
    pub fn sources(&self, white: &[f64]) -> Vec<f64> {
        self.pass(white).split_off((self.count - 1) * white.len())
    }

    /// The whitened numbers of sources, both `[size, rows]`.
    pub fn observed(&self, sources: &[f64]) -> Vec<f64> {
        let rows = sources.len() / self.size;
        let mut y = sources.to_vec();
        for layer in (0..self.count).rev() {
            let bias = self.places(layer).0;
            for (unit, numbers) in y.chunks_mut(rows).enumerate() {
                let rho = if layer + 1 < self.count { Some(self.rho(layer, unit)) } else { None };
                let shift = self.numbers[bias + unit];
                for number in numbers {
                    let bent = rho.map_or(*number, |rho| tanh(*number) + rho * *number);
                    *number = bent - shift;
                }
            }
            let (weights, _) = inverse(self.matrix(layer), self.size);
            let mut h = vec![0.0; y.len()];
            for (j, h) in h.chunks_mut(rows).enumerate() {
                for (i, y) in y.chunks(rows).enumerate() {
                    add(h, weights[i * self.size + j], y);
                }
            }
            y = h;
        }
        y
    }

    /// Σ log ψ' of rows, whose gradient at the sources is `slope`; adds to the gradient of all.
    pub(super) fn back(
        &self,
        white: &[f64],
        hidden: &[f64],
        slope: &mut Vec<f64>,
        gradient: &mut [f64],
    ) -> f64 {
        let (size, all, mut value) = (self.size, white.len(), 0.0);
        let rows = all / size;
        for layer in (0..self.count).rev() {
            if layer + 1 < self.count {
                let hidden = &hidden[layer * all..(layer + 1) * all];
                value += self.back_through_bends(layer, hidden, slope, gradient);
            }
            let before = if layer == 0 { white } else { &hidden[(layer - 1) * all..layer * all] };
            let bias = self.places(layer).0;
            let mut below = vec![0.0; all];
            for (j, slope) in slope.chunks(rows).enumerate() {
                gradient[bias + j] += slope.iter().sum::<f64>();
                for (i, h) in before.chunks(rows).enumerate() {
                    let cell = (layer * size + i) * size + j;
                    gradient[cell] += dot(h, slope);
                    add(&mut below[i * rows..(i + 1) * rows], self.numbers[cell], slope);
                }
            }
            *slope = below;
        }
        value
    }

    /// From slopes of what came out of a layer's bends to slopes of what went in.
    fn back_through_bends(
        &self,
        layer: usize,
        hidden: &[f64],
        slope: &mut [f64],
        gradient: &mut [f64],
    ) -> f64 {
        let (rows, raw) = (hidden.len() / self.size, self.places(layer).1);
        let mut value = 0.0;
        for (unit, (h, slope)) in hidden.chunks(rows).zip(slope.chunks_mut(rows)).enumerate() {
            let rho = self.rho(layer, unit);
            let mut total = 0.0;
            // One logarithm for eight factors, each from 0.02 to a few: their product is far from 0.
            for (h, slope) in h.chunks(8).zip(slope.chunks_mut(8)) {
                let mut product = 1.0;
                for (h, slope) in h.iter().zip(slope) {
                    let tanh = tanh(*h);
                    let bend = 1.0 - tanh * tanh;
                    let steepness = bend + rho;
                    product *= steepness;
                    // Of h: from above, and from log ψ'(h) itself.
                    let of_h = *slope - 2.0 * tanh * bend / steepness;
                    // Of ρ at fixed y: dh/dρ = -h / ψ', and log ψ' has it too.
                    total += (1.0 - of_h * h) / steepness;
                    *slope = of_h / steepness;
                }
                value += f64::ln(product);
            }
            gradient[raw + unit] += total * sigmoid(self.numbers[raw + unit]);
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

/// y += factor x
fn add(y: &mut [f64], factor: f64, x: &[f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += factor * x);
}

/// Σ a b, in four sums side by side.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (a, b) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = a.remainder().iter().zip(b.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a.zip(b) {
        (0..4).for_each(|lane| sums[lane] += a[lane] * b[lane]);
    }
    sums.iter().sum::<f64>() + rest
}

fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn observed_undoes_sources() {
        let mut layers = Layers::random(3, 4, &mut Rng::new(0));
        layers.numbers.iter_mut().enumerate().for_each(|(k, x)| *x += 0.1 * (k as f64).sin());
        // Four units of two rows.
        let row = [0.5, -1.5, 0.2, 3.0, 0.0, -0.7, 9.0, 1.0];
        let back = layers.observed(&layers.sources(&row));
        assert!(row.iter().zip(&back).all(|(a, b)| (a - b).abs() < 1e-8), "{back:?}");
    }
}
