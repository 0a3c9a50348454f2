//! Representations with a known answer: every metric says what it says of each of them. A metric
//! without a row here fails.

use ndarray::{Array2, Axis, concatenate};
use unbraid_measure::Error;
use unbraid_measure::factors::Factor;
use unbraid_measure::metrics::{self, METRICS};
use unbraid_measure::representation::Representation;
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::Stage;

/// What a metric must answer.
#[derive(Clone, Copy, Debug)]
enum Answer {
    /// A value between these.
    Between(f64, f64),
    /// `Error::Missing`.
    Refused,
}

use Answer::{Between, Refused};

const PERFECT: Answer = Between(0.999, 1.0);
/// As perfect, with quotients that may round up.
const NEARLY: Answer = Between(0.999, 1.0 + 1e-9);

/// Codes from the true values.
type Codes = fn(&Array2<f32>) -> Array2<f32>;

/// The columns of [`ANSWERS`].
const CASES: [(&str, Codes); 7] = [
    ("identity", Array2::clone),
    ("permuted", |f| f.select(Axis(1), &[2, 0, 3, 1])),
    ("flipped and scaled", |f| f * &ndarray::arr1(&[-1.0, 0.5, -40.0, 3.0])),
    ("constant", |f| Array2::from_elem((f.nrows(), 3), 0.7)),
    ("duplicated", |f| concatenate![Axis(1), *f, *f]),
    ("rotated", rotated),
    ("noise", noise),
];

