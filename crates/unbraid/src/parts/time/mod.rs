//! Parts of models of time: normalising flows, transition priors, the assignment of latents to
//! intervention targets, and what keeps it honest.

pub mod assignment;
pub mod autoregressive;
pub mod causal_prior;
pub mod classifier;
pub mod flow;
pub mod interaction;
pub mod masked;
pub mod per_latent;
pub mod sequence_flow;
pub mod sequence_vae;
pub mod targets;
pub mod transition;

/// How the models of CITRIS and BISCUIT are trained: as published, but with fewer steps of smaller batches.
pub const RECIPE: &str = "\
[train]
steps = 20_000
batch = 128
learning_rate = { schedule = 'warmup', to = 1e-3, steps = 100 }

[score]
metrics = ['alignment']
sampled = ['alignment']";
