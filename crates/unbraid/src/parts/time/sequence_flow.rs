//! A flow of transitions: the codes of a trained autoencoder with a little noise, made into latents of which
//! a causal prior speaks. Nothing is lost and nothing has to be decoded while it learns.

use burn::module::Module;
use burn::tensor::{Device, Tensor};
use serde::{Deserialize, Serialize};
use unbraid_measure::data::{self, Dataset};
use unbraid_measure::rng::Rng;

use super::flow::Flow;
use crate::compute::device;
use crate::error::{Error, Result};
use crate::model::batch::{self, Batch};
use crate::model::{Decoder, Samples, Step, Task};

/// Rows that the flow is fitted to before training.
const FITTED: usize = 512;

/// The settings of a flow on a base.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FlowSettings {
    /// Layers of the flow.
    pub flow_layers: usize,
    /// The standard deviation of the noise on the codes of the base: that which it was trained with.
    pub code_noise: f64,
    /// Noisy copies of each frame; all pairs of those before and after count.
    pub samples: usize,
}

impl Default for FlowSettings {
    fn default() -> Self {
        Self { flow_layers: 4, code_noise: 0.05, samples: 2 }
    }
}

impl FlowSettings {
    /// Refuse what makes no sense, and observations that are not vectors.
    pub fn check(&self, task: &Task) -> Result<()> {
        if !task.shape.is_vector() {
            return Err(Error::setting(
                "model.base",
                "is missing: a flow learns from the codes of an autoencoder, and these data are images",
            ));
        }
        if !(1..=64).contains(&self.flow_layers) {
            return Err(Error::setting("model.flow_layers", "must be from 1 to 64"));
        }
        if !(self.code_noise.is_finite() && self.code_noise >= 0.0) {
            return Err(Error::setting("model.code_noise", "must be a number of at least 0"));
        }
        if !(1..=16).contains(&self.samples) {
            return Err(Error::setting("model.samples", "must be from 1 to 16"));
        }
        Ok(())
    }
}

/// The flow.
#[derive(Module, Debug)]
pub struct SequenceFlow {
    flow: Flow,
    #[module(skip)]
    settings: FlowSettings,
}

/// One forward pass of a batch of transitions: pairs of samples as rows, the first of each first.
pub struct Flowed {
    /// Latents before and after, `[rows, latents]`.
    pub latents: [Tensor<2>; 2],
    /// −log |det| of those after, `[rows, 1]`.
    pub volume: Tensor<2>,
}

impl SequenceFlow {
    /// With seeded weights.
    pub fn new(settings: &FlowSettings, task: &Task, rng: &Rng, device: &Device) -> Self {
        let flow = Flow::new(task.shape.size(), settings.flow_layers, &rng.split("flow"), device);
        Self { flow, settings: settings.clone() }
    }

    /// With its norms fitted to some rows.
    pub fn fitted(self, data: &dyn Dataset, rng: &Rng) -> Self {
        let rows = data::rows(data, FITTED, &rng.split("flow"));
        let seen = data::observations(data, &rows);
        let numbers = seen.as_slice().expect("a fresh array is contiguous");
        let x = batch::matrix(numbers, rows.len(), data.shape().size(), &device::training());
        Self { flow: self.flow.fitted(x), ..self }
    }

    /// Noisy copies of both frames through the flow.
    pub fn evidence(&self, transitions: &Batch, step: &mut Step) -> Flowed {
        let (from, to) = transitions.transition();
        let rows = to.dims()[0];
        let size: usize = to.dims()[1..].iter().product();
        let copies = self.settings.samples;
        let frames = vec![from.reshape([rows, size]), to.reshape([rows, size])];
        let frames: Vec<Tensor<2>> =
            frames.into_iter().map(|frame| frame.repeat_dim(0, copies)).collect();
        let both = Tensor::cat(frames, 0);
        let noise = step.noise(both.dims(), &both.device()) * self.settings.code_noise;
        let (flowed, log_det) = self.flow.forward(both + noise);
        let half = copies * rows;
        // Before: each copy again for every copy after, [copies, 1, rows] to [copies, copies, rows].
        let before = flowed.clone().narrow(0, 0, half).reshape([copies, 1, rows, size]);
        let before = before.repeat_dim(1, copies).reshape([copies * half, size]);
        let after = flowed.narrow(0, half, half).repeat_dim(0, copies);
        let volume = log_det.narrow(0, half, half).repeat_dim(0, copies) * -1.0;
        Flowed { latents: [before, after], volume }
    }

    /// The latents of codes.
    pub fn encode(&self, x: Tensor<4>) -> Tensor<2> {
        let rows = x.dims()[0];
        let size: usize = x.dims()[1..].iter().product();
        self.flow.forward(x.reshape([rows, size])).0
    }
}

impl Samples for SequenceFlow {
    /// With the noise that it was trained with.
    fn draw(&self, seen: &Batch, step: &mut Step) -> Tensor<2> {
        let x = seen.x();
        let noise = step.noise(x.dims(), &x.device()) * self.settings.code_noise;
        self.encode(x + noise)
    }
}

impl Decoder for SequenceFlow {
    fn decode(&self, z: Tensor<2>) -> Tensor<4> {
        let [rows, size] = z.dims();
        self.flow.inverse(z).reshape([rows, size, 1, 1])
    }
}
