//! The standard normal distribution.

use std::f64::consts::{PI, SQRT_2};

/// The probability of a number above `x`, 1 - Φ(x) = erfc(x / √2) / 2.
pub fn above(x: f64) -> f64 {
    match x {
        _ if x.is_nan() => f64::NAN,
        _ if x < 0.0 => 1.0 - above(-x),
        _ if x < 3.0 => 0.5 - middle(x / SQRT_2) / PI.sqrt(),
        _ => tail(x),
    }
}

/// ∫ from 0 to t of e^(-u²), by its series Σ (-1)ⁱ t^(2i+1) / (i! (2i + 1)).
fn middle(t: f64) -> f64 {
    let (mut sum, mut power) = (0.0, t);
    for i in 0..60 {
        sum += power / f64::from(2 * i + 1);
        power *= -t * t / f64::from(i + 1);
    }
    sum
}

/// φ(x) / (x + 1 / (x + 2 / (x + 3 / …))) (Laplace), from the inside out.
fn tail(x: f64) -> f64 {
    let fraction = (1..=60).rev().fold(x, |below, i| x + f64::from(i) / below);
    (-0.5 * x * x).exp() / (2.0 * PI).sqrt() / fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_quantiles() {
        let expected = [
            (0.0, 0.5),
            (1.0, 0.158_655_253_931_457_05),
            (1.644_853_626_951_472_2, 0.05),
            (2.999_999, 0.001_349_902_463_8),
            (3.0, 0.001_349_898_031_630_094_5),
            (6.0, 9.865_876_450_376_98e-10),
        ];
        for (x, p) in expected {
            assert!((above(x) / p - 1.0).abs() < 1e-8, "{x}: {}, not {p}", above(x));
            assert!((above(-x) - (1.0 - p)).abs() < 1e-12);
        }
        assert_eq!(above(60.0), 0.0);
        assert!(above(f64::NAN).is_nan());
    }
}
