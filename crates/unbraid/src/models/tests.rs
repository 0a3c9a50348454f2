//! The mathematics that all losses share: gradients by finite differences, whose gradients they are,
//! and what the members of the family become where their weights agree.

use burn::optim::GradientsParams;
use burn::tensor::Tensor;
use unbraid_measure::data::{Draw, Pairs, Range, Shape, Supervision};
use unbraid_measure::rng::Rng;
use unbraid_measure::settings;
use unbraid_measure::watch::Nobody;

use super::*;
use crate::compute::device;
use crate::model::batch::{self, Batch};
use crate::model::weights::{self, Weight, Weights};
use crate::model::{Code, Loss, Model, Settings, Step, Task};

const BATCH: usize = 8;
const SHAPE: Shape = Shape { channels: 1, height: 3, width: 3, range: Range::Unit };
const TASK: Task = Task::observing(SHAPE, 40);
/// Of methods that learn from segments.
const SEGMENTS: usize = 4;
/// A network small enough to look at every weight.
const TINY: &str = "net = 'fc'\nwidth = 5\nlatents = 3\n";

/// A tiny model, what it learns from, and its loss there.
struct Example<M: Model> {
    model: M,
    batch: Batch,
    /// The share of a loss that rounding may make of a slope.
    rounding: f64,
}

impl<M: Model> Example<M> {
    fn new(text: &str) -> Self {
        Self::of(&format!("{TINY}{text}"), &TASK)
    }

    fn of(text: &str, task: &Task) -> Self {
        let mut config: M::Config = settings::parse("model", &text.parse().unwrap()).unwrap();
        config.resolve(task).unwrap();
        let model = M::init(&config, task, &Rng::new(3), &device::training());
        // Off the biases of zero, where whole layers stand on the edge of a ReLU.
        let mut weights = weights::of(&model);
        for (path, weight) in &mut weights {
            let mut rng = Rng::new(6).split(path);
            weight.values.iter_mut().for_each(|value| *value += 0.2 * rng.normal());
        }
        let model = weights::into(model, weights).unwrap();
        let draw = draw(M::supervision(&config), task.shape);
        let batch = Batch::new(&draw, task.shape, &device::training());
        Self { model, batch, rounding: 1e-4 }
    }

    /// In step 7 of 10: the noise is the same every time.
    fn loss(&self, model: &M) -> Loss {
        model.loss(&self.batch, &mut Step::new(7, 10, &Rng::new(4)))
    }

    /// One number of the loss with these weights: the total without some terms, or a term.
    fn number(&self, weights: &Weights, pick: &dyn Fn(Loss) -> Tensor<1>) -> f64 {
        let model = weights::into(self.model.clone(), weights.clone()).unwrap();
        f64::from(pick(self.loss(&model)).into_scalar::<f32>())
    }

    fn gradients(&self, pick: &dyn Fn(Loss) -> Tensor<1>) -> Weights {
        let loss = pick(self.loss(&self.model));
        let gradients = GradientsParams::from_grads(loss.backward(), &self.model);
        weights::gradients(&self.model, gradients)
    }

    /// Walk along each gradient, both ways: the loss must rise and fall as fast as the gradient says.
    fn check(&self, whose: &dyn Fn(&str) -> bool, pick: &dyn Fn(Loss) -> Tensor<1>) {
        let (weights, name) = (weights::of(&self.model), M::INFO.name);
        let gradients = self.gradients(&total);
        for (path, Weight { values: gradient, .. }) in &gradients {
            if !whose(path) {
                continue;
            }
            let length = gradient.iter().map(|g| f64::from(g * g)).sum::<f64>().sqrt();
            assert!(length > 1e-6, "{name}: `{path}` has no gradient");
            let slope = |step: f64| {
                let [up, down] = [step, -step].map(|step| {
                    let mut weights = weights.clone();
                    let values = &mut weights.get_mut(path).unwrap().values;
                    for (value, g) in values.iter_mut().zip(gradient) {
                        *value += (step * f64::from(*g) / length) as f32;
                    }
                    self.number(&weights, pick)
                });
                (up - down) / (2.0 * step)
            };
            // Beside a share of the slope, the rounding of a large loss over a small step. A unit may bend
            // within a longer way; then it does not within a shorter one.
            let allowed = 0.02 * length + self.rounding * self.number(&weights, pick).abs();
            let slopes = [2e-3, 4e-4, 1.5e-4].map(slope);
            let near = slopes.iter().any(|slope| (slope - length).abs() < allowed);
            assert!(near, "{name}: `{path}`: {length} and {slopes:?}");
        }
    }
}

