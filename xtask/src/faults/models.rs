//! About ten kinds of models, as small as they can be: each trains within a fifth of a second.

use super::program::Words;

/// What every training has: few steps, and a checkpoint every second, so that faults also hit the writing.
pub(super) const STEPS: &str = "--set train.steps=6 --set train.batch=4 --set train.log_every=1 \
                                --set train.threads=1 --set train.checkpoint_every=2";

const SQUARES: &str = "--data squares --set data.variant.size=8";
const MIXING: &str =
    "--data mixing --set data.sources=2 --set data.segments=4 --set data.points=20";
const PONG: &str = "--data pong --set data.frames=40 --set data.variant.size=16";

/// A model by name, its data and its settings.
pub(super) struct Small(pub(super) &'static str, &'static str, &'static str);

/// One of each kind: with a decoder, an adversary, layers, concepts, labels, time, a codebook, a trained base, a closed
/// form.
pub(super) const MODELS: [Small; 12] = [
    Small("vae", SQUARES, "net=fc latents=2 width=4"),
    Small("beta-tc-vae", SQUARES, "net=fc latents=2 width=4"),
    Small("factor-vae", SQUARES, "net=fc latents=2 width=4 critic_width=8 critic_depth=2"),
    Small("ladder-vae", SQUARES, "layers=[4,2] widths=[8,4]"),
    Small(
        "causal-vae",
        "--data pendulum --set data.variant.size=16 --set data.variant.keep.pendulum='-4..4'",
        "width=8",
    ),
    Small("ivae", MIXING, "start=random width=4 latents=2"),
    Small("tcl", MIXING, "latents=2"),
    Small("citris-vae", PONG, "channels=2 latents=6 width=8"),
    Small("mcq-vae", "--data squares", "channels=4 codes=8 embedding=4 blocks=1"),
    Small(
        "citris-nf",
        PONG,
        "base.latents=4 base.channels=4 base.steps=4 base.batch=4 base.width=8",
    ),
    Small("info-gan", "--data squares", ""),
    Small("pca", SQUARES, "latents=2"),
];

impl Small {
    /// The command that trains it; it also goes on with a run that is there.
    pub(super) fn train(&self) -> Words {
        let Self(name, data, settings) = self;
        let line = format!("train --quiet --resume --out run --model {name} {data} {STEPS}");
        let settings = settings.split_whitespace();
        let settings = settings.flat_map(|set| ["--set".into(), format!("model.{set}")]);
        words(&line).into_iter().chain(settings).collect()
    }
}

/// The words of a line.
pub(super) fn words(line: &str) -> Words {
    line.split_whitespace().map(str::to_string).collect()
}
