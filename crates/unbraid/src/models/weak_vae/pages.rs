//! What `unbraid show` says of each member.

use unbraid_measure::info::Info;

pub(super) const ADA_GVAE: Info = Info {
    name: "ada-gvae",
    title: "Ada-GVAE",
    summary: "a VAE of pairs: what changed between two observations is found, the rest is shared",
    paper: "Locatello et al., Weakly-Supervised Disentanglement Without Compromises, ICML 2020",
    page: "\
## What it is
A variational autoencoder that sees pairs of observations which differ in a few factors, and is not
told which. Latents whose posteriors differ less than half way between the least and the most
different latent of the pair are taken as unchanged, and share one posterior: the average of means
and the average of variances. So what changes alone must have a latent of its own.

    L = 1/2 (rec_1 + rec_2) + beta/2 (KL_1 + KL_2)

## Settings
beta (1), difference (forward or symmetric: how two posteriors are compared), and those of `vae`:
latents, net, width, likelihood, noise. `train.changed` says in how many factors the pairs differ.

## What to expect
Far better disentanglement than any method without pairs, at no loss of reconstruction. `shared` in
the log is how many latents a pair shares.",
};

pub(super) const ADA_ML_VAE: Info = Info {
    name: "ada-ml-vae",
    title: "Ada-ML-VAE",
    summary: "as ada-gvae, but shared posteriors are joined like a product of two Gaussians",
    paper: "Locatello et al., Weakly-Supervised Disentanglement Without Compromises, ICML 2020",
    page: "\
## What it is
As `ada-gvae`; where a latent is shared, the more certain of the two posteriors counts more:

    mean = (m1/v1 + m2/v2) v1 v2 / (v1 + v2),   variance = 2 v1 v2 / (v1 + v2)

A product of Gaussians has half of that variance; the code of the paper has twice it, and so has
this.

## Settings
Those of `ada-gvae`.

## What to expect
Much as `ada-gvae`.",
};

pub(super) const GVAE: Info = Info {
    name: "gvae",
    title: "GVAE",
    summary: "a VAE of pairs that is told which factors changed; the rest is shared",
    paper: "Hosoya, Group-based Learning of Disentangled Representations, IJCAI 2019",
    page: "\
## What it is
As `ada-gvae`, but it is told which factors changed: latent k is that of factor k, and every latent but
those of the changed factors has the average of both posteriors.

## Settings
beta (1), and those of `vae`: latents, net, width, likelihood, noise. `train.changed` says in how many
factors the pairs differ. There should be as many latents as factors, or more.

## What to expect
Codes in the order of the factors. What to compare `ada-gvae` with: how much is lost by guessing.",
};

pub(super) const ML_VAE: Info = Info {
    name: "ml-vae",
    title: "ML-VAE",
    summary: "as gvae, but shared posteriors are joined like a product of two Gaussians",
    paper: "Bouchacourt et al., Multi-Level Variational Autoencoder, AAAI 2018",
    page: "\
## What it is
As `gvae`, with the average of `ada-ml-vae`.

## Settings
Those of `gvae`.

## What to expect
Much as `gvae`.",
};
