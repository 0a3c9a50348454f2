//! Distributions: posteriors, likelihoods, and dependence between the latents of a batch.

pub mod correlation;
pub mod gaussian;
pub mod likelihood;