fn draw(supervision: Supervision, shape: Shape) -> Draw {
    let mut rng = Rng::new(5);
    let mut random = |count: usize| (0..count).map(|_| rng.uniform() as f32).collect::<Vec<_>>();
    let (views, labels, targets, action) = match supervision {
        Supervision::SomeLabels(_) => (2, 2, 0, 0),
        Supervision::Pairs(_) | Supervision::Targets(_) => (2, 0, 2, 0),
        Supervision::OneFactor(_) => (1, 0, 2, 0),
        Supervision::Time(_) => (2, 0, 0, 0),
        Supervision::Actions(_) => (2, 0, 0, 2),
        _ => (1, 0, 0, 0),
    };
    // A segment for each row, in turn.
    let segments =
        (0..BATCH * SEGMENTS).map(|k| f32::from(u8::from(k % SEGMENTS == k / SEGMENTS % SEGMENTS)));
    Draw {
        count: BATCH,
        views: (0..views).map(|_| random(BATCH * shape.size())).collect(),
        labels: match supervision {
            Supervision::Labels => segments.collect(),
            _ => random(BATCH * labels),
        },
        targets: random(BATCH * targets).into_iter().map(f32::round).collect(),
        actions: random(BATCH * action),
        ..Draw::default()
    }
}

fn total(loss: Loss) -> Tensor<1> {
    loss.total
}

fn term(name: &'static str) -> impl Fn(Loss) -> Tensor<1> {
    move |loss| {
        let found = loss.terms.into_iter().find(|(term, _)| *term == name);
        found.expect("the loss has this term").1
    }
}

fn check<M: Model>(text: &str) {
    Example::<M>::new(text).check(&|_| true, &total);
}

#[test]
fn every_loss_has_the_gradient_that_differences_find() {
    check::<vae::Vae>("");
    check::<vae::Vae>("likelihood = 'gaussian'\nnoise = 0.5");
    check::<beta_vae::BetaVae>("beta = { schedule = 'linear', from = 0, to = 8, steps = 10 }");
    check::<annealed_vae::AnnealedVae>("gamma = 3\ncapacity = 0.01");
    check::<annealed_vae::AnnealedVae>("gamma = 3\ncapacity = 9");
    check::<beta_tc_vae::BetaTcVae>("beta = 4");
    check::<beta_tc_vae::BetaTcVae>("alpha = 0.5\nbeta = 4\ngamma = 2");
    check::<beta_tc_vae::BetaTcVae>("beta = 4\ngamma = 2\nestimator = 'stratified'");
    check::<dip_vae::DipVae<dip_vae::One>>("");
    check::<dip_vae::DipVae<dip_vae::Two>>("diagonal = 3");
    for difference in ["forward", "symmetric"] {
        let text = format!("difference = '{difference}'");
        check::<weak_vae::WeakVae<weak_vae::AdaGroup>>(&text);
        check::<weak_vae::WeakVae<weak_vae::AdaProduct>>(&text);
    }
    check::<weak_vae::WeakVae<weak_vae::KnownGroup>>("beta = 2");
    check::<weak_vae::WeakVae<weak_vae::KnownProduct>>("beta = 2");
    for loss in ["cross-entropy", "squares", "covariance"] {
        check::<vae::Vae>(&format!("label_weight = 2\nlabel_loss = '{loss}'"));
    }
}

