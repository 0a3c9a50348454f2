//! Voronoi: Figure 6 of BISCUIT (Lippe et al., UAI 2023).

use super::{Experiment, Methods, Number, Part, Shown};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "biscuit-voronoi",
    summary: "causal variables from the actions of a robot: iVAE and BISCUIT-VAE on Voronoi images",
    reading: "\
How well the latents of each variable predict it on frames drawn independently (R2 `diagonal`, best 1), and how well
they predict the best of the others (`separation`, best 0). Latents belong to the variable that they predict best.
`interaction F1` is how well the learned interactions tell which variables the robot touched (published: 98 % in
all settings). Mean and standard error over systems; published are bars measured in the drawing of Figure 6 to
±0.002, of 10 seeds and 150,000 frames. LEAP and DMS are not in unbraid.",
    quick: "3,000 steps and one system",
    parts: &[
        part("random-6", "Random robot, 6 variables", "random, 6", RANDOM_6),
        part("random-9", "Random robot, 9 variables", "random, 9", RANDOM_9),
        part("minimal-6", "Minimal robot, 6 variables", "minimal, 6", MINIMAL_6),
        part("minimal-9", "Minimal robot, 9 variables", "minimal, 9", MINIMAL_9),
    ],
};

const RANDOM_6: &str = "data = { interventions = 'random', variables = 6 }";
const RANDOM_9: &str = "data = { interventions = 'random', variables = 9 }";
const MINIMAL_6: &str = "data = { interventions = 'minimal', variables = 6 }";
const MINIMAL_9: &str = "data = { interventions = 'minimal', variables = 9 }";

const fn part(
    name: &'static str,
    title: &'static str,
    setting: &'static str,
    over: &'static str,
) -> Part {
    let file = include_str!("biscuit-voronoi.toml");
    let shown =
        Methods { data: &["voronoi"], concepts: Some(setting), methods: METHODS, metrics: NUMBERS };
    let shown = Shown::Methods(shown);
    Part { name, title, optional: false, seeds: "vary.data.seed", file, over, shown }
}

const METHODS: &[(&str, Option<&str>)] = &[
    ("iVAE", Some("transition-ivae")),
    ("LEAP", Some("leap")),
    ("DMS", Some("dms")),
    ("BISCUIT-VAE", Some("biscuit-vae")),
];

const NUMBERS: &[Number] = &[
    number("R2 diagonal", "r2_diagonal (held out, sampled)", "r2_diagonal"),
    number("R2 separation", "r2_separation (held out, sampled)", "r2_separation"),
    number("interaction F1", "interaction F1", ""),
    number("seconds", "seconds", ""),
];

const fn number(title: &'static str, number: &'static str, published: &'static str) -> Number {
    Number { title, number, published, times: 1.0 }
}
