//! The table of the beta-VAE: Higgins et al., ICLR 2017.

use super::{Experiment, Methods, Number, Part, Shown};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "beta-vae-metric",
    summary: "which factor do two images share? The beta-VAE and its baselines by the Higgins score",
    reading: "\
The Higgins score on dSprites in percent: how often one layer of softmax tells, from how far apart the codes of pairs are,
which of four factors (scale, orientation, two positions) the pairs share; guessing gives 25. Shapes vary and are not asked for.
Mean and standard error over seeds. How large the paper's points and classifier are, and which of its trainings were counted,
is not known for certain, so numbers near the top and the bottom compare better than those between.

`accuracy` is the beta-VAE score, the same question with logistic regression trained to the end. Images are 32x32
in place of 64x64: with a quarter of the pixels beta = 4 weighs as much as 16 would there. VAE and beta-VAE
have the study's convolutions in place of the paper's dense layers, and train with Adam, for 5,000 steps. DC-IGN is told
which factor varies in a batch; all others but the ground truth see images alone.",
    quick: "1,500 steps",
    parts: &[Part {
        name: "dsprites",
        title: "dSprites",
        optional: false,
        seeds: "vary.seed",
        file: include_str!("beta-vae-metric.toml"),
        over: "",
        shown: Shown::Methods(Methods {
            data: &["dsprites"],
            concepts: Some("four factors"),
            methods: METHODS,
            metrics: NUMBERS,
        }),
    }],
};

const METHODS: &[(&str, Option<&str>)] = &[
    ("Ground truth", Some("truth")),
    ("Raw pixels", Some("raw")),
    ("PCA", Some("pca")),
    ("ICA", Some("ica")),
    ("VAE untrained", Some("untrained")),
    ("VAE", Some("vae")),
    ("beta-VAE", Some("beta-vae")),
    ("InfoGAN", Some("info-gan")),
    ("DC-IGN", Some("dc-ign")),
];

const NUMBERS: &[Number] = &[
    Number {
        title: "Higgins score",
        number: "higgins-score",
        published: "higgins-score",
        times: 100.0,
    },
    Number { title: "accuracy", number: "beta-vae-score", published: "", times: 100.0 },
    Number { title: "MIG", number: "mig", published: "", times: 100.0 },
    Number { title: "seconds", number: "seconds", published: "", times: 1.0 },
];
