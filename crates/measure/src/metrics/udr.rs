//! Unsupervised disentanglement ranking (Duan et al. 2020, arXiv:1905.12614), as computed in
//! disentanglement_lib. With R[a, b] how similar code a of model i and code b of model j are,
//!
//! ```text
//! score(i, j) = ( mean over b of  max_a R² / Σ_a R  +  mean over a of  max_b R² / Σ_b R ) / 2
//! UDR(j)      = median over the other models i of score(i, j)
//! ```
//!
//! where 0 / 0 counts as 0. R is the absolute Lasso coefficient in predicting the codes of j from
//! those of i, or the absolute Spearman correlation.

use std::ops::Range;

use ndarray::{Array2, ArrayView1, ArrayView2, Axis};
use rayon::prelude::*;

use super::{Better, Metric, Needs, Reading, Score};
use crate::error::{Error, Result};
use crate::info::Info;
use crate::predictors::lasso::Lasso;
use crate::representation::Representation;
use crate::rng::Rng;
use crate::stats::correlation::{correlations, spearman};
use crate::watch::Stage;

const PAGE: &str = "\
## What it measures

Whether models that differ only in their seed learn the same codes. It needs no ground-truth
factors: the idea is that entangled representations differ from seed to seed, while disentangled
ones agree.

## How

Latents with a KL divergence from the prior of at most 0.01 are inactive and left out; where no KL
is known, every code that is not constant stays. The others are standardised. For each pair of
models, a Lasso regression (alpha 0.1) predicts the codes of the one from those of the other; its
absolute coefficients are the similarities of codes. If each code of one model has one counterpart
in the other, each row and each column of this matrix has one large entry: the pair's score is the
mean over rows and columns of the squared largest entry over the sum. The score of a model is the
median of its pairs with all other models. Models may differ in the number of codes.

## Reading it

From 0 to about 1. 1: in at least half of the other models, each code has one counterpart. The value
is that of the model at hand; `udr/model-0` is the same, and `udr/model-1`, … are those of the
others in the order given. To choose a model, take the one with the largest part.

## Cautions

- Models that agree need not be right: all may find the same mixture.
- A model with few informative codes agrees easily and scores too high.
- Compare models with the same hyperparameters and other seeds. With models of other hyperparameters
  beside them it is what the paper calls UDR-A2A.
- If codes of one model are correlated, a coefficient may exceed 1, and so may a score.
- Two models say little; the paper takes five and more.

## Reference

Duan et al., Unsupervised Model Selection for Variational Disentangled Representation Learning,
2020, arXiv:1905.12614.";

const PAGE_OF_RANKS: &str = "\
## What it measures

Whether models that differ only in their seed learn the same codes, up to a monotonic function.

## How

As `udr`, with the absolute Spearman rank correlation of two codes in place of the coefficients of a
Lasso regression. Latents with a KL divergence of at most 0.01 are left out; where no KL is known,
every code that is not constant stays.

## Reading it

From 0 to 1. 1: in at least half of the other models, each code has one counterpart with the same
order of rows, or the reverse. The parts `udr-spearman/model-0`, … are the scores of all models,
this one first.

## Cautions

- Lower than `udr`: small correlations of unrelated codes are never exactly 0, and all of them count
  in the sum. With few rows this costs more.
- A constant code with a given KL above 0.01 has no ranks; everything it is compared with counts as
  0, as in the reference.
- Models that agree need not be right, and models with few informative codes agree easily.

## Reference

Duan et al., Unsupervised Model Selection for Variational Disentangled Representation Learning,
2020, arXiv:1905.12614.";

/// Unsupervised disentanglement ranking.
#[derive(Clone, Copy, Debug)]
pub struct Udr {
    /// How similar two codes are.
    pub similarity: Similarity,
    /// Codes with a KL divergence up to this are left out.
    pub threshold: f64,
}

