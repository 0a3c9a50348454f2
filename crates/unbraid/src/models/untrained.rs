//! A VAE as it is before training: what a score owes to the network and not to learning. The registry
//! has it as the entry of `vae` that takes no steps.

use unbraid_measure::info::Info;

/// What it is.
pub const INFO: Info = Info {
    name: "untrained",
    title: "Untrained VAE",
    summary: "baseline: a VAE before its first step",
    paper: "Higgins et al., beta-VAE, ICLR 2017",
    page: "\
## What it is
The networks of `vae` with the random weights they start from. Nothing is learned.

## Settings
Those of `vae`.

## What it is for
The floor of a network: what a score owes to the architecture alone. A method has to beat it.",
};
