//! The settings of an iVAE, and how its objective is weighted.

use serde::{Deserialize, Serialize};
use unbraid_measure::settings::words;

use crate::error::{Error, Result};
use crate::model::{Settings, Step, Task};
use crate::parts::distributions::likelihood::Family;
use crate::parts::nets::mlp::Nonlinearity;
use crate::parts::nets::size;
use crate::parts::schedule::Schedule;

words! {
    /// How the pieces of the objective are weighted.
    pub enum Weighting {
        /// All by 1.
        Plain = "plain",
        /// By a, b, c and d.
        Weighted = "weighted",
        /// As in the released wrapper.
        Annealed = "annealed",
    }
}

words! {
    /// Where training starts.
    pub enum Beginning {
        /// At a flow where the labels are segments, else at random.
        Auto = "auto",
        /// At a flow.
        Flow = "flow",
        /// At random weights.
        Random = "random",
        /// At the true values of the factors.
        Truth = "truth",
    }
}

/// The settings of an iVAE.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Config {
    /// How many latents; 0 for as many as observed variables.
    pub latents: usize,
    /// Dense layers of each network, and of the flow that initialises them.
    pub layers: usize,
    /// Units of each hidden layer.
    pub width: usize,
    /// "silu", "xtanh" (tanh x + 0.1 x, the paper's), "lrelu" or "tanh".
    pub activation: Nonlinearity,
    /// "bernoulli", "gaussian", or "auto": bernoulli for numbers in 0..1, gaussian for others.
    pub likelihood: Family,
    /// The standard deviation of the gaussian likelihood, where that of white observations is 1.
    pub noise: f64,
    /// Whether the means of the prior depend on the label, too.
    pub prior_means: bool,
    /// "plain", "weighted" by a, b, c and d, or "annealed" as in the released wrapper.
    pub objective: Weighting,
    /// The weight of the reconstruction, if weighted.
    pub a: Schedule,
    /// The weight of the mutual information, if weighted.
    pub b: Schedule,
    /// The weight of the total correlation, if weighted.
    pub c: Schedule,
    /// The weight of the dimension-wise KL, if weighted.
    pub d: Schedule,
    /// Where training starts: at a "flow", at "random", at the "truth" (to see what the objective
    /// is there), or "auto": a flow where the labels are segments, else random.
    pub start: Beginning,
    /// How many flows are tried; the best by its likelihood is kept.
    pub flows: usize,
    /// For how many steps of 256 rows the networks imitate the codes they are initialised with.
    pub imitation: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            latents: 0,
            layers: 3,
            width: 100,
            activation: Nonlinearity::Silu,
            likelihood: Family::Auto,
            noise: 0.1,
            prior_means: false,
            objective: Weighting::Plain,
            a: 100.0.into(),
            b: 1.0.into(),
            c: 0.0.into(),
            d: 10.0.into(),
            start: Beginning::Auto,
            flows: 4,
            imitation: 4000,
        }
    }
}

impl Settings for Config {
    fn resolve(&mut self, task: &Task) -> Result<()> {
        let observed = task.shape.size();
        if self.latents == 0 {
            self.latents = observed;
        }
        self.likelihood = self.likelihood.resolved(task.shape.range);
        self.likelihood.check(task.shape.range)?;
        if self.start == Beginning::Flow && self.likelihood == Family::Bernoulli {
            let reason = "cannot be \"flow\" for a bernoulli likelihood; use \"random\"";
            return Err(Error::setting("model.start", reason));
        }
        if self.start == Beginning::Flow && self.latents > observed {
            let reason = format!(
                "is {}, more than the {observed} numbers that are observed, and a flow has as many \
                 at most; ask for fewer, or set model.start = \"random\"",
                self.latents
            );
            return Err(Error::setting("model.latents", reason));
        }
        for (key, number) in [("layers", self.layers), ("width", self.width), ("flows", self.flows)]
        {
            if !(1..=size::MOST).contains(&number) {
                let reason = format!("must be from 1 to {}", size::MOST);
                return Err(Error::setting(format!("model.{key}"), reason));
            }
        }
        let weights = size::of_dense(observed + task.label, self.width, self.layers, self.latents);
        size::check("model.width", self.width, 3.0 * weights)?;
        if !(self.noise.is_finite() && self.noise > 0.0) {
            return Err(Error::setting("model.noise", "must be a positive number"));
        }
        let weights = [("a", self.a), ("b", self.b), ("c", self.c), ("d", self.d)];
        weights.iter().try_for_each(|(key, weight)| weight.check(&format!("model.{key}"), 0.0))
    }
}

/// How the terms of the objective are weighted.
#[derive(Clone, Copy, Debug)]
pub(super) enum Objective {
    Plain,
    Weighted([Schedule; 4]),
    Annealed { noise: f64 },
}

impl Objective {
    pub(super) fn new(config: &Config) -> Self {
        match config.objective {
            Weighting::Weighted => Self::Weighted([config.a, config.b, config.c, config.d]),
            Weighting::Annealed => Self::Annealed { noise: config.noise },
            Weighting::Plain => Self::Plain,
        }
    }

    /// a, b, c, d in this step.
    pub(super) fn weights(&self, step: &Step) -> [f64; 4] {
        match self {
            Self::Plain => [1.0; 4],
            Self::Weighted(weights) => weights.map(|weight| weight.at(step)),
            Self::Annealed { noise } => {
                let done = 1.6 * step.number as f64 / step.total.max(1) as f64;
                let first = 0.5 / (noise * noise);
                if done >= 1.0 {
                    return [1.0; 4];
                }
                let left = 1.0 - done;
                [
                    first * (1.0 + done),
                    (0.3 * first * left).max(1.0),
                    done,
                    (0.5 * first * left).max(1.0),
                ]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unbraid_measure::rng::Rng;

    #[test]
    fn annealing_ends_in_the_plain_objective() {
        let annealed = Objective::Annealed { noise: 0.1 };
        // a₀ = 0.5 / 0.01
        for (number, expected) in
            [(0, [50.0, 15.0, 0.0, 25.0]), (500, [75.0, 7.5, 0.5, 12.5]), (1000, [1.0; 4])]
        {
            let found = annealed.weights(&Step::new(number, 1600, &Rng::new(0)));
            let near = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9);
            assert!(near, "{number}: {found:?}");
        }
    }
}
