//! A hierarchy of latent layers, from the top z_L down to z_1 and the observation:
//!
//! ```text
//! p(x, z) = p(x|z_1) Π_{i<L} N(z_i; μ_i(z_{i+1}), σ²_i(z_{i+1})) N(z_L; 0, I)
//! ```
//!
//! The models differ in how they infer the layers (`ladder-vae` top-down, `hierarchical-vae`
//! bottom-up). Each gives a sample, a posterior and a prior per layer, [`Layer`]; the rest is
//! shared and stands here.

use burn::module::Module;
use burn::tensor::activation::{sigmoid, softplus};
use burn::tensor::{Device, Tensor};
use unbraid_measure::rng::Rng;
use unbraid_measure::settings::words;

use crate::compute::flatten;
use crate::model::{Abilities, Code, Decoder, Densities, Loss, Step, Task};
use crate::parts::distributions::gaussian::Gaussian;
use crate::parts::distributions::likelihood::Likelihood;
use crate::parts::nets::normalised::{Normalised, Statistics};

mod settings;

pub use settings::HierarchySettings;

/// A lower bound of a learned variance.
const LEAST_VARIANCE: f64 = 1e-5;
/// ln(e − 1), where softplus is 1.
const VARIANCE_ONE: f32 = 0.541_324_85;

/// log(softplus(·) + 1e-5)
fn log_variance(head: Tensor<2>) -> Tensor<2> {
    (softplus(head, 1.0) + LEAST_VARIANCE).log()
}

/// Two hidden layers, and a Gaussian with parameters from the second.
#[derive(Module, Debug)]
pub struct GaussianNet {
    hidden: Hidden,
    mean: Normalised,
    variance: Normalised,
}

impl GaussianNet {
    /// With these numbers of inputs, hidden units and latents.
    pub fn new(
        [input, width, output]: [usize; 3],
        normalise: bool,
        rng: &mut Rng,
        device: &Device,
    ) -> Self {
        let hidden = Hidden::new([input, width], normalise, rng, device);
        let mut head = |shift| Normalised::linear([width, output], shift, normalise, rng, device);
        Self { hidden, mean: head(0.0), variance: head(1.0) }
    }

    /// The output of the hidden layers, and the Gaussian.
    pub fn forward(&self, y: Tensor<2>, statistics: &mut Statistics) -> (Tensor<2>, Gaussian) {
        let h = self.hidden.forward(y, statistics);
        let log_variance = log_variance(self.variance.forward(h.clone(), statistics));
        (h.clone(), Gaussian { mean: self.mean.forward(h, statistics), log_variance })
    }
}

/// Two hidden layers of the same width.
#[derive(Module, Debug)]
struct Hidden {
    layers: Vec<Normalised>,
}

impl Hidden {
    fn new([input, width]: [usize; 2], normalise: bool, rng: &mut Rng, device: &Device) -> Self {
        let sizes = [[input, width], [width, width]];
        let layer = |size: [usize; 2]| Normalised::hidden(size, normalise, rng, device);
        Self { layers: sizes.map(layer).into() }
    }

    fn forward(&self, y: Tensor<2>, statistics: &mut Statistics) -> Tensor<2> {
        self.layers.iter().fold(y, |y, layer| layer.forward(y, statistics))
    }
}

/// One layer of some rows: a sample, its posterior, and its prior given the layer above.
#[derive(Clone, Debug)]
pub struct Layer {
    /// `[batch, latents]`
    pub z: Tensor<2>,
    /// q(z_i|…)
    pub posterior: Gaussian,
    /// p(z_i|z_{i+1}); N(0, I) at the top.
    pub prior: Gaussian,
}

impl Layer {
    /// The KL of each row and latent.
    fn kl(&self, cost: Cost) -> Tensor<2> {
        match cost {
            Cost::Exact => self.posterior.kl_from(&self.prior),
            Cost::Drawn => self.posterior.log_density(&self.z) - self.prior.log_density(&self.z),
        }
    }
}

words! {
    /// How the KL of a layer is computed.
    pub enum Cost {
        /// KL(q ‖ p), which is right where what q and p are given was drawn before z was: from the top
        /// down.
        Exact = "exact",
        /// log q(z) − log p(z) of the draw.
        Drawn = "drawn",
    }
}

