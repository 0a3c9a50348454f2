//! The autoencoder below CITRIS-NF and BISCUIT-NF (Lippe et al. 2022, 2023):
//!
//! ```text
//! L = Σ_pixels (x̂ − x)² + w · pixels · mean z²,   z = enc(x),  x̂ = dec(z + σ ε),  ε ~ N(0, I)
//! ```
//!
//! with images from −1 to 1. The noise makes codes that are close decode alike, so that a flow can be put on
//! top. The papers divide by the number of pixels, which Adam does not see.
//!
//! Nothing here keeps the codes from being folded, and a flow of a few layers has to unfold them. With `kl` above 0
//! the noise of each code is learned and paid for,
//!
//! ```text
//! L = −log p(x | z + σ(x) ε) + kl · KL(N(z, σ²) ‖ N(0, I))
//! ```
//!
//! as in a VAE.

use burn::module::Module;
use burn::tensor::Device;
use serde::{Deserialize, Serialize};
use unbraid_measure::data::{Dataset, Supervision};
use unbraid_measure::info::Info;
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::Watch;

use crate::error::{Error, Result};
use crate::model::batch::Batch;
use crate::model::{Abilities, Code, Loss, Model, Settings, Step, Task};
use crate::parts::nets::simple::{Limit, Simple, SimpleSettings};
use crate::parts::schedule::Schedule;
use crate::parts::time::RECIPE;

/// The settings of an autoencoder.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Config {
    /// σ, the standard deviation of the noise on codes.
    pub code_noise: f64,
    /// w, how much large codes cost.
    pub shrinkage: f64,
    /// The weight of the KL divergence of codes with a noise of their own, in place of both; 0 for none.
    pub kl: Schedule,
    /// The networks.
    #[serde(flatten)]
    pub net: SimpleSettings,
}

impl Default for Config {
    fn default() -> Self {
        Self { code_noise: 0.05, shrinkage: 1e-6, kl: 0.0.into(), net: SimpleSettings::default() }
    }
}

impl Settings for Config {
    fn latents(&self) -> Option<usize> {
        self.net.latents()
    }

    fn resolve(&mut self, task: &Task) -> Result<()> {
        for (key, value) in
            [("model.code_noise", self.code_noise), ("model.shrinkage", self.shrinkage)]
        {
            if !(value.is_finite() && value >= 0.0) {
                return Err(Error::setting(key, "must be a number of at least 0"));
            }
        }
        self.kl.check("model.kl", 0.0)?;
        self.net.resolve(task)
    }
}

/// The autoencoder.
#[derive(Module, Debug)]
pub struct Autoencoder {
    net: Simple,
    #[module(skip)]
    code_noise: f64,
    /// w · pixels
    #[module(skip)]
    shrinkage: f64,
    #[module(skip)]
    kl: Schedule,
}

impl Model for Autoencoder {
    type Config = Config;
    const INFO: Info = Info {
        name: "autoencoder",
        title: "Autoencoder",
        summary: "codes with a little noise and no prior, as a base for citris-nf and biscuit-nf",
        paper: "",
        page: "\
## What it is
An encoder and a decoder with a little noise on the codes between them, and by default no prior: as much of an
image as fits into the codes. It is the base of citris-nf and biscuit-nf.

    L = sum over pixels (x_hat - x)^2 + shrinkage pixels mean z^2,   x_hat = decoder(encoder(x) + code_noise e)

## Settings
latents (16), channels (16, of the first layers), width (256, of dense layers), code_noise (0.05), shrinkage
(0.000001), kl (0; above 0 each code has a noise of its own that its KL divergence pays for, in place of code_noise and
shrinkage, as in a VAE), pixel_weights (standardised: the error of a pixel counts in units of its own variance over the data,
so that a small ball counts as much as a large paddle; equal: all the same, as in the papers).

## What to expect
Good reconstructions, and codes that mean nothing by themselves.",
    };
    const RECIPE: &'static str = RECIPE;
    const SUPERVISION: Supervision = Supervision::None;

    fn init(config: &Config, task: &Task, rng: &Rng, device: &Device) -> Self {
        Self {
            net: Simple::new(&config.net, limit(config.kl), task, rng, device),
            code_noise: config.code_noise,
            shrinkage: config.shrinkage * task.shape.size() as f64,
            kl: config.kl,
        }
    }

    fn prepare(self, data: &dyn Dataset, rng: &Rng, _: &dyn Watch) -> Result<Self> {
        Ok(Self { net: self.net.fitted(data, rng), ..self })
    }

    fn largest_gradient(&self) -> Option<f64> {
        Some(1.0)
    }

    fn loss(&self, batch: &Batch, step: &mut Step) -> Loss {
        if limit(self.kl) == Limit::Fixed {
            return self.net.elbo(batch.x(), self.kl.at(step), step);
        }
        let z = self.net.code(batch.x());
        let size = z.clone().square().mean();
        let noise = step.noise(z.dims(), &z.device()) * self.code_noise;
        let reconstruction = self.net.error(z + noise, batch.x());
        Loss::new(reconstruction.clone() + size.clone() * self.shrinkage)
            .term("reconstruction", reconstruction)
            .term("size", size)
    }

    fn encode(&self, seen: &Batch) -> Code {
        let code = match limit(self.kl) {
            Limit::Fixed => self.net.posterior(seen.x()).mean,
            _ => self.net.code(seen.x()),
        };
        Code { mean: code, log_variance: None, kl: None }
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { decoder: Some(&self.net), ..Abilities::default() }
    }
}

/// Codes are points, or with a KL divergence Gaussians.
fn limit(kl: Schedule) -> Limit {
    if kl == Schedule::Constant(0.0) { Limit::Point } else { Limit::Fixed }
}
