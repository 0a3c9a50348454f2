//! The maximal information family (Reshef et al. 2011, doi:10.1126/science.1205438; Reshef et al.
//! 2016, arXiv:1505.02213): how much of one column can be told from another by the best grid laid
//! over their scatter plot, for every size of grid. With G over all grids of x columns and y rows,
//!
//! ```text
//! M(x, y) = max over G of  I(D|G) / ln min(x, y)      for x y <= B(rows),  B = max(rows^0.6, 4)
//! ```
//!
//! MIC is the largest entry of M, TIC their sum. All grids are too many. So one axis is cut into
//! bins of equal numbers of rows (`axis`), and only the cuts of the other are optimised, by dynamic
//! programming (`cuts`) over at most 15 x clumps of neighbouring rows (`clumps`). What is found is
//! what the C library minepy 1.2 finds (Albanese et al. 2013, doi:10.1093/bioinformatics/bts707),
//! to rounding.

use rayon::join;

use crate::error::{Error, Result};

pub use axis::Axis;
pub use matrix::CharacteristicMatrix;

mod axis;
mod clumps;
mod cuts;
mod matrix;

use clumps::Clumps;
use cuts::{Cuts, TILE};

/// Which grids are tried, and how many.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Search {
    /// Up to 1, grids have at most B = max(rows^alpha, 4) cells; from 4 on, B = min(alpha, rows).
    pub alpha: f64,
    /// The cuts are chosen among this many clumps of rows for each column of the grid.
    pub clumps: f64,
    /// Which axis is optimised.
    pub estimator: Estimator,
}

impl Search {
    /// The published settings.
    pub const fn published(estimator: Estimator) -> Self {
        Self { alpha: 0.6, clumps: 15.0, estimator }
    }
}

/// Which axis of a grid is optimised while the other is cut into equal bins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Estimator {
    /// Either, and the better one counts: the approximation of MIC of 2011.
    Approximate,
    /// The one with fewer bins, y if both have as many: the equicharacteristic matrix of 2016, behind
    /// MIC_e and TIC_e.
    Equicharacteristic,
}

/// A search over tables with a certain number of rows.
pub struct Mine {
    search: Search,
    /// The most bins of the optimised axis, for 2, 3, … bins of the other.
    most: Vec<usize>,
    /// n ln n for n from 0 to the number of rows: every entropy here is a sum of these.
    n_ln_n: Vec<f64>,
}

impl Mine {
    /// Prepare a search; an error if the settings make no sense or no grid fits.
    pub fn new(search: Search, rows: usize) -> Result<Self> {
        let Search { alpha, clumps, .. } = search;
        let cells = match alpha {
            _ if alpha > 0.0 && alpha <= 1.0 => (rows as f64).powf(alpha).max(4.0),
            _ if alpha >= 4.0 => alpha.min(rows as f64),
            _ => return Err(Error::setting("alpha", "must be above 0 up to 1, or at least 4")),
        };
        if clumps.is_nan() || clumps <= 0.0 {
            return Err(Error::setting("clumps", "must be above 0"));
        }
        if cells < 4.0 {
            return Err(Error::Missing(format!(
                "a grid has at least 4 cells, and alpha = {alpha} allows at most one per row, of \
                 which there are {rows}; give more rows, or an alpha up to 1"
            )));
        }
        let most = (2..=(cells / 2.0) as usize).map(|bins| (cells / bins as f64) as usize);
        let n_ln_n = |n: usize| if n == 0 { 0.0 } else { n as f64 * (n as f64).ln() };
        Ok(Self { search, most: most.collect(), n_ln_n: (0..=rows).map(n_ln_n).collect() })
    }

    /// The best grids over two columns. `advance` hears which share of the work has been done, and
    /// an error from it ends the search.
    pub fn search(
        &self,
        x: &Axis,
        y: &Axis,
        advance: &(impl Fn(f64) -> Result<()> + Sync),
    ) -> Result<CharacteristicMatrix> {
        let (by_x, by_y) = join(|| self.optimise(y, x, advance), || self.optimise(x, y, advance));
        let (by_x, by_y) = (by_x?, by_y?);
        // Row i of the matrix has i + 2 bins of y, column j has j + 2 bins of x.
        let entry = |i: usize, j: usize| match self.search.estimator {
            Estimator::Approximate => f64::max(by_x[i][j], by_y[j][i]),
            Estimator::Equicharacteristic if j < i => by_x[i][j],
            Estimator::Equicharacteristic => by_y[j][i],
        };
        let row = |(i, most): (usize, &usize)| (0..most - 1).map(|j| entry(i, j)).collect();
        Ok(CharacteristicMatrix::new(self.most.iter().enumerate().map(row).collect()))
    }

