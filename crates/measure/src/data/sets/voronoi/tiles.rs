//! The tiles: points in a square, and around each all that is nearer to it than to the others (a Voronoi
//! diagram). They never move, so that which tile shows how much in which pixel is worked out once.

use crate::rng::Rng;

mod cells;
mod outline;
mod painting;

pub(super) use painting::Painting;

/// Pixels per row and column.
pub(super) const SIDE: usize = 32;
/// Points stay this far from the edge.
const MARGIN: f64 = 4.0;
/// And this far from each other, if one of so many draws has it.
const APART: f64 = 10.0;
const DRAWS: usize = 1000;

/// A place, x to the right and y up.
type Point = [f64; 2];

/// Points that are well apart: the first draw in which all are, or the best of 1,000.
pub(super) fn points(count: usize, rng: &mut Rng) -> Vec<Point> {
    let (mut best, mut widest) = (Vec::new(), -1.0);
    for _ in 0..DRAWS {
        let mut coordinate = || MARGIN + (SIDE as f64 - 2.0 * MARGIN) * rng.uniform();
        let points: Vec<Point> = (0..count).map(|_| [coordinate(), coordinate()]).collect();
        let closest = closest(&points);
        if closest > widest {
            (best, widest) = (points, closest);
        }
        if widest >= APART {
            break;
        }
    }
    best
}

/// The smallest distance between two points.
fn closest(points: &[Point]) -> f64 {
    let rest = |k: usize| points[k + 1..].iter().map(move |other| distance(points[k], *other));
    (0..points.len()).flat_map(rest).fold(f64::INFINITY, f64::min)
}

/// The point that is nearest to a place.
pub(super) fn nearest(points: &[Point], place: Point) -> usize {
    let distances = points.iter().map(|point| distance(*point, place)).enumerate();
    distances.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(nearest, _)| nearest)
}

fn distance([ax, ay]: Point, [bx, by]: Point) -> f64 {
    (ax - bx).hypot(ay - by)
}

/// The colour of an angle: full saturation and brightness, red at 0, once around in a turn.
pub(super) fn colour(angle: f32) -> [f32; 3] {
    let turn = if angle < 0.0 { angle + std::f32::consts::TAU } else { angle };
    let sixth = turn / std::f32::consts::TAU * 6.0;
    let rising = sixth.fract();
    match sixth as usize % 6 {
        0 => [1.0, rising, 0.0],
        1 => [1.0 - rising, 1.0, 0.0],
        2 => [0.0, 1.0, rising],
        3 => [0.0, 1.0 - rising, 1.0],
        4 => [rising, 0.0, 1.0],
        _ => [1.0, 0.0, 1.0 - rising],
    }
}

#[cfg(test)]
mod tests {
    use std::f32::consts::PI;

    use super::*;

    #[test]
    fn points_are_apart_and_within_the_margin() {
        for seed in 0..20 {
            let points = points(6, &mut Rng::new(seed));
            assert!(points.iter().flatten().all(|v| (4.0..=28.0).contains(v)));
            assert!(closest(&points) >= 8.0, "{}", closest(&points));
        }
        // Sixteen do not fit; the best draw is taken.
        assert_eq!(points(16, &mut Rng::new(1)).len(), 16);
    }

    #[test]
    fn colours_go_around_once() {
        assert_eq!(colour(0.0), [1.0, 0.0, 0.0]);
        let near = |angle: f32, expected: [f32; 3]| {
            let found = colour(angle);
            assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-5), "{found:?}");
        };
        near(2.0 * PI / 3.0, [0.0, 1.0, 0.0]);
        near(-2.0 * PI / 3.0, [0.0, 0.0, 1.0]);
        near(PI / 6.0, [1.0, 0.5, 0.0]);
        near(-PI / 6.0, [1.0, 0.0, 0.5]);
        near(-1e-9, [1.0, 0.0, 0.0]);
    }
}
