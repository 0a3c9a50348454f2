//! Separated attribute predictability (Kumar et al. 2018, arXiv:1711.00848): how well each single
//! code predicts each factor, and by how much the best code is ahead,
//!
//! ```text
//! SAP = mean over k of  ( S_j*k - max over j != j* of S_jk ),     j* = argmax over j of S_jk
//! ```
//!
//! With classes, as in Locatello et al. (2019), S is the accuracy of a linear support
//! vector machine; with numbers, the squared correlation, which is the R² of a linear regression.

use ndarray::{Array2, ArrayView1, Axis};
use rayon::prelude::*;

use super::{Asks, Better, Metric, Needs, Reading, Score};
use crate::error::{Error, Result};
use crate::factors::Factor;
use crate::info::Info;
use crate::predictors::linear_svm::{LinearSvm, Sorted};
use crate::representation::Representation;
use crate::rng::Rng;
use crate::stats::classes::{Classes, accuracy};
use crate::stats::correlation::pearson;
use crate::stats::matrix_scores::gaps;
use crate::watch::Stage;

const PAGE: &str = "\
## What it measures

Whether each ground-truth factor can be predicted from one code alone, while no second code predicts
it nearly as well.

## How

For each pair of code and factor, a linear support vector machine is trained to predict the factor
from the one code, on the training rows: one-vs-rest, with balanced class weights. Its accuracy on
the test rows is the score of the pair. The gap of a factor is the best score of any code, minus the
second best; SAP is the mean gap. Continuous factors are discretised into 20 bins of equal width
first. Constant factors are refused.

## Reading it

From 0 to 1, but 1 is out of reach: one threshold cannot separate an intermediate value from both
sides. Noise-free codes of factors with 4 to 8 values score about 0.4; trained models 0.01 to 0.2.
0: no factor has a code that is ahead. The parts `sap/FACTOR` are the gaps; the matrix has the
accuracy of each pair.

## Cautions

- Compare it between models of the same data only: its maximum depends on the number of values.
- It requires one code per factor. An angle stored as its sine and cosine scores near 0.
- Codes are not scaled and the regularisation is strong (C = 0.01), so codes with a small standard
  deviation score lower than the same codes times ten.
- It does not require one factor per code: a code that encodes two factors is not penalised.

## Reference

Kumar, Sattigeri and Balakrishnan, Variational Inference of Disentangled Latent Concepts from
Unlabeled Observations, 2018, arXiv:1711.00848; settings of Locatello et al. 2019, arXiv:1811.12359.";

const PAGE_OF_NUMBERS: &str = "\
## What it measures

Whether each ground-truth factor is a linear function of one code, while no second code comes near:
`sap` for continuous factors.

## How

For each pair of code and factor, the squared correlation: the share of the factor's variance that a
linear regression on the code explains. The gap of a factor is the largest of any code, minus the
second largest; the score is the mean gap. All factors are taken as numbers, discrete ones too. A
code with a variance of at most 1e-12 explains nothing. Constant factors are refused.

## Reading it

From 0 to 1. 1: each factor is linear in one code and uncorrelated with the others. 0: for every
factor, two codes explain the same, or none explains anything. The parts `sap-continuous/FACTOR` are
the gaps; the matrix has the squared correlation of each pair.

## Cautions

- It sees linear dependence only: a code that is a nonlinear function of a factor scores lower.
- It requires one code per factor. An angle stored as its sine and cosine scores near 0.
- The values of a factor must be ordinal; for shapes or colours their order is arbitrary.
- It does not require one factor per code: a code that encodes two factors is not penalised.

## Reference

Kumar, Sattigeri and Balakrishnan, Variational Inference of Disentangled Latent Concepts from
Unlabeled Observations, 2018, arXiv:1711.00848.";

/// SAP.
#[derive(Clone, Copy, Debug)]
pub struct Sap {
    /// Whether factors are continuous, with linear regression, in place of classes.
    pub continuous: bool,
}

