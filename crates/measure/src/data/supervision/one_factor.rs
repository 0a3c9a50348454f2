//! Batches in which one factor varies and the others stay, among ordinary ones: Kulkarni et al.,
//! Deep Convolutional Inverse Graphics Network, NIPS 2015.

use serde::{Deserialize, Serialize};

use super::{Drawn, lacking, movable};
use crate::data::Dataset;
use crate::error::Result;
use crate::factors::Kind;
use crate::rng::Rng;

/// How often everything varies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OneFactor {
    /// How many ordinary batches there are for each factor's one.
    pub ordinary: usize,
}

impl OneFactor {
    /// As many ordinary batches as there are of one factor.
    pub const DEFAULT: Self = Self { ordinary: 1 };

    pub(super) fn check(data: &dyn Dataset) -> Result<()> {
        match movable(data).first() {
            Some(&factor) if knows_itself(data, factor) => Ok(()),
            _ => Err(lacking("batches in which one factor varies and the others stay")),
        }
    }

    /// These rows, or as many that differ from the first in one factor, with the factors that vary.
    pub(super) fn draw(self, data: &dyn Dataset, mut rows: Vec<usize>, rng: &mut Rng) -> Drawn {
        let (movable, count) = (movable(data), rows.len());
        let kind = rng.below(movable.len() + self.ordinary);
        let factor = movable.get(kind).copied();
        if let Some(factor) = factor {
            rows = siblings(data, rows[0], factor, count, rng);
        }
        let varies = |k: usize| f32::from(u8::from(factor.is_none_or(|only| only == k)));
        let factors = data.factors().len();
        let targets = (0..count * factors).map(|k| varies(k % factors)).collect();
        Drawn { views: vec![rows], targets, ..Drawn::default() }
    }
}

impl Default for OneFactor {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Whether a row can be found by changing the value of a factor, were it only to what it is.
fn knows_itself(data: &dyn Dataset, factor: usize) -> bool {
    let mut values = vec![0.0; data.factors().len()];
    data.values(0, &mut values);
    data.with_value(0, factor, values[factor]) == Some(0)
}

/// So many rows like `row` but for one factor, whose value each draws anew.
fn siblings(
    data: &dyn Dataset,
    row: usize,
    factor: usize,
    count: usize,
    rng: &mut Rng,
) -> Vec<usize> {
    let Kind::Discrete(choices) = &data.factors()[factor].kind else { return vec![row; count] };
    // Of a part of the data some are missing, but never the row itself.
    let there = choices.iter().filter_map(|value| data.with_value(row, factor, *value));
    let there: Vec<usize> = there.collect();
    (0..count).map(|_| there[rng.below(there.len())]).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::squares;
    use super::super::{Draw, Sampler, Supervision, changes};
    use super::*;

    fn sampler(data: &dyn Dataset, ordinary: usize, seed: u64) -> Result<Sampler<'_>> {
        let one = Supervision::OneFactor(OneFactor { ordinary });
        Sampler::new(data, one, false, Rng::new(seed))
    }

    /// The factors in which the rows of a draw differ, 1 for each.
    fn varying(data: &dyn Dataset, rows: &[usize]) -> Vec<f32> {
        let all = rows.iter().map(|&row| changes(data, rows[0], row));
        all.reduce(|a, b| a.iter().zip(&b).map(|(a, b)| a.max(*b)).collect()).unwrap()
    }

    #[test]
    fn in_a_batch_of_one_factor_exactly_that_factor_varies() {
        let data = squares();
        let sampler = sampler(&*data, 0, 0).unwrap();
        let mut counts = [0; 4];
        for step in 0..400 {
            let draw = sampler.draw(step, 24);
            assert_eq!((draw.views.len(), draw.views[0].len()), (1, 24 * 256));
            assert_eq!((draw.rows.len(), draw.targets.len()), (24, 24 * 4));
            let told = &draw.targets[..4];
            assert_eq!(told.iter().sum::<f32>(), 1.0);
            assert!(draw.targets.chunks(4).all(|row| row == told));
            assert_eq!(varying(&*data, &draw.rows), told, "step {step}");
            counts[told.iter().position(|told| *told == 1.0).unwrap()] += 1;
        }
        assert!(counts.iter().all(|count| (70..130).contains(count)), "{counts:?}");
    }

    #[test]
    fn ordinary_batches_have_their_share_and_vary_in_every_factor() {
        let data = squares();
        for (ordinary, expected) in [(0, 0.0), (1, 0.2), (4, 0.5), (12, 0.75)] {
            let sampler = sampler(&*data, ordinary, 1).unwrap();
            let draws = (0..400).map(|step| sampler.draw(step, 16));
            let all: Vec<Draw> = draws.filter(|draw| draw.targets == [1.0; 64]).collect();
            assert!(all.iter().all(|draw| varying(&*data, &draw.rows) == [1.0; 4]));
            let share = all.len() as f64 / 400.0;
            assert!((share - expected).abs() < 0.08, "{ordinary}: {share}");
        }
    }

    #[test]
    fn batches_of_one_factor_depend_on_their_step_alone() {
        let data = squares();
        let sampler = sampler(&*data, 1, 0).unwrap();
        let first: Vec<Draw> = (0..6).map(|step| sampler.draw(step, 8)).collect();
        let backwards: Vec<Draw> = (0..6).rev().map(|step| sampler.draw(step, 8)).collect();
        assert!(first.iter().eq(backwards.iter().rev()));
        assert_ne!(first[0], first[1]);
    }

    #[test]
    fn what_is_hidden_stays_in_batches_of_one_factor_and_a_part_of_the_data_will_do() {
        for variant in ["{ hide = ['side'] }", "{ part = 'train' }"] {
            let asked: toml::Table = format!("variant = {variant}").parse().unwrap();
            let (data, _) = crate::data::open("squares", &asked).unwrap();
            let sampler = sampler(&*data, 0, 0).unwrap();
            for step in 0..50 {
                let draw = sampler.draw(step, 24);
                let factors = data.factors().len();
                let varied = varying(&*data, &draw.rows);
                let told = &draw.targets[..factors];
                assert!(varied.iter().zip(told).all(|(varied, told)| varied <= told), "{varied:?}");
                if variant.contains("hide") {
                    assert_eq!(varied, told);
                }
            }
        }
    }

    #[test]
    fn data_without_every_combination_have_no_batches_of_one_factor() {
        let pair = "{ factors = ['x', 'y'], sigma = 0.2 }";
        let variant: toml::Table = format!("variant = {{ correlate = [{pair}] }}").parse().unwrap();
        let (data, _) = crate::data::open("squares", &variant).unwrap();
        let refused = sampler(&*data, 1, 0).err().unwrap().to_string();
        assert!(refused.contains("one factor varies and the others stay"), "{refused}");
    }
}
