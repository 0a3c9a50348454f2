use ndarray::{Array2, Axis};

use super::choices::{Activation, Generator, Prior};
use super::matrices::{Form, condition};
use super::*;
use crate::stats::correlation::{pearson, spearman};
use crate::stats::covariance::covariance;

mod files;
mod refusals;

fn data(settings: &str) -> Box<dyn Dataset> {
    open(&settings.parse().unwrap()).unwrap().0
}

/// What is observed and the sources, of all rows.
fn both(settings: &str) -> (Array2<f32>, Array2<f32>) {
    let data = data(settings);
    let rows: Vec<usize> = (0..data.len()).collect();
    (crate::data::observations(&*data, &rows), crate::data::values(&*data, &rows))
}

/// Settings with every choice made.
fn resolved(given: &str) -> Settings {
    let settings: Settings = settings::parse("data", &given.parse().unwrap()).unwrap();
    settings.resolved()
}

fn modulation(settings: &Settings) -> Modulation {
    Modulation::draw(settings, &Rng::new(settings.seed).split("mixing").split("modulation"))
}

fn network(settings: &Settings) -> Network {
    let rng = Rng::new(settings.seed).split("mixing").split("network");
    Network::draw(settings, &rng).unwrap()
}

fn of(settings: &str) -> (Modulation, Network) {
    let settings = resolved(settings);
    (modulation(&settings), network(&settings))
}

/// Mean and standard deviation.
fn spread(numbers: &[f32]) -> (f64, f64) {
    let count = numbers.len() as f64;
    let mean = numbers.iter().copied().map(f64::from).sum::<f64>() / count;
    let square = |number: &f32| (f64::from(*number) - mean).powi(2);
    (mean, (numbers.iter().map(square).sum::<f64>() / (count - 1.0)).sqrt())
}

/// One source in one segment of this many points.
fn piece(sources: &Array2<f32>, points: usize, segment: usize, source: usize) -> Vec<f32> {
    sources.column(source).iter().skip(segment * points).take(points).copied().collect()
}

/// All means but those of the first source.
fn other_means(modulation: &Modulation) -> Vec<f64> {
    modulation.mean.columns().into_iter().skip(1).flatten().copied().collect()
}

#[test]
fn the_defaults_are_the_published_problems() {
    let (ivae, all) = open(&Table::new()).unwrap();
    assert_eq!((ivae.len(), ivae.shape().to_string()), (40_000, "5 numbers".into()));
    let expected = "generator = 'ivae'\nsources = 5\nobserved = 5\nsegments = 40\npoints = 1000\n\
                    layers = 3\nprior = 'gaussian'\nactivation = 'xtanh'\nslope = 0.1\n\
                    repeat = true\nwhiten = false\nuncentered = false\nstaircase = false\n\
                    noisy = 0.0\ndiscrete = false\nseed = 0\npart = 'train'\npath = ''\n\
                    segment_length = 0";
    assert_eq!(all, expected.parse().unwrap());

    let (tcl, all) = open(&"generator = 'tcl'".parse().unwrap()).unwrap();
    assert_eq!((tcl.len(), tcl.shape().to_string()), (131_072, "20 numbers".into()));
    let expected = "generator = 'tcl'\nsources = 20\nobserved = 20\nsegments = 256\npoints = 512\n\
                    layers = 5\nprior = 'laplace'\nactivation = 'leaky-relu'\nslope = 0.2\n\
                    repeat = false\nwhiten = true\nuncentered = false\nstaircase = false\n\
                    noisy = 0.0\ndiscrete = false\nseed = 0\npart = 'train'\npath = ''\n\
                    segment_length = 0";
    assert_eq!(all, expected.parse().unwrap());
}

#[test]
fn the_label_is_the_segment_in_its_place() {
    let data = data("segments = 3\npoints = 4");
    let segment = |row| data.label(row).unwrap().iter().position(|v| *v == 1.0).unwrap();
    assert_eq!((0..12).map(segment).collect::<Vec<_>>(), [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]);
    assert_eq!(data.label(5), Some(vec![0.0, 1.0, 0.0]));
    let names: Vec<&str> = data.factors().iter().map(|factor| factor.name.as_str()).collect();
    assert_eq!(names, ["s0", "s1", "s2", "s3", "s4"]);
}

