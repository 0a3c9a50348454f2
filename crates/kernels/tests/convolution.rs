//! Convolutions in both directions, and all their gradients, against the definition.

mod naive;

use naive::{
    ACTIVATIONS, Numbers, activate, connections, count, map_of, planes, relative_error, slope,
};
use unbraid_kernels::{Activation, Backward, Convolution, Cpu, Geometry, Map};

/// The geometries of the models: kernel, stride, padding.
const TUNED: [[usize; 3]; 5] = [[4, 2, 1], [2, 2, 0], [3, 1, 1], [3, 2, 1], [1, 1, 0]];

struct Case {
    big: Map,
    small: Map,
    geometry: Geometry,
    activation: Activation,
}

/// Maps that belong together, with borders as wide as they need, or wider.
fn case(
    geometry: Geometry,
    sizes: [usize; 2],
    channels: [usize; 2],
    images: usize,
    wider: usize,
    activation: Activation,
) -> Case {
    let [height, width] = geometry.down(sizes);
    let border = geometry.big_border() + wider;
    let big = Map { images, channels: channels[0], height: sizes[0], width: sizes[1], border };
    let border = geometry.small_border(sizes, [height, width]) + wider;
    let small = Map { images, channels: channels[1], height, width, border };
    Case { big, small, geometry, activation }
}

fn any_case(numbers: &mut Numbers) -> Case {
    let mut two = |from: &[usize]| [numbers.pick(from), numbers.pick(from)];
    let kernel = two(&[1, 2, 3, 4, 5, 7]);
    let stride = two(&[1, 2, 3]);
    let padding = [two(&[0, 1, 2, 3])[0], two(&[0, 1, 2])[0]];
    let sizes = two(&[1, 2, 5, 6, 8, 9, 13]);
    let sizes = [sizes[0].max(kernel[0]), sizes[1].max(kernel[1])];
    let channels = two(&[1, 2, 3, 5, 8, 15, 16, 17, 32, 33]);
    let activation = numbers.pick(&ACTIVATIONS);
    case(
        Geometry { kernel, stride, padding },
        sizes,
        channels,
        1 + numbers.below(11),
        numbers.below(2),
        activation,
    )
}

/// Both directions and all gradients of a case, on every instruction set of this machine.
fn check(case: &Case, numbers: &mut Numbers) {
    let Case { big, small, geometry, activation } = case;
    let weights = big.channels * small.channels * geometry.kernel[0] * geometry.kernel[1];
    let weight = numbers.floats(weights);
    for up in [false, true] {
        let [from, to] = if up { [small, big] } else { [big, small] };
        let x = numbers.floats(count(from));
        let bias = numbers.floats(to.channels);
        let mut upstream = numbers.floats(count(to));

        // The definition, in f64.
        let plane = to.height * to.width;
        let mut sums: Vec<f64> =
            (0..count(to)).map(|i| f64::from(bias[i / plane % to.channels])).collect();
        connections(big, small, geometry, |b, s, w| {
            let (i, o) = if up { (s, b) } else { (b, s) };
            sums[o] += f64::from(x[i]) * f64::from(weight[w]);
        });
        // At a kink the two precisions may stand on different sides: nothing is asked there.
        let kinks = sums.iter().zip(&mut upstream).filter(|(a, _)| a.abs() < 1e-4);
        kinks.for_each(|(_, g)| *g = 0.0);
        let y: Vec<f64> = sums.iter().map(|a| activate(*a, *activation)).collect();
        let g: Vec<f64> = (sums.iter().zip(&upstream))
            .map(|(a, g)| f64::from(*g) * slope(*a, *activation))
            .collect();
        let (mut dx, mut dw, mut db) =
            (vec![0.0; x.len()], vec![0.0; weights], vec![0.0; bias.len()]);
        connections(big, small, geometry, |b, s, w| {
            let (i, o) = if up { (s, b) } else { (b, s) };
            dx[i] += g[o] * f64::from(weight[w]);
            dw[w] += g[o] * f64::from(x[i]);
        });
        g.iter().enumerate().for_each(|(i, g)| db[i / plane % to.channels] += g);

        for cpu in Cpu::available() {
            let convolution = Convolution::new(*big, *small, *geometry, cpu);
            let input = map_of(from, &x);
            let run = |then| match up {
                true => convolution.up(&input, &weight, &bias, then),
                false => convolution.down(&input, &weight, &bias, then),
            };
            let output = run(*activation);
            let kept =
                if activation.keeps_output() { output.clone() } else { run(Activation::None) };
            let gradient = map_of(to, &upstream);
            let layer = Backward {
                input: &input,
                weight: &weight,
                kept: &kept,
                gradient: &gradient,
                activation: *activation,
                want_input: true,
            };
            let back = |layer: &Backward| match up {
                true => convolution.up_backward(layer),
                false => convolution.down_backward(layer),
            };
            let gradients = back(&layer);
            let what =
                format!("{} up={up} {big:?} {small:?} {geometry:?} {activation:?}", cpu.name());
            let near = |name: &str, found: &[f32], expected: &[f64]| {
                let error = relative_error(found, expected);
                assert!(error <= 1e-5, "{name} is off by {error:.1e}: {what}");
            };
            near("output", &planes(to, &output), &y);
            near("input gradient", &planes(from, &gradients.input), &dx);
            near("weight gradient", &gradients.weight, &dw);
            near("bias gradient", &gradients.bias, &db);
            assert_eq!(map_of(to, &planes(to, &output)), output, "the border is zero: {what}");
            assert_eq!(map_of(from, &planes(from, &gradients.input)), gradients.input, "{what}");
            let without = back(&Backward { want_input: false, ..layer });
            assert!(without.input.is_empty() && without.weight == gradients.weight, "{what}");
        }
    }
}

