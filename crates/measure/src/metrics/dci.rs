//! DCI (Eastwood and Williams 2018): disentanglement, completeness and informativeness, as computed
//! by Locatello et al. (2019). With R_jk the importance of code j for predicting factor k,
//! from gradient boosted trees, d codes and K factors,
//!
//! ```text
//! D = Σ_j ρ_j ( 1 - H_K(R_j.) ),   ρ_j = Σ_k R_jk / Σ R
//! C = Σ_k ρ_k ( 1 - H_d(R_.k) ),   ρ_k = Σ_j R_jk / Σ R
//! ```
//!
//! with H_b the entropy of shares to the base b. The authors use the lasso or random forests for R;
//! they report informativeness as an error, Locatello et al. as accuracy.

use ndarray::{Array2, Axis};

use super::{Asks, Better, Metric, Needs, Reading, Score};
use crate::error::{Error, Result};
use crate::info::Info;
use crate::predictors::boosting::{Classifier, Task, teach};
use crate::representation::Representation;
use crate::rng::Rng;
use crate::stats::classes::accuracy;
use crate::stats::matrix_scores::{completeness, disentanglement, disentanglements};
use crate::stats::mean;
use crate::watch::Stage;

const PAGE: &str = "\
## What it measures

Three properties at once. Disentanglement, the value: is each code important for one factor only?
Completeness: is each factor encoded by one code only? Informativeness: are the factors predictable?

## How

For each factor, gradient boosted trees are trained to predict its value from all codes, on the
training rows. They are exactly scikit-learn's GradientBoostingClassifier: 100 rounds of trees of
depth 3. The importance of a code for a factor is its share of the total gain of all splits. The
disentanglement of a code is 1 minus the entropy of its importances over factors, as shares, with
the logarithm to the base of the number of factors; the value is the mean over codes, weighted by
importance. Completeness is the same with codes and factors exchanged. Informativeness is the mean
accuracy. Continuous factors are discretised into 20 bins of equal width first. Constant factors are
refused.

## Reading it

From 0 to 1. 1: each important code is important for one factor. 0: every code is equally important
for all factors, or no code is important. `completeness` of 1: each factor is encoded by one code;
with a single code it is undefined and left out. `informativeness_test` is the accuracy on the test
rows, `informativeness_train` on the training rows. The parts `disentanglement/code-J` (counted from
0) and `completeness/FACTOR` are those of each code and factor; the matrix holds the importances.

## Cautions

- Several codes may encode one factor without lowering the value; `completeness` shows that.
- Importances mean nothing for unpredictable factors: read `informativeness_test` first.
- Other predictors give other importances, also other boosted trees: LightGBM's lower both scores
  by 0.05 to 0.7. Compare with values computed with scikit-learn.
- Ties between splits are broken at random. Another order would change the value by about 0.001, as
  another seed does there.
- Completeness depends on the number of codes: compare models with equally many.

## Reference

Eastwood and Williams, A Framework for the Quantitative Evaluation of Disentangled Representations,
ICLR 2018; settings of Locatello et al. 2019, arXiv:1811.12359.";

/// Disentanglement, completeness and informativeness.
#[derive(Clone, Copy, Debug)]
pub struct Dci;

