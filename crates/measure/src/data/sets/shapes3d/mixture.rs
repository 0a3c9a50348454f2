//! What a pixel is made of: how much of the colours of floor, wall, object and sky it shows, and
//! how much white. It depends on object and camera alone, so that all 1,000 combinations of hues
//! share one.

use super::SIDE;
use super::light::shade;
use super::scene::{Camera, Object, Surface};

/// Floor, wall, object, sky, white.
const PARTS: usize = 5;
/// A part of 1 as it is stored; parts can be a little below 0 and above 1.
const ONE: f64 = 8192.0;
/// Rays per pixel and direction.
const RAYS: usize = 3;
const FINE: usize = SIDE * RAYS;
/// How many pixels the filter reaches to either side.
const REACH: f64 = 2.0;

/// The parts of every pixel of an image, one after the other.
pub(super) struct Mixture([Box<[i16]>; PARTS]);

impl Mixture {
    /// Look at `FINE` x `FINE` places and make the image smaller, as the original was made.
    pub(super) fn new(object: &Object, camera: &Camera) -> Self {
        let mut fine = vec![0.0_f32; PARTS * FINE * FINE];
        for row in 0..FINE {
            for column in 0..FINE {
                let [x, y] = [column, row].map(|k| (k as f64 + 0.5) / RAYS as f64);
                let hit = camera.look(object, x, y);
                let [shade, gloss] = shade(&hit, object, camera);
                let part = match hit.surface {
                    Surface::Floor => 0,
                    Surface::Wall(_) => 1,
                    Surface::Object => 2,
                    Surface::Sky => 3,
                };
                fine[(part * FINE + row) * FINE + column] = shade as f32;
                fine[(4 * FINE + row) * FINE + column] = gloss as f32;
            }
        }
        let filter = filter();
        let plane = FINE * FINE;
        Self(std::array::from_fn(|part| smaller(&fine[part * plane..][..plane], &filter)))
    }

    /// The image with these colours, three numbers each for floor, wall, object and sky.
    pub(super) fn paint(&self, colours: [[f32; 3]; 4], out: &mut [f32]) {
        let [floor, wall, object, sky, white] = &self.0;
        for (channel, plane) in out.chunks_exact_mut(SIDE * SIDE).enumerate() {
            let [f, w, o, s] = colours.map(|colour| colour[channel] / ONE as f32);
            let parts = floor.iter().zip(wall).zip(object).zip(sky).zip(white);
            for (pixel, ((((a, b), c), d), e)) in plane.iter_mut().zip(parts) {
                let [a, b, c, d, e] = [a, b, c, d, e].map(|part| f32::from(*part));
                let light = a * f + b * w + c * o + d * s + e / ONE as f32;
                *pixel = light.clamp(0.0, 1.0);
            }
        }
    }
}

/// For each pixel of a line of the small image the first place that counts and the weights from
/// there on. The filter is bicubic (Catmull-Rom): the published images have its light and dark rims
/// along edges. At the border the weights are those of what there is.
fn filter() -> Vec<(usize, Vec<f32>)> {
    let weights = |pixel: usize| {
        let centre = pixel as f64 + 0.5;
        let place = |k: usize| (k as f64 + 0.5) / RAYS as f64;
        let near: Vec<usize> = (0..FINE).filter(|&k| (place(k) - centre).abs() < REACH).collect();
        let weights = near.iter().map(|&k| cubic((place(k) - centre).abs()));
        let sum: f64 = weights.clone().sum();
        (near[0], weights.map(|weight| (weight / sum) as f32).collect())
    };
    (0..SIDE).map(weights).collect()
}

fn cubic(x: f64) -> f64 {
    match x {
        ..1.0 => (1.5 * x - 2.5) * x * x + 1.0,
        ..2.0 => ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0,
        _ => 0.0,
    }
}

/// Filter the rows, then the columns.
fn smaller(fine: &[f32], filter: &[(usize, Vec<f32>)]) -> Box<[i16]> {
    let mut narrow = vec![0.0_f32; FINE * SIDE];
    for (line, narrow) in fine.chunks_exact(FINE).zip(narrow.chunks_exact_mut(SIDE)) {
        for (pixel, (first, weights)) in narrow.iter_mut().zip(filter) {
            *pixel = weights.iter().zip(&line[*first..]).map(|(w, v)| w * v).sum();
        }
    }
    let mut small = Vec::with_capacity(SIDE * SIDE);
    for (first, weights) in filter {
        let mut sums = [0.0_f32; SIDE];
        for (weight, narrow) in weights.iter().zip(narrow.chunks_exact(SIDE).skip(*first)) {
            sums.iter_mut().zip(narrow).for_each(|(sum, value)| *sum += weight * value);
        }
        small.extend(sums.map(|sum| (sum * ONE as f32).round() as i16));
    }
    small.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_of_a_pixel_add_up_to_one_and_lie_around_it() {
        for (pixel, (first, weights)) in filter().iter().enumerate() {
            assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            let middle = first + weights.len() / 2;
            assert!(middle.abs_diff(pixel * RAYS + 1) <= REACH as usize * RAYS / 2 + 1);
        }
    }

    #[test]
    fn an_even_surface_stays_even() {
        let small = smaller(&vec![0.5; FINE * FINE], &filter());
        assert_eq!(small.len(), SIDE * SIDE);
        assert!(small.iter().all(|part| (f64::from(*part) - ONE / 2.0).abs() <= 1.0));
    }
}