/// One row per metric, in the order of [`CASES`]: identity, permuted, flipped and scaled, constant,
/// duplicated, two pairs of factors rotated by 45 degrees, noise.
const ANSWERS: &[(&str, [Answer; 7])] = &[
    (
        "mig",
        [
            PERFECT,
            PERFECT,
            PERFECT,
            Between(0.0, 0.0),
            // Two codes tell the same: no gap.
            Between(0.0, 1e-9),
            Between(0.0, 0.05),
            Between(0.0, 0.05),
        ],
    ),
    (
        "mig-continuous",
        [
            PERFECT,
            PERFECT,
            PERFECT,
            Between(0.0, 0.0),
            Between(0.0, 1e-9),
            Between(0.0, 0.05),
            Between(0.0, 0.05),
        ],
    ),
    (
        "aam",
        [
            PERFECT,
            PERFECT,
            PERFECT,
            Between(0.0, 0.0),
            Between(0.0, 1e-9),
            Between(0.0, 0.05),
            Between(0.0, 0.1),
        ],
    ),
    (
        "modularity",
        [
            PERFECT,
            PERFECT,
            PERFECT,
            // A code without information counts as 0.
            Between(0.0, 0.0),
            PERFECT,
            // Two factors of four alike: 1 - 1 / 3.
            Between(0.66, 0.68),
            Between(0.0, 0.6),
        ],
    ),
    (
        "unified",
        [
            PERFECT,
            PERFECT,
            PERFECT,
            Between(0.0, 0.0),
            PERFECT,
            // Each code tells two of four factors: 1 - ln 2 / ln 4.
            Between(0.49, 0.51),
            Between(0.0, 0.2),
        ],
    ),
    (
        "factor-vae-score",
        [
            PERFECT,
            PERFECT,
            PERFECT,
            Between(0.0, 0.0),
            PERFECT,
            // Either factor of a pair stills both codes alike: half of the votes are guessed.
            Between(0.4, 0.65),
            // Guessing one of four.
            Between(0.2, 0.4),
        ],
    ),
    (
        "mcc",
        [
            PERFECT,
            PERFECT,
            PERFECT,
            Refused,
            PERFECT,
            // cos 45 degrees.
            Between(0.70, 0.715),
            Between(0.0, 0.1),
        ],
    ),
    (
        "mcc-spearman",
        [PERFECT, PERFECT, PERFECT, Refused, PERFECT, Between(0.65, 0.75), Between(0.0, 0.1)],
    ),
    (
        "irs",
        [
            PERFECT,
            PERFECT,
            PERFECT,
            Between(0.0, 0.0),
            PERFECT,
            // Half of a code's range is left when one of its two factors is fixed.
            Between(0.49, 0.51),
            // The 99th percentile of normal noise as a share of its maximum.
            Between(0.2, 0.4),
        ],
    ),
    (
        "total-correlation",
        [
            Between(0.0, 1e-9),
            Between(0.0, 1e-9),
            Between(0.0, 1e-9),
            Refused,
            // Copies: infinite.
            Refused,
            // A rotation of equal variances has no correlation.
            Between(0.0, 1e-9),
            Between(0.0, 0.01),
        ],
    ),
    (
        "wasserstein",
        [
            Between(0.0, 1e-9),
            Between(0.0, 1e-9),
            Between(0.0, 1e-9),
            Between(0.0, 0.0),
            // Per factor of variance 5.25 (n / (n - 1)): 5.25 (4 - 2 √2).
            Between(24.60, 24.62),
            Between(0.0, 1e-6),
            Between(0.0, 0.01),
        ],
    ),
    (
        "mutual-info",
        [
            Between(0.0, 1e-9),
            Between(0.0, 1e-9),
            Between(0.0, 1e-9),
            Between(0.0, 0.0),
            // 8 of 56 pairs tell all of ln 8.
            Between(0.297, 0.298),
            // The sum and the difference of two factors are uncorrelated, not independent.
            Between(0.1, 0.5),
            Between(0.0, 0.05),
        ],
    ),
    ("mic", MIC),
    ("tic", TIC),
    ("mic-e", MIC),
    ("tic-e", TIC),
    (
        "alignment",
        [
            PERFECT,
            PERFECT,
            PERFECT,
            Between(0.0, 0.0),
            PERFECT,
            // Of a pair, each factor has one code, which tells half of it, or one of them has both
            // codes, which tell all of it.
            Between(0.48, 0.52),
            Between(-0.02, 0.02),
        ],
    ),
    (
        "sap",
        [
            // One straight line per value cannot cut out the six in the middle.
            Between(0.1, 0.3),
            Between(0.1, 0.3),
            Between(0.1, 0.3),
            Between(0.0, 0.0),
            Between(0.0, 0.0),
            Between(0.0, 0.05),
            Between(0.0, 0.05),
        ],
    ),
    (
        "sap-continuous",
        [
            PERFECT,
            PERFECT,
            PERFECT,
            Between(0.0, 0.0),
            Between(0.0, 1e-9),
            // Both codes of a pair explain half of either factor.
            Between(0.0, 1e-6),
            Between(0.0, 0.01),
        ],
    ),
    (
        "explicitness",
        // A rotation loses nothing.
        [PERFECT, PERFECT, PERFECT, Refused, PERFECT, PERFECT, Between(0.45, 0.55)],
    ),
    (
        "beta-vae-score",
        [
            PERFECT,
            PERFECT,
            PERFECT,
            // Guessing one of four.
            Between(0.22, 0.28),
            PERFECT,
            // Either factor of a pair stills both codes alike: half of the points are guessed.
            Between(0.45, 0.55),
            Between(0.22, 0.28),
        ],
    ),
    (
        "higgins-score",
        [
            PERFECT,
            PERFECT,
            PERFECT,
            Between(0.22, 0.28),
            PERFECT,
            Between(0.45, 0.55),
            Between(0.22, 0.28),
        ],
    ),
    (
        "downstream-lr",
        [
            Between(0.97, 1.0),
            Between(0.97, 1.0),
            // Where one code is eighty times another, the fit is stopped before it has arrived.
            Between(0.95, 1.0),
            // Guessing one of eight.
            Between(0.08, 0.16),
            Between(0.97, 1.0),
            Between(0.97, 1.0),
            Between(0.08, 0.16),
        ],
    ),
    (
        "dci",
        [
            PERFECT,
            PERFECT,
            PERFECT,
            Between(0.0, 0.0),
            // Two codes for one factor cost completeness only.
            PERFECT,
            // Two factors of four alike: 1 - ln 2 / ln 4.
            Between(0.45, 0.52),
            Between(0.0, 0.05),
        ],
    ),
    (
        "downstream-gbt",
        [
            PERFECT,
            PERFECT,
            PERFECT,
            // One value of eight.
            Between(0.1, 0.15),
            PERFECT,
            // Sum and difference tell both, though trees cut along one at a time.
            Between(0.8, 1.0),
            Between(0.1, 0.16),
        ],
    ),
    (
        "fairness",
        [
            // Predictions are right, and differ between groups by chance as the rows do.
            Between(0.0, 0.1),
            Between(0.0, 0.1),
            Between(0.0, 0.1),
            Between(0.0, 0.0),
            Between(0.0, 0.1),
            Between(0.0, 0.12),
            Between(0.0, 0.12),
        ],
    ),
    (
        "infomec",
        [
            // Of the other factors, chance is left.
            Between(0.98, 1.0),
            Between(0.98, 1.0),
            // Two codes have less than a twentieth of the largest range, and do not count.
            Between(0.98, 1.0),
            Refused,
            Between(0.98, 1.0),
            // Two factors of four alike: (1/2 - 1/4) / (1 - 1/4).
            Between(0.31, 0.35),
            // Not 0: chance is shared unequally.
            Between(0.3, 0.9),
        ],
    ),
    (
        "infomec-iqr",
        [
            Between(0.98, 1.0),
            Between(0.98, 1.0),
            Between(0.98, 1.0),
            Between(0.0, 0.0),
            Between(0.98, 1.0),
            Between(0.31, 0.35),
            Between(0.3, 0.9),
        ],
    ),
    (
        "infomec-discrete",
        // Noise has more values than a code with labels.
        [PERFECT, PERFECT, PERFECT, Refused, PERFECT, Between(0.33, 0.34), Refused],
    ),
    (
        "infomec-discrete-iqr",
        [PERFECT, PERFECT, PERFECT, Between(0.0, 0.0), PERFECT, Between(0.33, 0.34), Refused],
    ),
    (
        "r2",
        // A rotation is linear.
        [PERFECT, PERFECT, PERFECT, Between(0.0, 0.0), PERFECT, PERFECT, Between(0.0, 0.01)],
    ),
    (
        "r2-nonlinear",
        [
            PERFECT,
            PERFECT,
            PERFECT,
            Between(0.0, 0.0),
            PERFECT,
            // Trees cut along one code at a time.
            Between(0.9, 1.0),
            Between(0.0, 0.01),
        ],
    ),
    (
        "mcc-coverage",
        [
            PERFECT,
            PERFECT,
            PERFECT,
            Between(0.0, 0.0),
            PERFECT,
            // cos 45 degrees.
            Between(0.70, 0.715),
            Between(0.0, 0.1),
        ],
    ),
    (
        "mcc-crossfit",
        [
            NEARLY,
            NEARLY,
            NEARLY,
            Between(0.0, 0.0),
            NEARLY,
            Between(0.69, 0.725),
            // On other rows, the matching is of no use.
            Between(-0.05, 0.05),
        ],
    ),
    (
        "dci-regression",
        [
            PERFECT,
            PERFECT,
            PERFECT,
            Between(0.0, 0.0),
            PERFECT,
            // Two factors of four alike: 1 - ln 2 / ln 4.
            Between(0.45, 0.52),
            Between(0.0, 0.05),
        ],
    ),
    (
        "t-mex",
        [
            PERFECT,
            PERFECT,
            PERFECT,
            Between(0.0, 0.0),
            PERFECT,
            // What is rejected beside the matched pairs does not count.
            PERFECT,
            Between(0.0, 0.5),
        ],
    ),
    (
        "dci-es",
        [
            // One split tells two of eight values apart, three splits all: the curve is not flat.
            Between(0.97, 0.995),
            Between(0.97, 0.995),
            Between(0.97, 0.995),
            Refused,
            Between(0.97, 0.995),
            // Many splits are needed to follow the diagonals.
            Between(0.7, 0.97),
            Refused,
        ],
    ),
    (
        "dcimig",
        [NEARLY, NEARLY, NEARLY, Between(0.0, 0.0), NEARLY, Between(0.0, 0.05), Between(0.0, 0.05)],
    ),
    (
        "mig-sup",
        [NEARLY, NEARLY, NEARLY, Between(0.0, 0.0), NEARLY, Between(0.0, 0.05), Between(0.0, 0.05)],
    ),
    (
        "jemmig",
        [
            NEARLY,
            NEARLY,
            NEARLY,
            // A constant code has no noise: 1 - ln 8 / (ln 8 + ln 20).
            Between(0.590, 0.591),
            // The copy is as informative: the same.
            Between(0.590, 0.591),
            Between(0.1, 0.4),
            Between(0.05, 0.25),
        ],
    ),
    // There is only one model.
    ("udr", [Refused; 7]),
    ("udr-spearman", [Refused; 7]),
    // Codes and factors alone have no graphs.
    ("shd", [Refused; 7]),
];

