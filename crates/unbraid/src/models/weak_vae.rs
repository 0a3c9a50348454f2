//! Weak supervision from pairs: Locatello et al., Weakly-Supervised Disentanglement Without
//! Compromises, ICML 2020, arXiv:2002.02886; Bouchacourt et al., Multi-Level Variational
//! Autoencoder, AAAI 2018; Hosoya, Group-based Learning of Disentangled Representations, IJCAI 2019.
//!
//! Two observations differ in a few factors. Latents that are unchanged share one posterior, the
//! average of the two; the others keep their own:
//!
//! ```text
//! L = ½ Σ_k ( E_q'_k[−log p(x_k|z)] + β KL(q'_k ‖ N(0, I)) )
//! group (GVAE):      mean = ½ (m₁ + m₂),                       variance = ½ (v₁ + v₂)
//! product (ML-VAE):  mean = (m₁/v₁ + m₂/v₂) v₁v₂ / (v₁ + v₂),  variance = 2 v₁v₂ / (v₁ + v₂)
//! ```
//!
//! The variance of a product of two Gaussians is half of that; the released codes have twice it,
//! and so has this. Which latents are shared is either known (`gvae`, `ml-vae`: all but those of
//! the factors that changed, latent k being that of factor k) or inferred (`ada-gvae`,
//! `ada-ml-vae`): shared are latents whose divergence δ lies below the midpoint between the
//! smallest and the largest of the pair, δ_l < ½ (min δ + max δ). δ is the KL divergence of the two
//! posteriors, from first to second as in disentanglement_lib, or the mean of both directions as in
//! disent. Where all are equal, as for two equal observations, all are shared: δ_l = τ. disent
//! would share none, disentanglement_lib leaves it to rounding.

use std::marker::PhantomData;

use burn::module::Module;
use burn::tensor::{Device, Tensor};
use serde::{Deserialize, Serialize};
use unbraid_measure::data::{Pairs, Supervision};
use unbraid_measure::info::Info;
use unbraid_measure::rng::Rng;
use unbraid_measure::settings::words;

use crate::error::{Error, Result};
use crate::model::batch::Batch;
use crate::model::{Abilities, Code, Loss, Model, Settings, Step, Task};
use crate::parts::distributions::gaussian::Gaussian;
use crate::parts::nets::autoencoder::{Autoencoder, NetSettings};
use crate::parts::schedule::Schedule;

mod pages;

/// How two posteriors are averaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Average {
    /// As in the GVAE.
    Group,
    /// As in the ML-VAE.
    Product,
}

/// A member of the family.
pub trait Member: Clone + std::fmt::Debug + Send + Sync + 'static {
    /// What it is.
    const INFO: Info;
    /// How two posteriors are averaged.
    const AVERAGE: Average;
    /// Whether it infers which latents are shared.
    const ADAPTIVE: bool;
}

/// Ada-GVAE.
#[derive(Clone, Debug)]
pub struct AdaGroup;
/// Ada-ML-VAE.
#[derive(Clone, Debug)]
pub struct AdaProduct;
/// GVAE.
#[derive(Clone, Debug)]
pub struct KnownGroup;
/// ML-VAE.
#[derive(Clone, Debug)]
pub struct KnownProduct;

macro_rules! member {
    ($name:ident, $average:ident, $adaptive:literal, $info:expr) => {
        impl Member for $name {
            const INFO: Info = $info;
            const AVERAGE: Average = Average::$average;
            const ADAPTIVE: bool = $adaptive;
        }
    };
}

member!(AdaGroup, Group, true, pages::ADA_GVAE);
member!(AdaProduct, Product, true, pages::ADA_ML_VAE);
member!(KnownGroup, Group, false, pages::GVAE);
member!(KnownProduct, Product, false, pages::ML_VAE);

words! {
    /// How far two posteriors are apart.
    pub enum Difference {
        /// KL(q₁ ‖ q₂)
        Forward = "forward",
        /// The mean of both directions.
        Symmetric = "symmetric",
    }
}

/// The settings of the family.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Config {
    /// The weight of the KL terms; the paper tried 1, 2, 4, 8 and 16.
    pub beta: Schedule,
    /// "forward": KL(q₁ ‖ q₂); "symmetric": the mean of both directions. Only where shared latents
    /// are guessed.
    pub difference: Difference,
    /// How the pairs differ.
    #[serde(flatten)]
    pub pairs: Pairs,
    /// The networks.
    #[serde(flatten)]
    pub net: NetSettings,
}

impl Default for Config {
    fn default() -> Self {
        let (pairs, net) = (Pairs::default(), NetSettings::default());
        Self { beta: 1.0.into(), difference: Difference::Forward, pairs, net }
    }
}

impl Settings for Config {
    fn latents(&self) -> Option<usize> {
        self.net.latents()
    }

    fn resolve(&mut self, task: &Task) -> Result<()> {
        self.beta.check("model.beta", 0.0)?;
        if self.net.supervision() != Supervision::None {
            let reason = "must be 0: this model learns from pairs, and labels are not read";
            return Err(Error::setting("model.label_weight", reason));
        }
        self.net.resolve(task)
    }
}

