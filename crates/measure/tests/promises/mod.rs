//! What a row of any data set, and of any variant of one, promises.

use unbraid_measure::data::{Dataset, Range};
use unbraid_measure::factors::Kind;

pub(crate) fn observation(data: &dyn Dataset, row: usize) -> Vec<f32> {
    // Filled with what is no number, so that a pixel left out is seen.
    let mut out = vec![f32::NAN; data.shape().size()];
    data.observe(row, &mut out);
    out
}

pub(crate) fn values(data: &dyn Dataset, row: usize) -> Vec<f32> {
    let mut out = vec![f32::NAN; data.factors().len()];
    data.values(row, &mut out);
    out
}

/// An observation of which every number is written, and in the range that is declared.
pub(crate) fn checked_observation(name: &str, data: &dyn Dataset, row: usize) -> Vec<f32> {
    let range = data.shape().range;
    let within = |number: &f32| match range {
        Range::Binary => *number == 0.0 || *number == 1.0,
        Range::Unit => (0.0..=1.0).contains(number),
        Range::Real => number.is_finite(),
    };
    let observation = observation(data, row);
    let outside = observation.iter().find(|number| !within(number));
    assert_eq!(outside, None, "{name} row {row} is not {range:?}");
    observation
}

/// Values are among those declared, and where rows are found by them, they lead back to theirs.
pub(crate) fn check_values(name: &str, data: &dyn Dataset, row: usize) {
    let values = values(data, row);
    for (value, factor) in values.iter().zip(data.factors()) {
        let declared = match &factor.kind {
            Kind::Discrete(values) => values.contains(value),
            Kind::Continuous | Kind::Angle => value.is_finite(),
        };
        assert!(declared, "{name} row {row}: {} cannot be {value}", factor.name);
    }
    if let Some(found) = data.find(&values) {
        assert_eq!(found, row, "{name}");
    }
}
