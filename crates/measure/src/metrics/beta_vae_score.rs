//! BetaVAE score (Higgins et al. 2017, "beta-VAE: Learning Basic Visual Concepts with a Constrained
//! Variational Framework"), as computed by Locatello et al. (2019). A point is made
//! from pairs of rows that share the value of one factor k,
//!
//! ```text
//! point = mean over 64 pairs (a, b) with v_k(a) = v_k(b) of  |z(a) - z(b)|
//! ```
//!
//! and the score is the accuracy of a linear classifier that predicts k from the point. Rows come
//! from the table: on a full grid this is what sampling new observations would give.
//!
//! Locatello et al. used scikit-learn before version 0.22, whose logistic regression was
//! one-vs-rest; later versions, and the golden values, have one softmax over all classes. Both are
//! here. The original paper trains its classifier differently: see `higgins-score`.

use super::{Asks, Better, Metric, Reading, Score};
use crate::error::Result;
use crate::info::Info;
use crate::predictors::logistic::{Logistic, Strips};
use crate::representation::Representation;
use crate::rng::Rng;
use crate::stats::classes::accuracy;
use crate::stats::differences::Differences;
use crate::watch::Stage;

const PAGE: &str = "\
## What it measures

Whether the differences of codes predict which ground-truth factor two observations share.

## How

A point: choose a factor at random, and 64 pairs of rows, the two rows of a pair having the same
value of this factor; the point is the mean absolute difference of each code over the pairs. The
code of the factor should have the smallest difference. Logistic regression is trained on 10,000
points to predict the factor; the score is its accuracy on 5,000 fresh points. Rows are sampled from
the table, with replacement. Continuous factors are discretised into 20 bins of equal width first.
Values that only one row has, and constant factors, are not chosen.

## Reading it

From 0 to 1. 1: the classifier is never wrong. Chance is 1 / (number of factors). The part `train`
is the accuracy on the training points.

## Cautions

- It is easy: most trained models score above 0.9, so it separates bad from good better than good
  from best.
- Codes that mix factors can score 1: the classifier may use all codes together.
- A factor that no code encodes costs nothing, as long as all others are encoded: \"none of the
  others\" is then the answer. Four of five factors can score 1.
- It depends on the classifier: that of Locatello et al., one-vs-rest, gives values that differ by a
  few hundredths. Codes are not scaled.
- If a value has few rows, its pairs repeat them; score 10,000 rows or a full grid.

## Reference

Higgins et al., beta-VAE: Learning Basic Visual Concepts with a Constrained Variational Framework,
2017; settings of Locatello et al. 2019, arXiv:1811.12359.";

/// BetaVAE score.
#[derive(Clone, Copy, Debug)]
pub struct BetaVaeScore {
    /// Pairs per point.
    pub batch: usize,
    /// Points to train the classifier on.
    pub train_points: usize,
    /// Points to test it on.
    pub test_points: usize,
    /// One-vs-rest with a penalised intercept, in place of one softmax.
    pub one_vs_rest: bool,
}

impl BetaVaeScore {
    /// The settings of Locatello et al. 2019, with the classifier of today's scikit-learn.
    pub const STUDY: Self =
        Self { batch: 64, train_points: 10_000, test_points: 5_000, one_vs_rest: false };
}

impl Metric for BetaVaeScore {
    fn info(&self) -> Info {
        Info {
            name: "beta-vae-score",
            title: "BetaVAE score",
            summary: "do differences of codes predict which factor two observations share?",
            paper: "Higgins et al., beta-VAE, ICLR 2017",
            page: PAGE,
        }
    }

    fn reading(&self) -> Reading {
        let line = "distances between codes tell which factor two observations share";
        Reading { low: 0.0, high: 1.0, better: Better::Higher, line }
    }

    fn is_quick(&self) -> bool {
        true
    }

    fn asks(&self) -> &'static [Asks] {
        &[Asks::Modular, Asks::Informative]
    }

    fn score(
        &self,
        representation: &Representation,
        rng: &mut Rng,
        watch: &Stage,
    ) -> Result<Score> {
        let classes = representation.classes();
        let codes = representation.codes.view();
        let differences = Differences::new(codes, &classes, self.batch, "beta-vae-score")?;
        let points = |count: usize, purpose: &str| {
            let (points, labels) = differences.points(0, count, &rng.split(purpose));
            let rows: Vec<usize> = (0..count).collect();
            (Strips::new(points.view(), &rows), labels)
        };
        let (taught, labels) = points(self.train_points, "train");
        watch.advance(0.4)?;
        let (judged, truth) = points(self.test_points, "test");
        watch.advance(0.2)?;
        let fit = if self.one_vs_rest { Logistic::fit_one_vs_rest } else { Logistic::fit };
        let model = fit(&taught, &labels, differences.labels(), 1.0);
        watch.advance(0.4)?;
        Ok(Score {
            value: accuracy(model.predict(&judged), &truth),
            parts: vec![("train".into(), accuracy(model.predict(&taught), &labels))],
            matrix: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::representation::grid;

    const QUICK: BetaVaeScore =
        BetaVaeScore { train_points: 600, test_points: 400, ..BetaVaeScore::STUDY };

    /// The grid of three factors with 4 values each.
    fn score(metric: BetaVaeScore, codes: &[usize]) -> Score {
        let table = grid([4, 4, 4], 1, |values| codes.iter().map(|&k| values[k]).collect());
        metric.score(&table, &mut Rng::new(0), &Stage::unwatched()).unwrap()
    }

    #[test]
    fn all_factors_or_all_but_one_are_told_and_one_tells_itself_only() {
        for one_vs_rest in [false, true] {
            let metric = BetaVaeScore { one_vs_rest, ..QUICK };
            let perfect = score(metric, &[0, 1, 2]);
            assert_eq!((perfect.value, perfect.parts[0].1), (1.0, 1.0));
            // Factor b is what neither of the others is. One against the rest cannot say so.
            let two = score(metric, &[0, 2]).value;
            assert!(if one_vs_rest { two > 0.6 } else { two > 0.98 }, "{one_vs_rest} {two}");
            // Code 0 tells a, and guesses between b and c.
            let one = score(metric, &[0]).value;
            assert!((one - 2.0 / 3.0).abs() < 0.1, "{one_vs_rest} {one}");
        }
    }

    #[test]
    fn one_factor_alone_is_no_question() {
        let table = grid([2, 1], 2, |[a, _]| vec![a]);
        let error = QUICK.score(&table, &mut Rng::new(0), &Stage::unwatched()).unwrap_err();
        assert!(error.to_string().contains("fewer than two can be"), "{error}");
    }
}
