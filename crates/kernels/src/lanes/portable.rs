//! Plain arrays: what every processor can do, and what the fast paths are tested against.

use super::{Lanes, WIDTH};

#[derive(Clone, Copy)]
pub(crate) struct Portable([f32; WIDTH]);

impl Portable {
    #[inline(always)]
    fn each(self, f: impl Fn(f32) -> f32) -> Self {
        Self(self.0.map(f))
    }

    #[inline(always)]
    fn pairs(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        Self(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }
}

impl Lanes for Portable {
    const ROWS: usize = 2;
    const PANELS: usize = 1;

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        Self([value; WIDTH])
    }
    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller has sixteen floats there; an array of floats has no stricter alignment.
        Self(unsafe { from.cast::<[f32; WIDTH]>().read() })
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: as for `load`.
        unsafe { to.cast::<[f32; WIDTH]>().write(self.0) }
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        self.pairs(other, |a, b| a + b)
    }
    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        self.pairs(other, |a, b| a - b)
    }
    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        self.pairs(other, |a, b| a * b)
    }
    #[inline(always)]
    unsafe fn div(self, other: Self) -> Self {
        self.pairs(other, |a, b| a / b)
    }
    #[inline(always)]
    unsafe fn max(self, other: Self) -> Self {
        self.pairs(other, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    unsafe fn min(self, other: Self) -> Self {
        self.pairs(other, |a, b| if a < b { a } else { b })
    }
    #[inline(always)]
    unsafe fn sqrt(self) -> Self {
        self.each(f32::sqrt)
    }
    #[inline(always)]
    unsafe fn abs(self) -> Self {
        self.each(f32::abs)
    }
    #[inline(always)]
    unsafe fn mul_add(self, by: Self, add: Self) -> Self {
        // Not `f32::mul_add`: without the instruction that is a slow library call.
        Self(std::array::from_fn(|i| self.0[i] * by.0[i] + add.0[i]))
    }
    #[inline(always)]
    unsafe fn if_positive(self, yes: Self, no: Self) -> Self {
        Self(std::array::from_fn(|i| if self.0[i] > 0.0 { yes.0[i] } else { no.0[i] }))
    }
    #[inline(always)]
    unsafe fn round(self) -> Self {
        self.each(f32::round_ties_even)
    }
    #[inline(always)]
    unsafe fn power_of_two(self) -> Self {
        self.each(|n| f32::from_bits(((n as i32 + 127) << 23) as u32))
    }
}
