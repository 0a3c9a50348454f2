//! The layers, likelihoods and optimiser that training spends its time in, as a burn extension.
//!
//! On the processor (burn's Flex backend) they run on `unbraid-kernels`; on every other backend the
//! default bodies below compose burn's own operations, which burn also differentiates. Nothing else in
//! the crate knows the difference: the functions here take and give ordinary tensors.

use burn::backend::ops::{ConvOptions, ConvTransposeOptions};
use burn::backend::tensor::FloatTensor;
use burn::backend::{Backend, Dispatch, TensorMetadata, backend_extension};
use burn::tensor::{Shape, Tensor, TensorData};
pub use unbraid_kernels::{Activation, Adagrad, Adam, Geometry, Likelihood, NORMALISE_EPSILON};

pub mod device;
mod gradients;
mod graphs;
mod images;
mod processor;
pub mod workers;

/// A convolution's form; the sizes of its maps come with the tensors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Form {
    /// Kernel, stride and padding.
    pub geometry: Geometry,
    /// Whether it is transposed: from the small map to the big one.
    pub transposed: bool,
    /// Rows and columns added to the big map of a transposed convolution.
    pub extra: [usize; 2],
    /// What is done to the sums.
    pub activation: Activation,
}

/// activation(x ∗ weight + bias), or the transposed convolution. The weight is `[output, input, …]`,
/// transposed `[input, output, …]`.
pub fn convolution(x: Tensor<4>, weight: Tensor<4>, bias: Tensor<1>, form: Form) -> Tensor<4> {
    let [x, bias] = [x.into_dispatch(), bias.into_dispatch()];
    Tensor::from_dispatch(<Dispatch as Compute>::convolution(x, weight.into_dispatch(), bias, form))
}

/// activation(x weight + bias), with the weight `[input, output]`.
pub fn dense(x: Tensor<2>, weight: Tensor<2>, bias: Tensor<1>, then: Activation) -> Tensor<2> {
    let [x, weight, bias] = [x.into_dispatch(), weight.into_dispatch(), bias.into_dispatch()];
    Tensor::from_dispatch(<Dispatch as Compute>::dense(x, weight, bias, then))
}

/// activation(x), number by number.
pub fn activated<const D: usize>(x: Tensor<D>, activation: Activation) -> Tensor<D> {
    Tensor::from_dispatch(<Dispatch as Compute>::activated(x.into_dispatch(), activation))
}

/// The larger of each two consecutive numbers of a row: `[rows, 2 width]` to `[rows, width]`.
pub fn maxout(x: Tensor<2>) -> Tensor<2> {
    Tensor::from_dispatch(<Dispatch as Compute>::maxout(x.into_dispatch()))
}

/// The mean over rows of −Σ label · log softmax(logits), where the labels of a row sum to one and
/// have no gradient.
pub fn cross_entropy(logits: Tensor<2>, labels: Tensor<2>) -> Tensor<1> {
    let [logits, labels] = [logits.into_dispatch(), labels.into_dispatch()];
    Tensor::from_dispatch(<Dispatch as Compute>::cross_entropy(logits, labels))
}

/// leaky(scale (x − mean) / sqrt(variance + 1e-5) + shift), with mean and variance of each column over
/// the rows and a slope below zero: the output, and both statistics, which have no gradient.
pub fn normalise(
    x: Tensor<2>,
    scale: Tensor<1>,
    shift: Tensor<1>,
    slope: f32,
) -> (Tensor<2>, [Tensor<1>; 2]) {
    let [x, scale, shift] = [x.into_dispatch(), scale.into_dispatch(), shift.into_dispatch()];
    let (output, mean, variance) = <Dispatch as Compute>::normalise(x, scale, shift, slope);
    (Tensor::from_dispatch(output), [mean, variance].map(Tensor::from_dispatch))
}

/// Σ_k w[k] leaky(u[i, k] + v[j, k]) of every pair of nodes i and j: u and v `[graphs, nodes, hidden]`, w
/// `[graphs, hidden]`, to `[graphs, nodes, nodes]`.
pub fn pairs(u: Tensor<3>, v: Tensor<3>, w: Tensor<2>, slope: f32) -> Tensor<3> {
    let [u, v] = [u, v].map(Tensor::into_dispatch);
    Tensor::from_dispatch(<Dispatch as Compute>::pairs(u, v, w.into_dispatch(), slope))
}

