//! InfoGAN: Chen, Duan, Houthooft, Schulman, Sutskever and Abbeel, InfoGAN: Interpretable
//! Representation Learning by Information Maximizing Generative Adversarial Nets, NIPS 2016,
//! arXiv:1606.03657.
//!
//! ```text
//! min_{G,Q} max_D  E log D(x) + E log(1 − D(G(c, z))) − λ L_I,
//! L_I = E_{c, x = G(c,z)} [log Q(c|x)] + H(c)  ≤  I(c; G(c, z))
//! ```
//!
//! with latent codes c uniform in −1..1, noise z likewise, and Q a Gaussian that shares the trunk of D.
//! Both networks' losses are one sum, and neither has a gradient for the other's weights:
//!
//! ```text
//! discriminator and recogniser:  softplus(−d(x)) + softplus(d(G)) − λ L_I
//! generator:                     softplus(−d(G)) − λ L_I
//! ```
//!
//! where d is the logit of D. The generator has the non-saturating loss.
//!
//! Our choices: the sizes of the networks (`nets.rs`), few channels, since steps with 128 are slow,
//! and leaky ReLU without batch normalisation; λ = 1; a Q whose standard deviation is learned but
//! stays above 0.3; Adam's β₁ = 0.5, and learning rates of 3e-4 and 1e-4 (as we recall the row of
//! InfoGAN in the β-VAE paper's table, it has dense 256 256, 128 and 64 channels, 1e-3 and 2e-4);
//! and instance noise on the discriminator's input, annealed to 0 over the training. With little of
//! it and higher learning rates, tried together, the discriminator won at once on dsprites.

use burn::module::Module;
use burn::tensor::activation::softplus;
use burn::tensor::{Device, Tensor};
use serde::{Deserialize, Serialize};
use unbraid_measure::data::Supervision;
use unbraid_measure::info::Info;
use unbraid_measure::rng::Rng;

use crate::error::{Error, Result};
use crate::model::batch::Batch;
use crate::model::{Abilities, Code, Decoder, Group, Loss, Model, Settings, Step, Task};
use crate::parts::distributions::gaussian::Gaussian;
use crate::parts::schedule::Schedule;
use nets::{Generator, Judge, Recogniser, Trunk, halvings};

mod nets;

/// Of both networks' Adam.
const BETAS: [f64; 2] = [0.5, 0.999];

/// The settings of InfoGAN.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Config {
    /// How many latent codes, each uniform in -1..1.
    pub latents: usize,
    /// How many noise variables beside them.
    pub noise: usize,
    /// λ, the weight of the mutual information term.
    pub lambda: Schedule,
    /// The lower bound of Q's standard deviation.
    pub least_deviation: f64,
    /// Channels of the smallest feature map.
    pub channels: usize,
    /// The learning rate of the generator and of Q.
    pub generator_learning_rate: Schedule,
    /// The learning rate of the discriminator and the trunk.
    pub discriminator_learning_rate: Schedule,
    /// The standard deviation of the instance noise on the discriminator's input at the first step; it
    /// falls to 0 at the last.
    pub instance_noise: f64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            latents: 5,
            noise: 5,
            lambda: 1.0.into(),
            least_deviation: 0.3,
            channels: 32,
            generator_learning_rate: 3e-4.into(),
            discriminator_learning_rate: 1e-4.into(),
            instance_noise: 1.0,
        }
    }
}

