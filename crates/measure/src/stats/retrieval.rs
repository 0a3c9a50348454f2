//! How often it is told right which action led from one observation to another (the task of CT-VAE, Gendron et al.
//! 2023, table 1).
//!
//! Where actions come as opposites ("x+", "y+", then "x-", "y-") there are two questions: which action, and which factor
//! was acted on, either way. An answer that never looks has the share of the most frequent action.

use ndarray::{Array2, ArrayView2};

/// Answers beside the truth.
#[derive(Clone, Debug, PartialEq)]
pub struct Retrieved {
    /// How often each action was told as each, `[true, told]`.
    pub confusion: Array2<usize>,
}

impl Retrieved {
    /// From what was done in each row, and a number for each action that is larger for a likelier one.
    pub fn new(done: &[usize], likely: ArrayView2<f32>) -> Self {
        let actions = likely.ncols();
        let mut confusion = Array2::zeros((actions, actions));
        for (done, likely) in done.iter().zip(likely.rows()) {
            let order = |a: &usize, b: &usize| likely[*a].total_cmp(&likely[*b]);
            if let Some(told) = (0..actions).max_by(order) {
                confusion[[*done, told]] += 1;
            }
        }
        Self { confusion }
    }

    /// The same of factors in place of actions, where actions are opposites.
    pub fn of_factors(&self) -> Self {
        let half = self.confusion.nrows() / 2;
        let mut confusion = Array2::zeros((half, half));
        for ((done, told), count) in self.confusion.indexed_iter() {
            confusion[[done % half, told % half]] += count;
        }
        Self { confusion }
    }

    /// How many rows.
    pub fn rows(&self) -> usize {
        self.confusion.sum()
    }

    /// The share that is told right.
    pub fn accuracy(&self) -> f64 {
        share(self.confusion.diag().sum(), self.rows())
    }

    /// The share of each action that is told right, on average over those that occur.
    pub fn balanced(&self) -> f64 {
        let of = |row: usize| {
            let all = self.confusion.row(row).sum();
            (all > 0).then(|| share(self.confusion[[row, row]], all))
        };
        let each: Vec<f64> = (0..self.confusion.nrows()).filter_map(of).collect();
        each.iter().sum::<f64>() / each.len().max(1) as f64
    }

    /// What always naming the most frequent one would reach.
    pub fn majority(&self) -> f64 {
        let most = self.confusion.rows().into_iter().map(|row| row.sum()).max();
        share(most.unwrap_or(0), self.rows())
    }
}

fn share(part: usize, all: usize) -> f64 {
    if all == 0 { 0.0 } else { part as f64 / all as f64 }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn actions_are_counted_one_by_one_and_factors_either_way() {
        // Of x+, y+, x-, y-: one right, two the wrong way, one of another factor.
        let likely = array![
            [0.9, 0.0, 0.1, 0.0],
            [0.1, 0.0, 0.9, 0.0],
            [0.0, 0.2, 0.0, 0.8],
            [0.0, 0.2, 0.0, 0.8],
        ];
        let found = Retrieved::new(&[0, 0, 1, 2], likely.view());
        assert_eq!((found.rows(), found.accuracy(), found.majority()), (4, 0.25, 0.5));
        assert!((found.balanced() - 0.5 / 3.0).abs() < 1e-12);
        let factors = found.of_factors();
        assert_eq!(factors.confusion, array![[2, 1], [0, 1]]);
        assert_eq!((factors.accuracy(), factors.majority()), (0.75, 0.75));
        assert!(factors.accuracy() >= found.accuracy());
    }
}
