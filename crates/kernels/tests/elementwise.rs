//! Dense layers, likelihoods, Adam and Adagrad against the definitions, on every instruction set.

mod naive;

use naive::{ACTIVATIONS, Numbers, activate, relative_error, slope};
use unbraid_kernels::{
    Activation, Adagrad, Adam, Backward, Cpu, Dense, Likelihood, Places, cross_entropy,
};

#[test]
fn dense_layers_follow_the_definition() {
    let numbers = &mut Numbers(4);
    let sizes = [
        (1, 1, 1),
        (3, 5, 7),
        (64, 10, 256),
        (33, 700, 70),
        (17, 64, 1030),
        (400, 48, 20),
        (3, 20, 4117),
    ];
    for ((rows, inputs, outputs), activation) in
        sizes.iter().flat_map(|size| ACTIVATIONS.iter().map(move |a| (*size, *a)))
    {
        let x = numbers.floats(rows * inputs);
        let weight = numbers.floats(inputs * outputs);
        let bias = numbers.floats(outputs);
        let mut upstream = numbers.floats(rows * outputs);
        let mut sums: Vec<f64> =
            (0..rows * outputs).map(|i| f64::from(bias[i % outputs])).collect();
        let each = |visit: &mut dyn FnMut(usize, usize, usize)| {
            for r in 0..rows {
                for i in 0..inputs {
                    for o in 0..outputs {
                        visit(r * inputs + i, i * outputs + o, r * outputs + o);
                    }
                }
            }
        };
        each(&mut |i, w, o| sums[o] += f64::from(x[i]) * f64::from(weight[w]));
        let kinks = sums.iter().zip(&mut upstream).filter(|(a, _)| a.abs() < 1e-4);
        kinks.for_each(|(_, g)| *g = 0.0);
        let y: Vec<f64> = sums.iter().map(|a| activate(*a, activation)).collect();
        let g: Vec<f64> = sums
            .iter()
            .zip(&upstream)
            .map(|(a, g)| f64::from(*g) * slope(*a, activation))
            .collect();
        let (mut dx, mut dw, mut db) =
            (vec![0.0; x.len()], vec![0.0; weight.len()], vec![0.0; outputs]);
        each(&mut |i, w, o| {
            dx[i] += g[o] * f64::from(weight[w]);
            dw[w] += g[o] * f64::from(x[i]);
        });
        g.iter().enumerate().for_each(|(i, g)| db[i % outputs] += g);
        for cpu in Cpu::available() {
            let dense = Dense { inputs, outputs, cpu };
            let output = dense.forward(&x, &weight, &bias, activation);
            let kept = match activation.keeps_output() {
                true => output.clone(),
                false => dense.forward(&x, &weight, &bias, Activation::None),
            };
            let gradients = dense.backward(&Backward {
                input: &x,
                weight: &weight,
                kept: &kept,
                gradient: &upstream,
                activation,
                want_input: true,
            });
            for (name, found, expected) in [
                ("output", &output, &y),
                ("input", &gradients.input, &dx),
                ("weight", &gradients.weight, &dw),
                ("bias", &gradients.bias, &db),
            ] {
                let error = relative_error(found, expected);
                assert!(
                    error < 1e-5,
                    "{name} {error:.1e} {rows}x{inputs}x{outputs} {activation:?} {}",
                    cpu.name()
                );
            }
        }
    }
}

#[test]
fn activations_are_right_far_from_zero_and_near_it() {
    let values: Vec<f32> = [0.0, -0.0, 1e-8, 1e-3, 0.3, 0.624, 0.626, 1.0, 5.0, 20.0, 90.0, 500.0]
        .iter()
        .flat_map(|v| [*v, -*v])
        .collect();
    for activation in
        [Activation::Elu, Activation::Silu, Activation::Tanh, Activation::LeakyRelu(0.3)]
    {
        for cpu in Cpu::available() {
            for (value, found) in values.iter().zip(activation.of(&values, cpu)) {
                let expected = activate(f64::from(*value), activation);
                let error = (f64::from(found) - expected).abs();
                let fine =
                    error <= 4e-7 * expected.abs().max(0.3 * f64::from(value.abs()).min(1.0));
                assert!(fine || error < 1e-7, "{activation:?}({value}) = {found}, not {expected}");
            }
        }
    }
}

/// A number that is none must not be healed on the way: training stops at it.
#[test]
fn nan_stays_nan() {
    let numbers = [1.0, f32::NAN, -2.0];
    for cpu in Cpu::available() {
        for activation in ACTIVATIONS {
            let out = activation.of(&numbers, cpu);
            assert!(out[1].is_nan() && !out[0].is_nan(), "{activation:?} {}", cpu.name());
            let dense = Dense { inputs: 1, outputs: 3, cpu };
            let out = dense.forward(&[1.0], &numbers, &[0.0; 3], activation);
            assert!(out[1].is_nan() && !out[2].is_nan(), "{activation:?} {}", cpu.name());
        }
        for likelihood in [
            Likelihood::Bernoulli,
            Likelihood::Gaussian { precision: 1.0, squash: true },
            Likelihood::Gaussian { precision: 1.0, squash: false },
        ] {
            let whole = 0..3;
            let (sum, gradient) =
                likelihood.error(&numbers, &[0.5; 3], 3, std::slice::from_ref(&whole), 1.0, cpu);
            assert!(sum.is_nan() && gradient[1].is_nan(), "{likelihood:?} {}", cpu.name());
        }
    }
}

