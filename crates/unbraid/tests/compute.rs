//! The compute layer against burn's own operations: values and gradients, over random geometries and
//! layouts in memory.

use burn::tensor::activation::{leaky_relu, relu, sigmoid, silu, tanh};
use burn::tensor::module::{conv_transpose2d, conv2d};
use burn::tensor::ops::{ConvOptions, ConvTransposeOptions};
use burn::tensor::{Tensor, TensorData};
use unbraid::compute::device;
use unbraid::compute::{self, Activation, Adagrad, Adam, Form, Geometry, Likelihood};
use unbraid::model::batch::numbers;
use unbraid::rng::Rng;

const ACTIVATIONS: [Activation; 6] = [
    Activation::None,
    Activation::Relu,
    Activation::LeakyRelu(0.2),
    Activation::Elu,
    Activation::Silu,
    Activation::Tanh,
];

fn random<const D: usize>(shape: [usize; D], rng: &mut Rng) -> Tensor<D> {
    let mut values = vec![0.0; shape.iter().product()];
    rng.fill_normal(&mut values);
    Tensor::from_data(TensorData::new(values, shape), &device::training())
}

fn pick<T: Copy>(from: &[T], rng: &mut Rng) -> T {
    from[(rng.uniform() * from.len() as f64) as usize]
}

fn activate<const D: usize>(a: Tensor<D>, activation: Activation) -> Tensor<D> {
    match activation {
        Activation::None => a,
        Activation::Relu => relu(a),
        Activation::LeakyRelu(slope) => leaky_relu(a, f64::from(slope)),
        Activation::Elu => relu(a.clone()) + a.clamp_max(0.0).exp() - 1.0,
        Activation::Silu => silu(a),
        Activation::Tanh => tanh(a),
    }
}

/// ‖a − b‖ / ‖b‖
fn distance(a: &[f32], b: &[f32]) -> f64 {
    assert_eq!(a.len(), b.len());
    let off: f64 = a.iter().zip(b).map(|(a, b)| f64::from(a - b).powi(2)).sum();
    let size: f64 = b.iter().map(|b| f64::from(*b).powi(2)).sum();
    (off / size.max(1e-20)).sqrt()
}

/// The output of a layer and the gradients of Σ upstream · output, as rows of numbers.
fn run<const D: usize, const W: usize>(
    [x, bias]: [&Tensor<D>; 2],
    weight: &Tensor<W>,
    upstream: &mut dyn FnMut([usize; D]) -> Tensor<D>,
    layer: impl Fn(Tensor<D>, Tensor<W>, Tensor<1>) -> Tensor<D>,
) -> Vec<Vec<f32>> {
    let x = x.clone().require_grad();
    let weight = weight.clone().require_grad();
    let bias: Tensor<1> = bias.clone().flatten(0, D - 1);
    let bias = bias.require_grad();
    let y = layer(x.clone(), weight.clone(), bias.clone());
    let gradients = (y.clone() * upstream(y.dims())).sum().backward();
    vec![
        numbers(y),
        numbers(x.grad(&gradients).expect("the input has a gradient")),
        numbers(weight.grad(&gradients).expect("the weight has a gradient")),
        numbers(bias.grad(&gradients).expect("the bias has a gradient")),
    ]
}

fn check(what: &str, ours: &[Vec<f32>], stock: &[Vec<f32>]) {
    for (name, (ours, stock)) in
        ["output", "input", "weight", "bias"].iter().zip(ours.iter().zip(stock))
    {
        let error = distance(ours, stock);
        assert!(error <= 1e-5, "{name} differs by {error:.1e} for {what}");
    }
}

