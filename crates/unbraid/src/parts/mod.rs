//! Reusable pieces of models: layers with seeded weights, networks, distributions, likelihoods.

pub mod acyclic;
pub mod calibration;
pub mod canvas;
pub mod concept_nets;
pub mod concepts;
pub mod correlation;
pub mod critic;
pub mod fitted;
pub mod found_graph;
pub mod gaussian;
pub mod hierarchy;
pub mod labels;
pub mod layers;
pub mod likelihood;
pub mod linear;
pub mod mask;
pub mod mlp;
pub mod nets;
pub mod normalised;
pub mod schedule;
pub mod segments;
pub mod structure;
