//! Two observations that differ in a few factors: Locatello et al., Weakly-Supervised
//! Disentanglement Without Compromises, ICML 2020.

use serde::{Deserialize, Serialize};

use super::{Drawn, changes, lacking, movable};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::factors::Kind;
use crate::rng::Rng;
use crate::settings::words;

/// How pairs differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pairs {
    /// In how many factors a pair differs; 0 for a random number of them, but not all.
    pub changed: usize,
    /// How the values of these factors are drawn.
    #[serde(rename = "pairs")]
    pub rule: PairRule,
}

words! {
    /// How the values that change are drawn.
    pub enum PairRule {
        /// Every factor that changes gets another value.
        Exact = "exact",
        /// As the released code of the study does: in half of the pairs one factor changes, whatever
        /// `changed` says, and a factor that changes may get the value it had.
        Released = "released",
    }
}

impl Pairs {
    /// One factor, another value.
    pub const DEFAULT: Self = Self { changed: 1, rule: PairRule::Exact };

    pub(super) fn check(self, data: &dyn Dataset) -> Result<()> {
        let movable = movable(data).len();
        if !every_combination(data) || movable == 0 {
            return Err(lacking("pairs that share factor values"));
        }
        if self.changed > movable {
            let reason = format!("is {}, and only {movable} factors can change", self.changed);
            return Err(Error::setting("model.changed", reason));
        }
        Ok(())
    }

    /// These rows, each with a partner and the factors in which it differs.
    pub(super) fn draw(self, data: &dyn Dataset, rows: Vec<usize>, rng: &mut Rng) -> Drawn {
        let (mut partners, mut targets) = (Vec::new(), Vec::new());
        for &row in &rows {
            let other = self.partner(data, row, rng);
            targets.extend(changes(data, row, other));
            partners.push(other);
        }
        Drawn { views: vec![rows, partners], targets, ..Drawn::default() }
    }

    /// A row that differs from `row` in so many factors.
    pub fn partner(self, data: &dyn Dataset, row: usize, rng: &mut Rng) -> usize {
        let movable = movable(data);
        let released = self.rule == PairRule::Released;
        let mut changed = match self.changed {
            0 => 1 + rng.below(movable.len().saturating_sub(1).max(1)),
            changed => changed.min(movable.len()),
        };
        if released && rng.below(2) == 0 {
            changed = 1;
        }
        let mut values = vec![0.0; data.factors().len()];
        data.values(row, &mut values);
        for pick in rng.distinct(changed, movable.len()) {
            let factor = movable[pick];
            if let Kind::Discrete(choices) = &data.factors()[factor].kind {
                let now = values[factor];
                let may_be = |choice: &f32| released || *choice != now;
                let choices: Vec<f32> = choices.iter().copied().filter(may_be).collect();
                values[factor] = choices[rng.below(choices.len())];
            }
        }
        data.find(&values).expect("a data set that offers pairs has every combination")
    }
}

impl Default for Pairs {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Whether there is a row for every combination of values.
fn every_combination(data: &dyn Dataset) -> bool {
    let mut values = vec![0.0; data.factors().len()];
    data.values(0, &mut values);
    data.find(&values).is_some()
}

#[cfg(test)]
mod tests {
    use super::super::tests::squares;
    use super::super::{Sampler, Supervision};
    use super::*;
    use crate::settings;

    #[test]
    fn partners_differ_in_exactly_the_wanted_number_of_factors() {
        let data = squares();
        let mut rng = Rng::new(3);
        let (mut a, mut b) = ([0.0; 4], [0.0; 4]);
        for changed in 1..=4 {
            for row in [0, 17, 404] {
                data.values(row, &mut a);
                let pairs = Pairs { changed, ..Pairs::DEFAULT };
                data.values(pairs.partner(&*data, row, &mut rng), &mut b);
                assert_eq!(a.iter().zip(&b).filter(|(x, y)| x != y).count(), changed);
            }
        }
    }

    #[test]
    fn pairs_say_in_which_factors_they_differ() {
        let data = squares();
        let sampler =
            |pairs: Pairs| Sampler::new(&*data, Supervision::Pairs(pairs), false, Rng::new(0));
        let counts = |pairs: Pairs, count: usize| {
            let draw = sampler(pairs).unwrap().draw(0, count);
            let counts = draw.targets.chunks(4).map(|row| row.iter().sum::<f32>() as usize);
            counts.collect::<Vec<_>>()
        };
        for (changed, allowed) in [(1, 1..=1), (3, 3..=3), (0, 1..=3)] {
            let counts = counts(Pairs { changed, ..Pairs::DEFAULT }, 64);
            assert!(counts.iter().all(|count| allowed.contains(count)), "{counts:?}");
            let all_seen = allowed.clone().all(|count| counts.contains(&count));
            assert!(all_seen, "{counts:?}");
        }
        // As released, a new value may be the old one.
        let mut seen = counts(Pairs { changed: 2, rule: PairRule::Released }, 256);
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen, [0, 1, 2]);
        let refused = sampler(Pairs { changed: 9, ..Pairs::DEFAULT }).err().unwrap();
        assert!(refused.to_string().contains("only 4 factors can change"), "{refused}");
    }

    #[test]
    fn the_rule_is_a_word_and_a_wrong_one_is_answered_with_those_there_are() {
        let read = |text: &str| settings::parse::<Pairs>("model", &text.parse().unwrap());
        assert_eq!(read("").unwrap(), Pairs::DEFAULT);
        let released = Pairs { changed: 0, rule: PairRule::Released };
        assert_eq!(read("changed = 0\npairs = 'released'").unwrap(), released);
        assert_eq!(read(&settings::to_table(&released).to_string()).unwrap(), released);
        let refused = read("pairs = 'exakt'").unwrap_err().to_string();
        let answer = "cannot be \"exakt\"; did you mean `exact`? (known: exact, released)";
        assert_eq!(refused, format!("setting `model.pairs` {answer}"));
    }
}
