//! iVAE*: the identifiable VAE of transitions that the CITRIS and BISCUIT papers compare with. Khemakhem,
//! Kingma, Monti, Hyvärinen 2020 (arXiv:1907.04809) in the form of Lippe et al. 2022 (arXiv:2202.03169):
//!
//! ```text
//! L = E[−log p(x^{t+1}|z^{t+1})] + β E[log q(z^{t+1}|x^{t+1}) − log p(z^{t+1} | z^t, u)]
//! p(z^{t+1} | z^t, u) = Π_j N(z_j; net([z^t, u])_j)
//! ```
//!
//! u are the intervention targets, or the action. Networks and flow are those of CITRIS-VAE; there is no
//! assignment and no classifier, so what a latent means is found out afterwards.

use burn::module::Module;
use burn::tensor::{Device, Tensor};
use serde::{Deserialize, Serialize};
use unbraid_measure::data::{Dataset, Supervision, Window};
use unbraid_measure::info::Info;
use unbraid_measure::rng::Rng;
use unbraid_measure::settings::words;
use unbraid_measure::watch::Watch;

use crate::error::Result;
use crate::model::batch::Batch;
use crate::model::{Abilities, Code, Columns, Follows, Loss, Model, Settings, Step, Task};
use crate::parts::distributions::gaussian::Gaussian;
use crate::parts::nets::mlp::{Mlp, Nonlinearity};
use crate::parts::nets::simple::{Limit, SimpleSettings};
use crate::parts::schedule::Schedule;
use crate::parts::time::RECIPE;
use crate::parts::time::sequence_vae::{Draws, SequenceVae};
use crate::parts::time::targets::selected;

words! {
    /// What the prior is told of a step.
    pub enum Told {
        /// Which factors were intervened on.
        Targets = "targets",
        /// What was done.
        Actions = "actions";
        /// Actions where the data have some, else targets.
        Auto = "auto"
    }
}

/// The settings.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Config {
    /// The weight of the KL divergence; may follow a schedule.
    pub beta: Schedule,
    /// What the prior is told: "targets", "actions" or "auto".
    pub told: Told,
    /// Layers of the flow between decoder and prior; 0 for none.
    pub flow_layers: usize,
    /// Units of each hidden layer of the prior.
    pub prior_width: usize,
    /// The networks.
    #[serde(flatten)]
    pub net: SimpleSettings,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            beta: 1.0.into(),
            told: Told::Auto,
            flow_layers: 4,
            prior_width: 256,
            net: SimpleSettings::default(),
        }
    }
}

impl Settings for Config {
    fn latents(&self) -> Option<usize> {
        self.net.latents()
    }

    fn resolve(&mut self, task: &Task) -> Result<()> {
        self.beta.check("model.beta", 0.0)?;
        if self.told == Told::Auto {
            self.told = if task.action > 0 { Told::Actions } else { Told::Targets };
        }
        self.net.resolve(task)
    }
}

/// The iVAE of transitions.
#[derive(Module, Debug)]
pub struct TransitionIvae {
    net: SequenceVae,
    prior: Mlp,
    #[module(skip)]
    told: Told,
    #[module(skip)]
    targets: Columns,
    #[module(skip)]
    beta: Schedule,
}

