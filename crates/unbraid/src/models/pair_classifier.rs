//! A supervised network that tells from two observations what was done between them: the upper reference of action
//! retrieval. It learns from what CT-VAE learns from, pairs and their actions, but cannot say what an action would do.
//!
//! L = −log softmax(h([x ; y ; y − x]))_a

use burn::module::Module;
use burn::tensor::activation::log_softmax;
use burn::tensor::{Device, Tensor};
use serde::{Deserialize, Serialize};
use unbraid_measure::data::{Shape, Supervision, Window};
use unbraid_measure::info::Info;
use unbraid_measure::rng::Rng;

use crate::compute;
use crate::error::Result;
use crate::model::batch::Batch;
use crate::model::{Abilities, Code, Loss, Model, Retrieves, Settings, Step, Task};
use crate::parts::nets::autoencoder::Reader;
use crate::parts::nets::reader_settings::ReaderSettings;

/// The settings of the classifier.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Config {
    /// The network.
    #[serde(flatten)]
    pub net: ReaderSettings,
}

impl Settings for Config {
    fn resolve(&mut self, task: &Task) -> Result<()> {
        task.check_named()?;
        self.net.resolve_for(task, task.action, stacked(task.shape))
    }
}

/// The first observation, the second, and their difference, channel by channel.
fn stacked(shape: Shape) -> Shape {
    Shape { channels: 3 * shape.channels, ..shape }
}

/// A classifier of pairs.
#[derive(Module, Debug)]
pub struct PairClassifier {
    reader: Reader,
}

impl Model for PairClassifier {
    type Config = Config;
    const INFO: Info = Info {
        name: "pair-classifier",
        title: "Pair classifier",
        summary: "baseline: a supervised network that tells what was done between two images",
        paper: "",
        page: "\
## What it is
A network that sees two observations and their difference, channel by channel, and is trained to tell the action
that led from one to the other: L = -log softmax(h(x, y))_a. It is the upper reference for ct-vae, which learns from
the same pairs but also says what an action would do.

## Settings
net (conv, conv4, burgess, factor, fc or auto), width of the dense layers (0 = the paper's).

## What to expect
`unbraid retrieve RUN` shows how often it is right. Its codes are what it tells of an observation beside itself: of no
use but to see that it has no opinion. It has no decoder.",
    };
    const SUPERVISION: Supervision = Supervision::Actions(Window::TRANSITION);
    const RECIPE: &'static str = "\
[train]
steps = 10_000
batch = 64
learning_rate = { schedule = 'warmup', to = 1e-3, steps = 100 }";

    fn init(config: &Config, task: &Task, rng: &Rng, device: &Device) -> Self {
        let nets = config.net.nets(task.action);
        let shape = stacked(task.shape);
        Self { reader: Reader::new(&nets, shape, &mut rng.split("reader"), device) }
    }

    fn loss(&self, batch: &Batch, _step: &mut Step) -> Loss {
        let (before, after) = batch.transition();
        let (logits, actions) = (self.logits(before, after), batch.actions());
        let told = logits.clone().argmax(1).equal(actions.clone().argmax(1)).float().mean();
        let loss = compute::cross_entropy(logits, actions);
        Loss::new(loss).term("accuracy", told)
    }

    fn encode(&self, seen: &Batch) -> Code {
        Code { mean: self.logits(seen.x(), seen.x()), log_variance: None, kl: None }
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { retrieval: Some(self), ..Abilities::default() }
    }
}

impl PairClassifier {
    /// `[rows, actions]`
    fn logits(&self, before: Tensor<4>, after: Tensor<4>) -> Tensor<2> {
        let apart = after.clone() - before.clone();
        self.reader.forward(compute::arrange(Tensor::cat(vec![before, after, apart], 1)))
    }
}

impl Retrieves for PairClassifier {
    fn retrieve(&self, before: Tensor<4>, after: Tensor<4>) -> Tensor<2> {
        log_softmax(self.logits(before, after), 1)
    }
}