/// A code that mixes two factors tells part of each, and more where rounding keeps sums apart that
/// should be equal; the best of many grids finds a little in noise.
const MIC: [Answer; 7] =
    [PERFECT, PERFECT, PERFECT, Between(0.0, 0.0), PERFECT, Between(0.35, 0.7), Between(0.0, 0.1)];

/// A grid whose bins do not fit the 8 values tells less than all.
const TIC: [Answer; 7] = [
    Between(0.98, 0.995),
    Between(0.98, 0.995),
    Between(0.98, 0.995),
    Between(0.0, 0.0),
    Between(0.98, 0.995),
    Between(0.25, 0.4),
    Between(0.0, 0.02),
];

#[test]
fn every_metric_gives_the_known_answers() {
    let factors = factors();
    for metric in METRICS {
        let name = metric.info().name;
        let (_, answers) = ANSWERS.iter().find(|(row, _)| *row == name).unwrap_or_else(|| {
            panic!("metric `{name}` has no row in tests/known_answers.rs: add what it should say")
        });
        for ((case, codes), answer) in CASES.iter().zip(answers) {
            let representation = representation(codes(&factors), factors.clone());
            let found = metric.score(&representation, &mut Rng::new(0), &Stage::unwatched());
            let right = match (&found, answer) {
                (Ok(score), Between(low, high)) => (*low..=*high).contains(&score.value),
                (Err(Error::Missing(_)), Refused) => true,
                _ => false,
            };
            assert!(right, "{name} of {case}: {found:?}, not {answer:?}");
        }
    }
}

