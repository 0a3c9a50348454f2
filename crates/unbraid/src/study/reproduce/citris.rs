//! Interventional Pong: the table of CITRIS (Lippe et al., ICML 2022).

use super::{Experiment, Methods, Number, Part, Shown};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "citris-pong",
    summary: "causal variables of Interventional Pong: SlowVAE, iVAE*, CITRIS-VAE, CITRIS-NF",
    reading: "\
How well the latents of each variable predict it on frames drawn independently: R2 and Spearman, the mean over the
five variables that are intervened on (`diagonal`, best 1), and how well they predict the best of the others
(`separation`, best 0; with the two scores, which no intervention touches). Latents belong to the variable that the
model gives them to, or else to the one that they predict best. `triplets` is how far an image mixed of two by
their latents is from the true mixture, read by a network that was taught on true images; `floor` is its own
error. Mean and standard error over seeds; published (the authors' poster) are 600 to 1,000 epochs of 100,000
frames with wider networks, without a spread.",
    quick: "3,000 steps and one seed: enough for the paddles, not for the ball",
    parts: &[Part {
        name: "pong",
        title: "Interventional Pong",
        optional: false,
        seeds: "vary.seed",
        file: include_str!("citris-pong.toml"),
        over: "",
        shown: Shown::Methods(Methods {
            data: &["pong"],
            concepts: None,
            methods: &[
                ("SlowVAE", Some("slow-vae")),
                ("iVAE*", Some("transition-ivae")),
                ("CITRIS-VAE", Some("citris-vae")),
                ("CITRIS-NF", Some("citris-nf")),
            ],
            metrics: &[
                number("R2 diagonal", "r2_diagonal (held out, sampled)", "r2_diagonal"),
                number("R2 separation", "r2_separation (held out, sampled)", "r2_separation"),
                number("Spearman diagonal", "spearman_diagonal (held out, sampled)", "spearman_diagonal"),
                number(
                    "Spearman separation",
                    "spearman_separation (held out, sampled)",
                    "spearman_separation",
                ),
                number("triplets", "triplets", "triplets"),
                number("floor", "triplets of true images", ""),
                number("seconds", "seconds", ""),
            ],
        }),
    }],
};

const fn number(title: &'static str, number: &'static str, published: &'static str) -> Number {
    Number { title, number, published, times: 1.0 }
}
