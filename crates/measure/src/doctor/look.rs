//! The direct look: what each code tells of each factor and the other way round, and what all codes tell together.

use ndarray::Array2;
use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::metrics::Asks;
use crate::metrics::r2::R2;
use crate::representation::Representation;
use crate::rng::Rng;
use crate::stats::assignment::best_matching;
use crate::stats::correlation::ranks;
use crate::stats::correlation_ratio::{bins, ratio};
use crate::watch::Stage;

/// Fewer rows show nothing.
const FEWEST_ROWS: usize = 50;
/// More rows tell no more, and cost more.
const MOST_ROWS: usize = 2_000;
/// A code that one factor tells to this share tells of it alone.
const PURE: f64 = 0.85;
/// A code that tells this share of a factor tells all of it.
const ALL: f64 = 0.93;
/// A share of this says that there is something.
const SOME: f64 = 0.1;
/// A share of this in a code that no factor needs says that the factor is told twice.
const TWICE: f64 = 0.3;
/// R² of a factor that is told, by trees and by a line.
const TOLD: f64 = 0.78;
const ON_A_LINE: f64 = 0.95;
/// A factor that another tells to this share can be had from either.
const ONE_OF_TWO: f64 = 0.9;

/// What was seen.
#[derive(Clone, Debug)]
pub struct Look {
    /// Of which properties there is evidence.
    pub properties: Vec<Asks>,
    /// Whether codes tell nothing of any factor.
    pub is_noise: bool,
    /// What makes scores of these data hard to read, a sentence each.
    pub signs: Vec<String>,
    /// How much of each code each factor tells, `[codes, factors]`.
    pub of_code: Array2<f64>,
    /// How much of each factor each code tells, `[codes, factors]`.
    pub of_factor: Array2<f64>,
    /// R² of each factor from all codes: of a line, and of trees.
    pub all: [Vec<f64>; 2],
    names: Vec<String>,
}

impl Look {
    /// Look at the codes of a table with factors.
    pub fn at(table: &Representation, rng: &Rng, watch: &Stage) -> Result<Self> {
        if table.factors.is_empty() {
            return Err(Error::Missing("there are no factors to look at the codes with".into()));
        }
        if table.rows() < FEWEST_ROWS {
            let reason = format!(
                "{} rows are too few to look at; score {FEWEST_ROWS} or more",
                table.rows()
            );
            return Err(Error::Missing(reason));
        }
        let table = thinned(table, rng);
        let [codes, factors] = [&table.codes, &table.values].map(|columns| {
            let columns: Vec<_> = columns.columns().into_iter().collect();
            columns.par_iter().map(|column| (bins(*column), ranks(*column))).collect::<Vec<_>>()
        });
        watch.advance(0.3)?;
        let shape = (codes.len(), factors.len());
        let of_code = Array2::from_shape_fn(shape, |(j, k)| ratio(&factors[k].0, &codes[j].1));
        let of_factor = Array2::from_shape_fn(shape, |(j, k)| ratio(&codes[j].0, &factors[k].1));
        let between = Array2::from_shape_fn((shape.1, shape.1), |(other, k)| {
            if other == k { 0.0 } else { ratio(&factors[other].0, &factors[k].1) }
        });
        watch.advance(0.3)?;
        let r2 = |metric: R2| metric.of_factors(&table, &rng.split("r2"), |_| Ok(()));
        let all = [r2(R2::LINEAR)?, r2(R2::NONLINEAR)?];
        watch.advance(0.4)?;
        let names = table.factors.iter().map(|factor| factor.name.clone()).collect();
        let mut look = Self {
            properties: vec![],
            is_noise: false,
            signs: vec![],
            of_code,
            of_factor,
            all,
            names,
        };
        look.is_noise =
            look.told().all(|share| share < SOME) && look.of_code.iter().all(|share| *share < SOME);
        if !look.is_noise {
            look.properties = look.found(&between);
        }
        look.signs = look.hard_to_read(&table, &between);
        Ok(look)
    }