#[test]
fn cross_entropies_follow_the_definition_and_keep_what_is_no_number() {
    let numbers = &mut Numbers(9);
    for (rows, classes) in [(1, 1), (3, 2), (5, 16), (4, 17), (7, 256)] {
        let logits: Vec<f32> = numbers.floats(rows * classes).iter().map(|a| 50.0 * a).collect();
        let mut labels = vec![0.0; rows * classes];
        (0..rows).for_each(|row| labels[row * classes + row % classes] = 1.0);
        let (mut mean, mut slopes) = (0.0, vec![]);
        for (logits, labels) in logits.chunks(classes).zip(labels.chunks(classes)) {
            let sum: f64 = logits.iter().map(|a| f64::from(*a).exp()).sum();
            for (a, label) in logits.iter().zip(labels) {
                let (probability, label) = (f64::from(*a).exp() / sum, f64::from(*label));
                mean -= label * (f64::from(*a) - sum.ln()) / rows as f64;
                slopes.push((probability - label) / rows as f64);
            }
        }
        for cpu in Cpu::available() {
            let (error, gradient) = cross_entropy(&logits, &labels, classes, cpu);
            assert!((error - mean).abs() < 1e-5 * (1.0 + mean), "{}: {error} {mean}", cpu.name());
            for (found, slope) in gradient.iter().zip(&slopes) {
                assert!((f64::from(*found) - slope).abs() < 1e-6, "{}", cpu.name());
            }
            let (error, _) = cross_entropy(&[1.0, f32::NAN, 0.0], &[1.0, 0.0, 0.0], 3, cpu);
            assert!(error.is_nan(), "{}", cpu.name());
        }
    }
}

#[test]
fn threads_do_not_show_in_the_result() {
    let numbers = &mut Numbers(7);
    let (rows, inputs, outputs) = (64, 300, 400);
    let [x, weight] = [rows * inputs, inputs * outputs].map(|count| numbers.floats(count));
    let gradient = numbers.floats(rows * outputs);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let dense = Dense { inputs, outputs, cpu: Cpu::best() };
            let kept = dense.forward(&x, &weight, &[], Activation::Tanh);
            let back = dense.backward(&Backward {
                input: &x,
                weight: &weight,
                kept: &kept,
                gradient: &gradient,
                activation: Activation::Tanh,
                want_input: true,
            });
            let whole = 0..outputs;
            let error = Likelihood::Bernoulli.error(
                &kept,
                &gradient,
                outputs,
                std::slice::from_ref(&whole),
                1.0,
                Cpu::best(),
            );
            (kept, back.input, back.weight, back.bias, error)
        })
    };
    let one = run(1);
    assert!((0..5).all(|_| run(2) == one) && run(5) == one);
}

#[test]
fn likelihoods_and_their_gradients_follow_the_definition() {
    let numbers = &mut Numbers(5);
    let (piece, pieces) = (53, 4);
    let decoded: Vec<f32> = numbers.floats(piece * pieces).iter().map(|v| v * 30.0).collect();
    let observed: Vec<f32> = numbers.floats(piece * pieces).iter().map(|v| v.abs()).collect();
    // Two rows of an image with a border: what lies outside counts for nothing.
    let inside = [3..24, 30..50];
    let softplus = |a: f64| a.max(0.0) + (-a.abs()).exp().ln_1p();
    let sigmoid = |a: f64| 1.0 / (1.0 + (-a).exp());
    for likelihood in [
        Likelihood::Bernoulli,
        Likelihood::Gaussian { precision: 4.0, squash: false },
        Likelihood::Gaussian { precision: 0.5, squash: true },
    ] {
        let (mut sum, mut slopes) = (0.0, vec![0.0; decoded.len()]);
        for i in 0..decoded.len() {
            if !inside.iter().any(|range| range.contains(&(i % piece))) {
                continue;
            }
            let (a, x) = (f64::from(decoded[i]), f64::from(observed[i]));
            let (error, slope) = match likelihood {
                Likelihood::Bernoulli => (softplus(a) - a * x, sigmoid(a) - x),
                Likelihood::Gaussian { precision, squash } => {
                    let p = f64::from(precision);
                    let mean = if squash { sigmoid(a) } else { a };
                    let chain = if squash { mean * (1.0 - mean) } else { 1.0 };
                    (0.5 * p * (mean - x).powi(2), p * (mean - x) * chain)
                }
            };
            sum += error;
            slopes[i] = 0.25 * slope;
        }
        for cpu in Cpu::available() {
            let (found, gradient) =
                likelihood.error(&decoded, &observed, piece, &inside, 0.25, cpu);
            assert!((4.0 * found - sum).abs() < 1e-5 * sum, "{likelihood:?}: {found}, not {sum}");
            assert!(relative_error(&gradient, &slopes) < 1e-6, "{likelihood:?} {}", cpu.name());
            assert!(gradient[..3].iter().chain(&gradient[50..56]).all(|g| *g == 0.0));
        }
    }
}

