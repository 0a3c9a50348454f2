//! Eight numbers at a time, for loops in which time goes: written so that the compiler turns each
//! line into vector instructions, and run with the best ones this processor has.

// `array::map` and `from_fn` are calls, so there are loops over positions here.
#![expect(clippy::inline_always, reason = "what is not inlined is compiled for an old processor")]

use std::ops::{Add, Mul, Sub};

use faer::traits::pulp::{Arch, Simd, WithSimd};

/// How many numbers go together.
pub const LANES: usize = 8;

/// Eight numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(64))]
pub struct Lanes(pub [f64; LANES]);

/// A loop over [`Lanes`]. `FUSED` says that a product and a sum are one instruction here; the
/// function and all it calls must be `#[inline(always)]`, or it is compiled for an old processor.
pub trait Kernel {
    /// What it returns.
    type Output;

    /// The loop.
    fn run<const FUSED: bool>(self) -> Self::Output;
}

/// Run a loop with the instructions of this processor.
pub fn run<K: Kernel>(kernel: K) -> K::Output {
    struct Chosen<K>(K);
    impl<K: Kernel> WithSimd for Chosen<K> {
        type Output = K::Output;

        #[inline(always)]
        fn with_simd<S: Simd>(self, _: S) -> K::Output {
            // AVX2 brings four lanes and the fused product, NEON two and the fused product.
            match S::F64_LANES >= 4 || cfg!(target_arch = "aarch64") {
                true => self.0.run::<true>(),
                false => self.0.run::<false>(),
            }
        }
    }
    Arch::new().dispatch(Chosen(kernel))
}

/// Σ a b over two lists of one length, eight sums side by side.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    struct Dot<'a>(&'a [f64], &'a [f64]);
    impl Kernel for Dot<'_> {
        type Output = f64;

        #[inline(always)]
        fn run<const FUSED: bool>(self) -> f64 {
            let ((a, a_rest), (b, b_rest)) = (self.0.as_chunks(), self.1.as_chunks());
            let mut sums = Lanes::ZERO;
            for (a, b) in a.iter().zip(b) {
                sums = Lanes(*a).times_plus::<FUSED>(Lanes(*b), sums);
            }
            let rest = a_rest.iter().zip(b_rest);
            rest.fold(sums.sum(), |sum, (a, b)| times_plus::<FUSED>(*a, *b, sum))
        }
    }
    run(Dot(a, b))
}

impl Lanes {
    /// Zeros.
    pub const ZERO: Self = Self([0.0; LANES]);

    /// One number eight times.
    #[inline(always)]
    pub fn all(value: f64) -> Self {
        Self([value; LANES])
    }

    /// self · factor + sum.
    #[inline(always)]
    pub fn times_plus<const FUSED: bool>(self, factor: Self, mut sum: Self) -> Self {
        for i in 0..LANES {
            sum.0[i] = times_plus::<FUSED>(self.0[i], factor.0[i], sum.0[i]);
        }
        sum
    }

    /// The larger of each two.
    #[inline(always)]
    pub fn max(mut self, other: Self) -> Self {
        for i in 0..LANES {
            self.0[i] = if self.0[i] > other.0[i] { self.0[i] } else { other.0[i] };
        }
        self
    }

    /// 1 / self.
    #[inline(always)]
    pub fn reciprocal(mut self) -> Self {
        for i in 0..LANES {
            self.0[i] = 1.0 / self.0[i];
        }
        self
    }

    /// e to the power of each number up to 709, to a few units in the last place; e^-708 for all
    /// that are smaller.
    ///
    /// ```text
    /// e^x = 2^n · e^r,   n = round(x / ln 2),   r = x - n ln 2 in [-0.35, 0.35],   e^r = Σ c_i r^i
    /// ```
    #[inline(always)]
    pub fn exp<const FUSED: bool>(self) -> Self {
        let x = self.max(Self::all(LOWEST));
        let shifted = x.times_plus::<FUSED>(Self::all(std::f64::consts::LOG2_E), Self::all(ROUND));
        let n = shifted - Self::all(ROUND);
        let r = n.times_plus::<FUSED>(Self::all(-LN2_HIGH), x);
        let r = n.times_plus::<FUSED>(Self::all(-LN2_LOW), r);
        // Even and odd powers apart: two short chains of products instead of a long one.
        let square = r * r;
        let (mut even, mut odd) = (Self::all(SERIES[10]), Self::all(SERIES[11]));
        for i in [8, 6, 4, 2, 0] {
            even = even.times_plus::<FUSED>(square, Self::all(SERIES[i]));
            odd = odd.times_plus::<FUSED>(square, Self::all(SERIES[i + 1]));
        }
        let mut power = odd.times_plus::<FUSED>(r, even);
        for i in 0..LANES {
            // n goes into the exponent of 1.0.
            let bits = (shifted.0[i].to_bits() << 52).wrapping_add(1f64.to_bits());
            power.0[i] *= f64::from_bits(bits);
        }
        power
    }

