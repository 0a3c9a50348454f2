//! What is to be told from codes: the classes of one factor in the rows that teach and in those
//! that judge.

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

    /// Whether the rows that teach show more than one class.
    pub fn is_taught(&self) -> bool {
        self.train.iter().any(|class| *class != self.train[0])
    }
}

/// The share of rows whose class is told. A class that the rows that teach do not show is never
/// told.
pub fn accuracy(told: &[u32], classes: &[u32]) -> f64 {
    let right = told.iter().zip(classes).filter(|(told, class)| told == class).count();
    right as f64 / classes.len() as f64
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
        assert_eq!(accuracy(&[1, 2, 2, 4], &[1, 2, 3, 3]), 0.5);
    }
}
