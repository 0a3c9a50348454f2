//! Reusable pieces of models: layers with seeded weights, networks, distributions, likelihoods.

pub mod correlation;
pub mod critic;
pub mod fitted;
pub mod gaussian;
pub mod labels;
pub mod layers;
pub mod likelihood;
pub mod linear;
pub mod mlp;
pub mod nets;
pub mod schedule;
pub mod segments;
