//! Supervision: what a learner may see beside the observation, and how training examples are drawn.
//!
//! Rows are drawn independently and with replacement, as in the 12,600-model study. The draw of a
//! step is a function of the generator and the step alone, so a resumed run draws what it would
//! have drawn.

use std::fmt;

use crate::data::variant::binarized::binarize;
use crate::data::{Dataset, Range, Transition, observations};
use crate::error::{Error, Result};
use crate::factors::{Factor, Kind};
use crate::rng::Rng;

/// What a learner may see beside the observation. Closed on purpose: models match on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Supervision {
    /// Observations only.
    None,
    /// A label per observation: concepts, a segment, an environment.
    Labels,
    /// Labels of a few rows, beside many without.
    SomeLabels,
    /// Two observations that differ in a few factors.
    Pairs,
    /// Batches in which one factor varies and the others stay, among ordinary ones.
    OneFactor,
    /// Transitions with the factors that were intervened on.
    Targets,
    /// Transitions with what was done.
    Actions,
}

impl fmt::Display for Supervision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "none",
            Self::Labels => "labels",
            Self::SomeLabels => "some labels",
            Self::Pairs => "pairs",
            Self::OneFactor => "one factor at a time",
            Self::Targets => "targets",
            Self::Actions => "actions",
        })
    }
}

/// The examples of one step, as plain arrays. Which fields are filled follows the supervision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draw {
    /// How many examples.
    pub count: usize,
    /// The rows drawn, of the first view.
    pub rows: Vec<usize>,
    /// One for none, labels and one factor at a time, two for pairs and transitions, and for some
    /// labels the labelled ones second: `[count, numbers]` each.
    pub views: Vec<Vec<f32>>,
    /// `[count, label]`, or empty. Of some labels, the place of each factor's value among its
    /// values, from 0 to less than 1, of the second view.
    pub labels: Vec<f32>,
    /// `[count, factors]`, or empty; 1 where intervened, where a pair differs, or for the factors
    /// that vary in this batch.
    pub targets: Vec<f32>,
    /// `[count, action]`, or empty.
    pub actions: Vec<f32>,
}

/// How pairs, labelled rows and batches of one factor are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// In how many factors a pair differs; 0 for a random number of them, but not all.
    pub changed: usize,
    /// Draw pairs as the released code does: in half of them one factor changes, whatever
    /// `changed` says, and a factor that changes may get the value it had.
    pub released: bool,
    /// How many rows have labels, where only some have.
    pub labelled: usize,
    /// Draw each number of an observation to be 0 or 1, with the chance it says, at every look.
    pub binarize: bool,
    /// How many ordinary batches there are for each factor's one, where one factor varies at a
    /// time.
    pub ordinary: usize,
}

impl Default for Rules {
    fn default() -> Self {
        Self { changed: 1, released: false, labelled: 1000, ordinary: 1, binarize: false }
    }
}

/// Draws training examples with the supervision a model asks for.
pub struct Sampler<'a> {
    data: &'a dyn Dataset,
    supervision: Supervision,
    rules: Rules,
    /// The rows with labels, where only some have.
    labelled: Vec<usize>,
    rng: Rng,
}

