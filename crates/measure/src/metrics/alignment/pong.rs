//! Tests on a table like that of Interventional Pong: an angle and four numbers that the method was
//! to find, two scores that it was not, and all of them independent.

use std::f32::consts::TAU;

use super::*;
use crate::error::Error;
use crate::factors::Factor;

const NAMES: [&str; 7] = ["dir", "x", "y", "left", "right", "score-left", "score-right"];
const ROWS: usize = 6000;

/// Values, and codes made of them and of noise. The split leaves 4000 rows to learn from.
fn pong(codes: impl Fn([f32; 7], f32) -> Vec<f32>) -> Representation<'static> {
    let mut rng = Rng::new(0);
    let value = |(_, k): (usize, usize)| match k {
        0 => TAU * rng.uniform() as f32,
        1..5 => 2.0 * rng.uniform() as f32 - 1.0,
        _ => rng.below(5) as f32,
    };
    let values = Array2::from_shape_fn((ROWS, 7), value);
    let mut rng = Rng::new(1);
    let of_row = |row: ArrayView1<f32>| codes(std::array::from_fn(|k| row[k]), rng.normal());
    let codes: Vec<Vec<f32>> = values.rows().into_iter().map(of_row).collect();
    let codes = Array2::from_shape_fn((ROWS, codes[0].len()), |(row, j)| codes[row][j]);
    let factors = NAMES.into_iter().enumerate().map(|(k, name)| match k {
        0 => Factor::angle(name),
        1..5 => Factor::continuous(name),
        _ => Factor::discrete(name, (0..5).map(|score| score as f32)),
    });
    let mut table = Representation::new(codes, values, factors.collect()).unwrap();
    table.readings.targets = Some((0..7).map(|k| k < 5).collect());
    table
}

fn score(table: &Representation) -> Score {
    Alignment::BOUNDED.score(table, &mut Rng::new(1), &Stage::unwatched()).unwrap()
}

#[track_caller]
fn expect(score: &Score, parts: impl IntoIterator<Item = (impl AsRef<str>, f64, f64)>) {
    for (name, low, high) in parts {
        let name = name.as_ref();
        let found = score.part(name).unwrap_or_else(|| panic!("no {name}"));
        assert!((low..=high).contains(&found), "{name} is {found}: {:?}", score.parts);
    }
}

/// The codes of a method that found everything: the direction as a point, on a circle that is
/// stretched and not evenly paced, numbers bent, and what is no target in codes without a factor.
fn all_found() -> Representation<'static> {
    let mut table = pong(|[dir, x, y, left, right, one, two], noise| {
        let paced = dir + 0.6 * dir.sin();
        let circle = [3.0 * paced.sin(), 0.5 * paced.cos()];
        [&circle[..], &[x, y.powi(3) + y, left.exp(), -right, one + two, one - two, noise]].concat()
    });
    let own = [0, 0, 1, 2, 3, 4].map(Some);
    table.readings.blocks = Some([&own[..], &[None; 3]].concat());
    table
}

#[test]
fn a_method_that_finds_all_targets_is_perfect_and_the_scores_are_in_the_rest() {
    let found = score(&all_found());
    expect(&found, NAMES[..5].iter().map(|name| (format!("r2_diagonal/{name}"), 0.98, 1.0)));
    expect(&found, NAMES[..5].iter().map(|name| (format!("r2_rest/{name}"), -0.1, 0.05)));
    expect(&found, NAMES[5..].iter().map(|name| (format!("r2_rest/{name}"), 0.95, 1.0)));
    expect(
        &found,
        [
            ("r2_separation", -0.05, 0.05),
            ("r2_separation_all", -0.05, 0.05),
            ("spearman_diagonal", 0.98, 1.0),
            ("spearman_rest/score-left", 0.95, 1.0),
            ("codes/dir", 2.0, 2.0),
            ("codes_rest", 3.0, 3.0),
            ("r2/x/dir", -0.1, 0.05),
        ],
    );
    assert_eq!(found.value, found.part("r2_diagonal").unwrap());
}