/// A VAE trained on pairs.
#[derive(Module, Debug)]
pub struct WeakVae<M: Member> {
    net: Autoencoder,
    #[module(skip)]
    beta: Schedule,
    symmetric: bool,
    #[module(skip)]
    member: PhantomData<M>,
}

impl<M: Member> Model for WeakVae<M> {
    type Config = Config;
    const INFO: Info = M::INFO;
    const SUPERVISION: Supervision = Supervision::Pairs(Pairs::DEFAULT);

    fn supervision(config: &Config) -> Supervision {
        Supervision::Pairs(config.pairs)
    }

    fn init(config: &Config, task: &Task, rng: &Rng, device: &Device) -> Self {
        Self {
            net: Autoencoder::new(&config.net, task, rng, device),
            beta: config.beta,
            symmetric: config.difference == Difference::Symmetric,
            member: PhantomData,
        }
    }

    fn loss(&self, batch: &Batch, step: &mut Step) -> Loss {
        let [first, second] = batch.pair();
        let (one, other) = (self.net.posterior(first.clone()), self.net.posterior(second.clone()));
        let shared = match M::ADAPTIVE {
            true => alike(&one, &other, self.symmetric),
            false => unchanged(batch.targets(), one.mean.dims()[1]),
        };
        let average = average(&one, &other, M::AVERAGE);
        let [one, other] = [one, other].map(|own| choose(&shared, &average, &own));
        let error = |q: &Gaussian, x: Tensor<4>, step: &mut Step| self.net.error(q.sample(step), x);
        let reconstruction = (error(&one, first, step) + error(&other, second, step)) * 0.5;
        let latents = (one.kl_per_latent() + other.kl_per_latent()) * 0.5;
        let kl = latents.clone().sum();
        let count = shared.dims()[0] as f64;
        Loss::new(reconstruction.clone() + kl.clone() * self.beta.at(step))
            .term("reconstruction", reconstruction)
            .term("kl", kl)
            .term("shared", shared.sum() / count)
            .latents(latents)
    }

    fn encode(&self, seen: &Batch) -> Code {
        self.net.posterior(seen.x()).into()
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { decoder: Some(&self.net), ..Abilities::default() }
    }
}

/// 1 where a latent belongs to no factor that changed, `[batch, latents]`: latent k to factor k, and
/// further latents to none.
fn unchanged(changed: Tensor<2>, latents: usize) -> Tensor<2> {
    let [rows, factors] = changed.dims();
    let kept = changed * -1.0 + 1.0;
    match latents.checked_sub(factors) {
        None => kept.narrow(1, 0, latents),
        Some(0) => kept,
        Some(more) => {
            let device = kept.device();
            Tensor::cat(vec![kept, Tensor::ones([rows, more], &device)], 1)
        }
    }
}

/// 1 where the divergence of two posteriors is at most half way between the smallest and the largest of
/// the pair. The choice has no gradient.
fn alike(one: &Gaussian, other: &Gaussian, symmetric: bool) -> Tensor<2> {
    let forward = divergence(one, other);
    let difference = match symmetric {
        true => (forward + divergence(other, one)) * 0.5,
        false => forward,
    };
    let difference = difference.detach();
    let threshold = (difference.clone().max_dim(1) + difference.clone().min_dim(1)) * 0.5;
    difference.lower_equal(threshold).float()
}

/// KL(q₁ ‖ q₂) of each latent.
fn divergence(one: &Gaussian, other: &Gaussian) -> Tensor<2> {
    let apart = (other.mean.clone() - one.mean.clone()).square();
    let ratio = one.log_variance.clone() - other.log_variance.clone();
    let scaled = apart * (other.log_variance.clone() * -1.0).exp();
    (ratio.clone().exp() + scaled - 1.0 - ratio) * 0.5
}

fn average(one: &Gaussian, other: &Gaussian, kind: Average) -> Gaussian {
    let (v1, v2) = (one.log_variance.clone().exp(), other.log_variance.clone().exp());
    let (m1, m2) = (one.mean.clone(), other.mean.clone());
    match kind {
        Average::Group => Gaussian { mean: (m1 + m2) * 0.5, log_variance: ((v1 + v2) * 0.5).log() },
        Average::Product => {
            // m₁ v₂ / (v₁ + v₂) + m₂ v₁ / (v₁ + v₂)
            let sum = v1.clone() + v2.clone();
            let mean = (m1 * v2.clone() + m2 * v1.clone()) / sum.clone();
            Gaussian { mean, log_variance: (v1 * v2 * 2.0 / sum).log() }
        }
    }
}

/// The average where shared, otherwise the latent's own posterior.
fn choose(shared: &Tensor<2>, average: &Gaussian, own: &Gaussian) -> Gaussian {
    let mix = |average: &Tensor<2>, own: &Tensor<2>| {
        own.clone() + (average.clone() - own.clone()) * shared.clone()
    };
    Gaussian {
        mean: mix(&average.mean, &own.mean),
        log_variance: mix(&average.log_variance, &own.log_variance),
    }
}

#[cfg(test)]
mod tests;
