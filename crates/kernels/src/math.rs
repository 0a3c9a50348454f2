//! Functions of sixteen numbers: exponential, logarithm, sigmoid, tanh.
//!
//! Polynomials of the Cephes library's degree and range reduction; relative errors below 3e-7.

use crate::lanes::Lanes;

/// Σ cᵢ xⁿ⁻ⁱ by Horner's rule.
#[inline(always)]
unsafe fn polynomial<L: Lanes>(x: L, coefficients: &[f32]) -> L {
    // SAFETY: the caller's contract is that of `Lanes`.
    unsafe {
        let mut sum = L::splat(coefficients[0]);
        for &coefficient in &coefficients[1..] {
            sum = sum.mul_add(x, L::splat(coefficient));
        }
        sum
    }
}

/// eˣ; the argument is held within what f32 can say, and NaN stays NaN.
#[inline(always)]
pub(crate) unsafe fn exp<L: Lanes>(x: L) -> L {
    // SAFETY: the caller's contract is that of `Lanes`.
    unsafe {
        let x = L::splat(88.3).min(L::splat(-87.3).max(x));
        // x = n ln 2 + r with |r| ≤ ln 2 / 2; ln 2 in two parts, so that r keeps its digits.
        let n = x.mul(L::splat(std::f32::consts::LOG2_E)).round();
        let r = n.mul_add(L::splat(-0.693_359_4), x);
        let r = n.mul_add(L::splat(2.121_944_4e-4), r);
        let tail = [1.987_569_1e-4, 1.398_2e-3, 8.333_452e-3, 4.166_579_6e-2, 0.166_666_66, 0.5];
        let fraction = polynomial(r, &tail).mul_add(r.mul(r), r).add(L::splat(1.0));
        fraction.mul(n.power_of_two())
    }
}

/// ln(1 + e) for e from 0 to 1, as 2 artanh(e / (2 + e)): the argument of the series is ≤ 1/3.
#[inline(always)]
pub(crate) unsafe fn ln_1p_unit<L: Lanes>(e: L) -> L {
    // SAFETY: the caller's contract is that of `Lanes`.
    unsafe {
        let s = e.div(e.add(L::splat(2.0)));
        let odd = [2.0 / 13.0, 2.0 / 11.0, 2.0 / 9.0, 2.0 / 7.0, 2.0 / 5.0, 2.0 / 3.0, 2.0];
        polynomial(s.mul(s), &odd).mul(s)
    }
}

/// 1 / (1 + e⁻ˣ), given e⁻|ˣ|.
#[inline(always)]
pub(crate) unsafe fn sigmoid_from<L: Lanes>(x: L, exp_of_minus_abs: L) -> L {
    // SAFETY: the caller's contract is that of `Lanes`.
    unsafe {
        let one = L::splat(1.0);
        let high = one.div(one.add(exp_of_minus_abs));
        x.if_positive(high, exp_of_minus_abs.mul(high))
    }
}

/// 1 / (1 + e⁻ˣ)
#[inline(always)]
pub(crate) unsafe fn sigmoid<L: Lanes>(x: L) -> L {
    // SAFETY: the caller's contract is that of `Lanes`.
    unsafe { sigmoid_from(x, exp(L::splat(0.0).sub(x.abs()))) }
}

/// tanh x: a polynomial near zero, where 1 − e⁻²ˣ would lose its digits.
#[inline(always)]
pub(crate) unsafe fn tanh<L: Lanes>(x: L) -> L {
    // SAFETY: the caller's contract is that of `Lanes`.
    unsafe {
        let one = L::splat(1.0);
        let magnitude = x.abs();
        let e = exp(magnitude.mul(L::splat(-2.0)));
        let far = one.sub(e).div(one.add(e));
        let far = x.if_positive(far, L::splat(0.0).sub(far));
        let square = x.mul(x);
        let series = [-5.704_989e-3, 0.020_639_09, -5.373_971_6e-2, 0.133_314_42, -0.333_332_8];
        let near = polynomial(square, &series).mul(square).mul_add(x, x);
        magnitude.sub(L::splat(0.625)).if_positive(far, near)
    }
}