/// How similar two codes are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Similarity {
    /// The absolute coefficient of the one in a regression on the other.
    Lasso(Lasso),
    /// Their rank correlation.
    Spearman,
}

impl Udr {
    /// With a Lasso regression: `udr`.
    pub const LASSO: Self =
        Self { similarity: Similarity::Lasso(Lasso::new(0.1)), threshold: 0.01 };
    /// With Spearman's correlation: `udr-spearman`.
    pub const SPEARMAN: Self = Self { similarity: Similarity::Spearman, threshold: 0.01 };
}

impl Metric for Udr {
    fn info(&self) -> Info {
        let (name, title, summary, page) = match self.similarity {
            Similarity::Lasso(_) => {
                ("udr", "UDR", "do models with other seeds learn the same codes?", PAGE)
            }
            Similarity::Spearman => {
                let summary = "do models with other seeds learn codes of the same order?";
                ("udr-spearman", "UDR (Spearman)", summary, PAGE_OF_RANKS)
            }
        };
        let paper = "Duan et al., Unsupervised Model Selection, ICLR 2020";
        Info { name, title, summary, paper, page }
    }

    fn reading(&self) -> Reading {
        let line = "each code has one counterpart in most other models";
        Reading { low: 0.0, high: 1.0, better: Better::Higher, line }
    }

    fn needs(&self) -> Needs {
        Needs::Siblings
    }

    fn score(&self, representation: &Representation, _: &mut Rng, watch: &Stage) -> Result<Score> {
        let models = self.models(representation)?;
        let (correlations, starts) = self.all_correlations(&models);
        let count = models.len();
        let pair = |pair: usize| {
            let (i, j) = (pair / count, pair % count);
            watch.advance(1.0 / (count * count) as f64)?;
            let (i, j) = (starts[i]..starts[i + 1], starts[j]..starts[j + 1]);
            Ok(counterparts(&self.similarities(correlations.view(), i, j)))
        };
        let scores: Result<Vec<f64>> = (0..count * count).into_par_iter().map(pair).collect();
        let scores = scores?;
        let of_model = |j: usize| {
            median((0..count).filter(|&i| i != j).map(|i| scores[i * count + j]).collect())
        };
        let name = self.info().name;
        let parts: Vec<(String, f64)> =
            (0..count).map(|j| (format!("{name}/model-{j}"), of_model(j))).collect();
        Ok(Score { value: parts[0].1, parts, matrix: None })
    }
}

/// The codes of a model, and the columns of its active latents.
struct Model<'a> {
    codes: ArrayView2<'a, f32>,
    informative: Vec<usize>,
}