    /// The sum of the eight, in a fixed order.
    #[inline(always)]
    pub fn sum(self) -> f64 {
        let [a, b, c, d, e, f, g, h] = self.0;
        ((a + e) + (c + g)) + ((b + f) + (d + h))
    }
}

impl Add for Lanes {
    type Output = Self;
    #[inline(always)]
    fn add(mut self, other: Self) -> Self {
        for i in 0..LANES {
            self.0[i] += other.0[i];
        }
        self
    }
}

impl Sub for Lanes {
    type Output = Self;
    #[inline(always)]
    fn sub(mut self, other: Self) -> Self {
        for i in 0..LANES {
            self.0[i] -= other.0[i];
        }
        self
    }
}

impl Mul for Lanes {
    type Output = Self;
    #[inline(always)]
    fn mul(mut self, other: Self) -> Self {
        for i in 0..LANES {
            self.0[i] *= other.0[i];
        }
        self
    }
}

/// a · b + c; a fused product that the processor lacks would be a slow call.
#[inline(always)]
fn times_plus<const FUSED: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}

/// Below this, e^x is no normal number any more.
const LOWEST: f64 = -708.0;

/// 1.5 · 2^52: adding it rounds to a whole number and leaves that in the low bits.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// ln 2 in two parts: the first has so few digits that its product with a whole number is exact.
const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// The polynomial that is e^r at the twelve Chebyshev points of [-½ ln 2, ½ ln 2]; off by at most
/// 4e-18 between them.
const SERIES: [f64; 12] = [
    1.0,
    1.0,
    0.500_000_000_000_001_9,
    0.166_666_666_666_666_8,
    0.041_666_666_666_488_1,
    0.008_333_333_333_319_601,
    0.001_388_888_895_231_477_5,
    0.000_198_412_698_900_471_13,
    2.480_148_548_232_808_4e-5,
    2.755_724_091_857_865_6e-6,
    2.763_263_963_919_186e-7,
    2.511_003_760_607_976e-8,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_is_that_of_the_standard_library() {
        for i in -70_000..=70_000 {
            let x = f64::from(i) * 0.0101;
            for found in [Lanes::all(x).exp::<true>(), Lanes::all(x).exp::<false>()] {
                assert!((found.0[3] / x.exp() - 1.0).abs() < 1e-15, "e^{x} = {found:?}");
            }
        }
        assert_eq!(Lanes::ZERO.exp::<false>().0, [1.0; LANES]);
        let least = Lanes::all(-708.0).exp::<false>();
        assert_eq!(Lanes::all(f64::NEG_INFINITY).exp::<false>(), least);
    }

    #[test]
    fn lanes_do_what_numbers_do() {
        struct Squares(Vec<Lanes>);
        impl Kernel for Squares {
            type Output = f64;
            #[inline(always)]
            fn run<const FUSED: bool>(self) -> f64 {
                let add = |sum, x: &Lanes| x.times_plus::<FUSED>(*x, sum);
                self.0.iter().fold(Lanes::ZERO, add).sum()
            }
        }
        let numbers = Lanes(std::array::from_fn(|i| i as f64));
        assert_eq!(run(Squares(vec![numbers, numbers])), 280.0);
        assert_eq!(numbers.max(Lanes::all(6.0)).sum(), 49.0);
        assert_eq!((numbers - numbers + numbers * Lanes::all(2.0)).sum(), 56.0);
        assert_eq!(Lanes::all(4.0).reciprocal().sum(), 2.0);
    }
}
