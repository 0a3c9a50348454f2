//! A VAE at initialisation: the part of a score that is due to the architecture, not to learning.
//! In the registry it is the entry of `vae` that takes no steps.

use unbraid_measure::info::Info;

/// What it is.
pub const INFO: Info = Info {
    name: "untrained",
    title: "Untrained VAE",
    summary: "baseline: a VAE with its random initial weights",
    paper: "Higgins et al., beta-VAE, ICLR 2017",
    page: "\
## What it is
The networks of `vae` with their random initial weights. Nothing is learned.

## Settings
Those of `vae`.

## What it is for
The baseline of an architecture: the score without learning. A method has to beat it.",
};
