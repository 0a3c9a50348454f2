//! Statistics the metrics share.

pub mod assignment;
pub mod bin_regression;
pub mod boosting;
pub mod classes;
pub mod column_order;
pub mod correlation;
pub mod covariance;
pub mod differences;
pub mod fast_ica;
pub mod graph_distance;
pub mod groups;
pub mod information;
pub mod lanes;
pub mod lasso;
pub mod lbfgs;
pub mod linear_svm;
pub mod logistic;
pub mod matrix_scores;
pub mod mine;
pub mod neighbours;
pub mod order;
pub mod pca;
pub mod perceptron;
pub mod roc_auc;
pub mod segment_flow;
pub mod subset_predictor;
