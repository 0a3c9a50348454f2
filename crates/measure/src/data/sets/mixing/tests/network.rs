use super::*;
use crate::data::sets::mixing::choices::{Activation, Generator};
use crate::data::sets::mixing::matrices::{Form, condition};

type Curve = fn(f64) -> f64;

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
    let curves: [(&str, Curve); 4] = [
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
