//! AVX-512: one register.

use super::Lanes;
use std::arch::x86_64::*;

#[derive(Clone, Copy)]
pub(crate) struct Avx512(__m512);

// SAFETY of every block below: the trait's contract gives the instruction set, and sixteen floats
// behind a pointer.
impl Lanes for Avx512 {
    /// 12 rows by two panels are 24 of the 32 registers, and a number that is loaded and spread over a
    /// register is used twice: with one panel the two loads of a cycle are what limits.
    const ROWS: usize = 12;
    const PANELS: usize = 2;

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        Self(unsafe { _mm512_set1_ps(value) })
    }
    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        Self(unsafe { _mm512_loadu_ps(from) })
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        unsafe { _mm512_storeu_ps(to, self.0) }
    }
    #[inline(always)]
    unsafe fn load_part(from: *const f32, width: usize) -> Self {
        Self(unsafe { _mm512_maskz_loadu_ps(first(width), from) })
    }
    #[inline(always)]
    unsafe fn store_part(self, to: *mut f32, width: usize) {
        unsafe { _mm512_mask_storeu_ps(to, first(width), self.0) }
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        Self(unsafe { _mm512_add_ps(self.0, other.0) })
    }
    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        Self(unsafe { _mm512_sub_ps(self.0, other.0) })
    }
    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        Self(unsafe { _mm512_mul_ps(self.0, other.0) })
    }
    #[inline(always)]
    unsafe fn div(self, other: Self) -> Self {
        Self(unsafe { _mm512_div_ps(self.0, other.0) })
    }
    #[inline(always)]
    unsafe fn max(self, other: Self) -> Self {
        Self(unsafe { _mm512_max_ps(self.0, other.0) })
    }
    #[inline(always)]
    unsafe fn min(self, other: Self) -> Self {
        Self(unsafe { _mm512_min_ps(self.0, other.0) })
    }
    #[inline(always)]
    unsafe fn sqrt(self) -> Self {
        Self(unsafe { _mm512_sqrt_ps(self.0) })
    }
    #[inline(always)]
    unsafe fn abs(self) -> Self {
        Self(unsafe { _mm512_abs_ps(self.0) })
    }
    #[inline(always)]
    unsafe fn mul_add(self, by: Self, add: Self) -> Self {
        Self(unsafe { _mm512_fmadd_ps(self.0, by.0, add.0) })
    }
    #[inline(always)]
    unsafe fn if_positive(self, yes: Self, no: Self) -> Self {
        unsafe {
            let above = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(self.0, _mm512_setzero_ps());
            Self(_mm512_mask_blend_ps(above, no.0, yes.0))
        }
    }
    #[inline(always)]
    unsafe fn round(self) -> Self {
        const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
        Self(unsafe { _mm512_roundscale_ps::<NEAREST>(self.0) })
    }
    #[inline(always)]
    unsafe fn power_of_two(self) -> Self {
        unsafe {
            let biased = _mm512_add_epi32(_mm512_cvtps_epi32(self.0), _mm512_set1_epi32(127));
            Self(_mm512_castsi512_ps(_mm512_slli_epi32::<23>(biased)))
        }
    }
}

/// The mask of the first `width` lanes, at most sixteen.
#[inline(always)]
fn first(width: usize) -> __mmask16 {
    ((1u32 << width) - 1) as __mmask16
}
