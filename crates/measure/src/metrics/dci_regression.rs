//! DCI (Eastwood and Williams 2018) for factors that are numbers: as `dci`, with boosted trees that
//! predict the number in place of its class, and R² in place of accuracy.
//!
//! With R_jk the importance of code j for predicting factor k, d codes and K factors,
//!
//! ```text
//! D = Σ_j ρ_j ( 1 - H_K(R_j.) ),   ρ_j = Σ_k R_jk / Σ R
//! C = Σ_k ρ_k ( 1 - H_d(R_.k) ),   ρ_k = Σ_j R_jk / Σ R
//! I = mean over k of R²_k
//! ```
//!
//! The code of Joshi et al. (UAI 2026) does the same and clips I at 0; here it is not clipped.

use ndarray::{Array2, Axis};

use super::{Asks, Better, Metric, Needs, Reading, Score};
use crate::error::{Error, Result};
use crate::info::Info;
use crate::predictors::boosting::{Columns, Regressor, regress_each};
use crate::representation::{Representation, Targets};
use crate::rng::Rng;
use crate::stats::matrix_scores::{completeness, disentanglement, disentanglements};
use crate::stats::mean;
use crate::watch::Stage;

const PAGE: &str = "\
## What it measures

Three properties at once, as `dci`, for factors that are numbers. Disentanglement, the value: is
each code important for one factor only? Completeness: is each factor encoded by one code only?
Informativeness: are the factors predictable?

## How

For each factor, gradient boosted trees are trained to predict its number from all codes, on the
training rows. They are scikit-learn's GradientBoostingRegressor: 100 rounds of trees of depth 3.
The importance of a code for a factor is its share of the total gain of all splits. Disentanglement
and completeness follow from these as in `dci`. Informativeness is the mean R2, 1 - (squared error)
/ (variance). An angle is predicted as its cosine and sine, whose importances are averaged.

## Reading it

From 0 to 1. 1: each important code is important for one factor. 0: every code is equally important
for all factors, or no code is important. `completeness` of 1: each factor is encoded by one code;
with a single code it is undefined and left out. `informativeness_test` is the mean R2 on the test
rows, below 0 where predictions are worse than the mean; `informativeness_train` is that on the
training rows. The parts `disentanglement/code-J` (counted from 0) and `completeness/FACTOR` are
those of each code and factor; the matrix holds the importances.

## Cautions

- It is not `dci`: that one cuts continuous factors into classes. Their values cannot be compared.
- All factors are taken as numbers, discrete ones too. For shapes or colours the order of values is
  arbitrary; use `dci` for these.
- Importances mean nothing for unpredictable factors: read `informativeness_test` first.
- It needs rows: perfect codes score about 0.6 on 50 rows and 0.98 on 500.
- Completeness depends on the number of codes: compare models with equally many.
- One factor, a constant factor, and fewer than 10 training rows are refused.

## Reference

Eastwood and Williams, A Framework for the Quantitative Evaluation of Disentangled Representations,
ICLR 2018; regression as in Joshi et al., Who Guards the Guardians?, UAI 2026, PMLR 337.";

/// Fewer rows teach nothing.
const FEWEST_ROWS: usize = 10;

/// Disentanglement, completeness and informativeness of numbers.
#[derive(Clone, Copy, Debug)]
pub struct DciRegression;

impl Metric for DciRegression {
    fn info(&self) -> Info {
        Info {
            name: "dci-regression",
            title: "DCI (regression)",
            summary: "DCI of factors that are numbers, by boosted regression trees",
            paper: "Eastwood and Williams, A Framework for the Quantitative Evaluation, ICLR 2018",
            page: PAGE,
        }
    }

    fn reading(&self) -> Reading {
        let line = "each code is used to tell one factor only";
        Reading { low: 0.0, high: 1.0, better: Better::Higher, line }
    }

    fn needs(&self) -> Needs {
        Needs::Split
    }

    fn asks(&self) -> &'static [Asks] {
        &[Asks::Modular]
    }

    fn score(&self, representation: &Representation, _: &mut Rng, watch: &Stage) -> Result<Score> {
        representation.check_change("dci-regression")?;
        let (train, test) = representation.split_rows()?;
        check(representation, &train)?;
        let targets = Targets::new(representation);
        let [taught, judged] = [&train, &test].map(|rows| targets.numbers.select(Axis(0), rows));
        let columns: Vec<Vec<f64>> = taught.columns().into_iter().map(|y| y.to_vec()).collect();
        let codes = &representation.codes;
        let known = Columns::new(codes.select(Axis(0), &train).view());
        let models = regress_each(&known, &columns, |share| watch.advance(share))?;
        let asked = codes.select(Axis(0), &test);
        let told: Vec<_> = models.iter().map(|model| model.predict(asked.view())).collect();
        let fitted: Vec<_> = models.iter().map(|model| model.fitted.clone()).collect();
        let [train, test] = [(&taught, fitted), (&judged, told)].map(|(truth, told)| {
            let told = Array2::from_shape_fn(truth.dim(), |(row, t)| told[t][row]);
            mean(targets.explained(truth, &told))
        });
        let importances = importances(&models, &targets, codes.ncols());
        Ok(summary(representation, importances, [train, test]))
    }
}