impl Model for TransitionIvae {
    type Config = Config;
    const INFO: Info = Info {
        name: "transition-ivae",
        title: "iVAE of transitions (iVAE*)",
        summary: "a VAE whose prior sees the frame before and what was done; compared with CITRIS and BISCUIT",
        paper: "Khemakhem et al., Variational Autoencoders and Nonlinear ICA, AISTATS 2020; as in Lippe et \
                al. 2022",
        page: "\
## What it is
The VAE that the CITRIS and BISCUIT papers compare with (there iVAE*, or iVAE): its prior sees the latents of
the frame before and what was done,

    L = E[-log p(x'|z')] + beta E[log q(z'|x') - log p(z'|z, u)],   p(z'|z, u) = prod_j N(z'_j; net([z, u])_j)

with a normalising flow between the latents of the decoder and those of the prior. u are the intervention
targets, or the action.

## Settings
told (auto: actions where the data have some, else targets), beta (1; may follow a schedule), latents (16),
channels (16), width (256), pixel_weights (standardised; see `unbraid show autoencoder`), noise (0.354), flow_layers (4), prior_width (256).

## What to expect
Latents that are independent given the frame before and u. Nothing says which latent belongs to which
variable: `alignment` assigns each to the one it predicts best.

## Good to know
It is new here: it has not been trained to its published numbers yet.",
    };
    const RECIPE: &'static str = RECIPE;
    const SUPERVISION: Supervision = Supervision::Targets(Window::TRANSITION);

    fn supervision(config: &Config) -> Supervision {
        match config.told {
            Told::Actions => Supervision::Actions(Window::TRANSITION),
            Told::Targets | Told::Auto => Supervision::Targets(Window::TRANSITION),
        }
    }

    fn init(config: &Config, task: &Task, rng: &Rng, device: &Device) -> Self {
        let latents = config.net.latents;
        let told = match config.told {
            Told::Actions => task.action,
            Told::Targets | Told::Auto => task.targets.len(),
        };
        let width = config.prior_width;
        let sizes = [latents + told, width, width, 2 * latents];
        Self {
            net: SequenceVae::new(&config.net, Limit::Fixed, config.flow_layers, task, rng, device),
            prior: Mlp::new(&sizes, Nonlinearity::Silu, &mut rng.split("prior"), device),
            told: config.told,
            targets: task.targets,
            beta: config.beta,
        }
    }

    fn prepare(mut self, data: &dyn Dataset, rng: &Rng, _watch: &dyn Watch) -> Result<Self> {
        self.net = self.net.fitted(data, rng);
        Ok(self)
    }

    fn largest_gradient(&self) -> Option<f64> {
        Some(1.0)
    }

    fn loss(&self, batch: &Batch, step: &mut Step) -> Loss {
        let evidence = self.net.evidence(batch, Draws::One, step);
        let told = match self.told {
            Told::Actions => batch.actions(),
            Told::Targets | Told::Auto => selected(batch.targets(), self.targets),
        };
        let [before, after] = evidence.latents();
        let nll = self.next(before, told).log_density(&after) * -1.0;
        let kl = (evidence.entropy + nll.sum_dim(1)).mean();
        Loss::new(evidence.reconstruction.clone() + kl.clone() * self.beta.at(step))
            .term("reconstruction", evidence.reconstruction)
            .term("kl", kl)
    }

    fn encode(&self, seen: &Batch) -> Code {
        Code { mean: self.net.encode(seen.x()), log_variance: None, kl: None }
    }

    fn abilities(&self) -> Abilities<'_> {
        let transition: Option<&dyn Follows> = Some(self);
        Abilities {
            decoder: Some(&self.net),
            samples: Some(&self.net),
            transition,
            ..Abilities::default()
        }
    }
}

impl TransitionIvae {
    /// p(z^{t+1} | z^t, u)
    fn next(&self, before: Tensor<2>, told: Tensor<2>) -> Gaussian {
        let latents = before.dims()[1];
        let out = self.prior.forward(Tensor::cat(vec![before, told], 1));
        let part = |from: usize| out.clone().narrow(1, from, latents);
        Gaussian { mean: part(0), log_variance: part(latents) * 2.0 }
    }
}

impl Follows for TransitionIvae {
    fn next(&self, before: Tensor<2>, targets: Tensor<2>, actions: Tensor<2>) -> Tensor<2> {
        let told = match self.told {
            Told::Actions => actions,
            Told::Targets | Told::Auto => selected(targets, self.targets),
        };
        Self::next(self, before, told).mean
    }
}
