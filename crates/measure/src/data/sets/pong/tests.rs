use std::f64::consts::{FRAC_PI_2, PI, TAU};

use super::choices::Interventions;
use super::physics::{CENTRE, Target};
use super::*;
use crate::data::testing::{assert_refused, row};
use crate::data::{Dataset, Do};

/// Rules without chance, so that answers are known.
const STILL: Rules = Rules {
    chance: 0.0,
    paddle_step: 1.5,
    paddle_noise: 0.0,
    ball_noise: 0.0,
    direction_noise: 0.0,
};

fn pong(settings: &str) -> Box<dyn Dataset> {
    open(&settings.parse().unwrap()).unwrap().0
}

/// A ball in the middle that flies to the right.
fn state() -> State {
    State { direction: FRAC_PI_2, x: 16.0, y: 16.0, paddles: [16.0, 16.0], scores: [0, 0] }
}

#[track_caller]
fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
}

#[test]
fn paddles_follow_where_the_ball_was_by_a_step_at_most() {
    let from = State { direction: 0.0, y: 20.0, paddles: [10.0, 20.7], ..state() };
    let (next, anew) = from.step(&STILL, &mut Rng::new(0));
    assert!(!anew);
    assert_near(next.y, 22.0);
    assert_near(next.paddles[0], 11.5);
    assert_near(next.paddles[1], 20.0);
}

#[test]
fn walls_mirror_the_height_and_turn_the_direction() {
    let up = State { direction: 0.25, y: 28.0, ..state() };
    let (next, _) = up.step(&STILL, &mut Rng::new(0));
    assert_near(next.y, 57.6 - (28.0 + 2.0 * 0.25_f64.cos()));
    assert_near(next.direction, PI - 0.25);
    let down = State { direction: PI + 0.25, y: 4.0, ..state() };
    let (next, _) = down.step(&STILL, &mut Rng::new(0));
    assert_near(next.y, 6.4 - (4.0 - 2.0 * 0.25_f64.cos()));
    assert_near(next.direction, TAU - 0.25);
}

#[test]
fn paddles_mirror_the_ball_where_they_were() {
    let left = State { direction: 1.5 * PI, x: 8.0, y: 20.0, paddles: [17.0, 3.0], ..state() };
    let (next, _) = left.step(&STILL, &mut Rng::new(0));
    assert_near(next.x, 14.4 - 6.0);
    assert_near(next.direction, FRAC_PI_2);
    // 3.1 away from where the paddle was, though it moves nearer in the same step.
    let missed = State { paddles: [16.9, 3.0], ..left };
    assert_near(missed.step(&STILL, &mut Rng::new(0)).0.x, 6.0);
    let right = State { x: 24.5, y: 10.0, paddles: [3.0, 11.0], ..state() };
    let (next, _) = right.step(&STILL, &mut Rng::new(0));
    assert_near(next.x, 49.6 - 26.5);
    assert_near(next.direction, 1.5 * PI);
    // Behind the paddle there is nothing to bounce off.
    let behind = State { x: 26.5, ..right };
    assert_near(behind.step(&STILL, &mut Rng::new(0)).0.x, 28.5);
}

#[test]
fn a_point_counts_for_the_other_side_and_sets_all_anew() {
    let rules = Rules::of(Interventions::Released);
    let right = State { x: 27.0, paddles: [3.0, 3.0], scores: [1, 2], ..state() };
    let (next, anew) = right.step(&rules, &mut Rng::new(1));
    assert!(anew && next.scores == [2, 2]);
    assert_eq!((next.x, next.y), (CENTRE, CENTRE));
    assert!(next.paddles.iter().all(|paddle| (4.0..28.0).contains(paddle)));
    let left = State { direction: 1.5 * PI, x: 5.0, scores: [1, 4], ..right };
    assert_eq!(left.step(&rules, &mut Rng::new(1)).0.scores, [0, 0]);
}

#[test]
fn interventions_on_the_ball_forget_and_those_on_a_paddle_do_not() {
    let (before, mut rng) = (state(), Rng::new(5));
    let mut after = |target, anew| {
        let mut next = before;
        next.intervene(target, &before, anew, &STILL, &mut rng);
        next
    };
    for _ in 0..100 {
        assert!((7.2..24.8).contains(&after(Target::X, false).x));
        assert!((3.2..28.8).contains(&after(Target::Y, false).y));
        assert!([14.5, 17.5].contains(&after(Target::Left, false).paddles[0]));
        let anew = after(Target::Right, true);
        assert!((4.0..28.0).contains(&anew.paddles[1]) && anew.paddles[0] == 16.0);
    }
}

/// Share of steps without intervention, with one on each factor, and with a point.
fn shares(data: &dyn Dataset) -> (f64, [f64; 7], f64) {
    let (mut none, mut each, mut points) = (0.0, [0.0; 7], 0.0);
    for index in 0..data.len() - 1 {
        let step = data.next(index).unwrap();
        assert_eq!((step.index, step.action.len()), (index + 1, 0));
        none += f64::from(u8::from(step.targets.iter().all(|target| *target == 0.0)));
        each.iter_mut().zip(step.targets).for_each(|(sum, target)| *sum += f64::from(target));
        let [before, after] = [index, index + 1].map(|index| data.label(index).unwrap());
        points += f64::from(u8::from(before[5..] != after[5..]));
    }
    let steps = (data.len() - 1) as f64;
    (none / steps, each.map(|count| count / steps), points / steps)
}

