//! Windows of time: rows that follow each other, with what was intervened on or done in each step
//! between them. A transition is a window of two frames.

use serde::{Deserialize, Serialize};

use super::{Drawn, lacking};
use crate::data::{Dataset, Transition};
use crate::error::{Error, Result};
use crate::rng::Rng;

/// How far a window looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// How many rows, each following the one before; 2 is a transition.
    pub frames: usize,
}

impl Window {
    /// Two frames: from one row to the next.
    pub const TRANSITION: Self = Self { frames: 2 };

    pub(super) fn check_time(self, data: &dyn Dataset) -> Result<()> {
        self.check(data, "rows that follow each other", |_| true)
    }

    pub(super) fn check_targets(self, data: &dyn Dataset) -> Result<()> {
        self.check(data, "intervention targets", |step| !step.targets.is_empty())
    }

    pub(super) fn check_actions(self, data: &dyn Dataset) -> Result<()> {
        self.check(data, "actions", |step| !step.action.is_empty())
    }

    fn check(self, data: &dyn Dataset, with: &str, told: fn(&Transition) -> bool) -> Result<()> {
        if self.frames < 2 {
            return Err(Error::setting("model.frames", "must be at least 2"));
        }
        let first = (0..data.len()).find_map(|row| self.steps(data, row));
        match first.is_some_and(|steps| steps.iter().all(told)) {
            true => Ok(()),
            false if self == Self::TRANSITION => Err(lacking(&format!("transitions with {with}"))),
            false => Err(lacking(&format!("windows of {} frames with {with}", self.frames))),
        }
    }

    /// Windows that begin anywhere, with what is told of each of their steps.
    pub(super) fn draw(self, data: &dyn Dataset, count: usize, rng: &mut Rng) -> Drawn {
        let mut drawn = Drawn { views: vec![vec![]; self.frames], ..Drawn::default() };
        for _ in 0..count {
            let (row, steps) = self.start(data, rng);
            drawn.views[0].push(row);
            for (view, step) in drawn.views[1..].iter_mut().zip(steps) {
                view.push(step.index);
                drawn.targets.extend(step.targets);
                drawn.actions.extend(step.action);
            }
        }
        drawn
    }

    /// A row at random that a whole window can begin at. There is one, by the check.
    fn start(self, data: &dyn Dataset, rng: &mut Rng) -> (usize, Vec<Transition>) {
        loop {
            let row = rng.below(data.len());
            if let Some(steps) = self.steps(data, row) {
                return (row, steps);
            }
        }
    }

    /// The steps of the window that begins at a row, unless time ends before.
    fn steps(self, data: &dyn Dataset, mut row: usize) -> Option<Vec<Transition>> {
        let mut steps = Vec::with_capacity(self.frames - 1);
        for _ in 1..self.frames {
            let step = data.next(row)?;
            row = step.index;
            steps.push(step);
        }
        Some(steps)
    }
}

impl Default for Window {
    fn default() -> Self {
        Self::TRANSITION
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::squares;
    use super::super::{Sampler, Supervision};
    use super::*;
    use crate::data::storage::stored::{Steps, Stored};

    /// Sequences of 4, 2 and 3 rows. Row k observes k; its step has targets [k, -k] and action k.
    fn sequences() -> Stored {
        let numbers: Vec<f32> = (0..9u8).map(f32::from).collect();
        let names = ["a", "b"].map(String::from);
        let steps = Steps {
            follows: [4, 2, 3].map(|rows| [vec![true; rows - 1], vec![false]].concat()).concat(),
            targets: numbers.iter().flat_map(|k| [*k, -k]).collect(),
            actions: numbers.clone(),
        };
        Stored::vectors(numbers, 1).with_values(&names, vec![0.0; 18], &[true; 2]).with_steps(steps)
    }

    #[test]
    fn missing_supervision_is_refused_before_training() {
        let data = squares();
        for (supervision, words) in [
            (Supervision::Actions(Window::TRANSITION), "from transitions with actions, which"),
            (Supervision::Targets(Window::TRANSITION), "transitions with intervention targets"),
            (Supervision::Actions(Window { frames: 3 }), "windows of 3 frames with actions"),
            (Supervision::Actions(Window { frames: 1 }), "`model.frames` must be at least 2"),
        ] {
            let refused = Sampler::new(&*data, supervision, false, Rng::new(0)).err().unwrap();
            assert!(refused.to_string().contains(words), "{refused}");
        }
    }

    #[test]
    fn a_transition_is_a_row_and_the_next_with_what_happened_between() {
        let data = sequences();
        for supervision in [Supervision::Targets, Supervision::Actions] {
            let transition = supervision(Window::TRANSITION);
            let sampler = Sampler::new(&data, transition, false, Rng::new(0)).unwrap();
            let draw = sampler.draw(0, 64);
            assert_eq!(draw.views.len(), 2);
            for (k, row) in draw.rows.iter().enumerate() {
                assert!(![3, 5, 8].contains(row), "nothing follows row {row}");
                let number = *row as f32;
                assert_eq!([draw.views[0][k], draw.views[1][k]], [number, number + 1.0]);
                assert_eq!(draw.targets[2 * k..2 * k + 2], [number, -number]);
                assert_eq!(draw.actions[k], number);
            }
        }
    }

    #[test]
    fn a_window_of_three_frames_has_rows_that_follow_and_each_step_between_them() {
        let data = sequences();
        let window = Supervision::Targets(Window { frames: 3 });
        let sampler = Sampler::new(&data, window, false, Rng::new(0)).unwrap();
        let draw = sampler.draw(0, 64);
        assert_eq!((draw.views.len(), draw.targets.len(), draw.actions.len()), (3, 64 * 4, 64 * 2));
        for (k, row) in draw.rows.iter().enumerate() {
            assert!([0, 1, 6].contains(row), "no two rows follow row {row}");
            let [one, two] = [*row as f32, *row as f32 + 1.0];
            let seen: Vec<f32> = draw.views.iter().map(|view| view[k]).collect();
            assert_eq!(seen, [one, two, two + 1.0]);
            assert_eq!(draw.targets[4 * k..4 * k + 4], [one, -one, two, -two]);
            assert_eq!(draw.actions[2 * k..2 * k + 2], [one, two]);
        }
        assert!([0, 1, 6].iter().all(|start| draw.rows.contains(start)), "{:?}", draw.rows);
        let long = Supervision::Targets(Window { frames: 5 });
        let refused = Sampler::new(&data, long, false, Rng::new(0)).err().unwrap().to_string();
        assert!(refused.contains("windows of 5 frames with intervention targets"), "{refused}");
    }
}