#[test]
fn the_spread_of_a_source_in_a_segment_is_its_modulation() {
    for (given, bounds, kurtosis) in [
        ("", 0.5..3.0, 3.0),
        ("generator = 'tcl'\nsources = 5", 0.0..1.0, 6.0),
        ("prior = 'hyperbolic-secant'\nuncentered = true", 0.5..3.0, 5.0),
    ] {
        let given = format!("{given}\nsegments = 8\npoints = 20_000\nlayers = 1");
        let (_, sources) = both(&given);
        let Modulation { spread: spreads, mean } = of(&given).0;
        assert!(spreads.iter().all(|spread| bounds.contains(spread)));
        // The standard error of a deviation is sd √((kurtosis - 1) / 4n); five of them.
        let tolerance = 5.0 * ((kurtosis - 1.0) / (4.0 * 20_000.0_f64)).sqrt();
        for ((segment, source), expected) in spreads.indexed_iter() {
            let (found_mean, found) = spread(&piece(&sources, 20_000, segment, source));
            assert!((found / expected - 1.0).abs() < tolerance, "{given}: {found}, {expected}");
            let shift = (found_mean - mean[[segment, source]]).abs();
            assert!(shift < 5.0 * expected / 20_000_f64.sqrt(), "{given}: {found_mean}");
        }
    }
}

#[test]
fn noise_has_unit_variance_and_the_tails_of_its_kind() {
    // Fourth moments of unit variance: 3, 6 and 5.
    for (prior, fourth) in
        [(Prior::Gaussian, 3.0), (Prior::Laplace, 6.0), (Prior::HyperbolicSecant, 5.0)]
    {
        let one = Modulation { spread: Array2::ones((1, 1)), mean: Array2::zeros((1, 1)) };
        let mut draws = vec![0.0; 400_000];
        one.fill(0, prior, &mut Rng::new(1), &mut draws);
        let moment = |power: i32| {
            draws.iter().map(|draw| f64::from(*draw).powi(power)).sum::<f64>() / 400_000.0
        };
        assert!(draws.iter().all(|draw| draw.is_finite()));
        assert!(moment(1).abs() < 0.01, "{prior:?}: mean {}", moment(1));
        assert!((moment(2) - 1.0).abs() < 0.02, "{prior:?}: variance {}", moment(2));
        assert!((moment(4) / fourth - 1.0).abs() < 0.08, "{prior:?}: fourth {}", moment(4));
    }
}

#[test]
fn matrices_have_unit_norm_and_are_of_the_best_quarter() {
    for (generator, axis) in [(Generator::Ivae, 0), (Generator::Tcl, 1)] {
        for (inputs, outputs) in [(5, 5), (3, 7)] {
            let form = Form { inputs, outputs, generator, staircase: false };
            let threshold = form.threshold(&Rng::new(0)).unwrap();
            let below = (0..2000)
                .filter(|k| condition(&form.draw(&mut Rng::new(1).at(*k))).unwrap() <= threshold)
                .count();
            assert!((400..600).contains(&below), "{form:?}: {below} of 2000 are below");
            let matrix = form.accepted(threshold, &Rng::new(2)).unwrap();
            assert_eq!(matrix.dim(), (inputs, outputs));
            assert!(condition(&matrix).unwrap() <= threshold);
            for norm in matrix.mapv(|entry| entry * entry).sum_axis(Axis(axis)) {
                assert!((norm - 1.0).abs() < 1e-12);
            }
        }
    }
}

#[test]
fn condition_numbers_by_hand() {
    let number = |matrix: Array2<f64>| condition(&matrix).unwrap();
    assert!((number(ndarray::array![[3.0, 0.0], [0.0, -0.5]]) - 6.0).abs() < 1e-12);
    let wide = number(ndarray::array![[1.0, 0.0, 0.0], [0.0, 1.0, 1.0]]);
    assert!((wide - 2_f64.sqrt()).abs() < 1e-12);
    assert!(number(ndarray::array![[1.0, 2.0], [2.0, 4.0]]) > 1e7);
}

#[test]
fn one_layer_is_linear() {
    for generator in ["ivae", "tcl"] {
        let given = format!(
            "generator = '{generator}'\nlayers = 1\nsources = 4\nsegments = 3\npoints = 50\n\
             whiten = false"
        );
        let ((observed, sources), (_, network)) = (both(&given), of(&given));
        assert_eq!(network.matrices.len(), 1);
        let expected = sources.mapv(f64::from).dot(&network.matrices[0]);
        for (found, expected) in observed.iter().zip(&expected) {
            assert!((f64::from(*found) - expected).abs() < 1e-5);
        }
    }
}

