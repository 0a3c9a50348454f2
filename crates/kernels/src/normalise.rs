//! Batch normalisation with what stands around it, and its backward pass:
//!
//! ```text
//! x̂ = (x − mean) / sqrt(variance + ε),   y = leaky(scale x̂ + shift)
//! ```
//!
//! with mean and variance over the rows of each column. Plain loops along rows: they are bound by memory,
//! and compilers make vectors of them.

/// Keeps a variance away from zero.
pub const NORMALISE_EPSILON: f32 = 1e-5;

/// Normalised sums, and what the backward pass needs.
#[derive(Clone, Debug)]
pub struct Normalised {
    /// `[rows, columns]`
    pub output: Vec<f32>,
    /// x̂, `[rows, columns]`
    pub standard: Vec<f32>,
    /// Of each column.
    pub mean: Vec<f32>,
    /// Of each column, over all rows.
    pub variance: Vec<f32>,
}

/// The gradients of a normalisation.
#[derive(Clone, Debug)]
pub struct NormalisedGradients {
    /// `[rows, columns]`
    pub input: Vec<f32>,
    /// Of each column.
    pub scale: Vec<f32>,
    /// Of each column.
    pub shift: Vec<f32>,
}

/// What is below zero counts `slope` times; 1 leaves everything as it is.
#[inline]
fn leak(y: f32, slope: f32) -> f32 {
    if y < 0.0 { slope } else { 1.0 }
}

/// Normalise rows of as many columns as there are scales.
pub fn normalise(x: &[f32], scale: &[f32], shift: &[f32], slope: f32) -> Normalised {
    let columns = scale.len();
    assert_eq!(shift.len(), columns, "a shift for every column");
    assert!(columns > 0 && !x.is_empty() && x.len().is_multiple_of(columns), "whole rows");
    let share = columns as f32 / x.len() as f32;
    let mut mean = vec![0.0; columns];
    for row in x.chunks_exact(columns) {
        mean.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
    }
    for sum in &mut mean {
        *sum *= share;
    }
    let mut variance = vec![0.0; columns];
    for row in x.chunks_exact(columns) {
        let apart = row.iter().zip(&mean).map(|(x, mean)| x - mean);
        variance.iter_mut().zip(apart).for_each(|(sum, apart)| *sum += apart * apart);
    }
    for sum in &mut variance {
        *sum *= share;
    }
    let inverse = inverse(&variance);
    let (mut output, mut standard) = (vec![0.0; x.len()], vec![0.0; x.len()]);
    let rows = output.chunks_exact_mut(columns).zip(standard.chunks_exact_mut(columns));
    for ((output, standard), row) in rows.zip(x.chunks_exact(columns)) {
        for k in 0..columns {
            standard[k] = (row[k] - mean[k]) * inverse[k];
            let y = scale[k] * standard[k] + shift[k];
            output[k] = y * leak(y, slope);
        }
    }
    Normalised { output, standard, mean, variance }
}

fn inverse(variance: &[f32]) -> Vec<f32> {
    variance.iter().map(|variance| 1.0 / (variance + NORMALISE_EPSILON).sqrt()).collect()
}

/// The gradients, from that of the output. With g the gradient of scale x̂ + shift:
/// dx = scale / sqrt(variance + ε) (g − mean g − x̂ mean(g x̂)).
pub fn normalise_backward(
    gradient: &[f32],
    standard: &[f32],
    variance: &[f32],
    scale: &[f32],
    shift: &[f32],
    slope: f32,
) -> NormalisedGradients {
    let columns = scale.len();
    assert_eq!(gradient.len(), standard.len(), "a gradient for every number");
    assert_eq!((variance.len(), shift.len()), (columns, columns), "numbers for every column");
    assert!(columns > 0 && gradient.len().is_multiple_of(columns), "whole rows");
    let (mut of_scale, mut of_shift) = (vec![0.0; columns], vec![0.0; columns]);
    let mut input = vec![0.0; gradient.len()];
    let rows = gradient.chunks_exact(columns).zip(standard.chunks_exact(columns));
    for ((gradient, standard), input) in rows.clone().zip(input.chunks_exact_mut(columns)) {
        for k in 0..columns {
            let g = gradient[k] * leak(scale[k] * standard[k] + shift[k], slope);
            of_shift[k] += g;
            of_scale[k] += g * standard[k];
            input[k] = g;
        }
    }
    let share = columns as f32 / gradient.len() as f32;
    let inverse = inverse(variance);
    for ((_, standard), input) in rows.zip(input.chunks_exact_mut(columns)) {
        for k in 0..columns {
            let apart = input[k] - share * (of_shift[k] + standard[k] * of_scale[k]);
            input[k] = scale[k] * inverse[k] * apart;
        }
    }
    NormalisedGradients { input, scale: of_scale, shift: of_shift }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that are neither alike nor in order.
    fn numbers(count: usize, seed: u32) -> Vec<f32> {
        let mut state = seed;
        let next = |_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 23) as f32 - 1.0
        };
        (0..count).map(next).collect()
    }

    #[test]
    fn columns_have_mean_0_and_variance_1_then_scale_and_shift() {
        let x = numbers(40, 1).iter().map(|x| 5.0 * x + 3.0).collect::<Vec<_>>();
        let found = normalise(&x, &[2.0, 1.0], &[0.5, -1.0], 1.0);
        for (column, (scale, shift)) in [(2.0, 0.5), (1.0, -1.0)].into_iter().enumerate() {
            let values: Vec<f32> = found.output.iter().skip(column).step_by(2).copied().collect();
            let mean = values.iter().sum::<f32>() / 20.0;
            let variance = values.iter().map(|y| (y - mean).powi(2)).sum::<f32>() / 20.0;
            assert!((mean - shift).abs() < 1e-5 && (variance - scale * scale).abs() < 1e-3);
        }
    }

    #[test]
    fn gradients_are_those_of_differences() {
        let (x, scale, shift) = (numbers(24, 2), vec![1.5, -0.7, 0.4], vec![0.2, 0.1, -0.3]);
        let weigh = numbers(24, 3);
        let total = |x: &[f32], scale: &[f32], shift: &[f32]| -> f64 {
            let output = normalise(x, scale, shift, 0.1).output;
            output.iter().zip(&weigh).map(|(y, w)| f64::from(*y) * f64::from(*w)).sum()
        };
        let kept = normalise(&x, &scale, &shift, 0.1);
        let found = normalise_backward(&weigh, &kept.standard, &kept.variance, &scale, &shift, 0.1);
        let check = |found: &[f32], at: &dyn Fn(usize, f32) -> f64| {
            for (k, found) in found.iter().enumerate() {
                let slope = (at(k, 1e-2) - at(k, -1e-2)) / 2e-2;
                assert!((f64::from(*found) - slope).abs() < 0.02, "{k}: {found} and {slope}");
            }
        };
        let moved = |numbers: &[f32], k: usize, step: f32| {
            let mut numbers = numbers.to_vec();
            numbers[k] += step;
            numbers
        };
        check(&found.input, &|k, step| total(&moved(&x, k, step), &scale, &shift));
        check(&found.scale, &|k, step| total(&x, &moved(&scale, k, step), &shift));
        check(&found.shift, &|k, step| total(&x, &scale, &moved(&shift, k, step)));
    }
}