impl Udr {
    /// This model and the others.
    fn models<'a>(&self, representation: &'a Representation) -> Result<Vec<Model<'a>>> {
        let readings = &representation.readings;
        if readings.siblings.is_empty() {
            return Err(Error::Missing(
                "one model cannot agree with itself; give codes of the same rows from at least \
                 one other model, trained with another seed"
                    .into(),
            ));
        }
        let this = (representation.codes.view(), readings.kl.as_deref());
        let others =
            readings.siblings.iter().map(|other| (other.codes.view(), other.kl.as_deref()));
        let models: Vec<_> = std::iter::once(this).chain(others).collect();
        let rows = representation.rows();
        let model = |(number, &(codes, kl)): (usize, &(ArrayView2<'a, f32>, Option<&[f64]>))| {
            check(number, codes, kl, rows)?;
            let informative = |&j: &usize| match kl {
                Some(kl) => kl[j] > self.threshold,
                None => codes.column(j).iter().any(|code| *code != codes[[0, j]]),
            };
            let informative: Vec<usize> = (0..codes.ncols()).filter(informative).collect();
            if informative.is_empty() {
                return Err(Error::Missing(format!(
                    "model {number} has no code that carries anything (with a KL divergence above \
                     {}), so there is nothing to compare; leave this model out",
                    self.threshold
                )));
            }
            Ok(Model { codes, informative })
        };
        models.iter().enumerate().map(model).collect()
    }

    /// The correlations of the codes of all models with each other, and where each model starts
    /// among them, one more than models.
    fn all_correlations(&self, models: &[Model]) -> (Array2<f64>, Vec<usize>) {
        let mut starts = vec![0];
        for model in models {
            starts.push(starts[starts.len() - 1] + model.informative.len());
        }
        let mut all = Array2::zeros((models[0].codes.nrows(), starts[models.len()]));
        let columns = models
            .iter()
            .flat_map(|model| model.informative.iter().map(|&j| model.codes.column(j)));
        for (mut place, column) in all.columns_mut().into_iter().zip(columns) {
            place.assign(&column);
        }
        let all = all.view();
        let correlations = match self.similarity {
            // A constant code predicts nothing and is predicted by nothing.
            Similarity::Lasso(_) => correlations(all).mapv(|r| if r.is_nan() { 0.0 } else { r }),
            Similarity::Spearman => spearman(all, all),
        };
        (correlations, starts)
    }

    /// R of the codes `i` with the codes `j`. Of standardised codes, the products that a regression
    /// needs are their correlations.
    fn similarities(
        &self,
        correlations: ArrayView2<f64>,
        i: Range<usize>,
        j: Range<usize>,
    ) -> Array2<f64> {
        let part = |rows: &Range<usize>, columns: &Range<usize>| {
            let rows = correlations.slice_axis_move(Axis(0), rows.clone().into());
            rows.slice_axis_move(Axis(1), columns.clone().into())
        };
        let xy = part(&i, &j);
        let Similarity::Lasso(lasso) = self.similarity else { return xy.mapv(f64::abs) };
        let (xx, yy) = (part(&i, &i), part(&j, &j));
        let mut sizes = Array2::zeros(xy.dim());
        for (b, mut column) in sizes.columns_mut().into_iter().enumerate() {
            let coefficients = lasso.coefficients(xx, xy.column(b), yy[[b, b]]);
            column.assign(&ndarray::arr1(&coefficients).mapv_into(f64::abs));
        }
        sizes
    }
}

fn check(number: usize, codes: ArrayView2<f32>, kl: Option<&[f64]>, rows: usize) -> Result<()> {
    if codes.nrows() != rows {
        return Err(Error::Array(format!(
            "model {number} has codes of {} rows and model 0 of {rows}; row i of all must be the \
             same observation",
            codes.nrows()
        )));
    }
    if let Some(code) = codes.iter().find(|code| !code.is_finite()) {
        return Err(Error::Array(format!(
            "a code of model {number} is {code}; every number must be finite"
        )));
    }
    match kl.filter(|kl| kl.len() != codes.ncols()) {
        None => Ok(()),
        Some(kl) => Err(Error::Array(format!(
            "model {number} has {} codes and {} KL divergences; there must be one for each",
            codes.ncols(),
            kl.len()
        ))),
    }
}

