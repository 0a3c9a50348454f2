//! Supervision: what a learner may see beside the observation, and how training examples are drawn.
//!
//! Rows are drawn independently and with replacement, as in the 12,600-model study. The draw of a
//! step is a function of the generator and the step alone, so a resumed run draws what it would
//! have drawn.

use std::fmt;

use super::{Dataset, Transition, observations};
use crate::error::{Error, Result};
use crate::rng::Rng;

/// What a learner may see beside the observation. Closed on purpose: models match on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Supervision {
    /// Observations only.
    None,
    /// A label per observation: concepts, a segment, an environment.
    Labels,
    /// Two observations that differ in a few unknown factors.
    Pairs,
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
            Self::Pairs => "pairs",
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
    /// One for none and labels, two for pairs and transitions: `[count, numbers]` each.
    pub views: Vec<Vec<f32>>,
    /// `[count, label]`, or empty.
    pub labels: Vec<f32>,
    /// `[count, factors]`, or empty; 1 where intervened.
    pub targets: Vec<f32>,
    /// `[count, action]`, or empty.
    pub actions: Vec<f32>,
}

/// Draws training examples with the supervision a model asks for.
pub struct Sampler<'a> {
    data: &'a dyn Dataset,
    supervision: Supervision,
    rng: Rng,
}

impl<'a> Sampler<'a> {
    /// Refuses here, not at step 900, if the data set cannot give this supervision.
    pub fn new(data: &'a dyn Dataset, supervision: Supervision, rng: Rng) -> Result<Self> {
        if data.is_empty() {
            return Err(Error::Missing(
                "the data set has no rows; there is nothing to train on".into(),
            ));
        }
        let lacking = match supervision {
            Supervision::None => None,
            Supervision::Labels => data.label(0).is_none().then_some("labels"),
            Supervision::Pairs => {
                let mut values = vec![0.0; data.factors().len()];
                data.values(0, &mut values);
                let pairs = data.find(&values).is_some() && has_choice(data);
                (!pairs).then_some("pairs that share factor values")
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
        match lacking {
            None => Ok(Self { data, supervision, rng }),
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
        let rows: Vec<usize> = (0..count).map(|_| self.row(&mut rng)).collect();
        let mut draw = Draw { count, ..Draw::default() };
        let mut partners = Vec::new();
        match self.supervision {
            Supervision::None => {}
            Supervision::Labels => {
                draw.labels =
                    rows.iter().filter_map(|&row| self.data.label(row)).flatten().collect();
            }
            Supervision::Pairs => {
                partners = rows.iter().map(|&row| partner(self.data, row, 1, &mut rng)).collect();
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
            draw.views.push(observations(self.data, view).into_raw_vec_and_offset().0);
        }
        draw.rows = rows;
        draw
    }
}

fn first_step(data: &dyn Dataset) -> Option<Transition> {
    (0..data.len()).find_map(|row| data.next(row))
}

/// Whether any factor has a second value to change to.
fn has_choice(data: &dyn Dataset) -> bool {
    data.factors().iter().any(|factor| factor.size().is_some_and(|size| size > 1))
}

/// A row that differs from `row` in exactly `changed` factors, each set to another of its values.
pub fn partner(data: &dyn Dataset, row: usize, changed: usize, rng: &mut Rng) -> usize {
    let factors = data.factors();
    let mut values = vec![0.0; factors.len()];
    data.values(row, &mut values);
    let movable: Vec<usize> =
        (0..factors.len()).filter(|&k| factors[k].size().is_some_and(|size| size > 1)).collect();
    for pick in rng.distinct(changed.min(movable.len()), movable.len()) {
        let factor = movable[pick];
        if let crate::factors::Kind::Discrete(choices) = &factors[factor].kind {
            let others: Vec<f32> =
                choices.iter().copied().filter(|choice| *choice != values[factor]).collect();
            values[factor] = others[rng.below(others.len())];
        }
    }
    data.find(&values).expect("a data set that offers pairs has every combination")
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
        let sampler = Sampler::new(&*data, Supervision::Labels, Rng::new(0)).unwrap();
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
                data.values(partner(&*data, row, changed, &mut rng), &mut b);
                assert_eq!(a.iter().zip(&b).filter(|(x, y)| x != y).count(), changed);
            }
        }
    }

    #[test]
    fn missing_supervision_is_refused_before_training() {
        let data = squares();
        let refused = Sampler::new(&*data, Supervision::Actions, Rng::new(0)).err().unwrap();
        assert!(refused.to_string().contains("transitions with actions"), "{refused}");
    }
}
