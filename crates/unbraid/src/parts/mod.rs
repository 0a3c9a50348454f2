//! Reusable pieces of models: layers with seeded weights, networks, distributions, likelihoods.

pub mod gaussian;
pub mod layers;
pub mod likelihood;
pub mod nets;
