//! What does not change a score, and how noise does: one row per metric. A metric without a row
//! fails.

use ndarray::Array2;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use unbraid_measure::Error;
use unbraid_measure::factors::Factor;
use unbraid_measure::metrics::{self, METRICS};
use unbraid_measure::representation::Representation;
use unbraid_measure::rng::Rng;
use unbraid_measure::watch::Stage;

/// What a metric does not see in a code.
#[derive(Clone, Copy, PartialEq)]
enum Blind {
    /// A new scale and a new sign for each code.
    ScaleAndSign,
    /// A new scale for each code. The sign moves what lies on the border of two bins, or decides
    /// which of two equal cuts a tree takes.
    Scale,
    /// A new sign for each code.
    Sign,
    /// Neither; or it looks at something other than one table of codes.
    Nothing,
}

/// What noise does to it.
#[derive(Clone, Copy)]
enum Noise {
    /// The more noise there is in codes that were the factors, the lower it is; it falls by at
    /// least this between none and much.
    Lowers(f64),
    /// It has no such rule.
    Any,
}

use Blind::{Nothing, Scale, ScaleAndSign, Sign};
use Noise::{Any, Lowers};

const ROWS: &[(&str, Blind, Noise)] = &[
    ("beta-vae-score", Sign, Lowers(0.2)),
    ("higgins-score", Sign, Lowers(0.2)),
    ("factor-vae-score", ScaleAndSign, Lowers(0.2)),
    ("mig", Scale, Lowers(0.5)),
    ("mig-continuous", ScaleAndSign, Lowers(0.5)),
    ("aam", Scale, Lowers(0.3)),
    ("dci", Scale, Lowers(0.3)),
    ("sap", Sign, Lowers(0.3)),
    ("sap-continuous", ScaleAndSign, Lowers(0.5)),
    ("modularity", Scale, Lowers(0.1)),
    ("explicitness", ScaleAndSign, Lowers(0.2)),
    // Codes count as far as they reach.
    ("irs", Sign, Lowers(0.1)),
    ("unified", Scale, Lowers(0.3)),
    ("mcc", ScaleAndSign, Lowers(0.5)),
    ("mcc-spearman", ScaleAndSign, Lowers(0.5)),
    // A network is taught, from codes as they are.
    ("alignment", Nothing, Lowers(0.5)),
    ("mic", Scale, Lowers(0.5)),
    ("tic", Scale, Lowers(0.5)),
    ("mic-e", Scale, Lowers(0.5)),
    ("tic-e", Scale, Lowers(0.5)),
    ("downstream-lr", Sign, Lowers(0.3)),
    ("downstream-gbt", Scale, Lowers(0.3)),
    // Unfairness is a fault of predictors that work: noise takes it away, or brings it.
    ("fairness", Scale, Any),
    // Without factors: what noise does to factors that are independent already says nothing.
    ("total-correlation", ScaleAndSign, Any),
    ("wasserstein", Sign, Any),
    ("mutual-info", Scale, Any),
    // Codes are active by their range beside that of others.
    ("infomec", Sign, Lowers(0.1)),
    ("infomec-iqr", Sign, Lowers(0.1)),
    // Of labels, scales do not matter; noise makes more labels than it takes.
    ("infomec-discrete", ScaleAndSign, Any),
    ("infomec-discrete-iqr", Sign, Any),
    ("r2", ScaleAndSign, Lowers(0.5)),
    ("r2-nonlinear", Scale, Lowers(0.5)),
    ("mcc-coverage", ScaleAndSign, Lowers(0.5)),
    ("mcc-crossfit", ScaleAndSign, Lowers(0.5)),
    ("dci-regression", Scale, Lowers(0.3)),
    // A share of few pairs, some of them found by chance.
    ("t-mex", ScaleAndSign, Any),
    // Columns that tell alike are taken by their size; noise leaves nothing to score.
    ("dci-es", Nothing, Any),
    ("dcimig", Scale, Lowers(0.5)),
    ("mig-sup", Scale, Lowers(0.5)),
    ("jemmig", Scale, Lowers(0.3)),
    // Several tables, or graphs.
    ("udr", Nothing, Any),
    ("udr-spearman", Nothing, Any),
    ("shd", Nothing, Any),
];