impl Settings for Config {
    fn resolve(&mut self, task: &Task) -> Result<()> {
        if !(1..=10_000).contains(&self.latents) {
            return Err(Error::setting("model.latents", "must be from 1 to 10000"));
        }
        if self.noise > 10_000 {
            return Err(Error::setting("model.noise", "must be at most 10000"));
        }
        if !(8..=1024).contains(&self.channels) {
            return Err(Error::setting("model.channels", "must be from 8 to 1024"));
        }
        for (key, number) in [
            ("model.least_deviation", self.least_deviation),
            ("model.instance_noise", self.instance_noise),
        ] {
            if !(0.0..=10.0).contains(&number) {
                return Err(Error::setting(key, "must be from 0 to 10"));
            }
        }
        self.lambda.check("model.lambda", 0.0)?;
        self.generator_learning_rate.check("model.generator_learning_rate", 0.0)?;
        self.discriminator_learning_rate.check("model.discriminator_learning_rate", 0.0)?;
        let shape = task.shape;
        if !shape.is_vector() && halvings(shape) < 2 {
            let (height, width) = (shape.height, shape.width);
            let reason = format!(
                "`info-gan` halves an image twice or more, down to at least 4x4, so its sides must \
                 be multiples of 4 from 16 up; these are {height}x{width}: resize them with \
                 data.variant.size"
            );
            return Err(Error::Unable(reason));
        }
        Ok(())
    }
}

/// InfoGAN.
#[derive(Module, Debug)]
pub struct InfoGan {
    generator: Generator,
    trunk: Trunk,
    judge: Judge,
    recogniser: Recogniser,
    latents: usize,
    noise: usize,
    #[module(skip)]
    lambda: Schedule,
    #[module(skip)]
    rates: [Schedule; 2],
    instance_noise: f64,
}

impl Model for InfoGan {
    type Config = Config;
    const INFO: Info = Info {
        name: "info-gan",
        title: "InfoGAN",
        summary: "a GAN that maximises the mutual information of latent codes and generated images",
        paper: "Chen et al., InfoGAN, NIPS 2016",
        page: "\
## What it is
A generator G makes images from latent codes c and noise z. A discriminator D learns to tell them from
real images. A recognition network Q, which shares the discriminator's layers, learns to predict the
codes. The generator is trained to fool D and to make c predictable by Q:

    discriminator and Q:  -log D(x) - log(1 - D(G(c, z))) - lambda information
    generator:            -log D(G(c, z)) - lambda information,  information = E[log Q(c|G)] + H(c)

Codes c and noise z are uniform in -1..1. The representation is the mean of Q; decoding sets the noise
to 0.

## Settings
latents (5 codes), noise (5 variables), lambda (1), least_deviation (0.3, lower bound of Q's standard
deviation), channels (32, of the smallest feature map), generator_learning_rate (0.0003, learning rate of G and
Q), discriminator_learning_rate (0.0001, of D), instance_noise (1: standard deviation of the noise on the
discriminator's input, which falls to 0 by the last step). lambda and the learning rates may follow a
schedule. `train.learning_rate` is not used.

## What to expect
Sharp images, whose codes mix factors and sometimes jump. `unbraid reproduce beta-vae-metric` (dsprites
at 32x32, 5,000 steps, shape hidden from the metrics, one run) gives higgins-score 0.73, beta-vae-score
0.79 and mig 0.04. The defaults are the best of three that were tried; with the other two (lambda 0.3;
higher learning rates with instance_noise 0.3) the discriminator won.

## Reading the log
At chance `discriminator` is 2 ln 2 = 1.39 and `generator` ln 2 = 0.69. A discriminator loss near 0 means
that it has won and nothing more is learned: use more instance_noise, or a lower discriminator_learning_rate.
`information` is the variational lower bound of I(c; G(c, z)), in nats. `loss` is the sum of both
networks' losses; it falls as the information rises, and says nothing about image quality.

## Cautions
Q is only trained on generated images, so the codes of real images that G cannot generate mean little.
There is no posterior and no likelihood. Image sides must be multiples of 4, from 16 up.",
    };
    const SUPERVISION: Supervision = Supervision::None;

    fn init(config: &Config, task: &Task, rng: &Rng, device: &Device) -> Self {
        let shape = task.shape;
        Self {
            generator: Generator::new(config, shape, &mut rng.split("generator"), device),
            trunk: Trunk::new(config, shape, &mut rng.split("trunk"), device),
            judge: Judge::new(&mut rng.split("judge"), device),
            recogniser: Recogniser::new(config, &mut rng.split("recogniser"), device),
            latents: config.latents,
            noise: config.noise,
            lambda: config.lambda,
            rates: [config.generator_learning_rate, config.discriminator_learning_rate],
            instance_noise: config.instance_noise,
        }
    }

    fn groups(&self, step: &Step) -> Vec<Group> {
        let [generator, discriminator] = self.rates.map(|rate| rate.at(step));
        let group = |prefix, rate| Group { prefix, rate, betas: BETAS };
        vec![
            group("generator", generator),
            group("recogniser", generator),
            group("trunk", discriminator),
            group("judge", discriminator),
        ]
    }

    fn loss(&self, batch: &Batch, step: &mut Step) -> Loss {
        let real = batch.x();
        let (rows, device) = (real.dims()[0], real.device());
        let c = step.uniform([rows, self.latents], &device);
        let made = self.generate(c.clone(), step);
        let [real, made] = [real, made].map(|x| self.blurred(x, step));

        let seen = self.trunk.forward(Tensor::cat(vec![real, made.clone().detach()], 0));
        let logits = self.judge.forward(seen.clone());
        let is_real = cost(logits.clone().narrow(0, 0, rows) * -1.0);
        let is_made = cost(logits.narrow(0, rows, rows));
        let discriminator = is_real + is_made;
        let read = self.recogniser.forward(seen.narrow(0, rows, rows));
        let information = told(&read, c.clone());

        // The discriminator once more, with its weights held fixed.
        let seen = self.trunk.clone().no_grad().forward(made);
        let generator = cost(self.judge.clone().no_grad().forward(seen.clone()) * -1.0);
        let read = self.recogniser.clone().no_grad().forward(seen);
        let twice = information.clone() + told(&read, c);

        let game = generator.clone() + discriminator.clone();
        Loss::new(game - twice * self.lambda.at(step))
            .term("generator", generator)
            .term("discriminator", discriminator)
            .term("information", information)
    }

    fn encode(&self, seen: &Batch) -> Code {
        let q = self.recogniser.forward(self.trunk.forward(seen.x()));
        Code { mean: q.mean, log_variance: None, kl: None }
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { decoder: Some(self), ..Abilities::default() }
    }
}

impl Decoder for InfoGan {
    /// With the noise at its mean.
    fn decode(&self, c: Tensor<2>) -> Tensor<4> {
        let noise = Tensor::zeros([c.dims()[0], self.noise], &c.device());
        self.painted(c, noise)
    }
}

impl InfoGan {
    fn generate(&self, c: Tensor<2>, step: &mut Step) -> Tensor<4> {
        let noise = step.uniform([c.dims()[0], self.noise], &c.device());
        self.painted(c, noise)
    }