#[test]
fn convolutions_are_burns_over_random_geometries() {
    let rng = &mut Rng::new(11);
    for round in 0..80 {
        let kernel = [pick(&[1, 2, 3, 4, 5], rng), pick(&[1, 2, 3, 4], rng)];
        let stride = [pick(&[1, 2, 3], rng), pick(&[1, 2], rng)];
        let padding =
            [pick(&[0, 1, 2], rng).min(kernel[0] - 1), pick(&[0, 1], rng).min(kernel[1] - 1)];
        let sizes =
            [pick(&[4, 5, 7, 8, 12], rng).max(kernel[0]), pick(&[4, 6, 9], rng).max(kernel[1])];
        let [input, output] = [pick(&[1, 3, 8, 16, 20], rng), pick(&[1, 3, 16, 32, 33], rng)];
        let transposed = round % 2 == 1;
        let extra = if transposed { [stride[0] - 1, 0] } else { [0, 0] };
        let activation = ACTIVATIONS[round % ACTIVATIONS.len()];
        let form =
            Form { geometry: Geometry { kernel, stride, padding }, transposed, extra, activation };
        let x = random([pick(&[1, 2, 9], rng), input, sizes[0], sizes[1]], rng);
        let [first, second] = if transposed { [input, output] } else { [output, input] };
        let weight = random([first, second, kernel[0], kernel[1]], rng);
        let bias = random([1, output, 1, 1], rng);
        let seed = rng.split("upstream");
        let upstream = |shape: [usize; 4]| random(shape, &mut seed.clone());
        let ours = run([&x, &bias], &weight, &mut upstream.clone(), |x, w, b| {
            compute::convolution(x, w, b, form)
        });
        let stock = run([&x, &bias], &weight, &mut upstream.clone(), |x, w, b| {
            let sums = if transposed {
                let options = ConvTransposeOptions::new(stride, padding, extra, [1, 1], 1);
                conv_transpose2d(x, w, Some(b), options)
            } else {
                conv2d(x, w, Some(b), ConvOptions::new(stride, padding, [1, 1], 1))
            };
            activate(sums, activation)
        });
        check(&format!("{form:?} on {:?}", x.dims()), &ours, &stock);
    }
}

#[test]
fn dense_layers_are_burns() {
    let rng = &mut Rng::new(12);
    for (round, [rows, input, output]) in
        [[1, 1, 1], [7, 5, 3], [64, 10, 100], [33, 600, 70], [64, 300, 1000]]
            .into_iter()
            .enumerate()
    {
        for activation in ACTIVATIONS {
            let x = random([rows, input], rng);
            let weight = random([input, output], rng);
            let bias = random([1, output], rng);
            let seed = rng.at(round as u64);
            let upstream = |shape: [usize; 2]| random(shape, &mut seed.clone());
            let ours = run([&x, &bias], &weight, &mut upstream.clone(), |x, w, b| {
                compute::dense(x, w, b, activation)
            });
            let stock = run([&x, &bias], &weight, &mut upstream.clone(), |x, w, b| {
                activate(x.matmul(w) + b.unsqueeze(), activation)
            });
            check(&format!("{rows}x{input}x{output} {activation:?}"), &ours, &stock);
        }
    }
}

/// The same images in every layout burn can hand over give the same result, and what burn does to a
/// kernel's output between two kernels is seen by the second.
#[test]
fn any_layout_in_memory_is_read_right() {
    let rng = &mut Rng::new(13);
    let form = Form {
        geometry: Geometry { kernel: [3, 3], stride: [1, 1], padding: [1, 1] },
        transposed: false,
        extra: [0, 0],
        activation: Activation::None,
    };
    let x = random([2, 3, 6, 6], rng);
    let weight = random([3, 3, 3, 3], rng);
    let bias = random([3], rng);
    let layer = |x: Tensor<4>| compute::convolution(x, weight.clone(), bias.clone(), form);
    let stock = |x: Tensor<4>| {
        conv2d(x, weight.clone(), Some(bias.clone()), ConvOptions::new([1, 1], [1, 1], [1, 1], 1))
    };
    let same = |what: &str, x: Tensor<4>, plain: Tensor<4>| {
        let error = distance(&numbers(layer(x)), &numbers(stock(plain)));
        assert!(error < 1e-5, "{what}: {error:.1e}");
    };
    let plain = |x: Tensor<4>| {
        let shape = x.dims();
        Tensor::from_data(TensorData::new(numbers(x), shape), &device::training())
    };
    let y = layer(x.clone());
    same("a kernel's output", y.clone(), plain(y.clone()));
    same("channels last", x.clone().permute([0, 2, 3, 1]).permute([0, 3, 1, 2]), x.clone());
    same("turned", x.clone().swap_dims(2, 3), plain(x.clone().swap_dims(2, 3)));
    same("flipped", x.clone().flip([2]), plain(x.clone().flip([2])));
    // A crop of a map has the strides of a map, but what lies around it is not zero.
    let crop = |x: Tensor<4>| x.slice([0..2, 0..3, 1..5, 1..5]);
    same("a crop of an output", crop(y.clone()), crop(plain(y.clone())));
    same("an arranged crop", crop(compute::arrange(x.clone())), crop(x.clone()));
    // burn must not write into the border, not even in place.
    let shifted = |y: Tensor<4>| (y + 1.0) * 2.0;
    same("changed by burn", shifted(layer(x.clone())), shifted(plain(y.clone())));
    same("filled by burn", layer(x.clone()).clamp(0.5, 0.6), plain(y.clone()).clamp(0.5, 0.6));
    let one = |y: Tensor<4>| y.slice([0..1, 0..3, 0..6, 0..6]);
    same("some of the images", one(y.clone()), one(plain(y)));
}

