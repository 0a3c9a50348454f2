//! Discs on the field: how much of each pixel they cover, exactly and without memory of its own.
//!
//! With S(a) = ∫₀ᵃ √(r² − t²) dt, the part of the disc between its centre and a corner (a, b) with
//! 0 ≤ a, b ≤ r has the area
//!
//! ```text
//! Q(a, b) = a b                     if the corner is inside, a² + b² ≤ r²
//!         = S(a) + S(b) − π r² / 4  if not
//! ```
//!
//! and Q is odd in a and in b. The area in a pixel is the difference of Q over its four corners, so that
//! an arc sine is needed per edge, not per pixel.

use std::f32::consts::FRAC_PI_4;

use super::SIDE;

/// Pixels that a disc touches in a row, at most; its radius must not exceed 2.
const MOST: usize = 5;

/// The edges of pixels along one axis, relative to the centre, and S of each.
struct Edges {
    first: i32,
    at: [f32; MOST + 1],
    area: [f32; MOST + 1],
}

impl Edges {
    fn new(centre: f32, radius: f32) -> Self {
        let first = (centre - radius).floor();
        let mut edges = Self { first: first as i32, at: [0.0; 6], area: [0.0; 6] };
        for k in 0..=MOST {
            let at = (first + k as f32 - centre).clamp(-radius, radius);
            let height = (radius * radius - at * at).max(0.0).sqrt();
            edges.at[k] = at;
            edges.area[k] = 0.5 * (at * height + radius * radius * (at / radius).asin());
        }
        edges
    }
}

/// Call `pixel(place in the plane, area)` for the pixels of the field that a disc covers. `centre` is
/// (x, y), y upwards.
pub(crate) fn disc(centre: [f32; 2], radius: f32, mut pixel: impl FnMut(usize, f32)) {
    let [xs, ys] = centre.map(|at| Edges::new(at, radius));
    let quarter = FRAC_PI_4 * radius * radius;
    let part = |i: usize, j: usize| {
        let (a, b) = (xs.at[i], ys.at[j]);
        if a * a + b * b <= radius * radius {
            return a * b;
        }
        let size = xs.area[i].abs() + ys.area[j].abs() - quarter;
        if (a < 0.0) == (b < 0.0) { size } else { -size }
    };
    let within = |place: i32| usize::try_from(place).ok().filter(|place| *place < SIDE);
    let mut below: [f32; MOST + 1] = std::array::from_fn(|i| part(i, 0));
    for j in 0..MOST {
        let above: [f32; MOST + 1] = std::array::from_fn(|i| part(i, j + 1));
        if let Some(y) = within(ys.first.saturating_add(j as i32)) {
            for i in 0..MOST {
                let area = above[i + 1] - above[i] - below[i + 1] + below[i];
                let x = within(xs.first.saturating_add(i as i32));
                // Differences leave a dust of rounding errors.
                if let Some(x) = x.filter(|_| area > 1e-5) {
                    pixel(super::row(y) * SIDE + x, area.min(1.0));
                }
            }
        }
        below = above;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn areas(centre: [f32; 2], radius: f32) -> Vec<(usize, f32)> {
        let mut found = Vec::new();
        disc(centre, radius, |place, area| found.push((place, area)));
        found
    }

    #[test]
    fn the_area_is_that_of_a_disc_wherever_it_lies() {
        for k in 0..200 {
            let centre = [8.0 + 0.07 * k as f32, 20.0 - 0.03 * k as f32];
            for radius in [0.3, 1.2, 1.5, 2.0] {
                let total: f32 = areas(centre, radius).iter().map(|pixel| pixel.1).sum();
                let expected = std::f32::consts::PI * radius * radius;
                assert!((total - expected).abs() < 1e-4, "{centre:?} {radius} {total}");
            }
        }
    }

    #[test]
    fn a_pixel_has_the_share_that_sample_points_count() {
        let (centre, radius, fine) = ([10.3, 5.8], 1.2, 400);
        for (place, area) in areas(centre, radius) {
            let (x, y) = ((place % SIDE) as f32, super::super::row(place / SIDE) as f32);
            let offset = |k: usize| (k as f32 + 0.5) / fine as f32;
            let inside = |k: usize| {
                let (dx, dy) = (x + offset(k % fine) - centre[0], y + offset(k / fine) - centre[1]);
                dx * dx + dy * dy <= radius * radius
            };
            let counted = (0..fine * fine).filter(|k| inside(*k)).count() as f32;
            assert!((counted / (fine * fine) as f32 - area).abs() < 2e-3, "{place} {area}");
        }
    }

    #[test]
    fn what_lies_outside_is_cut_off() {
        let total = |centre| areas(centre, 1.5).iter().map(|pixel| pixel.1).sum::<f32>();
        assert!((total([0.0, 16.0]) * 2.0 - total([16.0, 16.0])).abs() < 1e-4);
        for centre in [[-9.0, 4.0], [1e30, 4.0], [4.0, f32::INFINITY], [f32::NAN, 4.0]] {
            assert!(areas(centre, 1.5).is_empty(), "{centre:?}");
        }
    }
}
