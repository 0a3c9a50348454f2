//! Statistics the metrics share.

pub mod assignment;
pub mod correlation;
pub mod information;
pub mod pca;