#[test]
fn a_chain_of_layers_has_burns_gradients() {
    let rng = &mut Rng::new(14);
    let geometry = Geometry { kernel: [4, 4], stride: [2, 2], padding: [1, 1] };
    let form = |transposed, activation| Form { geometry, transposed, extra: [0, 0], activation };
    let x = random([3, 2, 8, 8], rng);
    let [down, up] = [random([16, 2, 4, 4], rng) * 0.2, random([16, 2, 4, 4], rng) * 0.2];
    let middle = random([256, 256], rng) * 0.05;
    let biases = [random([16], rng), random([256], rng), random([2], rng)];
    let weights = || [down.clone().require_grad(), up.clone().require_grad()];
    let target = random([3, 2, 8, 8], rng).powi_scalar(2).clamp_max(1.0);
    // The output of the first layer is used twice.
    let [a, b] = weights();
    let m = middle.clone().require_grad();
    let h = compute::convolution(
        x.clone(),
        a.clone(),
        biases[0].clone(),
        form(false, Activation::Relu),
    );
    let z =
        compute::dense(compute::flatten(h.clone()), m.clone(), biases[1].clone(), Activation::Tanh);
    let h = compute::unflatten(z, [16, 4, 4]) + h;
    let y = compute::convolution(h, b.clone(), biases[2].clone(), form(true, Activation::None));
    let loss = compute::likelihood(y, target.clone(), Likelihood::Bernoulli, 0.5) * 3.0;
    let gradients = loss.clone().backward();
    let ours = [
        numbers(loss),
        numbers(a.grad(&gradients).unwrap()),
        numbers(m.grad(&gradients).unwrap()),
        numbers(b.grad(&gradients).unwrap()),
    ];

    let [a, b] = weights();
    let m = middle.require_grad();
    let h = relu(conv2d(
        x,
        a.clone(),
        Some(biases[0].clone()),
        ConvOptions::new([2, 2], [1, 1], [1, 1], 1),
    ));
    let z = tanh(h.clone().flatten::<2>(1, 3).matmul(m.clone()) + biases[1].clone().unsqueeze());
    let h = z.reshape([3, 16, 4, 4]) + h;
    let options = ConvTransposeOptions::new([2, 2], [1, 1], [0, 0], [1, 1], 1);
    let y = conv_transpose2d(h, b.clone(), Some(biases[2].clone()), options);
    let error = relu(y.clone()) - y.clone() * target + (-y.abs()).exp().log1p();
    let loss = error.sum() * 1.5;
    let gradients = loss.clone().backward();
    let stock = [
        numbers(loss),
        numbers(a.grad(&gradients).unwrap()),
        numbers(m.grad(&gradients).unwrap()),
        numbers(b.grad(&gradients).unwrap()),
    ];
    check("a chain", &ours, &stock);
}

