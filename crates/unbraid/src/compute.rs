//! The layers, likelihoods and optimiser that training spends its time in, as a burn extension.
//!
//! On the processor (burn's Flex backend) they run on `unbraid-kernels`; on every other backend the
//! default bodies below compose burn's own operations, which burn also differentiates. Nothing else in
//! the crate knows the difference: [`convolution`], [`dense`], [`likelihood`] and [`adam`] take and give
//! ordinary tensors.
//!
//! Images that leave a kernel have channels last in memory and a border of zeros, seen by burn as a
//! strided view, so that the next kernel takes them as they are. burn's own operations read such views
//! correctly and never write outside them: they change a tensor in place only where it is contiguous.

use std::borrow::Cow;
use std::ops::Range;

use burn::backend::autodiff::checkpoint::{base::Checkpointer, strategy::CheckpointStrategy};
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::flex::{FlexTensor, Layout};
use burn::backend::ops::{ConvOptions, ConvTransposeOptions, FloatTensorOps};
use burn::backend::tensor::FloatTensor;
use burn::backend::{
    Autodiff, AutodiffBackend, Backend, DType, Dispatch, Flex, TensorMetadata, backend_extension,
};
use burn::tensor::{Bytes, Shape, Tensor};
use unbraid_kernels::{self as kernels, Cpu, Map, Placement};
pub use unbraid_kernels::{Activation, Adam, Geometry, Likelihood};

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
        let (errors, factor) = match kind {
            Likelihood::Bernoulli => {
                let linear = Self::float_sub(
                    Self::relu(decoded.clone()),
                    Self::float_mul(decoded.clone(), observed),
                );
                let tail = Self::float_exp(Self::float_neg(Self::float_abs(decoded)));
                (Self::float_add(linear, Self::float_log1p(tail)), scale)
            }
            Likelihood::Gaussian { precision, squash } => {
                let mean = if squash { Self::sigmoid(decoded) } else { decoded };
                let distance = Self::float_sub(mean, observed);
                (Self::float_mul(distance.clone(), distance), 0.5 * precision * scale)
            }
        };
        Self::float_mul_scalar(Self::float_sum(errors), factor.into())
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

#[cfg(feature = "wgpu")]
impl Compute for burn::backend::Cube {}
#[cfg(feature = "wgpu")]
impl<C: CheckpointStrategy> Compute for Autodiff<burn::backend::Cube, C> {}

impl Compute for Flex {
    fn convolution(x: FlexTensor, weight: FlexTensor, bias: FlexTensor, form: Form) -> FlexTensor {
        Convolve::new(&x, &weight, form).forward(&x, &weight, &bias).0
    }

    fn dense(x: FlexTensor, weight: FlexTensor, bias: FlexTensor, then: Activation) -> FlexTensor {
        dense_forward(&x, &weight, &bias, then).0
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
        error_and_gradient(&decoded, &observed, kind, scale).0
    }

    fn adam(
        mut weight: FlexTensor,
        gradient: FlexTensor,
        mut first: FlexTensor,
        mut second: FlexTensor,
        adam: Adam,
    ) -> (FlexTensor, FlexTensor, FlexTensor) {
        for tensor in [&mut weight, &mut first, &mut second] {
            if !tensor.is_contiguous() {
                *tensor = tensor.to_contiguous();
            }
        }
        let gradient = gradient.to_contiguous();
        let (w, m, v) = (weight.storage_mut(), first.storage_mut(), second.storage_mut());
        adam.step(w, gradient.storage(), m, v, Cpu::best());
        (weight, first, second)
    }
}

/// A convolution between two maps, with the tensors' sizes.
#[derive(Clone, Copy, Debug)]
struct Convolve {
    form: Form,
    big: Map,
    small: Map,
}

