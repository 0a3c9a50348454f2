//! The metric of the original beta-VAE paper (Higgins et al. 2017, "beta-VAE: Learning Basic Visual
//! Concepts with a Constrained Variational Framework") with its own classifier: points as in
//! `beta-vae-score`, classified by one softmax layer that is trained by gradient steps,
//!
//! ```text
//! W ← W - rate · g / sqrt(G),    g = gradient of the mean of -ln p_k over a batch,    G = 0.1 + Σ g²
//! ```
//!
//! which is Adagrad. The paper says: a linear classifier, softmax, Adagrad with learning rate 0.01,
//! fresh points in each batch. The sizes are recalled, not read, and differ between descriptions:
//! 64 to 200 pairs per point, batches of 10, 10,000 steps (the re-implementation in Kim and Mnih
//! 2018). We take 64 pairs, as Locatello et al. (2019) do, batches of 10 and 10,000 steps. The
//! initial 0.1 of G, initial weights of zero, and 5,000 test points are our choice too. The paper
//! also trains 30 classifiers and drops the worse half of models; that is left to the user.

use ndarray::{Array2, ArrayView1};

use super::{Asks, Better, Metric, Reading, Score};
use crate::error::Result;
use crate::info::Info;
use crate::representation::Representation;
use crate::rng::Rng;
use crate::stats::classes::accuracy;
use crate::stats::differences::Differences;
use crate::watch::Stage;

const PAGE: &str = "\
## What it measures

Whether the differences of codes predict which ground-truth factor two observations share:
`beta-vae-score` with the classifier of the original paper.

## How

A point: choose a factor at random, and 64 pairs of rows, the two rows of a pair having the same
value of this factor; the point is the mean absolute difference of each code over the pairs. One
softmax layer learns to predict the factor from the point: 10,000 steps of Adagrad with learning
rate 0.01, each on 10 fresh points. The score is its accuracy on 5,000 further points. Rows are
sampled from the table, with replacement. Continuous factors are discretised into 20 bins of equal
width first. Values that only one row has, and constant factors, are not chosen.

## Reading it

From 0 to 1. 1: the classifier is never wrong. Chance is 1 / (number of factors). The part `train`
is the accuracy on the last 5,000 training points.

## Cautions

- The classifier is not trained to convergence, so codes with a small standard deviation score lower
  than the same codes times ten: its steps are small for them.
- The sizes of the paper are not known for certain; compare values of this program with each other.
- Codes that mix factors can score 1: the classifier may use all codes together.
- A factor that no code encodes costs little, as long as all others are encoded.
- If a value has few rows, its pairs repeat them; score 10,000 rows or a full grid.

## Reference

Higgins et al., beta-VAE: Learning Basic Visual Concepts with a Constrained Variational Framework,
2017.";

/// The metric of Higgins et al.
#[derive(Clone, Copy, Debug)]
pub struct HigginsScore {
    /// Pairs per point.
    pub pairs: usize,
    /// Points per step.
    pub batch: usize,
    /// Steps of Adagrad.
    pub steps: usize,
    /// Its learning rate.
    pub rate: f64,
    /// Points to test the classifier on.
    pub test_points: usize,
}

impl HigginsScore {
    /// See the header for where these come from.
    pub const PAPER: Self =
        Self { pairs: 64, batch: 10, steps: 10_000, rate: 0.01, test_points: 5_000 };
}

/// Points are made in portions, so that progress can be reported.
const PORTION: usize = 10_000;

impl Metric for HigginsScore {
    fn info(&self) -> Info {
        Info {
            name: "higgins-score",
            title: "Higgins score",
            summary: "the beta-VAE metric with the original paper's Adagrad-trained classifier",
            paper: "Higgins et al., beta-VAE, ICLR 2017",
            page: PAGE,
        }
    }

    fn reading(&self) -> Reading {
        let line = "distances between codes tell which factor two observations share";
        Reading { low: 0.0, high: 1.0, better: Better::Higher, line }
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
        let differences = Differences::new(codes, &classes, self.pairs, "higgins-score")?;
        let mut layer = Layer::new(differences.labels(), differences.codes());
        let (total, train) = (self.steps * self.batch, rng.split("train"));
        let portion = PORTION.next_multiple_of(self.batch);
        for first in (0..total).step_by(portion) {
            let count = portion.min(total - first);
            let (points, labels) = differences.points(first, count, &train);
            for batch in (0..count).step_by(self.batch) {
                layer.step(&points, &labels, batch..batch + self.batch, self.rate);
            }
            watch.advance(0.95 * count as f64 / total as f64)?;
        }
        let seen = self.test_points.min(total);
        let (points, labels) = differences.points(total - seen, seen, &train);
        let trained = layer.accuracy(&points, &labels);
        let (points, labels) = differences.points(0, self.test_points, &rng.split("test"));
        watch.advance(0.05)?;
        Ok(Score {
            value: layer.accuracy(&points, &labels),
            parts: vec![("train".into(), trained)],
            matrix: None,
        })
    }
}

