//! Labels of concepts on a common scale, which is that of their latents:
//!
//! ```text
//! λ(u) = (u − centre) / scale,   from −1 to 1 where centre and scale are those of the data
//! ```

use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor};
use ndarray::{Array2, Axis};
use serde::{Deserialize, Serialize};
use unbraid_measure::data::{self, Dataset};
use unbraid_measure::rng::Rng;

use crate::error::{Error, Result};
use crate::model::Task;
use crate::model::batch::{self, Batch};
use crate::parts::distributions::gaussian::Gaussian;
use crate::parts::nets::layers::fixed;

/// The weight of the reconstruction loss, and the width of the conditional prior.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Balance {
    /// The weight of the reconstruction loss, which is summed over an image; 0 for the released code's,
    /// 1 / (channels x height). 1 is the ELBO.
    pub reconstruction: f64,
    /// λ₂, the standard deviation of the conditional prior, for labels in −1..1.
    pub spread: f64,
}

impl Default for Balance {
    fn default() -> Self {
        Self { reconstruction: 0.0, spread: 0.1 }
    }
}

impl Balance {
    /// Replace the 0, and refuse what cannot work.
    pub fn resolve(&mut self, task: &Task) -> Result<()> {
        if !(self.spread.is_finite() && self.spread > 0.0) {
            return Err(Error::setting("model.spread", "must be a positive number"));
        }
        if !(self.reconstruction.is_finite() && self.reconstruction >= 0.0) {
            return Err(Error::setting("model.reconstruction", "must be a positive number, or 0"));
        }
        if self.reconstruction == 0.0 {
            let [channels, height, _] = task.shape.axes();
            self.reconstruction = 1.0 / (channels * height) as f64;
        }
        Ok(())
    }

    /// N(mean, λ₂²) for these means.
    pub fn prior(&self, mean: Tensor<2>) -> Gaussian {
        Gaussian { log_variance: mean.full_like(2.0 * self.spread.ln()), mean }
    }
}

/// How many rows of labels are used to fit the scale.
const ROWS: usize = 20_000;

/// The scale of each concept.
#[derive(Module, Debug)]
pub struct Scaling {
    centre: Param<Tensor<1>>,
    scale: Param<Tensor<1>>,
}

impl Scaling {
    /// Before it is fitted.
    pub fn new(count: usize, device: &Device) -> Self {
        Self::with(&vec![[0.0, 1.0]; count], device)
    }

    /// With these pairs of centre and scale.
    pub fn with(scaling: &[[f32; 2]], device: &Device) -> Self {
        let part = |k: usize| scaling.iter().map(|pair| pair[k]).collect::<Vec<f32>>();
        let shape = [scaling.len()];
        Self { centre: fixed(part(0), shape, device), scale: fixed(part(1), shape, device) }
    }

    /// Fitted so that these labels go from −1 to 1.
    pub fn fitted(labels: &Array2<f32>, device: &Device) -> Self {
        let pair = |column: ndarray::ArrayView1<f32>| {
            let low = column.iter().copied().fold(f32::INFINITY, f32::min);
            let high = column.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            [f32::midpoint(low, high), 0.5 * (high - low)]
        };
        let scaling: Vec<[f32; 2]> = labels.axis_iter(Axis(1)).map(pair).collect();
        Self::with(&scaling, device)
    }

    /// λ(u), `[batch, concepts]`.
    pub fn scaled(&self, labels: Tensor<2>) -> Tensor<2> {
        (labels - self.centre.val().unsqueeze()) / self.scale.val().unsqueeze()
    }

    /// u of λ(u).
    pub fn unscaled(&self, codes: Tensor<2>) -> Tensor<2> {
        codes * self.scale.val().unsqueeze() + self.centre.val().unsqueeze()
    }

    /// λ of the labels of a batch.
    pub fn of(&self, batch: &Batch) -> Tensor<2> {
        self.scaled(batch.labels())
    }

    /// λ of one value of one concept.
    pub fn code(&self, concept: usize, value: f32) -> f32 {
        let number = |numbers: &Param<Tensor<1>>| batch::numbers(numbers.val())[concept];
        (value - number(&self.centre)) / number(&self.scale)
    }

    /// The device of its parameters.
    pub fn device(&self) -> Device {
        self.centre.val().device()
    }

    /// λ of labels in an array.
    pub fn scaled_array(&self, labels: &Array2<f32>) -> Array2<f32> {
        let (centre, scale) = (batch::numbers(self.centre.val()), batch::numbers(self.scale.val()));
        let mut scaled = labels.clone();
        for (k, mut column) in scaled.axis_iter_mut(Axis(1)).enumerate() {
            column.mapv_inplace(|label| (label - centre[k]) / scale[k]);
        }
        scaled
    }
}

/// The label of a concept repeated for each of its dimensions, `[batch, concepts · dimensions]`.
pub fn in_dimensions(labels: &Tensor<2>, dimensions: usize) -> Tensor<2> {
    let [rows, concepts] = labels.dims();
    let wide: Tensor<3> = labels.clone().reshape([rows, concepts, 1]);
    wide.repeat_dim(2, dimensions).reshape([rows, concepts * dimensions])
}

/// The labels of the data, or of many of its rows; refuses constant labels.
pub fn labels(data: &dyn Dataset, rng: &Rng) -> Result<Array2<f32>> {
    let rows = data::labelled_rows(data, ROWS, &rng.split("labels"));
    let missing = || Error::Unable("the data have no labels, which name the concepts".into());
    let labels = data::labels(data, &rows).ok_or_else(missing)?;
    for (k, column) in labels.axis_iter(Axis(1)).enumerate() {
        let name = name(data, k);
        if let Some(bad) = column.iter().find(|label| !label.is_finite()) {
            let text = format!("concept `{name}` has the label {bad}; every label must be finite");
            return Err(Error::Unable(text));
        }
        if column.iter().all(|label| *label == column[0]) {
            let text = format!(
                "concept `{name}` has the label {} in every row, so nothing can be learned of it; \
                 leave it out with data.variant.hide = [\"{name}\"]",
                column[0]
            );
            return Err(Error::Unable(text));
        }
    }
    Ok(labels)
}

/// The name of a concept: that of its factor, where labels are factors.
pub fn name(data: &dyn Dataset, concept: usize) -> String {
    let factors = data.factors();
    let labels = data::first_label(data).map_or(0, |label| label.len());
    match factors.get(concept) {
        Some(factor) if factors.len() == labels => factor.name.clone(),
        _ => format!("label {concept}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::device;
    use ndarray::array;

    #[test]
    fn labels_of_the_data_go_from_minus_one_to_one() {
        let labels = array![[0.0, 10.0], [4.0, 30.0], [8.0, 20.0]];
        let concepts = Scaling::fitted(&labels, &device::inference());
        assert_eq!(concepts.scaled_array(&labels), array![[-1.0, -1.0], [0.0, 1.0], [1.0, 0.0]]);
        assert_eq!(concepts.code(1, 40.0), 2.0);
        let tensor = batch::matrix(&[8.0, 10.0], 1, 2, &device::inference());
        assert_eq!(batch::numbers(concepts.scaled(tensor)), [1.0, -1.0]);
    }
}