impl Convolve {
    fn new(x: &FlexTensor, weight: &FlexTensor, form: Form) -> Self {
        let geometry = form.geometry;
        let [images, channels, height, width] = dims(x);
        let [rows, columns] = [height, width];
        let given = Map { images, channels, height, width, border: 0 };
        let made = |channels: usize, [height, width]: [usize; 2]| Map {
            images,
            channels,
            height,
            width,
            border: 0,
        };
        let [first, second] = [weight.shape()[0], weight.shape()[1]];
        let (big, small) = if form.transposed {
            (made(second, geometry.up([rows, columns], form.extra)), given)
        } else {
            (given, made(first, geometry.down([rows, columns])))
        };
        // What the forward pass needs of one map and the backward pass of the other; never less than
        // one, so that neighbouring layers agree.
        let sizes = ([big.height, big.width], [small.height, small.width]);
        let big = Map { border: geometry.big_border().max(1), ..big };
        let small = Map { border: geometry.small_border(sizes.0, sizes.1).max(1), ..small };
        Self { form, big, small }
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
    fn forward(
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

    fn backward(
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

fn dense_forward(
    x: &FlexTensor,
    weight: &FlexTensor,
    bias: &FlexTensor,
    then: Activation,
) -> (FlexTensor, FlexTensor) {
    let (x, weight, bias) = (x.to_contiguous(), weight.to_contiguous(), bias.to_contiguous());
    let [inputs, outputs] = [weight.shape()[0], weight.shape()[1]];
    let rows = x.shape()[0];
    let layer = kernels::Dense { inputs, outputs, cpu: Cpu::best() };
    let run = |then| layer.forward(x.storage(), weight.storage(), bias.storage(), then);
    with_sums(then, run, |values| contiguous(values, Shape::new([rows, outputs])))
}

fn dense_backward(
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

fn error_and_gradient(
    decoded: &FlexTensor,
    observed: &FlexTensor,
    kind: Likelihood,
    scale: f32,
) -> (FlexTensor, FlexTensor) {
    let error = |decoded: &[f32], observed: &[f32], piece: usize, inside: &[Range<usize>]| {
        let (sum, gradient) = kind.error(decoded, observed, piece, inside, scale, Cpu::best());
        (contiguous(vec![(sum * f64::from(scale)) as f32], Shape::new([1])), gradient)
    };
    if decoded.is_contiguous() {
        let (flat, observed) = (decoded.to_contiguous(), rows_of(observed));
        let size = observed.shape()[1];
        let (sum, gradient) = error(flat.storage(), observed.storage(), size, &[0..size]);
        return (sum, contiguous(gradient, decoded.shape()));
    }
    let map = map_of(decoded);
    let row = |y: usize| {
        let start = map.placement().offset + y * map.row_size();
        start..start + map.width * map.channels
    };
    let inside: Vec<Range<usize>> = (0..map.height).map(row).collect();
    let (decoded, observed) = (as_map(decoded, &map), as_map(observed, &map));
    let (sum, gradient) = error(&decoded, &observed, map.image_size(), &inside);
    (sum, from_map(gradient, &map))
}

fn dims(tensor: &FlexTensor) -> [usize; 4] {
    let shape = tensor.shape();
    [shape[0], shape[1], shape[2], shape[3]]
}

/// The map most layers agree on.
fn map_of(tensor: &FlexTensor) -> Map {
    let [images, channels, height, width] = dims(tensor);
    Map { images, channels, height, width, border: 1 }
}

/// `[batch, channels · height · width]` of images.
fn rows_of(images: &FlexTensor) -> FlexTensor {
    let map = map_of(images);
    let size = map.channels * map.height * map.width;
    let shape = Shape::new([map.images, size]);
    match is_map(images, &map) {
        Some(values) => contiguous(map.planes(values), shape),
        None => images.to_contiguous().reshape(shape),
    }
}

fn contiguous(values: Vec<f32>, shape: Shape) -> FlexTensor {
    FlexTensor::new(Bytes::from_elems(values), Layout::contiguous(shape), DType::F32)
}

/// What stands behind the numbers of a map in its memory. Strides alone do not tell a map from a crop
/// of a larger image, whose border is not zero; these numbers do.
fn mark(map: &Map) -> [f32; 5] {
    let bits = [0x756e_6272, map.border, map.channels, map.height, map.width];
    bits.map(|number| f32::from_bits(number as u32))
}

/// The view of a map that burn sees.
fn from_map(mut values: Vec<f32>, map: &Map) -> FlexTensor {
    values.extend(mark(map));
    let Placement { offset, strides } = map.placement();
    let shape = Shape::new([map.images, map.channels, map.height, map.width]);
    let layout = Layout::new(shape, strides.map(|stride| stride as isize).to_vec(), offset);
    FlexTensor::new(Bytes::from_elems(values), layout, DType::F32)
}

/// The memory of a tensor that is this map already.
fn is_map<'a>(tensor: &'a FlexTensor, map: &Map) -> Option<&'a [f32]> {
    let storage: &[f32] = tensor.storage();
    if storage.len() != map.size() + mark(map).len() || placement(tensor)? != map.placement() {
        return None;
    }
    let (values, behind) = storage.split_at(map.size());
    let same = behind.iter().zip(mark(map)).all(|(a, b)| a.to_bits() == b.to_bits());
    same.then_some(values)
}

/// The memory of a tensor that is this map, or a copy in its form.
fn as_map<'a>(tensor: &'a FlexTensor, map: &Map) -> Cow<'a, [f32]> {
    if let Some(values) = is_map(tensor, map) {
        return Cow::Borrowed(values);
    }
    Cow::Owned(match placement(tensor) {
        Some(placement) => map.gather(tensor.storage(), placement),
        None => {
            let tensor = tensor.to_contiguous();
            let placement = placement(&tensor).expect("contiguous strides are not negative");
            map.gather(tensor.storage(), placement)
        }
    })
}

/// Where the numbers of a tensor lie; nothing if it was flipped.
fn placement(tensor: &FlexTensor) -> Option<Placement> {
    let layout = tensor.layout();
    let mut strides = [0; 4];
    for (stride, &found) in strides.iter_mut().zip(layout.strides()) {
        *stride = usize::try_from(found).ok()?;
    }
    Some(Placement { offset: layout.start_offset(), strides })
}

/// What a layer keeps for its backward pass.
#[derive(Clone, Debug)]
struct Layer {
    x: FlexTensor,
    weight: FlexTensor,
    kept: FlexTensor,
    kind: Kind,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Convolution(Convolve),
    Dense(Activation),
}

#[derive(Debug)]
struct LayerBackward;

impl Backward<Flex, 3> for LayerBackward {
    type State = Layer;

