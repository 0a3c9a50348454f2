//! A regression network from observations to labels: the supervised upper reference, and the predictor
//! that evaluates counterfactuals.
//!
//! L = E Σ_i (λ(u)_i − h(x)_i)²

use burn::module::Module;
use burn::tensor::Device;
use unbraid_measure::data::{Dataset, Supervision};
use unbraid_measure::info::Info;
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::Watch;

use crate::error::Result;
use crate::model::batch::Batch;
use crate::model::{Code, Loss, Model, Step, Task};
use crate::parts::concepts::scaling::{Scaling, labels};
use crate::parts::nets::autoencoder::Reader;
use crate::parts::nets::reader_settings::ReaderSettings;

/// A predictor of the labels.
#[derive(Module, Debug)]
pub struct Supervised {
    reader: Reader,
    scaling: Scaling,
}

impl Model for Supervised {
    type Config = ReaderSettings;
    const INFO: Info = Info {
        name: "supervised",
        title: "Supervised reader",
        summary: "baseline: a supervised network that predicts the labels, the upper reference",
        paper: "",
        page: "\
## What it is
The encoder of a VAE, trained to predict the labels of an observation: L = sum_i (u_i - h(x)_i)^2, with
labels scaled to -1..1. Its codes are its predictions, in the units of the labels.

It is the upper reference for models of labelled concepts, and the predictor with which
`unbraid intervene RUN --effects` evaluates counterfactual images.

## Settings
net (conv, conv4, burgess, factor, fc or auto), width of the dense layers (0 = the paper's).

## What to expect
Predictions as good as the image allows. It has no decoder.",
    };
    const SUPERVISION: Supervision = Supervision::Labels;

    fn init(config: &ReaderSettings, task: &Task, rng: &Rng, device: &Device) -> Self {
        let nets = config.nets(task.label);
        Self {
            reader: Reader::new(&nets, task.shape, &mut rng.split("reader"), device),
            scaling: Scaling::new(task.label, device),
        }
    }

    fn prepare(mut self, data: &dyn Dataset, rng: &Rng, _watch: &dyn Watch) -> Result<Self> {
        self.scaling = Scaling::fitted(&labels(data, rng)?, &self.scaling.device());
        Ok(self)
    }

    fn loss(&self, batch: &Batch, _step: &mut Step) -> Loss {
        let labels = self.scaling.of(batch);
        let rows = labels.dims()[0] as f64;
        Loss::new((self.reader.forward(batch.x()) - labels).square().sum() / rows)
    }

    fn encode(&self, seen: &Batch) -> Code {
        let mean = self.scaling.unscaled(self.reader.forward(seen.x()));
        Code { mean, log_variance: None, kl: None }
    }
}