/// A tiny TCL; the loss is looked at in step 7 of 10.
fn contrast(text: &str) -> Example<tcl::Tcl> {
    let text = format!("latents = 3\nlayers = 3\nwidth = 4\ndecay = 0.1\n{text}");
    Example::of(&text, &Task { label: SEGMENTS, ..TASK })
}

/// A tiny iVAE with every network.
fn identifiable(text: &str) -> Example<ivae::Ivae> {
    let text = format!("latents = 3\nwidth = 4\nprior_means = true\n{text}");
    Example::of(&text, &Task { label: SEGMENTS, ..TASK })
}

#[test]
fn the_losses_of_ivae_have_the_gradient_that_differences_find() {
    for text in [
        "likelihood = 'gaussian'",
        "likelihood = 'bernoulli'",
        "objective = 'weighted'\na = 2\nb = 0.5\nc = 3\nd = 0.7",
        "objective = 'annealed'\nnoise = 0.5",
        "activation = 'lrelu'\nlayers = 2",
    ] {
        let example = identifiable(text);
        example.check(&|_| true, &total);
        let without: Vec<String> = weights::of(&example.model)
            .into_keys()
            .filter(|path| !example.gradients(&total).contains_key(path))
            .collect();
        assert!(without.iter().all(|path| path.contains("whitening")), "{without:?}");
    }
}

/// A tiny model of four concepts; the one-hot segments serve as labels.
fn concepts<M: Model>(text: &str) -> Example<M> {
    Example::of(&format!("net = 'fc'\nwidth = 5\n{text}"), &Task { label: SEGMENTS, ..TASK })
}

/// Check every gradient, and that what has none is only what is fitted.
fn check_concepts<M: Model>(text: &str, fitted: &[&str]) {
    let example = concepts::<M>(text);
    example.check(&|_| true, &total);
    let with = example.gradients(&total);
    for path in weights::of(&example.model).into_keys().filter(|path| !with.contains_key(path)) {
        let known = fitted.iter().any(|part| path.contains(part));
        assert!(known, "{}: `{path}` has no gradient", M::INFO.name);
    }
}

#[test]
fn the_losses_of_models_of_concepts_have_the_gradient_that_differences_find() {
    let fitted = ["scaling", "support", "before", "after"];
    for text in [
        "",
        "dimensions = 2\nalpha = 3\nbeta = 0.5\ngamma = 2",
        "labels = 'no'\nacyclicity = 'exponential'",
    ] {
        check_concepts::<causal_vae::CausalVae>(text, &fitted);
    }
    // The released code throws the variances of its encoder away.
    let fitted = [&fitted[..], &["encoder.log_variance"]].concat();
    for text in ["", "dimensions = 2\nlikelihood = 'gaussian'"] {
        let text = format!("variant = 'released'\n{text}");
        check_concepts::<causal_vae::CausalVae>(&text, &fitted);
    }
    check_concepts::<condition_vae::ConditionVae>("dimensions = 2", &["scaling"]);
    check_concepts::<causal_vae_unsup::CausalVaeUnsup>("", &[]);
    check_concepts::<supervised::Supervised>("", &["scaling"]);
    let fitted = ["scaling", "edges", "strengths", "canvas"];
    for text in ["", "likelihood = 'gaussian'\nspread = 0.5"] {
        check_concepts::<structural_vae::StructuralVae>(text, &fitted);
    }
}

