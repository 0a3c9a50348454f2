//! The rows of a table, those that agree in a factor side by side: what "hold a factor fixed and
//! change the rest" means where the data are a table.

use crate::rng::Rng;

/// Rows by the value of one factor.
#[derive(Debug)]
pub struct Groups<'a> {
    /// The factor's number.
    pub factor: usize,
    classes: &'a [u32],
    /// Rows sorted by class, without those that are alone in theirs.
    rows: Vec<usize>,
    /// Where each class starts in `rows`; one more than classes.
    starts: Vec<usize>,
}

impl<'a> Groups<'a> {
    /// One for each factor that can be held fixed.
    pub fn of_all(classes: &'a [Vec<u32>]) -> Vec<Self> {
        classes.iter().enumerate().filter_map(|(k, column)| Self::new(k, column)).collect()
    }

    /// A counting sort; `None` if the factor has one value or no two rows share one.
    fn new(factor: usize, classes: &'a [u32]) -> Option<Self> {
        let mut counts = vec![0; *classes.iter().max()? as usize + 1];
        for &class in classes {
            counts[class as usize] += 1;
        }
        if counts.iter().filter(|count| **count > 0).count() < 2 {
            return None;
        }
        let mut starts = vec![0];
        for &count in &counts {
            starts.push(starts[starts.len() - 1] + if count > 1 { count } else { 0 });
        }
        let mut next = starts.clone();
        let mut rows = vec![0; starts[counts.len()]];
        for (row, &class) in classes.iter().enumerate() {
            if counts[class as usize] > 1 {
                rows[next[class as usize]] = row;
                next[class as usize] += 1;
            }
        }
        (!rows.is_empty()).then_some(Self { factor, classes, rows, starts })
    }

    /// A row at random, and all rows that agree with it, itself among them.
    pub fn draw(&self, rng: &mut Rng) -> (usize, &[usize]) {
        let row = self.rows[rng.below(self.rows.len())];
        let class = self.classes[row] as usize;
        (row, &self.rows[self.starts[class]..self.starts[class + 1]])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_leave_out_lonely_rows_and_constant_factors() {
        let groups = Groups::new(0, &[2, 0, 2, 1, 0, 2]).unwrap();
        assert_eq!(groups.rows, [1, 4, 0, 2, 5]);
        assert!(Groups::new(0, &[3, 3, 3]).is_none());
        assert!(Groups::new(0, &[0, 1, 2]).is_none());
        let classes = [vec![3, 3, 3], vec![0, 1, 0]];
        let all = Groups::of_all(&classes);
        assert_eq!((all.len(), all[0].factor), (1, 1));
    }

    #[test]
    fn a_drawn_row_lies_among_those_that_agree_with_it() {
        let groups = Groups::new(0, &[2, 0, 2, 1, 0, 2]).unwrap();
        let mut rng = Rng::new(0);
        let mut seen = [0; 6];
        for _ in 0..500 {
            let (row, alike) = groups.draw(&mut rng);
            assert_eq!(alike, if [1, 4].contains(&row) { &[1, 4][..] } else { &[0, 2, 5] });
            seen[row] += 1;
        }
        // Each of the five rows a hundred times, give or take.
        assert!(seen[3] == 0 && [0, 1, 2, 4, 5].iter().all(|row| seen[*row] > 60), "{seen:?}");
    }
}
