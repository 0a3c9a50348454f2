//! The settings, and what they are if they are left to the generator.

use serde::{Deserialize, Serialize};

use crate::data::sets::columns::Reading;

#[allow(clippy::struct_excessive_bools, reason = "each is a switch of its own in [data]")]
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(super) struct Settings {
    pub(super) generator: Generator,
    pub(super) sources: usize,
    pub(super) observed: usize,
    pub(super) segments: usize,
    pub(super) points: usize,
    pub(super) layers: usize,
    pub(super) prior: Prior,
    pub(super) activation: Activation,
    pub(super) slope: f64,
    pub(super) repeat: Switch,
    pub(super) whiten: Switch,
    pub(super) uncentered: bool,
    pub(super) staircase: bool,
    pub(super) noisy: f64,
    pub(super) discrete: bool,
    pub(super) seed: u64,
    pub(super) fresh: bool,
    pub(super) factors: Truth,
    pub(super) path: String,
    pub(super) segment: String,
    pub(super) segment_length: usize,
    pub(super) source_columns: Vec<String>,
    #[serde(flatten)]
    pub(super) reading: Reading,
}

/// Whose generator it is.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Generator {
    #[default]
    Ivae,
    Tcl,
}

/// The noise that is modulated.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Prior {
    #[default]
    Auto,
    Laplace,
    Gaussian,
    HyperbolicSecant,
}

/// The curve between two matrices.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Activation {
    #[default]
    Auto,
    Xtanh,
    LeakyRelu,
    Sigmoid,
    None,
}

/// What the factors are: the sources, or how far they are from zero.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Truth {
    #[default]
    Source,
    Size,
}

/// On, off, or what the generator does.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(untagged, expecting = "expected true, false or \"auto\"")]
pub(super) enum Switch {
    Is(bool),
    Left(Auto),
}

/// The word for it.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Auto {
    Auto,
}

impl Default for Switch {
    fn default() -> Self {
        Self::Left(Auto::Auto)
    }
}

impl Switch {
    /// This, if nothing is said.
    pub(super) fn or(self, default: bool) -> Self {
        Self::Is(self == Self::Is(true) || (self != Self::Is(false) && default))
    }

    pub(super) fn is_on(self) -> bool {
        self == Self::Is(true)
    }
}

impl Settings {
    /// With every choice made that was left to the generator.
    pub(super) fn resolved(self) -> Self {
        let ivae = self.generator == Generator::Ivae;
        let or = |number: usize, ivae_has: usize, tcl_has: usize| match (number, ivae) {
            (0, true) => ivae_has,
            (0, false) => tcl_has,
            (number, _) => number,
        };
        let sources = or(self.sources, 5, 20);
        Self {
            sources,
            observed: or(self.observed, sources, sources),
            segments: or(self.segments, 40, 256),
            points: or(self.points, 1000, 512),
            layers: or(self.layers, 3, 5),
            prior: match (self.prior, ivae) {
                (Prior::Auto, true) => Prior::Gaussian,
                (Prior::Auto, false) => Prior::Laplace,
                (prior, _) => prior,
            },
            activation: match (self.activation, ivae) {
                (Activation::Auto, true) => Activation::Xtanh,
                (Activation::Auto, false) => Activation::LeakyRelu,
                (activation, _) => activation,
            },
            slope: match (self.slope == 0.0, ivae) {
                (true, true) => 0.1,
                (true, false) => 0.2,
                (false, _) => self.slope,
            },
            repeat: self.repeat.or(ivae),
            whiten: self.whiten.or(!ivae),
            ..self
        }
    }
}
