//! How far codes are apart in pairs of rows that agree in one factor: what the metrics of Higgins et
//! al. look at. A point is the mean over pairs of |z - z'|, code by code, and its label the factor:
//! the code that stands for this factor differs least.

use ndarray::{Array2, ArrayView2, Axis};
use rayon::prelude::*;

use super::groups::Groups;
use crate::rng::Rng;

/// Where points come from.
#[derive(Debug)]
pub struct Differences<'a> {
    /// `[rows, codes]`
    pub codes: ArrayView2<'a, f32>,
    /// The factors that can be held fixed; labels are numbers among these.
    pub groups: &'a [Groups<'a>],
    /// Pairs per point.
    pub pairs: usize,
}

impl Differences<'_> {
    /// The points with numbers `first..first + count`, `[count, codes]`, and their labels. Each has
    /// its own generator, so neither threads nor portions change them.
    pub fn points(&self, first: usize, count: usize, rng: &Rng) -> (Array2<f64>, Vec<usize>) {
        let mut points = Array2::zeros((count, self.codes.ncols()));
        let labels = points
            .axis_iter_mut(Axis(0))
            .into_par_iter()
            .enumerate()
            .map(|(number, mut point)| {
                let mut rng = rng.at((first + number) as u64);
                let label = rng.below(self.groups.len());
                for _ in 0..self.pairs {
                    let (row, alike) = self.groups[label].draw(&mut rng);
                    let other = alike[rng.below(alike.len())];
                    let pair = self.codes.row(row).into_iter().zip(self.codes.row(other));
                    for (sum, (z, other)) in point.iter_mut().zip(pair) {
                        *sum += (f64::from(*z) - f64::from(*other)).abs();
                    }
                }
                point /= self.pairs as f64;
                label
            })
            .collect();
        (points, labels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_of_the_fixed_factor_does_not_differ_and_portions_do_not_matter() {
        // Two factors with 4 values each, the codes are 0, 1, 4, 9 of each.
        let classes = [0, 1].map(|k| (0..16).map(|row| [row / 4, row % 4][k]).collect::<Vec<_>>());
        let codes = Array2::from_shape_fn((16, 2), |(row, k)| (classes[k][row] as f32).powi(2));
        let groups = Groups::of_all(&classes);
        let differences = Differences { codes: codes.view(), groups: &groups, pairs: 400 };
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
