//! A VAE as it is before training: what a score owes to the network and not to learning.

use burn::module::Module;
use burn::tensor::{Device, Tensor};
use unbraid_measure::data::Supervision;
use unbraid_measure::info::Info;
use unbraid_measure::rng::Rng;

use crate::batch::Batch;
use crate::model::{Code, Loss, Model, Step, Task};
use crate::parts::nets::{Autoencoder, NetSettings};

/// A variational autoencoder with the weights it starts from.
#[derive(Module, Debug)]
pub struct Untrained {
    net: Autoencoder,
}

impl Model for Untrained {
    type Config = NetSettings;
    const INFO: Info = Info {
        name: "untrained",
        title: "Untrained VAE",
        summary: "baseline: a VAE before its first step",
        paper: "Higgins et al., beta-VAE, ICLR 2017",
        page: "\
## What it is
The networks of `vae` with the random weights they start from. Nothing is learned.

## Settings
Those of `vae`.

## What it is for
The floor of a network: what a score owes to the architecture alone. A method has to beat it.",
    };
    const SUPERVISION: Supervision = Supervision::None;

    fn init(config: &NetSettings, task: &Task, rng: &Rng, device: &Device) -> Self {
        Self { net: Autoencoder::new(config, task, rng, device) }
    }

    /// Only for whoever asks how good it is: no step is taken.
    fn loss(&self, batch: &Batch, step: &mut Step) -> Loss {
        let evidence = self.net.evidence(batch, step);
        let kl = evidence.kl.clone();
        evidence.loss(kl)
    }

    fn encode(&self, x: Tensor<4>) -> Code {
        self.net.posterior(x).into()
    }

    fn decode(&self, z: Tensor<2>) -> Option<Tensor<4>> {
        Some(self.net.decode(z))
    }
}
