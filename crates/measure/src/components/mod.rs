//! Components: linear and nonlinear maps that take mixed columns apart.

pub mod fast_ica;
pub mod pca;
pub mod segment_flow;