/// A tiny hierarchy of two layers; what it sees of the data has no gradient.
#[test]
fn the_losses_of_hierarchies_have_the_gradient_that_differences_find() {
    let tiny = "layers = [3, 2]\nwidths = [5, 4]\n";
    let check = |example: &dyn Fn(&str)| {
        // A learned spread without batch norm, which puts too many units near where they bend.
        let learned = "likelihood = 'gaussian'\nbatch_norm = false";
        for text in ["batch_norm = false", "beta = 0.5", learned] {
            example(&[tiny, text].concat());
        }
    };
    check(&|text| check_hierarchy::<hierarchical_vae::HierarchicalVae>(text));
    check(&|text| check_hierarchy::<ladder_vae::LadderVae>(text));
    for text in ["share = false\nkl = 'drawn'", "up = 'means'\nnoise = 0.5"] {
        check_hierarchy::<ladder_vae::LadderVae>(&[tiny, text].concat());
    }
}

fn check_hierarchy<M: Model>(text: &str) {
    // Variances of eight rows are divided by, in layer upon layer.
    let example = Example::<M> { rounding: 3e-4, ..Example::of(text, &TASK) };
    example.check(&|_| true, &total);
    let with = example.gradients(&total);
    for path in weights::of(&example.model).into_keys().filter(|path| !with.contains_key(path)) {
        let kept = path.ends_with("norm.mean") || path.ends_with("norm.variance");
        assert!(kept, "{}: `{path}` has no gradient", M::INFO.name);
    }
}

/// Reconstruction and KL, each the mean over the rows.
fn costs<M: Model>(model: &M, x: Tensor<4>) -> [f64; 2] {
    ["reconstruction", "kl"].map(|name| {
        let loss = model.loss(&Batch::of(x.clone()), &mut Step::new(1, 2, &Rng::new(9)));
        f64::from(term(name)(loss).into_scalar::<f32>())
    })
}

/// The weights of the bound are of the model that is trained: over many draws of a row, log w is on average
/// minus what the row costs, each row for itself.
#[test]
fn the_bound_of_one_draw_is_minus_the_loss_of_each_row() {
    let tiny = "layers = [3, 2]\nwidths = [5, 4]\nbatch_norm = false\n";
    check_weights::<vae::Vae>(TINY);
    check_weights::<hierarchical_vae::HierarchicalVae>(tiny);
    check_weights::<ladder_vae::LadderVae>(tiny);
    check_weights::<ladder_vae::LadderVae>(&format!(
        "{tiny}share = false\nlikelihood = 'gaussian'"
    ));
}

fn check_weights<M: Model>(text: &str) {
    const DRAWS: usize = 4000;
    let example = Example::<M>::of(text, &TASK);
    let drawn = example.batch.x().narrow(0, 0, 1);
    let x = Tensor::cat(vec![drawn.zeros_like(), drawn.ones_like(), drawn], 0);
    let step = &mut Step::new(0, 1, &Rng::new(8));
    let densities = example.model.abilities().densities.unwrap();
    let weights = densities.log_weights(&Batch::of(x.clone()), DRAWS, step);
    let mut found = Vec::new();
    for (row, weights) in batch::numbers(weights).chunks(DRAWS).enumerate() {
        let mean = weights.iter().map(|weight| f64::from(*weight)).sum::<f64>() / DRAWS as f64;
        let many = x.clone().narrow(0, row, 1).repeat_dim(0, DRAWS);
        let cost: f64 = costs(&example.model, many).iter().sum();
        assert!((mean + cost).abs() < 0.15, "{} row {row}: {mean} and {cost}", M::INFO.name);
        found.push(mean);
    }
    let apart = found.iter().fold(f64::MIN, |a, b| a.max(*b))
        - found.iter().fold(f64::MAX, |a, b| a.min(*b));
    assert!(apart > 0.5, "{}: rows that cost the same show nothing: {found:?}", M::INFO.name);
}

