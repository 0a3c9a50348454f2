//! What holds for any representation: scores stay in their range, do not depend on the order of
//! codes, and repeat with the seed; information obeys its inequalities.

use ndarray::{Array2, Axis};
use proptest::prelude::*;
use unbraid_measure::Error;
use unbraid_measure::factors::Factor;
use unbraid_measure::metrics::{METRICS, Score};
use unbraid_measure::representation::Representation;
use unbraid_measure::rng::Rng;
use unbraid_measure::stats::information::{entropy, histogram_bins, mutual_information};
use unbraid_measure::watch::Stage;

/// Few rows, few values: small enough for accidents such as constant columns and rare values.
fn representations() -> impl Strategy<Value = Representation<'static>> {
    (2..60usize, 1..5usize, 1..4usize, any::<u64>(), 0.0..1.0f32).prop_map(
        |(rows, codes, factors, seed, signal)| {
            let mut rng = Rng::new(seed);
            let values = Array2::from_shape_fn((rows, factors), |(_, k)| rng.below(k + 2) as f32);
            let codes = Array2::from_shape_fn((rows, codes), |(row, j)| {
                signal * values[[row, j % factors]] + (1.0 - signal) * rng.normal()
            });
            let name = |k| Factor::discrete(format!("f{k}"), (0..k + 2).map(|v| v as f32));
            Representation::new(codes, values, (0..factors).map(name).collect()).unwrap()
        },
    )
}

/// The score, or `None` where the metric says that it does not apply.
fn score(name: &str, representation: &Representation) -> Option<Score> {
    let metric = unbraid_measure::metrics::find(name).unwrap();
    match metric.score(representation, &mut Rng::new(3), &Stage::unwatched()) {
        Ok(score) => Some(score),
        Err(Error::Missing(_)) => None,
        Err(other) => panic!("{name}: {other}"),
    }
}

fn with_codes(
    representation: &Representation<'static>,
    codes: Array2<f32>,
) -> Representation<'static> {
    Representation { codes: codes.into(), ..representation.clone() }
}

fn assert_same(name: &str, one: Option<Score>, other: Option<Score>) {
    let (one, other) = (one.map(|score| score.value), other.map(|score| score.value));
    let off = one.unwrap_or(-1.0) - other.unwrap_or(-1.0);
    assert!(off.abs() < 1e-5, "{name}: {one:?} and {other:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_score_is_in_its_range_and_repeats_with_its_seed(x in representations()) {
        for metric in METRICS {
            let name = metric.info().name;
            let first = score(name, &x);
            prop_assert_eq!(&first, &score(name, &x), "{} differs from itself", name);
            if let Some(found) = first {
                let (value, reading) = (found.value, metric.reading());
                let range = reading.low - 1e-9..=reading.high + 1e-9;
                prop_assert!(range.contains(&value), "{}: {}", name, value);
                let shape = found.matrix.map(|matrix| matrix.dim());
                prop_assert!(shape.is_none_or(|shape| shape == (x.codes.ncols(), x.factors.len())));
            }
        }
    }

    #[test]
    fn no_score_depends_on_the_order_of_codes(x in representations(), seed in any::<u64>()) {
        let order = Rng::new(seed).permutation(x.codes.ncols());
        let permuted = with_codes(&x, x.codes.select(Axis(1), &order));
        for metric in METRICS {
            let name = metric.info().name;
            assert_same(name, score(name, &x), score(name, &permuted));
        }
    }

    #[test]
    fn correlation_does_not_see_sign_and_scale(x in representations(), seed in any::<u64>()) {
        let mut rng = Rng::new(seed);
        let mut codes = x.codes.to_owned();
        for mut column in codes.columns_mut() {
            // A power of two: any other may round two neighbours to one number, and ranks change.
            let scale = 2f32.powi(rng.below(8) as i32 - 3) * [1.0, -1.0][rng.below(2)];
            column.mapv_inplace(|code| code * scale);
        }
        let scaled = with_codes(&x, codes);
        for name in ["mcc", "mcc-spearman", "mcc-coverage", "mcc-crossfit", "total-correlation"] {
            assert_same(name, score(name, &x), score(name, &scaled));
        }
    }

    #[test]
    fn information_is_symmetric_and_between_zero_and_the_smaller_entropy(
        pairs in prop::collection::vec((0..6u32, 0..9u32), 1..200)
    ) {
        let (a, b): (Vec<u32>, Vec<u32>) = pairs.into_iter().unzip();
        let information = mutual_information(&a, &b);
        prop_assert!((information - mutual_information(&b, &a)).abs() < 1e-12);
        prop_assert!(information >= 0.0);
        prop_assert!(information <= entropy(&a).min(entropy(&b)) + 1e-12);
        prop_assert!((mutual_information(&a, &a) - entropy(&a)).abs() < 1e-12);
    }

    #[test]
    fn a_bin_is_the_number_of_left_edges_at_or_below_the_value_less_one(
        start in -1e3..1e3f32, step in 0.0..2.0f32, values in prop::collection::vec(0..64u32, 1..100),
        bins in 1..65usize
    ) {
        // Equal steps put many values onto edges, where rounding decides.
        let column: Vec<f32> = values.iter().map(|&value| start + step * value as f32).collect();
        let low = f64::from(column.iter().copied().fold(f32::INFINITY, f32::min));
        let high = f64::from(column.iter().copied().fold(f32::NEG_INFINITY, f32::max));
        let margin = if low == high { 0.5 } else { 0.0 };
        let width = (high + margin - (low - margin)) / bins as f64;
        let edges: Vec<f64> = (0..bins).map(|i| i as f64 * width + (low - margin)).collect();
        let by_definition = |value: &f32| {
            edges.iter().filter(|edge| **edge <= f64::from(*value)).count() as u32 - 1
        };
        let expected: Vec<u32> = column.iter().map(by_definition).collect();
        prop_assert_eq!(histogram_bins(&column, bins), expected);
    }

    #[test]
    fn bins_keep_the_order_and_use_the_first_and_the_last(
        column in prop::collection::vec(-1e6..1e6f32, 2..100), bins in 1..30usize
    ) {
        let labels = histogram_bins(&column, bins);
        let mut rows: Vec<usize> = (0..column.len()).collect();
        rows.sort_by(|&i, &j| column[i].total_cmp(&column[j]));
        prop_assert!(rows.windows(2).all(|pair| labels[pair[0]] <= labels[pair[1]]));
        prop_assert!(labels.iter().all(|label| (*label as usize) < bins));
        if column[rows[0]] < column[rows[rows.len() - 1]] {
            prop_assert_eq!(labels[rows[0]], 0);
            prop_assert_eq!(labels[rows[rows.len() - 1]] as usize, bins - 1);
        }
    }
}
