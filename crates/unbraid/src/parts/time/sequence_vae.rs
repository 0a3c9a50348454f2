//! A VAE of transitions: both frames are encoded, the second is decoded, and a flow lies between the latents
//! of the decoder and those of the prior.

use burn::module::Module;
use burn::tensor::{Device, Tensor};
use unbraid_measure::data::{self, Dataset};
use unbraid_measure::rng::Rng;

use super::flow::Flow;
use crate::model::batch::{self, Batch};
use crate::model::{Decoder, Step, Task};
use crate::parts::nets::simple::{Limit, Simple, SimpleSettings};

/// Rows that the flow is fitted to before training.
const FITTED: usize = 512;

/// Networks and flow.
#[derive(Module, Debug)]
pub struct SequenceVae {
    net: Simple,
    flow: Flow,
}

/// One forward pass of a batch of transitions.
pub struct Evidence {
    /// A sample of the latents of both frames after the flow, `[rows, latents]` each.
    pub before: Tensor<2>,
    /// Of the second frame.
    pub after: Tensor<2>,
    /// log q(z^{t+1}|x^{t+1}) in the coordinates of the prior: log q − log |det|, `[rows, 1]`.
    pub entropy: Tensor<2>,
    /// −log p(x^{t+1}|z^{t+1}), summed over an observation, averaged over the batch.
    pub reconstruction: Tensor<1>,
}

impl Evidence {
    /// The latents before and after.
    pub fn latents(&self) -> [Tensor<2>; 2] {
        [self.before.clone(), self.after.clone()]
    }
}

impl SequenceVae {
    /// Build with seeded weights; the settings must have been resolved.
    pub fn new(
        settings: &SimpleSettings,
        limit: Limit,
        layers: usize,
        task: &Task,
        rng: &Rng,
        device: &Device,
    ) -> Self {
        Self {
            net: Simple::new(settings, limit, task, rng, device),
            flow: Flow::new(settings.latents, layers, &rng.split("flow"), device),
        }
    }

    /// With the norms of the flow fitted to what some rows are encoded to.
    pub fn fitted(self, data: &dyn Dataset, rng: &Rng) -> Self {
        let rows = data::rows(data, FITTED, &rng.split("flow"));
        let seen = data::observations(data, &rows);
        let numbers = seen.as_slice().expect("a fresh array is contiguous");
        let looking = self.net.valid();
        let device = crate::compute::device::inference();
        let x = batch::images(numbers, rows.len(), data.shape(), &device);
        let q = looking.posterior(x);
        let z = q.sample(&mut Step::new(0, 1, &rng.split("fitted")));
        let z = batch::matrix(&batch::numbers(z.clone()), rows.len(), z.dims()[1], &crate::compute::device::training());
        Self { flow: self.flow.fitted(z), ..self }
    }

    /// Encode both frames at once, sample, decode the second.
    pub fn evidence(&self, transitions: &Batch, step: &mut Step) -> Evidence {
        let (from, to) = transitions.transition();
        let rows = to.dims()[0];
        let q = self.net.posterior(Tensor::cat(vec![from, to.clone()], 0));
        let z = q.sample(step);
        let log_q = q.log_density(&z).sum_dim(1);
        let second = |both: Tensor<2>| both.narrow(0, rows, rows);
        let (flowed, log_det) = self.flow.forward(z.clone());
        Evidence {
            before: flowed.clone().narrow(0, 0, rows),
            after: second(flowed),
            entropy: second(log_q - log_det),
            reconstruction: self.net.error(second(z), to),
        }
    }

    /// The latents of posterior means, after the flow.
    pub fn encode(&self, x: Tensor<4>) -> Tensor<2> {
        self.flow.forward(self.net.posterior(x).mean).0
    }
}

impl Decoder for SequenceVae {
    fn decode(&self, z: Tensor<2>) -> Tensor<4> {
        self.net.decode(self.flow.inverse(z))
    }

    fn noise(&self) -> Option<f64> {
        self.net.noise()
    }
}
