//! Labels of a few rows, beside many without: Locatello et al., Disentangling Factors of Variation
//! Using Few Labels, ICLR 2020.

use serde::{Deserialize, Serialize};

use super::{Drawn, lacking};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::factors::{Factor, Kind};
use crate::rng::Rng;

/// How many have labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SomeLabels {
    /// How many rows have labels; all of them if there are fewer.
    pub labelled: usize,
}

impl SomeLabels {
    /// A thousand rows.
    pub const DEFAULT: Self = Self { labelled: 1000 };

    pub(super) fn check(self, data: &dyn Dataset) -> Result<()> {
        if !data.factors().iter().any(|factor| factor.size().is_some()) {
            return Err(lacking("labels of discrete factors"));
        }
        match self.labelled {
            0 => Err(Error::setting("model.labelled", "must be at least 1")),
            _ => Ok(()),
        }
    }

    /// The rows with labels, the same in every step.
    pub(super) fn rows(self, data: &dyn Dataset, rng: &Rng) -> Vec<usize> {
        let mut rng = rng.split("labelled");
        if data.unlabelled() == 0 {
            return rng.distinct(self.labelled.min(data.len()), data.len());
        }
        let known: Vec<usize> = (0..data.len()).filter(|row| data.is_labelled(*row)).collect();
        let chosen = rng.distinct(self.labelled.min(known.len()), known.len());
        chosen.into_iter().map(|place| known[place]).collect()
    }
}

impl Default for SomeLabels {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// These rows, and as many labelled ones: round and round through all of them, step after step.
pub(super) fn draw(data: &dyn Dataset, rows: Vec<usize>, labelled: &[usize], step: u64) -> Drawn {
    let count = rows.len();
    let place = |k: usize| labelled[(step as usize * count + k) % labelled.len()];
    let second: Vec<usize> = (0..count).map(place).collect();
    let labels = second.iter().flat_map(|&row| places(data, row)).collect();
    Drawn { views: vec![rows, second], labels, ..Drawn::default() }
}

/// Where each value of a row stands among those of its factor: 0, 1/size, … Continuous factors are
/// left out.
fn places(data: &dyn Dataset, row: usize) -> Vec<f32> {
    let mut values = vec![0.0; data.factors().len()];
    data.values(row, &mut values);
    let place = |(value, factor): (&f32, &Factor)| match &factor.kind {
        Kind::Discrete(all) => {
            let place = all.iter().position(|other| other == value).unwrap_or_default();
            Some(place as f32 / all.len() as f32)
        }
        Kind::Continuous | Kind::Angle => None,
    };
    values.iter().zip(data.factors()).filter_map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::squares;
    use super::super::{Sampler, Supervision};
    use super::*;

    #[test]
    fn some_labels_are_those_of_a_fixed_few_rows() {
        let data = squares();
        let some = Supervision::SomeLabels(SomeLabels { labelled: 10 });
        let sampler = Sampler::new(&*data, some, false, Rng::new(0)).unwrap();
        let draw = sampler.draw(0, 25);
        assert_eq!((draw.views.len(), draw.labels.len()), (2, 25 * 4));
        assert_eq!(draw.labels[..40], draw.labels[40..80]);
        assert!(draw.labels.iter().all(|place| (0.0..1.0).contains(place)));
        assert_ne!(draw.labels, sampler.draw(1, 25).labels);
    }

    #[test]
    fn no_labels_at_all_are_refused() {
        let data = squares();
        let none = Supervision::SomeLabels(SomeLabels { labelled: 0 });
        let refused = Sampler::new(&*data, none, false, Rng::new(0)).err().unwrap().to_string();
        assert_eq!(refused, "setting `model.labelled` must be at least 1");
    }
}