#[test]
fn there_is_a_curve_between_any_two_matrices_and_nowhere_else() {
    // TCL: nothing on the sources, the curve before each later matrix; A is [observed, sources].
    let given = "generator = 'tcl'\nlayers = 3\nsources = 3\nsegments = 4\npoints = 20\n\
                 whiten = false";
    let ((observed, sources), (_, network)) = (both(given), of(given));
    let [a, b, c] = &network.matrices[..] else { panic!("three layers") };
    let leaky = |v: f64| if v < 0.0 { 0.2 * v } else { v };
    for (row, source) in observed.rows().into_iter().zip(sources.rows()) {
        let first = a.t().dot(&source.mapv(f64::from));
        let second = b.t().dot(&first.mapv(leaky));
        let third = c.t().dot(&second.mapv(leaky));
        assert!(third.iter().zip(row).all(|(a, b)| (a - f64::from(*b)).abs() < 1e-5));
    }
    // iVAE: the curve after each layer but the last.
    let curves: [(&str, fn(f64) -> f64); 4] = [
        ("xtanh", |v| v.tanh() + 0.1 * v),
        ("leaky-relu", |v| if v < 0.0 { 0.1 * v } else { v }),
        ("sigmoid", |v| 1.0 / (1.0 + (-v).exp())),
        ("none", |v| v),
    ];
    for (activation, curve) in curves {
        let given = format!(
            "activation = '{activation}'\nlayers = 4\nsegments = 4\npoints = 20\nrepeat = false"
        );
        let ((observed, sources), (_, network)) = (both(&given), of(&given));
        let [first @ .., last] = &network.matrices[..] else { panic!("four layers") };
        let mut signal = sources.mapv(f64::from);
        for matrix in first {
            signal = signal.dot(matrix).mapv(curve);
        }
        let expected = signal.dot(last);
        let close = |(a, b): (&f64, &f32)| (a - f64::from(*b)).abs() < 1e-5;
        assert!(expected.iter().zip(&observed).all(close), "{activation}");
    }
}

#[test]
fn a_slope_above_one_is_one_below_zero_only() {
    let network = Network {
        matrices: vec![Array2::eye(2); 2],
        activation: Activation::LeakyRelu,
        slope: 3.0,
    };
    let mut out = [0.0; 2];
    network.mix(&[-1.0, 1.0], &mut out);
    assert_eq!(out, [-3.0, 1.0]);
}

#[test]
fn repeat_repeats_and_otherwise_every_matrix_is_new() {
    let (_, network) = of("layers = 4");
    assert!(network.matrices.windows(2).all(|pair| pair[0] == pair[1]));
    let wide = of("layers = 4\nsources = 3").1;
    assert_eq!(wide.matrices[0].dim(), (3, 3));
    let wide = of("layers = 4\nsources = 3\nobserved = 5").1.matrices;
    assert_eq!((wide[0].dim(), wide[1].dim()), ((3, 5), (5, 5)));
    assert!(wide[1] == wide[2] && wide[2] == wide[3]);
    let (_, fresh) = of("layers = 4\nrepeat = false");
    for (k, matrix) in fresh.matrices.iter().enumerate() {
        assert!(!fresh.matrices[..k].contains(matrix));
    }
}

#[test]
fn whitened_data_have_the_identity_as_covariance() {
    for given in ["generator = 'tcl'\nsegments = 16", "whiten = true\nuncentered = true"] {
        let (observed, _) = both(given);
        for ((i, j), entry) in covariance(observed.view()).indexed_iter() {
            let expected = f64::from(u8::from(i == j));
            assert!((entry - expected).abs() < 1e-3, "{given}: {entry} at {i}, {j}");
        }
        let mean = observed.mean_axis(Axis(0)).unwrap();
        assert!(mean.iter().all(|mean| mean.abs() < 1e-3), "{mean}");
    }
    // Another part is whitened by the same map, so that it is only nearly white.
    let linear = "generator = 'tcl'\nlayers = 1\nsegments = 4\npoints = 200\nsources = 3";
    let (train, of_train) = both(linear);
    let (test, of_test) = both(&format!("{linear}\npart = 'test'"));
    let (first, second) = (regress(&of_train, &train), regress(&of_test, &test));
    assert!(first.iter().zip(&second).all(|(a, b)| (a - b).abs() < 1e-2), "{first} {second}");
    assert!((covariance(test.view())[[0, 0]] - 1.0).abs() > 1e-3);
}

/// The covariance of each source with each observed number, over the variance of the source: the
/// matrix of a linear mixture of sources that are nearly uncorrelated, here solved exactly.
fn regress(sources: &Array2<f32>, observed: &Array2<f32>) -> Array2<f64> {
    let (count, rows) = (sources.ncols(), sources.nrows());
    let all = ndarray::concatenate![Axis(1), sources.view(), observed.view()];
    let s = covariance(all.view());
    let gram = faer::Mat::from_fn(count, count, |i, j| s[[i, j]]);
    let right = faer::Mat::from_fn(count, observed.ncols(), |i, j| s[[i, count + j]]);
    let solution = faer::linalg::solvers::Solve::solve(&gram.partial_piv_lu(), &right);
    assert!(rows > count);
    Array2::from_shape_fn((count, observed.ncols()), |(i, j)| solution[(i, j)])
}

