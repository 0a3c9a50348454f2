//! A batch: the examples of one step on a device.

use burn::tensor::{Device, Tensor, TensorData};
use unbraid_measure::data::{Draw, Shape};

use crate::compute;

/// Tensors of one step. Which fields are filled follows the model's supervision.
#[derive(Clone, Debug)]
pub struct Batch {
    /// One; two for pairs and transitions. `[batch, channels, height, width]` each.
    pub views: Vec<Tensor<4>>,
    /// `[batch, label]`
    pub labels: Option<Tensor<2>>,
    /// `[batch, factors]`, 1 where intervened.
    pub targets: Option<Tensor<2>>,
    /// `[batch, action]`
    pub actions: Option<Tensor<2>>,
}

impl Batch {
    /// Move a draw to a device.
    pub fn new(draw: &Draw, shape: Shape, device: &Device) -> Self {
        let count = draw.count;
        let table = |values: &[f32]| {
            (!values.is_empty()).then(|| matrix(values, count, values.len() / count, device))
        };
        Self {
            views: draw.views.iter().map(|view| images(view, count, shape, device)).collect(),
            labels: table(&draw.labels),
            targets: table(&draw.targets),
            actions: table(&draw.actions),
        }
    }
}

/// `[count, channels, height, width]`
pub fn images(values: &[f32], count: usize, shape: Shape, device: &Device) -> Tensor<4> {
    let axes = [count, shape.channels, shape.height, shape.width];
    let images = Tensor::from_data(TensorData::new(values.to_vec(), axes), device);
    if shape.is_vector() { images } else { compute::arrange(images) }
}

/// `[rows, columns]`
pub fn matrix(values: &[f32], rows: usize, columns: usize, device: &Device) -> Tensor<2> {
    Tensor::from_data(TensorData::new(values.to_vec(), [rows, columns]), device)
}

/// The numbers of a tensor, last axis fastest.
pub fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_to_vec().expect("every tensor here holds f32")
}
