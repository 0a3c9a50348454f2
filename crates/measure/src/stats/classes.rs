//! The classes that some rows have, numbered without gaps: what a classifier learns and predicts.

/// The classes of the rows that teach.
#[derive(Clone, Debug, PartialEq)]
pub struct Classes {
    /// The classes that occur, rising.
    present: Vec<u32>,
    /// The place of each row's class among them.
    pub labels: Vec<usize>,
}

impl Classes {
    /// Of these rows of a column of class numbers.
    pub fn new(column: &[u32], rows: &[usize]) -> Self {
        let mut present: Vec<u32> = rows.iter().map(|&row| column[row]).collect();
        present.sort_unstable();
        present.dedup();
        let mut place = vec![0; present.last().map_or(0, |&last| last as usize + 1)];
        present.iter().enumerate().for_each(|(i, &class)| place[class as usize] = i);
        let labels = rows.iter().map(|&row| place[column[row] as usize]).collect();
        Self { present, labels }
    }

    /// How many classes occur.
    pub fn count(&self) -> usize {
        self.present.len()
    }

    /// Other rows by the same numbers; `None` for a class that did not occur.
    pub fn of_others(&self, column: &[u32], rows: &[usize]) -> Vec<Option<usize>> {
        rows.iter().map(|&row| self.present.binary_search(&column[row]).ok()).collect()
    }
}

/// The share of rows whose class is told.
pub fn accuracy<T: PartialEq>(told: impl IntoIterator<Item = T>, truth: &[T]) -> f64 {
    let right = told.into_iter().zip(truth).filter(|(told, class)| told == *class).count();
    right as f64 / truth.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_closed_and_unknown_classes_are_never_right() {
        let column = [7, 2, 2, 9, 4];
        let classes = Classes::new(&column, &[0, 1, 3]);
        assert_eq!((classes.count(), &classes.labels[..]), (3, &[1, 0, 2][..]));
        let others = classes.of_others(&column, &[2, 4, 0]);
        assert_eq!(others, [Some(0), None, Some(1)]);
        assert_eq!(accuracy([Some(0); 3], &others), 1.0 / 3.0);
    }
}
