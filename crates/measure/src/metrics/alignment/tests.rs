use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use ndarray::array;

use super::*;
use crate::error::Error;
use crate::factors::Factor;
use crate::watch::{Progress, Watch};

/// A narrow network and few steps, enough for lines.
const QUICK: Alignment = Alignment {
    relative: true,
    training: Training { hidden: 32, most_steps: 150, ..Training::BOUNDED },
};

/// Factors `a` and `b`, independent and uniform, and codes made of them.
fn table(codes: impl Fn(f32, f32, f32) -> Vec<f32>) -> Representation<'static> {
    let mut rng = Rng::new(0);
    let values = Array2::from_shape_simple_fn((900, 2), || 2.0 * rng.uniform() as f32 - 1.0);
    let rows = values.rows().into_iter();
    let codes: Vec<Vec<f32>> = rows.map(|v| codes(v[0], v[1], rng.normal())).collect();
    let codes = Array2::from_shape_fn((900, codes[0].len()), |(row, j)| codes[row][j]);
    Representation::new(codes, values, ["a", "b"].map(Factor::continuous).into()).unwrap()
}

fn score(table: &Representation) -> Score {
    QUICK.score(table, &mut Rng::new(1), &Stage::unwatched()).unwrap()
}

fn part(score: &Score, name: &str) -> f64 {
    score.part(name).unwrap_or_else(|| panic!("no {name}"))
}

#[test]
fn sets_of_codes_are_found_and_judged() {
    // Code 0 has b, codes 1 and 2 have a, and code 3 never changes.
    let found = score(&table(|a, b, _| vec![-3.0 * b, a, a.powi(3), 7.0]));
    assert!(found.value > 0.98, "{}", found.value);
    assert_eq!(found.value, part(&found, "r2_diagonal"));
    assert!(part(&found, "r2_separation") < 0.05, "{:?}", found.parts);
    assert!(part(&found, "spearman_diagonal") > 0.98);
    assert_eq!((part(&found, "codes/a"), part(&found, "codes/b")), (2.0, 1.0));
    let matrix = found.matrix.unwrap();
    assert!(matrix[[0, 1]] > 0.95 && matrix[[2, 0]] > 0.95, "{matrix}");
    assert!(matrix[[0, 0]] < 0.1 && matrix[[3, 1]] <= 0.0, "{matrix}");
}

#[test]
fn codes_that_tell_of_both_factors_are_not_separated() {
    let found = score(&table(|a, b, _| vec![a + 0.5 * b, b]));
    // Of a + b / 2, each factor explains its share of the variance: 0.8 and 0.2.
    assert!((part(&found, "r2_diagonal/a") - 0.8).abs() < 0.1, "{:?}", found.parts);
    assert!((part(&found, "r2_separation/a") - 0.2).abs() < 0.1);
    assert!(part(&found, "r2_separation/b") < 0.05);
    let mean = f64::midpoint(part(&found, "r2_separation/a"), part(&found, "r2_separation/b"));
    assert!((part(&found, "r2_separation") - mean).abs() < 1e-12);
}

#[test]
fn two_codes_tell_together_what_neither_tells_alone() {
    let mut together = table(|a, b, noise| vec![a + noise, noise, b]);
    together.readings.blocks = Some(vec![Some(0), None, Some(1)]);
    let found = score(&together);
    assert!(part(&found, "r2_diagonal/a") < 0.5, "{:?}", found.parts);
    together.readings.blocks = Some(vec![Some(0), Some(0), Some(1)]);
    let found = score(&together);
    assert!(part(&found, "r2_diagonal/a") > 0.95, "{:?}", found.parts);
    assert!(found.matrix.unwrap()[[1, 0]] < 0.1);
}

#[test]
fn given_blocks_are_judged_as_they_are() {
    let mut swapped = table(|a, b, noise| vec![b, a, noise]);
    swapped.readings.blocks = Some(vec![Some(0), Some(1), None]);
    let found = score(&swapped);
    assert!(found.value < 0.05 && part(&found, "r2_separation") > 0.95, "{:?}", found.parts);
    swapped.readings.blocks = Some(vec![None, None, Some(1)]);
    let found = score(&swapped);
    assert_eq!((part(&found, "r2_diagonal/a"), part(&found, "codes/a")), (0.0, 0.0));
    for wrong in [vec![Some(0)], vec![Some(0), Some(2), None]] {
        swapped.readings.blocks = Some(wrong);
        let error = QUICK.score(&swapped, &mut Rng::new(0), &Stage::unwatched()).unwrap_err();
        assert!(error.to_string().contains("do not fit 3 codes and 2 factors"), "{error}");
    }
}

#[test]
fn factors_that_never_change_are_left_out_and_one_alone_has_no_separation() {
    let mut half = table(|a, b, _| vec![a, b]);
    half.values.column_mut(1).fill(4.0);
    let found = score(&half);
    assert!(found.value > 0.98);
    assert!(
        found.parts.iter().all(|(name, _)| !name.contains("separation") && !name.ends_with('b'))
    );
    assert_eq!(found.matrix.unwrap().column(1), array![0.0, 0.0]);
    half.values.fill(1.0);
    let error = QUICK.score(&half, &mut Rng::new(0), &Stage::unwatched()).unwrap_err();
    assert!(matches!(error, Error::Missing(_)), "{error}");
}

#[test]
fn neither_the_order_of_codes_nor_threads_change_a_bit() {
    let one = table(|a, b, noise| vec![a, b + 0.3 * noise, a * b, noise]);
    let other = table(|a, b, noise| vec![noise, a * b, a, b + 0.3 * noise]);
    let (found, turned) = (score(&one), score(&other));
    assert_eq!(found.parts, turned.parts);
    assert_eq!(found.matrix.as_ref().unwrap().row(2), turned.matrix.unwrap().row(1));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(pool.install(|| score(&one)), found);
}

#[derive(Default)]
struct Witness {
    last: Mutex<f64>,
    stop: AtomicBool,
}

impl Watch for Witness {
    fn progress(&self, now: &Progress) {
        *self.last.lock().unwrap() = now.share;
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

#[test]
fn it_says_how_far_it_is_and_stops_when_told() {
    let witness = Witness::default();
    let stage = Stage::new(&witness, "alignment");
    let whole = table(|a, b, _| vec![a, b]);
    QUICK.score(&whole, &mut Rng::new(0), &stage).unwrap();
    assert!((*witness.last.lock().unwrap() - 1.0).abs() < 1e-3);
    witness.stop.store(true, Ordering::Relaxed);
    let found = QUICK.score(&whole, &mut Rng::new(0), &stage);
    assert!(matches!(found, Err(Error::Stopped)));
}
