//! Other resolutions: means over areas downwards, straight lines between pixels upwards.

use crate::data::{Range, Shape};

/// From images of one size to images of another; each axis on its own.
pub(super) struct Resample {
    from: Shape,
    pub(super) to: Shape,
    rows: Vec<Taps>,
    columns: Vec<Taps>,
}

/// The pixels that a new pixel is mixed from: those from `first` on, with weights that sum to one.
struct Taps {
    first: usize,
    weights: Vec<f32>,
}

impl Resample {
    /// Images whose shorter side has `size` pixels; `None` if they have that size already.
    pub(super) fn new(from: Shape, size: usize) -> Option<Self> {
        let shorter = from.height.min(from.width);
        if size == shorter {
            return None;
        }
        let scaled = |side: usize| (side * size + shorter / 2) / shorter;
        let (height, width) = (scaled(from.height), scaled(from.width));
        // A mean of zeros and ones is neither.
        let range = if from.range == Range::Binary { Range::Unit } else { from.range };
        let to = Shape { channels: from.channels, height, width, range };
        Some(Self { from, to, rows: taps(from.height, height), columns: taps(from.width, width) })
    }

    /// Write the image at its new size.
    pub(super) fn apply(&self, image: &[f32], out: &mut [f32]) {
        let (from, to) = (&self.from, &self.to);
        let mut mixed = vec![0.0; from.width];
        let planes = out.chunks_exact_mut(to.height * to.width);
        for (old, new) in image.chunks_exact(from.height * from.width).zip(planes) {
            for (line, taps) in new.chunks_exact_mut(to.width).zip(&self.rows) {
                mixed.fill(0.0);
                let lines = old.chunks_exact(from.width).skip(taps.first);
                for (weight, old_line) in taps.weights.iter().zip(lines) {
                    mixed.iter_mut().zip(old_line).for_each(|(sum, v)| *sum += weight * v);
                }
                for (pixel, taps) in line.iter_mut().zip(&self.columns) {
                    let pixels = &mixed[taps.first..];
                    *pixel = taps.weights.iter().zip(pixels).map(|(weight, v)| weight * v).sum();
                }
            }
        }
        if to.range == Range::Unit {
            // Weights sum to one but for rounding.
            for pixel in out {
                *pixel = pixel.clamp(0.0, 1.0);
            }
        }
    }
}

/// How each of `to` pixels in a row is mixed from `from` of them.
fn taps(from: usize, to: usize) -> Vec<Taps> {
    let ratio = from as f64 / to as f64;
    let averaged = |pixel: usize| {
        // The new pixel covers [start, end) of the old ones; the weight is the part it covers.
        let (start, end) = (pixel as f64 * ratio, (pixel + 1) as f64 * ratio);
        let (first, last) = (start.floor() as usize, (end.ceil() as usize).min(from));
        let covered = |k: usize| end.min((k + 1) as f64) - start.max(k as f64);
        Taps { first, weights: (first..last).map(|k| (covered(k) / ratio) as f32).collect() }
    };
    let interpolated = |pixel: usize| {
        // Where the middle of the new pixel lies among the middles of the old ones.
        let place = ((pixel as f64 + 0.5) * ratio - 0.5).clamp(0.0, (from - 1) as f64);
        let first = (place as usize).min(from.saturating_sub(2));
        let right = (place - first as f64) as f32;
        let weights = if from == 1 { vec![1.0] } else { vec![1.0 - right, right] };
        Taps { first, weights }
    };
    match to < from {
        true => (0..to).map(averaged).collect(),
        false => (0..to).map(interpolated).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resampled(height: usize, width: usize, image: &[f32], size: usize) -> (Shape, Vec<f32>) {
        let channels = image.len() / (height * width);
        let shape = Shape { channels, height, width, range: Range::Binary };
        let resample = Resample::new(shape, size).unwrap();
        let mut out = vec![f32::NAN; resample.to.size()];
        resample.apply(image, &mut out);
        (resample.to, out)
    }

    #[test]
    fn smaller_images_are_means_over_areas() {
        let image: Vec<f32> = (0..32).map(|k| (k % 16) as f32 / 16.0).collect();
        let (shape, half) = resampled(4, 4, &image, 2);
        assert_eq!((shape.to_string().as_str(), shape.range), ("2x2x2", Range::Unit));
        // Means of 0, 1, 4, 5; of 2, 3, 6, 7; and so on, sixteenths, in both channels.
        let expected = [2.5, 4.5, 10.5, 12.5, 2.5, 4.5, 10.5, 12.5].map(|v| v / 16.0);
        assert_eq!(half, expected);
        // 3 to 2: a pixel and a half each.
        let (_, uneven) = resampled(3, 3, &[0.0, 0.0, 0.0, 0.0, 0.9, 0.0, 0.0, 0.0, 0.0], 2);
        assert!(uneven.iter().all(|pixel| (pixel - 0.1).abs() < 1e-6));
    }

    #[test]
    fn larger_images_run_straight_between_pixels_and_the_mean_stays() {
        let (shape, wide) = resampled(1, 2, &[0.0, 1.0], 2);
        assert_eq!((shape.height, shape.width), (2, 4));
        assert_eq!(wide, [0.0, 0.25, 0.75, 1.0, 0.0, 0.25, 0.75, 1.0]);
        let image: Vec<f32> = (0..48).map(|k| ((k * 7) % 5) as f32 / 4.0).collect();
        for size in [1, 2, 3, 4, 5] {
            let (shape, same_mean) = resampled(6, 8, &image, size);
            assert_eq!((shape.height, shape.width), (size, (8 * size + 3) / 6));
            let mean = |v: &[f32]| v.iter().sum::<f32>() / v.len() as f32;
            assert!((mean(&same_mean) - mean(&image)).abs() < 1e-5);
        }
    }
}