#[test]
fn the_geometries_of_the_models_follow_the_definition() {
    let numbers = &mut Numbers(1);
    for [kernel, stride, padding] in TUNED {
        let geometry = Geometry { kernel: [kernel; 2], stride: [stride; 2], padding: [padding; 2] };
        for (sizes, channels, images) in [
            ([16, 16], [1, 32], 9),
            ([16, 16], [3, 32], 2),
            ([8, 8], [32, 64], 17),
            ([8, 12], [16, 16], 3),
            ([7, 9], [6, 20], 4),
        ] {
            for activation in ACTIVATIONS {
                check(&case(geometry, sizes, channels, images, 0, activation), numbers);
            }
        }
    }
}

#[test]
fn any_geometry_follows_the_definition() {
    let numbers = &mut Numbers(2);
    for _ in 0..150 {
        check(&any_case(numbers), numbers);
    }
}

#[test]
fn threads_do_not_show_in_the_result() {
    let numbers = &mut Numbers(3);
    let geometry = Geometry { kernel: [4; 2], stride: [2; 2], padding: [1; 2] };
    let case = case(geometry, [16, 16], [32, 32], 33, 0, Activation::Relu);
    let big = map_of(&case.big, &numbers.floats(count(&case.big)));
    let small = map_of(&case.small, &numbers.floats(count(&case.small)));
    let weight = numbers.floats(32 * 32 * 16);
    let activation = Activation::Relu;
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let convolution = Convolution::new(case.big, case.small, geometry, Cpu::best());
            let down = convolution.down(&big, &weight, &[], activation);
            let up = convolution.up(&small, &weight, &[], activation);
            let layer = |input, kept, gradient| Backward {
                input,
                weight: &weight,
                kept,
                gradient,
                activation,
                want_input: true,
            };
            let after_down = convolution.down_backward(&layer(&big, &down, &small));
            let after_up = convolution.up_backward(&layer(&small, &up, &big));
            let both = [after_down, after_up].map(|g| [g.input, g.weight, g.bias]);
            (down, up, both)
        })
    };
    let one = run(1);
    assert!((0..5).all(|_| run(2) == one) && run(5) == one);
}

#[test]
#[should_panic(expected = "a map fits into memory")]
fn sizes_that_overflow_are_refused() {
    let geometry = Geometry { kernel: [1; 2], stride: [1, 1 << 61], padding: [0; 2] };
    let big = Map { images: 1, channels: 4, height: 1, width: (1 << 62) + 1, border: 0 };
    let small = Map { images: 1, channels: 1, height: 1, width: 3, border: 0 };
    Convolution::new(big, small, geometry, Cpu::best());
}

#[test]
#[should_panic(expected = "border is too narrow")]
fn a_map_without_the_border_it_needs_is_refused() {
    let geometry = Geometry { kernel: [3; 2], stride: [1; 2], padding: [1; 2] };
    let map = Map { images: 1, channels: 1, height: 4, width: 4, border: 0 };
    let convolution = Convolution::new(map, map, geometry, Cpu::best());
    convolution.down(&[0.0; 16], &[0.0; 9], &[], Activation::None);
}