/// g a + c in place of a, and w times the error: the chain rule by hand, from the likelihood itself.
#[test]
fn places_have_their_own_gain_centre_and_weight() {
    let numbers = &mut Numbers(7);
    let (piece, pieces, inside) = (53, 4, [3..24, 30..50]);
    let decoded = numbers.floats(piece * pieces);
    let observed: Vec<f32> = numbers.floats(piece * pieces).iter().map(|v| v.abs()).collect();
    let [gain, centre, weight] = [(); 3].map(|()| numbers.floats(piece));
    let places = Places { gain: &gain, centre: &centre, weight: &weight };
    let moved: Vec<f32> =
        decoded.iter().enumerate().map(|(i, a)| gain[i % piece] * a + centre[i % piece]).collect();
    for likelihood in [Likelihood::Bernoulli, Likelihood::Gaussian { precision: 2.0, squash: true }]
    {
        for cpu in Cpu::available() {
            let (sum, gradient) = likelihood.error_by_place(
                &decoded,
                &observed,
                Some(places),
                piece,
                &inside,
                0.5,
                cpu,
            );
            let mut expected = 0.0;
            for i in 0..decoded.len() {
                let place = i % piece;
                if !inside.iter().any(|range| range.contains(&place)) {
                    assert_eq!(gradient[i], 0.0);
                    continue;
                }
                let all = std::slice::from_ref(&(0..1)).to_vec();
                let (error, slope) =
                    likelihood.error(&moved[i..=i], &observed[i..=i], 1, &all, 0.5, cpu);
                expected += f64::from(weight[place]) * error;
                let slope = slope[0] * weight[place] * gain[place];
                assert!((gradient[i] - slope).abs() < 1e-6, "{} and {slope}", gradient[i]);
            }
            assert!((sum - expected).abs() < 1e-4, "{likelihood:?}: {sum}, not {expected}");
        }
    }
}

#[test]
fn adam_is_the_formula_over_several_steps() {
    let numbers = &mut Numbers(6);
    // More than a piece, and no multiple of sixteen.
    let size = (1 << 15) + 21;
    for cpu in Cpu::available() {
        let mut weight = numbers.floats(size);
        let (mut first, mut second) = (vec![0.0; size], vec![0.0; size]);
        let mut w: Vec<f64> = weight.iter().map(|v| f64::from(*v)).collect();
        let (mut m, mut v) = (vec![0.0; size], vec![0.0; size]);
        for step in 1..=5 {
            let gradient = numbers.floats(size);
            let adam = Adam { rate: 1e-2, beta_1: 0.9, beta_2: 0.999, epsilon: 1e-8, step };
            adam.step(&mut weight, &gradient, &mut first, &mut second, cpu);
            for i in 0..size {
                let g = f64::from(gradient[i]);
                m[i] = 0.9 * m[i] + 0.1 * g;
                v[i] = 0.999 * v[i] + 0.001 * g * g;
                let (mean, spread): (f64, f64) =
                    (m[i] / (1.0 - 0.9f64.powi(step)), v[i] / (1.0 - 0.999f64.powi(step)));
                w[i] -= 1e-2 * mean / (spread.sqrt() + 1e-8);
            }
        }
        assert!(relative_error(&weight, &w) < 1e-6);
    }
}

#[test]
fn adagrad_is_the_formula_over_several_steps() {
    let numbers = &mut Numbers(7);
    // More than a piece, and no multiple of sixteen.
    let size = (1 << 15) + 21;
    for cpu in Cpu::available() {
        let mut weight = numbers.floats(size);
        let mut squares = vec![Adagrad::FIRST; size];
        let mut w: Vec<f64> = weight.iter().map(|v| f64::from(*v)).collect();
        let mut s = vec![0.1; size];
        for _ in 0..5 {
            let gradient = numbers.floats(size);
            Adagrad { rate: 1e-2 }.step(&mut weight, &gradient, &mut squares, cpu);
            for i in 0..size {
                let g = f64::from(gradient[i]);
                s[i] += g * g;
                w[i] -= 1e-2 * g / s[i].sqrt();
            }
        }
        assert!(relative_error(&weight, &w) < 1e-6);
        assert!(relative_error(&squares, &s) < 1e-6);
    }
}
