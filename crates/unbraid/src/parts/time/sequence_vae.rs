//! A VAE of transitions: both frames are encoded, the second is decoded, and a flow lies between the latents
//! of the decoder and those of the prior.

use burn::module::Module;
use burn::tensor::{Device, Tensor};
use unbraid_measure::data::{self, Dataset};
use unbraid_measure::rng::Rng;

use super::flow::Flow;
use crate::compute::device;
use crate::model::batch::{self, Batch};
use crate::model::{Decoder, Loss, Samples, Step, Task};
use crate::parts::distributions::gaussian::Gaussian;
use crate::parts::nets::simple::{Limit, Simple, SimpleSettings};

/// Rows that the flow is fitted to before training.
const FITTED: usize = 512;

/// Networks and flow.
#[derive(Module, Debug)]
pub struct SequenceVae {
    net: Simple,
    flow: Flow,
}

/// How transitions are drawn from their posteriors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Draws {
    /// One sample of each frame, that of the second also decoded (CITRIS).
    One,
    /// The mean of the first frame; of the second so many samples, beside the one that is decoded (BISCUIT).
    Several(usize),
}

/// One forward pass of a batch of transitions. Where there are several samples of each, they are further
/// rows.
pub struct Evidence {
    /// The latents of the first frame after the flow, `[rows, latents]`.
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

    /// With the pixels measured, and the norms of the flow fitted to what some rows are encoded to.
    pub fn fitted(self, data: &dyn Dataset, rng: &Rng) -> Self {
        let net = self.net.fitted(data, rng);
        let rows = data::rows(data, FITTED, &rng.split("flow"));
        let seen = data::observations(data, &rows);
        let numbers = seen.as_slice().expect("a fresh array is contiguous");
        let x = batch::images(numbers, rows.len(), data.shape(), &device::inference());
        let q = net.valid().posterior(x);
        let z = q.sample(&mut Step::new(0, 1, &rng.split("fitted")));
        Self { net, flow: self.flow.fitted(Tensor::from_inner(z)) }
    }

    /// Encode both frames at once, sample, decode the second.
    pub fn evidence(&self, transitions: &Batch, draws: Draws, step: &mut Step) -> Evidence {
        let (from, to) = transitions.transition();
        let rows = to.dims()[0];
        let q = self.net.posterior(Tensor::cat(vec![from, to.clone()], 0));
        let part = |q: &Gaussian, from: usize| Gaussian {
            mean: q.mean.clone().narrow(0, from, rows),
            log_variance: q.log_variance.clone().narrow(0, from, rows),
        };
        let (first, second) = (part(&q, 0), part(&q, rows));
        let decoded = second.sample(step);
        let (before, after, second) = match draws {
            Draws::One => (first.sample(step), decoded.clone(), second),
            Draws::Several(times) => {
                let again = |rows: Tensor<2>| rows.repeat_dim(0, times);
                let (mean, log_variance) = (again(second.mean), again(second.log_variance));
                let second = Gaussian { mean, log_variance };
                (first.mean, second.sample(step), second)
            }
        };
        let log_q = second.log_density(&after).sum_dim(1);
        let (samples, seen) = (after.dims()[0], before.dims()[0]);
        let (flowed, log_det) = self.flow.forward(Tensor::cat(vec![before, after], 0));
        let before = flowed.clone().narrow(0, 0, seen).repeat_dim(0, samples / seen);
        Evidence {
            before,
            after: flowed.narrow(0, seen, samples),
            entropy: log_q - log_det.narrow(0, seen, samples),
            reconstruction: self.net.error(decoded, to),
        }
    }

    /// The loss of images alone: a VAE with a standard normal prior, which knows of no time. The flow does not
    /// learn from it.
    pub fn of_images(&self, x: Tensor<4>, beta: f64, step: &mut Step) -> Loss {
        self.net.elbo(x, beta, step)
    }

    /// The latents of posterior means, after the flow.
    pub fn encode(&self, x: Tensor<4>) -> Tensor<2> {
        self.flow.forward(self.net.posterior(x).mean).0
    }
}

impl Samples for SequenceVae {
    fn draw(&self, seen: &Batch, step: &mut Step) -> Tensor<2> {
        self.flow.forward(self.net.posterior(seen.x()).sample(step)).0
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
