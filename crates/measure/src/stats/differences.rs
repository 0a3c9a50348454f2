//! How far codes are apart in pairs of rows that agree in one factor: what the metrics of Higgins et
//! al. look at. A point is the mean over pairs of |z - z'|, code by code, and its label the factor:
//! the code that stands for this factor differs least.

use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::rng::Rng;
use crate::stats::column_order::in_order_of_columns;
use crate::stats::groups::Groups;

/// Where points come from.
#[derive(Debug)]
pub struct Differences<'a> {
    /// `[rows, codes]`, without gaps, in an order of codes that does not depend on the given one.
    codes: Vec<f32>,
    width: usize,
    /// The factors that can be held fixed; labels are numbers among these.
    groups: Vec<Groups<'a>>,
    /// Pairs per point.
    pairs: usize,
}

impl<'a> Differences<'a> {
    /// From codes `[rows, codes]` and the classes of each factor, with so many pairs per point.
    /// Refused for `metric` if there is no choice of what to hold fixed.
    pub fn new(
        codes: ArrayView2<f32>,
        classes: &'a [Vec<u32>],
        pairs: usize,
        metric: &str,
    ) -> Result<Self> {
        let groups = Groups::of_all(classes);
        if groups.len() < 2 {
            return Err(Error::Missing(format!(
                "{metric} cannot be computed, because it asks which factor is held fixed and \
                 fewer than two can be: a factor needs two values, and two rows that share one; \
                 score more rows or more factors"
            )));
        }
        let codes = in_order_of_columns(codes);
        Ok(Self { width: codes.ncols(), codes: codes.iter().copied().collect(), groups, pairs })
    }

    /// How many codes a point has.
    pub fn codes(&self) -> usize {
        self.width
    }

    /// How many labels there are.
    pub fn labels(&self) -> usize {
        self.groups.len()
    }

    /// The points with numbers `first..first + count`, `[count, codes]`, and their labels. Each has
    /// its own generator, so neither threads nor portions change them.
    pub fn points(&self, first: usize, count: usize, rng: &Rng) -> (Array2<f64>, Vec<usize>) {
        let mut points = vec![0.0; count * self.width];
        let numbered = points.par_chunks_exact_mut(self.width).enumerate();
        let point = |(number, point): (usize, &mut [f64])| {
            self.fill(point, &mut rng.at((first + number) as u64))
        };
        let labels = numbered.map(point).collect();
        let points = Array2::from_shape_vec((count, self.width), points);
        (points.expect("one row per point"), labels)
    }

    /// One point of zeros becomes the mean of |z - z'|; returns its label.
    fn fill(&self, point: &mut [f64], rng: &mut Rng) -> usize {
        let label = rng.below(self.groups.len());
        let codes = |row: usize| &self.codes[row * self.width..][..self.width];
        for _ in 0..self.pairs {
            let (row, alike) = self.groups[label].draw(rng);
            let other = alike[rng.below(alike.len())];
            for ((sum, z), other) in point.iter_mut().zip(codes(row)).zip(codes(other)) {
                *sum += (f64::from(*z) - f64::from(*other)).abs();
            }
        }
        for sum in point {
            *sum /= self.pairs as f64;
        }
        label
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Axis;

    #[test]
    fn the_code_of_the_fixed_factor_does_not_differ_and_portions_do_not_matter() {
        // Two factors with 4 values each, the codes are 0, 1, 4, 9 of each.
        let classes = [0, 1].map(|k| (0..16).map(|row| [row / 4, row % 4][k]).collect::<Vec<_>>());
        let codes = Array2::from_shape_fn((16, 2), |(row, k)| (classes[k][row] as f32).powi(2));
        let differences = Differences::new(codes.view(), &classes, 400, "x").unwrap();
        let (points, labels) = differences.points(0, 20, &Rng::new(0));
        for (point, label) in points.rows().into_iter().zip(&labels) {
            assert_eq!(point[*label], 0.0);
            // The mean over all pairs of |a² - b²| is 4.
            assert!((point[1 - label] - 4.0).abs() < 0.7, "{point}");
        }
        assert!(labels.contains(&0) && labels.contains(&1));
        let (later, _) = differences.points(15, 5, &Rng::new(0));
        assert_eq!(later, points.select(Axis(0), &[15, 16, 17, 18, 19]));
    }
}