/// Attention along edges: Σ_j w_ij v_j with w_ij = G_ij a_ij / Σ_j G_ij a_ij and a = softmax(q · k / sqrt(width) + b),
/// for each head. Queries `[graphs, nodes, heads · width]`, keys and values `[graphs, parents, heads · width]`, b
/// `[heads, nodes, parents]`, G `[graphs, nodes, parents]`.
pub fn attention(
    [query, key, value]: [Tensor<3>; 3],
    bias: Tensor<3>,
    edges: Tensor<3>,
) -> Tensor<3> {
    let [query, key, value, bias, edges] =
        [query, key, value, bias, edges].map(Tensor::into_dispatch);
    Tensor::from_dispatch(<Dispatch as Compute>::attention(query, key, value, bias, edges))
}

/// log(softmax(logits)[code] + least) of each row, `[rows, classes]` and `[rows]`; the codes have no gradient.
pub fn log_probability(logits: Tensor<2>, codes: Tensor<1>, least: f32) -> Tensor<1> {
    let (logits, codes) = (logits.into_dispatch(), codes.into_dispatch());
    Tensor::from_dispatch(<Dispatch as Compute>::log_probability(logits, codes, least))
}

/// The same images, laid out in memory as the kernels read them; they must have no gradient.
pub fn arrange(images: Tensor<4>) -> Tensor<4> {
    Tensor::from_dispatch(<Dispatch as Compute>::arrange(images.into_dispatch()))
}

/// `[batch, channels, height, width]` to `[batch, channels · height · width]`
pub fn flatten(x: Tensor<4>) -> Tensor<2> {
    Tensor::from_dispatch(<Dispatch as Compute>::flatten(x.into_dispatch()))
}

/// `[batch, channels · height · width]` to `[batch, channels, height, width]`, for a convolution.
pub fn unflatten(x: Tensor<2>, grid: [usize; 3]) -> Tensor<4> {
    Tensor::from_dispatch(<Dispatch as Compute>::unflatten(x.into_dispatch(), grid))
}

/// scale · Σ −log p(observed | decoded), without the constant of a Gaussian. The observed numbers have
/// no gradient.
pub fn likelihood(
    decoded: Tensor<4>,
    observed: Tensor<4>,
    kind: Likelihood,
    scale: f32,
) -> Tensor<1> {
    let [decoded, observed] = [decoded.into_dispatch(), observed.into_dispatch()];
    Tensor::from_dispatch(<Dispatch as Compute>::likelihood(decoded, observed, kind, scale))
}

/// The same with each place of an observation in its own measure, `[1, channels, height, width]` each: g a + c
/// is compared instead of the decoded a, and its error counts w times. They have no gradient.
pub fn likelihood_by_place(
    decoded: Tensor<4>,
    observed: Tensor<4>,
    [gain, centre, weight]: [Tensor<4>; 3],
    kind: Likelihood,
    scale: f32,
) -> Tensor<1> {
    Tensor::from_dispatch(<Dispatch as Compute>::likelihood_by_place(
        decoded.into_dispatch(),
        observed.into_dispatch(),
        gain.into_dispatch(),
        centre.into_dispatch(),
        weight.into_dispatch(),
        kind,
        scale,
    ))
}

/// (x − mean) / deviation by place, `[1, channels, height, width]` each, and two channels more: the row and
/// the column of each pixel, from −1 to 1. None of them has a gradient.
pub fn placed(x: Tensor<4>, [mean, deviation]: [Tensor<4>; 2]) -> Tensor<4> {
    let [x, mean, deviation] = [x, mean, deviation].map(Tensor::into_dispatch);
    Tensor::from_dispatch(<Dispatch as Compute>::placed(x, mean, deviation))
}

/// One step of Adam: the weight and its moments, each updated in place where nobody else holds it.
/// None of the tensors may carry gradients.
pub fn adam<const D: usize>(
    adam: Adam,
    [weight, gradient, first, second]: [Tensor<D>; 4],
) -> [Tensor<D>; 3] {
    let (weight, first, second) = <Dispatch as Compute>::adam(
        weight.into_dispatch(),
        gradient.into_dispatch(),
        first.into_dispatch(),
        second.into_dispatch(),
        adam,
    );
    [weight, first, second].map(Tensor::from_dispatch)
}

