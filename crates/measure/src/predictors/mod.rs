//! Predictors and what fits them: linear models, trees, small networks, L-BFGS.

pub mod attribution;
pub mod bin_regression;
pub mod boosting;
pub mod discriminant;
pub mod forest;
pub mod lasso;
pub mod lbfgs;
pub mod least_squares;
pub mod linear_svm;
pub mod logistic;
pub mod perceptron;
pub mod subset_predictor;
pub mod wave_regression;
