//! A batch: the examples of one step, or rows to encode, on a device.

use burn::tensor::{Device, Tensor, TensorData};
use ndarray::{Array2, Axis};
use unbraid_measure::data::{self, Dataset, Draw, Shape};

use crate::compute;

/// Tensors of some rows. Which fields are filled follows the model's supervision.
#[derive(Clone, Debug)]
pub struct Batch {
    /// One; two for pairs and transitions. `[batch, channels, height, width]` each.
    pub views: Vec<Tensor<4>>,
    /// `[batch, label]`
    pub labels: Option<Tensor<2>>,
    /// `[batch, factors]`, 1 where intervened or varied.
    pub targets: Option<Tensor<2>>,
    /// `[batch, action]`
    pub actions: Option<Tensor<2>>,
}

impl Batch {
    /// Move a sample of examples to a device.
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

    /// The first view.
    pub fn x(&self) -> Tensor<4> {
        self.views[0].clone()
    }
}

/// Rows to encode, as plain arrays.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// `[rows, numbers]`
    pub observations: Array2<f32>,
    /// `[rows, label]`, where the data have labels.
    pub labels: Option<Array2<f32>>,
}

impl Seen {
    /// Rows of a data set.
    pub fn of(data: &dyn Dataset, rows: &[usize]) -> Self {
        Self { observations: data::observations(data, rows), labels: data::labels(data, rows) }
    }

    /// How many rows.
    pub fn len(&self) -> usize {
        self.observations.nrows()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Some rows, as examples with one view.
    pub fn part(&self, from: usize, to: usize) -> Draw {
        let rows = |table: &Array2<f32>| {
            let part = table.slice_axis(Axis(0), (from..to).into());
            part.iter().copied().collect::<Vec<f32>>()
        };
        Draw {
            count: to - from,
            views: vec![rows(&self.observations)],
            labels: self.labels.as_ref().map(rows).unwrap_or_default(),
            ..Draw::default()
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

/// The values of a tensor, last axis fastest.
pub fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_to_vec().expect("every tensor here holds f32")
}