    /// The larger R² of each factor.
    fn told(&self) -> impl Iterator<Item = f64> + '_ {
        self.all[0].iter().zip(&self.all[1]).map(|(line, trees)| line.max(*trees))
    }

    /// The codes that any factor tells something of.
    fn alive(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.of_code.nrows()).filter(|&j| self.largest(j) >= SOME)
    }

    fn largest(&self, j: usize) -> f64 {
        self.of_code.row(j).iter().copied().fold(0.0, f64::max)
    }

    /// The code of each factor: one each, so that together they tell most.
    fn matching(&self) -> Vec<(usize, usize)> {
        best_matching((&self.of_code + &self.of_factor).view())
    }

    fn found(&self, between: &Array2<f64>) -> Vec<Asks> {
        let (codes, factors) = self.of_code.dim();
        let mut found = Vec::new();
        let pure = self.alive().all(|j| self.largest(j) >= PURE);
        if pure {
            found.push(Asks::Modular);
        }
        let matching = self.matching();
        let spare = self.alive().filter(|j| matching.iter().all(|(code, _)| code != j));
        if pure && spare.map(|j| self.largest(j)).all(|share| share < TWICE) {
            found.push(Asks::Compact);
        }
        // With fewer codes than factors, one that is told by another's code is told by accident.
        let by_accident = codes < factors && between.iter().any(|share| *share >= ONE_OF_TWO);
        if self.told().all(|share| share >= TOLD) && !by_accident {
            found.push(Asks::Informative);
        }
        if self.all[0].iter().all(|share| *share >= ON_A_LINE) && !by_accident {
            found.push(Asks::Linear);
        }
        let told = |(j, k): &(usize, usize)| {
            self.of_code[[*j, *k]] >= PURE && self.of_factor[[*j, *k]] >= ALL
        };
        if matching.len() == factors && matching.iter().all(told) {
            found.push(Asks::Matched);
        }
        found
    }

    fn hard_to_read(&self, table: &Representation, between: &Array2<f64>) -> Vec<String> {
        let (codes, factors) = self.of_code.dim();
        let mut signs = Vec::new();
        let largest = between.indexed_iter().max_by(|a, b| a.1.total_cmp(b.1));
        if let Some(((other, k), share)) = largest.filter(|(_, share)| **share >= SOME) {
            let [other, k] = [other, k].map(|k| &self.names[k]);
            signs.push(format!(
                "factor `{other}` tells {:.0} % of `{k}`: scores that compare factors count that against the codes",
                100.0 * share
            ));
        }
        if table.rows() < 1_000 {
            signs.push(format!(
                "{} rows are few: scores that cut numbers into bins are low then",
                table.rows()
            ));
        }
        if codes < factors {
            signs.push(format!("{codes} codes cannot tell {factors} factors one each"));
        }
        let (line, trees) = (&self.all[0], &self.all[1]);
        if let Some(k) = (0..factors).find(|&k| trees[k] > line[k] + SOME) {
            signs.push(format!(
                "`{}` lies on a curve over the codes (R² {:.2} of trees, {:.2} of a line): scores that draw lines are low",
                self.names[k], trees[k], line[k]
            ));
        }
        if self.names.len() > 1 && table.factors.iter().any(|factor| factor.size().is_none()) {
            signs.push("factors are numbers: scores made for classes cut them into bins".into());
        }
        signs
    }

    /// Why a property is not there.
    pub(super) fn evidence(&self, asked: Asks) -> String {
        let least = |shares: &[f64]| {
            let worst = shares.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1));
            worst.map_or((String::new(), 0.0), |(k, share)| (self.names[k].clone(), *share))
        };
        match asked {
            Asks::Modular | Asks::Compact => {
                let mixed =
                    self.alive().min_by(|a, b| self.largest(*a).total_cmp(&self.largest(*b)));
                match mixed.map(|j| (j, self.largest(j))).filter(|(_, share)| *share < PURE) {
                    Some((j, share)) => format!(
                        "code {j} is no factor's own: the one that tells most of it tells {:.0} %",
                        100.0 * share
                    ),
                    None => "some factor is told by several codes".into(),
                }
            }
            Asks::Informative => {
                let (name, share) = least(&self.told().collect::<Vec<_>>());
                format!("all codes together tell {:.0} % of `{name}`", 100.0 * share.max(0.0))
            }
            Asks::Linear => {
                let (name, share) = least(&self.all[0]);
                format!(
                    "a line through all codes tells {:.0} % of `{name}`",
                    100.0 * share.max(0.0)
                )
            }
            Asks::Matched => {
                let best: Vec<f64> = (0..self.names.len())
                    .map(|k| {
                        let pair = self.matching().into_iter().find(|(_, factor)| *factor == k);
                        pair.map_or(0.0, |(j, k)| self.of_code[[j, k]].min(self.of_factor[[j, k]]))
                    })
                    .collect();
                let (name, share) = least(&best);
                format!(
                    "the code of `{name}` and the factor tell {:.0} % of each other",
                    100.0 * share
                )
            }
        }
    }
}

/// At most [`MOST_ROWS`] of the rows.
fn thinned(table: &Representation, rng: &Rng) -> Representation<'static> {
    let mut rows = rng.split("rows").permutation(table.rows());
    rows.truncate(MOST_ROWS);
    rows.sort_unstable();
    let mut thinned = table.select(&rows);
    thinned.protocol.split = crate::representation::Split::Random { seed: 0 };
    thinned
}
