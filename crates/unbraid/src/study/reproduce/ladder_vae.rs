//! The tables of the Ladder VAE: Sønderby et al., NIPS 2016.

use super::{Depths, Experiment, Part, Shown};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "ladder-vae",
    summary: "layers of codes: bounds of log p(x) of the Ladder VAE and its baseline, by depth",
    reading: "\
The bound of log p(x) in nats by 5,000 importance samples, on held-out images drawn black or white once; higher is
better. BN: batch normalisation; WU: warm-up, beta from 0 to 1 in the first tenth of training. The VAE is
`hierarchical-vae`, the LVAE `ladder-vae`, with the layers and widths of the paper (Sønderby et al. 2016), which trains
for 2,000 epochs at a constant rate: here it is 6 epochs (Omniglot 14) with a rate that falls to nothing, 300 of the test images,
and one seed, so ours are lower than theirs, and to be compared with each other. Of MNIST the source has one number; its other values are
in a figure.

Omniglot is the 28x28 one that was imported, cut into train and test at random; the paper's split and its way of making
images small are not known to be the same.",
    quick: "705 steps (3 epochs of MNIST, 7 of Omniglot; the first fifth is warm-up), one and five layers, 1,000 draws for each of 200 images",
    parts: &[
        part("mnist", "MNIST", include_str!("ladder-vae-mnist.toml")),
        part("omniglot", "Omniglot", include_str!("ladder-vae-omniglot.toml")),
    ],
};

const fn part(data: &'static str, title: &'static str, file: &'static str) -> Part {
    let shown = Shown::Depths(Depths { data, methods: &METHODS });
    Part { name: data, title, optional: true, seeds: "vary.seed", file, over: "", shown }
}

const METHODS: [&str; 4] = ["VAE", "VAE +BN", "VAE +BN +WU", "LVAE +BN +WU"];
