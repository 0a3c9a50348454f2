//! Statistics the metrics share.

pub mod assignment;
pub mod bin_regression;
pub mod correlation;
pub mod covariance;
pub mod fast_ica;
pub mod graph_distance;
pub mod information;
pub mod lasso;
pub mod matrix_scores;
pub mod mine;
pub mod neighbours;
pub mod order;
pub mod pca;
pub mod perceptron;
pub mod subset_predictor;
