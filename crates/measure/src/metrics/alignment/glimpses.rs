//! A quick look sees what a set holds.

use ndarray::Array2;

use super::glimpse;
use crate::factors::{Factor, Kind};
use crate::representation::Representation;
use crate::rng::Rng;

/// An angle and a number, and codes: sine and cosine of the angle, the number bent, and noise.
fn table(blocks: Option<Vec<Option<usize>>>) -> Representation<'static> {
    let mut rng = Rng::new(3);
    let values = Array2::from_shape_fn((1500, 2), |(_, k)| match k {
        0 => (rng.uniform() * std::f64::consts::TAU) as f32,
        _ => rng.uniform() as f32,
    });
    let codes = Array2::from_shape_fn((1500, 4), |(row, k)| match k {
        0 => values[[row, 0]].sin(),
        1 => values[[row, 0]].cos(),
        2 => (3.0 * values[[row, 1]]).exp(),
        _ => rng.normal(),
    });
    let kinds = [("angle", Kind::Angle), ("number", Kind::Continuous)];
    let factors =
        kinds.map(|(name, kind)| Factor { name: name.into(), kind, words: vec![] }).to_vec();
    let mut table = Representation::new(codes, values, factors).unwrap();
    table.readings.blocks = blocks;
    table
}

#[test]
fn what_a_set_holds_is_seen_and_what_it_does_not_is_not() {
    let right = vec![Some(0), Some(0), Some(1), None];
    for blocks in [None, Some(right)] {
        let found = glimpse(&table(blocks)).unwrap();
        assert!(found.iter().all(|(_, r2)| *r2 > 0.98), "{found:?}");
    }
    let wrong = vec![Some(1), Some(1), None, Some(0)];
    let found = glimpse(&table(Some(wrong))).unwrap();
    assert!(found.iter().all(|(_, r2)| *r2 < 0.1), "{found:?}");
    let none = glimpse(&table(Some(vec![None; 4]))).unwrap();
    assert_eq!(none, [(0, 0.0), (1, 0.0)]);
}