/// How layers are sampled: at random, or as the mean of each posterior.
#[derive(Debug)]
pub enum Draws<'a> {
    /// From the posterior.
    Random(&'a mut Step),
    /// Its mean.
    Means,
}

impl Draws<'_> {
    /// A sample for each row.
    pub fn of(&mut self, q: &Gaussian) -> Tensor<2> {
        match self {
            Self::Random(step) => q.sample(step),
            Self::Means => q.mean.clone(),
        }
    }
}

/// The generative model.
#[derive(Module, Debug)]
pub struct Hierarchy {
    /// p(z_i|z_{i+1}), from the bottom.
    priors: Vec<GaussianNet>,
    /// z_1 to the hidden units of the output.
    output: Hidden,
    decoded: Normalised,
    /// The log-variance of each output, where it is learned.
    spread: Option<Normalised>,
    #[module(skip)]
    settings: HierarchySettings,
    #[module(skip)]
    likelihood: Likelihood,
    /// Channels, height and width.
    grid: [usize; 3],
}

impl Hierarchy {
    /// Build with seeded weights; the settings must have been resolved.
    pub fn new(settings: &HierarchySettings, task: &Task, rng: &Rng, device: &Device) -> Self {
        let rng = &mut rng.split("decoder");
        let (sizes, widths, size) = (&settings.layers, &settings.widths, task.shape.size());
        let prior = |i: usize, rng: &mut Rng| {
            let size = [sizes[i + 1], widths[i + 1], sizes[i]];
            GaussianNet::new(size, settings.batch_norm, rng, device)
        };
        let head = |shift: f32, rng: &mut Rng| {
            Normalised::linear([widths[0], size], shift, false, rng, device)
        };
        Self {
            priors: (0..sizes.len() - 1).map(|i| prior(i, rng)).collect(),
            output: Hidden::new([sizes[0], widths[0]], settings.batch_norm, rng, device),
            decoded: head(0.0, rng),
            spread: settings.learns_noise().then(|| head(VARIANCE_ONE, rng)),
            likelihood: Likelihood::new(settings.likelihood, settings.noise, task.shape.range),
            settings: settings.clone(),
            grid: task.shape.axes(),
        }
    }

    /// How many layers.
    pub fn depth(&self) -> usize {
        self.settings.layers.len()
    }

    /// p(z_i|z_{i+1}), i counted from 0, the bottom.
    pub fn prior(&self, i: usize, above: Tensor<2>, statistics: &mut Statistics) -> Gaussian {
        self.priors[i].forward(above, statistics).1
    }

    /// −log p(x|z_1) of each row, `[batch]`.
    fn error(&self, z: Tensor<2>, x: Tensor<2>, statistics: &mut Statistics) -> Tensor<1> {
        let h = self.output.forward(z, statistics);
        let decoded = self.decoded.forward(h.clone(), statistics);
        match &self.spread {
            None => self.likelihood.error_of_rows(decoded, x),
            Some(spread) => {
                let log_variance = log_variance(spread.forward(h, statistics));
                let mean = if self.likelihood.squashes() { sigmoid(decoded) } else { decoded };
                let log_density = Gaussian { mean, log_variance }.log_density(&x);
                log_density.sum_dim(1).squeeze_dim(1) * -1.0
            }
        }
    }

    /// The loss of rows whose layers, from the bottom, were sampled.
    pub fn loss(
        &self,
        x: Tensor<4>,
        layers: &[Layer],
        cost: Cost,
        mut statistics: Statistics,
        step: &Step,
    ) -> Loss {
        let rows = x.dims()[0] as f64;
        let reconstruction = match &self.spread {
            None => self.likelihood.error(self.decoded(layers[0].z.clone(), &mut statistics), x),
            Some(_) => self.error(layers[0].z.clone(), flatten(x), &mut statistics).sum() / rows,
        };
        let mean = |layer: &Layer| (layer.kl(cost).sum_dim(0) / rows).squeeze_dim(0);
        let each: Tensor<1> = Tensor::cat(layers.iter().map(mean).collect(), 0);
        let kl = each.clone().sum();
        let total = reconstruction.clone() + kl.clone() * self.settings.beta.at(step);
        let bound = (reconstruction.clone() + kl.clone()).detach();
        Loss::new(total)
            .term("reconstruction", reconstruction)
            .term("kl", kl)
            .term("bound", bound)
            .latents(each)
            .layers(&self.settings.layers)
            .averages(statistics.seen())
    }

