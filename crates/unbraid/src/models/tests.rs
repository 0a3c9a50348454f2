//! The mathematics that all losses share: gradients by finite differences, whose gradients they are,
//! and what the members of the family become where their weights agree.

use burn::optim::GradientsParams;
use burn::tensor::Tensor;
use unbraid_measure::data::{Draw, Range, Shape, Supervision};
use unbraid_measure::rng::Rng;
use unbraid_measure::settings;

use super::*;
use crate::batch::{self, Batch};
use crate::device;
use crate::model::{Loss, Model, Settings, Step, Task};
use crate::weights::{self, Weight, Weights};

const BATCH: usize = 8;
const SHAPE: Shape = Shape { channels: 1, height: 3, width: 3, range: Range::Unit };
const TASK: Task = Task { shape: SHAPE, rows: 40, label: 0 };
/// Of methods that learn from segments.
const SEGMENTS: usize = 4;
/// A network small enough to look at every weight.
const TINY: &str = "net = 'fc'\nwidth = 5\nlatents = 3\n";

/// A tiny model, what it learns from, and its loss there.
struct Example<M: Model> {
    model: M,
    batch: Batch,
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
        let draw = draw(M::supervision(&config));
        Self { model, batch: Batch::new(&draw, SHAPE, &device::training()) }
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
            let step = 2e-3;
            let walked = |sign: f64| {
                let mut weights = weights.clone();
                let values = &mut weights.get_mut(path).unwrap().values;
                for (value, g) in values.iter_mut().zip(gradient) {
                    *value += (sign * step * f64::from(*g) / length) as f32;
                }
                self.number(&weights, pick)
            };
            let slope = (walked(1.0) - walked(-1.0)) / (2.0 * step);
            // Beside a share of the slope, the rounding of a large loss over a small step.
            let allowed = 0.02 * length + 3e-4 * self.number(&weights, pick).abs();
            assert!((slope - length).abs() < allowed, "{name}: `{path}`: {length} and {slope}");
        }
    }
}

fn draw(supervision: Supervision) -> Draw {
    let mut rng = Rng::new(5);
    let mut random = |count: usize| (0..count).map(|_| rng.uniform() as f32).collect::<Vec<_>>();
    let (views, labels, targets) = match supervision {
        Supervision::SomeLabels => (2, 2, 0),
        Supervision::Pairs => (2, 0, 2),
        Supervision::OneFactor => (1, 0, 2),
        _ => (1, 0, 0),
    };
    // A segment for each row, in turn.
    let segments =
        (0..BATCH * SEGMENTS).map(|k| f32::from(u8::from(k % SEGMENTS == k / SEGMENTS % SEGMENTS)));
    Draw {
        count: BATCH,
        views: (0..views).map(|_| random(BATCH * SHAPE.size())).collect(),
        labels: match supervision {
            Supervision::Labels => segments.collect(),
            _ => random(BATCH * labels),
        },
        targets: random(BATCH * targets).into_iter().map(f32::round).collect(),
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
        for text in ["batch_norm = false", "beta = 0.5", "likelihood = 'gaussian'"] {
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
    let example = Example::<M>::of(text, &TASK);
    example.check(&|_| true, &total);
    let with = example.gradients(&total);
    for path in weights::of(&example.model).into_keys().filter(|path| !with.contains_key(path)) {
        let kept = path.ends_with("norm.mean") || path.ends_with("norm.variance");
        assert!(kept, "{}: `{path}` has no gradient", M::INFO.name);
    }
}

/// With one layer both are the VAE: a Gaussian read off two hidden layers, N(0, I), and a decoder.
#[test]
fn with_one_layer_both_hierarchies_are_a_vae() {
    let text = "layers = [3]\nwidths = [5]\nbatch_norm = false\nbeta = 1";
    let ladder = Example::<ladder_vae::LadderVae>::of(text, &TASK);
    let loss = ladder.loss(&ladder.model);
    let [found, sum] = [term("bound")(loss), total(ladder.loss(&ladder.model))]
        .map(|number| number.into_scalar::<f32>());
    assert!((found - sum).abs() < 1e-4, "{found} and {sum}");
    let hierarchical = Example::<hierarchical_vae::HierarchicalVae>::of(text, &TASK);
    // The same weights by the same names; the KL of the draw in place of the exact one.
    let [exact, drawn] = [
        batch::numbers(term("reconstruction")(ladder.loss(&ladder.model))),
        batch::numbers(term("reconstruction")(hierarchical.loss(&hierarchical.model))),
    ];
    assert_eq!(exact, drawn);
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

const CRITIC: &str = "gamma = 5\ncritic_depth = 2\ncritic_width = 6\ncritic_rate = 1e-3";

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
    example.batch.views[1] = example.batch.views[0].clone();
    let shared = term("shared")(example.loss(&example.model)).into_scalar::<f32>();
    assert_eq!(shared, 3.0);
}