/// One softmax layer under Adagrad.
struct Layer {
    /// `[classes, codes + 1]`, the intercept last.
    weights: Array2<f64>,
    /// G: sums of squared gradients.
    squares: Array2<f64>,
    gradient: Array2<f64>,
    scores: Vec<f64>,
}

impl Layer {
    fn new(classes: usize, codes: usize) -> Self {
        let shape = (classes, codes + 1);
        Self {
            weights: Array2::zeros(shape),
            squares: Array2::from_elem(shape, 0.1),
            gradient: Array2::zeros(shape),
            scores: vec![0.0; classes],
        }
    }

    /// w_k · x + b_k for each class.
    fn score(&mut self, point: ArrayView1<f64>) {
        for (score, weights) in self.scores.iter_mut().zip(self.weights.rows()) {
            let products = point.iter().zip(weights).map(|(x, w)| x * w);
            *score = products.sum::<f64>() + weights[point.len()];
        }
    }

    fn step(
        &mut self,
        points: &Array2<f64>,
        labels: &[usize],
        batch: std::ops::Range<usize>,
        rate: f64,
    ) {
        let size = batch.len() as f64;
        self.gradient.fill(0.0);
        for row in batch {
            let point = points.row(row);
            self.score(point);
            let max = self.scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            self.scores.iter_mut().for_each(|score| *score = (*score - max).exp());
            let sum: f64 = self.scores.iter().sum();
            for (k, (mut gradient, power)) in
                self.gradient.rows_mut().into_iter().zip(&self.scores).enumerate()
            {
                // (p_k - [k = label]) x, the mean over the batch.
                let residual = (power / sum - if k == labels[row] { 1.0 } else { 0.0 }) / size;
                for (entry, x) in gradient.iter_mut().zip(point.iter().chain(&[1.0])) {
                    *entry += residual * x;
                }
            }
        }
        let state = self.weights.iter_mut().zip(&mut self.squares).zip(&self.gradient);
        for ((weight, squares), gradient) in state {
            *squares += gradient * gradient;
            *weight -= rate * gradient / squares.sqrt();
        }
    }

    fn accuracy(&mut self, points: &Array2<f64>, labels: &[usize]) -> f64 {
        let told = points.rows().into_iter().map(|point| {
            self.score(point);
            (0..self.scores.len())
                .fold(0, |best, k| if self.scores[k] > self.scores[best] { k } else { best })
        });
        accuracy(told, labels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::representation::grid;
    use ndarray::array;

    #[test]
    fn a_step_of_adagrad_by_hand() {
        let mut layer = Layer::new(2, 1);
        // p = ½ each: the gradient of class 0 is (½ - 1) x = -½ · 3, and -½ of its intercept.
        layer.step(&array![[3.0]], &[0], 0..1, 0.01);
        let moved = |gradient: f64| -0.01 * gradient / (0.1 + gradient * gradient).sqrt();
        let expected = array![[moved(-1.5), moved(-0.5)], [moved(1.5), moved(0.5)]];
        assert!((&layer.weights - &expected).iter().all(|off| off.abs() < 1e-15));
        // The second step divides by the squares of both.
        layer.step(&array![[0.0]], &[0], 0..1, 0.01);
        assert_eq!(layer.squares[[0, 0]], 0.1 + 1.5 * 1.5);
        assert!(layer.weights[[0, 1]] > expected[[0, 1]]);
        assert_eq!(layer.accuracy(&array![[1.0], [2.0]], &[0, 1]), 0.5);
    }

    #[test]
    fn perfect_codes_are_told_and_constant_codes_guessed() {
        let perfect = grid([4, 4, 4], 1, |values| values.to_vec());
        let constant = grid([4, 4, 4], 1, |_| vec![0.0, 0.0]);
        let metric = HigginsScore { steps: 1000, test_points: 600, ..HigginsScore::PAPER };
        for (table, low, high) in [(perfect, 0.99, 1.0), (constant, 0.25, 0.42)] {
            let score = metric.score(&table, &mut Rng::new(0), &Stage::unwatched()).unwrap();
            assert!((low..=high).contains(&score.value), "{score:?}");
            assert!((low..=high).contains(&score.parts[0].1), "{score:?}");
        }
    }
}
