//! What is computed of graphs on the processor: networks of pairs, attention along edges, and the probability of the
//! codes that come out.

use burn::backend::TensorMetadata;
use burn::backend::flex::FlexTensor;
use burn::tensor::Shape;
use unbraid_kernels::{self as kernels, Cpu};

use super::images::contiguous;

/// What the network of pairs is computed from, both ways.
#[derive(Clone, Debug)]
pub(super) struct Paired {
    inputs: [FlexTensor; 3],
    pairs: kernels::Pairs,
}

impl Paired {
    pub(super) fn new(inputs: [FlexTensor; 3], slope: f32) -> Self {
        let inputs = inputs.map(|input| input.to_contiguous());
        let shape = inputs[0].shape();
        let pairs = kernels::Pairs { nodes: shape[1], hidden: shape[2], slope, cpu: Cpu::best() };
        Self { inputs, pairs }
    }

    pub(super) fn forward(&self) -> FlexTensor {
        let [u, v, w] = self.inputs.each_ref().map(FlexTensor::storage::<f32>);
        let (graphs, nodes) = (self.inputs[0].shape()[0], self.pairs.nodes);
        contiguous(self.pairs.forward(u, v, w), Shape::new([graphs, nodes, nodes]))
    }

    pub(super) fn backward(&self, gradient: &FlexTensor) -> [FlexTensor; 3] {
        let gradient = gradient.to_contiguous();
        let [u, v, w] = self.inputs.each_ref().map(FlexTensor::storage::<f32>);
        let found = self.pairs.backward(u, v, w, gradient.storage());
        let [u, v, w] = self.inputs.each_ref().map(TensorMetadata::shape);
        [contiguous(found.u, u), contiguous(found.v, v), contiguous(found.w, w)]
    }
}

/// What attention along edges is computed from, both ways.
#[derive(Clone, Debug)]
pub(super) struct Attending {
    inputs: [FlexTensor; 5],
    attention: kernels::Attention,
}

impl Attending {
    pub(super) fn new(inputs: [FlexTensor; 5]) -> Self {
        let inputs = inputs.map(|input| input.to_contiguous());
        let (query, bias) = (inputs[0].shape(), inputs[3].shape());
        let attention = kernels::Attention {
            nodes: bias[1],
            parents: bias[2],
            heads: bias[0],
            width: query[2] / bias[0],
            cpu: Cpu::best(),
        };
        Self { inputs, attention }
    }

    fn attended(&self) -> kernels::Attended<&[f32]> {
        let [query, key, value, bias, edges] =
            self.inputs.each_ref().map(FlexTensor::storage::<f32>);
        kernels::Attended { query, key, value, bias, edges }
    }

    /// The output, and what the way back needs.
    pub(super) fn forward(&self) -> (FlexTensor, Vec<f32>) {
        let (out, kept) = self.attention.forward(&self.attended());
        (contiguous(out, self.inputs[0].shape()), kept)
    }

    pub(super) fn backward(&self, kept: &[f32], gradient: &FlexTensor) -> [FlexTensor; 5] {
        let gradient = gradient.to_contiguous();
        let found = self.attention.backward(&self.attended(), kept, gradient.storage());
        let mut found = [found.query, found.key, found.value, found.bias, found.edges].into_iter();
        self.inputs.each_ref().map(|input| {
            contiguous(found.next().expect("a gradient for each input"), input.shape())
        })
    }
}

/// log(softmax(logits)[code] + least) of each row, and the gradient of each by its logits.
pub(super) fn probability_and_gradient(
    logits: &FlexTensor,
    codes: &FlexTensor,
    least: f32,
) -> (FlexTensor, FlexTensor) {
    let (logits, codes) = (logits.to_contiguous(), codes.to_contiguous());
    let classes = logits.shape()[1];
    let (found, gradient) =
        kernels::log_probability(logits.storage(), codes.storage(), classes, least, Cpu::best());
    (contiguous(found, codes.shape()), contiguous(gradient, logits.shape()))
}