impl Sap {
    /// Classes, predicted by a support vector machine: `sap`.
    pub const DISCRETE: Self = Self { continuous: false };
    /// Numbers, predicted by linear regression: `sap-continuous`.
    pub const CONTINUOUS: Self = Self { continuous: true };
}

/// The inverse regularisation strength, as in Locatello et al. 2019.
const C: f64 = 0.01;
/// A code with a smaller variance explains nothing, as in Locatello et al. 2019.
const STILL: f64 = 1e-12;

impl Metric for Sap {
    fn info(&self) -> Info {
        let (name, title, summary, page) = if self.continuous {
            let summary = "is each factor a linear function of one code alone?";
            ("sap-continuous", "SAP (continuous)", summary, PAGE_OF_NUMBERS)
        } else {
            let summary = "can each factor be predicted from one code, and from no other?";
            ("sap", "SAP", summary, PAGE)
        };
        let paper =
            "Kumar et al., Variational Inference of Disentangled Latent Concepts, ICLR 2018";
        Info { name, title, summary, paper, page }
    }

    fn reading(&self) -> Reading {
        let line = match self.continuous {
            false => "each factor can be told from one code alone",
            true => "each factor lies on a line over one code alone",
        };
        Reading { low: 0.0, high: 1.0, better: Better::Higher, line }
    }

    fn is_quick(&self) -> bool {
        true
    }

    fn needs(&self) -> Needs {
        if self.continuous { Needs::Factors } else { Needs::Split }
    }

    fn asks(&self) -> &'static [Asks] {
        match self.continuous {
            true => &[Asks::Compact, Asks::Linear],
            false => &[Asks::Compact, Asks::Informative],
        }
    }

    fn score(&self, representation: &Representation, _: &mut Rng, watch: &Stage) -> Result<Score> {
        let name = self.info().name;
        if representation.codes.ncols() < 2 {
            return Err(Error::Missing(format!(
                "{name} cannot be computed, because there is one code only and the score compares \
                 the best code with the second best; give at least two"
            )));
        }
        representation.check_change(name)?;
        let matrix = match self.continuous {
            false => accuracies(representation, watch)?,
            true => squared_correlations(representation),
        };
        let part = |(factor, gap): (&Factor, f64)| (format!("{name}/{}", factor.name), gap);
        let parts: Vec<_> =
            representation.factors.iter().zip(gaps(matrix.view())).map(part).collect();
        Ok(Score::mean_of(parts, Some(matrix)))
    }
}

/// The accuracy of a support vector machine on code j for factor k, `[codes, factors]`.
fn accuracies(representation: &Representation, watch: &Stage) -> Result<Array2<f64>> {
    let (train, test) = representation.split_rows()?;
    let columns = representation.classes();
    let mut tasks = Vec::new();
    for (k, column) in columns.iter().enumerate() {
        let classes = Classes::new(column, &train);
        if classes.count() < 2 {
            return Err(Error::Missing(format!(
                "sap cannot be computed, because factor `{}` is the same in every row that teaches; \
                 score more rows, or leave the factor out",
                representation.factors[k].name
            )));
        }
        let truth = classes.of_others(column, &test);
        tasks.push((k, classes, truth));
    }
    let mut matrix = Array2::zeros((representation.codes.ncols(), columns.len()));
    let share = 1.0 / (matrix.nrows() * tasks.len()) as f64;
    let rows: Vec<_> = matrix.axis_iter_mut(Axis(0)).zip(representation.codes.columns()).collect();
    rows.into_par_iter().try_for_each(|(mut scores, code)| {
        let of =
            |rows: &[usize]| -> Vec<f64> { rows.iter().map(|&r| f64::from(code[r])).collect() };
        let (taught, judged) = (Sorted::new(&of(&train)), of(&test));
        tasks.iter().try_for_each(|(k, classes, truth)| {
            let machine = LinearSvm::fit(&taught, &classes.labels, classes.count(), C);
            let told = judged.iter().map(|input| Some(machine.predict(*input)));
            scores[*k] = accuracy(told, truth);
            watch.advance(share)
        })
    })?;
    Ok(matrix)
}