/// With one layer both are the VAE: its KL is that of a Gaussian from N(0, I), exactly or on average.
#[test]
fn with_one_layer_both_hierarchies_are_a_vae() {
    let text = "layers = [3]\nwidths = [5]\nbatch_norm = false";
    let ladder = Example::<ladder_vae::LadderVae>::of(text, &TASK).model;
    let hierarchical = Example::<hierarchical_vae::HierarchicalVae>::of(text, &TASK).model;
    let x = Example::<ladder_vae::LadderVae>::of(text, &TASK).batch.x().repeat_dim(0, 500);
    let Code { mean, log_variance, .. } = ladder.encode(&Batch::of(x.clone()));
    let log_variance = log_variance.unwrap();
    let kl = mean.square() + log_variance.clone().exp() - log_variance - 1.0;
    let kl = f64::from((kl.sum_dim(1).mean() * 0.5).into_scalar::<f32>());
    let [exact, drawn] = [costs(&ladder, x.clone()), costs(&hierarchical, x)];
    assert!((exact[1] - kl).abs() < 1e-3 * kl, "{exact:?} and {kl}");
    // The same weights by the same names.
    assert!((exact[0] - drawn[0]).abs() < 1e-4 * exact[0], "{exact:?} and {drawn:?}");
    assert!((drawn[1] - kl).abs() < 0.1, "{drawn:?} and {kl}");
}

/// The limit of the merge: where the data say nothing, each layer below the top is what the one above
/// expects, at no cost.
#[test]
fn a_ladder_without_evidence_is_its_prior() {
    let tiny = "layers = [3, 2]\nwidths = [5, 4]\nbatch_norm = false\n";
    for (text, free) in [(tiny.to_string(), true), (format!("{tiny}share = false"), false)] {
        let example = Example::<ladder_vae::LadderVae>::of(&text, &TASK);
        let mut weights = weights::of(&example.model);
        let variance = &mut weights.get_mut("up.0.variance.shift").unwrap().values;
        variance.fill(1e6);
        let model = weights::into(example.model.clone(), weights).unwrap();
        let latents = batch::numbers(example.loss(&model).latents.unwrap());
        let lower: f32 = latents[..3].iter().sum();
        // With nets of its own, what is merged is not the prior.
        assert_eq!(lower < 1e-3, free, "{latents:?}");
        assert!(latents[3..].iter().sum::<f32>() > 0.01, "{latents:?}");
    }
}

/// Codes and bounds use statistics of all rows, each counted once: 405 are a batch of 256 and one of 149.
#[test]
fn the_statistics_of_a_trained_hierarchy_are_those_of_all_rows() {
    let squares = unbraid_measure::data::find("squares").unwrap();
    let data = (squares.open)(&toml::Table::new()).unwrap().0;
    let text = "layers = [3, 2]\nwidths = [5, 4]";
    let mut config: ladder_vae::Config = settings::parse("model", &text.parse().unwrap()).unwrap();
    config.resolve(&Task::of(&*data)).unwrap();
    let rng = Rng::new(0);
    let model = ladder_vae::LadderVae::init(&config, &Task::of(&*data), &rng, &device::training());
    let weights = weights::of(&model.finish(&*data, &rng, &Nobody).unwrap());
    let of = |name: &str| &weights[&format!("up.0.hidden.layers.0.{name}")].values;
    let rows: Vec<usize> = (0..data.len()).collect();
    let x = unbraid_measure::data::observations(&*data, &rows);
    let weight = ndarray::ArrayView2::from_shape((x.ncols(), 5), of("weight")).unwrap();
    let sums = x.dot(&weight);
    for (column, sums) in sums.columns().into_iter().enumerate() {
        let (mean, variance) = (sums.mean().unwrap(), sums.var(0.0));
        let found = [of("norm.mean")[column], of("norm.variance")[column]];
        assert!((found[0] - mean).abs() < 1e-3 * variance.sqrt(), "{found:?} and {mean}");
        assert!((found[1] / variance - 1.0).abs() < 0.02, "{found:?} and {variance}");
    }
}

