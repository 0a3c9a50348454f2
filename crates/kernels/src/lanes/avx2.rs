//! AVX2 with FMA: two registers of eight.

use super::Lanes;
use std::arch::x86_64::*;

#[derive(Clone, Copy)]
pub(crate) struct Avx2(__m256, __m256);

// SAFETY of every block below: the trait's contract gives the instruction set, and sixteen floats
// behind a pointer.
impl Lanes for Avx2 {
    /// 6 rows × 2 registers, two for the panel, one for the broadcast: 15 of 16.
    const ROWS: usize = 6;
    const PANELS: usize = 1;

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        let register = unsafe { _mm256_set1_ps(value) };
        Self(register, register)
    }
    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        unsafe { Self(_mm256_loadu_ps(from), _mm256_loadu_ps(from.add(8))) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        unsafe {
            _mm256_storeu_ps(to, self.0);
            _mm256_storeu_ps(to.add(8), self.1);
        }
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        unsafe { Self(_mm256_add_ps(self.0, other.0), _mm256_add_ps(self.1, other.1)) }
    }
    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        unsafe { Self(_mm256_sub_ps(self.0, other.0), _mm256_sub_ps(self.1, other.1)) }
    }
    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        unsafe { Self(_mm256_mul_ps(self.0, other.0), _mm256_mul_ps(self.1, other.1)) }
    }
    #[inline(always)]
    unsafe fn div(self, other: Self) -> Self {
        unsafe { Self(_mm256_div_ps(self.0, other.0), _mm256_div_ps(self.1, other.1)) }
    }
    #[inline(always)]
    unsafe fn max(self, other: Self) -> Self {
        unsafe { Self(_mm256_max_ps(self.0, other.0), _mm256_max_ps(self.1, other.1)) }
    }
    #[inline(always)]
    unsafe fn min(self, other: Self) -> Self {
        unsafe { Self(_mm256_min_ps(self.0, other.0), _mm256_min_ps(self.1, other.1)) }
    }
    #[inline(always)]
    unsafe fn sqrt(self) -> Self {
        unsafe { Self(_mm256_sqrt_ps(self.0), _mm256_sqrt_ps(self.1)) }
    }
    #[inline(always)]
    unsafe fn abs(self) -> Self {
        unsafe {
            let sign = _mm256_set1_ps(-0.0);
            Self(_mm256_andnot_ps(sign, self.0), _mm256_andnot_ps(sign, self.1))
        }
    }
    #[inline(always)]
    unsafe fn mul_add(self, by: Self, add: Self) -> Self {
        unsafe { Self(_mm256_fmadd_ps(self.0, by.0, add.0), _mm256_fmadd_ps(self.1, by.1, add.1)) }
    }
    #[inline(always)]
    unsafe fn if_positive(self, yes: Self, no: Self) -> Self {
        unsafe {
            let zero = _mm256_setzero_ps();
            let above = [self.0, self.1].map(|half| _mm256_cmp_ps::<_CMP_GT_OQ>(half, zero));
            Self(_mm256_blendv_ps(no.0, yes.0, above[0]), _mm256_blendv_ps(no.1, yes.1, above[1]))
        }
    }
    #[inline(always)]
    unsafe fn round(self) -> Self {
        const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
        unsafe { Self(_mm256_round_ps::<NEAREST>(self.0), _mm256_round_ps::<NEAREST>(self.1)) }
    }
    #[inline(always)]
    unsafe fn power_of_two(self) -> Self {
        unsafe { Self(power_of_two(self.0), power_of_two(self.1)) }
    }
}

/// The integer plus the bias of 127, moved into the bits of the exponent.
#[inline(always)]
unsafe fn power_of_two(n: __m256) -> __m256 {
    // SAFETY: as above.
    unsafe {
        let biased = _mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127));
        _mm256_castsi256_ps(_mm256_slli_epi32::<23>(biased))
    }
}
