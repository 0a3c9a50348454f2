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

/// What is done at each place of a piece: g · a + c instead of a decoded a, and an error that counts w times.
#[derive(Clone, Copy, Debug)]
pub struct Places<'a> {
    /// g
    pub gain: &'a [f32],
    /// c
    pub centre: &'a [f32],
    /// w
    pub weight: &'a [f32],
}

impl<'a> Places<'a> {
    fn each(self) -> impl Iterator<Item = &'a [f32]> {
        [self.gain, self.centre, self.weight].into_iter()
    }

    fn within(self, range: Range<usize>) -> Self {
        let part = |numbers: &'a [f32]| &numbers[range.clone()];
        Self { gain: part(self.gain), centre: part(self.centre), weight: part(self.weight) }
    }
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
        self.error_by_place(decoded, observed, None, piece, inside, scale, cpu)
    }

    /// The same with each place of a piece in its own measure.
    #[expect(clippy::too_many_arguments, reason = "as `error`, and where")]
    pub fn error_by_place(
        self,
        decoded: &[f32],
        observed: &[f32],
        places: Option<Places>,
        piece: usize,
        inside: &[Range<usize>],
        scale: f32,
        cpu: Cpu,
    ) -> (f64, Vec<f32>) {
        assert!(places.is_none_or(|places| places.each().all(|numbers| numbers.len() == piece)));
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
                    places: places.map(|places| places.within(range.clone())),
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

    /// The same with gain, centre and weight of each of the sixteen.
    #[inline(always)]
    unsafe fn at_place<L: Lanes>(self, a: L, x: L, places: Option<[L; 3]>) -> (L, L) {
        // SAFETY: the caller's contract is that of `Lanes`.
        unsafe {
            let Some([gain, centre, weight]) = places else { return self.evaluate(a, x) };
            let (error, slope) = self.evaluate(a.mul(gain).add(centre), x);
            (error.mul(weight), slope.mul(weight).mul(gain))
        }
    }
}

struct Row<'a> {
    likelihood: Likelihood,
    places: Option<Places<'a>>,
    scale: f32,
    decoded: &'a [f32],
    observed: &'a [f32],
    gradient: &'a mut [MaybeUninit<f32>],
}

impl Kernel for Row<'_> {
    type Output = f32;

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) -> f32 {
        let Self { likelihood, places, scale, decoded, observed, gradient } = self;
        assert!(observed.len() == decoded.len() && gradient.len() == decoded.len());
        assert!(places.is_none_or(|places| places.each().all(|each| each.len() == decoded.len())));
        let whole = decoded.len() / WIDTH * WIDTH;
        // SAFETY: slices of one length; `at` stays below their whole vectors, and the rest goes through
        // buffers.
        unsafe {
            let mut sums = L::splat(0.0);
            for at in (0..whole).step_by(WIDTH) {
                let load = |numbers: &[f32]| L::load(numbers.as_ptr().add(at));
                let places = places
                    .map(|places| [load(places.gain), load(places.centre), load(places.weight)]);
                let (error, slope) = likelihood.at_place(load(decoded), load(observed), places);
                sums = sums.add(error);
                slope.mul(L::splat(scale)).store(gradient.as_mut_ptr().add(at).cast());
            }
            let rest = decoded.len() - whole;
            let load = |numbers: &[f32]| {
                let mut buffer = [0.0f32; WIDTH];
                buffer[..rest].copy_from_slice(&numbers[whole..]);
                L::load(buffer.as_ptr())
            };
            let places =
                places.map(|places| [load(places.gain), load(places.centre), load(places.weight)]);
            let (error, slope) = likelihood.at_place(load(decoded), load(observed), places);
            let mut buffers = [[0.0f32; WIDTH]; 2];
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
