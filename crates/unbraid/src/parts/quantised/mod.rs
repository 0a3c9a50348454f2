//! Images as grids of codes: each cell of a grid of features is the nearest vector of a codebook.

pub mod codebook;
pub mod nets;
pub mod quantised_net;
pub mod seeds;

/// How quantised models are trained.
pub const RECIPE: &str = "\
[train]
steps = 10_000
batch = 64
learning_rate = { schedule = 'warmup', to = 1e-3, steps = 100 }";