#[test]
fn likelihoods_are_burns_for_images_and_for_rows() {
    let rng = &mut Rng::new(15);
    for kind in [
        Likelihood::Bernoulli,
        Likelihood::Gaussian { precision: 4.0, squash: true },
        Likelihood::Gaussian { precision: 0.25, squash: false },
    ] {
        for arranged in [false, true] {
            let decoded = random([3, 3, 5, 7], rng) * 3.0;
            let observed = sigmoid(random([3, 3, 5, 7], rng));
            let a = decoded.clone().require_grad();
            let given =
                if arranged { compute::arrange(observed.clone()) } else { observed.clone() };
            // What a convolution gives is a map; a reshaped row is not.
            let form = Form {
                geometry: Geometry { kernel: [1, 1], stride: [1, 1], padding: [0, 0] },
                transposed: false,
                extra: [0, 0],
                activation: Activation::None,
            };
            let identity = Tensor::<2>::eye(3, &device::training()).reshape([3, 3, 1, 1]);
            let zero = Tensor::<1>::zeros([3], &device::training());
            let through = match arranged {
                true => compute::convolution(a.clone(), identity, zero, form),
                false => a.clone(),
            };
            let loss = compute::likelihood(through, given, kind, 0.25);
            let gradients = loss.clone().backward();
            let ours = [numbers(loss), numbers(a.grad(&gradients).unwrap())];
            let a = decoded.require_grad();
            let loss = match kind {
                Likelihood::Bernoulli => (relu(a.clone()) - a.clone() * observed
                    + (-a.clone().abs()).exp().log1p())
                .sum(),
                Likelihood::Gaussian { precision, squash } => {
                    let mean = if squash { sigmoid(a.clone()) } else { a.clone() };
                    (mean - observed).square().sum() * (0.5 * f64::from(precision))
                }
            } * 0.25;
            let gradients = loss.clone().backward();
            let stock = [numbers(loss), numbers(a.grad(&gradients).unwrap())];
            check(&format!("{kind:?}"), &ours, &stock);
        }
    }
}

/// A gradient that burn hands over need not be dense: that of a sum is one number seen everywhere. Nor
/// need the inputs be.
#[test]
fn gradients_do_not_depend_on_how_tensors_lie() {
    let rng = &mut Rng::new(17);
    let x = random([2, 3, 4, 6], rng);
    let weight = random([5, 3, 3, 3], rng);
    let bias = random([5], rng);
    let geometry = Geometry { kernel: [3, 3], stride: [1, 2], padding: [1, 0] };
    let form = Form { geometry, transposed: false, extra: [0, 0], activation: Activation::Tanh };
    let turned = |x: Tensor<4>| x.swap_dims(2, 3).repeat_dim(0, 1).swap_dims(2, 3);
    let spread = |x: Tensor<4>| x.slice([0..1, 0..3, 0..4, 0..6]).expand([2, 3, 4, 6]);
    for lie in [&turned as &dyn Fn(Tensor<4>) -> Tensor<4>, &spread, &|x| x.flip([2]).flip([2])] {
        let gradients = |layer: &dyn Fn(Tensor<4>, Tensor<4>, Tensor<1>) -> Tensor<4>| {
            let [x, w] = [x.clone().require_grad(), weight.clone().require_grad()];
            let w_turned = w.clone().swap_dims(2, 3).swap_dims(2, 3);
            let y = layer(lie(x.clone()), w_turned, bias.clone());
            let found = y.clone().sum().backward();
            let of = |gradient: Option<Tensor<4>>| numbers(gradient.expect("a gradient"));
            vec![numbers(y), of(x.grad(&found)), of(w.grad(&found))]
        };
        let ours = gradients(&|x, w, b| compute::convolution(x, w, b, form));
        let stock = gradients(&|x, w, b| {
            tanh(conv2d(x, w, Some(b), ConvOptions::new([1, 2], [1, 0], [1, 1], 1)))
        });
        check("a lying tensor", &ours, &stock);
    }
    let [x, weight] = [random([7, 4], rng), random([3, 7], rng)];
    let bias = random([3], rng);
    let gradients = |layer: &dyn Fn(Tensor<2>, Tensor<2>) -> Tensor<2>| {
        let [x, w] = [x.clone().require_grad(), weight.clone().require_grad()];
        let y = layer(x.clone().transpose(), w.clone().transpose());
        let found = y.clone().sum().backward();
        let of = |gradient: Option<Tensor<2>>| numbers(gradient.expect("a gradient"));
        vec![numbers(y), of(x.grad(&found)), of(w.grad(&found))]
    };
    let ours = gradients(&|x, w| compute::dense(x, w, bias.clone(), Activation::Elu));
    let stock =
        gradients(&|x, w| activate(x.matmul(w) + bias.clone().unsqueeze(), Activation::Elu));
    check("a turned matrix", &ours, &stock);
}

