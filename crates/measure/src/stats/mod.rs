//! Statistics the metrics share.

pub mod assignment;
pub mod classes;
pub mod column_order;
pub mod correlation;
pub mod covariance;
pub mod differences;
pub mod groups;
pub mod information;
pub mod lanes;
pub mod matrix_scores;
pub mod mine;
pub mod neighbours;
pub mod order;
pub mod roc_auc;