/// cov(z_j, v_k)² / (var z_j · var v_k), `[codes, factors]`; zeros for a nearly constant code.
fn squared_correlations(representation: &Representation) -> Array2<f64> {
    let variance = |column: ArrayView1<f32>| column.mapv(f64::from).var(1.0);
    let mut matrix = pearson(representation.codes.view(), representation.values.view());
    for (mut row, code) in matrix.rows_mut().into_iter().zip(representation.codes.columns()) {
        match variance(code) > STILL {
            true => row.mapv_inplace(|r| r * r),
            false => row.fill(0.0),
        }
    }
    matrix
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::representation::Split;
    use ndarray::array;

    fn score(metric: Sap, table: &Representation) -> Result<Score> {
        metric.score(table, &mut Rng::new(0), &Stage::unwatched())
    }

    #[test]
    fn squared_correlation_by_hand() {
        // Code 0 - mean = (-1, 0, 1), factor - mean = (-1, 1, 0): r = 1 / 2. Code 1 hardly moves.
        let codes = array![[1.0, 0.0], [2.0, 1e-7], [3.0, 0.0]];
        let factors = vec![Factor::continuous("a")];
        let values = array![[0.0], [2.0], [1.0]];
        let table = Representation::new(codes, values, factors).unwrap();
        let found = score(Sap::CONTINUOUS, &table).unwrap();
        let matrix = found.matrix.unwrap();
        assert!((matrix[[0, 0]] - 0.25).abs() < 1e-12);
        assert_eq!(matrix[[1, 0]], 0.0);
        assert!((found.value - 0.25).abs() < 1e-12);
    }

    #[test]
    fn accuracy_is_that_on_the_rows_that_judge() {
        // Code 0 is the factor while it teaches, and the opposite in one of four rows that judge.
        let values = Array2::from_shape_fn((204, 1), |(row, _)| (row % 2) as f32);
        let codes = Array2::from_shape_fn((204, 2), |(row, j)| match (j, row) {
            (0, 203) => -9.0,
            (0, _) => 20.0 * (row % 2) as f32 - 10.0,
            _ => 0.0,
        });
        let factors = vec![Factor::discrete("a", [0.0, 1.0])];
        let mut table = Representation::new(codes, values, factors).unwrap();
        table.protocol.split = Split::Ends { train: 200, test: 4 };
        let found = score(Sap::DISCRETE, &table).unwrap();
        // A constant code says the same class always: half right.
        assert_eq!(found.matrix, Some(array![[0.75], [0.5]]));
        assert_eq!((found.value, found.parts), (0.25, vec![("sap/a".to_string(), 0.25)]));
    }

    #[test]
    fn what_the_reference_cannot_do_is_refused() {
        let factor = || vec![Factor::discrete("a", [0.0, 1.0])];
        let values = array![[0.0], [0.0], [1.0], [1.0]];
        let lone = array![[1.0], [2.0], [3.0], [4.0]];
        let table = Representation::new(lone.clone(), values.clone(), factor()).unwrap();
        for metric in [Sap::DISCRETE, Sap::CONTINUOUS] {
            let reason = score(metric, &table).unwrap_err().to_string();
            assert!(reason.contains("there is one code only"), "{reason}");
        }
        let two = ndarray::concatenate![Axis(1), lone, lone];
        let mut table = Representation::new(two.clone(), values, factor()).unwrap();
        table.protocol.split = Split::Ends { train: 2, test: 2 };
        let reason = score(Sap::DISCRETE, &table).unwrap_err().to_string();
        assert!(reason.contains("factor `a` is the same in every row that teaches"), "{reason}");
        let table = Representation::new(two, Array2::ones((4, 1)), factor()).unwrap();
        let reason = score(Sap::CONTINUOUS, &table).unwrap_err().to_string();
        assert!(reason.contains("factor `a` never changes"), "{reason}");
    }
}
