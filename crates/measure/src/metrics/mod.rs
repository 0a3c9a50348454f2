//! Metrics of representations. They take two matrices and never see a network.
//!
//! To add one, write its file and add it to [`METRICS`]; `unbraid score`, `show`, the docs and the
//! property tests follow, and `tests/known_answers.rs` asks for its row.

use std::fmt;

use ndarray::Array2;

use crate::error::{Error, Result};
use crate::info::{self, Info};
use crate::representation::{Representation, Split};
use crate::rng::Rng;
use crate::stats::mean;
use crate::watch::Stage;

pub mod aam;
pub mod alignment;
pub mod beta_vae_score;
pub mod dci;
pub mod dci_es;
pub mod dci_regression;
pub mod dcimig;
pub mod downstream_gbt;
pub mod downstream_lr;
pub mod explicitness;
pub mod factor_vae_score;
pub mod fairness;
pub mod higgins_score;
pub mod infomec;
pub mod irs;
pub mod jemmig;
pub mod maximal_information;
pub mod mcc;
pub mod mcc_coverage;
pub mod mcc_crossfit;
pub mod mig;
pub mod mig_continuous;
pub mod mig_sup;
pub mod modularity;
pub mod mutual_info;
pub mod r2;
pub mod sap;
pub mod shd;
pub mod t_mex;
pub mod total_correlation;
pub mod udr;
pub mod unified;
pub mod wasserstein;

/// Every metric with its published settings, in the order of the docs.
pub static METRICS: &[&dyn Metric] = &[
    &beta_vae_score::BetaVaeScore::STUDY,
    &higgins_score::HigginsScore::PAPER,
    &factor_vae_score::FactorVaeScore::STUDY,
    &mig::Mig,
    &mig_continuous::MigContinuous::USUAL,
    &aam::Aam,
    &dci::Dci,
    &sap::Sap::DISCRETE,
    &sap::Sap::CONTINUOUS,
    &modularity::Modularity,
    &explicitness::Explicitness,
    &irs::Irs::STUDY,
    &unified::Unified,
    &mcc::Mcc::PEARSON,
    &mcc::Mcc::SPEARMAN,
    &alignment::Alignment::BOUNDED,
    &maximal_information::MaximalInformation::MIC,
    &maximal_information::MaximalInformation::TIC,
    &maximal_information::MaximalInformation::MIC_E,
    &maximal_information::MaximalInformation::TIC_E,
    &downstream_lr::DownstreamLr::STUDY,
    &downstream_gbt::DownstreamGbt::STUDY,
    &fairness::Fairness,
    &total_correlation::TotalCorrelation,
    &wasserstein::Wasserstein,
    &mutual_info::MutualInfo,
    &udr::Udr::LASSO,
    &udr::Udr::SPEARMAN,
    &shd::Shd::NOTEARS,
    &infomec::InfoMec::RANGE,
    &infomec::InfoMec::IQR,
    &infomec::InfoMec::DISCRETE_RANGE,
    &infomec::InfoMec::DISCRETE_IQR,
    &r2::R2::LINEAR,
    &r2::R2::NONLINEAR,
    &mcc_coverage::MccCoverage::PEARSON,
    &mcc_crossfit::MccCrossfit::PAPER,
    &dci_regression::DciRegression,
    &t_mex::TMex::PAPER,
    &dci_es::DciEs::FORESTS,
    &dcimig::Dcimig,
    &mig_sup::MigSup,
    &jemmig::Jemmig,
];

impl fmt::Debug for dyn Metric {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(self.info().name)
    }
}

/// A metric of representations.
pub trait Metric: Sync {
    /// What it is.
    fn info(&self) -> Info;

    /// How to read its value.
    fn reading(&self) -> Reading;

    /// The input it needs.
    fn needs(&self) -> Needs {
        Needs::Factors
    }

    /// What of codes it asks, all at once: the best value says that each is there. Nothing for what is no such question.
    fn asks(&self) -> &'static [Asks] {
        &[]
    }

    /// Whether it takes milliseconds on ten thousand rows: then it is also held against chance, unasked.
    fn is_quick(&self) -> bool {
        false
    }

    /// Compute it. `Error::Missing` says why it does not apply to these data. Long ones report
    /// their progress to `watch`, and stop when it says so.
    fn score(&self, representation: &Representation, rng: &mut Rng, watch: &Stage)
    -> Result<Score>;
}

