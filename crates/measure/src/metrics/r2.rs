//! R²: the share of the variance of the factors that a regression on all codes explains, on rows
//! that it was not fitted to,
//!
//! ```text
//! R²_k = 1 - Σ |v_k - v̂_k(z)|² / Σ |v_k - mean v_k|²,      the score: its mean over factors,
//! ```
//!
//! each R²_k between 0 and 1. Linear, by least squares, or nonlinear, by boosted trees.
//!
//! The regression of "Who Guards the Guardians?" (Joshi et al., UAI 2026) has no intercept and does
//! not scale codes, so that perfect codes of factors that do not lie around zero can score 0, and
//! one huge code hides the others. It is a setting, and a part of the score of `r2`.

use ndarray::{Array2, Axis};

use super::{Asks, Better, Metric, Needs, Reading, Score};
use crate::error::{Error, Result};
use crate::info::Info;
use crate::predictors::boosting::{Columns, regress_each};
use crate::predictors::least_squares::LeastSquares;
use crate::representation::{Representation, Targets};
use crate::rng::Rng;
use crate::stats::folds::shuffled_folds;
use crate::stats::mean;
use crate::watch::Stage;

const PAGE: &str = "\
## What it measures

How much of the factors is linear in all codes together, with no regard for which code tells which
factor: whether codes are the factors up to a linear transformation.

## How

Rows are cut into 5 folds at random. For each fold, least squares on standardised codes, with an
intercept, is fitted to the other folds and predicts the factors of this one. R2 of a factor is 1 -
(squared error) / (squared distance from its mean) over all rows, between 0 and 1. The score is the
mean over factors. An angle is predicted as its cosine and sine.

## Reading it

From 0 to 1. 1: every factor is a linear function of the codes. 0: they predict it no better than
its mean. The parts `r2/FACTOR` are those of each factor. `in_sample` is the same regression judged
on the rows that it was fitted to; far above the value, there are too many codes for the rows.
`without_intercept` is that of Joshi et al. 2026: in-sample, without intercept and scaling.

## Cautions

- It does not require disentangled codes: any rotation of perfect codes scores 1.
- `without_intercept` is 0 for perfect codes of factors whose mean is far from 0, and close to 1
  once a constant code is added. Do not compare it with the value.
- All factors are taken as numbers; for shapes or colours their order is arbitrary.
- A factor that never changes counts as 0. Fewer than 15 rows are refused.

## Reference

Joshi et al., Who Guards the Guardians? The Challenges of Evaluating Identifiability of Learned
Representations, UAI 2026, PMLR 337.";

const PAGE_OF_TREES: &str = "\
## What it measures

How much of the factors all codes together tell, through any function: whether the information is
there at all.

## How

As `r2`, with gradient boosted trees (100 rounds of depth 3, as scikit-learn's
GradientBoostingRegressor) in place of least squares.

## Reading it

From 0 to 1. 1: every factor is a function of the codes. Well above `r2`: that function is not
linear. The parts `r2-nonlinear/FACTOR` are those of each factor.

## Cautions

- It does not require disentangled codes. Trees split along codes, so they need more rows for
  factors that are spread over several codes: a rotation of perfect codes scores below 1.
- All factors are taken as numbers; for shapes or colours their order is arbitrary.
- A factor that never changes counts as 0. Fewer than 15 rows are refused.

## Reference

Joshi et al., Who Guards the Guardians? The Challenges of Evaluating Identifiability of Learned
Representations, UAI 2026, PMLR 337; Friedman, Greedy Function Approximation, 2001.";

/// The function from codes to factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Regression {
    /// Least squares on standardised codes, with an intercept.
    Linear,
    /// Least squares on codes as they are, without an intercept.
    ThroughTheOrigin,
    /// Gradient boosted trees.
    Trees,
}