/// How far each row and each column has one large entry.
fn counterparts(similarities: &Array2<f64>) -> f64 {
    let strength = |lane: ArrayView1<f64>| {
        let strength = lane.iter().fold(0f64, |most, r| most.max(*r)).powi(2) / lane.sum();
        // 0 / 0, or a code without ranks.
        if strength.is_nan() { 0.0 } else { strength }
    };
    let (rows, columns) = (similarities.rows(), similarities.columns());
    let rows = rows.into_iter().map(strength).sum::<f64>() / similarities.nrows() as f64;
    let columns = columns.into_iter().map(strength).sum::<f64>() / similarities.ncols() as f64;
    f64::midpoint(rows, columns)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() % 2 {
        1 => values[middle],
        _ => f64::midpoint(values[middle - 1], values[middle]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::representation::Sibling;
    use ndarray::{arr2, array, concatenate};

    #[test]
    fn a_pair_by_hand() {
        let close = |matrix: Array2<f64>, expected: f64| {
            assert!((counterparts(&matrix) - expected).abs() < 1e-12, "{matrix}");
        };
        close(Array2::eye(3), 1.0);
        close(Array2::zeros((3, 3)), 0.0);
        close(Array2::ones((3, 3)), 1.0 / 3.0);
        close(arr2(&[[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]), 2.0 / 3.0);
        // Columns 0.8 and 0.5; rows 0.64 / 0.8 and 0.25 / 0.5 and nothing.
        close(arr2(&[[0.8, 0.0], [0.0, 0.5], [0.0, 0.0]]), f64::midpoint(0.65, 1.3 / 3.0));
        // No number anywhere in the first column; the second has 0.4; rows have none and 0.4.
        close(arr2(&[[f64::NAN, 0.0], [f64::NAN, 0.4]]), 0.1);
    }

    #[test]
    fn the_median_of_an_even_number_is_between() {
        assert_eq!(median(vec![5.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![5.0, 1.0, 2.0, 4.0]), 3.0);
    }

    /// Four factors as if they were codes, and the same in another order and with other signs.
    fn two_models(kl: Option<Vec<f64>>) -> Representation<'static> {
        let codes = Array2::from_shape_fn((256, 4), |(row, k)| (row >> (2 * k) & 3) as f32);
        let other = codes.select(Axis(1), &[2, 0, 3, 1]) * &array![[-1.0, 1.0, 5.0, -2.0]];
        let nothing = Array2::zeros((256, 0));
        let mut this = Representation::new(codes, nothing, Vec::new()).unwrap();
        this.readings.kl.clone_from(&kl);
        this.readings.siblings = vec![Sibling { codes: other, kl }];
        this
    }

    fn score(metric: Udr, models: &Representation) -> Result<Score> {
        metric.score(models, &mut Rng::new(0), &Stage::unwatched())
    }

    #[test]
    fn the_same_codes_in_another_order_agree() {
        let by_rank = score(Udr::SPEARMAN, &two_models(None)).unwrap();
        assert!((by_rank.value - 1.0).abs() < 1e-12);
        // Lasso takes alpha = 0.1 off the coefficient of 1: 0.9² / 0.9.
        let by_lasso = score(Udr::LASSO, &two_models(None)).unwrap();
        assert!((by_lasso.value - 0.9).abs() < 1e-12);
        assert_eq!(by_lasso.parts[1], ("udr/model-1".into(), by_lasso.value));
    }

    #[test]
    fn codes_that_carry_nothing_are_left_out_and_must_not_be_all() {
        // Only code 0 counts in both: in this model factor 0, in the other factor 2.
        let one = two_models(Some(vec![0.5, 0.01, 0.0, 0.0]));
        assert!(score(Udr::SPEARMAN, &one).unwrap().value < 1e-9);
        let none = score(Udr::LASSO, &two_models(Some(vec![0.01; 4]))).unwrap_err();
        assert!(
            none.to_string().starts_with("model 0 has no code that carries anything"),
            "{none}"
        );
        // Where no KL is known, a constant code is left out by itself.
        let mut models = two_models(None);
        let constant = Array2::from_elem((256, 1), 0.3);
        models.codes = concatenate![Axis(1), models.codes, constant].into();
        assert!((score(Udr::SPEARMAN, &models).unwrap().value - 1.0).abs() < 1e-12);
    }

    #[test]
    fn one_model_and_unequal_rows_are_refused() {
        let mut models = two_models(None);
        models.readings.siblings[0].kl = Some(vec![1.0; 3]);
        let error = score(Udr::LASSO, &models).unwrap_err();
        assert!(error.to_string().contains("4 codes and 3 KL divergences"), "{error}");
        models.readings.siblings[0].codes = Array2::zeros((255, 4));
        assert!(matches!(score(Udr::LASSO, &models), Err(Error::Array(_))));
        models.readings.siblings.clear();
        assert!(matches!(score(Udr::LASSO, &models), Err(Error::Missing(_))));
    }
}