/// Only what learns has a gradient: not the whitening, the average or the ICA.
#[test]
fn the_loss_of_tcl_has_the_gradient_that_differences_find() {
    let example = contrast("");
    example.check(&|_| true, &total);
    let gradients = example.gradients(&total);
    let learns = weights::of(&example.model).into_keys().filter(|path| path.starts_with("net."));
    assert_eq!(gradients.into_keys().collect::<Vec<_>>(), learns.collect::<Vec<_>>());
}

#[test]
fn the_first_stage_of_tcl_leaves_the_features_alone() {
    let first = contrast("head = 0.9");
    first.check(&|_| true, &total);
    let learn: Vec<String> = first.gradients(&total).into_keys().collect();
    assert_eq!(learn, ["net.head.bias", "net.head.weight"]);
}

const CRITIC: &str = "gamma = 5\ncritic_depth = 2\ncritic_width = 6\ncritic_learning_rate = 1e-3";

/// Each player follows the gradient of its own loss: the critic's share of the sum is not the
/// encoder's business, nor the total correlation that of the critic.
#[test]
fn both_players_of_a_factor_vae_follow_their_own_loss() {
    let example = Example::<factor_vae::FactorVae>::new(CRITIC);
    let critics = |path: &str| path.starts_with("critic");
    example.check(&critics, &term("critic"));
    let without = |loss: Loss| {
        let critic = loss.terms.iter().find(|(name, _)| *name == "critic").unwrap().1.clone();
        loss.total - critic
    };
    example.check(&|path| !critics(path), &without);
}

#[test]
fn the_critics_loss_gives_the_encoder_no_gradient_and_the_other_way_round() {
    let example = Example::<factor_vae::FactorVae>::new(CRITIC);
    let of_critic = example.gradients(&term("critic"));
    assert!(!of_critic.is_empty() && of_critic.keys().all(|path| path.starts_with("critic")));
    let of_correlation = example.gradients(&term("total_correlation"));
    assert!(!of_correlation.is_empty(), "the encoder learns from what the critic sees");
    assert!(
        of_correlation.keys().all(|path| path.starts_with("net.encoder")),
        "{of_correlation:?}"
    );
}

fn first_loss<M: Model>(text: &str) -> f32 {
    let example = Example::<M>::new(text);
    total(example.loss(&example.model)).into_scalar()
}

#[test]
fn where_the_weights_agree_all_are_the_vae() {
    let vae = first_loss::<vae::Vae>("");
    let near =
        |name: &str, other: f32| assert!((vae - other).abs() < 1e-5, "{name}: {vae} {other}");
    near("beta", first_loss::<beta_vae::BetaVae>("beta = 1"));
    near("annealed", first_loss::<annealed_vae::AnnealedVae>("gamma = 1\ncapacity = 0"));
    near("tc", first_loss::<beta_tc_vae::BetaTcVae>("beta = 1"));
    near("factor", {
        let example = Example::<factor_vae::FactorVae>::new("gamma = 0\ncritic_width = 4");
        let loss = example.loss(&example.model);
        let critic = term("critic")(example.loss(&example.model));
        (loss.total - critic).into_scalar()
    });
    let one = first_loss::<dip_vae::DipVae<dip_vae::One>>("off_diagonal = 0");
    near("dip one", one);
    near("dip two", first_loss::<dip_vae::DipVae<dip_vae::Two>>("off_diagonal = 0"));
}

/// At KL = C the force on the KL term turns round: with the same reconstruction gradient r and KL
/// gradient k the two sides have r + γk and r − γk.
#[test]
fn the_force_of_an_annealed_vae_turns_round_at_its_capacity() {
    let of = |text: &str| Example::<annealed_vae::AnnealedVae>::new(text).gradients(&total);
    let (above, below) = (of("gamma = 3\ncapacity = 0"), of("gamma = 3\ncapacity = 1000"));
    let without = of("gamma = 0\ncapacity = 0");
    let mut largest = 0f32;
    for (path, above) in &above {
        let numbers = above.values.iter().zip(&below[path].values).zip(&without[path].values);
        for ((above, below), without) in numbers {
            assert!((above + below - 2.0 * without).abs() < 1e-3, "{path}");
            largest = largest.max((above - below).abs());
        }
    }
    assert!(largest > 0.1, "{largest}");
}

