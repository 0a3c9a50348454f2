//! Causal variables of sequences: what CITRIS and BISCUIT print.

use super::Published;

/// All of them.
pub(super) fn all() -> impl Iterator<Item = Published> {
    PONG.iter().flat_map(pong).chain(VORONOI.iter().flat_map(voronoi))
}

/// What alignment and triplets call their numbers.
const NUMBERS: [&str; 5] =
    ["triplets", "r2_diagonal", "r2_separation", "spearman_diagonal", "spearman_separation"];

/// In the order of [`NUMBERS`].
const PONG: [(&str, [f64; 5]); 4] = [
    ("slow-vae", [0.34, 0.61, 0.17, 0.66, 0.23]),
    ("transition-ivae", [0.09, 0.91, 0.04, 0.92, 0.06]),
    ("citris-vae", [0.03, 0.99, 0.01, 0.99, 0.05]),
    ("citris-nf", [0.02, 1.00, 0.04, 1.00, 0.10]),
];

fn pong((model, numbers): &'static (&str, [f64; 5])) -> impl Iterator<Item = Published> {
    let source = "Lippe et al., CITRIS, ICML 2022, the authors' poster";
    NUMBERS.iter().zip(numbers).map(move |(&metric, &value)| Published {
        model,
        data: "pong",
        concepts: None,
        metric,
        value,
        error: 0.0,
        source,
    })
}

/// Which robot, and how many variables.
const SETTINGS: [&str; 4] = ["random, 6", "random, 9", "minimal, 6", "minimal, 9"];

/// R² on the diagonal and separation, in the order of [`SETTINGS`]. Heights of bars, measured to ±0.002.
const VORONOI: [(&str, [[f64; 2]; 4]); 4] = [
    ("transition-ivae", [[0.482, 0.232], [0.379, 0.234], [0.468, 0.245], [0.365, 0.221]]),
    ("leap", [[0.623, 0.356], [0.651, 0.351], [0.585, 0.314], [0.602, 0.296]]),
    ("dms", [[0.627, 0.311], [0.668, 0.306], [0.621, 0.264], [0.623, 0.257]]),
    ("biscuit-vae", [[0.989, 0.019], [0.985, 0.018], [0.989, 0.017], [0.984, 0.004]]),
];

fn voronoi((model, bars): &'static (&str, [[f64; 2]; 4])) -> impl Iterator<Item = Published> {
    let source = "Lippe et al., BISCUIT, UAI 2023, Figure 6 (bars measured)";
    let bars = SETTINGS.iter().zip(bars);
    let bar = move |(&setting, bars): (&&'static str, &[f64; 2])| {
        let named = [("r2_diagonal", bars[0]), ("r2_separation", bars[1])];
        named.map(|(metric, value)| Published {
            model,
            data: "voronoi",
            concepts: Some(setting),
            metric,
            value,
            error: 0.0,
            source,
        })
    };
    bars.flat_map(bar)
}
