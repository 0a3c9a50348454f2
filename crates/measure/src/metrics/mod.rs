//! Metrics: ways to judge a representation. They take two matrices and never see a network.
//!
//! To add one, write its file and add it to [`METRICS`]; `unbraid score`, `show`, the docs and the
//! property tests follow, and `tests/known_answers.rs` asks for its row.

use std::time::Instant;

use ndarray::Array2;

use crate::error::{Error, Result};
use crate::info::{self, Info};
use crate::representation::{Representation, Split};
use crate::rng::Rng;
use crate::watch::Watch;

pub mod beta_vae_score;
pub mod downstream_lr;
pub mod explicitness;
pub mod factor_vae_score;
pub mod higgins_score;
pub mod mcc;
pub mod mig;
pub mod sap;

/// Every metric with its published settings, in the order of the docs.
pub static METRICS: &[&dyn Metric] = &[
    &mig::Mig,
    &sap::Sap::DISCRETE,
    &sap::Sap::CONTINUOUS,
    &explicitness::Explicitness,
    &beta_vae_score::BetaVaeScore::STUDY,
    &higgins_score::HigginsScore::PAPER,
    &factor_vae_score::FactorVaeScore::STUDY,
    &mcc::Mcc::PEARSON,
    &mcc::Mcc::SPEARMAN,
    &downstream_lr::DownstreamLr::STUDY,
];

/// A way to judge a representation.
pub trait Metric: Sync {
    /// What it is.
    fn info(&self) -> Info;

    /// How to read its value.
    fn reading(&self) -> Reading;

    /// What it looks at.
    fn needs(&self) -> Needs {
        Needs::Factors
    }

    /// Judge. `Error::Missing` says why it does not apply to these data. Long ones tell `watch` how
    /// far they are, and stop when it says so.
    fn score(&self, representation: &Representation, rng: &mut Rng, watch: &Watch)
    -> Result<Score>;
}

/// How to read the value of a metric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// The smallest value there can be.
    pub low: f64,
    /// The largest value there can be.
    pub high: f64,
    /// Which end is the good one.
    pub better: Better,
    /// What the good end means, in a few words: "each factor has one code of its own".
    pub line: &'static str,
}

/// Which end of its range a metric calls good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// The high end.
    Higher,
    /// The low end.
    Lower,
}

/// What a metric looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Codes alone.
    Codes,
    /// Codes and factors.
    Factors,
    /// Codes and factors, some rows to teach a predictor and others to judge it.
    Split,
    /// A learned graph and the true one.
    Graphs,
    /// The codes of several models.
    Siblings,
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
/// does not change a score. `watch` is called before each with its name.
pub fn score_all<'w>(
    representation: &Representation,
    metrics: &[&'static dyn Metric],
    rng: &Rng,
    watch: impl Fn(&'static str) -> Watch<'w>,
) -> Vec<Outcome> {
    let judge = |metric: &&'static dyn Metric| {
        let start = Instant::now();
        let name = metric.info().name;
        let watch = watch(name);
        let score = judge(*metric, representation, &mut rng.split(name), &watch);
        Outcome { metric: name, score, seconds: start.elapsed().as_secs_f64() }
    };
    metrics.iter().map(judge).collect()
}

/// Judge with one metric. One that needs no test rows judges the train rows where these are
/// given by number, as the protocols of the field do, and all rows otherwise.
pub fn judge(
    metric: &dyn Metric,
    representation: &Representation,
    rng: &mut Rng,
    watch: &Watch,
) -> Result<Score> {
    let needs = metric.needs();
    if representation.factors.is_empty() && matches!(needs, Needs::Factors | Needs::Split) {
        return Err(Error::Missing("these codes come without factor values".into()));
    }
    match representation.protocol.split {
        Split::Ends { .. } if needs != Needs::Split => {
            let (train, _) = representation.split()?;
            metric.score(&train, rng, watch)
        }
        _ => metric.score(representation, rng, watch),
    }
}
