//! What an action does to a grid of codes: a graph over its cells, drawn anew for every image and action
//! (Gendron et al. 2023, CT-VAE).
//!
//! * `nodes`: a grid of codes as nodes with features.
//! * `mask`: which of them an action touches.
//! * `discoverer`: which nodes each of them depends on, one small network for every action.
//! * `choice`: yes or no from probabilities, with gradients.
//! * `graph_net`: messages along the edges.
//! * `costs`: what graphs cost.
//! * `modes`: what the rows of a batch teach.
//! * `transition`: all of it, from the codes before to the codes after.

pub mod choice;
pub mod costs;
pub mod discoverer;
pub mod graph_net;
pub mod mask;
pub mod modes;
pub mod nodes;
pub mod transition;

/// How what actions do is learned.
pub const RECIPE: &str = "\
[train]
steps = 20_000
batch = 64
learning_rate = { schedule = 'warmup', to = 1e-3, steps = 200 }";