    fn backward(self, ops: Ops<Layer, 3>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let gradient = gradients.consume::<Flex>(&ops.node);
        let want_input = ops.parents[0].is_some();
        let found = match ops.state.kind {
            Kind::Convolution(convolve) => convolve.backward(&ops.state, &gradient, want_input),
            Kind::Dense(then) => dense_backward(&ops.state, &gradient, then, want_input),
        };
        for (parent, gradient) in ops.parents.into_iter().zip(found) {
            if let (Some(node), Some(gradient)) = (parent, gradient) {
                gradients.register::<Flex>(node.id, gradient);
            }
        }
    }
}

#[derive(Debug)]
struct ErrorBackward;

impl Backward<Flex, 1> for ErrorBackward {
    /// The gradient of the decoded numbers.
    type State = FlexTensor;

    fn backward(self, ops: Ops<FlexTensor, 1>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let upstream = gradients.consume::<Flex>(&ops.node);
        let factor: f32 = upstream.storage::<f32>()[upstream.layout().start_offset()];
        let [Some(node)] = ops.parents else { return };
        let gradient = match factor == 1.0 {
            true => ops.state,
            false => Flex::float_mul_scalar(ops.state, factor.into()),
        };
        gradients.register::<Flex>(node.id, gradient);
    }
}

#[derive(Debug)]
struct FlattenBackward;

impl Backward<Flex, 1> for FlattenBackward {
    /// The channels, height and width of the images; nothing for the other way.
    type State = Option<[usize; 3]>;

