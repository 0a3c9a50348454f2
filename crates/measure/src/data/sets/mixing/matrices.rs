//! Mixing matrices that are easy to invert: random ones whose condition number is among the best
//! quarter of such matrices.

use ndarray::{Array2, Axis};
use rayon::prelude::*;

use super::choices::Generator;
use crate::error::{Error, Result};
use crate::rng::Rng;
use crate::stats::covariance::eigenvalues;

/// How many matrices the best quarter is of, up to the width below.
const COMPARED: usize = 10_000;
/// From this width on fewer are compared, so that it takes about as long.
const WIDE: usize = 32;
/// But not fewer than these.
const FEWEST: usize = 100;

/// Which matrices are drawn. They are [inputs, outputs] and act on rows, x = s A; there are never
/// more inputs than outputs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Form {
    pub(super) inputs: usize,
    pub(super) outputs: usize,
    pub(super) generator: Generator,
    /// Whether the first input is passed on as the first output, and goes nowhere else.
    pub(super) staircase: bool,
}

impl Form {
    /// Entries from -1 to 1, then unit norm.
    pub(super) fn draw(self, rng: &mut Rng) -> Array2<f64> {
        let size = (self.inputs, self.outputs);
        let mut matrix = Array2::from_shape_simple_fn(size, || 2.0 * rng.uniform() - 1.0);
        if self.staircase {
            // With two outputs the second would be left without the first input, and trivial.
            if self.outputs > 2 {
                matrix.row_mut(0).fill(0.0);
            }
            matrix.column_mut(0).fill(0.0);
            matrix[[0, 0]] = 1.0;
        }
        // Both say that columns have unit norm, but iVAE writes x = s A for rows and TCL x = A s
        // for columns: of A as it is here, those of TCL are rows.
        let lanes = match self.generator {
            Generator::Ivae => matrix.lanes_mut(Axis(0)),
            Generator::Tcl => matrix.lanes_mut(Axis(1)),
        };
        for mut lane in lanes {
            let norm = lane.dot(&lane).sqrt();
            lane /= norm;
        }
        matrix
    }

    /// The condition number that a quarter of these matrices stays below.
    pub(super) fn threshold(self, rng: &Rng) -> Result<f64> {
        let cost = self.inputs.pow(2) * self.outputs;
        let count = (COMPARED * WIDE.pow(3) / cost).clamp(FEWEST, COMPARED);
        let number = |k: usize| condition(&self.draw(&mut rng.at(k as u64)));
        let mut numbers = (0..count).into_par_iter().map(number).collect::<Result<Vec<f64>>>()?;
        numbers.sort_by(f64::total_cmp);
        Ok(numbers[count / 4])
    }

    /// The first one drawn that is at most at the threshold.
    pub(super) fn accepted(self, threshold: f64, rng: &Rng) -> Result<Array2<f64>> {
        // A quarter of them is; this many failures in a row do not happen.
        for k in 0..COMPARED {
            let matrix = self.draw(&mut rng.at(k as u64));
            if condition(&matrix)? <= threshold {
                return Ok(matrix);
            }
        }
        Err(Error::Array("no mixing matrix is easy to invert; set another `data.seed`".into()))
    }
}

/// The largest singular value over the smallest: √ of the ratio of eigenvalues of A Aᵀ.
pub(super) fn condition(matrix: &Array2<f64>) -> Result<f64> {
    let values = eigenvalues(&matrix.dot(&matrix.t()))?;
    let (Some(smallest), Some(largest)) = (values.first(), values.last()) else {
        return Ok(1.0);
    };
    // Rounding can take the smallest one of a singular matrix below zero.
    Ok((largest / smallest.max(0.0)).sqrt())
}