#[test]
fn interventions_and_points_come_as_often_as_the_rules_say() {
    let (none, each, points) = shares(&*pong(""));
    assert!((none - 0.4437).abs() < 0.006, "{none}");
    assert!(each[..5].iter().all(|share| (share - 0.1113).abs() < 0.004), "{each:?}");
    assert_eq!(each[5..], [0.0, 0.0]);
    // What these rules give, by a simulation written apart from this one: 1.58 to 1.64 %.
    assert!((0.0145..0.0175).contains(&points), "{points}");
    let (none, each, _) = shares(&*pong("interventions = 'paper'"));
    assert!((none - 0.35).abs() < 0.006, "{none}");
    assert!(each[..5].iter().all(|share| (share - 0.13).abs() < 0.005), "{each:?}");
}

#[test]
fn equal_seeds_play_equal_games_and_parts_are_games_of_their_own() {
    let open = |more: &str| pong(&format!("frames = 1000\n{more}"));
    for part in ["train", "val", "test_indep", "val_triplets"] {
        let [one, two] = [0, 0].map(|_| open(&format!("part = '{part}'")));
        assert_eq!(row(&*one, 42), row(&*two, 42), "{part}");
        assert_eq!(one.next(42), two.next(42), "{part}");
        let other = open(&format!("part = '{part}'\nseed = 7"));
        assert_ne!(one.label(42), other.label(42), "{part}");
    }
    let [train, val, test] = ["train", "val", "test"].map(|part| open(&format!("part = '{part}'")));
    assert!(train.label(5) != val.label(5) && val.label(5) != test.label(5));
    assert_eq!((train.len(), val.len(), open("part = 'val_indep'").len()), (1000, 100, 250));
    assert!(train.next(999).is_none() && open("part = 'test_indep'").next(3).is_none());
    assert_refused(super::open(&"interventions = 'all'".parse().unwrap()), &["released, paper"]);
}

#[test]
fn a_factor_has_the_causes_that_the_rules_give_it() {
    let data = pong("frames = 20");
    let graph = data.temporal_graph().unwrap();
    let names: Vec<&str> = data.factors().iter().map(|factor| factor.name.as_str()).collect();
    let causes = |effect: &str| -> Vec<&str> {
        let effect = names.iter().position(|name| *name == effect).unwrap();
        (0..7).filter(|cause| graph[[*cause, effect]]).map(|cause| names[cause]).collect()
    };
    assert_eq!(causes("ball-y"), ["ball-vel-dir", "ball-x", "ball-y"]);
    assert_eq!(causes("paddle-left-y"), ["ball-vel-dir", "ball-x", "ball-y", "paddle-left-y"]);
    assert_eq!(causes("score-left"), ["ball-vel-dir", "ball-x", "score-left", "score-right"]);
    assert_eq!(causes("ball-x").len() + causes("ball-vel-dir").len(), 10);
}

#[test]
fn what_is_set_is_set_after_the_step_and_an_action_is_nothing() {
    let data = pong("frames = 20");
    let (world, values) = (data.world().unwrap(), data.label(3).unwrap());
    let step = |done| world.step(&values, done, &mut Rng::new(9));
    let plain = step(Done::Nothing);
    assert_eq!(step(Done::Action(&[1.0])), plain);
    let mut expected = plain;
    (expected[1], expected[6]) = (0.25, 3.0);
    let dos = [Do { factor: 1, value: 0.25 }, Do { factor: 6, value: 3.0 }];
    assert_eq!(step(Done::Set(&dos)), expected);
}

/// A frame with this much on it, as bytes at (x, y) with y upwards.
fn levels(scene: &Scene, x: usize, y: usize) -> [u8; 4] {
    let mut out = vec![f32::NAN; CHANNELS * SIDE * SIDE];
    Drawing::new().draw(scene, &mut out);
    [0, 1, 2, 3].map(|k| (out[(k * SIDE + SIDE - 1 - y) * SIDE + x] * 255.0).round() as u8)
}

#[test]
fn every_object_is_in_its_place() {
    let scene =
        Scene { direction: 0.0, ball: [16.5, 10.5], paddles: [10.5, 2.0], scores: [2.0, 4.0] };
    assert_eq!(levels(&scene, 10, 16), [230, 230, 230, 255], "the ground");
    assert_eq!(levels(&scene, 16, 10), [255, 0, 0, 255], "the ball");
    assert_eq!(levels(&scene, 16, 12), [230, 230, 230, 0], "where it goes");
    assert_eq!(levels(&scene, 4, 10), [0, 0, 255, 255], "the left paddle");
    assert_eq!(levels(&scene, 5, 13), [114, 114, 242, 255], "half of a pixel of it");
    assert_eq!(levels(&scene, 26, 4), [0, 128, 0, 255], "the right paddle");
    assert_eq!(levels(&scene, 26, 1), [26, 26, 26, 255], "the wall over it");
    assert_eq!(levels(&scene, 0, 0), [24, 24, 24, 253], "the corner");
    for colon in [25, 27] {
        assert_eq!(levels(&scene, 16, colon)[0], 128);
    }
    let ink = |x: usize, y: usize| levels(&scene, x, y)[0] == 128;
    let digit = |left: usize| -> Vec<String> {
        let line = |y: usize| (left..left + 3).map(|x| if ink(x, y) { '#' } else { '.' }).collect();
        (24..29).rev().map(line).collect()
    };
    assert_eq!(digit(12), ["###", "..#", "###", "#..", "###"]);
    assert_eq!(digit(18), ["#.#", "#.#", "###", "..#", "..#"]);
}

#[test]
fn impossible_states_are_drawn_within_range() {
    let data = pong("frames = 20");
    let mut out = vec![f32::NAN; data.shape().size()];
    for value in [1e30, -1e30, f32::INFINITY, f32::NAN, -3.0] {
        data.world().unwrap().draw(&[value; 7], &mut out);
        assert!(out.iter().all(|number| (0.0..=1.0).contains(number)), "{value}");
    }
}