impl Metric for Dci {
    fn info(&self) -> Info {
        Info {
            name: "dci",
            title: "DCI",
            summary: "disentanglement, completeness and informativeness, by boosted trees",
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
        representation.check_change("dci")?;
        let (train, test) = representation.split_rows()?;
        let tasks = Task::of_each(&representation.classes(), &train, &test);
        if tasks.len() < 2 {
            return Err(Error::Missing(
                "dci cannot be computed, because it compares factors with each other and there is \
                 one only; score two or more"
                    .into(),
            ));
        }
        Task::check_taught(&tasks, &representation.factors, "dci")?;
        let codes = &representation.codes;
        let models = teach(codes.view(), &train, &tasks, |share| watch.advance(share))?;
        let judged = codes.select(Axis(0), &test);
        let told = models.iter().map(|model| model.predict(judged.view())).collect();
        Ok(summary(representation, &tasks, &models, told))
    }
}

/// The score from the importances and predictions of some factors, on the test rows.
fn summary(
    representation: &Representation,
    tasks: &[Task],
    models: &[Classifier],
    told: Vec<Vec<u32>>,
) -> Score {
    let codes = representation.codes.ncols();
    let importances =
        Array2::from_shape_fn((codes, tasks.len()), |(j, k)| models[k].importances[j]);
    let pairs = tasks.iter().zip(models);
    let train = pairs.map(|(task, model)| accuracy(model.fitted.iter().copied(), &task.train));
    let test = tasks.iter().zip(told).map(|(task, told)| accuracy(told, &task.test));
    // Rounding may leave entropies a hair above 1.
    let not_below_zero = |score: f64| score.max(0.0);
    let mut parts = vec![
        ("informativeness_train".to_string(), mean(train)),
        ("informativeness_test".to_string(), mean(test)),
    ];
    let of_codes = disentanglements(importances.view()).into_iter().enumerate();
    parts.extend(of_codes.map(|(j, d)| (format!("disentanglement/code-{j}"), not_below_zero(d))));
    if codes > 1 {
        let whole = not_below_zero(completeness(importances.view()));
        parts.insert(0, ("completeness".to_string(), whole));
        for (task, c) in tasks.iter().zip(disentanglements(importances.t())) {
            let name = &representation.factors[task.factor].name;
            parts.push((format!("completeness/{name}"), not_below_zero(c)));
        }
    }
    let value = not_below_zero(disentanglement(importances.view()));
    Score { value, parts, matrix: Some(importances) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::representation::{Split, grid};

    /// The grid of two factors with 4 values each, ten times.
    fn score(train: usize, code: impl Fn(f32, f32) -> Vec<f32>) -> Result<Score> {
        let mut table = grid([4, 4], 10, |[a, b]| code(a, b));
        table.protocol.split = Split::Ends { train, test: 160 - train };
        Dci.score(&table, &mut Rng::new(0), &Stage::unwatched())
    }

    #[test]
    fn a_code_per_factor_is_perfect_but_for_what_is_added_to_each_importance() {
        let found = score(80, |a, b| vec![-b, 1.0, 2.0 * a]).unwrap();
        assert!((found.value - 1.0).abs() < 1e-8 && found.value < 1.0);
        assert!((found.part("completeness").unwrap() - 1.0).abs() < 1e-8);
        assert_eq!(found.part("informativeness_test"), Some(1.0));
        assert_eq!(found.part("disentanglement/code-1"), Some(0.0));
        assert!(found.part("completeness/b").unwrap() > 0.99);
        let matrix = found.matrix.unwrap();
        assert_eq!(matrix.dim(), (3, 2));
        assert!(matrix[[2, 0]] > 0.999 && matrix[[0, 1]] > 0.999);
    }

    #[test]
    fn a_code_for_both_factors_is_not_disentangled_and_two_for_one_are_not_complete() {
        // One code tells everything: its importances are equal shares.
        let one = score(80, |a, b| vec![4.0 * a + b, 0.0]).unwrap();
        assert!(one.value < 1e-9 && one.part("completeness").unwrap() > 0.999, "{one:?}");
        // The same code twice: ties are broken by lot, so each has about half. 1 - ln 2 / ln 4.
        let twice = score(80, |a, b| vec![a, b, a, b]).unwrap();
        assert!(twice.value > 0.999);
        let completeness = twice.part("completeness").unwrap();
        assert!((completeness - 0.5).abs() < 0.02, "{completeness}");
    }

    #[test]
    fn one_code_has_no_completeness_and_codes_that_tell_nothing_score_zero() {
        let one = score(80, |a, _| vec![a]).unwrap();
        assert_eq!(one.part("completeness"), None);
        let nothing = score(80, |_, _| vec![0.3, 0.3]).unwrap();
        assert_eq!((nothing.value, nothing.part("completeness")), (0.0, Some(0.0)));
        assert_eq!(nothing.part("informativeness_train"), Some(0.25));
    }

    #[test]
    fn what_cannot_be_learned_or_compared_is_refused() {
        // The first four rows have one value of a.
        let error = score(4, |a, b| vec![a, b]).unwrap_err().to_string();
        assert!(error.contains("factor `a` has one value in the 4 rows that teach"), "{error}");
        let one = grid([2], 2, |[a]| vec![a]);
        let error = Dci.score(&one, &mut Rng::new(0), &Stage::unwatched()).unwrap_err();
        assert!(error.to_string().contains("there is one only"), "{error}");
    }
}