/// One step of Adagrad: the weight and its sums of squared gradients, each updated in place where nobody
/// else holds it. None of the tensors may carry gradients.
pub fn adagrad<const D: usize>(
    adagrad: Adagrad,
    [weight, gradient, squares]: [Tensor<D>; 3],
) -> [Tensor<D>; 2] {
    let (weight, squares) = <Dispatch as Compute>::adagrad(
        weight.into_dispatch(),
        gradient.into_dispatch(),
        squares.into_dispatch(),
        adagrad,
    );
    [weight, squares].map(Tensor::from_dispatch)
}

/// The extension; its default bodies are burn's own operations.
#[backend_extension(Flex, Autodiff, Cube: cfg(feature = "wgpu"))]
pub trait Compute: Backend {
    /// See [`convolution`].
    fn convolution(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        form: Form,
    ) -> FloatTensor<Self> {
        let Geometry { stride, padding, .. } = form.geometry;
        let sums = if form.transposed {
            let options = ConvTransposeOptions::new(stride, padding, form.extra, [1, 1], 1);
            Self::conv_transpose2d(x, weight, Some(bias), options)
        } else {
            Self::conv2d(x, weight, Some(bias), ConvOptions::new(stride, padding, [1, 1], 1))
        };
        activate::<Self>(sums, form.activation)
    }

    /// See [`dense`].
    fn dense(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        then: Activation,
    ) -> FloatTensor<Self> {
        let outputs = bias.shape()[0];
        let bias = Self::float_reshape(bias, Shape::new([1, outputs]));
        activate::<Self>(Self::float_add(Self::float_matmul(x, weight), bias), then)
    }

    /// See [`activated`].
    fn activated(x: FloatTensor<Self>, activation: Activation) -> FloatTensor<Self> {
        activate::<Self>(x, activation)
    }

    /// See [`maxout`].
    fn maxout(x: FloatTensor<Self>) -> FloatTensor<Self> {
        let shape = x.shape();
        let (rows, width) = (shape[0], shape[1] / 2);
        let pairs = Self::float_reshape(x, Shape::new([rows, width, 2]));
        Self::float_reshape(Self::float_max_dim(pairs, 2), Shape::new([rows, width]))
    }

    /// See [`cross_entropy`].
    fn cross_entropy(logits: FloatTensor<Self>, labels: FloatTensor<Self>) -> FloatTensor<Self> {
        let largest = Self::float_detach(Self::float_max_dim(logits.clone(), 1));
        let below = Self::float_sub(logits, largest);
        let sums = Self::float_log(Self::float_sum_dim(Self::float_exp(below.clone()), 1));
        let labelled = Self::float_sum_dim(Self::float_mul(below, labels), 1);
        Self::float_mean(Self::float_sub(sums, labelled))
    }

    /// See [`normalise`].
    fn normalise(
        x: FloatTensor<Self>,
        scale: FloatTensor<Self>,
        shift: FloatTensor<Self>,
        slope: f32,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>) {
        let columns = x.shape()[1];
        let along = |numbers| Self::float_reshape(numbers, Shape::new([1, columns]));
        let flat = |numbers| Self::float_reshape(numbers, Shape::new([columns]));
        let mean = Self::float_mean_dim(x.clone(), 0);
        let apart = Self::float_sub(x, mean.clone());
        let variance = Self::float_mean_dim(Self::float_mul(apart.clone(), apart.clone()), 0);
        let away = Self::float_add_scalar(variance.clone(), NORMALISE_EPSILON.into());
        let spread = Self::float_sqrt(away);
        let times = Self::float_div(along(scale), spread);
        let sums = Self::float_add(Self::float_mul(apart, times), along(shift));
        let output = activate::<Self>(sums, Activation::LeakyRelu(slope));
        (output, Self::float_detach(flat(mean)), Self::float_detach(flat(variance)))
    }

    /// See [`pairs`].
    fn pairs(
        u: FloatTensor<Self>,
        v: FloatTensor<Self>,
        w: FloatTensor<Self>,
        slope: f32,
    ) -> FloatTensor<Self> {
        let shape = u.shape();
        let [graphs, nodes, hidden] = [shape[0], shape[1], shape[2]];
        let u = Self::float_reshape(u, Shape::new([graphs, nodes, 1, hidden]));
        let v = Self::float_reshape(v, Shape::new([graphs, 1, nodes, hidden]));
        let w = Self::float_reshape(w, Shape::new([graphs, 1, 1, hidden]));
        let units = activate::<Self>(Self::float_add(u, v), Activation::LeakyRelu(slope));
        let sums = Self::float_sum_dim(Self::float_mul(units, w), 3);
        Self::float_reshape(sums, Shape::new([graphs, nodes, nodes]))
    }

