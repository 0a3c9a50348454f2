//! Where each combination of factor values is, in data that hold every combination once, in any
//! order. Such data can give pairs that share factors.

use crate::factors::{Factor, Kind};

/// The row of every combination.
pub(crate) struct Places {
    /// The values of each factor, in order.
    values: Vec<Vec<f32>>,
    /// By number of the combination, the last factor fastest. Empty if rows are in that order.
    rows: Vec<u32>,
}

impl Places {
    /// `None` unless every combination is there exactly once. `table` is [rows, factors].
    pub(crate) fn of(factors: &[Factor], table: &[f32]) -> Option<Self> {
        let values = factors.iter().map(|factor| match &factor.kind {
            Kind::Discrete(values) => Some(values.clone()),
            Kind::Continuous | Kind::Angle => None,
        });
        let values: Vec<Vec<f32>> = values.collect::<Option<_>>()?;
        let combinations = values.iter().try_fold(1_usize, |n, list| n.checked_mul(list.len()))?;
        // Not for one factor with a value of its own in every row: that is a number of the row.
        if values.len() < 2 || combinations != table.len() / values.len() {
            return None;
        }
        let mut places = Self { values, rows: vec![u32::MAX; combinations] };
        let width = places.values.len();
        for (row, wanted) in table.chunks_exact(width).enumerate() {
            let combination = places.combination(wanted)?;
            // As many rows as combinations and none twice: none is missing either.
            if places.rows[combination] != u32::MAX {
                return None;
            }
            places.rows[combination] = u32::try_from(row).ok()?;
        }
        if places.rows.iter().enumerate().all(|(k, row)| k == *row as usize) {
            places.rows = Vec::new();
        }
        Some(places)
    }

    /// The row with exactly these values.
    pub(crate) fn find(&self, wanted: &[f32]) -> Option<usize> {
        let combination = self.combination(wanted)?;
        match self.rows.is_empty() {
            true => Some(combination),
            false => Some(self.rows[combination] as usize),
        }
    }

    fn combination(&self, wanted: &[f32]) -> Option<usize> {
        wanted.iter().zip(&self.values).try_fold(0, |number, (value, values)| {
            let class = values.binary_search_by(|other| other.total_cmp(value)).ok()?;
            Some(number * values.len() + class)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(table: &[f32]) -> Option<Places> {
        let column = |k: usize| table.iter().skip(k).step_by(2).copied().collect::<Vec<_>>();
        let factors = [0, 1].map(|k| Factor::of_column(format!("f{k}"), &column(k), true));
        Places::of(&factors, table)
    }

    #[test]
    fn every_combination_is_found_in_any_order() {
        let ordered = places(&[0.0, 5.0, 0.0, 7.0, 1.0, 5.0, 1.0, 7.0]).unwrap();
        assert!(ordered.rows.is_empty());
        assert_eq!(ordered.find(&[1.0, 5.0]), Some(2));
        let mixed = places(&[1.0, 7.0, 0.0, 7.0, 1.0, 5.0, 0.0, 5.0]).unwrap();
        assert_eq!(mixed.find(&[0.0, 5.0]), Some(3));
        assert_eq!(mixed.find(&[0.0, 6.0]), None);
    }

    #[test]
    fn a_missing_or_a_double_combination_has_no_places() {
        assert!(places(&[0.0, 5.0, 0.0, 7.0, 1.0, 5.0]).is_none());
        assert!(places(&[0.0, 5.0, 0.0, 7.0, 1.0, 5.0, 1.0, 5.0]).is_none());
    }
}