/// Which rows judge it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// Each of so many folds, by what the others taught.
    CrossFitted(usize),
    /// Those that taught it.
    InSample,
    /// Those of the table's split.
    HeldOut,
}

/// R².
#[derive(Clone, Copy, Debug)]
pub struct R2 {
    /// The function from codes to factors.
    pub regression: Regression,
    /// Which rows judge it.
    pub rows: Rows,
}

impl R2 {
    /// Least squares, cross-fitted: `r2`.
    pub const LINEAR: Self = Self { regression: Regression::Linear, rows: Rows::CrossFitted(5) };
    /// Boosted trees, cross-fitted: `r2-nonlinear`.
    pub const NONLINEAR: Self = Self { regression: Regression::Trees, rows: Rows::CrossFitted(5) };

    /// R² of each factor, between 0 and 1.
    pub fn of_factors(
        &self,
        table: &Representation,
        rng: &Rng,
        advance: impl Fn(f64) -> Result<()> + Sync,
    ) -> Result<Vec<f64>> {
        let targets = Targets::new(table);
        let folds = match self.rows {
            Rows::CrossFitted(folds) => shuffled_folds(table.rows(), folds, rng),
            Rows::InSample => {
                let all: Vec<usize> = (0..table.rows()).collect();
                vec![[all.clone(), all]]
            }
            Rows::HeldOut => vec![table.split_rows()?.into()],
        };
        let (mut truth, mut told) = (Vec::new(), Vec::new());
        for [teach, judge] in &folds {
            let share = |share: f64| advance(share / folds.len() as f64);
            told.push(self.predict(table, &targets.numbers, [teach, judge], share)?);
            truth.push(targets.numbers.select(Axis(0), judge));
        }
        let [truth, told] = [truth, told].map(|parts| {
            let views: Vec<_> = parts.iter().map(|part| part.view()).collect();
            ndarray::concatenate(Axis(0), &views).expect("all have a column for each target")
        });
        let shares = targets.explained(&truth, &told);
        Ok(shares.into_iter().map(|share| share.clamp(0.0, 1.0)).collect())
    }

    /// The targets of rows that judge, by the regression on rows that teach.
    fn predict(
        &self,
        table: &Representation,
        targets: &Array2<f64>,
        [teach, judge]: [&[usize]; 2],
        advance: impl Fn(f64) -> Result<()> + Sync,
    ) -> Result<Array2<f64>> {
        let [known, asked] = [teach, judge].map(|rows| table.codes.select(Axis(0), rows));
        let wanted = targets.select(Axis(0), teach);
        if self.regression == Regression::Trees {
            let wanted: Vec<Vec<f64>> = wanted.columns().into_iter().map(|y| y.to_vec()).collect();
            let models = regress_each(&Columns::new(known.view()), &wanted, advance)?;
            let told: Vec<_> = models.iter().map(|model| model.predict(asked.view())).collect();
            return Ok(Array2::from_shape_fn((judge.len(), told.len()), |(row, t)| told[t][row]));
        }
        let [known, asked] = [known, asked].map(|codes| codes.mapv(f64::from));
        let fit = match self.regression {
            Regression::ThroughTheOrigin => LeastSquares::through_the_origin,
            _ => LeastSquares::fit,
        };
        let told = fit(known.view(), wanted.view())?.predict(asked.view());
        advance(1.0)?;
        Ok(told)
    }
}

impl Metric for R2 {
    fn info(&self) -> Info {
        let (name, title, summary, page) = match self.regression {
            Regression::Trees => (
                "r2-nonlinear",
                "R2 (nonlinear)",
                "can trees predict the factors from all codes?",
                PAGE_OF_TREES,
            ),
            _ => ("r2", "R2", "are the factors linear functions of all codes together?", PAGE),
        };
        let paper = "Joshi et al., Who Guards the Guardians?, UAI 2026";
        Info { name, title, summary, paper, page }
    }

