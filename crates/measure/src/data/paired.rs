//! Pairs of rows as steps: what was seen before something was done, and what was seen after.
//!
//! Row 2k is the one before and row 2k + 1 the one after, whatever their places in the data behind
//! them, so an observation that is in several pairs is a row in each. Where actions come as opposites,
//! the first half of them undone by the second, every step also goes back:
//!
//! ```text
//! next(2k)     = row 2k + 1, action a
//! next(2k + 1) = row 2k,     action (a + half) mod all
//! ```

use super::{About, Counterfactual, Dataset, Do, Shape, Transition};
use crate::factors::Factor;
use crate::graph::Graph;

/// One step: its rows in the data behind, and the number of what was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) rows: [u32; 2],
    pub(crate) action: u32,
}

/// Pairs of rows of a data set.
pub(crate) struct Paired {
    base: Box<dyn Dataset>,
    pairs: Vec<Pair>,
    actions: Vec<String>,
    both_ways: bool,
}

impl Paired {
    /// `actions` are the names of what can be done; each pair has the number of one of them.
    pub(crate) fn new(base: Box<dyn Dataset>, pairs: Vec<Pair>, actions: Vec<String>) -> Self {
        let both_ways = undone(&actions);
        Self { base, pairs, actions, both_ways }
    }

    fn row(&self, index: usize) -> usize {
        self.pairs[index / 2].rows[index % 2] as usize
    }

    /// 1 for each factor that the step changes.
    fn changes(&self, [before, after]: [u32; 2]) -> Vec<f32> {
        let values = |row: u32| {
            let mut values = vec![0.0; self.base.factors().len()];
            self.base.values(row as usize, &mut values);
            values
        };
        let (before, after) = (values(before), values(after));
        before.iter().zip(&after).map(|(a, b)| f32::from(u8::from(a != b))).collect()
    }
}

/// The names of steps up and down the values of factors: all the ways up, then all the ways down.
pub(crate) fn up_and_down(factors: &[Factor]) -> Vec<String> {
    let named = |sign: char| factors.iter().map(move |factor| format!("{}{sign}", factor.name));
    named('+').chain(named('-')).collect()
}

/// Whether actions come as opposites: "x+", "y+", then "x-", "y-".
pub fn undone(actions: &[String]) -> bool {
    let (up, down) = actions.split_at(actions.len() / 2);
    let opposite = |(up, down): (&String, &String)| {
        up.strip_suffix('+').is_some_and(|stem| down.strip_suffix('-') == Some(stem))
    };
    !up.is_empty() && up.len() == down.len() && up.iter().zip(down).all(opposite)
}

impl Dataset for Paired {
    fn factors(&self) -> &[Factor] {
        self.base.factors()
    }

    fn shape(&self) -> Shape {
        self.base.shape()
    }

    fn len(&self) -> usize {
        2 * self.pairs.len()
    }

    fn observe(&self, index: usize, out: &mut [f32]) {
        self.base.observe(self.row(index), out);
    }

    fn values(&self, index: usize, out: &mut [f32]) {
        self.base.values(self.row(index), out);
    }

    fn label(&self, index: usize) -> Option<Vec<f32>> {
        self.base.label(self.row(index))
    }

    fn about(&self) -> &About {
        self.base.about()
    }

    fn unlabelled(&self) -> usize {
        match self.base.unlabelled() {
            0 => 0,
            _ => (0..self.len()).filter(|row| !self.is_labelled(*row)).count(),
        }
    }

    fn is_labelled(&self, index: usize) -> bool {
        self.base.is_labelled(self.row(index))
    }

    // No `find`: some combinations are in several pairs and some in none.

    fn next(&self, index: usize) -> Option<Transition> {
        let (pair, back) = (self.pairs[index / 2], index % 2 == 1);
        if back && !self.both_ways {
            return None;
        }
        let all = self.actions.len();
        let done = (pair.action as usize + if back { all / 2 } else { 0 }) % all;
        let mut action = vec![0.0; all];
        action[done] = 1.0;
        Some(Transition { index: index ^ 1, targets: self.changes(pair.rows), action })
    }

