use unbraid_measure::data::{Range, Shape};
use unbraid_measure::settings::parse;

use super::*;
use crate::compute::device;
use crate::model::Settings;
use crate::model::batch;
use crate::parts::distributions::likelihood::Family;

const SHAPE: Shape = Shape { channels: 1, height: 2, width: 3, range: Range::Unit };

fn settings(likelihood: Family, noise: f64) -> HierarchySettings {
    HierarchySettings {
        layers: vec![3, 2],
        widths: vec![5, 4],
        batch_norm: false,
        beta: 1.0.into(),
        likelihood,
        noise,
        ..HierarchySettings::default()
    }
}

fn hierarchy(likelihood: Family, noise: f64) -> Hierarchy {
    let task = Task::observing(SHAPE, 10);
    Hierarchy::new(&settings(likelihood, noise), &task, &Rng::new(0), &device::inference())
}

fn gaussian(rows: usize, latents: usize, seed: u64) -> Gaussian {
    let mut draw = Rng::new(seed);
    let mut numbers = |scale: f32| {
        let mut numbers = vec![0.0; rows * latents];
        draw.fill_normal(&mut numbers);
        for number in &mut numbers {
            *number *= scale;
        }
        batch::matrix(&numbers, rows, latents, &device::inference())
    };
    Gaussian { mean: numbers(1.0), log_variance: numbers(0.5) }
}

fn layer(rows: usize, latents: usize, seed: u64, step: &mut Step) -> Layer {
    let posterior = gaussian(rows, latents, seed);
    let prior = gaussian(rows, latents, seed + 1);
    Layer { z: posterior.sample(step), posterior, prior }
}

#[test]
fn the_cost_of_draws_has_the_exact_one_as_its_mean() {
    let rows = 1;
    let one = layer(rows, 3, 5, &mut Step::new(0, 1, &Rng::new(0)));
    let exact = batch::numbers(one.kl(Cost::Exact));
    let draws = 20_000;
    let many = Layer {
        z: one.posterior.clone().repeated(draws).sample(&mut Step::new(1, 2, &Rng::new(0))),
        posterior: one.posterior.repeated(draws),
        prior: one.prior.repeated(draws),
    };
    let drawn = batch::numbers(many.kl(Cost::Drawn).mean_dim(0));
    for (exact, drawn) in exact.iter().zip(&drawn) {
        assert!((exact - drawn).abs() < 0.05 * (1.0 + exact), "{exact} and {drawn}");
    }
}

/// Where the decoder does not look at z, p(x) is known; whatever q is, weights average to it.
#[test]
fn weights_average_to_the_likelihood_where_it_is_known() {
    let mut model = hierarchy(Family::Bernoulli, 0.0);
    let device = device::inference();
    let zero = Tensor::zeros([5, SHAPE.size()], &device);
    model.decoded = Normalised::linear([5, SHAPE.size()], 0.3, false, &mut Rng::new(1), &device);
    model.decoded.set_weight(zero);
    let draws = 40_000;
    let x = batch::matrix(&[1.0, 0.0, 1.0, 1.0, 0.0, 0.0], 1, 6, &device);
    let step = &mut Step::new(0, 1, &Rng::new(3));
    // A posterior that is near the prior, as a trained one is: wild weights have no mean to speak of.
    let top = Gaussian::standard_like(&Tensor::zeros([1, 2], &device)).repeated(draws);
    let top = Gaussian { mean: top.mean + 0.3, log_variance: top.log_variance - 0.2 };
    let z = top.sample(step);
    let statistics = &mut Statistics::Data;
    let prior = model.prior(0, z.clone(), statistics);
    let q = Gaussian { mean: prior.mean.clone() - 0.2, log_variance: prior.log_variance.clone() };
    let layers = [
        Layer { z: q.sample(step), posterior: q, prior },
        Layer { z: z.clone(), posterior: top, prior: Gaussian::standard_like(&z) },
    ];
    let x = crate::parts::distributions::gaussian::repeated(x, draws);
    let weights = batch::numbers(model.log_weight(x, &layers, statistics));
    let one = |logit: f64| (1.0 + (-logit).exp()).ln();
    let exact = -(3.0 * one(0.3) + 3.0 * one(-0.3));
    let mean = weights.iter().map(|weight| f64::from(*weight).exp()).sum::<f64>() / draws as f64;
    assert!((mean.ln() - exact).abs() < 0.03, "{} and {exact}", mean.ln());
    // One draw alone is a worse bound.
    let single = weights.iter().map(|weight| f64::from(*weight)).sum::<f64>() / draws as f64;
    assert!(single < exact - 0.02, "{single} and {exact}");
}