    /// See [`attention`].
    fn attention(
        query: FloatTensor<Self>,
        key: FloatTensor<Self>,
        value: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        edges: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let (shape, heads) = (query.shape(), bias.shape()[0]);
        let [graphs, nodes, all] = [shape[0], shape[1], shape[2]];
        let parents = key.shape()[1];
        let split = |x, count: usize| {
            let x = Self::float_reshape(x, Shape::new([graphs, count, heads, all / heads]));
            Self::float_swap_dims(x, 1, 2)
        };
        let scale = (heads as f32 / all as f32).sqrt();
        let keys = Self::float_swap_dims(split(key, parents), 2, 3);
        let fit =
            Self::float_mul_scalar(Self::float_matmul(split(query, nodes), keys), scale.into());
        let bias = Self::float_reshape(bias, Shape::new([1, heads, nodes, parents]));
        let scores = Self::float_add(fit, bias);
        let largest = Self::float_detach(Self::float_max_dim(scores.clone(), 3));
        let powers = Self::float_exp(Self::float_sub(scores, largest));
        let soft = Self::float_div(powers.clone(), Self::float_sum_dim(powers, 3));
        let edges = Self::float_reshape(edges, Shape::new([graphs, 1, nodes, parents]));
        let through = Self::float_mul(soft, edges);
        let sums = Self::float_add_scalar(Self::float_sum_dim(through.clone(), 3), 1e-6f32.into());
        let received = Self::float_matmul(Self::float_div(through, sums), split(value, parents));
        Self::float_reshape(Self::float_swap_dims(received, 1, 2), Shape::new([graphs, nodes, all]))
    }

    /// See [`log_probability`].
    fn log_probability(
        logits: FloatTensor<Self>,
        codes: FloatTensor<Self>,
        least: f32,
    ) -> FloatTensor<Self> {
        let shape = logits.shape();
        let [rows, classes] = [shape[0], shape[1]];
        let each =
            TensorData::new((0..classes).map(|k| k as f32).collect::<Vec<_>>(), [1, classes]);
        let each = Self::float_from_data(each, &logits.device());
        let apart = Self::float_sub(Self::float_reshape(codes, Shape::new([rows, 1])), each);
        // 1 where a code is the class, 0 where it is another.
        let near = Self::float_neg(Self::float_abs(apart));
        let ones = Self::relu(Self::float_add_scalar(near, 1.0f32.into()));
        let largest = Self::float_detach(Self::float_max_dim(logits.clone(), 1));
        let powers = Self::float_exp(Self::float_sub(logits, largest));
        let likely = Self::float_sum_dim(Self::float_mul(powers.clone(), ones), 1);
        let likely = Self::float_div(likely, Self::float_sum_dim(powers, 1));
        let found = Self::float_log(Self::float_add_scalar(likely, least.into()));
        Self::float_reshape(found, Shape::new([rows]))
    }

    /// See [`arrange`].
    fn arrange(images: FloatTensor<Self>) -> FloatTensor<Self> {
        images
    }

    /// See [`flatten`].
    fn flatten(x: FloatTensor<Self>) -> FloatTensor<Self> {
        let shape = x.shape();
        let size = shape[1] * shape[2] * shape[3];
        Self::float_reshape(x, Shape::new([shape[0], size]))
    }

    /// See [`unflatten`].
    fn unflatten(x: FloatTensor<Self>, grid: [usize; 3]) -> FloatTensor<Self> {
        let shape = Shape::new([x.shape()[0], grid[0], grid[1], grid[2]]);
        Self::float_reshape(x, shape)
    }

    /// See [`likelihood`].
    fn likelihood(
        decoded: FloatTensor<Self>,
        observed: FloatTensor<Self>,
        kind: Likelihood,
        scale: f32,
    ) -> FloatTensor<Self> {
        let (errors, factor) = errors::<Self>(decoded, observed, kind, scale);
        Self::float_mul_scalar(Self::float_sum(errors), factor.into())
    }

    /// See [`likelihood_by_place`].
    fn likelihood_by_place(
        decoded: FloatTensor<Self>,
        observed: FloatTensor<Self>,
        gain: FloatTensor<Self>,
        centre: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        kind: Likelihood,
        scale: f32,
    ) -> FloatTensor<Self> {
        let decoded = Self::float_add(Self::float_mul(decoded, gain), centre);
        let (errors, factor) = errors::<Self>(decoded, observed, kind, scale);
        Self::float_mul_scalar(Self::float_sum(Self::float_mul(errors, weight)), factor.into())
    }