/// The one form in which a map is contiguous, so that burn may write into it: one pixel of one image.
#[test]
fn burn_may_write_into_a_single_pixel() {
    let rng = &mut Rng::new(18);
    let geometry = Geometry { kernel: [3, 3], stride: [1, 1], padding: [1, 1] };
    let form = Form { geometry, transposed: false, extra: [0, 0], activation: Activation::None };
    let weight = random([4, 4, 3, 3], rng);
    let bias = random([4], rng);
    let x = random([1, 4, 1, 1], rng);
    let layer = |x| compute::convolution(x, weight.clone(), bias.clone(), form);
    let stock = |x| {
        conv2d(x, weight.clone(), Some(bias.clone()), ConvOptions::new([1, 1], [1, 1], [1, 1], 1))
    };
    let fill = |y: Tensor<4>| {
        let mask = y.clone().greater_elem(0.0);
        y.mask_fill(mask, 5.0) + 1.0
    };
    let ours = numbers(layer(fill(layer(x.clone()))));
    assert!(distance(&ours, &numbers(stock(fill(stock(x))))) < 1e-5);
}

/// Central differences in f32 are rough, but see a wrong factor or sign that two implementations by
/// the same hand might share.
#[test]
fn gradients_are_finite_differences() {
    let rng = &mut Rng::new(16);
    let geometry = Geometry { kernel: [3, 3], stride: [2, 2], padding: [1, 1] };
    let kernel = random([2, 3, 3, 3], rng) * 0.5;
    let matrix = random([6, 4], rng);
    let [two, three, four] = [random([2], rng), random([3], rng), random([4], rng)];
    let observed = sigmoid(random([2, 3, 5, 5], rng));
    for activation in [Activation::None, Activation::Elu, Activation::Silu, Activation::Tanh] {
        let form = |transposed| Form { geometry, transposed, extra: [0, 0], activation };
        let down = |x, w, b| compute::convolution(x, w, b, form(false)).square().sum();
        let up = |x, w, b| compute::convolution(x, w, b, form(true)).square().sum();
        let flat = |x: Tensor<2>, w, b| compute::dense(x, w, b, activation).square().sum();
        let [big, small] = [random([2, 3, 5, 5], rng), random([2, 2, 3, 3], rng)];
        let rows = random([3, 6], rng);
        differences("down, input", &big, |x| down(x, kernel.clone(), two.clone()));
        differences("down, weight", &kernel, |w| down(big.clone(), w, two.clone()));
        differences("down, bias", &two, |b| down(big.clone(), kernel.clone(), b));
        differences("up, input", &small, |x| up(x, kernel.clone(), three.clone()));
        differences("up, weight", &kernel, |w| up(small.clone(), w, three.clone()));
        differences("up, bias", &three, |b| up(small.clone(), kernel.clone(), b));
        differences("dense, input", &rows, |x| flat(x, matrix.clone(), four.clone()));
        differences("dense, weight", &matrix, |w| flat(rows.clone(), w, four.clone()));
        differences("dense, bias", &four, |b| flat(rows.clone(), matrix.clone(), b));
    }
    let (rows, weigh) = (random([5, 4], rng), random([5, 4], rng));
    let scale = random([4], rng);
    let norm = |x: Tensor<2>, scale, shift| {
        (compute::normalise(x, scale, shift, 0.3).0 * weigh.clone()).sum()
    };
    differences("normalise, input", &rows, |x| norm(x, scale.clone(), four.clone()));
    differences("normalise, scale", &scale, |s| norm(rows.clone(), s, four.clone()));
    differences("normalise, shift", &four, |s| norm(rows.clone(), scale.clone(), s));
    for kind in [Likelihood::Bernoulli, Likelihood::Gaussian { precision: 2.0, squash: true }] {
        let loss = |a| compute::likelihood(a, observed.clone(), kind, 0.5);
        differences("likelihood", &random([2, 3, 5, 5], rng), loss);
        let places = [(); 3].map(|()| random([1, 3, 5, 5], rng));
        // As a decoder leaves images, and as anything else does.
        for arranged in [true, false] {
            let loss = |a: Tensor<4>| {
                let a =
                    if arranged { compute::unflatten(compute::flatten(a), [3, 5, 5]) } else { a };
                compute::likelihood_by_place(a, observed.clone(), places.clone(), kind, 0.5)
            };
            differences("likelihood by place", &random([2, 3, 5, 5], rng), loss);
        }
    }
    for activation in [Activation::Silu, Activation::Tanh] {
        let weigh = random([3, 7, 11], rng);
        let loss = |x: Tensor<3>| (compute::activated(x, activation) * weigh.clone()).sum();
        differences("activated", &random([3, 7, 11], rng), loss);
    }
}