    fn backward(self, ops: Ops<Self::State, 1>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let gradient = gradients.consume::<Flex>(&ops.node);
        let [Some(node)] = ops.parents else { return };
        let gradient = match ops.state {
            Some(grid) => Flex::unflatten(gradient, grid),
            None => Flex::flatten(gradient),
        };
        gradients.register::<Flex>(node.id, gradient);
    }
}

type Tracked<C> = FloatTensor<Autodiff<Flex, C>>;

/// Run a layer and remember it for the backward pass, if any of its inputs has gradients.
fn track<C: CheckpointStrategy>(
    inputs: [Tracked<C>; 3],
    forward: impl Fn(&FlexTensor, &FlexTensor, &FlexTensor) -> ((FlexTensor, FlexTensor), Kind),
) -> Tracked<C> {
    let nodes = inputs.each_ref().map(|input| input.node());
    let [x, weight, bias] = inputs.map(|input| input.into_primitive());
    let ((output, kept), kind) = forward(&x, &weight, &bias);
    match LayerBackward.prepare::<C>(nodes).compute_bound().stateful() {
        OpsKind::Tracked(prepared) => prepared.finish(Layer { x, weight, kept, kind }, output),
        OpsKind::UnTracked(prepared) => prepared.finish(output),
    }
}

impl<C: CheckpointStrategy> Compute for Autodiff<Flex, C> {
    fn convolution(x: Tracked<C>, weight: Tracked<C>, bias: Tracked<C>, form: Form) -> Tracked<C> {
        track::<C>([x, weight, bias], |x, weight, bias| {
            let convolve = Convolve::new(x, weight, form);
            (convolve.forward(x, weight, bias), Kind::Convolution(convolve))
        })
    }

    fn dense(x: Tracked<C>, weight: Tracked<C>, bias: Tracked<C>, then: Activation) -> Tracked<C> {
        track::<C>([x, weight, bias], |x, weight, bias| {
            (dense_forward(x, weight, bias, then), Kind::Dense(then))
        })
    }

    fn likelihood(
        decoded: Tracked<C>,
        observed: Tracked<C>,
        kind: Likelihood,
        scale: f32,
    ) -> Tracked<C> {
        let node = decoded.node();
        let (decoded, observed) = (decoded.into_primitive(), observed.into_primitive());
        let (sum, gradient) = error_and_gradient(&decoded, &observed, kind, scale);
        match ErrorBackward.prepare::<C>([node]).compute_bound().stateful() {
            OpsKind::Tracked(prepared) => prepared.finish(gradient, sum),
            OpsKind::UnTracked(prepared) => prepared.finish(sum),
        }
    }

    fn arrange(images: Tracked<C>) -> Tracked<C> {
        Self::from_inner(Flex::arrange(images.into_primitive()))
    }

    fn flatten(x: Tracked<C>) -> Tracked<C> {
        let node = x.node();
        let x = x.into_primitive();
        let [_, channels, height, width] = dims(&x);
        match FlattenBackward.prepare::<C>([node]).compute_bound().stateful() {
            OpsKind::Tracked(prepared) => {
                prepared.finish(Some([channels, height, width]), Flex::flatten(x))
            }
            OpsKind::UnTracked(prepared) => prepared.finish(Flex::flatten(x)),
        }
    }

    fn unflatten(x: Tracked<C>, grid: [usize; 3]) -> Tracked<C> {
        let node = x.node();
        let images = Flex::unflatten(x.into_primitive(), grid);
        match FlattenBackward.prepare::<C>([node]).compute_bound().stateful() {
            OpsKind::Tracked(prepared) => prepared.finish(None, images),
            OpsKind::UnTracked(prepared) => prepared.finish(images),
        }
    }
}