    /// See [`placed`].
    fn placed(
        x: FloatTensor<Self>,
        mean: FloatTensor<Self>,
        deviation: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let shape = x.shape();
        let [images, height, width] = [shape[0], shape[2], shape[3]];
        let places = TensorData::new(places(height, width), [1, 2, height, width]);
        let places = Self::float_from_data(places, &x.device());
        let places = Self::float_expand(places, Shape::new([images, 2, height, width]));
        let x = Self::float_div(Self::float_sub(x, mean), deviation);
        Self::float_cat(vec![x, places], 1)
    }

    /// See [`adam`].
    fn adam(
        weight: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        first: FloatTensor<Self>,
        second: FloatTensor<Self>,
        adam: Adam,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>) {
        let blend = |old, new, beta: f32| {
            let old = Self::float_mul_scalar(old, beta.into());
            Self::float_add(old, Self::float_mul_scalar(new, (1.0 - beta).into()))
        };
        let first = blend(first, gradient.clone(), adam.beta_1);
        let second = blend(second, Self::float_mul(gradient.clone(), gradient), adam.beta_2);
        let [rate, root] = adam.corrections();
        let below = Self::float_mul_scalar(Self::float_sqrt(second.clone()), root.into());
        let below = Self::float_add_scalar(below, adam.epsilon.into());
        let change = Self::float_mul_scalar(Self::float_div(first.clone(), below), rate.into());
        (Self::float_sub(weight, change), first, second)
    }

    /// See [`adagrad`].
    fn adagrad(
        weight: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        squares: FloatTensor<Self>,
        adagrad: Adagrad,
    ) -> (FloatTensor<Self>, FloatTensor<Self>) {
        let squares = Self::float_add(squares, Self::float_mul(gradient.clone(), gradient.clone()));
        let change = Self::float_div(gradient, Self::float_sqrt(squares.clone()));
        let change = Self::float_mul_scalar(change, adagrad.rate.into());
        (Self::float_sub(weight, change), squares)
    }
}

/// The activations by burn's own operations.
fn activate<B: Backend>(a: FloatTensor<B>, activation: Activation) -> FloatTensor<B> {
    match activation {
        Activation::None => a,
        Activation::Relu => B::relu(a),
        Activation::LeakyRelu(slope) => B::leaky_relu(a, slope.into()),
        Activation::Elu => {
            let below = B::float_exp(B::float_clamp_max(a.clone(), 0.0f32.into()));
            B::float_add_scalar(B::float_add(B::relu(a), below), (-1.0f32).into())
        }
        Activation::Silu => B::float_mul(a.clone(), B::sigmoid(a)),
        Activation::Tanh => B::float_tanh(a),
    }
}

/// Any GPU: the default bodies.
#[cfg(feature = "wgpu")]
mod gpu {
    use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
    use burn::backend::{Autodiff, Cube};

    impl super::Compute for Cube {}
    impl<C: CheckpointStrategy> super::Compute for Autodiff<Cube, C> {}
}

/// The error of each number, and by what they are to be multiplied.
fn errors<B: Backend>(
    decoded: FloatTensor<B>,
    observed: FloatTensor<B>,
    kind: Likelihood,
    scale: f32,
) -> (FloatTensor<B>, f32) {
    match kind {
        Likelihood::Bernoulli => {
            let linear =
                B::float_sub(B::relu(decoded.clone()), B::float_mul(decoded.clone(), observed));
            let tail = B::float_exp(B::float_neg(B::float_abs(decoded)));
            (B::float_add(linear, B::float_log1p(tail)), scale)
        }
        Likelihood::Gaussian { precision, squash } => {
            let mean = if squash { B::sigmoid(decoded) } else { decoded };
            let distance = B::float_sub(mean, observed);
            (B::float_mul(distance.clone(), distance), 0.5 * precision * scale)
        }
    }
}

/// The row and then the column of each pixel, from −1 to 1.
fn places(height: usize, width: usize) -> Vec<f32> {
    let place = |at: usize, size: usize| 2.0 * at as f32 / (size as f32 - 1.0) - 1.0;
    let pixels = || (0..height * width).map(|k| (k / width, k % width));
    let rows = pixels().map(|(row, _)| place(row, height));
    rows.chain(pixels().map(|(_, column)| place(column, width))).collect()
}