/// The gradient of a loss against its central differences.
fn differences<const D: usize>(what: &str, at: &Tensor<D>, loss: impl Fn(Tensor<D>) -> Tensor<1>) {
    let tracked = at.clone().require_grad();
    let gradients = loss(tracked.clone()).backward();
    let gradient = numbers(tracked.grad(&gradients).expect("a gradient"));
    let step = 1e-2f32;
    let moved = |index: usize, by: f32| {
        let mut values = numbers(at.clone());
        values[index] += by;
        let moved = Tensor::from_data(TensorData::new(values, at.dims()), &device::training());
        f64::from(loss(moved).into_scalar::<f32>())
    };
    let central = |i| ((moved(i, step) - moved(i, -step)) / (2.0 * f64::from(step))) as f32;
    let expected: Vec<f32> = (0..gradient.len()).map(central).collect();
    let error = distance(&gradient, &expected);
    assert!(error < 5e-3, "{what}: {error:.1e}");
}

#[test]
fn adam_updates_in_place_and_leaves_shared_tensors_alone() {
    let device = device::inference();
    let tensor = |value: f32| Tensor::<1>::from_data([value; 40], &device);
    let rule = Adam { rate: 0.1, beta_1: 0.9, beta_2: 0.999, epsilon: 1e-8, step: 1 };
    let weight = tensor(1.0);
    let held = weight.clone();
    let [moved, first, second] =
        compute::adam(rule, [weight, tensor(2.0), tensor(0.0), tensor(0.0)]);
    // The first step of Adam is the rate, whatever the gradient.
    assert!(numbers(moved).iter().all(|w| (w - 0.9).abs() < 1e-6));
    assert!(numbers(first).iter().all(|m| (m - 0.2).abs() < 1e-6));
    assert!(numbers(second).iter().all(|v| (v - 0.004).abs() < 1e-6));
    assert!(numbers(held).iter().all(|w| *w == 1.0));
}

#[test]
fn adagrad_updates_in_place_and_leaves_shared_tensors_alone() {
    let device = device::inference();
    let tensor = |value: f32| Tensor::<1>::from_data([value; 40], &device);
    let weight = tensor(1.0);
    let held = weight.clone();
    let [moved, squares] =
        compute::adagrad(Adagrad { rate: 0.1 }, [weight, tensor(2.0), tensor(0.1)]);
    let expected = 1.0 - 0.1 * 2.0 / 4.1f32.sqrt();
    assert!(numbers(moved).iter().all(|w| (w - expected).abs() < 1e-6));
    assert!(numbers(squares).iter().all(|s| (s - 4.1).abs() < 1e-6));
    assert!(numbers(held).iter().all(|w| *w == 1.0));
}
