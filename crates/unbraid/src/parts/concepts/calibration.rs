//! Maps from label values to latents of a trained model: least-squares lines of latents over labels.
//!
//! A prior N(λ(u), 1) only pulls latents to their labels; their actual scale is known after training.

use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor};
use ndarray::{Array2, ArrayView1, Axis};

use crate::parts::nets::layers::fixed;

/// Intercept and slope of each latent over the scaled label of its concept.
#[derive(Module, Debug)]
pub struct Calibration {
    offset: Param<Tensor<2>>,
    slope: Param<Tensor<2>>,
}

impl Calibration {
    /// The identity, until it is fitted.
    pub fn new(concepts: usize, dimensions: usize, device: &Device) -> Self {
        let shape = [concepts, dimensions];
        let all = |value: f32| fixed(vec![value; concepts * dimensions], shape, device);
        Self { offset: all(0.0), slope: all(1.0) }
    }

    /// From codes `[rows, concepts · dimensions]` and labels `[rows, concepts]`, both of the same rows.
    pub fn fitted(codes: &Array2<f32>, labels: &Array2<f32>, device: &Device) -> Self {
        let dimensions = codes.ncols() / labels.ncols();
        let lines: Vec<[f32; 2]> = codes
            .axis_iter(Axis(1))
            .enumerate()
            .map(|(k, code)| line(labels.column(k / dimensions), code))
            .collect();
        let part = |k: usize| lines.iter().map(|line| line[k]).collect::<Vec<f32>>();
        let shape = [labels.ncols(), dimensions];
        Self { offset: fixed(part(0), shape, device), slope: fixed(part(1), shape, device) }
    }

    /// The latents of a concept whose label is `label`, `[dimensions]`.
    pub fn code(&self, concept: usize, label: f32) -> Tensor<1> {
        let row = |matrix: &Param<Tensor<2>>| -> Tensor<1> {
            let [_, dimensions] = matrix.dims();
            matrix.val().narrow(0, concept, 1).reshape([dimensions])
        };
        row(&self.offset) + row(&self.slope) * label
    }

    /// The labels of latents `[batch, concepts, dimensions]`, `[batch, concepts]`: the
    /// least-squares inverse over all dimensions, weighted by slope.
    pub fn labels(&self, codes: Tensor<3>) -> Tensor<2> {
        let [rows, concepts, _] = codes.dims();
        let (offset, slope) = (self.offset.val(), self.slope.val());
        let steep = slope.clone().square().sum_dim(1).clamp_min(1e-12);
        let above = codes - offset.unsqueeze::<3>();
        let sums = (above * slope.unsqueeze::<3>()).sum_dim(2) / steep.unsqueeze::<3>();
        sums.reshape([rows, concepts])
    }
}

/// Intercept and slope of y over x.
fn line(x: ArrayView1<f32>, y: ArrayView1<f32>) -> [f32; 2] {
    let mean = |v: ArrayView1<f32>| v.iter().map(|n| f64::from(*n)).sum::<f64>() / v.len() as f64;
    let (mean_x, mean_y) = (mean(x), mean(y));
    let (mut both, mut own) = (0.0, 0.0);
    for (x, y) in x.iter().zip(y) {
        let from = f64::from(*x) - mean_x;
        both += from * (f64::from(*y) - mean_y);
        own += from * from;
    }
    let slope = if own > 0.0 { both / own } else { 0.0 };
    [(mean_y - slope * mean_x) as f32, slope as f32]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::device;
    use crate::model::batch;
    use ndarray::array;

    #[test]
    fn the_code_of_a_value_is_on_the_line_of_its_own_concept() {
        let labels = array![[0.0, 1.0], [1.0, 0.0], [2.0, 5.0]];
        // Concept 0: 1 + 2 u and −u; concept 1: 3 and u.
        let codes = array![[1.0, 0.0, 3.0, 1.0], [3.0, -1.0, 3.0, 0.0], [5.0, -2.0, 3.0, 5.0]];
        let fitted = Calibration::fitted(&codes, &labels, &device::inference());
        assert_eq!(batch::numbers(fitted.code(0, 4.0)), [9.0, -4.0]);
        assert_eq!(batch::numbers(fitted.code(1, 4.0)), [3.0, 4.0]);
        let code = batch::matrix(&[9.0, -4.0, 3.0, 4.0], 1, 4, &device::inference());
        assert_eq!(batch::numbers(fitted.labels(code.reshape([1, 2, 2]))), [4.0, 4.0]);
        let plain = Calibration::new(2, 2, &device::inference());
        assert_eq!(batch::numbers(plain.code(1, 0.5)), [0.5, 0.5]);
    }
}
