//! Factors as numbers to regress on, and the share of their variance that a regression explains,
//!
//! ```text
//! R² = 1 - Σ |v - v̂|² / Σ |v - mean v|²
//! ```
//!
//! An angle is its point on the circle, (cos v, sin v), so that 0 and 2π are the same; its R² is
//! that of the two numbers together.

use ndarray::Array2;

use super::Representation;
use crate::factors::Kind;

/// The numbers to regress on.
#[derive(Clone, Debug, PartialEq)]
pub struct Targets {
    /// `[rows, targets]`
    pub numbers: Array2<f64>,
    /// The factor of each target; those of one factor stand side by side.
    pub factors: Vec<usize>,
}

impl Targets {
    /// Of all factors of a table.
    pub fn new(table: &Representation) -> Self {
        let (mut columns, mut factors) = (Vec::new(), Vec::new());
        for (k, (column, factor)) in
            table.values.columns().into_iter().zip(&table.factors).enumerate()
        {
            let numbers = column.mapv(f64::from);
            match factor.kind {
                Kind::Angle => columns.extend([numbers.mapv(f64::cos), numbers.mapv(f64::sin)]),
                Kind::Discrete(_) | Kind::Continuous => columns.push(numbers),
            }
            factors.resize(columns.len(), k);
        }
        let numbers = Array2::from_shape_fn((table.rows(), columns.len()), |(r, t)| columns[t][r]);
        Self { numbers, factors }
    }

    /// R² of each factor, from what is true and what was told of some rows, `[rows, targets]`; 0
    /// for one that is the same in all of them.
    pub fn explained(&self, truth: &Array2<f64>, told: &Array2<f64>) -> Vec<f64> {
        let count = self.factors.last().map_or(0, |last| last + 1);
        let (mut off, mut spread) = (vec![0.0; count], vec![0.0; count]);
        for (t, &k) in self.factors.iter().enumerate() {
            let (truth, told) = (truth.column(t), told.column(t));
            // Rounding leaves a constant column a spread of its own.
            if truth.iter().all(|value| *value == truth[0]) {
                continue;
            }
            let mean = truth.sum() / truth.len() as f64;
            spread[k] += truth.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
            off[k] += truth.iter().zip(told).map(|(v, told)| (v - told).powi(2)).sum::<f64>();
        }
        let share = |(off, spread): (f64, f64)| if spread > 0.0 { 1.0 - off / spread } else { 0.0 };
        off.into_iter().zip(spread).map(share).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::factors::Factor;
    use ndarray::array;
    use std::f32::consts::PI;

    #[test]
    fn an_angle_is_a_point_and_a_constant_explains_nothing() {
        let values = array![[0.0, 1.0, 5.0], [PI, 2.0, 5.0], [2.0 * PI, 3.0, 5.0]];
        let factors =
            vec![Factor::angle("turn"), Factor::continuous("size"), Factor::continuous("still")];
        let table = Representation::new(Array2::zeros((3, 1)), values, factors).unwrap();
        let targets = Targets::new(&table);
        assert_eq!(targets.factors, [0, 0, 1, 2]);
        assert!((targets.numbers[[0, 0]] - targets.numbers[[2, 0]]).abs() < 1e-12);
        let truth = targets.numbers.clone();
        let mut told = truth.clone();
        told.column_mut(2).fill(2.0);
        let found = targets.explained(&truth, &told);
        assert_eq!((found[0], found[2]), (1.0, 0.0));
        assert!(found[1].abs() < 1e-12);
    }
}
