//! NEON: four registers of four. The tests have passed under emulation; its speed is not measured.

use super::Lanes;
use std::arch::aarch64::*;

#[derive(Clone, Copy)]
pub(crate) struct Neon([float32x4_t; 4]);

impl Neon {
    #[inline(always)]
    fn each(self, f: impl Fn(float32x4_t) -> float32x4_t) -> Self {
        Self(self.0.map(f))
    }

    #[inline(always)]
    fn pairs(self, other: Self, f: impl Fn(float32x4_t, float32x4_t) -> float32x4_t) -> Self {
        Self(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }
}

// SAFETY of every block below: the trait's contract gives the instruction set, and sixteen floats
// behind a pointer.
impl Lanes for Neon {
    /// 6 rows × 4 registers, four for the panel: 28 of 32.
    const ROWS: usize = 6;
    const PANELS: usize = 1;

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        Self([unsafe { vdupq_n_f32(value) }; 4])
    }
    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        Self(std::array::from_fn(|i| unsafe { vld1q_f32(from.add(4 * i)) }))
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        for (i, quarter) in self.0.into_iter().enumerate() {
            unsafe { vst1q_f32(to.add(4 * i), quarter) }
        }
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        self.pairs(other, |a, b| unsafe { vaddq_f32(a, b) })
    }
    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        self.pairs(other, |a, b| unsafe { vsubq_f32(a, b) })
    }
    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        self.pairs(other, |a, b| unsafe { vmulq_f32(a, b) })
    }
    #[inline(always)]
    unsafe fn div(self, other: Self) -> Self {
        self.pairs(other, |a, b| unsafe { vdivq_f32(a, b) })
    }
    #[inline(always)]
    unsafe fn max(self, other: Self) -> Self {
        self.pairs(other, |a, b| unsafe { vbslq_f32(vcgtq_f32(a, b), a, b) })
    }
    #[inline(always)]
    unsafe fn min(self, other: Self) -> Self {
        self.pairs(other, |a, b| unsafe { vbslq_f32(vcltq_f32(a, b), a, b) })
    }
    #[inline(always)]
    unsafe fn sqrt(self) -> Self {
        self.each(|a| unsafe { vsqrtq_f32(a) })
    }
    #[inline(always)]
    unsafe fn abs(self) -> Self {
        self.each(|a| unsafe { vabsq_f32(a) })
    }
    #[inline(always)]
    unsafe fn mul_add(self, by: Self, add: Self) -> Self {
        Self(std::array::from_fn(|i| unsafe { vfmaq_f32(add.0[i], self.0[i], by.0[i]) }))
    }
    #[inline(always)]
    unsafe fn if_positive(self, yes: Self, no: Self) -> Self {
        Self(std::array::from_fn(|i| unsafe {
            vbslq_f32(vcgtzq_f32(self.0[i]), yes.0[i], no.0[i])
        }))
    }
    #[inline(always)]
    unsafe fn round(self) -> Self {
        self.each(|a| unsafe { vrndnq_f32(a) })
    }
    #[inline(always)]
    unsafe fn power_of_two(self) -> Self {
        self.each(|n| unsafe {
            let biased = vaddq_s32(vcvtnq_s32_f32(n), vdupq_n_s32(127));
            vreinterpretq_f32_s32(vshlq_n_s32::<23>(biased))
        })
    }
}