impl<'a> Sampler<'a> {
    /// Refuses here, not at step 900, if the data set cannot give this supervision.
    pub fn new(
        data: &'a dyn Dataset,
        supervision: Supervision,
        rules: Rules,
        rng: Rng,
    ) -> Result<Self> {
        if data.is_empty() {
            return Err(Error::Missing(
                "the data set has no rows; there is nothing to train on".into(),
            ));
        }
        let lacking = match supervision {
            Supervision::None => None,
            Supervision::Labels => data.label(0).is_none().then_some("labels"),
            Supervision::SomeLabels => {
                let known = data.factors().iter().any(|factor| factor.size().is_some());
                (!known).then_some("labels of discrete factors")
            }
            Supervision::Pairs => (!shares(data)).then_some("pairs that share factor values"),
            Supervision::OneFactor => {
                let known = movable(data).first().is_some_and(|&factor| knows_itself(data, factor));
                (!known).then_some("batches in which one factor varies and the others stay")
            }
            Supervision::Targets => {
                let known = first_step(data).is_some_and(|step| !step.targets.is_empty());
                (!known).then_some("transitions with intervention targets")
            }
            Supervision::Actions => {
                let known = first_step(data).is_some_and(|step| !step.action.is_empty());
                (!known).then_some("transitions with actions")
            }
        };
        if rules.binarize && data.shape().range == Range::Real {
            let reason = "is for numbers from 0 to 1, which these data do not have";
            return Err(Error::setting("train.binarize", reason));
        }
        let movable = movable(data).len();
        if supervision == Supervision::Pairs && lacking.is_none() && rules.changed > movable {
            let reason = format!("is {}, and only {movable} factors can change", rules.changed);
            return Err(Error::setting("train.changed", reason));
        }
        let labelled = match supervision {
            Supervision::SomeLabels => {
                let count = rules.labelled.min(data.len());
                rng.split("labelled").distinct(count, data.len())
            }
            _ => vec![],
        };
        match lacking {
            None => Ok(Self { data, supervision, rules, labelled, rng }),
            Some(what) => Err(Error::Missing(format!(
                "this model learns from {what}, which the data set cannot give; choose another \
                 model or other data"
            ))),
        }
    }

    /// A row at random; of transitions, one that something follows.
    fn row(&self, rng: &mut Rng) -> usize {
        let timed = matches!(self.supervision, Supervision::Targets | Supervision::Actions);
        loop {
            let row = rng.below(self.data.len());
            if !timed || self.data.next(row).is_some() {
                return row;
            }
        }
    }

    /// The examples of one step.
    pub fn draw(&self, step: u64, count: usize) -> Draw {
        let mut rng = self.rng.at(step);
        let mut rows: Vec<usize> = (0..count).map(|_| self.row(&mut rng)).collect();
        let mut draw = Draw { count, ..Draw::default() };
        let mut partners = Vec::new();
        match self.supervision {
            Supervision::None => {}
            Supervision::Labels => {
                draw.labels =
                    rows.iter().filter_map(|&row| self.data.label(row)).flatten().collect();
            }
            Supervision::SomeLabels => {
                // Round and round through the labelled rows, as many as there are fresh ones.
                let place =
                    |k: usize| self.labelled[(step as usize * count + k) % self.labelled.len()];
                partners = (0..count).map(place).collect();
                draw.labels = partners.iter().flat_map(|&row| places(self.data, row)).collect();
            }
            Supervision::Pairs => {
                for &row in &rows {
                    let other = partner(self.data, row, self.rules, &mut rng);
                    draw.targets.extend(changes(self.data, row, other));
                    partners.push(other);
                }
            }
            Supervision::OneFactor => {
                let movable = movable(self.data);
                let kind = rng.below(movable.len() + self.rules.ordinary);
                let factor = movable.get(kind).copied();
                if let Some(factor) = factor {
                    rows = siblings(self.data, rows[0], factor, count, &mut rng);
                }
                let varies = |k: usize| f32::from(u8::from(factor.is_none_or(|only| only == k)));
                let factors = self.data.factors().len();
                draw.targets = (0..count * factors).map(|k| varies(k % factors)).collect();
            }
            Supervision::Targets | Supervision::Actions => {
                for step in rows.iter().filter_map(|&row| self.data.next(row)) {
                    partners.push(step.index);
                    draw.targets.extend(step.targets);
                    draw.actions.extend(step.action);
                }
            }
        }
        for view in [&rows, &partners].into_iter().filter(|view| !view.is_empty()) {
            let mut numbers = observations(self.data, view).into_raw_vec_and_offset().0;
            if self.rules.binarize {
                binarize(&mut numbers, &mut rng);
            }
            draw.views.push(numbers);
        }
        draw.rows = rows;
        draw
    }
}

fn first_step(data: &dyn Dataset) -> Option<Transition> {
    (0..data.len()).find_map(|row| data.next(row))
}

/// Whether there is a row for every combination of values, and a factor with a second value to
/// change to.
fn shares(data: &dyn Dataset) -> bool {
    let mut values = vec![0.0; data.factors().len()];
    data.values(0, &mut values);
    data.find(&values).is_some() && !movable(data).is_empty()
}