    fn painted(&self, c: Tensor<2>, noise: Tensor<2>) -> Tensor<4> {
        let z = if self.noise == 0 { c } else { Tensor::cat(vec![c, noise], 1) };
        self.generator.forward(z)
    }

    /// With the instance noise of this step.
    fn blurred(&self, x: Tensor<4>, step: &mut Step) -> Tensor<4> {
        let left = 1.0 - step.number as f64 / step.total.max(1) as f64;
        let deviation = self.instance_noise * left.max(0.0);
        if deviation == 0.0 {
            return x;
        }
        let noise = step.noise(x.dims(), &x.device());
        x + noise * deviation
    }
}

/// The mean of softplus, log(1 + eᵃ), which is −log σ(−a).
fn cost(logits: Tensor<2>) -> Tensor<1> {
    softplus(logits, 1.0).mean()
}

/// L_I = E log Q(c|x) + H(c), summed over codes, averaged over the batch; H of one code is ln 2.
fn told(q: &Gaussian, c: Tensor<2>) -> Tensor<1> {
    let [rows, codes] = c.dims();
    let apart = (c - q.mean.clone()).square() * (q.log_variance.clone() * -1.0).exp();
    let twice = apart + q.log_variance.clone() + std::f64::consts::TAU.ln();
    let entropy = std::f64::consts::LN_2 * codes as f64;
    twice.sum() * (-0.5 / rows as f64) + entropy
}

#[cfg(test)]
mod tests;
