//! The loss of softmax regression and its gradient, for L-BFGS to lower. With the scores
//! a_k = w_k · x of a row, its probabilities p_k = e^a_k / Σ_l e^a_l and its class y
//!
//! ```text
//! loss = ln Σ_k e^a_k - a_y,        ∂loss / ∂w_k = (p_k - [k = y]) x
//! ```
//!
//! summed over rows. All the time of a fit goes here. Three things make it fast: eight rows at a
//! time; one logarithm for many rows, since Σ ln s = ln Π s; and 1/s goes into the few inputs
//! instead of the many classes.

#![expect(clippy::inline_always, reason = "what is not inlined is compiled for an old processor")]

use super::strips::{Packed, Strips};
use crate::stats::lanes::{Kernel, LANES, Lanes, run};

/// How many strips are taken together: the exponentials of so many stay in the fast memory, and the
/// gradient is touched once for all of them. A product of so many sums of at most `classes` stays
/// finite.
const STRIPS: usize = 16;

/// Rows with their classes, and the memory that an evaluation needs.
#[derive(Debug)]
pub(super) struct Softmax<'a> {
    strips: &'a Strips,
    labels: &'a [usize],
    classes: usize,
    weights: Packed,
    /// e^(a_k - max), `[strips, classes]`.
    powers: Vec<Lanes>,
    /// x / s, `[strips, width]`.
    inputs: Vec<Lanes>,
    /// `[classes, width]`, eight partial sums each.
    gradient: Vec<Lanes>,
}

impl<'a> Softmax<'a> {
    /// One label below `classes` per row.
    pub(super) fn new(strips: &'a Strips, labels: &'a [usize], classes: usize) -> Self {
        let width = strips.width();
        Self {
            strips,
            labels,
            classes,
            weights: Packed::new(&vec![0.0; classes * width], width),
            powers: vec![Lanes::ZERO; STRIPS * classes],
            inputs: vec![Lanes::ZERO; STRIPS * width],
            gradient: vec![Lanes::ZERO; classes * width],
        }
    }

    /// The sum of losses at `weights` `[classes, width]`; `gradient` is overwritten.
    pub(super) fn evaluate(&mut self, weights: &[f64], gradient: &mut [f64]) -> f64 {
        self.weights.fill(weights);
        self.gradient.fill(Lanes::ZERO);
        let loss = run(Evaluate(self));
        for (entry, parts) in gradient.iter_mut().zip(&self.gradient) {
            *entry = parts.sum();
        }
        loss
    }
}

struct Evaluate<'s, 'a>(&'s mut Softmax<'a>);

impl Kernel for Evaluate<'_, '_> {
    type Output = f64;

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> f64 {
        let Softmax { strips, labels, classes, weights, powers, inputs, gradient } = self.0;
        let (width, mut loss) = (strips.width(), 0.0);
        let mut labels = labels.chunks(LANES);
        let mut pending = strips.each();
        while pending.len() > 0 {
            let count = pending.len().min(STRIPS);
            let mut product = Lanes::all(1.0);
            for (powers, scaled) in
                powers.chunks_exact_mut(*classes).zip(inputs.chunks_exact_mut(width))
            {
                let (Some(strip), Some(labels)) = (pending.next(), labels.next()) else { break };
                let sums = residuals::<FUSED>(weights, strip, labels, powers, &mut loss);
                product = product * sums;
                let inverse = sums.reciprocal();
                scaled.iter_mut().zip(strip).for_each(|(scaled, x)| *scaled = *x * inverse);
            }
            loss += product.0.iter().map(|product| product.ln()).sum::<f64>();
            let (powers, inputs) = (&powers[..count * *classes], &inputs[..count * width]);
            add_products::<FUSED>(powers, inputs, *classes, width, gradient);
        }
        loss
    }
}

/// One strip: `powers` become e_k - [k = y] s, which is s times the residual, and `loss` grows by
/// max - a_y; returns s, the sum of the powers. Where there is no row, s is 1.
#[inline(always)]
fn residuals<const FUSED: bool>(
    weights: &Packed,
    strip: &[Lanes],
    labels: &[usize],
    powers: &mut [Lanes],
    loss: &mut f64,
) -> Lanes {
    let mut max = Lanes::all(f64::NEG_INFINITY);
    weights.scores::<FUSED>(strip, |first, scores| {
        let [a, b, c, d] = scores;
        max = max.max(a.max(b).max(c.max(d)));
        match powers[first..].first_chunk_mut() {
            Some(slots) => *slots = scores,
            None => powers[first..].iter_mut().zip(scores).for_each(|(slot, score)| *slot = score),
        }
    });
    let mut taken = 0.0;
    for (lane, label) in labels.iter().enumerate() {
        taken += max.0[lane] - powers[*label].0[lane];
    }
    *loss += taken;
    let mut sums = Lanes::ZERO;
    for power in powers.iter_mut() {
        *power = (*power - max).exp::<FUSED>();
        sums = sums + *power;
    }
    for lane in labels.len()..LANES {
        sums.0[lane] = 1.0;
    }
    for (lane, label) in labels.iter().enumerate() {
        powers[*label].0[lane] -= sums.0[lane];
    }
    sums
}

/// gradient_kj += Σ over strips of powers_k · inputs_j. Two classes and three inputs at a time: the
/// six sums and what they are made of fit into the registers.
#[inline(always)]
fn add_products<const FUSED: bool>(
    powers: &[Lanes],
    inputs: &[Lanes],
    classes: usize,
    width: usize,
    gradient: &mut [Lanes],
) {
    let mut k = 0;
    while k < classes {
        let mut j = 0;
        while j < width {
            let tile = Tile { powers, inputs, classes, width, k, j };
            match (classes - k, width - j) {
                (1, 1) => tile.add::<FUSED, 1, 1>(gradient),
                (1, 2) => tile.add::<FUSED, 1, 2>(gradient),
                (1, _) => tile.add::<FUSED, 1, 3>(gradient),
                (_, 1) => tile.add::<FUSED, 2, 1>(gradient),
                (_, 2) => tile.add::<FUSED, 2, 2>(gradient),
                (_, _) => tile.add::<FUSED, 2, 3>(gradient),
            }
            j += 3;
        }
        k += 2;
    }
}

struct Tile<'a> {
    powers: &'a [Lanes],
    inputs: &'a [Lanes],
    classes: usize,
    width: usize,
    /// Its first class and its first input.
    k: usize,
    j: usize,
}

impl Tile<'_> {
    #[inline(always)]
    fn add<const FUSED: bool, const K: usize, const J: usize>(&self, gradient: &mut [Lanes]) {
        let mut sums = [[Lanes::ZERO; J]; K];
        let strips = self.powers.chunks_exact(self.classes);
        for (powers, inputs) in strips.zip(self.inputs.chunks_exact(self.width)) {
            let powers: &[Lanes; K] = powers[self.k..][..K].try_into().expect("K classes");
            let inputs: &[Lanes; J] = inputs[self.j..][..J].try_into().expect("J inputs");
            for (sums, power) in sums.iter_mut().zip(powers) {
                for (sum, input) in sums.iter_mut().zip(inputs) {
                    *sum = power.times_plus::<FUSED>(*input, *sum);
                }
            }
        }
        for (k, sums) in sums.into_iter().enumerate() {
            let row = &mut gradient[(self.k + k) * self.width + self.j..][..J];
            row.iter_mut().zip(sums).for_each(|(entry, sum)| *entry = *entry + sum);
        }
    }
}
