//! From scores to probabilities, many rows at a time.

/// How many rows are worked on at a time.
pub(super) const BLOCK: usize = 512;

/// p_k = e^F_k / Σ e^F over classes, in each row; both `[classes][rows]`.
pub(super) fn softmax(scores: &[[f64; BLOCK]], shares: &mut [[f64; BLOCK]]) {
    let mut largest = [f64::NEG_INFINITY; BLOCK];
    for scores in scores {
        for (largest, score) in largest.iter_mut().zip(scores) {
            *largest = if score > largest { *score } else { *largest };
        }
    }
    let mut sums = [0.0; BLOCK];
    for (scores, shares) in scores.iter().zip(&mut *shares) {
        for row in 0..BLOCK {
            shares[row] = exp(scores[row] - largest[row]);
            sums[row] += shares[row];
        }
    }
    let inverses = sums.map(|sum| 1.0 / sum);
    for shares in shares {
        shares.iter_mut().zip(&inverses).for_each(|(share, inverse)| *share *= inverse);
    }
}

/// p = 1 / (1 + e^-F)
pub(super) fn logistic(scores: &[f64; BLOCK], shares: &mut [f64; BLOCK]) {
    for (share, score) in shares.iter_mut().zip(scores) {
        let small = exp(-score.abs());
        *share = if *score < 0.0 { small } else { 1.0 } / (1.0 + small);
    }
}

/// e^x for x <= 0, within 2e-16 of it. The standard one is a call per number; this one can be
/// worked out for several at once, and is the same on every machine. With x = k ln 2 + r,
///
/// ```text
/// e^x = 2^k ( Σ r^i / i! ),   |r| <= ln 2 / 2
/// ```
fn exp(x: f64) -> f64 {
    /// Adding it leaves a number rounded to the nearest whole one in the low bits.
    const MAGIC: f64 = 6_755_399_441_055_744.0;
    // ln 2 in two parts: k times the first is exact.
    const LN_2: [f64; 2] = [0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10];
    // 1 / i! for even and for odd i.
    const EVEN: [f64; 7] = inverse_factorials(0);
    const ODD: [f64; 7] = inverse_factorials(1);
    // Below, the result is no longer a normal number.
    let x = if x < -708.0 { -708.0 } else { x };
    let shifted = x * std::f64::consts::LOG2_E + MAGIC;
    let k = shifted - MAGIC;
    let r = x - k * LN_2[0] - k * LN_2[1];
    let sum = |series: [f64; 7]| series.iter().rev().fold(0.0, |sum, term| sum * (r * r) + term);
    let power = f64::from_bits((shifted.to_bits() << 52).wrapping_add(1023 << 52));
    (sum(EVEN) + r * sum(ODD)) * power
}

/// 1 / i! for i = first, first + 2, ...
const fn inverse_factorials(first: u32) -> [f64; 7] {
    let mut terms = [1.0; 7];
    let mut at = 1;
    while at < terms.len() {
        let i = (first + 2 * at as u32) as f64;
        terms[at] = terms[at - 1] / (i * (i - 1.0));
        at += 1;
    }
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_is_that_of_the_standard_library() {
        for i in 0..70_000 {
            let x = -f64::from(i) / 100.0;
            assert!((exp(x) / x.exp() - 1.0).abs() < 5e-16, "{x}: {} {}", exp(x), x.exp());
        }
        assert_eq!(exp(0.0), 1.0);
        assert!(exp(-1e6) < 1e-300);
    }

    #[test]
    fn shares_add_up_even_for_huge_scores() {
        let scores = [[0.0; BLOCK], [2f64.ln(); BLOCK], [-1e5; BLOCK]];
        let mut shares = [[0.0; BLOCK]; 3];
        softmax(&scores, &mut shares);
        assert!((shares[1][7] - 2.0 / 3.0).abs() < 1e-15 && shares[2][7] < 1e-300);
        let mut share = [0.0; BLOCK];
        for (score, expected) in [(0.0, 0.5), (3f64.ln(), 0.75), (-3f64.ln(), 0.25), (1e5, 1.0)] {
            logistic(&[score; BLOCK], &mut share);
            assert!((share[BLOCK - 1] - expected).abs() < 1e-15, "{score}");
        }
    }
}
