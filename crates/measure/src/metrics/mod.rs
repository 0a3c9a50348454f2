//! Metrics: ways to judge a representation. They take two matrices and never see a network.
//!
//! To add one, write its file and add it to [`METRICS`]; `unbraid score`, `show`, the docs and the
//! property tests follow, and `tests/known_answers.rs` asks for its row.

use std::time::Instant;

use ndarray::Array2;

use crate::error::{Error, Result};
use crate::info::{self, Info};
use crate::representation::Representation;
use crate::rng::Rng;

pub mod factor_vae_score;
pub mod mcc;
pub mod mig;

/// Every metric with its published settings, in the order of the docs.
pub static METRICS: &[&dyn Metric] = &[
    &mig::Mig { bins: 20 },
    &factor_vae_score::FactorVaeScore::STUDY,
    &mcc::Mcc::PEARSON,
    &mcc::Mcc::SPEARMAN,
];

/// A way to judge a representation.
pub trait Metric: Sync {
    /// What it is.
    fn info(&self) -> Info;

    /// Judge. `Error::Missing` says why it does not apply to these data.
    fn score(&self, representation: &Representation, rng: &mut Rng) -> Result<Score>;
}

/// The result of a metric.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Score {
    /// The headline number.
    pub value: f64,
    /// Further numbers by name.
    pub parts: Vec<(String, f64)>,
    /// Codes (rows) against factors (columns), where the metric has such a matrix.
    pub matrix: Option<Array2<f64>>,
}

/// A metric's result or the reason why there is none, with the time it took.
#[derive(Debug)]
pub struct Outcome {
    /// The metric's name.
    pub metric: &'static str,
    /// The score, or why there is none.
    pub score: Result<Score>,
    /// How long it took.
    pub seconds: f64,
}

/// Find a metric by name.
pub fn find(name: &str) -> Result<&'static dyn Metric> {
    info::find("metric", "metrics", METRICS.iter().map(|m| (m.info().name, *m)), name)
}

/// Judge with each of `metrics`. Each draws from its own generator, so that the choice of others
/// does not change a score.
pub fn score_all(
    representation: &Representation,
    metrics: &[&'static dyn Metric],
    rng: &Rng,
) -> Vec<Outcome> {
    let judge = |metric: &&'static dyn Metric| {
        let start = Instant::now();
        let name = metric.info().name;
        let score = match representation.factors.is_empty() {
            true => Err(Error::Missing("these codes come without factor values".into())),
            false => metric.score(representation, &mut rng.split(name)),
        };
        Outcome { metric: name, score, seconds: start.elapsed().as_secs_f64() }
    };
    metrics.iter().map(judge).collect()
}
