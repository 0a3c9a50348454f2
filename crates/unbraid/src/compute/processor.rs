//! The extension on the processor: tensors in, `unbraid-kernels`, tensors out.

use std::ops::Range;

use burn::backend::flex::FlexTensor;
use burn::backend::{Flex, TensorMetadata};
use burn::tensor::Shape;
use rayon::prelude::*;
use unbraid_kernels::{self as kernels, Cpu, Map, Places};

use super::graphs::{Attending, Paired, probability_and_gradient};
use super::images::{as_map, contiguous, dims, from_map, map_of, rows_of};
use super::{Activation, Adagrad, Adam, Compute, Form, Likelihood};

impl Compute for Flex {
    fn convolution(x: FlexTensor, weight: FlexTensor, bias: FlexTensor, form: Form) -> FlexTensor {
        Convolve::new(&x, &weight, form).forward(&x, &weight, &bias).0
    }

    fn dense(x: FlexTensor, weight: FlexTensor, bias: FlexTensor, then: Activation) -> FlexTensor {
        dense_forward(&x, &weight, &bias, then).0
    }

    fn activated(x: FlexTensor, activation: Activation) -> FlexTensor {
        activated(&x.to_contiguous(), activation)
    }

    fn maxout(x: FlexTensor) -> FlexTensor {
        larger_of_pairs(&x.to_contiguous())
    }

    fn cross_entropy(logits: FlexTensor, labels: FlexTensor) -> FlexTensor {
        entropy_and_gradient(&logits, &labels).0
    }

    fn normalise(
        x: FlexTensor,
        scale: FlexTensor,
        shift: FlexTensor,
        slope: f32,
    ) -> (FlexTensor, FlexTensor, FlexTensor) {
        let (output, normed) = normalised(&x, scale, shift, slope);
        (output, normed.mean, normed.variance)
    }

    fn pairs(u: FlexTensor, v: FlexTensor, w: FlexTensor, slope: f32) -> FlexTensor {
        Paired::new([u, v, w], slope).forward()
    }

    fn attention(
        query: FlexTensor,
        key: FlexTensor,
        value: FlexTensor,
        bias: FlexTensor,
        edges: FlexTensor,
    ) -> FlexTensor {
        Attending::new([query, key, value, bias, edges]).forward().0
    }

    fn log_probability(logits: FlexTensor, codes: FlexTensor, least: f32) -> FlexTensor {
        probability_and_gradient(&logits, &codes, least).0
    }

    fn arrange(images: FlexTensor) -> FlexTensor {
        let map = map_of(&images);
        from_map(as_map(&images, &map).into_owned(), &map)
    }

    fn flatten(x: FlexTensor) -> FlexTensor {
        rows_of(&x)
    }

    fn unflatten(x: FlexTensor, [channels, height, width]: [usize; 3]) -> FlexTensor {
        let images = x.shape()[0];
        Self::arrange(x.to_contiguous().reshape(Shape::new([images, channels, height, width])))
    }

    fn likelihood(
        decoded: FlexTensor,
        observed: FlexTensor,
        kind: Likelihood,
        scale: f32,
    ) -> FlexTensor {
        error_and_gradient(&decoded, &observed, None, kind, scale).0
    }

    fn likelihood_by_place(
        decoded: FlexTensor,
        observed: FlexTensor,
        gain: FlexTensor,
        centre: FlexTensor,
        weight: FlexTensor,
        kind: Likelihood,
        scale: f32,
    ) -> FlexTensor {
        let places = [&gain, &centre, &weight];
        error_and_gradient(&decoded, &observed, Some(places), kind, scale).0
    }

    fn placed(x: FlexTensor, mean: FlexTensor, deviation: FlexTensor) -> FlexTensor {
        placed(&x, &mean, &deviation)
    }

    fn adam(
        mut weight: FlexTensor,
        gradient: FlexTensor,
        mut first: FlexTensor,
        mut second: FlexTensor,
        adam: Adam,
    ) -> (FlexTensor, FlexTensor, FlexTensor) {
        [&mut weight, &mut first, &mut second].into_iter().for_each(make_whole);
        let gradient = gradient.to_contiguous();
        let (w, m, v) = (weight.storage_mut(), first.storage_mut(), second.storage_mut());
        adam.step(w, gradient.storage(), m, v, Cpu::best());
        (weight, first, second)
    }

    fn adagrad(
        mut weight: FlexTensor,
        gradient: FlexTensor,
        mut squares: FlexTensor,
        adagrad: Adagrad,
    ) -> (FlexTensor, FlexTensor) {
        [&mut weight, &mut squares].into_iter().for_each(make_whole);
        let gradient = gradient.to_contiguous();
        let (w, s) = (weight.storage_mut(), squares.storage_mut());
        adagrad.step(w, gradient.storage(), s, Cpu::best());
        (weight, squares)
    }
}

