//! Correlation of every column of one matrix with every column of another.

use ndarray::parallel::prelude::*;
use ndarray::{Array2, ArrayView1, ArrayView2, Axis, concatenate};

use crate::stats::covariance::covariance;
use crate::stats::mean;
use crate::stats::order::sorted;

/// Columns of x that are taken at once: few, so that most products are of use.
const COLUMNS: usize = 32;

/// Pearson's correlation of every two columns, `[columns, columns]`: how well a straight line fits.
/// NaN where a column is constant.
pub fn correlations(x: ArrayView2<f32>) -> Array2<f64> {
    let s = covariance(x);
    // 0 / 0 where one is constant; `clamp` keeps NaN.
    Array2::from_shape_fn(s.dim(), |(i, j)| {
        (s[[i, j]] / (s[[i, i]] * s[[j, j]]).sqrt()).clamp(-1.0, 1.0)
    })
}

/// The same of two tables, `[columns of x, columns of y]`.
pub fn pearson(x: ArrayView2<f32>, y: ArrayView2<f32>) -> Array2<f64> {
    let mut out = Array2::zeros((x.ncols(), y.ncols()));
    let parts =
        x.axis_chunks_iter(Axis(1), COLUMNS).zip(out.axis_chunks_iter_mut(Axis(0), COLUMNS));
    for (x, mut out) in parts {
        let all = correlations(concatenate![Axis(1), x, y].view());
        out.indexed_iter_mut().for_each(|((i, k), r)| *r = all[[i, x.ncols() + k]]);
    }
    out
}

/// Spearman's correlation, `[columns of x, columns of y]`: Pearson's of the ranks, so any rising
/// curve counts as much as a line. NaN where a column is constant.
pub fn spearman(x: ArrayView2<f32>, y: ArrayView2<f32>) -> Array2<f64> {
    let ranked = |column: ArrayView1<f32>| centred_to_length_one(ranks(column));
    let (x, y) = (map_columns(x, ranked), map_columns(y, ranked));
    cosines(&x, &y)
}

/// The rank of each value from 1 to n; equal values share the mean of their ranks.
pub fn ranks(column: ArrayView1<f32>) -> Vec<f64> {
    let sorted = sorted(column);
    let mut ranks = vec![0.0; column.len()];
    let mut first = 0;
    for ties in sorted.values.chunk_by(|one, other| one == other) {
        // The mean of first + 1, …, first + ties.
        let rank = first as f64 + f64::midpoint(1.0, ties.len() as f64);
        let rows = &sorted.rows[first..first + ties.len()];
        for &row in rows {
            ranks[row as usize] = rank;
        }
        first += ties.len();
    }
    ranks
}

/// Apply `f` to each column; the results are rows, so that they lie side by side in memory.
fn map_columns(
    matrix: ArrayView2<f32>,
    f: impl Fn(ArrayView1<f32>) -> Vec<f64> + Sync,
) -> Array2<f64> {
    let mut out = Array2::zeros((matrix.ncols(), matrix.nrows()));
    let rows = out.axis_iter_mut(Axis(0)).into_par_iter();
    rows.zip(matrix.axis_iter(Axis(1)))
        .for_each(|(mut row, column)| row.assign(&ArrayView1::from(&f(column))));
    out
}

/// (v - mean) / |v - mean|, so that a product of two such vectors is their correlation.
fn centred_to_length_one(mut values: Vec<f64>) -> Vec<f64> {
    // A constant column has no direction, whatever rounding leaves of its spread.
    if values.iter().all(|value| *value == values[0]) {
        values.fill(f64::NAN);
        return values;
    }
    let mean = mean(values.iter().copied());
    let length = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>().sqrt();
    for value in &mut values {
        *value = (*value - mean) / length;
    }
    values
}

fn cosines(x: &Array2<f64>, y: &Array2<f64>) -> Array2<f64> {
    // `clamp` keeps NaN.
    x.dot(&y.t()).mapv(|value| value.clamp(-1.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn ranks_of_ties_are_their_mean() {
        let column = array![3.0, 1.0, 3.0, -0.0, 0.0, 3.0];
        assert_eq!(ranks(column.view()), [5.0, 3.0, 5.0, 1.5, 1.5, 5.0]);
    }

    #[test]
    fn a_line_has_correlation_one_and_a_curve_rank_correlation_one() {
        let x = array![[0.0], [1.0], [2.0], [3.0]];
        let y = array![[5.0, 1.0], [3.0, 2.0], [1.0, 4.0], [-1.0, 80.0]];
        let (line, curve) = (pearson(x.view(), y.view()), spearman(x.view(), y.view()));
        assert!((line[[0, 0]] + 1.0).abs() < 1e-12);
        assert!(line[[0, 1]] < 0.9);
        assert!((curve[[0, 1]] - 1.0).abs() < 1e-12);
    }

    #[test]
    fn pearson_by_hand() {
        // x - mean = (-1, 0, 1), y - mean = (-1, 1, 0): 1 / 2.
        let r = pearson(array![[1.0], [2.0], [3.0]].view(), array![[0.0], [2.0], [1.0]].view());
        assert!((r[[0, 0]] - 0.5).abs() < 1e-12);
    }

    #[test]
    fn a_constant_column_has_no_correlation() {
        let r = pearson(
            array![[0.1, 1.0], [0.1, 2.0], [0.1, 3.0]].view(),
            array![[1.0], [2.0], [4.0]].view(),
        );
        assert!(r[[0, 0]].is_nan() && !r[[1, 0]].is_nan());
    }
}
