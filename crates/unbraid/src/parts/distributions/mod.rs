//! Distributions: posteriors, likelihoods, and how the codes of a batch go together.

pub mod correlation;
pub mod gaussian;
pub mod likelihood;