/// Copy a tensor that cannot be updated in place: a part of a larger one may be contiguous too, but only a
/// whole one is its storage.
fn make_whole(tensor: &mut FlexTensor) {
    if !tensor.is_contiguous() || tensor.storage::<f32>().len() != tensor.shape().num_elements() {
        *tensor = tensor.to_contiguous();
    }
}

/// A convolution between two maps, with the tensors' sizes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Convolve {
    form: Form,
    big: Map,
    small: Map,
}

impl Convolve {
    pub(super) fn new(x: &FlexTensor, weight: &FlexTensor, form: Form) -> Self {
        let Form { geometry, transposed, extra, .. } = form;
        let [images, channels, height, width] = dims(x);
        let [first, second, rows, columns] = dims(weight);
        let [input, output] = if transposed { [first, second] } else { [second, first] };
        assert_eq!(channels, input, "the images have the channels of the weight");
        assert_eq!([rows, columns], geometry.kernel, "the weight has the kernel of the layer");
        let given = [height, width];
        let (big, small) = match transposed {
            true => (geometry.up(given, extra), given),
            false => (given, geometry.down(given)),
        };
        let [big_channels, small_channels] =
            if transposed { [output, input] } else { [input, output] };
        // What the forward pass needs of one map and the backward pass of the other; never less than
        // one, so that neighbouring layers agree.
        let map = |channels: usize, [height, width]: [usize; 2], border: usize| Map {
            images,
            channels,
            height,
            width,
            border: border.max(1),
        };
        Self {
            form,
            big: map(big_channels, big, geometry.big_border()),
            small: map(small_channels, small, geometry.small_border(big, small)),
        }
    }

    /// The input's map, the output's, and the kernel.
    fn maps(&self) -> (Map, Map, kernels::Convolution) {
        let kernel =
            kernels::Convolution::new(self.big, self.small, self.form.geometry, Cpu::best());
        match self.form.transposed {
            true => (self.small, self.big, kernel),
            false => (self.big, self.small, kernel),
        }
    }

    /// The output, and what the backward pass needs of it.
    pub(super) fn forward(
        &self,
        x: &FlexTensor,
        weight: &FlexTensor,
        bias: &FlexTensor,
    ) -> (FlexTensor, FlexTensor) {
        let (from, to, kernel) = self.maps();
        let (weight, bias) = (weight.to_contiguous(), bias.to_contiguous());
        let x = as_map(x, &from);
        let run = |then| match self.form.transposed {
            true => kernel.up(&x, weight.storage(), bias.storage(), then),
            false => kernel.down(&x, weight.storage(), bias.storage(), then),
        };
        with_sums(self.form.activation, run, |values| from_map(values, &to))
    }

    pub(super) fn backward(
        &self,
        state: &Layer,
        gradient: &FlexTensor,
        want_input: bool,
    ) -> [Option<FlexTensor>; 3] {
        let (from, to, kernel) = self.maps();
        let weight = state.weight.to_contiguous();
        let layer = kernels::Backward {
            input: &as_map(&state.x, &from),
            weight: weight.storage(),
            kept: &as_map(&state.kept, &to),
            gradient: &as_map(gradient, &to),
            activation: self.form.activation,
            want_input,
        };
        let gradients = match self.form.transposed {
            true => kernel.up_backward(&layer),
            false => kernel.down_backward(&layer),
        };
        [
            want_input.then(|| from_map(gradients.input, &from)),
            Some(contiguous(gradients.weight, state.weight.shape())),
            Some(contiguous(gradients.bias, Shape::new([to.channels]))),
        ]
    }
}

/// The output of a layer and what its backward pass needs: the output itself, or for an activation
/// that cannot be undone from it, the sums.
fn with_sums(
    activation: Activation,
    run: impl Fn(Activation) -> Vec<f32>,
    tensor: impl Fn(Vec<f32>) -> FlexTensor,
) -> (FlexTensor, FlexTensor) {
    if activation.keeps_output() {
        let output = tensor(run(activation));
        return (output.clone(), output);
    }
    let sums = run(Activation::None);
    let output = activation.of(&sums, Cpu::best());
    (tensor(output), tensor(sums))
}