fn row(name: &str) -> (Blind, Noise) {
    let row = ROWS.iter().find(|(row, _, _)| *row == name);
    let (_, blind, noise) = row.unwrap_or_else(|| {
        panic!("metric `{name}` has no row in tests/invariances.rs: add what it does not see")
    });
    (*blind, *noise)
}

fn score(name: &str, representation: &Representation) -> Option<f64> {
    let metric = metrics::find(name).unwrap();
    match metric.score(representation, &mut Rng::new(3), &Stage::unwatched()) {
        Ok(score) => Some(score.value),
        Err(Error::Missing(_)) => None,
        Err(other) => panic!("{name}: {other}"),
    }
}

/// Two factors, two codes that hold them with some noise, a third that holds both.
fn table(rows: usize, seed: u64) -> Representation<'static> {
    let mut rng = Rng::new(seed);
    let values = Array2::from_shape_fn((rows, 2), |(_, k)| rng.below(k + 3) as f32);
    let codes = Array2::from_shape_fn((rows, 3), |(row, j)| match j {
        2 => values[[row, 0]] + values[[row, 1]] + rng.normal(),
        j => values[[row, j]] + 0.5 * rng.normal(),
    });
    let name = |k: usize| Factor::discrete(format!("f{k}"), (0..k + 3).map(|v| v as f32));
    Representation::new(codes, values, (0..2).map(name).collect()).unwrap()
}

/// Each code times a factor of its own.
fn times(table: &Representation<'static>, factors: [f32; 3]) -> Representation<'static> {
    let codes = &table.codes * &ndarray::arr1(&factors);
    Representation { codes: codes.into(), ..table.clone() }
}

proptest! {
    // The same tables every time, so that a build does not fail by chance.
    #![proptest_config(ProptestConfig {
        cases: 6,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Scales are powers of two, so that every sum and quotient is rounded as before.
    #[test]
    fn a_score_does_not_see_what_its_row_says(
        seed in any::<u64>(),
        powers in prop::array::uniform3(-3..4_i32),
        signs in prop::array::uniform3(prop::sample::select(vec![-1.0_f32, 1.0])),
    ) {
        let table = table(90, seed);
        let scales = powers.map(|power| 2_f32.powi(power));
        let both = [0, 1, 2].map(|j| scales[j] * signs[j]);
        for metric in METRICS {
            let name = metric.info().name;
            let changed = match row(name).0 {
                ScaleAndSign => times(&table, both),
                Scale => times(&table, scales),
                Sign => times(&table, signs),
                Nothing => continue,
            };
            let (before, after) = (score(name, &table), score(name, &changed));
            let off = before.unwrap_or(-1.0) - after.unwrap_or(-1.0);
            prop_assert!(off.abs() < 1e-6, "{name}: {before:?} and {after:?}");
        }
    }
}

#[test]
fn noise_lowers_a_score() {
    let mut rng = Rng::new(5);
    let values = Array2::from_shape_fn((2000, 3), |_| rng.below(5) as f32);
    let noise = Array2::from_shape_simple_fn(values.dim(), || rng.normal());
    let five = |k| Factor::discrete(format!("f{k}"), (0..5).map(|v| v as f32));
    let with_noise = |share: f32| {
        let codes = &values + &(share * &noise);
        Representation::new(codes, values.clone(), (0..3).map(five).collect()).unwrap()
    };
    let tables = [0.05, 1.0, 4.0, 30.0].map(with_noise);
    for metric in METRICS {
        let name = metric.info().name;
        let Lowers(by) = row(name).1 else { continue };
        let found = tables.each_ref().map(|table| score(name, table).unwrap());
        // Drawing rows and training leave some chance in what is left of almost nothing.
        let falls = found.windows(2).all(|pair| pair[1] <= pair[0] + 0.03);
        assert!(falls && found[3] + by <= found[0], "{name}: {found:?}");
    }
}