/// Whether a row can be found by changing the value of a factor, were it only to what it is.
fn knows_itself(data: &dyn Dataset, factor: usize) -> bool {
    let mut values = vec![0.0; data.factors().len()];
    data.values(0, &mut values);
    data.with_value(0, factor, values[factor]) == Some(0)
}

/// The factors that have a second value to change to.
fn movable(data: &dyn Dataset) -> Vec<usize> {
    let factors = data.factors().iter().enumerate();
    factors
        .filter(|(_, factor)| factor.size().is_some_and(|size| size > 1))
        .map(|(k, _)| k)
        .collect()
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
        Kind::Continuous => None,
    };
    values.iter().zip(data.factors()).filter_map(place).collect()
}

/// 1 for each factor in which two rows differ.
fn changes(data: &dyn Dataset, row: usize, other: usize) -> Vec<f32> {
    let [mut before, mut after] =
        [vec![0.0; data.factors().len()], vec![0.0; data.factors().len()]];
    data.values(row, &mut before);
    data.values(other, &mut after);
    before.iter().zip(&after).map(|(a, b)| f32::from(u8::from(a != b))).collect()
}

/// A row that differs from `row` by the rules: exactly, in so many factors, each set to another of its
/// values.
pub fn partner(data: &dyn Dataset, row: usize, rules: Rules, rng: &mut Rng) -> usize {
    let movable = movable(data);
    let mut changed = match rules.changed {
        0 => 1 + rng.below(movable.len().saturating_sub(1).max(1)),
        changed => changed.min(movable.len()),
    };
    if rules.released && rng.below(2) == 0 {
        changed = 1;
    }
    let mut values = vec![0.0; data.factors().len()];
    data.values(row, &mut values);
    for pick in rng.distinct(changed, movable.len()) {
        let factor = movable[pick];
        if let Kind::Discrete(choices) = &data.factors()[factor].kind {
            let now = values[factor];
            let may_be = |choice: &f32| rules.released || *choice != now;
            let choices: Vec<f32> = choices.iter().copied().filter(may_be).collect();
            values[factor] = choices[rng.below(choices.len())];
        }
    }
    data.find(&values).expect("a data set that offers pairs has every combination")
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
    use super::*;

    fn squares() -> Box<dyn Dataset> {
        let source = crate::data::find("squares").unwrap();
        (source.open)(&toml::Table::new()).unwrap().0
    }

    #[test]
    fn the_draw_of_a_step_does_not_depend_on_other_steps() {
        let data = squares();
        let sampler =
            Sampler::new(&*data, Supervision::Labels, Rules::default(), Rng::new(0)).unwrap();
        let draw = sampler.draw(5, 8);
        sampler.draw(6, 3);
        assert_eq!(sampler.draw(5, 8), draw);
        assert_ne!(sampler.draw(6, 8).rows, draw.rows);
        assert_eq!((draw.views.len(), draw.views[0].len(), draw.labels.len()), (1, 8 * 256, 32));
    }

    #[test]
    fn partners_differ_in_exactly_the_wanted_number_of_factors() {
        let data = squares();
        let mut rng = Rng::new(3);
        let (mut a, mut b) = ([0.0; 4], [0.0; 4]);
        for changed in 1..=4 {
            for row in [0, 17, 404] {
                data.values(row, &mut a);
                let rules = Rules { changed, ..Rules::default() };
                data.values(partner(&*data, row, rules, &mut rng), &mut b);
                assert_eq!(a.iter().zip(&b).filter(|(x, y)| x != y).count(), changed);
            }
        }
    }

    #[test]
    fn missing_supervision_is_refused_before_training() {
        let data = squares();
        let refused = Sampler::new(&*data, Supervision::Actions, Rules::default(), Rng::new(0))
            .err()
            .unwrap();
        assert!(refused.to_string().contains("transitions with actions"), "{refused}");
    }

    #[test]
    fn pairs_say_in_which_factors_they_differ() {
        let data = squares();
        for (changed, allowed) in [(1, 1..=1), (3, 3..=3), (0, 1..=3)] {
            let rules = Rules { changed, ..Rules::default() };
            let sampler = Sampler::new(&*data, Supervision::Pairs, rules, Rng::new(0)).unwrap();
            let draw = sampler.draw(0, 64);
            let counts = draw.targets.chunks(4).map(|row| row.iter().sum::<f32>() as usize);
            let counts: Vec<usize> = counts.collect();
            assert!(counts.iter().all(|count| allowed.contains(count)), "{counts:?}");
            let all_seen = allowed.clone().all(|count| counts.contains(&count));
            assert!(all_seen, "{counts:?}");
        }
        // As released, a new value may be the old one.
        let rules = Rules { changed: 2, released: true, ..Rules::default() };
        let sampler = Sampler::new(&*data, Supervision::Pairs, rules, Rng::new(0)).unwrap();
        let draw = sampler.draw(0, 256);
        let counts = draw.targets.chunks(4).map(|row| row.iter().sum::<f32>() as usize);
        let mut seen: Vec<usize> = counts.collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen, [0, 1, 2]);
        let rules = Rules { changed: 9, ..Rules::default() };
        let refused = Sampler::new(&*data, Supervision::Pairs, rules, Rng::new(0)).err().unwrap();
        assert!(refused.to_string().contains("only 4 factors can change"), "{refused}");
    }

    #[test]
    fn each_look_at_grey_is_another_draw_of_black_and_white() {
        let data = squares();
        let rules = Rules { binarize: true, ..Rules::default() };
        let sampler = Sampler::new(&*data, Supervision::None, rules, Rng::new(0)).unwrap();
        let (first, other) = (sampler.draw(0, 405), sampler.draw(1, 405));
        assert_eq!(first, sampler.draw(0, 405));
        assert!(first.views[0].iter().all(|number| [0.0, 1.0].contains(number)));
        let image = |draw: &Draw, row: usize| {
            let place = draw.rows.iter().position(|drawn| *drawn == row)?;
            Some(draw.views[0][place * 256..(place + 1) * 256].to_vec())
        };
        let differs =
            |row: usize| image(&first, row).zip(image(&other, row)).is_some_and(|(a, b)| a != b);
        assert!((0..405).any(differs), "no row was drawn anew");
    }

    #[test]
    fn some_labels_are_those_of_a_fixed_few_rows() {
        let data = squares();
        let rules = Rules { labelled: 10, ..Rules::default() };
        let sampler = Sampler::new(&*data, Supervision::SomeLabels, rules, Rng::new(0)).unwrap();
        let draw = sampler.draw(0, 25);
        assert_eq!((draw.views.len(), draw.labels.len()), (2, 25 * 4));
        assert_eq!(draw.labels[..40], draw.labels[40..80]);
        assert!(draw.labels.iter().all(|place| (0.0..1.0).contains(place)));
        assert_ne!(draw.labels, sampler.draw(1, 25).labels);
    }

    /// The factors in which the rows of a draw differ, 1 for each.
    fn varying(data: &dyn Dataset, rows: &[usize]) -> Vec<f32> {
        let all = rows.iter().map(|&row| changes(data, rows[0], row));
        all.reduce(|a, b| a.iter().zip(&b).map(|(a, b)| a.max(*b)).collect()).unwrap()
    }

    #[test]
    fn in_a_batch_of_one_factor_exactly_that_factor_varies() {
        let data = squares();
        let rules = Rules { ordinary: 0, ..Rules::default() };
        let sampler = Sampler::new(&*data, Supervision::OneFactor, rules, Rng::new(0)).unwrap();
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
            let rules = Rules { ordinary, ..Rules::default() };
            let sampler = Sampler::new(&*data, Supervision::OneFactor, rules, Rng::new(1)).unwrap();
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
        let sampler =
            Sampler::new(&*data, Supervision::OneFactor, Rules::default(), Rng::new(0)).unwrap();
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
            let rules = Rules { ordinary: 0, ..Rules::default() };
            let sampler = Sampler::new(&*data, Supervision::OneFactor, rules, Rng::new(0)).unwrap();
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
        let refused = Sampler::new(&*data, Supervision::OneFactor, Rules::default(), Rng::new(0));
        let refused = refused.err().unwrap().to_string();
        assert!(refused.contains("one factor varies and the others stay"), "{refused}");
    }
}
