//! One training step on a GPU against the same on the processor. Built with `--features wgpu` only:
//!
//!     cargo test --release -p unbraid --features wgpu --test gpu
//!
//! A software Vulkan (Debian's mesa-vulkan-drivers) is enough.

#![cfg(feature = "wgpu")]

use unbraid::compute::device::{self, Processor};
use unbraid::data::{Draw, Range, Shape};
use unbraid::model::{Step, Task};
use unbraid::models;
use unbraid::rng::Rng;

/// The terms of two steps and the weights after them.
fn train(on: Processor, settings: &str) -> (Vec<f32>, Vec<f32>) {
    device::select(on).unwrap();
    let shape = Shape { channels: 3, height: 16, width: 32, range: Range::Unit };
    let task = Task::observing(shape, 8);
    let rng = Rng::new(3);
    let entry = models::find("beta-vae").unwrap();
    let method = (entry.configure)(&settings.parse().unwrap(), &task).unwrap();
    let mut learner = method.build(&task, &rng.split("weights"));
    let mut pixels = rng.split("pixels");
    let view = (0..8 * shape.size()).map(|_| pixels.uniform() as f32).collect();
    let draw = Draw { count: 8, views: vec![view], ..Draw::default() };
    let mut terms = vec![];
    for number in 0..2 {
        let step = Step::new(number, 2, &rng.split("noise"));
        terms.extend(learner.step(&draw, step, 1e-3).into_iter().map(|(_, value)| value));
    }
    let weights = learner.weights().into_values().flat_map(|weight| weight.values).collect();
    (terms, weights)
}

#[test]
fn a_step_on_the_gpu_is_a_step_on_the_processor() {
    for settings in
        ["net = 'conv'", "net = 'conv4'\nlikelihood = 'gaussian'", "net = 'fc'\nwidth = 50"]
    {
        let (terms, weights) = train(Processor::Cpu, settings);
        let (gpu_terms, gpu_weights) = train(Processor::Gpu, settings);
        // A KL near zero is a difference of larger numbers, hence the second summand.
        for (cpu, gpu) in terms.iter().zip(&gpu_terms) {
            assert!(
                (cpu - gpu).abs() <= 1e-4 * cpu.abs() + 1e-6,
                "{settings}: {terms:?} and {gpu_terms:?}"
            );
        }
        // Adam's first steps are the signs of the gradients, so a gradient near zero may differ by
        // two steps of 1e-3 each way; most must not.
        let apart = |(a, b): (&f32, &f32)| !((a - b).abs() <= 2e-5);
        let wrong = weights.iter().zip(&gpu_weights).filter(|pair| apart(*pair)).count();
        assert!(
            wrong * 200 < weights.len(),
            "{settings}: {wrong} of {} weights differ",
            weights.len()
        );
    }
}
