//! Every number is moved, and in BISCUIT's version stretched, by what a small random network makes of
//! those before it: y = (x + t) · exp(s), t and s from x₀ … x of the number before. The layers of the
//! network are masked, so that block i of 16 units sees the numbers before i only.

use std::f32::consts::{LN_2, LOG2_E};

use crate::data::sets::voronoi::choices::Version;
use crate::rng::Rng;

/// Units per number.
const UNITS: usize = 16;
/// The most numbers there can be.
const MOST: usize = 16;

/// A masked layer: the weights of an input lead to all outputs from `first` on.
struct Masked {
    inputs: Vec<Row>,
    bias: Vec<f32>,
}

struct Row {
    first: usize,
    weights: Vec<f32>,
}

/// How a masked layer is drawn. Weights are within √(`gain`/n) · `factor`, n the inputs that a block sees.
#[derive(Clone, Copy)]
struct Form {
    /// Inputs and outputs per number.
    sizes: [usize; 2],
    /// Whether a block sees the inputs of its own number too.
    own: bool,
    gain: f64,
    factor: f64,
    /// Whether there are biases, within 1/√(all inputs).
    biased: bool,
    /// Whether the first block is all zero.
    silent: bool,
}

impl Masked {
    fn draw(numbers: usize, form: Form, rng: &mut Rng) -> Self {
        let [from, to] = form.sizes;
        let bound = 1.0 / ((numbers * from) as f64).sqrt();
        let mut within = |bound: f64| (bound * (2.0 * rng.uniform() - 1.0)) as f32;
        let inputs = (0..numbers * from).map(|input| {
            let seen_from = input / from + usize::from(!form.own);
            let weight = |output: usize| {
                let block = output / to;
                let visible = (block + usize::from(form.own)) * from;
                match block == 0 && form.silent {
                    true => 0.0,
                    false => within(form.factor * (form.gain / visible as f64).sqrt()),
                }
            };
            let first = seen_from * to;
            Row { first, weights: (first..numbers * to).map(weight).collect() }
        });
        let inputs = inputs.collect();
        let bias = |_| if form.biased { within(bound) } else { 0.0 };
        Self { inputs, bias: (0..numbers * to).map(bias).collect() }
    }

    fn apply<'a>(&self, inputs: &[f32], out: &'a mut [f32; MOST * UNITS]) -> &'a mut [f32] {
        let out = &mut out[..self.bias.len()];
        out.copy_from_slice(&self.bias);
        for (input, Row { first, weights }) in inputs.iter().zip(&self.inputs) {
            out[*first..].iter_mut().zip(weights).for_each(|(sum, w)| *sum += input * w);
        }
        out
    }
}

/// The network, and how far it may stretch.
pub(super) struct Autoregressive {
    layers: [Masked; 3],
    /// |s| stays below this; 0 for no stretching.
    stretch: f32,
}

impl Autoregressive {
    pub(super) fn draw(numbers: usize, version: Version, rng: &Rng) -> Self {
        // The published parameter of the scale is -1: 3 tanh(e⁻¹/3) = .366.
        let (factor, stretch) = match version {
            Version::Biscuit => (1.0, 3.0 * ((-1.0_f64).exp() / 3.0).tanh()),
            Version::Citris => (0.2, 0.0),
        };
        let inner = Form {
            sizes: [UNITS, UNITS],
            own: true,
            gain: 6.0,
            factor: 1.0,
            biased: true,
            silent: false,
        };
        let first = Form { sizes: [1, UNITS], own: false, ..inner };
        let last =
            Form { sizes: [UNITS, 2], gain: 3.0, factor, biased: false, silent: true, ..inner };
        let draw = |(form, k)| Masked::draw(numbers, form, &mut rng.at(k));
        Self { layers: [(first, 0), (inner, 1), (last, 2)].map(draw), stretch: stretch as f32 }
    }