#[test]
fn a_plain_circle_is_an_angle_and_a_constant_or_noise_tells_nothing_of_it() {
    let mut table = pong(|[dir, x, ..], noise| vec![dir.sin(), dir.cos(), x, 4.0, noise]);
    table.readings.blocks = Some(vec![Some(0), Some(0), Some(1), Some(2), Some(3)]);
    let found = score(&table);
    expect(
        &found,
        [
            ("r2/dir/dir", 0.99, 1.0),
            ("r2/y/dir", -0.05, 0.05),
            ("r2/left/dir", -0.1, 0.05),
            ("r2/y/y", -0.05, 0.05),
        ],
    );
    // From the sine alone, the direction is known up to a quarter of a turn: 1 - (1/12) / (1/3).
    let matrix = found.matrix.unwrap();
    assert!((matrix[[0, 0]] - 0.75).abs() < 0.02, "{matrix}");
    assert!(matrix[[3, 0]] <= 0.0 && matrix[[4, 0]] <= 0.0, "{matrix}");
}

#[test]
fn as_a_plain_number_the_same_direction_is_predicted_worse() {
    let mut table = pong(|[dir, ..], _| vec![dir.sin(), dir.cos()]);
    table.readings.targets = None;
    table.readings.blocks = Some(vec![Some(0); 2]);
    let as_angle = score(&table);
    table.factors[0] = Factor::continuous("dir");
    let as_number = score(&table);
    let [angle, number] = [as_angle, as_number].map(|found| found.part("r2_diagonal/dir").unwrap());
    assert!(angle > 0.99 && number < angle - 0.01, "{angle} {number}");
}

#[test]
fn codes_without_blocks_choose_among_all_factors_and_targets_alone_count() {
    let mut table = pong(|[dir, x, y, left, right, one, two], noise| {
        vec![dir.sin(), dir.cos(), x, y, left, right, one, two, noise]
    });
    let found = score(&table);
    expect(
        &found,
        [
            ("r2_diagonal", 0.98, 1.0),
            ("r2_separation_all", -0.05, 0.05),
            ("codes/dir", 2.0, 2.0),
            ("codes/score-left", 1.0, 1.0),
            ("codes_rest", 1.0, 1.0),
            // Codes that chose a score have a row, though they do not count.
            ("r2/score-left/score-left", 0.95, 1.0),
            ("r2_rest/score-left", -0.05, 0.05),
        ],
    );
    assert_eq!(found.part("r2_diagonal/score-left"), None);
    table.readings.targets = None;
    let all = score(&table);
    assert!(all.part("r2_diagonal/score-left").is_some());
    assert!(all.parts.iter().all(|(name, _)| !name.contains("rest") && !name.starts_with("r2/")));
}

#[test]
fn what_leaks_of_a_factor_that_is_no_target_counts_only_where_said() {
    let mut table = pong(|[dir, x, y, left, right, one, _], _| {
        vec![dir.sin(), dir.cos(), x, one, y, left, right]
    });
    // The set of x holds a score as well.
    table.readings.blocks = Some([0, 0, 1, 1, 2, 3, 4].map(Some).to_vec());
    let found = score(&table);
    expect(
        &found,
        [
            ("r2_separation", -0.05, 0.05),
            ("r2_separation/x", -0.1, 0.05),
            ("r2_separation_all/x", 0.95, 1.0),
            // One of five rows.
            ("r2_separation_all", 0.15, 0.25),
            ("codes_rest", 0.0, 0.0),
            ("r2_rest/x", 0.0, 0.0),
        ],
    );
}

#[test]
fn targets_that_do_not_fit_are_refused() {
    let mut table = pong(|[dir, ..], _| vec![dir]);
    let mut refused = |targets: Vec<bool>| {
        table.readings.targets = Some(targets);
        let metric = Alignment::BOUNDED;
        metric.score(&table, &mut Rng::new(0), &Stage::unwatched()).unwrap_err()
    };
    let error = refused(vec![true; 5]);
    assert!(error.to_string().contains("do not fit 7 factors"), "{error}");
    assert!(matches!(refused(vec![false; 7]), Error::Missing(_)));
}
