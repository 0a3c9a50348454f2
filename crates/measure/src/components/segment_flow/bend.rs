//! The bend ψ(h) = tanh h + ρ h and its inverse, for many numbers at once.
//!
//! Nearly all of a fit is spent here, so the loops are written for the compiler to take several numbers
//! at a time: a tanh of our own without branches (the library's takes one number), and Newton's method
//! on eight numbers until the last of them has arrived.

/// How many numbers are unbent together.
const LANES: usize = 8;
/// Newton's method needs a handful of steps; this is where it is given up.
const NEWTON: usize = 100;
/// A step this small leaves an error of its square.
const ARRIVED: f64 = 1e-7;

/// tanh x = (1 − e) / (1 + e) with e = exp(−2|x|), to about 1e-15.
#[inline]
pub(super) fn tanh(x: f64) -> f64 {
    let e = exp_of_negative(-2.0 * x.abs());
    ((1.0 - e) / (1.0 + e)).copysign(x)
}

/// exp x for x ≤ 0: 2ᵏ exp(r) with x = k ln 2 + r, |r| ≤ ½ ln 2, and the series of exp r.
#[inline]
fn exp_of_negative(x: f64) -> f64 {
    const INVERSE_FACTORIALS: [f64; 13] = [
        1.0 / 479_001_600.0,
        1.0 / 39_916_800.0,
        1.0 / 3_628_800.0,
        1.0 / 362_880.0,
        1.0 / 40_320.0,
        1.0 / 5_040.0,
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
        1.0,
        1.0,
    ];
    /// Adding it rounds to a whole number, which then stands in the lowest bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    let x = x.max(-700.0);
    let rounded = x * std::f64::consts::LOG2_E + ROUND;
    let k = rounded - ROUND;
    let r = x - k * std::f64::consts::LN_2;
    let series = INVERSE_FACTORIALS.iter().fold(0.0, |sum, factor| sum * r + factor);
    let power = f64::from_bits((rounded.to_bits().wrapping_add(1023)) << 52);
    series * power
}

/// In place of each y the h with tanh h + ρ h = y.
pub(super) fn unbend(numbers: &mut [f64], rho: f64) {
    for chunk in numbers.chunks_mut(LANES) {
        let mut y = [0.0; LANES];
        y[..chunk.len()].copy_from_slice(chunk);
        chunk.copy_from_slice(&unbent(y, rho)[..chunk.len()]);
    }
}

/// tanh h is below both h and 1, so both guesses below are too small in size; since tanh is concave
/// from 0 on, Newton's method then climbs to the root without passing it.
fn unbent(y: [f64; LANES], rho: f64) -> [f64; LANES] {
    let size = y.map(f64::abs);
    let mut h = size.map(|y| (y / (1.0 + rho)).max((y - 1.0) / rho));
    for _ in 0..NEWTON {
        let mut furthest = 0.0f64;
        for (h, y) in h.iter_mut().zip(size) {
            let tanh = tanh(*h);
            let step = (y - tanh - rho * *h) / (1.0 - tanh * tanh + rho);
            *h += step;
            furthest = furthest.max(step.abs() - ARRIVED * h.abs());
        }
        if furthest < ARRIVED {
            break;
        }
    }
    std::array::from_fn(|lane| h[lane].copysign(y[lane]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tanh_is_that_of_the_library() {
        for k in -4000..4000 {
            let x = f64::from(k) * 0.011;
            assert!((tanh(x) - x.tanh()).abs() < 4e-16, "{x}: {} {}", tanh(x), x.tanh());
        }
        assert_eq!([tanh(1e300), tanh(-1e300), tanh(0.0)], [1.0, -1.0, 0.0]);
    }

    #[test]
    fn unbending_undoes_bending_near_and_far() {
        for rho in [0.02, 0.1, 1.0, 30.0] {
            for h in [0.0, 1e-9, 0.3, -1.0, 2.5, -40.0, 1e4] {
                let mut found = [0.7, f64::tanh(h) + rho * h, -3.0];
                unbend(&mut found, rho);
                assert!((found[1] - h).abs() < 1e-9 * h.abs().max(1.0), "{rho} {h} {found:?}");
            }
        }
    }
}
