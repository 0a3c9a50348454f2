//! InfoMEC (Hsu et al. 2023, arXiv:2305.18378): modularity, explicitness and compactness from
//! normalised information. With I the mutual information in nats, H the entropy of a factor,
//! d factors, a active codes, and
//!
//! ```text
//! N_jk = I(z_j; v_k) / H(v_k)
//! InfoM = ( mean over active j of  max_k N_jk / Σ_k N_jk  - 1/d ) / (1 - 1/d)
//! InfoC = ( mean over k        of  max_j N_jk / Σ_j N_jk  - 1/a ) / (1 - 1/a),   j active
//! InfoE = mean over k of  (H0_k - H1_k) / H0_k
//! ```
//!
//! where H1 is the loss of a linear classifier of the factor from all codes, and H0 that of one
//! that sees nothing. `rules.rs` has what the three published versions do differently.
//!
//! Differences from the authors' code:
//! - The noise that tells equal codes apart is drawn from the seed. There, it is drawn afresh.
//! - A neighbour at exactly the radius is not counted. There, rounding decides for some.
//! - A code or factor without any information has no shares, and is left out of its mean. There,
//!   the whole score is not a number.
//! - Continuous factors are cut into bins. There, only factors with labels are taken.

use ndarray::{Array2, ArrayView1};

use self::explicitness::explicitness;
use self::information::{informed, normalised_information};
use super::{Asks, Better, Metric, Reading, Score};
use crate::error::{Error, Result};
use crate::info::Info;
use crate::representation::Representation;
use crate::rng::Rng;
use crate::stats::order::different;
use crate::stats::{is_constant, mean};
use crate::watch::Stage;

mod explicitness;
mod information;
mod pages;
mod rules;
#[cfg(test)]
mod tests;

pub use rules::Rules;

/// Fewer rows leave estimates of information without meaning.
const FEWEST_ROWS: usize = 50;
/// A code of more different values is no list of labels.
const MOST_LABELS: usize = 256;

/// What a code is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codes {
    /// A number: information by nearest neighbours.
    Continuous,
    /// A label, such as the index in a codebook: every value by itself.
    Discrete,
}

/// Modularity, explicitness and compactness.
#[derive(Clone, Copy, Debug)]
pub struct InfoMec {
    /// Whose version: which codes are active above all. Values of different versions must not be
    /// compared.
    pub rules: Rules,
    /// What codes are.
    pub codes: Codes,
}

/// The three scores, and what is behind them.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// InfoM; `None` with a single factor, or without information.
    pub modularity: Option<f64>,
    /// InfoE.
    pub explicitness: f64,
    /// InfoC; `None` with a single active code, or without information.
    pub compactness: Option<f64>,
    /// InfoE of each factor; `None` for one that never changes.
    pub explicitness_of_factors: Vec<Option<f64>>,
    /// N, `[codes, factors]`.
    pub information: Array2<f64>,
    /// The active codes, by number.
    pub active: Vec<usize>,
    /// How many of these have no information about any factor.
    pub silent: usize,
}

impl InfoMec {
    /// Continuous codes, the pruning rule of QLAE: `infomec`.
    pub const RANGE: Self = Self { rules: Rules::Qlae, codes: Codes::Continuous };
    /// Continuous codes, the pruning rule of Tripod: `infomec-iqr`.
    pub const IQR: Self = Self { rules: Rules::Tripod, codes: Codes::Continuous };
    /// Labels, the pruning rule of QLAE: `infomec-discrete`.
    pub const DISCRETE_RANGE: Self = Self { rules: Rules::Qlae, codes: Codes::Discrete };
    /// Labels, the pruning rule of Tripod: `infomec-discrete-iqr`.
    pub const DISCRETE_IQR: Self = Self { rules: Rules::Tripod, codes: Codes::Discrete };

