//! What `unbraid show` says of each member.

use unbraid_measure::info::Info;

pub(super) const ADA_GVAE: Info = Info {
    name: "ada-gvae",
    title: "Ada-GVAE",
    summary: "a VAE trained on pairs: infers which latents are unchanged and shares their posterior",
    paper: "Locatello et al., Weakly-Supervised Disentanglement Without Compromises, ICML 2020",
    page: "\
## What it is
A VAE trained on pairs of observations that differ in a few factors, without knowing which. Latents
whose posteriors have a KL divergence below the midpoint between the smallest and the largest of the
pair are taken as unchanged. They share one posterior, with the averages of means and of variances.
So what changes alone must have a latent of its own.

    L = 1/2 (rec_1 + rec_2) + beta/2 (KL_1 + KL_2)

## Settings
beta (1), difference (forward or symmetric: the direction of the KL divergence), and those of `vae`:
latents, net, width, likelihood, noise. `model.changed` is the number of factors in which pairs differ.

## What to expect
Far better disentanglement than any method without pairs, with no worse reconstructions. `shared` in
the log is the number of latents that a pair shares.",
};

pub(super) const ADA_ML_VAE: Info = Info {
    name: "ada-ml-vae",
    title: "Ada-ML-VAE",
    summary: "ada-gvae with shared posteriors averaged as a product of two Gaussians",
    paper: "Locatello et al., Weakly-Supervised Disentanglement Without Compromises, ICML 2020",
    page: "\
## What it is
As `ada-gvae`, but shared posteriors are averaged with precision weights:

    mean = (m1/v1 + m2/v2) v1 v2 / (v1 + v2),   variance = 2 v1 v2 / (v1 + v2)

A product of Gaussians has half of that variance; the paper's code has twice it, and so has this.

## Settings
Those of `ada-gvae`.

## What to expect
Much as `ada-gvae`.",
};

pub(super) const GVAE: Info = Info {
    name: "gvae",
    title: "GVAE",
    summary: "a VAE trained on pairs, told which factors changed; other latents share a posterior",
    paper: "Hosoya, Group-based Learning of Disentangled Representations, IJCAI 2019",
    page: "\
## What it is
As `ada-gvae`, but it knows which factors changed: latent k is that of factor k, and every latent but
those of the changed factors has the average of both posteriors.

## Settings
beta (1), and those of `vae`: latents, net, width, likelihood, noise. `model.changed` is the number of
factors in which pairs differ. There should be as many latents as factors, or more.

## What to expect
Latents in the order of the factors. Compare with `ada-gvae`: what is lost by inferring the change.",
};

pub(super) const ML_VAE: Info = Info {
    name: "ml-vae",
    title: "ML-VAE",
    summary: "gvae with shared posteriors averaged as a product of two Gaussians",
    paper: "Bouchacourt et al., Multi-Level Variational Autoencoder, AAAI 2018",
    page: "\
## What it is
As `gvae`, with the average of `ada-ml-vae`.

## Settings
Those of `gvae`.

## What to expect
Much as `gvae`.",
};