#[test]
fn the_test_part_has_the_same_mixing_and_spreads_but_other_noise() {
    let linear = "layers = 1\nsegments = 5\npoints = 4000";
    let (train, of_train) = both(linear);
    let (test, of_test) = both(&format!("{linear}\npart = 'test'"));
    let same = of_train.iter().zip(&of_test).filter(|(a, b)| a == b).count();
    assert_eq!(same, 0);
    let (first, second) = (regress(&of_train, &train), regress(&of_test, &test));
    assert!(first.iter().zip(&second).all(|(a, b)| (a - b).abs() < 1e-4));
    for segment in 0..5 {
        for source in 0..5 {
            let [one, other] =
                [&of_train, &of_test].map(|all| spread(&piece(all, 4000, segment, source)).1);
            assert!((one / other - 1.0).abs() < 0.08);
        }
    }
    let related = pearson(of_train.view(), of_test.view());
    assert!(related.iter().all(|r| r.abs() < 0.05), "{related}");
}

#[test]
fn a_staircase_keeps_its_source() {
    let linear = "staircase = true\nlayers = 1\nsegments = 6\npoints = 500";
    let (observed, sources) = both(linear);
    assert_eq!(observed.column(0), sources.column(0));
    let modulation = of(linear).0;
    let mut stairs = modulation.mean.column(0).to_vec();
    assert!(!stairs.is_sorted(), "the order is random: {stairs:?}");
    stairs.sort_by(f64::total_cmp);
    assert_eq!(stairs, [0.0, 3.0, 6.0, 9.0, 12.0, 15.0]);
    assert!(other_means(&modulation).iter().all(|mean| *mean == 0.0));

    // Through curves its order is kept, for either generator, repeated or not, and wide.
    for given in ["", "repeat = false", "generator = 'tcl'\nwhiten = false", "observed = 12"] {
        let given = format!(
            "{given}\nstaircase = true\nsources = 5\nsegments = 6\npoints = 500\nlayers = 3"
        );
        let (observed, sources) = both(&given);
        let kept = spearman(observed.view(), sources.view())[[0, 0]];
        assert!(kept > 0.999_999, "{given}: {kept}");
    }
    let uncentered = other_means(&of("staircase = true\nuncentered = true").0);
    assert!(uncentered.iter().all(|mean| mean.abs() <= 1.0 && *mean != 0.0));
}

#[test]
fn noise_is_added_and_discrete_data_are_ones_and_zeros() {
    let small = "segments = 4\npoints = 5000";
    let (clean, _) = both(small);
    let (noisy, _) = both(&format!("{small}\nnoisy = 0.5"));
    let (mean, sd) = spread((noisy - &clean).as_slice().unwrap());
    assert!(mean.abs() < 0.02 && (sd - 0.5).abs() < 0.02, "{mean} {sd}");

    let given = format!("{small}\ndiscrete = true");
    assert_eq!(data(&given).shape().range, Range::Binary);
    let (bits, _) = both(&given);
    assert!(bits.iter().all(|bit| *bit == 0.0 || *bit == 1.0));
    // As many ones as the probabilities add up to.
    let sum: f32 = clean.iter().map(|x| 1.0 / (1.0 + (-x).exp())).sum();
    assert!((bits.sum() / sum - 1.0).abs() < 0.01, "{} {sum}", bits.sum());
    // And where they are large.
    let ones = bits.iter().zip(&clean).filter(|(bit, x)| **bit == 1.0 && **x > 2.0).count();
    let large = clean.iter().filter(|x| **x > 2.0).count();
    assert!(ones as f64 > 0.85 * large as f64, "{ones} of {large}");
}

#[test]
fn the_published_discrete_problem_opens() {
    let given = "discrete = true\nsources = 10\nobserved = 100\nsegments = 20\npoints = 30\n\
                 layers = 1";
    assert_eq!(data(given).shape().to_string(), "100 numbers");
}

#[test]
fn seeds_differ_and_threads_do_not() {
    let given = "segments = 4\npoints = 20";
    let first = both(given);
    assert_eq!(first, both(given));
    let other = both(&format!("{given}\nseed = 1"));
    assert!(first.0.iter().zip(&other.0).all(|(a, b)| a != b));
    assert_ne!(of("seed = 0").1.matrices, of("seed = 1").1.matrices);
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let tcl = "generator = 'tcl'\nsources = 3\nsegments = 5\npoints = 30";
    assert_eq!(one.install(|| both(tcl)), both(tcl));
}
