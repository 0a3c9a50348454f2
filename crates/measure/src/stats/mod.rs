//! Statistics the metrics share.

pub mod assignment;
pub mod classes;
pub mod column_order;
pub mod correlation;
pub mod differences;
pub mod groups;
pub mod information;
pub mod lanes;
pub mod lbfgs;
pub mod linear_svm;
pub mod logistic;
pub mod pca;
pub mod roc_auc;
