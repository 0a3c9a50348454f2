use std::collections::BTreeSet;

use burn::optim::GradientsParams;
use unbraid_measure::data::{Draw, Range, Shape};

use super::*;
use crate::compute::device;
use crate::model::batch::{matrix, numbers};
use crate::model::weights;

fn task(channels: usize, side: usize, range: Range) -> Task {
    let shape = Shape { channels, height: side, width: side, range };
    Task::observing(shape, 100)
}

fn build(task: &Task, noise: usize) -> InfoGan {
    let mut config = Config { channels: 8, noise, ..Config::default() };
    config.resolve(task).unwrap();
    InfoGan::init(&config, task, &Rng::new(0), &device::training())
}

fn batch(task: &Task) -> Batch {
    let mut view = vec![0.0; 6 * task.shape.size()];
    Rng::new(1).fill_uniform(&mut view);
    let draw = Draw { count: 6, views: vec![view], ..Draw::default() };
    Batch::new(&draw, task.shape, &device::training())
}

/// The parts of the model that a term of the loss, or the total without one, gives a gradient to.
fn taught(pick: &dyn Fn(Loss) -> Tensor<1>) -> Vec<String> {
    let task = task(1, 16, Range::Unit);
    let model = build(&task, 2);
    let loss = pick(model.loss(&batch(&task), &mut Step::new(3, 10, &Rng::new(2))));
    let gradients = GradientsParams::from_grads(loss.backward(), &model);
    let paths = weights::gradients(&model, gradients).into_keys();
    let parts = paths.map(|path| path.split('.').next().unwrap().to_string());
    parts.collect::<BTreeSet<_>>().into_iter().collect()
}

#[test]
fn each_player_learns_from_its_own_loss() {
    let term = |name: &'static str| {
        move |loss: Loss| loss.terms.into_iter().find(|(term, _)| *term == name).unwrap().1
    };
    assert_eq!(taught(&term("generator")), ["generator"]);
    assert_eq!(taught(&term("discriminator")), ["judge", "trunk"]);
    assert_eq!(taught(&term("information")), ["recogniser", "trunk"]);
    assert_eq!(taught(&|loss| loss.total), ["generator", "judge", "recogniser", "trunk"]);
}

#[test]
fn every_form_of_observation_is_generated_and_read() {
    for (task, noise) in [
        (task(1, 16, Range::Unit), 5),
        (task(3, 28, Range::Unit), 0),
        (task(2, 24, Range::Unit), 1),
        (task(9, 1, Range::Real), 3),
    ] {
        let model = build(&task, noise);
        let batch = batch(&task);
        let total = model.loss(&batch, &mut Step::new(0, 10, &Rng::new(2))).total;
        assert!(total.into_scalar::<f32>().is_finite());
        let codes = model.encode(&batch).mean;
        assert_eq!(codes.dims(), [6, 5]);
        assert_eq!(model.decode(codes).dims(), batch.x().dims());
    }
}

#[test]
fn a_side_is_halved_as_long_as_four_pixels_are_left() {
    let sides = [(16, 2), (28, 2), (32, 3), (64, 4), (96, 4), (128, 5), (30, 1), (8, 1), (1, 0)];
    for (side, expected) in sides {
        assert_eq!(halvings(task(1, side, Range::Unit).shape), expected, "{side}");
    }
    let refused = Config::default().resolve(&task(1, 30, Range::Unit)).unwrap_err().to_string();
    assert!(refused.contains("30x30") && refused.contains("data.variant.size"), "{refused}");
}

/// A reader that knows nothing but how codes are spread, σ² = 1/3, has −½ ln(2πe/3) + ln 2 nats
/// less than nothing; one that is sure and right has more the surer it is.
#[test]
fn the_information_is_the_log_likelihood_of_the_codes_above_their_entropy() {
    let device = device::inference();
    let read = |codes: &[f32], mean: &[f32], deviation: f32| {
        let rows = codes.len() / 2;
        let log_variance = vec![2.0 * deviation.ln(); codes.len()];
        let q = Gaussian {
            mean: matrix(mean, rows, 2, &device),
            log_variance: matrix(&log_variance, rows, 2, &device),
        };
        told(&q, matrix(codes, rows, 2, &device)).into_scalar::<f32>()
    };
    let third = (1f32 / 3.0).sqrt();
    let nothing = read(&[third, -third, -third, third], &[0.0; 4], third);
    let expected = 2.0 * (2f32.ln() - 0.5 * (std::f32::consts::TAU / 3.0).ln() - 0.5);
    assert!((nothing - expected).abs() < 1e-5 && nothing < 0.0, "{nothing} and {expected}");
    let sure = read(&[0.5, -0.3], &[0.5, -0.3], 0.1);
    let expected = 2.0 * (2f32.ln() - 0.5 * (std::f32::consts::TAU * 0.01).ln());
    assert!((sure - expected).abs() < 1e-5, "{sure} and {expected}");
}

#[test]
fn extreme_logits_cost_what_they_should() {
    let device = device::training();
    let logits = matrix(&[-200.0, 0.0, 200.0], 3, 1, &device).require_grad();
    let cost = cost(logits.clone());
    let expected = (200.0 + std::f32::consts::LN_2) / 3.0;
    assert!((cost.clone().into_scalar::<f32>() - expected).abs() < 1e-4);
    let slopes = numbers(logits.grad(&cost.backward()).unwrap());
    for (slope, expected) in slopes.iter().zip([0.0, 1.0 / 6.0, 1.0 / 3.0]) {
        assert!((slope - expected).abs() < 1e-6, "{slopes:?}");
    }
}