/// The tie: all latents of two equal observations differ by nothing.
#[test]
fn two_equal_observations_share_every_latent() {
    let mut example = Example::<weak_vae::WeakVae<weak_vae::AdaGroup>>::new("");
    let mut draw = draw(Supervision::Pairs(Pairs::DEFAULT), SHAPE);
    draw.views[1] = draw.views[0].clone();
    example.batch = Batch::new(&draw, SHAPE, &device::training());
    let shared = term("shared")(example.loss(&example.model)).into_scalar::<f32>();
    assert_eq!(shared, 3.0);
}

/// What a setting becomes, or why not.
fn set(model: &str, key: &str, word: &str) -> std::result::Result<String, String> {
    let given = format!("{key} = '{word}'").parse().unwrap();
    let method = (find(model).unwrap().configure)(&given, &Task { label: 4, ..TASK });
    let settings = method.map_err(|error| error.to_string())?.settings();
    Ok(settings[key].as_str().unwrap().to_string())
}

#[test]
fn settings_that_are_words_list_themselves_and_stay_as_they_are() {
    const NETS: &str = "conv, conv4, burgess, factor, fc";
    const LIKELIHOODS: &str = "bernoulli, gaussian";
    const FORMS: &str = "polynomial, exponential";
    for (model, key, known) in [
        ("vae", "net", NETS),
        ("vae", "likelihood", LIKELIHOODS),
        ("vae", "label_loss", "cross-entropy, squares, covariance"),
        ("beta-tc-vae", "estimator", "weighted, stratified"),
        ("hierarchical-vae", "likelihood", LIKELIHOODS),
        ("ladder-vae", "up", "hidden, means"),
        ("ladder-vae", "kl", "exact, drawn"),
        ("ada-gvae", "difference", "forward, symmetric"),
        ("ivae", "activation", "silu, xtanh, lrelu, tanh"),
        ("ivae", "likelihood", LIKELIHOODS),
        ("ivae", "objective", "plain, weighted, annealed"),
        ("ivae", "start", "auto, flow, random, truth"),
        ("segment-flow", "prior", "gaussian, laplace"),
        ("supervised", "net", NETS),
        ("condition-vae", "labels", "yes, no"),
        ("causal-vae", "variant", "paper, released"),
        ("causal-vae", "labels", "auto, yes, no"),
        ("causal-vae", "graph", "independence, lagrangian, zero, given, released"),
        ("causal-vae", "acyclicity", FORMS),
        ("causal-vae", "net", NETS),
        ("causal-vae", "likelihood", LIKELIHOODS),
        ("causal-vae-unsup", "acyclicity", FORMS),
        ("structural-vae", "parts", "yes, no"),
        ("structural-vae", "graph", "independence, given"),
        ("structural-vae", "acyclicity", FORMS),
    ] {
        let refused = format!("setting `model.{key}` cannot be \"?\" (known: {known})");
        assert_eq!(set(model, key, "?"), Err(refused));
        for word in known.split(", ") {
            match set(model, key, word) {
                Ok(kept) => assert!(kept == word || word == "auto", "{model} {key} {word}: {kept}"),
                // Such as a net that is too deep for these pictures; but the word is known.
                Err(reason) => assert!(!reason.contains("(known: "), "{reason}"),
            }
        }
    }
    assert_eq!(set("causal-vae", "net", "paper").as_deref(), Ok("paper"));
    let other = set("vae", "net", "paper").unwrap_err();
    assert!(other.starts_with("setting `model.net` cannot be \"paper\""), "{other}");
}

mod actions;
mod transitions;
