//! Who is intervened on in a step: those that a robot touches, or whom chance picks.

use super::choices::{Interventions, Settings};
use crate::rng::Rng;

mod robot;

pub(super) use robot::Robot;

/// How often a variable, or one of the groups, is intervened on in CITRIS' version.
const OFTEN: f64 = 0.15;

/// How a world is intervened on.
pub(super) enum Habit {
    Robot(Robot),
    Independent,
    Single,
    Grouped,
}

/// What is done in a step.
pub(super) struct Act {
    /// Per variable.
    pub(super) touched: Vec<bool>,
    /// Where the robot is; empty without one.
    pub(super) action: Vec<f32>,
}

impl Habit {
    /// The habit that is set, with a robot over the tiles around these points.
    pub(super) fn new(settings: &Settings, points: &[[f64; 2]], rng: &Rng) -> Self {
        let variables = settings.variables;
        match settings.interventions {
            Interventions::Independent => Self::Independent,
            Interventions::Single => Self::Single,
            Interventions::Grouped => Self::Grouped,
            Interventions::Minimal => Self::Robot(Robot::by_digits(variables, rng)),
            Interventions::Random | Interventions::Auto => {
                Self::Robot(Robot::over_tiles(points.to_vec()))
            }
        }
    }

    /// What is done in one step to this many variables.
    pub(super) fn act(&self, variables: usize, rng: &mut Rng) -> Act {
        let nowhere = Vec::new;
        match self {
            Self::Robot(robot) => {
                let action = Robot::wander(rng);
                Act { touched: robot.touched(action), action: action.to_vec() }
            }
            Self::Independent => {
                let touched = (0..variables).map(|_| rng.uniform() < OFTEN).collect();
                Act { touched, action: nowhere() }
            }
            Self::Single => {
                // None as often as two of the variables together.
                let chosen = rng.below(variables + 2);
                Act { touched: (0..variables).map(|k| k == chosen).collect(), action: nowhere() }
            }
            Self::Grouped => {
                let digit = rng.below(digits(variables));
                let done = rng.uniform() < OFTEN;
                let touched = (0..variables).map(|k| done && has_digit(k, digit)).collect();
                Act { touched, action: nowhere() }
            }
        }
    }
}

/// How many binary digits the numbers 1 to `variables` have: ⌊log₂⌋ + 1.
fn digits(variables: usize) -> usize {
    variables.ilog2() as usize + 1
}

/// Whether this digit of the number of a variable, counted from 1, is 1.
fn has_digit(variable: usize, digit: usize) -> bool {
    (variable + 1) >> digit & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The share of steps that each variable is touched in, and of those in which none is.
    fn shares(habit: &Habit, variables: usize) -> (Vec<f64>, f64) {
        let (mut rng, count) = (Rng::new(5), 40_000);
        let (mut each, mut none) = (vec![0.0; variables], 0.0);
        for _ in 0..count {
            let act = habit.act(variables, &mut rng);
            none += f64::from(u8::from(!act.touched.contains(&true)));
            for (share, touched) in each.iter_mut().zip(&act.touched) {
                *share += f64::from(u8::from(*touched)) / f64::from(count);
            }
        }
        (each, none / f64::from(count))
    }

    #[test]
    fn habits_without_a_robot_have_their_frequencies() {
        let near = |a: f64, b: f64| (a - b).abs() < 0.01;
        let (each, none) = shares(&Habit::Independent, 6);
        assert!(each.iter().all(|share| near(*share, 0.15)) && near(none, 0.85_f64.powi(6)));
        let (each, none) = shares(&Habit::Single, 6);
        assert!(each.iter().all(|share| near(*share, 0.125)) && near(none, 0.25));
        let (each, none) = shares(&Habit::Grouped, 6);
        // 1 to 6 have the digits 1, 1, 2, 1, 2, 2, of three groups.
        let expected = [1.0, 1.0, 2.0, 1.0, 2.0, 2.0].map(|digits| 0.15 * digits / 3.0);
        assert!(each.iter().zip(expected).all(|(share, k)| near(*share, k)) && near(none, 0.85));
    }

    #[test]
    fn a_robot_leaves_the_tiles_alone_as_often_as_published() {
        let points = super::super::tiles::points(6, &mut Rng::new(1));
        let (_, none) = shares(&Habit::Robot(Robot::over_tiles(points)), 6);
        assert!((none - 0.4375).abs() < 0.008, "{none}");
        let (each, none) = shares(&Habit::Robot(Robot::by_digits(6, &Rng::new(1))), 6);
        assert!((none - 0.5556).abs() < 0.008, "{none}");
        assert!(each.iter().all(|share| *share > 0.02));
    }

    #[test]
    fn minimal_actions_have_few_regimes_that_tell_all_variables_apart() {
        for (variables, regimes) in [(6, 4), (9, 5)] {
            let habit = Habit::Robot(Robot::by_digits(variables, &Rng::new(2)));
            let mut rng = Rng::new(3);
            let mut seen: Vec<Vec<bool>> =
                (0..5000).map(|_| habit.act(variables, &mut rng).touched).collect();
            seen.sort();
            seen.dedup();
            assert_eq!(seen.len(), regimes);
            let codes: std::collections::HashSet<Vec<bool>> =
                (0..variables).map(|k| seen.iter().map(|regime| regime[k]).collect()).collect();
            assert_eq!(codes.len(), variables);
        }
    }
}
