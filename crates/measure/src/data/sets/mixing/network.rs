//! The mixing: matrices with a curve between any two, and what is done to the observations after.

use ndarray::Array2;

use super::choices::{Activation, Settings};
use super::matrices::Form;
use crate::error::Result;
use crate::rng::Rng;

/// x = f(… f(f(s A₁) A₂) …) A_layers.
pub(super) struct Network {
    /// `[inputs, outputs]` each.
    pub(super) matrices: Vec<Array2<f64>>,
    pub(super) activation: Activation,
    pub(super) slope: f64,
}

impl Network {
    pub(super) fn draw(settings: &Settings, rng: &Rng) -> Result<Self> {
        let Settings { generator, staircase, observed, activation, slope, .. } = *settings;
        let first = Form { inputs: settings.sources, outputs: observed, generator, staircase };
        let later = Form { inputs: observed, ..first };
        let threshold = |form: Form| form.threshold(&rng.split("compared").at(form.inputs as u64));
        let matrix = |form: Form, threshold: f64, layer: usize| {
            form.accepted(threshold, &rng.split("matrices").at(layer as u64))
        };
        let mut best_quarter = threshold(first)?;
        let mut matrices = vec![matrix(first, best_quarter, 0)?];
        if settings.layers > 1 && later != first {
            best_quarter = threshold(later)?;
        }
        for layer in 1..settings.layers {
            // As iVAE repeats: A itself where it is square, else one square B after it.
            let repeated = match (settings.repeat.is_on(), later == first) {
                (false, _) => None,
                (true, true) => matrices.first(),
                (true, false) => matrices.get(1),
            };
            matrices.push(match repeated {
                Some(repeated) => repeated.clone(),
                None => matrix(later, best_quarter, layer)?,
            });
        }
        Ok(Self { matrices, activation, slope })
    }

    /// From rows of sources to rows of observations.
    pub(super) fn mix(&self, sources: &[f32], out: &mut [f32]) {
        let (inputs, outputs) = (self.matrices[0].nrows(), self.matrices[0].ncols());
        let [mut signal, mut next] = [vec![0.0; outputs], vec![0.0; outputs]];
        for (source, out) in sources.chunks_exact(inputs).zip(out.chunks_exact_mut(outputs)) {
            signal.iter_mut().zip(source).for_each(|(slot, value)| *slot = f64::from(*value));
            for (layer, matrix) in self.matrices.iter().enumerate() {
                if layer > 0 {
                    for value in &mut signal {
                        *value = self.curve(*value);
                    }
                }
                multiply(&signal, matrix, &mut next);
                std::mem::swap(&mut signal, &mut next);
            }
            out.iter_mut().zip(&signal).for_each(|(slot, value)| *slot = *value as f32);
        }
    }

    fn curve(&self, value: f64) -> f64 {
        match self.activation {
            Activation::Xtanh => value.tanh() + self.slope * value,
            Activation::LeakyRelu if value < 0.0 => self.slope * value,
            Activation::Sigmoid => sigmoid(value),
            Activation::LeakyRelu | Activation::None | Activation::Auto => value,
        }
    }
}

/// out = s A, for the first numbers of `signal`, as many as A has rows.
fn multiply(signal: &[f64], matrix: &Array2<f64>, out: &mut [f64]) {
    out.fill(0.0);
    // Slices, which the compiler turns into vector instructions, and not views.
    let entries = matrix.as_slice().expect("matrices are drawn row by row");
    for (&value, row) in signal.iter().zip(entries.chunks_exact(out.len())) {
        out.iter_mut().zip(row).for_each(|(sum, entry)| *sum += value * entry);
    }
}

/// Noise, and ones and zeros, where they are asked for.
pub(super) fn disturb(settings: &Settings, rng: &mut Rng, observed: &mut [f32]) {
    if settings.noisy > 0.0 {
        let mut rng = rng.split("noise");
        for value in &mut *observed {
            *value += settings.noisy as f32 * rng.normal();
        }
    }
    if settings.discrete {
        let mut rng = rng.split("bits");
        for value in observed {
            let one = rng.uniform() < sigmoid(f64::from(*value));
            *value = f32::from(u8::from(one));
        }
    }
}

fn sigmoid(value: f64) -> f64 {
    1.0 / (1.0 + (-value).exp())
}
