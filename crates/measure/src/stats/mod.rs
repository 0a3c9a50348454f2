//! Statistics the metrics share.

pub mod assignment;
pub mod boosting;
pub mod correlation;
pub mod covariance;
pub mod information;
pub mod lasso;
pub mod matrix_scores;
pub mod mine;
pub mod neighbours;
pub mod order;
pub mod pca;
