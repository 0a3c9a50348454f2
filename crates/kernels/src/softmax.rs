//! The cross-entropy of a softmax, or the log-probability of one class, with its gradient, row by row in one go.
//!
//! With m the largest logit of a row, −Σ y log softmax(a) = ln Σ e^(a − m) − Σ y (a − m) where the
//! labels y sum to one, and the gradient is softmax(a) − y; never overflows.

use rayon::prelude::*;

use crate::cpu::{Cpu, Kernel};
use crate::lanes::{Lanes, WIDTH};
use crate::math::exp;

/// e to this is nothing beside the 1 of the largest logit.
const NOTHING: f32 = -1e30;
/// Rows that one thread takes at once.
const ROWS: usize = 256;

/// The mean over rows of `classes` numbers of −Σ label · log softmax(logits), and its gradient.
pub fn cross_entropy(logits: &[f32], labels: &[f32], classes: usize, cpu: Cpu) -> (f64, Vec<f32>) {
    assert_eq!(logits.len(), labels.len(), "a label for every logit");
    assert!(classes > 0 && logits.len().is_multiple_of(classes), "whole rows");
    let share = classes as f32 / logits.len() as f32;
    let mut gradient = logits.to_vec();
    let mut buffer = vec![NOTHING; classes.next_multiple_of(WIDTH)];
    let mut total = 0.0;
    for (row, labels) in gradient.chunks_exact_mut(classes).zip(labels.chunks_exact(classes)) {
        buffer[..classes].copy_from_slice(row);
        // SAFETY: the buffer is whole vectors.
        let Sums { largest, powers } = unsafe { cpu.run(Powers { numbers: &mut buffer }) };
        let mut labelled = 0.0;
        for ((a, label), power) in row.iter_mut().zip(labels).zip(&buffer) {
            labelled += label * (*a - largest);
            *a = (power / powers - label) * share;
        }
        buffer[classes..].fill(NOTHING);
        total += f64::from(powers.ln() - labelled);
    }
    (total * f64::from(share), gradient)
}

/// Numbers to the powers e^(number − largest).
struct Powers<'a> {
    numbers: &'a mut [f32],
}

struct Sums {
    largest: f32,
    powers: f32,
}

impl Kernel for Powers<'_> {
    type Output = Sums;

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) -> Sums {
        let (numbers, size) = (self.numbers.as_mut_ptr(), self.numbers.len());
        assert!(size.is_multiple_of(WIDTH));
        let mut lanes = [0.0; WIDTH];
        // SAFETY: `at` stays below the whole vectors of the numbers.
        unsafe {
            let mut largest = L::splat(NOTHING);
            for at in (0..size).step_by(WIDTH) {
                largest = largest.max(L::load(numbers.add(at)));
            }
            largest.store(lanes.as_mut_ptr());
            let largest = lanes.into_iter().fold(NOTHING, f32::max);
            let mut powers = L::splat(0.0);
            for at in (0..size).step_by(WIDTH) {
                let power = exp(L::load(numbers.add(at)).sub(L::splat(largest)));
                power.store(numbers.add(at));
                powers = powers.add(power);
            }
            powers.store(lanes.as_mut_ptr());
            Sums { largest, powers: lanes.iter().sum() }
        }
    }
}

/// log(softmax(logits)[code] + least) of each row of `classes` logits, and the gradient of each by the logits of its
/// row. Codes are whole numbers below `classes`.
pub fn log_probability(
    logits: &[f32],
    codes: &[f32],
    classes: usize,
    least: f32,
    cpu: Cpu,
) -> (Vec<f32>, Vec<f32>) {
    assert!(classes > 0 && logits.len() == codes.len() * classes, "a code for each row");
    let mut found = vec![0.0; codes.len()];
    let mut gradient = logits.to_vec();
    let rows = gradient.par_chunks_mut(classes * ROWS).zip(codes.par_chunks(ROWS));
    rows.zip(found.par_chunks_mut(ROWS)).for_each(|((rows, codes), found)| {
        let mut buffer = vec![NOTHING; classes.next_multiple_of(WIDTH)];
        for ((row, code), found) in rows.chunks_exact_mut(classes).zip(codes).zip(found) {
            buffer[..classes].copy_from_slice(row);
            buffer[classes..].fill(NOTHING);
            // SAFETY: the buffer is whole vectors.
            let Sums { powers, .. } = unsafe { cpu.run(Powers { numbers: &mut buffer }) };
            let code = (*code as usize).min(classes - 1);
            let likely = buffer[code] / powers;
            let share = likely / (likely + least);
            row.iter_mut().zip(&buffer).for_each(|(a, power)| *a = -share * power / powers);
            row[code] += share;
            *found = (likely + least).ln();
        }
    });
    (found, gradient)
}
