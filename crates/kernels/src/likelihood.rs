//! Likelihoods with their gradients, in one pass over the decoded images.
//!
//! Bernoulli: −log p = max(a, 0) − a x + ln(1 + e⁻|ᵃ|), gradient σ(a) − x; never overflows.
//! Gaussian: −log p = ½ (mean − x)² / noise² without its constant, where the mean is a or σ(a).

use std::mem::MaybeUninit;
use std::ops::Range;

use rayon::prelude::*;

use crate::cpu::{Cpu, Kernel};
use crate::fill::SPARE;
use crate::lanes::{Lanes, WIDTH};
use crate::math::{exp, ln_1p_unit, sigmoid, sigmoid_from};

/// Numbers below which a second thread costs more than it brings.
const WORTH_A_THREAD: usize = 1 << 14;

/// How a decoded number is compared with the observed one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Likelihood {
    /// The decoded number is a logit.
    Bernoulli,
    /// The decoded number, or its sigmoid, is a mean.
    Gaussian {
        /// 1 / noise²
        precision: f32,
        /// Whether the mean is the sigmoid.
        squash: bool,
    },
}

impl Likelihood {
    /// `scale` times Σ −log p over everything, without a Gaussian's constant, and its gradient.
    ///
    /// Pieces of `piece` floats (an image, a row) are summed apart and then in order, in f64, so that
    /// the threads do not show. `inside` says where in a piece observations lie (all of it, or the
    /// rows of an image without its border): gradients elsewhere are zero.
    pub fn error(
        self,
        decoded: &[f32],
        observed: &[f32],
        piece: usize,
        inside: &[Range<usize>],
        scale: f32,
        cpu: Cpu,
    ) -> (f64, Vec<f32>) {
        assert_eq!(decoded.len(), observed.len(), "an observation for every decoded number");
        assert!(piece > 0 && decoded.len().is_multiple_of(piece), "whole pieces");
        assert!(inside.iter().all(|range| range.start <= range.end && range.end <= piece));
        let mut gradient = Vec::with_capacity(decoded.len() + SPARE);
        let room = &mut gradient.spare_capacity_mut()[..decoded.len()];
        let one = |((out, decoded), observed): ((&mut [_], &[f32]), &[f32])| {
            let (mut sum, mut written) = (0.0, 0);
            for range in inside {
                out[written..range.start].fill(MaybeUninit::new(0.0));
                let kernel = Row {
                    likelihood: self,
                    scale,
                    decoded: &decoded[range.clone()],
                    observed: &observed[range.clone()],
                    gradient: &mut out[range.clone()],
                };
                // SAFETY: three slices of one length; all of the gradient is written.
                sum += f64::from(unsafe { cpu.run(kernel) });
                written = range.end;
            }
            out[written..].fill(MaybeUninit::new(0.0));
            sum
        };
        let sums: Vec<f64> = if decoded.len() < WORTH_A_THREAD {
            let pieces = room.chunks_mut(piece).zip(decoded.chunks(piece));
            pieces.zip(observed.chunks(piece)).map(one).collect()
        } else {
            let pieces = room.par_chunks_mut(piece).zip(decoded.par_chunks(piece));
            pieces.zip(observed.par_chunks(piece)).map(one).collect()
        };
        // SAFETY: the pieces cover all floats, and each has been written from end to end.
        unsafe { gradient.set_len(decoded.len()) };
        (f64::from(scale) * sums.iter().sum::<f64>(), gradient)
    }

    /// The error and its gradient, of sixteen numbers.
    #[inline(always)]
    unsafe fn evaluate<L: Lanes>(self, a: L, x: L) -> (L, L) {
        // SAFETY: the caller's contract is that of `Lanes`.
        unsafe {
            match self {
                Self::Bernoulli => {
                    let e = exp(L::splat(0.0).sub(a.abs()));
                    let linear = L::splat(0.0).max(a).sub(a.mul(x));
                    (linear.add(ln_1p_unit(e)), sigmoid_from(a, e).sub(x))
                }
                Self::Gaussian { precision, squash } => {
                    let mean = if squash { sigmoid(a) } else { a };
                    let distance = mean.sub(x);
                    let scaled = distance.mul(L::splat(precision));
                    let error = distance.mul(scaled).mul(L::splat(0.5));
                    let slope = mean.mul(L::splat(1.0).sub(mean));
                    (error, if squash { scaled.mul(slope) } else { scaled })
                }
            }
        }
    }
}

struct Row<'a> {
    likelihood: Likelihood,
    scale: f32,
    decoded: &'a [f32],
    observed: &'a [f32],
    gradient: &'a mut [MaybeUninit<f32>],
}

impl Kernel for Row<'_> {
    type Output = f32;

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) -> f32 {
        let Self { likelihood, scale, decoded, observed, gradient } = self;
        assert!(observed.len() == decoded.len() && gradient.len() == decoded.len());
        let whole = decoded.len() / WIDTH * WIDTH;
        // SAFETY: three slices of one length; `at` stays below their whole vectors, and the rest goes
        // through buffers.
        unsafe {
            let mut sums = L::splat(0.0);
            for at in (0..whole).step_by(WIDTH) {
                let a = L::load(decoded.as_ptr().add(at));
                let (error, slope) = likelihood.evaluate(a, L::load(observed.as_ptr().add(at)));
                sums = sums.add(error);
                slope.mul(L::splat(scale)).store(gradient.as_mut_ptr().add(at).cast());
            }
            let (rest, mut buffers) = (decoded.len() - whole, [[0.0f32; WIDTH]; 2]);
            buffers[0][..rest].copy_from_slice(&decoded[whole..]);
            buffers[1][..rest].copy_from_slice(&observed[whole..]);
            let (error, slope) =
                likelihood.evaluate(L::load(buffers[0].as_ptr()), L::load(buffers[1].as_ptr()));
            error.store(buffers[0].as_mut_ptr());
            slope.mul(L::splat(scale)).store(buffers[1].as_mut_ptr());
            gradient[whole..].write_copy_of_slice(&buffers[1][..rest]);
            let mut total: f32 = buffers[0][..rest].iter().sum();
            sums.store(buffers[0].as_mut_ptr());
            total += buffers[0].iter().sum::<f32>();
            total
        }
    }
}
