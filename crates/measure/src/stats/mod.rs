//! Statistics the metrics share.

pub mod angles;
pub mod assignment;
pub mod changes;
pub mod classes;
pub mod column_order;
pub mod correlation;
pub mod correlation_ratio;
pub mod covariance;
pub mod differences;
pub mod folds;
pub mod groups;
pub mod information;
pub mod interactions;
pub mod lanes;
pub mod learning_curve;
pub mod matrix_scores;
pub mod mine;
pub mod neighbours;
pub mod normal;
pub mod order;
pub mod retrieval;
pub mod roc_auc;

use ndarray::ArrayView1;

/// The sum divided by the count; NaN for nothing.
pub fn mean(numbers: impl IntoIterator<IntoIter: ExactSizeIterator<Item = f64>>) -> f64 {
    let numbers = numbers.into_iter();
    let count = numbers.len() as f64;
    numbers.sum::<f64>() / count
}

/// Whether all numbers are equal.
pub fn is_constant(column: ArrayView1<f32>) -> bool {
    column.iter().all(|value| *value == column[0])
}