fn check(table: &Representation, train: &[usize]) -> Result<()> {
    let reason = if table.factors.len() < 2 {
        "it compares factors with each other and there is one only; score two or more".to_string()
    } else if train.len() < FEWEST_ROWS {
        format!(
            "there are {} rows that teach, too few to learn from; give at least {FEWEST_ROWS}, and \
             better thousands",
            train.len()
        )
    } else {
        let mut columns = table.values.columns().into_iter().zip(&table.factors);
        let still =
            columns.find(|(column, _)| train.iter().all(|&r| column[r] == column[train[0]]));
        match still {
            None => return Ok(()),
            Some((_, factor)) => format!(
                "factor `{}` has one value in the {} rows that teach and others only in those that \
                 judge; give more rows that teach",
                factor.name,
                train.len()
            ),
        }
    };
    Err(Error::Missing(format!("dci-regression cannot be computed, because {reason}")))
}

/// R, `[codes, factors]`: of a factor with several targets, the mean of theirs.
fn importances(models: &[Regressor], targets: &Targets, codes: usize) -> Array2<f64> {
    let factors = targets.factors.last().map_or(0, |last| last + 1);
    let mut sums = Array2::zeros((codes, factors));
    for (model, &k) in models.iter().zip(&targets.factors) {
        let share = 1.0 / targets.factors.iter().filter(|other| **other == k).count() as f64;
        for (j, importance) in model.importances.iter().enumerate() {
            sums[[j, k]] += share * importance;
        }
    }
    sums
}

fn summary(table: &Representation, importances: Array2<f64>, told: [f64; 2]) -> Score {
    // Rounding may leave entropies a hair above 1.
    let not_below_zero = |score: f64| score.max(0.0);
    let mut parts = vec![
        ("informativeness_train".to_string(), told[0]),
        ("informativeness_test".to_string(), told[1]),
    ];
    let of_codes = disentanglements(importances.view()).into_iter().enumerate();
    parts.extend(of_codes.map(|(j, d)| (format!("disentanglement/code-{j}"), not_below_zero(d))));
    if importances.nrows() > 1 {
        let whole = not_below_zero(completeness(importances.view()));
        parts.insert(0, ("completeness".to_string(), whole));
        for (factor, c) in table.factors.iter().zip(disentanglements(importances.t())) {
            parts.push((format!("completeness/{}", factor.name), not_below_zero(c)));
        }
    }
    let value = not_below_zero(disentanglement(importances.view()));
    Score { value, parts, matrix: Some(importances) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::factors::Factor;
    use crate::representation::grid;

    fn score(table: &Representation) -> Result<Score> {
        DciRegression.score(table, &mut Rng::new(0), &Stage::unwatched())
    }

    /// Two numbers without a grid, and codes made of them.
    fn table(codes: impl Fn(f32, f32) -> Vec<f32>) -> Representation<'static> {
        let mut rng = Rng::new(2);
        let values = Array2::from_shape_fn((600, 2), |_| rng.normal());
        let rows: Vec<f32> = values.rows().into_iter().flat_map(|v| codes(v[0], v[1])).collect();
        let codes = Array2::from_shape_vec((600, rows.len() / 600), rows).unwrap();
        let factors = vec![Factor::continuous("a"), Factor::continuous("b")];
        Representation::new(codes, values, factors).unwrap()
    }

    #[test]
    fn a_code_per_number_is_found_through_a_curve() {
        let found = score(&table(|a, b| vec![b.powi(3), 0.0, -a])).unwrap();
        assert!(found.value > 0.99 && found.part("completeness").unwrap() > 0.99, "{found:?}");
        assert!(found.part("informativeness_test").unwrap() > 0.97, "{found:?}");
        let matrix = found.matrix.unwrap();
        assert!(matrix[[0, 1]] > 0.99 && matrix[[2, 0]] > 0.99 && matrix[[1, 0]] == 0.0);
    }

    #[test]
    fn a_mixture_is_not_disentangled_and_one_code_has_no_completeness() {
        assert!(score(&table(|a, b| vec![a + b, a - b])).unwrap().value < 0.1);
        let one = score(&table(|a, _| vec![a])).unwrap();
        assert_eq!(one.part("completeness"), None);
        assert!(one.part("informativeness_test").unwrap() < 0.6);
    }

    #[test]
    fn an_angle_has_no_seam() {
        let mut turned = table(|a, b| vec![a.cos(), a.sin(), b]);
        turned.factors[0] = Factor::angle("a");
        let found = score(&turned).unwrap();
        assert!(found.part("informativeness_test").unwrap() > 0.97, "{found:?}");
    }

    #[test]
    fn what_cannot_be_learned_is_refused() {
        let reason = |table: &Representation| score(table).unwrap_err().to_string();
        assert!(reason(&grid([4], 9, |[a]| vec![a])).contains("there is one only"));
        assert!(reason(&grid([3, 3], 1, |v| v.to_vec())).contains("6 rows that teach, too few"));
        assert!(reason(&grid([3, 1], 9, |v| v.to_vec())).contains("factor `b` never changes"));
    }
}
