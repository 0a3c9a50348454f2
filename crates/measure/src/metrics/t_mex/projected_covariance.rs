//! The projected covariance measure (Lundborg et al., arXiv:2211.02039) with linear regressions.
//! With P the projection on the other factors and a constant, and r = v_j - P v_j what they leave of
//! factor j, the half that learns gives h = β r with β the coefficient of v_j in the regression of
//! the code z on all factors. On the half that tests, both h and z are regressed on the other factors
//! again, and what is left is multiplied,
//!
//! ```text
//! L = β r (z - P z),      statistic = √n mean L / √max( var L, 1e-12 )
//! ```
//!
//! With r at hand, β = r·z / r·r (Frisch and Waugh 1933), so a code costs a few products per factor.

use ndarray::{ArrayView1, ArrayView2};
use rayon::prelude::*;

use crate::stats::lanes::dot;
use crate::stats::mean;

/// A column of which the others leave less than this share of its length is their sum.
const DEPENDENT: f64 = 1e-12;
/// A smaller variance of products counts as this, as in the original.
const LEAST_VARIANCE: f64 = 1e-12;

/// What does not depend on the code: for each factor, what the others leave of it.
pub(super) struct Halves<'a> {
    learn: &'a [usize],
    test: &'a [usize],
    factors: Vec<Factor>,
}

struct Factor {
    /// r on the rows that learn, and r·r; 0 if nothing is left.
    learned: Vec<f64>,
    square: f64,
    /// r on the rows that test.
    tested: Vec<f64>,
    /// An orthonormal basis of the other factors there, means taken off.
    others: Vec<Vec<f64>>,
}

impl<'a> Halves<'a> {
    pub(super) fn new(values: ArrayView2<f32>, learn: &'a [usize], test: &'a [usize]) -> Self {
        let columns_of = |rows: &[usize]| -> Vec<Vec<f64>> {
            values.columns().into_iter().map(|column| centred(column, rows)).collect()
        };
        let (first, second) = (columns_of(learn), columns_of(test));
        let factor = |j: usize| {
            let [before, others] = [&first, &second].map(|columns| basis_without(columns, j));
            let (learned, square) = left_of(&first[j], &before);
            let (tested, _) = left_of(&second[j], &others);
            Factor { learned, square, tested, others }
        };
        let factors = (0..first.len()).into_par_iter().map(factor).collect();
        Self { learn, test, factors }
    }

    /// The statistic of a code with each factor.
    pub(super) fn statistics(&self, code: ArrayView1<f32>) -> Vec<f64> {
        let [learned, tested] = [self.learn, self.test].map(|rows| centred(code, rows));
        let one = |factor: &Factor| {
            if factor.square == 0.0 {
                return 0.0;
            }
            let beta = dot(&factor.learned, &learned) / factor.square;
            let mut left = tested.clone();
            take_off(&mut left, &factor.others);
            let products: Vec<f64> =
                factor.tested.iter().zip(&left).map(|(r, left)| beta * r * left).collect();
            let middle = mean(products.iter().copied());
            let variance = mean(products.iter().map(|product| (product - middle).powi(2)));
            (products.len() as f64).sqrt() * middle / variance.max(LEAST_VARIANCE).sqrt()
        };
        self.factors.iter().map(one).collect()
    }
}

/// Some rows of a column, less their mean.
fn centred(column: ArrayView1<f32>, rows: &[usize]) -> Vec<f64> {
    // Measured from the first row, a constant column is zero, whatever rounding does to its mean.
    let origin = f64::from(column[rows[0]]);
    let mut values: Vec<f64> = rows.iter().map(|&row| f64::from(column[row]) - origin).collect();
    let mean = mean(values.iter().copied());
    for value in &mut values {
        *value -= mean;
    }
    values
}

/// Vectors of length 1 at right angles that span all columns but one (Gram and Schmidt).
fn basis_without(columns: &[Vec<f64>], j: usize) -> Vec<Vec<f64>> {
    let mut basis = Vec::with_capacity(columns.len() - 1);
    for (_, column) in columns.iter().enumerate().filter(|(other, _)| *other != j) {
        let (mut left, square) = left_of(column, &basis);
        if square > 0.0 {
            let length = square.sqrt();
            for value in &mut left {
                *value /= length;
            }
            basis.push(left);
        }
    }
    basis
}

/// What a basis leaves of a column, and its squared length, 0 if that is rounding only.
fn left_of(column: &[f64], basis: &[Vec<f64>]) -> (Vec<f64>, f64) {
    let mut left = column.to_vec();
    take_off(&mut left, basis);
    let (square, whole) = (dot(&left, &left), dot(column, column));
    (left, if square > DEPENDENT * DEPENDENT * whole { square } else { 0.0 })
}

/// Twice, so that what rounding left the first time is taken off too.
fn take_off(column: &mut [f64], basis: &[Vec<f64>]) {
    for _ in 0..2 {
        for direction in basis {
            let share = dot(direction, column);
            column.iter_mut().zip(direction).for_each(|(value, along)| *value -= share * along);
        }
    }
}
