//! Parts of models of time: normalising flows, transition priors, the assignment of latents to
//! intervention targets, and what keeps it honest.

pub mod assignment;
pub mod classifier;
pub mod flow;
pub mod interaction;
pub mod masked;
pub mod per_latent;
pub mod sequence_vae;
pub mod targets;
pub mod transition;