/// A property of codes, given factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    /// Each code tells about one factor at most.
    Modular,
    /// Each factor that is told is told by one code.
    Compact,
    /// The codes together tell every factor, in whatever way.
    Informative,
    /// The codes together tell every factor linearly.
    Linear,
    /// Each factor has a code that tells all of it and nothing else.
    Matched,
}

impl Asks {
    /// In words.
    pub fn word(self) -> &'static str {
        match self {
            Self::Modular => "each code tells of one factor",
            Self::Compact => "each factor is told by one code",
            Self::Informative => "codes tell every factor",
            Self::Linear => "codes tell every factor on a line",
            Self::Matched => "each factor has a code of its own",
        }
    }
}

/// How to read the value of a metric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// The smallest value there can be.
    pub low: f64,
    /// The largest value there can be.
    pub high: f64,
    /// Which end of the range is better.
    pub better: Better,
    /// What the better end means, in a few words.
    pub line: &'static str,
}

/// Which end of its range is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// The high end.
    Higher,
    /// The low end.
    Lower,
}

impl fmt::Display for Reading {
    /// "0 to 1, higher is better: each factor has one code of its own"
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        let better = match self.better {
            Better::Higher => "higher",
            Better::Lower => "lower",
        };
        match (self.low.is_finite(), self.high.is_finite()) {
            (true, true) => write!(out, "{} to {}, ", self.low, self.high)?,
            (true, false) => write!(out, "{} and up, ", self.low)?,
            (false, true) => write!(out, "up to {}, ", self.high)?,
            (false, false) => {}
        }
        write!(out, "{better} is better: {}", self.line)
    }
}

/// The input a metric needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Codes alone.
    Codes,
    /// Codes and factors.
    Factors,
    /// Codes and factors, with training rows for a predictor and test rows.
    Split,
    /// A learned graph and the true one.
    Graphs,
    /// The codes of several models.
    Siblings,
}

impl fmt::Display for Needs {
    /// One word, as in `unbraid list --json`.
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(match self {
            Needs::Codes => "codes",
            Needs::Factors => "factors",
            Needs::Split => "split",
            Needs::Graphs => "graphs",
            Needs::Siblings => "siblings",
        })
    }
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

impl Score {
    /// The mean of its parts.
    pub fn mean_of(parts: Vec<(String, f64)>, matrix: Option<Array2<f64>>) -> Self {
        Self { value: mean(parts.iter().map(|(_, part)| *part)), parts, matrix }
    }

    /// A further number by its name.
    pub fn part(&self, name: &str) -> Option<f64> {
        self.parts.iter().find(|(part, _)| part == name).map(|(_, number)| *number)
    }
}

/// Find a metric by name.
pub fn find(name: &str) -> Result<&'static dyn Metric> {
    info::find("metric", "metrics", METRICS.iter().map(|m| (m.info().name, *m)), name)
}

/// Compute one metric of a table. One that needs no test rows uses the training rows where these
/// are given by number, as published protocols do, and all rows otherwise.
pub fn judge(
    metric: &dyn Metric,
    representation: &Representation,
    rng: &mut Rng,
    watch: &Stage,
) -> Result<Score> {
    let needs = metric.needs();
    if representation.factors.is_empty() && matches!(needs, Needs::Factors | Needs::Split) {
        return Err(Error::Missing("these codes come without factor values".into()));
    }
    let score = match representation.protocol.split {
        Split::Ends { .. } if needs != Needs::Split => {
            let (train, _) = representation.split_rows()?;
            metric.score(&representation.first(train.len()), rng, watch)?
        }
        _ => metric.score(representation, rng, watch)?,
    };
    match score.value.is_nan() {
        // Such as a share of an entropy that is 0 since all values fall into one bin.
        true => Err(Error::Missing(
            "it has no value: with these settings it divides nothing by nothing; give more bins, or rows in which codes \
             and factors differ more"
                .into(),
        )),
        false => Ok(score),
    }
}