    /// All three, each where it is defined. Refuses what the reference cannot take: few rows,
    /// factors that never change, and, after QLAE, no active code.
    pub fn measure(&self, table: &Representation, rng: &Rng, watch: &Stage) -> Result<Measured> {
        self.check(table)?;
        let active = self.rules.active(table.codes.view(), self.codes);
        let (codes, factors) = (table.codes.ncols(), table.factors.len());
        if active.is_empty() && self.rules != Rules::Guard {
            return match self.rules {
                Rules::Tripod => Ok(Measured::nothing(codes, factors)),
                _ => Err(Error::Missing(format!(
                    "{} cannot be computed, because no code is active: all of them are the same in \
                     every row; score codes that change",
                    self.info().name
                ))),
            };
        }
        let labels = table.classes();
        let half = |share: f64| watch.advance(0.5 * share);
        let information = normalised_information(*self, table, &labels, rng, half)?;
        let explicitness_of_factors = explicitness(*self, table, &labels, half)?;
        let told: Vec<f64> = explicitness_of_factors.iter().flatten().copied().collect();
        let kept = information.select(ndarray::Axis(0), &active);
        let clipped = if self.rules == Rules::Guard { kept.mapv(|n| n.min(1.0)) } else { kept };
        let silent = clipped.rows().into_iter().filter(|row| row.sum() == 0.0).count();
        let [of_codes, of_factors] = [clipped.view(), clipped.t()].map(informed);
        let ends = |score: Option<f64>| match (self.rules, score) {
            (Rules::Guard, score) => Some(score.unwrap_or(0.0).clamp(0.0, 1.0)),
            (_, score) => score,
        };
        Ok(Measured {
            modularity: ends(self.rules.above_chance(&of_codes, factors)),
            compactness: ends(self.rules.above_chance(&of_factors, active.len())),
            explicitness: if told.is_empty() { 0.0 } else { mean(told) },
            explicitness_of_factors,
            information,
            active,
            silent,
        })
    }

    fn check(&self, table: &Representation) -> Result<()> {
        let name = self.info().name;
        if table.rows() < FEWEST_ROWS {
            return Err(Error::Missing(format!(
                "{name} cannot be computed, because {} rows are too few to estimate information; \
                 score at least {FEWEST_ROWS}, and better thousands",
                table.rows()
            )));
        }
        if self.rules != Rules::Guard {
            table.check_change(name)?;
        }
        if self.codes == Codes::Continuous {
            return Ok(());
        }
        for (j, column) in table.codes.columns().into_iter().enumerate() {
            let labels = different(column).len();
            if labels > MOST_LABELS {
                return Err(Error::Missing(format!(
                    "{name} takes codes as labels, and code {j} has {labels} different values, more \
                     than {MOST_LABELS}; score the indices of the codebook, or use `infomec`"
                )));
            }
        }
        Ok(())
    }
}

impl Measured {
    /// What Tripod says where no code is active.
    fn nothing(codes: usize, factors: usize) -> Self {
        Self {
            modularity: Some(0.0),
            explicitness: 0.0,
            compactness: Some(0.0),
            explicitness_of_factors: vec![Some(0.0); factors],
            information: Array2::zeros((codes, factors)),
            active: Vec::new(),
            silent: 0,
        }
    }
}

/// Mean 0 and deviation 1; zeros for a column that never changes.
fn standardised(column: ArrayView1<f32>) -> Vec<f64> {
    if is_constant(column) {
        return vec![0.0; column.len()];
    }
    let rows = column.len() as f64;
    let mean = column.iter().map(|value| f64::from(*value)).sum::<f64>() / rows;
    let apart = || column.iter().map(|value| f64::from(*value) - mean);
    let deviation = (apart().map(|value| value * value).sum::<f64>() / rows).sqrt();
    apart().map(|value| value / deviation).collect()
}

impl Metric for InfoMec {
    fn info(&self) -> Info {
        pages::info(*self)
    }

    fn reading(&self) -> Reading {
        let line = "each active code is informative about one factor only";
        Reading { low: 0.0, high: 1.0, better: Better::Higher, line }
    }

    fn asks(&self) -> &'static [Asks] {
        match self.codes {
            Codes::Continuous => &[Asks::Modular],
            // Of labels only; numbers are no question for it.
            Codes::Discrete => &[],
        }
    }

    fn score(
        &self,
        representation: &Representation,
        rng: &mut Rng,
        watch: &Stage,
    ) -> Result<Score> {
        let name = self.info().name;
        if representation.factors.len() < 2 {
            return Err(Error::Missing(format!(
                "{name} cannot be computed, because it asks which factor a code is about and there \
                 is one only; score two or more"
            )));
        }
        let found = self.measure(representation, rng, watch)?;
        let Some(value) = found.modularity else {
            return Err(Error::Missing(format!(
                "{name} cannot be computed, because no active code is informative about any factor \
                 and there are no shares to compare; score more rows, or other codes"
            )));
        };
        let mut parts = vec![("infom".to_string(), value), ("infoe".into(), found.explicitness)];
        parts.extend(found.compactness.map(|compactness| ("infoc".to_string(), compactness)));
        parts.push(("active_codes".into(), found.active.len() as f64));
        parts.push(("codes_without_information".into(), found.silent as f64));
        let factors = representation.factors.iter().zip(&found.explicitness_of_factors);
        parts.extend(
            factors.filter_map(|(factor, e)| Some((format!("infoe/{}", factor.name), (*e)?))),
        );
        Ok(Score { value, parts, matrix: Some(found.information) })
    }
}
