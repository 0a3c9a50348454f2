//! Logistic regression with balanced classes, and its loss: each row counts n / (K n_c), with K
//! classes of n_c rows each, so that a rare class weighs as much as a frequent one,
//!
//! ```text
//! minimise  1 / (2 C) |w|²  +  Σ over rows of  n / (K n_y) (-ln p_y)
//! ```
//!
//! C = ∞ leaves the penalty out. Every class has its own w, two classes too. It is stopped after 100
//! steps of L-BFGS: where classes can be parted there is no minimum without a penalty, and the value
//! in papers is the one that 100 steps reach. The rules are those of scikit-learn up to 1.3, which
//! published values come from; they look at the sum over rows, those of the parent module at the
//! mean.

use ndarray::{Array2, ArrayView2};

use super::softmax::Softmax;
use super::{Logistic, Strips};
use crate::predictors::lbfgs::{self, Stop};

/// The rules of scikit-learn 1.3, for the sum of losses.
const EARLY: Stop = Stop { steps: 100, gradient: 1e-4, decrease: 1e7 * f64::EPSILON };

/// As in scikit-learn: a probability of zero would cost an infinite loss.
const LEAST: f64 = f64::EPSILON;

impl Logistic {
    /// Fit to rows `[rows, inputs]`, each with a label below `classes`. Every class has a row.
    pub fn fit_balanced(inputs: ArrayView2<f64>, labels: &[usize], classes: usize, c: f64) -> Self {
        // Rows class by class: those of one class have one weight.
        let mut rows = vec![Vec::new(); classes];
        labels.iter().enumerate().for_each(|(row, &label)| rows[label].push(row));
        let strips: Vec<Strips> = rows.iter().map(|rows| Strips::new(inputs, rows)).collect();
        let labels: Vec<Vec<usize>> =
            rows.iter().enumerate().map(|(class, rows)| vec![class; rows.len()]).collect();
        let width = inputs.ncols() + 1;
        let mut parts = Vec::with_capacity(classes);
        for (strips, labels) in strips.iter().zip(&labels) {
            parts.push(Softmax::new(strips, labels, classes));
        }
        let weight = |rows: &Vec<usize>| inputs.nrows() as f64 / (classes * rows.len()) as f64;
        let counts: Vec<f64> = rows.iter().map(weight).collect();
        let mut fitted = Self::zero(classes, width);
        let mut one = vec![0.0; classes * width];
        lbfgs::minimise(&mut fitted.weights, EARLY, |weights, gradient| {
            let mut loss = 0.0;
            gradient.fill(0.0);
            for (softmax, count) in parts.iter_mut().zip(&counts) {
                loss += count * softmax.evaluate(weights, &mut one);
                gradient.iter_mut().zip(&one).for_each(|(entry, sum)| *entry += count * sum);
            }
            for (i, (entry, weight)) in gradient.iter_mut().zip(weights).enumerate() {
                // The intercept is free.
                if i % width + 1 < width {
                    *entry += weight / c;
                    loss += 0.5 * weight * weight / c;
                }
            }
            loss
        });
        fitted
    }

    /// The mean of -ln p_y over rows, each counting the same.
    pub fn loss(&self, inputs: ArrayView2<f64>, labels: &[usize]) -> f64 {
        let rows: Vec<usize> = (0..inputs.nrows()).collect();
        let scores = Strips::new(inputs, &rows).scores(&self.weights);
        mean_loss(&scores, labels)
    }
}

/// From linear scores `[rows, classes]`.
fn mean_loss(scores: &Array2<f64>, labels: &[usize]) -> f64 {
    let of_row = |(scores, &label): (ndarray::ArrayView1<f64>, &usize)| {
        let max = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = scores.iter().map(|score| (score - max).exp()).sum();
        -((scores[label] - max).exp() / sum).max(LEAST).ln()
    };
    scores.rows().into_iter().zip(labels).map(of_row).sum::<f64>() / labels.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn without_information_all_classes_are_equally_probable_however_many_rows_they_have() {
        let labels: Vec<usize> = (0..100).map(|row| usize::from(row >= 70) + row / 90).collect();
        let inputs = Array2::zeros((100, 2));
        let model = Logistic::fit_balanced(inputs.view(), &labels, 3, f64::INFINITY);
        assert!((model.loss(inputs.view(), &labels) - 3f64.ln()).abs() < 1e-9);
    }

    #[test]
    fn it_is_the_regression_of_rows_repeated_until_classes_are_equal() {
        // 30 rows of one class and 10 of the other: the same as each of the 10 three times.
        let mut rng = Rng::new(2);
        let labels: Vec<usize> = (0..40).map(|row| usize::from(row >= 30)).collect();
        let draw = |(row, _): (usize, usize)| labels[row] as f64 + f64::from(rng.normal());
        let inputs = Array2::from_shape_fn((40, 2), draw);
        let all: Vec<usize> = (0..30).chain((30..40).cycle().take(30)).collect();
        let repeated = inputs.select(ndarray::Axis(0), &all);
        let again: Vec<usize> = all.iter().map(|&row| labels[row]).collect();
        let one = Logistic::fit_balanced(inputs.view(), &labels, 2, f64::INFINITY);
        let two = Logistic::fit_balanced(repeated.view(), &again, 2, f64::INFINITY);
        for (a, b) in one.weights.iter().zip(&two.weights) {
            assert!((a - b).abs() < 1e-3, "{a} and {b}");
        }
    }

    #[test]
    fn a_penalty_keeps_weights_small() {
        let labels: Vec<usize> = (0..30).map(|row| row / 10).collect();
        let inputs = Array2::from_shape_fn((30, 1), |(row, _)| (row / 10) as f64 - 1.0);
        let loss = |c: f64| {
            Logistic::fit_balanced(inputs.view(), &labels, 3, c).loss(inputs.view(), &labels)
        };
        assert!(loss(f64::INFINITY) < 0.01 && loss(1.0) > 0.1, "{}", loss(1.0));
    }
}
