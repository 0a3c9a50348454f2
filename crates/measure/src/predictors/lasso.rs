//! Lasso: linear regression that prefers coefficients of zero (Tibshirani 1996). Of columns X and a
//! target y, all with mean 0,
//!
//! ```text
//! w = argmin of  |y - X w|² / (2 rows) + alpha |w|_1
//! ```
//!
//! by coordinate descent (Friedman et al. 2010). Only the products of columns enter, divided by
//! the number of rows: XᵀX, Xᵀy and yᵀy are made once, and no sweep costs more for more rows.

use ndarray::{ArrayView1, ArrayView2};

/// A regression with its penalty, and when to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lasso {
    /// The price of a coefficient.
    pub alpha: f64,
    /// Stop when no coefficient changes by more than this share of the largest, and the duality gap
    /// (how far from the least loss at most) is below this share of yᵀy.
    pub tolerance: f64,
    /// Stop after this many sweeps over all coefficients in any case.
    pub sweeps: usize,
}

impl Lasso {
    /// With the stopping rule of scikit-learn, so that coefficients agree beyond its tolerance.
    pub const fn new(alpha: f64) -> Self {
        Self { alpha, tolerance: 1e-4, sweeps: 1000 }
    }

    /// The coefficients, from XᵀX, Xᵀy and yᵀy, each divided by the number of rows. A column that is
    /// zero throughout gets coefficient 0.
    pub fn coefficients(&self, xx: ArrayView2<f64>, xy: ArrayView1<f64>, yy: f64) -> Vec<f64> {
        let mut w = vec![0.0; xy.len()];
        // Xᵀ(y - X w) / rows
        let mut slope = xy.to_vec();
        for sweep in 0..=self.sweeps {
            // The first look is at w = 0.
            let (mut change, mut largest) = (0f64, 0f64);
            for j in (0..w.len()).filter(|&j| sweep > 0 && xx[[j, j]] > 0.0) {
                let before = w[j];
                let alone = slope[j] + before * xx[[j, j]];
                w[j] = alone.signum() * (alone.abs() - self.alpha).max(0.0) / xx[[j, j]];
                let step = w[j] - before;
                if step != 0.0 {
                    slope.iter_mut().zip(xx.row(j)).for_each(|(slope, xx)| *slope -= step * xx);
                }
                change = change.max(step.abs());
                largest = largest.max(w[j].abs());
            }
            let still = largest == 0.0 || change <= self.tolerance * largest;
            if still && self.gap(&w, &slope, xy, yy) <= self.tolerance * yy {
                break;
            }
        }
        w
    }

    /// |r|² / 2 + alpha |w|_1 - ( s rᵀy - s² |r|² / 2 ), divided by the rows, with r = y - X w and s
    /// the largest share of r, up to 1, with |s Xᵀr| <= alpha throughout.
    fn gap(&self, w: &[f64], slope: &[f64], xy: ArrayView1<f64>, yy: f64) -> f64 {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let xy_w = xy.iter().zip(w).map(|(xy, w)| xy * w).sum::<f64>();
        // rᵀy = yᵀy - wᵀXᵀy and |r|² = rᵀy - wᵀXᵀr.
        let ry = yy - xy_w;
        let rr = ry - dot(w, slope);
        let steepest = slope.iter().fold(0f64, |most, slope| most.max(slope.abs()));
        let s = if steepest > self.alpha { self.alpha / steepest } else { 1.0 };
        let price = self.alpha * w.iter().map(|w| w.abs()).sum::<f64>();
        0.5 * rr + price - (s * ry - 0.5 * s * s * rr)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{arr1, arr2};

    #[test]
    fn independent_columns_are_shrunk_by_alpha() {
        let xx = arr2(&[[1.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 1.0]]);
        let w = Lasso::new(0.1).coefficients(xx.view(), arr1(&[0.7, -1.0, 0.05]).view(), 1.0);
        for (w, expected) in w.iter().zip([0.6, -0.225, 0.0]) {
            assert!((w - expected).abs() < 1e-12, "{w}, not {expected}");
        }
    }

    #[test]
    fn correlated_columns_meet_the_conditions_of_the_optimum() {
        let xx = arr2(&[[1.0, 0.8, 0.3], [0.8, 1.0, 0.5], [0.3, 0.5, 1.0]]);
        let xy = arr1(&[0.9, 0.6, 0.55]);
        let exact = Lasso { tolerance: 1e-12, ..Lasso::new(0.1) };
        let w = exact.coefficients(xx.view(), xy.view(), 1.0);
        let slope = &xy - &xx.dot(&arr1(&w));
        for (w, slope) in w.iter().zip(&slope) {
            // Where w is not 0 the slope is alpha, and nowhere is it more.
            let expected = if *w == 0.0 { slope.clamp(-0.1, 0.1) } else { 0.1 * w.signum() };
            assert!((slope - expected).abs() < 1e-9, "{w}: {slope}");
        }
        assert!(w.contains(&0.0) && w.iter().any(|w| *w != 0.0), "{w:?}");
    }

    #[test]
    fn nothing_is_told_by_nothing() {
        let xx = arr2(&[[0.0, 0.0], [0.0, 1.0]]);
        assert_eq!(
            Lasso::new(0.1).coefficients(xx.view(), arr1(&[0.0, 0.0]).view(), 0.0),
            [0.0; 2]
        );
        let w = Lasso::new(0.1).coefficients(xx.view(), arr1(&[0.0, 0.9]).view(), 1.0);
        assert_eq!(w[0], 0.0);
        assert!((w[1] - 0.8).abs() < 1e-12);
    }

    #[test]
    fn it_ends_after_its_sweeps() {
        let xx = arr2(&[[1.0, 0.999_999], [0.999_999, 1.0]]);
        let one = Lasso { sweeps: 1, ..Lasso::new(0.0) };
        let w = one.coefficients(xx.view(), arr1(&[0.5, 0.7]).view(), 1.0);
        assert!((w[0] - 0.5).abs() < 1e-12, "{w:?}");
    }
}
