//! A robot that is put somewhere anew in every step and intervenes on the tiles under it.

use std::f64::consts::TAU;

use super::{digits, has_digit};
use crate::data::sets::voronoi::tiles::{self, SIDE};
use crate::rng::Rng;

/// How far outside the picture it may be, as a share of its side.
const OUTSIDE: f64 = 0.25;
/// Its radius over tiles, in pixels.
const RADIUS: f64 = 2.0;
/// The angles it is felt at: these of 17 parts of a turn, so only from 0 to 148 degrees. So it is in the
/// published generator, which meant to go all around.
const ANGLES: usize = 8;
const PARTS: f64 = 17.0;

/// A robot, and the points whose nearest places it acts on.
pub(crate) struct Robot {
    points: Vec<[f64; 2]>,
    radius: f64,
    /// What standing at each point does: per variable, whether it is intervened on.
    done: Vec<Vec<bool>>,
}

impl Robot {
    /// A disc that intervenes on every tile it touches.
    pub(crate) fn over_tiles(points: Vec<[f64; 2]>) -> Self {
        let done = (0..points.len()).map(|k| (0..points.len()).map(|j| j == k).collect());
        Self { done: done.collect(), points, radius: RADIUS }
    }

    /// A point in a picture divided into other tiles than those seen, one for each binary digit; at tile
    /// e all variables are intervened on whose number, counted from 1, has the digit e. These are the
    /// fewest actions that can tell all variables apart.
    pub(crate) fn by_digits(variables: usize, rng: &Rng) -> Self {
        let count = digits(variables);
        let points = tiles::points(count, &mut rng.split("places"));
        let done = |digit| (0..variables).map(|variable| has_digit(variable, digit)).collect();
        Self { points, radius: 0.0, done: (0..count).map(done).collect() }
    }

    /// An action at random: a place, `[x, y]` in the units of BISCUIT's loader, -1 to 1.
    pub(crate) fn wander(rng: &mut Rng) -> [f32; 2] {
        [(); 2].map(|()| (2.0 * rng.uniform() - 1.0) as f32)
    }

    /// An action as it is published, as a share of the side of the picture.
    pub(crate) fn published(action: f32) -> f32 {
        action * (0.5 + OUTSIDE) as f32 + 0.5
    }

    /// The variables that an action intervenes on.
    pub(crate) fn touched(&self, action: [f32; 2]) -> Vec<bool> {
        let mut touched = vec![false; self.done[0].len()];
        let [x, y] = action.map(|v| (f64::from(v) * (0.5 + OUTSIDE) + 0.5) * SIDE as f64);
        let reach = -self.radius..=SIDE as f64 + self.radius;
        if !reach.contains(&x) || !reach.contains(&y) {
            return touched;
        }
        let mut feel = |place: [f64; 2]| {
            let done = &self.done[tiles::nearest(&self.points, place)];
            touched.iter_mut().zip(done).for_each(|(touched, done)| *touched |= done);
        };
        feel([x, y]);
        if self.radius > 0.0 {
            for angle in 0..ANGLES {
                let (sin, cos) = (TAU * angle as f64 / PARTS).sin_cos();
                for radius in [self.radius / 2.0, self.radius] {
                    feel([x + radius * cos, y + radius * sin]);
                }
            }
        }
        touched
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The action that puts a robot on a pixel.
    fn at(place: [f64; 2]) -> [f32; 2] {
        place.map(|v| ((v / 32.0 - 0.5) / 0.75) as f32)
    }

    #[test]
    fn a_disc_touches_its_own_tile_and_those_it_reaches_over_to() {
        let robot = Robot::over_tiles(vec![[8.0, 16.0], [24.0, 16.0]]);
        assert_eq!(robot.touched(at([8.0, 16.0])), [true, false]);
        // The border is at 16: it is reached from the left, at angle 0, and from the right at 148
        // degrees, where the disc is 1.7 wide.
        assert_eq!(robot.touched(at([14.5, 10.0])), [true, true]);
        assert_eq!(robot.touched(at([13.9, 10.0])), [true, false]);
        assert_eq!(robot.touched(at([17.6, 10.0])), [true, true]);
        assert_eq!(robot.touched(at([17.8, 10.0])), [false, true]);
        assert_eq!(robot.touched(at([-1.9, 16.0])), [true, false]);
        assert_eq!(robot.touched(at([-2.1, 16.0])), [false, false]);
        assert_eq!(robot.touched(at([8.0, 34.1])), [false, false]);
    }

    #[test]
    fn actions_cover_the_picture_and_a_quarter_more_on_every_side() {
        assert_eq!([-1.0, 0.0, 1.0].map(Robot::published), [-0.25, 0.5, 1.25]);
        let mut rng = Rng::new(0);
        let actions: Vec<[f32; 2]> = (0..1000).map(|_| Robot::wander(&mut rng)).collect();
        assert!(actions.iter().flatten().all(|v| (-1.0..=1.0).contains(v)));
        assert!(actions.iter().any(|[x, _]| *x < -0.98) && actions.iter().any(|[_, y]| *y > 0.98));
    }
}
