//! Supervision: what a learner may see beside the observation, and how training examples are drawn.
//!
//! A file per strategy has its settings, which a model that learns from it takes among its own, what
//! it asks of the data, and how it draws.
//!
//! Rows are drawn independently and with replacement, as in the 12,600-model study. The draw of a
//! step is a function of the generator and the step alone, so a resumed run draws what it would
//! have drawn.

use std::fmt;

use crate::data::variant::binarized::binarize;
use crate::data::{Dataset, Range, observations};
use crate::error::{Error, Result};
use crate::rng::Rng;

mod labels;
mod one_factor;
mod pairs;
mod some_labels;
mod transitions;

pub use one_factor::OneFactor;
pub use pairs::{PairRule, Pairs};
pub use some_labels::SomeLabels;
pub use transitions::Window;

/// What a learner may see beside the observation. Closed on purpose: models match on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Supervision {
    /// Observations only.
    None,
    /// A label per observation: concepts, a segment, an environment.
    Labels,
    /// Labels of a few rows, beside many without.
    SomeLabels(SomeLabels),
    /// Two observations that differ in a few factors.
    Pairs(Pairs),
    /// Batches in which one factor varies and the others stay, among ordinary ones.
    OneFactor(OneFactor),
    /// Windows of time, and nothing beside them.
    Time(Window),
    /// Transitions with the factors that were intervened on.
    Targets(Window),
    /// Transitions with what was done.
    Actions(Window),
}

impl fmt::Display for Supervision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "none",
            Self::Labels => "labels",
            Self::SomeLabels(_) => "some labels",
            Self::Pairs(_) => "pairs",
            Self::OneFactor(_) => "one factor at a time",
            Self::Time(_) => "time",
            Self::Targets(_) => "targets",
            Self::Actions(_) => "actions",
        })
    }
}

impl Supervision {
    /// Refuse what the data cannot give.
    fn check(self, data: &dyn Dataset) -> Result<()> {
        match self {
            Self::None => Ok(()),
            Self::Labels => labels::check(data),
            Self::SomeLabels(some) => some.check(data),
            Self::Pairs(pairs) => pairs.check(data),
            Self::OneFactor(_) => OneFactor::check(data),
            Self::Time(window) => window.check_time(data),
            Self::Targets(window) => window.check_targets(data),
            Self::Actions(window) => window.check_actions(data),
        }
    }
}

/// The examples of one step, as plain arrays. Which fields are filled follows the supervision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draw {
    /// How many examples.
    pub count: usize,
    /// The rows drawn, of the first view.
    pub rows: Vec<usize>,
    /// One for none, labels and one factor at a time, two for pairs, one for each frame of a window
    /// of time, and for some labels the labelled ones second: `[count, numbers]` each.
    pub views: Vec<Vec<f32>>,
    /// `[count, label]`, or empty. Of some labels, the place of each factor's value among its
    /// values, from 0 to less than 1, of the second view.
    pub labels: Vec<f32>,
    /// `[count, factors]`, or empty; 1 where intervened, where a pair differs, or for the factors
    /// that vary in this batch. Of a window `[count, frames - 1, factors]`, step by step.
    pub targets: Vec<f32>,
    /// `[count, action]`, or empty. Of a window `[count, frames - 1, action]`.
    pub actions: Vec<f32>,
}

/// What a strategy draws: the rows of each view, and what is told of them.
#[derive(Default)]
struct Drawn {
    views: Vec<Vec<usize>>,
    labels: Vec<f32>,
    targets: Vec<f32>,
    actions: Vec<f32>,
}

/// Draws training examples with the supervision a model asks for.
pub struct Sampler<'a> {
    data: &'a dyn Dataset,
    supervision: Supervision,
    /// Whether each number of an observation is drawn to be 0 or 1, with the chance it says, at
    /// every look.
    binarize: bool,
    /// The rows with labels, where only some have and the supervision asks for them.
    labelled: Vec<usize>,
    rng: Rng,
}

impl<'a> Sampler<'a> {
    /// Refuses here, not at step 900, if the data set cannot give this supervision. To `binarize` is
    /// to draw each number of an observation to be 0 or 1, with the chance it says, at every look.
    pub fn new(
        data: &'a dyn Dataset,
        supervision: Supervision,
        binarize: bool,
        rng: Rng,
    ) -> Result<Self> {
        if data.is_empty() {
            return Err(Error::Missing(
                "the data set has no rows; there is nothing to train on".into(),
            ));
        }
        if binarize && data.shape().range == Range::Real {
            let reason = "is for numbers from 0 to 1, which these data do not have";
            return Err(Error::setting("train.binarize", reason));
        }
        supervision.check(data)?;
        let labelled = match supervision {
            Supervision::SomeLabels(some) => some.rows(data, &rng),
            Supervision::Labels => labels::rows(data),
            _ => vec![],
        };
        Ok(Self { data, supervision, binarize, labelled, rng })
    }

