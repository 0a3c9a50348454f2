//! Sixteen floats at once: the one vector every kernel is written in.
//!
//! A kernel is generic over [`Lanes`] and is compiled once per instruction set. Sixteen is one
//! AVX-512 register, two of AVX2, four of NEON, and an array of plain floats everywhere else.

#![allow(
    clippy::undocumented_unsafe_blocks,
    clippy::wildcard_imports,
    reason = "every block calls instructions of its file's name, for the reason above its `impl`"
)]

mod portable;
pub(crate) use portable::Portable;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) use avx2::Avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
pub(crate) use avx512::Avx512;

#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(target_arch = "aarch64")]
pub(crate) use neon::Neon;

/// The floats in a vector, and the columns of a tile.
pub(crate) const WIDTH: usize = 16;

/// Sixteen floats and what can be done with them.
///
/// # Safety
/// Every method may only be called where the processor has the instruction set of the type, from
/// a function compiled for it: that is, below [`crate::cpu::Cpu::run`]. `load` and `store` touch
/// sixteen floats at the pointer, which needs no alignment; `load_part` and `store_part` as many as
/// they are told, at most sixteen.
pub(crate) trait Lanes: Copy {
    /// The rows of the largest tile whose accumulators stay in registers.
    const ROWS: usize;
    /// The panels of sixteen columns that such a tile has side by side.
    const PANELS: usize;

    unsafe fn splat(value: f32) -> Self;
    unsafe fn load(from: *const f32) -> Self;
    unsafe fn store(self, to: *mut f32);
    /// The first `width` floats, zeros behind.
    #[inline(always)]
    unsafe fn load_part(from: *const f32, width: usize) -> Self {
        let mut buffer = [0.0; WIDTH];
        for (i, value) in buffer.iter_mut().enumerate().take(width) {
            *value = unsafe { *from.add(i) };
        }
        unsafe { Self::load(buffer.as_ptr()) }
    }
    /// Only the first `width` floats.
    #[inline(always)]
    unsafe fn store_part(self, to: *mut f32, width: usize) {
        let mut buffer = [0.0; WIDTH];
        unsafe { self.store(buffer.as_mut_ptr()) };
        for (i, value) in buffer.iter().enumerate().take(width) {
            unsafe { to.add(i).write(*value) };
        }
    }
    unsafe fn add(self, other: Self) -> Self;
    unsafe fn sub(self, other: Self) -> Self;
    unsafe fn mul(self, other: Self) -> Self;
    unsafe fn div(self, other: Self) -> Self;
    /// The larger; `other` where either is NaN. Numbers that may be NaN therefore go second.
    unsafe fn max(self, other: Self) -> Self;
    /// The smaller; `other` where either is NaN.
    unsafe fn min(self, other: Self) -> Self;
    unsafe fn sqrt(self) -> Self;
    unsafe fn abs(self) -> Self;
    /// `self · by + add`, rounded once where the processor can.
    unsafe fn mul_add(self, by: Self, add: Self) -> Self;
    /// Where `self` is above zero `yes`, elsewhere (and at NaN) `no`.
    unsafe fn if_positive(self, yes: Self, no: Self) -> Self;
    /// To the nearest integer.
    unsafe fn round(self) -> Self;
    /// 2 to the power of `self`, an integer from −126 to 127.
    unsafe fn power_of_two(self) -> Self;
}