    /// For 2, 3, … equal bins of `equal`: the normalised information of the best cuts of `free`
    /// into 2, 3, … bins.
    fn optimise(
        &self,
        equal: &Axis,
        free: &Axis,
        advance: &impl Fn(f64) -> Result<()>,
    ) -> Result<Vec<Vec<f64>>> {
        let mut clumps = Clumps::new(equal, free);
        let mut cuts = Cuts::new(&self.n_ln_n);
        let mut found: Vec<Vec<f64>> = Vec::with_capacity(self.most.len());
        // The work falls with the number of equal bins, about as 1 / bins.
        let whole: f64 = 2.0 * (0..self.most.len()).map(|i| 1.0 / (i + 2) as f64).sum::<f64>();
        for (i, &most) in self.most.iter().enumerate() {
            let bins = i + 2;
            let limit = ((self.search.clumps * most as f64) as usize).max(1);
            let most = match self.search.estimator {
                Estimator::Approximate => most,
                Estimator::Equicharacteristic => most.min(bins),
            };
            let same = clumps.cut(bins, limit);
            match found.last() {
                // Few values fall into the same bins and clumps again and again.
                Some(last) if same && last.len() + 1 >= most => {
                    found.push(last[..most - 1].to_vec());
                }
                _ => found.push(cuts.information(&clumps.counts(TILE), most)),
            }
            advance(1.0 / bins as f64 / whole)?;
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    fn search(estimator: Estimator, x: &[f32], y: &[f32]) -> CharacteristicMatrix {
        let mine = Mine::new(Search::published(estimator), x.len()).unwrap();
        mine.search(&Axis::new(x), &Axis::new(y), &|_| Ok(())).unwrap()
    }

    #[test]
    fn a_function_is_told_whole_and_a_constant_tells_nothing() {
        let x: Vec<f32> = (0..400).map(|row| row as f32 / 400.0).collect();
        let y: Vec<f32> = x.iter().map(|x| (5.0 * x).sin()).collect();
        for estimator in [Estimator::Approximate, Estimator::Equicharacteristic] {
            assert!(search(estimator, &x, &y).mic() > 0.95);
            let constant = search(estimator, &x, &[0.5; 400]);
            assert_eq!((constant.mic(), constant.tic()), (0.0, 0.0));
        }
        let noise: Vec<f32> = x.iter().map(|x| (1e6 * x).sin()).collect();
        assert!(search(Estimator::Approximate, &x, &noise).mic() < 0.3);
    }

    #[test]
    fn exchanging_the_axes_transposes_the_matrix() {
        let mut rng = Rng::new(0);
        let x: Vec<f32> = (0..200).map(|_| rng.normal()).collect();
        let y: Vec<f32> = x.iter().map(|x| (x * x + 0.3 * rng.normal()).round()).collect();
        for estimator in [Estimator::Approximate, Estimator::Equicharacteristic] {
            let (there, back) = (search(estimator, &x, &y), search(estimator, &y, &x));
            for (i, row) in there.rows().iter().enumerate() {
                for (j, entry) in row.iter().enumerate() {
                    // With as many bins on both axes, MIC_e optimises those of y.
                    let one_way = estimator == Estimator::Equicharacteristic && i == j;
                    assert!(one_way || *entry == back.rows()[j][i], "{i}, {j}");
                }
            }
        }
    }

    #[test]
    fn a_grid_has_at_most_b_cells() {
        let cells = |alpha: f64, rows: usize| {
            let search = Search { alpha, ..Search::published(Estimator::Approximate) };
            Mine::new(search, rows).map(|mine| mine.most)
        };
        // 100^0.6 = 15.8: 2 x 7, 3 x 5, 4 x 3, 5 x 3, 6 x 2, 7 x 2.
        assert_eq!(cells(0.6, 100).unwrap(), [7, 5, 3, 3, 2, 2]);
        assert_eq!(cells(0.6, 1).unwrap(), [2]);
        assert_eq!(cells(6.5, 100).unwrap(), [3, 2]);
        assert_eq!(cells(30.0, 5).unwrap(), [2]);
        assert!(matches!(cells(30.0, 3), Err(Error::Missing(_))));
        for alpha in [0.0, 2.0, f64::NAN] {
            assert!(matches!(cells(alpha, 100), Err(Error::Setting { .. })));
        }
    }

    #[test]
    fn the_work_adds_up_to_one_and_can_be_stopped() {
        use std::sync::Mutex;
        let column: Vec<f32> = (0..100).map(|row| (row * 37 % 100) as f32).collect();
        let (axis, done) = (Axis::new(&column), Mutex::new(0.0));
        let mine = Mine::new(Search::published(Estimator::Approximate), 100).unwrap();
        let advance = |share| {
            *done.lock().unwrap() += share;
            Ok(())
        };
        mine.search(&axis, &axis, &advance).unwrap();
        assert!((*done.lock().unwrap() - 1f64).abs() < 1e-9);
        let stopped = mine.search(&axis, &axis, &|_| Err(Error::Stopped));
        assert!(matches!(stopped, Err(Error::Stopped)));
    }
}