    fn reading(&self) -> Reading {
        let line = match self.regression {
            Regression::Trees => "each factor is a function of the codes",
            _ => "each factor is a linear function of the codes",
        };
        Reading { low: 0.0, high: 1.0, better: Better::Higher, line }
    }

    fn needs(&self) -> Needs {
        if self.rows == Rows::HeldOut { Needs::Split } else { Needs::Factors }
    }

    fn asks(&self) -> &'static [Asks] {
        match self.regression {
            Regression::Trees => &[Asks::Informative],
            _ => &[Asks::Linear],
        }
    }

    fn score(
        &self,
        representation: &Representation,
        rng: &mut Rng,
        watch: &Stage,
    ) -> Result<Score> {
        let (name, rows) = (self.info().name, representation.rows());
        if let Rows::CrossFitted(folds) = self.rows
            && rows < 3 * folds
        {
            return Err(Error::Missing(format!(
                "{name} cannot be computed, because {rows} rows are too few for {folds} folds of \
                 three; score at least {}, and better thousands",
                3 * folds
            )));
        }
        let found = self.of_factors(representation, rng, |share| watch.advance(share))?;
        let mut parts = Vec::new();
        if self.regression == Regression::Linear {
            let other = |regression| {
                let metric = Self { regression, rows: Rows::InSample };
                Ok::<_, Error>(mean(metric.of_factors(representation, rng, |_| Ok(()))?))
            };
            parts.push(("in_sample".to_string(), other(Regression::Linear)?));
            parts.push(("without_intercept".into(), other(Regression::ThroughTheOrigin)?));
        }
        let factors = representation.factors.iter().zip(&found);
        parts.extend(factors.map(|(factor, share)| (format!("{name}/{}", factor.name), *share)));
        Ok(Score { value: mean(found), parts, matrix: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::factors::Factor;
    use crate::representation::grid;

    fn score(metric: R2, table: &Representation) -> Result<Score> {
        metric.score(table, &mut Rng::new(0), &Stage::unwatched())
    }

    #[test]
    fn a_mixture_is_linear_and_without_an_intercept_it_is_not_found() {
        // Factors from 100 on; codes around zero.
        let mut table = grid([5, 4], 10, |[a, b]| vec![a + b - 3.5, a - b - 0.5]);
        let values = table.values.mapv(|value| value + 100.0);
        table.values = values.into();
        let found = score(R2::LINEAR, &table).unwrap();
        assert!(found.value > 1.0 - 1e-9, "{found:?}");
        assert!(found.part("without_intercept").unwrap() < 1e-9, "{found:?}");
    }

    #[test]
    fn noise_is_worth_nothing_on_rows_that_did_not_teach() {
        let mut rng = Rng::new(3);
        let values = Array2::from_shape_fn((60, 1), |_| rng.normal());
        let codes = Array2::from_shape_fn((60, 30), |_| rng.normal());
        let table = Representation::new(codes, values, vec![Factor::continuous("a")]).unwrap();
        let found = score(R2::LINEAR, &table).unwrap();
        assert!(found.value < 0.1 && found.part("in_sample").unwrap() > 0.3, "{found:?}");
    }

    #[test]
    fn trees_follow_what_lines_cannot() {
        let table = grid([9, 2], 30, |[a, b]| vec![(a - 4.0).abs(), f32::from(a > 4.0), b]);
        let line = score(R2::LINEAR, &table).unwrap();
        let trees = score(R2::NONLINEAR, &table).unwrap();
        assert!(line.part("r2/a").unwrap() < 0.9, "{line:?}");
        assert!(trees.part("r2-nonlinear/a").unwrap() > 0.99, "{trees:?}");
    }

    #[test]
    fn few_rows_are_refused() {
        let reason = score(R2::LINEAR, &grid([7, 2], 1, |v| v.to_vec())).unwrap_err().to_string();
        assert!(reason.contains("14 rows are too few for 5 folds"), "{reason}");
    }
}
