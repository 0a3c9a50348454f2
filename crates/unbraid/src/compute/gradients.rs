//! The extension with gradients: each operation remembers what its backward pass needs.

use burn::backend::autodiff::checkpoint::{base::Checkpointer, strategy::CheckpointStrategy};
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::flex::FlexTensor;
use burn::backend::ops::FloatTensorOps;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, AutodiffBackend, Flex, TensorMetadata};
use burn::tensor::Shape;

use super::graphs::{Attending, Paired, probability_and_gradient};
use super::images::dims;
use super::processor::{
    Convolve, Layer, Normed, activated, activated_backward, dense_backward, dense_forward,
    entropy_and_gradient, error_and_gradient, larger_of_pairs, normalised, normalised_backward,
    placed, to_larger_of_pairs,
};
use super::{Activation, Compute, Form, Likelihood};

#[derive(Clone, Copy, Debug)]
enum Kind {
    Convolution(Convolve),
    Dense(Activation),
}

#[derive(Debug)]
struct LayerBackward;

impl Backward<Flex, 3> for LayerBackward {
    type State = (Layer, Kind);

    fn backward(self, ops: Ops<Self::State, 3>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let gradient = gradients.consume::<Flex>(&ops.node);
        let want_input = ops.parents[0].is_some();
        let (layer, kind) = ops.state;
        let found = match kind {
            Kind::Convolution(convolve) => convolve.backward(&layer, &gradient, want_input),
            Kind::Dense(then) => dense_backward(&layer, &gradient, then, want_input),
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
    /// The gradient of the decoded numbers, or of logits.
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
struct MaxoutBackward;

impl Backward<Flex, 1> for MaxoutBackward {
    /// The pairs, contiguous.
    type State = FlexTensor;

    fn backward(self, ops: Ops<FlexTensor, 1>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let gradient = gradients.consume::<Flex>(&ops.node);
        let [Some(node)] = ops.parents else { return };
        gradients.register::<Flex>(node.id, to_larger_of_pairs(&ops.state, &gradient));
    }
}

#[derive(Debug)]
struct ActivatedBackward;

impl Backward<Flex, 1> for ActivatedBackward {
    /// What the derivative is read off, contiguous.
    type State = (FlexTensor, Activation);

    fn backward(self, ops: Ops<Self::State, 1>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let gradient = gradients.consume::<Flex>(&ops.node);
        let [Some(node)] = ops.parents else { return };
        let (kept, activation) = ops.state;
        gradients.register::<Flex>(node.id, activated_backward(&kept, &gradient, activation));
    }
}

#[derive(Debug)]
struct NormaliseBackward;

impl Backward<Flex, 3> for NormaliseBackward {
    type State = Normed;

    fn backward(self, ops: Ops<Normed, 3>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let gradient = gradients.consume::<Flex>(&ops.node);
        let found = normalised_backward(&ops.state, &gradient);
        register(ops, found, gradients);
    }
}

#[derive(Debug)]
struct PairsBackward;

impl Backward<Flex, 3> for PairsBackward {
    type State = Paired;

    fn backward(self, ops: Ops<Paired, 3>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let gradient = gradients.consume::<Flex>(&ops.node);
        let found = ops.state.backward(&gradient);
        register(ops, found, gradients);
    }
}

#[derive(Debug)]
struct AttentionBackward;

impl Backward<Flex, 5> for AttentionBackward {
    type State = (Attending, Vec<f32>);

    fn backward(self, ops: Ops<Self::State, 5>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let gradient = gradients.consume::<Flex>(&ops.node);
        let found = ops.state.0.backward(&ops.state.1, &gradient);
        register(ops, found, gradients);
    }
}

#[derive(Debug)]
struct ProbabilityBackward;

impl Backward<Flex, 1> for ProbabilityBackward {
    /// The gradient of each row's number by its logits.
    type State = FlexTensor;

    fn backward(self, ops: Ops<FlexTensor, 1>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let upstream = gradients.consume::<Flex>(&ops.node);
        let rows = ops.state.shape()[0];
        let upstream = Flex::float_reshape(upstream, Shape::new([rows, 1]));
        let found = [Flex::float_mul(ops.state.clone(), upstream)];
        register(ops, found, gradients);
    }
}

/// Give each parent that wants one its gradient.
fn register<S, const N: usize>(ops: Ops<S, N>, found: [FlexTensor; N], gradients: &mut Gradients) {
    for (parent, gradient) in ops.parents.into_iter().zip(found) {
        if let Some(node) = parent {
            gradients.register::<Flex>(node.id, gradient);
        }
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
    let nodes = inputs.each_ref().map(Tracked::<C>::node);
    let [x, weight, bias] = inputs.map(Tracked::<C>::into_primitive);
    let ((output, kept), kind) = forward(&x, &weight, &bias);
    match LayerBackward.prepare::<C>(nodes).compute_bound().stateful() {
        OpsKind::Tracked(prepared) => prepared.finish((Layer { x, weight, kept }, kind), output),
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
        assert!(!observed.is_tracked(), "a likelihood gives no gradient to what was observed");
        let node = decoded.node();
        let (decoded, observed) = (decoded.into_primitive(), observed.into_primitive());
        let (sum, gradient) = error_and_gradient(&decoded, &observed, None, kind, scale);
        match ErrorBackward.prepare::<C>([node]).compute_bound().stateful() {
            OpsKind::Tracked(prepared) => prepared.finish(gradient, sum),
            OpsKind::UnTracked(prepared) => prepared.finish(sum),
        }
    }

    fn likelihood_by_place(
        decoded: Tracked<C>,
        observed: Tracked<C>,
        gain: Tracked<C>,
        centre: Tracked<C>,
        weight: Tracked<C>,
        kind: Likelihood,
        scale: f32,
    ) -> Tracked<C> {
        let fixed = [observed, gain, centre, weight];
        assert!(!fixed.iter().any(Tracked::<C>::is_tracked), "only what is decoded has a gradient");
        let [observed, gain, centre, weight] = fixed.map(Tracked::<C>::into_primitive);
        let (node, decoded) = (decoded.node(), decoded.into_primitive());
        let places = Some([&gain, &centre, &weight]);
        let (sum, gradient) = error_and_gradient(&decoded, &observed, places, kind, scale);
        match ErrorBackward.prepare::<C>([node]).compute_bound().stateful() {
            OpsKind::Tracked(prepared) => prepared.finish(gradient, sum),
            OpsKind::UnTracked(prepared) => prepared.finish(sum),
        }
    }

    fn placed(x: Tracked<C>, mean: Tracked<C>, deviation: Tracked<C>) -> Tracked<C> {
        let all = [x, mean, deviation];
        assert!(!all.iter().any(Tracked::<C>::is_tracked), "an input has no gradient");
        let [x, mean, deviation] = all.map(Tracked::<C>::into_primitive);
        Tracked::<C>::new(placed(&x, &mean, &deviation))
    }

    fn activated(x: Tracked<C>, activation: Activation) -> Tracked<C> {
        let node = x.node();
        let x = x.into_primitive().to_contiguous();
        let output = activated(&x, activation);
        let kept = if activation.keeps_output() { output.clone() } else { x };
        match ActivatedBackward.prepare::<C>([node]).compute_bound().stateful() {
            OpsKind::Tracked(prepared) => prepared.finish((kept, activation), output),
            OpsKind::UnTracked(prepared) => prepared.finish(output),
        }
    }

    fn maxout(x: Tracked<C>) -> Tracked<C> {
        let node = x.node();
        let x = x.into_primitive().to_contiguous();
        let larger = larger_of_pairs(&x);
        match MaxoutBackward.prepare::<C>([node]).compute_bound().stateful() {
            OpsKind::Tracked(prepared) => prepared.finish(x, larger),
            OpsKind::UnTracked(prepared) => prepared.finish(larger),
        }
    }

    fn cross_entropy(logits: Tracked<C>, labels: Tracked<C>) -> Tracked<C> {
        assert!(!labels.is_tracked(), "a cross-entropy gives no gradient to labels");
        let node = logits.node();
        let (logits, labels) = (logits.into_primitive(), labels.into_primitive());
        let (mean, gradient) = entropy_and_gradient(&logits, &labels);
        match ErrorBackward.prepare::<C>([node]).compute_bound().stateful() {
            OpsKind::Tracked(prepared) => prepared.finish(gradient, mean),
            OpsKind::UnTracked(prepared) => prepared.finish(mean),
        }
    }

    fn normalise(
        x: Tracked<C>,
        scale: Tracked<C>,
        shift: Tracked<C>,
        slope: f32,
    ) -> (Tracked<C>, Tracked<C>, Tracked<C>) {
        let inputs = [x, scale, shift];
        let nodes = inputs.each_ref().map(Tracked::<C>::node);
        let [x, scale, shift] = inputs.map(Tracked::<C>::into_primitive);
        let (output, normed) = normalised(&x, scale, shift, slope);
        let statistics = [normed.mean.clone(), normed.variance.clone()];
        let [mean, variance] = statistics.map(Self::from_inner);
        let output = match NormaliseBackward.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(prepared) => prepared.finish(normed, output),
            OpsKind::UnTracked(prepared) => prepared.finish(output),
        };
        (output, mean, variance)
    }

    fn pairs(u: Tracked<C>, v: Tracked<C>, w: Tracked<C>, slope: f32) -> Tracked<C> {
        let inputs = [u, v, w];
        let nodes = inputs.each_ref().map(Tracked::<C>::node);
        let paired = Paired::new(inputs.map(Tracked::<C>::into_primitive), slope);
        let output = paired.forward();
        match PairsBackward.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(prepared) => prepared.finish(paired, output),
            OpsKind::UnTracked(prepared) => prepared.finish(output),
        }
    }

    fn attention(
        query: Tracked<C>,
        key: Tracked<C>,
        value: Tracked<C>,
        bias: Tracked<C>,
        edges: Tracked<C>,
    ) -> Tracked<C> {
        let inputs = [query, key, value, bias, edges];
        let nodes = inputs.each_ref().map(Tracked::<C>::node);
        let attending = Attending::new(inputs.map(Tracked::<C>::into_primitive));
        let (output, kept) = attending.forward();
        match AttentionBackward.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(prepared) => prepared.finish((attending, kept), output),
            OpsKind::UnTracked(prepared) => prepared.finish(output),
        }
    }

    fn log_probability(logits: Tracked<C>, codes: Tracked<C>, least: f32) -> Tracked<C> {
        assert!(!codes.is_tracked(), "a log-probability gives no gradient to codes");
        let node = logits.node();
        let (logits, codes) = (logits.into_primitive(), codes.into_primitive());
        let (found, gradient) = probability_and_gradient(&logits, &codes, least);
        match ProbabilityBackward.prepare::<C>([node]).compute_bound().stateful() {
            OpsKind::Tracked(prepared) => prepared.finish(gradient, found),
            OpsKind::UnTracked(prepared) => prepared.finish(found),
        }
    }

    fn arrange(images: Tracked<C>) -> Tracked<C> {
        assert!(!images.is_tracked(), "images that are arranged have no gradient");
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