pub(super) fn dense_forward(
    x: &FlexTensor,
    weight: &FlexTensor,
    bias: &FlexTensor,
    then: Activation,
) -> (FlexTensor, FlexTensor) {
    let (x, weight, bias) = (x.to_contiguous(), weight.to_contiguous(), bias.to_contiguous());
    let [inputs, outputs] = [weight.shape()[0], weight.shape()[1]];
    let rows = x.shape()[0];
    assert_eq!(x.shape()[1], inputs, "the rows have the inputs of the weight");
    let layer = kernels::Dense { inputs, outputs, cpu: Cpu::best() };
    let run = |then| layer.forward(x.storage(), weight.storage(), bias.storage(), then);
    with_sums(then, run, |values| contiguous(values, Shape::new([rows, outputs])))
}

pub(super) fn dense_backward(
    state: &Layer,
    gradient: &FlexTensor,
    then: Activation,
    want_input: bool,
) -> [Option<FlexTensor>; 3] {
    let (x, weight) = (state.x.to_contiguous(), state.weight.to_contiguous());
    let (kept, gradient) = (state.kept.to_contiguous(), gradient.to_contiguous());
    let [inputs, outputs] = [weight.shape()[0], weight.shape()[1]];
    let gradients =
        kernels::Dense { inputs, outputs, cpu: Cpu::best() }.backward(&kernels::Backward {
            input: x.storage(),
            weight: weight.storage(),
            kept: kept.storage(),
            gradient: gradient.storage(),
            activation: then,
            want_input,
        });
    [
        want_input.then(|| contiguous(gradients.input, x.shape())),
        Some(contiguous(gradients.weight, weight.shape())),
        Some(contiguous(gradients.bias, Shape::new([outputs]))),
    ]
}

/// Numbers that one thread activates at a time: few enough to stay in cache.
const STRETCH: usize = 1 << 13;

/// The activation of every number of a contiguous tensor.
pub(super) fn activated(x: &FlexTensor, activation: Activation) -> FlexTensor {
    let numbers = x.storage::<f32>();
    let parts = numbers.par_chunks(STRETCH).map(|part| activation.of(part, Cpu::best()));
    contiguous(parts.collect::<Vec<_>>().concat(), x.shape())
}

/// The gradient of what was activated; `kept` is contiguous.
pub(super) fn activated_backward(
    kept: &FlexTensor,
    gradient: &FlexTensor,
    activation: Activation,
) -> FlexTensor {
    let gradient = gradient.to_contiguous();
    let (numbers, kept) = (gradient.storage::<f32>(), kept.storage::<f32>());
    let both = numbers.par_chunks(STRETCH).zip(kept.par_chunks(STRETCH));
    let parts = both.map(|(gradient, kept)| activation.undone(gradient, kept, Cpu::best()));
    contiguous(parts.collect::<Vec<_>>().concat(), gradient.shape())
}

/// The larger of each two consecutive numbers, of a contiguous tensor.
pub(super) fn larger_of_pairs(x: &FlexTensor) -> FlexTensor {
    let (pairs, rest) = x.storage::<f32>().as_chunks::<2>();
    assert!(rest.is_empty() && x.shape()[1].is_multiple_of(2), "rows of pairs");
    let larger = pairs.iter().map(|[a, b]| if a >= b { *a } else { *b }).collect();
    contiguous(larger, Shape::new([x.shape()[0], x.shape()[1] / 2]))
}

/// The gradient of each goes to the larger of its pair, or the first.
pub(super) fn to_larger_of_pairs(x: &FlexTensor, gradient: &FlexTensor) -> FlexTensor {
    let gradient = gradient.to_contiguous();
    let (pairs, _) = x.storage::<f32>().as_chunks::<2>();
    let each = pairs.iter().zip(gradient.storage::<f32>());
    let share = |([a, b], g): (&[f32; 2], &f32)| if a >= b { [*g, 0.0] } else { [0.0, *g] };
    contiguous(each.flat_map(share).collect(), x.shape())
}

/// What a normalisation keeps for its backward pass, all contiguous.
#[derive(Clone, Debug)]
pub(super) struct Normed {
    standard: FlexTensor,
    pub(super) mean: FlexTensor,
    pub(super) variance: FlexTensor,
    scale: FlexTensor,
    shift: FlexTensor,
    slope: f32,
}

pub(super) fn normalised(
    x: &FlexTensor,
    scale: FlexTensor,
    shift: FlexTensor,
    slope: f32,
) -> (FlexTensor, Normed) {
    let (x, scale, shift) = (x.to_contiguous(), scale.to_contiguous(), shift.to_contiguous());
    let found = kernels::normalise(x.storage(), scale.storage(), shift.storage(), slope);
    let columns = |values| contiguous(values, scale.shape());
    let (mean, variance) = (columns(found.mean), columns(found.variance));
    let standard = contiguous(found.standard, x.shape());
    (contiguous(found.output, x.shape()), Normed { standard, mean, variance, scale, shift, slope })
}