    fn actions(&self) -> &[String] {
        &self.actions
    }

    fn graph(&self) -> Option<&Graph> {
        self.base.graph()
    }

    fn counterfactual(&self, index: usize, dos: &[Do]) -> Option<Counterfactual> {
        let row = self.row(index);
        self.base.counterfactual(row, dos).or_else(|| {
            // Of data that simulate nothing: the row with these values, where there is one.
            let mut values = vec![0.0; self.base.factors().len()];
            let mut observation = vec![0.0; self.base.shape().size()];
            self.base.values(row, &mut values);
            self.base.find(&values)?;
            let other = |row, set: &Do| self.base.with_value(row, set.factor, set.value);
            let row = dos.iter().try_fold(row, other)?;
            self.base.values(row, &mut values);
            self.base.observe(row, &mut observation);
            Some(Counterfactual { values, observation })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::storage::stored::Stored;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(ToString::to_string).collect()
    }

    /// Rows observe 0, 1, 2; two pairs share row 1.
    fn three(actions: &[&str]) -> Paired {
        let names = words(&["a", "b"]);
        let values = vec![0.0, 0.0, 1.0, 0.0, 1.0, 1.0];
        let base = Stored::vectors(vec![0.0, 1.0, 2.0], 1).with_values(&names, values, &[true; 2]);
        let pairs = vec![Pair { rows: [0, 1], action: 0 }, Pair { rows: [1, 2], action: 1 }];
        Paired::new(Box::new(base), pairs, words(actions))
    }

    #[test]
    fn opposites_lead_back_and_other_actions_do_not() {
        let data = three(&["a+", "b+", "a-", "b-"]);
        assert_eq!(data.len(), 4);
        let step = |index: usize, targets: [f32; 2], action: [f32; 4]| {
            Some(Transition { index, targets: targets.to_vec(), action: action.to_vec() })
        };
        assert_eq!(data.next(0), step(1, [1.0, 0.0], [1.0, 0.0, 0.0, 0.0]));
        assert_eq!(data.next(1), step(0, [1.0, 0.0], [0.0, 0.0, 1.0, 0.0]));
        assert_eq!(data.next(2), step(3, [0.0, 1.0], [0.0, 1.0, 0.0, 0.0]));
        assert_eq!(data.next(3), step(2, [0.0, 1.0], [0.0, 0.0, 0.0, 1.0]));
        let one_way = three(&["push", "pull"]);
        assert_eq!(one_way.next(2).unwrap().action, [0.0, 1.0]);
        assert_eq!(one_way.next(3), None);
    }

    #[test]
    fn an_observation_in_two_pairs_is_a_row_in_each_and_no_row_is_found_by_values() {
        let data = three(&["a+", "b+", "a-", "b-"]);
        let seen: Vec<f32> = (0..4).map(|row| crate::data::testing::row(&data, row)[0]).collect();
        assert_eq!(seen, [0.0, 1.0, 1.0, 2.0]);
        assert_eq!((data.label(1), data.label(2)), (Some(vec![1.0, 0.0]), Some(vec![1.0, 0.0])));
        assert_eq!(data.find(&[1.0, 0.0]), None);
    }

    #[test]
    fn opposites_are_told_by_their_names() {
        let factors = [Factor::discrete("x", [0.0]), Factor::discrete("hue", [0.0])];
        assert_eq!(up_and_down(&factors), ["x+", "hue+", "x-", "hue-"]);
        assert!(undone(&up_and_down(&factors)));
        for other in [&["x+", "x-", "y+", "y-"][..], &["x+", "y+", "x-"], &["a", "b"], &[]] {
            assert!(!undone(&words(other)), "{other:?}");
        }
    }
}
