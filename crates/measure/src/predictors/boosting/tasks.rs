//! What is to be told from codes: the classes of one factor in the rows that teach and in those
//! that judge.

use crate::error::{Error, Result};
use crate::factors::Factor;

/// One factor as a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// The number of the factor.
    pub factor: usize,
    /// Its class in each row that teaches.
    pub train: Vec<u32>,
    /// Its class in each row that judges.
    pub test: Vec<u32>,
}

impl Task {
    /// One for each factor, given as classes by row.
    pub fn of_each(classes: &[Vec<u32>], train: &[usize], test: &[usize]) -> Vec<Self> {
        let task = |(factor, classes): (usize, &Vec<u32>)| {
            let pick = |rows: &[usize]| rows.iter().map(|&row| classes[row]).collect();
            Self { factor, train: pick(train), test: pick(test) }
        };
        classes.iter().enumerate().map(task).collect()
    }

    /// Refuse tasks, for a metric that needs them all, of which one cannot be learned.
    pub fn check_taught(tasks: &[Self], factors: &[Factor], metric: &str) -> Result<()> {
        match tasks.iter().find(|task| !task.is_taught()) {
            None => Ok(()),
            Some(task) => Err(Error::Missing(format!(
                "{metric} cannot be computed, because factor `{}` has one value in the {} rows that \
                 teach and others only in those that judge; give more rows that teach",
                factors[task.factor].name,
                task.train.len()
            ))),
        }
    }

    /// Whether the rows that teach show more than one class.
    fn is_taught(&self) -> bool {
        self.train.iter().any(|class| *class != self.train[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_has_the_rows_of_its_factor_that_teach_and_those_that_judge() {
        let classes = [vec![1, 0, 9, 1], vec![2, 2, 9, 3]];
        let tasks = Task::of_each(&classes, &[0, 1], &[3]);
        assert_eq!(tasks[1], Task { factor: 1, train: vec![2, 2], test: vec![3] });
        assert!(tasks[0].is_taught() && !tasks[1].is_taught());
    }
}
