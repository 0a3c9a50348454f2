use super::*;
use crate::factors::Factor;
use crate::representation::grid;

fn measure(metric: InfoMec, table: &Representation) -> Result<Measured> {
    metric.measure(table, &Rng::new(0), &Stage::unwatched())
}

/// Two factors of four values, and codes made of them and of noise.
fn table(codes: impl Fn(f32, f32, &mut Rng) -> Vec<f32>) -> Representation<'static> {
    let mut rng = Rng::new(1);
    let mut rows = Vec::new();
    let values = Array2::from_shape_fn((800, 2), |(row, k)| [row % 4, row / 4 % 4][k] as f32);
    for row in values.rows() {
        rows.extend(codes(row[0], row[1], &mut rng));
    }
    let codes = Array2::from_shape_vec((800, rows.len() / 800), rows).unwrap();
    let four = |name: &str| Factor::discrete(name, (0..4).map(|value| value as f32));
    Representation::new(codes, values, vec![four("a"), four("b")]).unwrap()
}

#[test]
fn labels_by_hand() {
    // Code 0 is a; code 1 is whether b > 1: ln 2 of ln 4, and nothing about a.
    let half = table(|a, b, _| vec![a, f32::from(u8::from(b > 1.0))]);
    let found = measure(InfoMec::DISCRETE_RANGE, &half).unwrap();
    let expected = ndarray::array![[1.0, 0.0], [0.0, 0.5]];
    assert!((&found.information - &expected).iter().all(|off| off.abs() < 1e-12), "{found:?}");
    assert!((found.modularity.unwrap() - 1.0).abs() < 1e-12);
    assert!((found.compactness.unwrap() - 1.0).abs() < 1e-12);
    // Of b the classifier is left with one of two: ln 2 of ln 4.
    assert!((found.explicitness - 0.75).abs() < 2e-3, "{found:?}");
    // A code that is a + 4 b tells all of both: its larger share is a half, which is chance.
    let both = measure(InfoMec::DISCRETE_RANGE, &table(|a, b, _| vec![a + 4.0 * b, a])).unwrap();
    assert!((both.modularity.unwrap() - 0.5).abs() < 1e-12, "{both:?}");
    // a: two codes alike, 0; b: one code, 1.
    assert!((both.compactness.unwrap() - 0.5).abs() < 1e-12, "{both:?}");
}

#[test]
fn information_is_a_share_of_the_entropy_of_the_factor_and_not_of_the_code() {
    let fine = table(|a, b, rng| vec![a + 0.01 * rng.normal(), b + 0.01 * rng.normal()]);
    let found = measure(InfoMec::RANGE, &fine).unwrap();
    assert!(found.information.diag().iter().all(|n| (0.98..1.01).contains(n)), "{found:?}");
    assert!(found.modularity.unwrap() > 0.97 && found.explicitness > 0.99, "{found:?}");
}

#[test]
fn explicitness_looks_at_pruned_codes_too() {
    // b is in a code of a hundredth of the range of the other.
    let small = table(|a, b, _| vec![a, 0.01 * b]);
    let found = measure(InfoMec::RANGE, &small).unwrap();
    assert_eq!((found.active.clone(), found.compactness), (vec![0], None));
    assert!(found.explicitness > 0.99, "{found:?}");
    assert!(found.information[[1, 1]] > 0.9, "{found:?}");
}

#[test]
fn a_code_without_information_is_left_out_and_counted() {
    let mut with_noise = table(|a, b, rng| vec![a, b, rng.normal()]);
    // Exactly independent: the code counts rows in blocks of the whole grid.
    let mut codes = with_noise.codes.to_owned();
    codes.column_mut(2).iter_mut().enumerate().for_each(|(row, code)| *code = (row / 400) as f32);
    with_noise.codes = codes.into();
    let score = |metric: InfoMec, table: &Representation| {
        metric.score(table, &mut Rng::new(0), &Stage::unwatched())
    };
    let found = score(InfoMec::DISCRETE_RANGE, &with_noise).unwrap();
    assert_eq!(found.part("codes_without_information"), Some(1.0));
    assert!((found.value - 1.0).abs() < 1e-12);
    let nothing = Representation {
        codes: with_noise.codes.select(ndarray::Axis(1), &[2]).into(),
        ..with_noise
    };
    let reason = score(InfoMec::DISCRETE_RANGE, &nothing).unwrap_err().to_string();
    assert!(reason.contains("no active code is informative"), "{reason}");
}

#[test]
fn what_has_no_score_is_refused_with_the_way_out() {
    let reason = |metric: InfoMec, table: &Representation| {
        metric.score(table, &mut Rng::new(0), &Stage::unwatched()).unwrap_err().to_string()
    };
    let few = reason(InfoMec::RANGE, &grid([4, 4], 3, |[a, b]| vec![a, b]));
    assert!(few.contains("48 rows are too few"), "{few}");
    let one = reason(InfoMec::RANGE, &grid([4], 20, |[a]| vec![a, a]));
    assert!(one.contains("there is one only"), "{one}");
    let still = grid([4, 4], 10, |_| vec![1.0, 2.0]);
    assert!(reason(InfoMec::RANGE, &still).contains("no code is active"));
    let found = measure(InfoMec::IQR, &still).unwrap();
    assert_eq!((found.modularity, found.explicitness), (Some(0.0), 0.0));
    let fixed = reason(InfoMec::RANGE, &grid([4, 1], 20, |[a, b]| vec![a, b]));
    assert!(fixed.contains("factor `b` never changes"), "{fixed}");
    let numbers = table(|_, _, rng| vec![rng.normal(), 0.0]);
    let many = reason(InfoMec::DISCRETE_RANGE, &numbers);
    assert!(many.contains("code 0 has") && many.contains("use `infomec`"), "{many}");
}