    /// log p(x, z) − log q(z|x) of each row.
    pub fn log_weight(
        &self,
        x: Tensor<2>,
        layers: &[Layer],
        statistics: &mut Statistics,
    ) -> Tensor<1> {
        let log_density = self.error(layers[0].z.clone(), x, statistics) * -1.0;
        layers
            .iter()
            .fold(log_density, |sum, layer| sum - layer.kl(Cost::Drawn).sum_dim(1).squeeze_dim(1))
    }

    /// The posterior means of the chosen layers, concatenated from the bottom.
    pub fn code(&self, layers: Vec<Layer>) -> Code {
        let chosen: Vec<Layer> = match self.settings.codes {
            0 => layers,
            layer => vec![layers[layer - 1].clone()],
        };
        let beside =
            |part: fn(&Layer) -> Tensor<2>| Tensor::cat(chosen.iter().map(part).collect(), 1);
        Code {
            mean: beside(|layer| layer.posterior.mean.clone()),
            log_variance: Some(beside(|layer| layer.posterior.log_variance.clone())),
            kl: Some(beside(|layer| layer.kl(Cost::Exact))),
        }
    }

    /// The decoder's output for z_1, before the sigmoid.
    fn decoded(&self, z: Tensor<2>, statistics: &mut Statistics) -> Tensor<4> {
        let h = self.output.forward(z, statistics);
        let decoded = self.decoded.forward(h, statistics);
        let [channels, height, width] = self.grid.map(|side| side as i32);
        decoded.reshape([-1, channels, height, width])
    }

    /// A decoder of latents in layers; the densities are those of the model.
    pub fn abilities<'a>(&'a self, densities: &'a dyn Densities) -> Abilities<'a> {
        Abilities {
            decoder: Some(self),
            densities: Some(densities),
            layers: self.layers(),
            ..Abilities::default()
        }
    }

    /// How many latents each layer of the codes has.
    fn layers(&self) -> Vec<usize> {
        match self.settings.codes {
            0 => self.settings.layers.clone(),
            layer => vec![self.settings.layers[layer - 1]],
        }
    }

    /// Whether the likelihood is Bernoulli.
    pub fn is_bernoulli(&self) -> bool {
        self.likelihood == Likelihood::Bernoulli
    }
}

impl Decoder for Hierarchy {
    /// The expected observation of codes: layers below the lowest chosen one are set to their prior
    /// means.
    fn decode(&self, codes: Tensor<2>) -> Tensor<4> {
        let statistics = &mut Statistics::Data;
        let lowest = self.settings.codes.max(1) - 1;
        let z = codes.narrow(1, 0, self.settings.layers[lowest]);
        let z = (0..lowest).rev().fold(z, |z, i| self.prior(i, z, statistics).mean);
        self.likelihood.mean(self.decoded(z, statistics))
    }

    /// The expected observation where codes are changed: each layer keeps its offset from its prior
    /// mean, so a change at the top moves all layers below.
    fn decode_changed(&self, from: Tensor<2>, to: Tensor<2>) -> Tensor<4> {
        if self.settings.codes > 0 {
            return self.decode(to);
        }
        let statistics = &mut Statistics::Data;
        let layer = |codes: &Tensor<2>, i: usize| {
            let start = self.settings.layers[..i].iter().sum();
            codes.clone().narrow(1, start, self.settings.layers[i])
        };
        let top = self.depth() - 1;
        let mut z = layer(&to, top);
        for i in (0..top).rev() {
            let expected = self.prior(i, z, statistics).mean;
            let before = self.prior(i, layer(&from, i + 1), statistics).mean;
            z = layer(&to, i) + expected - before;
        }
        self.likelihood.mean(self.decoded(z, statistics))
    }
}

#[cfg(test)]
mod tests;