pub(super) fn normalised_backward(kept: &Normed, gradient: &FlexTensor) -> [FlexTensor; 3] {
    let gradient = gradient.to_contiguous();
    let found = kernels::normalise_backward(
        gradient.storage(),
        kept.standard.storage(),
        kept.variance.storage(),
        kept.scale.storage(),
        kept.shift.storage(),
        kept.slope,
    );
    let columns = kept.scale.shape();
    let input = contiguous(found.input, kept.standard.shape());
    [input, contiguous(found.scale, columns.clone()), contiguous(found.shift, columns)]
}

/// The cross-entropy of a softmax, and its gradient.
pub(super) fn entropy_and_gradient(
    logits: &FlexTensor,
    labels: &FlexTensor,
) -> (FlexTensor, FlexTensor) {
    let (logits, labels) = (logits.to_contiguous(), labels.to_contiguous());
    let classes = logits.shape()[1];
    let (mean, gradient) =
        kernels::cross_entropy(logits.storage(), labels.storage(), classes, Cpu::best());
    let mean = contiguous(vec![mean as f32], Shape::new([1]));
    (mean, contiguous(gradient, logits.shape()))
}

/// scale · Σ −log p, and its gradient, with gain, centre and weight of each place where they are given.
pub(super) fn error_and_gradient(
    decoded: &FlexTensor,
    observed: &FlexTensor,
    places: Option<[&FlexTensor; 3]>,
    kind: Likelihood,
    scale: f32,
) -> (FlexTensor, FlexTensor) {
    assert_eq!(decoded.shape(), observed.shape(), "an observation for every decoded number");
    let error = |decoded: &[f32],
                 observed: &[f32],
                 places: Option<[&[f32]; 3]>,
                 piece: usize,
                 inside: &[Range<usize>]| {
        let places = places.map(|[gain, centre, weight]| Places { gain, centre, weight });
        let cpu = Cpu::best();
        let (sum, gradient) =
            kind.error_by_place(decoded, observed, places, piece, inside, scale, cpu);
        (contiguous(vec![sum as f32], Shape::new([1])), gradient)
    };
    if decoded.is_contiguous() {
        let (flat, observed) = (decoded.to_contiguous(), rows_of(observed));
        let size = observed.shape()[1];
        let places = places.map(|each| each.map(rows_of));
        let places = places.as_ref().map(|each| each.each_ref().map(FlexTensor::storage));
        let (all, from) = (0..size, observed.storage());
        let (sum, gradient) = error(flat.storage(), from, places, size, std::slice::from_ref(&all));
        return (sum, contiguous(gradient, decoded.shape()));
    }
    let map = map_of(decoded);
    let row = |y: usize| {
        let start = map.placement().offset + y * map.row_size();
        start..start + map.width * map.channels
    };
    let inside: Vec<Range<usize>> = (0..map.height).map(row).collect();
    let (decoded, observed) = (as_map(decoded, &map), as_map(observed, &map));
    let one = Map { images: 1, ..map };
    let places = places.map(|each| each.map(|place| as_map(place, &one)));
    let places = places.as_ref().map(|each| each.each_ref().map(|place| &**place));
    let (sum, gradient) = error(&decoded, &observed, places, map.image_size(), &inside);
    (sum, from_map(gradient, &map))
}

/// (x − mean) / deviation, and where each pixel is.
pub(super) fn placed(x: &FlexTensor, mean: &FlexTensor, deviation: &FlexTensor) -> FlexTensor {
    let [images, channels, height, width] = dims(x);
    let [x, mean, deviation] = [x, mean, deviation].map(rows_of);
    let [x, mean, deviation] = [&x, &mean, &deviation].map(FlexTensor::storage::<f32>);
    let places = super::places(height, width);
    let (size, wide) = (channels * height * width, (channels + 2) * height * width);
    let mut all = vec![0.0f32; images * wide];
    all.par_chunks_mut(wide).zip(x.par_chunks(size)).for_each(|(out, x)| {
        let (pixels, where_) = out.split_at_mut(size);
        let measures = mean.iter().zip(deviation);
        for ((out, x), (mean, deviation)) in pixels.iter_mut().zip(x).zip(measures) {
            *out = (x - mean) / deviation;
        }
        where_.copy_from_slice(&places);
    });
    contiguous(all, Shape::new([images, channels + 2, height, width]))
}

/// What a layer keeps for its backward pass.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    pub(super) x: FlexTensor,
    pub(super) weight: FlexTensor,
    pub(super) kept: FlexTensor,
}
