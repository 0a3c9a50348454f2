//! How the game goes on. Units are pixels, y upwards; a direction of 0 is up, π/2 is right.
//!
//! A step is first made by the rules alone. Paddles look at where the ball was, the ball meets paddles
//! where they were, and whether there is a point is decided before chance moves the ball. Only then an
//! intervention takes the place of one result; so a ball that was put elsewhere may go with a point.

use std::f64::consts::{PI, TAU};

use super::choices::Rules;
use crate::rng::Rng;

/// How far the ball flies in a step; it never changes.
pub(super) const SPEED: f64 = 2.0;
/// The radius of the ball.
pub(super) const RADIUS: f64 = 1.2;
/// The middle of the field, where the ball starts anew.
pub(super) const CENTRE: f64 = 16.0;
/// Half the height of a paddle.
pub(super) const REACH: f64 = 3.0;
/// The faces of the paddles, from left to right: back and front of the left, front and back of the right.
pub(super) const FACES: [f64; 4] = [4.0, 6.0, 26.0, 28.0];
/// Where a paddle may be.
const PADDLE: [f64; 2] = [2.0, 30.0];
/// Where a paddle may be put when the ball starts anew.
const FRESH_PADDLE: [f64; 2] = [4.0, 28.0];
/// Where the ball may be, and beyond which lines there is a point.
const BALL_X: [f64; 2] = [2.0, 30.0];
const BALL_Y: [f64; 2] = [3.2, 28.8];
const POINT: [f64; 2] = [3.2, 28.8];
/// Where the ball is put by an intervention: clear of the paddles.
const FREE_X: [f64; 2] = [7.2, 24.8];
/// As many points end a game.
pub(super) const POINTS: u8 = 5;

/// Everything there is to know of a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct State {
    /// Direction of the ball, from 0 to 2π.
    pub(super) direction: f64,
    /// Where the ball is.
    pub(super) x: f64,
    pub(super) y: f64,
    /// The middles of the paddles: left, right.
    pub(super) paddles: [f64; 2],
    /// Points: left, right.
    pub(super) scores: [u8; 2],
}

/// What an intervention is on, in the order of the factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Direction,
    X,
    Y,
    Left,
    Right,
}

/// All of them.
pub(super) const TARGETS: [Target; 5] =
    [Target::Direction, Target::X, Target::Y, Target::Left, Target::Right];

impl State {
    /// Every factor by itself.
    pub(super) fn independent(rng: &mut Rng) -> Self {
        Self {
            direction: between([0.0, TAU], rng),
            x: between(FREE_X, rng),
            y: between(BALL_Y, rng),
            paddles: [0, 1].map(|_| between(PADDLE, rng)),
            scores: [0, 1].map(|_| rng.below(POINTS.into()) as u8),
        }
    }

    /// The next moment if nobody interferes, and whether the ball starts anew.
    pub(super) fn step(&self, rules: &Rules, rng: &mut Rng) -> (Self, bool) {
        let x = self.x + SPEED * self.direction.sin();
        if let Some(line) = beyond(x, POINT) {
            return (self.point(line == POINT[1], rng), true);
        }
        let mut next = self.flight(x);
        next.x += rules.ball_noise * gauss(rng);
        next.y += rules.ball_noise * gauss(rng);
        next.direction += rules.direction_noise * gauss(rng);
        let towards = |paddle: f64| (self.y - paddle).clamp(-rules.paddle_step, rules.paddle_step);
        let follow = |paddle: f64| paddle + towards(paddle);
        next.paddles = self.paddles.map(|paddle| follow(paddle) + rules.paddle_noise * gauss(rng));
        (next.held(), false)
    }

    /// A point, and everything but the scores begins anew. No noise.
    fn point(&self, left: bool, rng: &mut Rng) -> Self {
        let mut scores = self.scores;
        scores[usize::from(!left)] += 1;
        if scores.iter().any(|score| *score >= POINTS) {
            scores = [0, 0];
        }
        Self {
            direction: between([0.0, TAU], rng),
            x: CENTRE,
            y: CENTRE,
            paddles: [0, 1].map(|_| between(FRESH_PADDLE, rng)),
            scores,
        }
    }

    /// Where the ball flies without chance: walls first, then the left paddle, or else the right one.
    pub(super) fn flight(&self, x: f64) -> Self {
        let mut next = Self { x, y: self.y + SPEED * self.direction.cos(), ..*self };
        if let Some(wall) = beyond(next.y, BALL_Y) {
            next.y = 2.0 * wall - next.y;
            next.direction = PI - next.direction;
        }
        let [left_back, left_front, right_front, right_back] = FACES;
        let meets = |paddle: f64| (next.y - paddle).abs() <= REACH;
        // The side of the ball that touches is mirrored: x − r goes to 2 · front − (x − r), from which
        // the centre is another r away.
        let mirror = if x > left_back && x - RADIUS < left_front && meets(self.paddles[0]) {
            Some(2.0 * left_front + 2.0 * RADIUS)
        } else if x < right_back && x + RADIUS > right_front && meets(self.paddles[1]) {
            Some(2.0 * right_front - 2.0 * RADIUS)
        } else {
            None
        };
        if let Some(mirror) = mirror {
            next.x = mirror - x;
            next.direction = -next.direction;
        }
        next
    }

    /// An intervention on the moment after `before`. Those on the ball forget what was; those on a
    /// paddle push it up or down from where it was, unless the ball starts anew.
    pub(super) fn intervene(
        &mut self,
        target: Target,
        before: &Self,
        anew: bool,
        rules: &Rules,
        rng: &mut Rng,
    ) {
        let mut pushed = |side: usize| {
            if anew {
                return between(FRESH_PADDLE, rng);
            }
            let step = if rng.below(2) == 1 { rules.paddle_step } else { -rules.paddle_step };
            before.paddles[side] + step + rules.paddle_noise * gauss(rng)
        };
        match target {
            Target::Left => self.paddles[0] = pushed(0),
            Target::Right => self.paddles[1] = pushed(1),
            Target::Direction => self.direction = between([0.0, TAU], rng),
            Target::X => self.x = between(FREE_X, rng),
            Target::Y => self.y = between(BALL_Y, rng),
        }
        *self = self.held();
    }

    /// Everything within its limits, the direction from 0 to 2π.
    fn held(self) -> Self {
        let hold = |value: f64, [low, high]: [f64; 2]| value.clamp(low, high);
        Self {
            direction: self.direction.rem_euclid(TAU),
            x: hold(self.x, BALL_X),
            y: hold(self.y, BALL_Y),
            paddles: self.paddles.map(|paddle| hold(paddle, PADDLE)),
            scores: self.scores,
        }
    }
}

/// The limit that a value is beyond.
fn beyond(value: f64, [low, high]: [f64; 2]) -> Option<f64> {
    if value > high { Some(high) } else { (value < low).then_some(low) }
}

/// Uniformly between two numbers.
fn between([low, high]: [f64; 2], rng: &mut Rng) -> f64 {
    low + (high - low) * rng.uniform()
}

fn gauss(rng: &mut Rng) -> f64 {
    f64::from(rng.normal())
}