#[test]
fn every_page_has_its_sections() {
    let sections = ["What it measures", "How", "Reading it", "Cautions", "Reference"];
    for metric in METRICS {
        let info = metric.info();
        let found: Vec<_> = info.page.lines().filter_map(|line| line.strip_prefix("## ")).collect();
        assert_eq!(found, sections, "the page of {}", info.name);
        assert!(info.page.lines().all(|line| line.chars().count() <= 100), "{}", info.name);
    }
}

/// All combinations of four factors with 8 values each, mean 0 and equal spread: 4096 rows.
fn factors() -> Array2<f32> {
    Array2::from_shape_fn((4096, 4), |(row, k)| (row / 8usize.pow(k as u32) % 8) as f32 - 3.5)
}

fn representation(codes: Array2<f32>, values: Array2<f32>) -> Representation<'static> {
    let eight = || (0..8).map(|value| value as f32 - 3.5);
    let factors = ["a", "b", "c", "d"].map(|name| Factor::discrete(name, eight()));
    Representation::new(codes, values, factors.into()).unwrap()
}

/// Factors 0 and 1, and 2 and 3, turned into each other by 45 degrees.
fn rotated(factors: &Array2<f32>) -> Array2<f32> {
    let h = 0.5f32.sqrt();
    let turn =
        ndarray::arr2(&[[h, h, 0.0, 0.0], [-h, h, 0.0, 0.0], [0.0, 0.0, h, h], [0.0, 0.0, -h, h]]);
    factors.dot(&turn)
}

fn noise(factors: &Array2<f32>) -> Array2<f32> {
    let mut rng = Rng::new(1);
    Array2::from_shape_simple_fn(factors.dim(), || rng.normal())
}

/// The reference divides by the entropy of a factor, or teaches a classifier one class.
#[test]
fn a_factor_that_never_changes_leaves_some_metrics_without_a_value() {
    let mut values = factors();
    values.column_mut(2).fill(1.5);
    let constant = representation(factors(), values);
    let score = |name: &str| {
        let metric = metrics::find(name).unwrap();
        metric.score(&constant, &mut Rng::new(0), &Stage::unwatched())
    };
    for name in ["mig", "dci", "sap", "sap-continuous", "explicitness", "mcc", "mcc-spearman"]
        .into_iter()
        .chain(["downstream-lr", "downstream-gbt", "fairness", "infomec", "infomec-iqr"])
        .chain(["infomec-discrete", "infomec-discrete-iqr", "dci-regression", "dci-es"])
        .chain(["dcimig", "mig-sup", "jemmig"])
    {
        let reason = score(name).unwrap_err().to_string();
        assert!(reason.contains("because factor `c` never changes"), "{name}: {reason}");
    }
    // Others have an answer: the column is left out, or does no harm.
    for name in ["factor-vae-score", "irs", "modularity", "mig-continuous"] {
        assert!(score(name).is_ok(), "{name}");
    }
    // Or it counts as not found, one factor of four, as in the reference.
    for name in ["r2", "r2-nonlinear", "mcc-coverage", "mcc-crossfit", "t-mex"] {
        let found = score(name).unwrap().value;
        assert!((found - 0.75).abs() < 1e-3, "{name}: {found}");
    }
}
