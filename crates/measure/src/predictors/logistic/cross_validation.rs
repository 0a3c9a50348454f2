//! The penalty chosen by cross-validation, as scikit-learn's `LogisticRegressionCV` with ten
//! penalties and `KFold(5)` does: the rows are cut into five folds in their order; for each fold, a
//! path of fits to the others, from the strongest penalty to the weakest, each from where the last
//! one ended; the C with the best mean accuracy on the folds left out, the strongest of equals; and
//! a last fit to all rows, from the mean of the five weights with this C.
//!
//! A class that occurs only in the fold left out is part of the fits all the same: nothing holds its
//! intercept, so it sinks as far as L-BFGS cares to go.

use ndarray::ArrayView2;
use rayon::prelude::*;

use super::{Logistic, Strips};

/// How many folds.
const FOLDS: usize = 5;
/// How many penalties: C from 1e-4 to 1e4, in equal ratios.
const PENALTIES: usize = 10;
/// How many fits there are in all.
const FITS: usize = FOLDS * PENALTIES + 1;

/// Fit with the penalty that predicts best. There must be at least `FOLDS` rows and two classes,
/// labels without gaps. `advance` is told the share of the work that each fit was, and may stop it.
pub fn fit_with_best_penalty<E: Send>(
    inputs: ArrayView2<f64>,
    labels: &[usize],
    classes: usize,
    advance: impl Fn(f64) -> Result<(), E> + Sync,
) -> Result<Logistic, E> {
    let rows = labels.len();
    let path = |fold: usize| {
        let judging = start(fold, rows)..start(fold + 1, rows);
        let teaching: Vec<usize> = (0..rows).filter(|row| !judging.contains(row)).collect();
        let judging: Vec<usize> = judging.collect();
        let [taught, judged] = [&teaching, &judging].map(|rows| Strips::new(inputs, rows));
        let of = |rows: &[usize]| -> Vec<usize> { rows.iter().map(|row| labels[*row]).collect() };
        let (teaching, judging) = (of(&teaching), of(&judging));
        let mut model = Logistic::zero(classes, taught.width());
        let fit = |number: usize| {
            model.improve(&taught, &teaching, penalty(number));
            advance(1.0 / FITS as f64)?;
            let right = model.predict(&judged).iter().zip(&judging).filter(|(a, b)| a == b).count();
            Ok((model.clone(), right as f64 / judging.len() as f64))
        };
        (0..PENALTIES).map(fit).collect::<Result<Vec<_>, E>>()
    };
    let paths = (0..FOLDS).into_par_iter().map(path).collect::<Result<Vec<_>, E>>()?;
    // The order of the sum and the first of equals matter: ties are common with few rows.
    let mut best = (0, f64::NEG_INFINITY);
    for number in 0..PENALTIES {
        let sum: f64 = paths.iter().map(|path| path[number].1).sum();
        if sum > best.1 {
            best = (number, sum);
        }
    }
    let all = Strips::new(inputs, &(0..rows).collect::<Vec<_>>());
    let mut model = mean(paths.iter().map(|path| &path[best.0].0));
    model.improve(&all, labels, penalty(best.0));
    advance(1.0 / FITS as f64)?;
    Ok(model)
}

fn penalty(number: usize) -> f64 {
    10f64.powf(-4.0 + 8.0 * number as f64 / (PENALTIES - 1) as f64)
}

/// The first row of a fold; the first folds have one row more if the rows cannot be shared evenly.
fn start(fold: usize, rows: usize) -> usize {
    fold * (rows / FOLDS) + fold.min(rows % FOLDS)
}

fn mean<'a>(models: impl ExactSizeIterator<Item = &'a Logistic>) -> Logistic {
    let count = models.len() as f64;
    let sum = models.cloned().reduce(|mut sum, model| {
        sum.weights.iter_mut().zip(&model.weights).for_each(|(sum, weight)| *sum += weight);
        sum
    });
    let mut mean = sum.expect("there are five folds");
    mean.weights.iter_mut().for_each(|weight| *weight /= count);
    mean
}
