//! Making pictures smaller with Lanczos, to the byte as Pillow does it, with which the published
//! numbers on these sets were made.
//!
//! Each pixel is a weighted mean of those under a window of three lobes, sinc(x)·sinc(x/3), as wide
//! as the picture shrinks. First along rows, then along columns; in between, numbers are rounded and
//! cut to bytes, which is what differs from the same in floating point.

use std::f64::consts::PI;

/// Weights are whole multiples of 2^-22.
const BITS: u32 = 22;
const LOBES: f64 = 3.0;

/// Bytes [height, width, channels] made [to, to, channels].
pub(in crate::data) fn resize(bytes: &[u8], size: [usize; 3], to: usize) -> Vec<u8> {
    let [height, width, channels] = size;
    let narrow = along(bytes, [height, width, channels], &windows(width, to));
    along(&narrow, [1, height, to * channels], &windows(height, to))
}

/// The pixels that make up a new one: the first of them, and their weights.
struct Window {
    first: usize,
    weights: Vec<i32>,
}

fn windows(from: usize, to: usize) -> Vec<Window> {
    let scale = from as f64 / to as f64;
    let stretch = scale.max(1.0);
    let window = |place: usize| {
        let centre = (place as f64 + 0.5) * scale;
        let edge = |offset: f64| (centre + offset + 0.5).max(0.0) as usize;
        let (first, end) = (edge(-LOBES * stretch), edge(LOBES * stretch).min(from));
        let weight = |pixel: usize| lanczos((pixel as f64 - centre + 0.5) / stretch);
        let weights: Vec<f64> = (first..end).map(weight).collect();
        let sum: f64 = weights.iter().sum();
        let whole = |weight: &f64| (weight / sum * f64::from(1 << BITS)).round() as i32;
        Window { first, weights: weights.iter().map(whole).collect() }
    };
    (0..to).map(window).collect()
}

fn lanczos(x: f64) -> f64 {
    let sinc = |x: f64| if x == 0.0 { 1.0 } else { (PI * x).sin() / (PI * x) };
    if (-LOBES..LOBES).contains(&x) { sinc(x) * sinc(x / LOBES) } else { 0.0 }
}

/// Resize the second of three axes, [outer, axis, inner].
fn along(bytes: &[u8], [outer, axis, inner]: [usize; 3], windows: &[Window]) -> Vec<u8> {
    let mut out = Vec::with_capacity(outer * windows.len() * inner);
    for plane in bytes.chunks_exact(axis * inner) {
        for Window { first, weights } in windows {
            let lines = &plane[first * inner..];
            for k in 0..inner {
                let pixels = lines[k..].iter().step_by(inner);
                let half = 1_i64 << (BITS - 1);
                let sum = pixels.zip(weights).fold(half, |sum, (pixel, weight)| {
                    sum + i64::from(*pixel) * i64::from(*weight)
                });
                out.push((sum >> BITS).clamp(0, 255) as u8);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_flat_stays_flat_and_nothing_changes_at_the_same_size() {
        assert_eq!(resize(&[77; 90 * 50 * 3], [90, 50, 3], 20), [77; 20 * 20 * 3]);
        let noise: Vec<u8> = (0..256).map(|k| (k * 37 % 251) as u8).collect();
        assert_eq!(resize(&noise, [16, 16, 1], 16), noise);
    }
}
