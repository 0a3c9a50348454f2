//! Table 1 of CausalVAE: Yang et al., CVPR 2021.

use super::{Experiment, Methods, Number, Part, Shown};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "causalvae-table1",
    summary: "codes of labelled concepts: MIC and TIC of CausalVAE and its baselines; the graph",
    reading: "\
MIC and TIC, in percent, of codes with the labels of their concepts: the mean over concepts of the best code, and
`own` of the concept's own codes; how the paper (Yang et al., CVPR 2021) put them together is not known. Mean and
standard error over seeds. `held out` are rows that were not trained on.

`spread` is how far codes may be from their labels, whose range is 2: 0.1 by default; the paper has 1, for labels in
units it does not state. An encoder that sees the labels can copy them, as CausalVAE's and ConditionVAE's do in the paper; `images alone`
are codes of an encoder that does not. Of the LadderVAE the paper says nothing but the name: ours has dense layers of four and two
latents, and the four are scored. The structural VAE is ours, and sees images alone. SHD counts the wrong edges
of the learned graph: from independencies of the labels, or from the paper's losses alone, starting from zero.",
    quick: "600 steps (1,000 of CelebA) and one seed",
    parts: &[
        Part {
            name: "simulated",
            title: "Pendulum and Flow",
            optional: false,
            seeds: "vary.seed",
            file: include_str!("causalvae.toml"),
            over: "",
            shown: Shown::Methods(Methods {
                data: &["pendulum", "flow"],
                concepts: None,
                methods: METHODS,
                metrics: NUMBERS,
            }),
        },
        faces("smile", "CelebA (SMILE)", include_str!("causalvae-smile.toml")),
        faces("beard", "CelebA (BEARD)", include_str!("causalvae-beard.toml")),
    ],
};

/// The same table for a set of attributes of faces, where those are on this machine.
const fn faces(concepts: &'static str, title: &'static str, file: &'static str) -> Part {
    let (methods, metrics) = (METHODS, NUMBERS);
    let shown = Methods { data: &["celeba"], concepts: Some(concepts), methods, metrics };
    let shown = Shown::Methods(shown);
    Part { name: concepts, title, optional: true, seeds: "vary.seed", file, over: "", shown }
}

const METHODS: &[(&str, Option<&str>)] = &[
    ("CausalVAE", Some("causal-vae")),
    ("CausalVAE, spread 1", None),
    ("CausalVAE, images alone", None),
    ("CausalVAE, graph from zero", None),
    ("ConditionVAE", Some("condition-vae")),
    ("beta-VAE", Some("beta-vae")),
    ("CausalVAE-unsup", Some("causal-vae-unsup")),
    ("LadderVAE", Some("ladder-vae")),
    ("Structural VAE", None),
];

const NUMBERS: &[Number] = &[
    Number { title: "MIC", number: "mic", published: "mic", times: 100.0 },
    Number { title: "TIC", number: "tic", published: "tic", times: 100.0 },
    Number { title: "own MIC", number: "mic of own codes", published: "", times: 100.0 },
    Number { title: "own TIC", number: "tic of own codes", published: "", times: 100.0 },
    Number { title: "MIC held out", number: "mic (held out)", published: "", times: 100.0 },
    Number { title: "TIC held out", number: "tic (held out)", published: "", times: 100.0 },
    Number { title: "SHD", number: "shd", published: "", times: 1.0 },
    Number { title: "seconds", number: "seconds", published: "", times: 1.0 },
];
