//! The settings, and what they are if they are left to the version.

use serde::{Deserialize, Serialize};

use crate::data::simulation::Recording;
use crate::error::{Error, Result};
use crate::settings::{Word, words};

words! {
    /// Whose generator it is.
    pub(super) enum Version {
        /// Acted on by a robot; nothing causes anything within a frame.
        Biscuit = "biscuit",
        /// Variables are intervened on by themselves.
        Citris = "citris",
    }
}

words! {
    /// Who is intervened on in a step.
    pub(super) enum Interventions {
        /// The tiles that a robot touches (biscuit).
        Random = "random",
        /// Groups by the digits of the binary numbers of the variables, each behind a place of its own
        /// (biscuit).
        Minimal = "minimal",
        /// Every variable by itself (citris).
        Independent = "independent",
        /// One variable or none (citris).
        Single = "single",
        /// Groups by binary digits, or none (citris).
        Grouped = "grouped";
        /// The first of its version.
        Auto = "auto"
    }
}

words! {
    /// What is seen of a state.
    pub(super) enum Observations {
        /// The tiles.
        Images = "images",
        /// The mixed numbers behind their colours.
        Vectors = "vectors",
    }
}

/// A probability, or that of the version.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(untagged, expecting = "expected a number from 0 to 1, or \"auto\"")]
pub(super) enum Probability {
    Is(f64),
    Left(Left),
}

/// The word for it.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Left {
    Auto,
}

impl Probability {
    /// This, if nothing is said.
    pub(super) fn or(self, default: f64) -> f64 {
        match self {
            Self::Is(probability) => probability,
            Self::Left(Left::Auto) => default,
        }
    }
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub(super) struct Settings {
    pub(super) version: Version,
    pub(super) variables: usize,
    pub(super) interventions: Interventions,
    pub(super) temporal: Probability,
    pub(super) instant: Probability,
    pub(super) observations: Observations,
    #[serde(flatten)]
    pub(super) recording: Recording,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            version: Version::Biscuit,
            variables: 6,
            interventions: Interventions::Auto,
            temporal: Probability::Left(Left::Auto),
            instant: Probability::Left(Left::Auto),
            observations: Observations::Images,
            recording: Recording { frames: 150_000, ..Recording::default() },
        }
    }
}

impl Settings {
    /// With every choice made that was left to the version.
    pub(super) fn resolved(self) -> Result<Self> {
        let (first, temporal, instant) = match self.version {
            Version::Biscuit => (Interventions::Random, 0.4, 0.0),
            Version::Citris => (Interventions::Independent, 0.25, 0.5),
        };
        let interventions = match self.interventions {
            Interventions::Auto => first,
            chosen => chosen,
        };
        let temporal = Probability::Is(self.temporal.or(temporal));
        let instant = Probability::Is(self.instant.or(instant));
        let settings = Self { interventions, temporal, instant, ..self };
        settings.check()?;
        Ok(settings)
    }

    fn check(&self) -> Result<()> {
        let Self { version, variables, interventions, .. } = *self;
        if !(3..=16).contains(&variables) {
            let reason = format!("is {variables}; tiles can be told apart from 3 to 16 of them");
            return Err(Error::setting("data.variables", reason));
        }
        for (name, probability) in [("temporal", self.temporal), ("instant", self.instant)] {
            if !(0.0..=1.0).contains(&probability.or(0.0)) {
                return Err(Error::setting(format!("data.{name}"), "must be from 0 to 1"));
            }
        }
        if version == Version::Biscuit && self.instant != Probability::Is(0.0) {
            let reason = "must be 0 for the version \"biscuit\", whose variables cause each other \
                          only from frame to frame; set data.version = \"citris\"";
            return Err(Error::setting("data.instant", reason));
        }
        let of_version: &[Interventions] = match version {
            Version::Biscuit => &[Interventions::Random, Interventions::Minimal],
            Version::Citris => {
                &[Interventions::Independent, Interventions::Single, Interventions::Grouped]
            }
        };
        if !of_version.contains(&interventions) {
            let known: Vec<&str> = of_version.iter().map(|known| known.word()).collect();
            let [given, version] = [interventions.word(), version.word()];
            let reason = format!(
                "cannot be \"{given}\" for the version \"{version}\" (known: {})",
                known.join(", ")
            );
            return Err(Error::setting("data.interventions", reason));
        }
        Ok(())
    }
}
