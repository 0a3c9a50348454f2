use ndarray::{Array2, Axis};

use super::*;
use crate::stats::correlation::pearson;
use crate::stats::covariance::covariance;

mod columns;
mod files;
mod network;
mod published;
mod refusals;
mod sources;

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

#[test]
fn the_defaults_are_the_published_problems() {
    let (ivae, all) = open(&Table::new()).unwrap();
    assert_eq!((ivae.len(), ivae.shape().to_string()), (40_000, "5 numbers".into()));
    let expected = "generator = 'ivae'\nsources = 5\nobserved = 5\nsegments = 40\npoints = 1000\n\
                    layers = 3\nprior = 'gaussian'\nactivation = 'xtanh'\nslope = 0.1\n\
                    repeat = true\nwhiten = false\nuncentered = false\nstaircase = false\n\
                    noisy = 0.0\ndiscrete = false\nseed = 0\nfresh = false\n\
                    factors = 'source'\npath = ''\nsegment = ''\nsegment_length = 0\n\
                    source_columns = []\nignore = []";
    assert_eq!(all, expected.parse().unwrap());

    let (tcl, all) = open(&"generator = 'tcl'".parse().unwrap()).unwrap();
    assert_eq!((tcl.len(), tcl.shape().to_string()), (131_072, "20 numbers".into()));
    let expected = "generator = 'tcl'\nsources = 20\nobserved = 20\nsegments = 256\npoints = 512\n\
                    layers = 5\nprior = 'laplace'\nactivation = 'leaky-relu'\nslope = 0.2\n\
                    repeat = false\nwhiten = true\nuncentered = false\nstaircase = false\n\
                    noisy = 0.0\ndiscrete = false\nseed = 0\nfresh = false\n\
                    factors = 'source'\npath = ''\nsegment = ''\nsegment_length = 0\n\
                    source_columns = []\nignore = []";
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
fn the_factors_are_sources_or_their_sizes() {
    let small = "segments = 3\npoints = 40";
    let (observed, sources) = both(small);
    let sized = format!("{small}\nfactors = 'size'");
    assert_eq!(both(&sized), (observed, sources.mapv(f32::abs)));
    assert!(sources.iter().any(|source| *source < 0.0));
    assert_eq!(data(&sized).factors()[1].name, "size-s1");
}

#[test]
fn one_segment_is_a_label_of_one_number_and_one_point_is_a_segment() {
    let data = data("segments = 1\npoints = 30");
    assert_eq!((data.len(), data.label(29)), (30, Some(vec![1.0])));
    let single = self::data("segments = 4\npoints = 1");
    assert_eq!((single.len(), single.label(2)), (4, Some(vec![0.0, 0.0, 1.0, 0.0])));
}

#[test]
fn a_part_of_the_rows_keeps_their_labels() {
    let small = "segments = 4\npoints = 50\nfactors = 'size'";
    let all = data(small);
    let whole = rows_of(&*all);
    let mut seen = 0;
    for part in ["train", "test", "validation"] {
        let settings = format!("{small}\n[variant]\npart = '{part}'").parse().unwrap();
        let part = crate::data::open("mixing", &settings).unwrap().0;
        for row in rows_of(&*part) {
            assert!(whole.contains(&row));
            seen += 1;
        }
    }
    assert_eq!(seen, all.len());
}

/// What is observed, the values and the label of every row.
fn rows_of(data: &dyn Dataset) -> Vec<[Vec<f32>; 3]> {
    let row = |row: usize| {
        let observed = crate::data::observations(data, &[row]);
        let values = crate::data::values(data, &[row]);
        [observed.into_iter().collect(), values.into_iter().collect(), data.label(row).unwrap()]
    };
    (0..data.len()).map(row).collect()
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
    // Fresh rows are whitened by the same map, so that they are only nearly white.
    let linear = "generator = 'tcl'\nlayers = 1\nsegments = 4\npoints = 200\nsources = 3";
    let (train, of_train) = both(linear);
    let (fresh, of_fresh) = both(&format!("{linear}\nfresh = true"));
    let (first, second) = (regress(&of_train, &train), regress(&of_fresh, &fresh));
    assert!(first.iter().zip(&second).all(|(a, b)| (a - b).abs() < 1e-2), "{first} {second}");
    assert!((covariance(fresh.view())[[0, 0]] - 1.0).abs() > 1e-3);
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
fn fresh_rows_have_the_same_mixing_and_spreads_but_other_noise() {
    let linear = "layers = 1\nsegments = 5\npoints = 4000";
    let (train, of_train) = both(linear);
    let (fresh, of_fresh) = both(&format!("{linear}\nfresh = true"));
    let same = of_train.iter().zip(&of_fresh).filter(|(a, b)| a == b).count();
    assert_eq!(same, 0);
    let (first, second) = (regress(&of_train, &train), regress(&of_fresh, &fresh));
    assert!(first.iter().zip(&second).all(|(a, b)| (a - b).abs() < 1e-4));
    for segment in 0..5 {
        for source in 0..5 {
            let [one, other] =
                [&of_train, &of_fresh].map(|all| spread(&piece(all, 4000, segment, source)).1);
            assert!((one / other - 1.0).abs() < 0.08);
        }
    }
    let related = pearson(of_train.view(), of_fresh.view());
    assert!(related.iter().all(|r| r.abs() < 0.05), "{related}");
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