    /// t and s of every number, one after the other.
    fn moves<'a>(&self, row: &[f32], out: &'a mut [f32; MOST * UNITS]) -> &'a [f32] {
        let [first, second, last] = &self.layers;
        let mut hidden = [0.0; MOST * UNITS];
        let mut deeper = [0.0; MOST * UNITS];
        let hidden = first.apply(row, &mut hidden);
        swish(hidden);
        let deeper = second.apply(hidden, &mut deeper);
        swish(deeper);
        last.apply(deeper, out)
    }

    /// exp(s), limited: s = stretch · tanh of what the network says.
    fn scale(&self, said: f32) -> f32 {
        if self.stretch == 0.0 { 1.0 } else { (self.stretch * said.tanh()).exp() }
    }

    pub(super) fn apply(&self, row: &mut [f32]) {
        let mut moves = [0.0; MOST * UNITS];
        let moves = self.moves(row, &mut moves);
        for (v, said) in row.iter_mut().zip(moves.chunks_exact(2)) {
            *v = (*v + said[0]) * self.scale(said[1]);
        }
    }

    /// Number by number: each needs the ones before it.
    #[cfg(test)]
    pub(super) fn invert(&self, row: &mut [f32]) {
        for k in 0..row.len() {
            let mut moves = [0.0; MOST * UNITS];
            let moves = self.moves(row, &mut moves);
            row[k] = row[k] / self.scale(moves[2 * k + 1]) - moves[2 * k];
        }
    }
}

/// x · sigmoid(x).
fn swish(numbers: &mut [f32]) {
    for v in numbers {
        *v /= 1.0 + exp(-*v);
    }
}

/// eˣ to seven digits, for x within ±80. The library's takes one number at a time; a loop over this
/// becomes vector instructions, and a frame is drawn in half the time.
fn exp(x: f32) -> f32 {
    /// 1.5 · 2²³: added to a small number, it leaves the nearest whole number in the lowest bits.
    const WHOLE: f32 = 12_582_912.0;
    /// 2ᶠ = Σ (f ln 2)ⁿ / n!, for f within ±½.
    const TERMS: [f32; 7] =
        [1.0, LN_2, 0.240_226_5, 0.055_504_11, 0.009_618_129, 0.001_333_356, 0.000_154_035];
    let power = x.clamp(-80.0, 80.0) * LOG2_E;
    let shifted = power + WHOLE;
    let rest = power - (shifted - WHOLE);
    let sum = TERMS.iter().rev().fold(0.0, |sum, term| sum * rest + term);
    // The whole number goes where a float has its exponent.
    sum * f32::from_bits((shifted.to_bits() << 23).wrapping_add(1.0_f32.to_bits()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_moved_by_those_before_it_only() {
        for version in [Version::Biscuit, Version::Citris] {
            let flow = Autoregressive::draw(5, version, &Rng::new(2));
            let before = [0.3, -0.4, 1.0, 0.2, -1.5];
            let mut plain = before;
            flow.apply(&mut plain);
            assert_eq!(plain[0], before[0], "the first one stays");
            for changed in 0..5 {
                let mut row = before;
                row[changed] += 0.7;
                flow.apply(&mut row);
                assert_eq!(row[..changed], plain[..changed]);
                assert!((changed..5).all(|k| row[k] != plain[k]));
            }
        }
    }

    #[test]
    fn the_quick_exponential_is_the_true_one() {
        for k in -800..=800 {
            let x = k as f32 / 10.0;
            assert!((exp(x) / x.exp() - 1.0).abs() < 1e-5, "{x}: {} {}", exp(x), x.exp());
        }
        assert!((exp(0.3) / 0.3_f32.exp() - 1.0).abs() < 3e-7);
        assert!(exp(-1e9) < 1e-30 && exp(1e9) > 1e30);
    }

    #[test]
    fn stretching_has_its_bound_and_citris_does_none() {
        let [biscuit, citris] = [Version::Biscuit, Version::Citris]
            .map(|version| Autoregressive::draw(6, version, &Rng::new(3)));
        assert!((biscuit.stretch - 0.366).abs() < 1e-3);
        assert!((biscuit.scale(1e9).ln() - 0.366).abs() < 1e-3);
        assert_eq!(citris.scale(5.0), 1.0);
    }
}
