//! Angles in radians, where 0 and 2π are the same: what a mean and a distance are on a circle.

use std::f64::consts::PI;

/// The direction of the mean of the points on the unit circle, atan2(Σ sin, Σ cos), within ±π. It
/// is where most of the angles are; of angles that are spread evenly it is arbitrary, as any
/// direction is as good as another.
pub fn circular_mean(angles: impl IntoIterator<Item = f64>) -> f64 {
    let sum = |[s, c]: [f64; 2], angle: f64| [s + angle.sin(), c + angle.cos()];
    let [sine, cosine] = angles.into_iter().fold([0.0; 2], sum);
    sine.atan2(cosine)
}

/// How far apart two angles are the shorter way round, as a share of half a turn: 0 for the same
/// direction, 1 for opposite ones (degrees / 180).
pub fn half_turns_apart(one: f64, other: f64) -> f64 {
    let turn = (one - other).rem_euclid(2.0 * PI);
    turn.min(2.0 * PI - turn) / PI
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_of_angles_around_zero_is_zero_and_not_half_a_turn() {
        assert!(circular_mean([0.1, 2.0 * PI - 0.1]).abs() < 1e-12);
        assert!((circular_mean([0.5, 1.5, 1.0]) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn distances_go_the_shorter_way_round_whatever_the_turns() {
        assert!((half_turns_apart(0.1, 2.0 * PI - 0.1) - 0.2 / PI).abs() < 1e-12);
        assert!((half_turns_apart(0.0, PI) - 1.0).abs() < 1e-12);
        assert!((half_turns_apart(-PI / 2.0, 4.0 * PI) - 0.5).abs() < 1e-12);
        assert_eq!(half_turns_apart(1.0, 1.0), 0.0);
    }
}
