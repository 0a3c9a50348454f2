//! Correlation of every column of one matrix with every column of another.

use ndarray::{Array2, ArrayView1, ArrayView2, Axis};

/// Pearson's correlation, `[columns of x, columns of y]`: how well a straight line fits. NaN where
/// a column is constant.
pub fn pearson(x: ArrayView2<f32>, y: ArrayView2<f32>) -> Array2<f64> {
    let (x, y) = (map_columns(x, standardised), map_columns(y, standardised));
    cosines(&x, &y)
}

/// Spearman's correlation, `[columns of x, columns of y]`: Pearson's of the ranks, so any rising
/// curve counts as much as a line. NaN where a column is constant.
pub fn spearman(x: ArrayView2<f32>, y: ArrayView2<f32>) -> Array2<f64> {
    let ranked = |column: ArrayView1<f32>| centred_to_length_one(&ranks(column));
    let (x, y) = (map_columns(x, ranked), map_columns(y, ranked));
    cosines(&x, &y)
}

/// The rank of each value from 1 to n; equal values share the mean of their ranks.
pub fn ranks(column: ArrayView1<f32>) -> Vec<f64> {
    let mut order: Vec<usize> = (0..column.len()).collect();
    order.sort_unstable_by(|&i, &j| column[i].total_cmp(&column[j]));
    let mut ranks = vec![0.0; column.len()];
    let mut first = 0;
    while first < order.len() {
        let value = column[order[first]];
        let ties = order[first..].iter().take_while(|&&row| column[row] == value).count();
        // The mean of first + 1, …, first + ties; a NaN equals nothing and ranks alone.
        let ties = ties.max(1);
        let rank = first as f64 + f64::midpoint(1.0, ties as f64);
        order[first..first + ties].iter().for_each(|&row| ranks[row] = rank);
        first += ties;
    }
    ranks
}

/// Apply `f` to each column; the results are rows, so that they lie side by side in memory.
fn map_columns(matrix: ArrayView2<f32>, f: impl Fn(ArrayView1<f32>) -> Vec<f64>) -> Array2<f64> {
    let mut out = Array2::zeros((matrix.ncols(), matrix.nrows()));
    for (mut row, column) in out.axis_iter_mut(Axis(0)).zip(matrix.columns()) {
        row.assign(&ArrayView1::from(&f(column)));
    }
    out
}

fn standardised(column: ArrayView1<f32>) -> Vec<f64> {
    centred_to_length_one(&column.iter().map(|value| f64::from(*value)).collect::<Vec<_>>())
}

/// (v - mean) / |v - mean|, so that a product of two such vectors is their correlation.
fn centred_to_length_one(values: &[f64]) -> Vec<f64> {
    // A constant column has no direction, whatever rounding leaves of its spread.
    if values.iter().all(|value| *value == values[0]) {
        return vec![f64::NAN; values.len()];
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let length = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>().sqrt();
    values.iter().map(|value| (value - mean) / length).collect()
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
