//! A method of your own, outside of unbraid: a VAE whose latents are tied to the labels u,
//!
//! ```text
//! L = E_q(z|x)[−log p(x|z)] + KL(q(z|x) ‖ N(0, I)) + λ E‖μ(x) − u‖²
//! ```
//!
//! trained, scored and intervened on like the methods of the registry. It takes a minute:
//! `cargo run --release --example your_own_model`.

use std::path::Path;

use burn::module::Module;
use burn::tensor::{Device, Tensor};
use unbraid::Result;
use unbraid::data::{Dataset, Do, Supervision};
use unbraid::info::Info;
use unbraid::model::batch::Batch;
use unbraid::model::entry::{Entry, model};
use unbraid::model::{
    Abilities, Code, Concepts, Decoder, Intervened, Loss, Model, Step, Strengths, Task,
};
use unbraid::parts::concepts::scaling::{Scaling, labels};
use unbraid::parts::nets::autoencoder::{Autoencoder, NetSettings};
use unbraid::rng::Rng;
use unbraid::run::config::Config;
use unbraid::run::score::Scoring;
use unbraid::run::{Counterfactuals, Run, TrainedRun, train};
use unbraid::watch::{Nobody, Watch};

/// λ: a mean that is off by a tenth of the range of its label costs as much as a nat.
const TIED: f64 = 25.0;

#[derive(Module, Debug)]
struct TiedVae {
    net: Autoencoder,
    scaling: Scaling,
}

impl Model for TiedVae {
    type Config = NetSettings;
    const INFO: Info = Info {
        name: "tied-vae",
        title: "tied VAE",
        summary: "a VAE whose latents are tied to the labels",
        paper: "",
        page: "",
    };
    const SUPERVISION: Supervision = Supervision::Labels;

    fn init(config: &NetSettings, task: &Task, rng: &Rng, device: &Device) -> Self {
        let net = Autoencoder::new(config, task, rng, device);
        Self { net, scaling: Scaling::new(task.label, device) }
    }

    fn prepare(mut self, data: &dyn Dataset, rng: &Rng, _: &dyn Watch) -> Result<Self> {
        self.scaling = Scaling::fitted(&labels(data, rng)?, &self.scaling.device());
        Ok(self)
    }

    fn loss(&self, batch: &Batch, step: &mut Step) -> Loss {
        let evidence = self.net.evidence(batch, step);
        let apart = evidence.posterior.mean.clone() - self.scaling.of(batch);
        let tied = apart.square().sum_dim(1).mean();
        let penalty = evidence.kl.clone() + tied.clone() * TIED;
        evidence.loss(penalty).term("tied", tied)
    }

    fn encode(&self, seen: &Batch) -> Code {
        self.net.posterior(seen.x()).into()
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { concepts: Some(self), ..self.net.abilities() }
    }
}

impl Concepts for TiedVae {
    fn dimensions(&self) -> usize {
        1
    }

    fn graph(&self) -> Option<Strengths> {
        None
    }

    fn values(&self, z: Tensor<2>) -> Tensor<2> {
        self.scaling.unscaled(z)
    }

    fn intervene(&self, z: Tensor<2>, dos: &[Do]) -> Intervened {
        let [rows, _] = z.dims();
        let z = dos.iter().fold(z, |z, &Do { factor, value }| {
            let code = Tensor::full([rows, 1], self.scaling.code(factor, value), &z.device());
            z.slice_assign([0..rows, factor..factor + 1], code)
        });
        Intervened { x: self.net.decode(z.clone()), z }
    }
}

static TIED_VAE: Entry = model::<TiedVae>();

/// Train, score and intervene: set the light of a pendulum to 80.
pub(crate) fn run(directory: &Path, steps: u64) -> Result<(serde_json::Value, Counterfactuals)> {
    let text = format!(
        "data = {{ name = 'pendulum', variant = {{ size = 32 }} }}\nmodel.latents = 4\n\
         train.steps = {steps}\nscore = {{ rows = 1000, metrics = ['mcc'] }}"
    );
    let config = Config::from_table(text.parse().expect("it is TOML"))?;
    let plan = config.resolve_with(&TIED_VAE)?;
    let run = Run::create(directory, &plan)?;
    train::train(&run, &plan, &Nobody)?;

    let trained = TrainedRun::with(run, plan)?;
    let scored = trained.score(&Scoring::default(), &Nobody)?;
    let light = Do { factor: 1, value: 80.0 };
    let found = trained.interventions()?.counterfactuals(&[light], Some(0), None, &Nobody)?;
    Ok((scored.document, found))
}

#[allow(dead_code, clippy::print_stdout, reason = "a program; the tests take the rest as a module")]
fn main() -> Result<()> {
    let (scores, counterfactual) = run(Path::new("runs/tied-vae"), 3000)?;
    println!("{scores:#}\n{:#}", counterfactual.to_json());
    Ok(())
}