    /// The examples of one step.
    pub fn draw(&self, step: u64, count: usize) -> Draw {
        let mut rng = self.rng.at(step);
        let Drawn { views: rows, labels, targets, actions } = self.drawn(step, count, &mut rng);
        // After all rows are drawn, so that to binarize chooses no other ones.
        let mut view = |rows: &Vec<usize>| {
            let mut numbers = observations(self.data, rows).into_raw_vec_and_offset().0;
            if self.binarize {
                binarize(&mut numbers, &mut rng);
            }
            numbers
        };
        let views = rows.iter().map(&mut view).collect();
        let rows = rows.into_iter().next().unwrap_or_default();
        Draw { count, rows, views, labels, targets, actions }
    }

    fn drawn(&self, step: u64, count: usize, rng: &mut Rng) -> Drawn {
        let data = self.data;
        let rows = |rng: &mut Rng| (0..count).map(|_| rng.below(data.len())).collect::<Vec<_>>();
        match self.supervision {
            Supervision::None => Drawn { views: vec![rows(rng)], ..Drawn::default() },
            Supervision::Labels if !self.labelled.is_empty() => {
                let among = |_| self.labelled[rng.below(self.labelled.len())];
                labels::draw(data, (0..count).map(among).collect())
            }
            Supervision::Labels => labels::draw(data, rows(rng)),
            Supervision::SomeLabels(_) => some_labels::draw(data, rows(rng), &self.labelled, step),
            Supervision::Pairs(pairs) => pairs.draw(data, rows(rng), rng),
            Supervision::OneFactor(one) => one.draw(data, rows(rng), rng),
            Supervision::Time(window)
            | Supervision::Targets(window)
            | Supervision::Actions(window) => window.draw(data, count, rng),
        }
    }
}

/// What is said where the data lack what a model learns from.
fn lacking(what: &str) -> Error {
    Error::Missing(format!(
        "this model learns from {what}, which the data set cannot give; choose another model or \
         other data"
    ))
}

/// The factors that have a second value to change to.
fn movable(data: &dyn Dataset) -> Vec<usize> {
    let factors = data.factors().iter().enumerate();
    factors
        .filter(|(_, factor)| factor.size().is_some_and(|size| size > 1))
        .map(|(k, _)| k)
        .collect()
}

/// 1 for each factor in which two rows differ.
fn changes(data: &dyn Dataset, row: usize, other: usize) -> Vec<f32> {
    let [mut before, mut after] =
        [vec![0.0; data.factors().len()], vec![0.0; data.factors().len()]];
    data.values(row, &mut before);
    data.values(other, &mut after);
    before.iter().zip(&after).map(|(a, b)| f32::from(u8::from(a != b))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn squares() -> Box<dyn Dataset> {
        let source = crate::data::find("squares").unwrap();
        (source.open)(&toml::Table::new()).unwrap().0
    }

    #[test]
    fn the_draw_of_a_step_does_not_depend_on_other_steps() {
        let data = squares();
        let sampler = Sampler::new(&*data, Supervision::Labels, false, Rng::new(0)).unwrap();
        let draw = sampler.draw(5, 8);
        sampler.draw(6, 3);
        assert_eq!(sampler.draw(5, 8), draw);
        assert_ne!(sampler.draw(6, 8).rows, draw.rows);
        assert_eq!((draw.views.len(), draw.views[0].len(), draw.labels.len()), (1, 8 * 256, 32));
    }

    #[test]
    fn each_look_at_grey_is_another_draw_of_black_and_white() {
        let data = squares();
        let sampler = Sampler::new(&*data, Supervision::None, true, Rng::new(0)).unwrap();
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
    fn to_binarize_changes_what_is_seen_and_not_which_rows() {
        let data = squares();
        for supervision in [
            Supervision::None,
            Supervision::SomeLabels(SomeLabels::DEFAULT),
            Supervision::Pairs(Pairs::DEFAULT),
            Supervision::OneFactor(OneFactor::DEFAULT),
        ] {
            let draw = |binarize: bool| {
                let sampler = Sampler::new(&*data, supervision, binarize, Rng::new(0)).unwrap();
                sampler.draw(3, 16)
            };
            let (grey, binary) = (draw(false), draw(true));
            assert_eq!((grey.rows, grey.targets), (binary.rows, binary.targets), "{supervision}");
            assert_ne!(grey.views, binary.views, "{supervision}");
        }
    }
}
