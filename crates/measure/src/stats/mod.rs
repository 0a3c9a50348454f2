//! Statistics the metrics share.

// Views are `Copy` and are passed as slices are; the lint does not see it.
#![allow(clippy::needless_pass_by_value)]

pub mod assignment;
pub mod correlation;
pub mod information;
pub mod pca;