#[test]
fn a_learned_spread_of_one_costs_what_a_fixed_one_does() {
    let mut learned = hierarchy(Family::Gaussian, 0.0);
    let fixed = hierarchy(Family::Gaussian, 1.0);
    let (x, z) = (gaussian(4, 6, 1).mean, gaussian(4, 3, 2).mean);
    let spread = learned.spread.as_mut().expect("a noise of 0 is learned");
    spread.set_weight(Tensor::zeros([5, 6], &device::inference()));
    let error = |model: &Hierarchy| {
        batch::numbers(model.error(z.clone(), x.clone(), &mut Statistics::Data))
    };
    for (a, b) in error(&learned).iter().zip(error(&fixed)) {
        assert!((a - b).abs() < 1e-4, "{a} and {b}");
    }
}

/// A number that is always the same would be worth ever more.
#[test]
fn a_learned_spread_has_a_least_one() {
    let sure = batch::matrix(&[-1e4, 0.0], 1, 2, &device::inference());
    let found = batch::numbers(log_variance(sure));
    assert!((found[0] - 1e-5f32.ln()).abs() < 1e-4, "{found:?}");
    assert!((found[1] - (2f32.ln() + 1e-5).ln()).abs() < 1e-4, "{found:?}");
}

#[test]
fn codes_are_of_all_layers_or_of_one() {
    let step = &mut Step::new(0, 1, &Rng::new(0));
    let layers = vec![layer(4, 3, 10, step), layer(4, 2, 20, step)];
    let mut model = hierarchy(Family::Bernoulli, 0.0);
    let all = batch::numbers(model.code(layers.clone()).mean);
    assert_eq!((all.len(), model.layers()), (4 * 5, vec![3, 2]));
    model.settings.codes = 2;
    let top = model.code(layers.clone());
    assert_eq!(batch::numbers(top.mean.clone()), batch::numbers(layers[1].posterior.mean.clone()));
    assert_eq!(model.layers(), [2]);
    // From the top down by the means.
    let between = model.prior(0, top.mean.clone(), &mut Statistics::Data).mean;
    let from_top = batch::numbers(model.decode(top.mean));
    model.settings.codes = 1;
    assert_eq!(batch::numbers(model.decode(between)), from_top);
}

#[test]
fn a_change_at_the_top_reaches_the_observation_and_no_change_is_none() {
    let model = hierarchy(Family::Bernoulli, 0.0);
    let codes = gaussian(2, 5, 8).mean;
    let same = batch::numbers(model.decode_changed(codes.clone(), codes.clone()));
    for (a, b) in same.iter().zip(batch::numbers(model.decode(codes.clone()))) {
        assert!((a - b).abs() < 1e-6, "{a} and {b}");
    }
    let top = batch::matrix(&[0.0, 0.0, 0.0, 1.0, 0.0].repeat(2), 2, 5, &device::inference());
    let moved = batch::numbers(model.decode_changed(codes.clone(), codes.clone() + top.clone()));
    assert!(same.iter().zip(&moved).any(|(a, b)| (a - b).abs() > 1e-3), "{same:?} {moved:?}");
    assert_eq!(
        batch::numbers(model.decode(codes.clone() + top)),
        batch::numbers(model.decode(codes))
    );
}

#[test]
fn settings_are_checked_with_the_way_out() {
    let refused = |change: fn(&mut HierarchySettings)| {
        let mut settings = HierarchySettings::default();
        change(&mut settings);
        let task = Task::observing(SHAPE, 10);
        settings.resolve(&task).unwrap_err().to_string()
    };
    assert!(refused(|s| s.layers = vec![]).contains("such as [64, 32, 16]"));
    assert!(refused(|s| s.layers = vec![4, 0]).contains("such as [64, 32, 16]"));
    assert!(refused(|s| s.layers = vec![4_000_000_000]).contains("such as [64, 32, 16]"));
    assert!(refused(|s| s.widths = vec![4]).contains("must list 5 sizes"));
    assert!(refused(|s| s.codes = 6).contains("from 1 to 5"));
    let word = parse::<HierarchySettings>("model", &"likelihood = 'normal'".parse().unwrap());
    assert!(word.unwrap_err().to_string().contains("known: bernoulli, gaussian"));
}
