//! Full-factorial data: every combination of factor values is one row, the last factor fastest.

use crate::error::Result;
use crate::factors::{Factor, Kind};

/// Rows as combinations: index = Σ_k class_k · Π_{m>k} size_m.
#[derive(Clone, Debug)]
pub struct Grid {
    factors: Vec<Factor>,
    values: Vec<Vec<f32>>,
}

impl Grid {
    /// The grid over discrete factors.
    pub fn new(factors: Vec<Factor>) -> Result<Self> {
        let values = factors.iter().map(|factor| match &factor.kind {
            Kind::Discrete(values) => Ok(values.clone()),
            Kind::Continuous | Kind::Angle => Err(crate::Error::Array(format!(
                "factor `{}` is continuous; a grid needs a list of values",
                factor.name
            ))),
        });
        Ok(Self { values: values.collect::<Result<_>>()?, factors })
    }

    /// The factors of the grid.
    pub fn factors(&self) -> &[Factor] {
        &self.factors
    }

    /// How many combinations.
    pub fn len(&self) -> usize {
        self.values.iter().map(Vec::len).product()
    }

    /// Whether there is no combination.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Which value each factor takes in a row, as positions in its list.
    pub fn classes<const N: usize>(&self, mut index: usize) -> [usize; N] {
        assert_eq!(N, self.values.len(), "a grid of {N} factors has as many classes");
        let mut classes = [0; N];
        for (class, values) in classes.iter_mut().zip(&self.values).rev() {
            *class = index % values.len();
            index /= values.len();
        }
        classes
    }

    /// The values of a row.
    pub fn values(&self, mut index: usize, out: &mut [f32]) {
        for (slot, values) in out.iter_mut().zip(&self.values).rev() {
            *slot = values[index % values.len()];
            index /= values.len();
        }
    }

    /// The row with exactly these values.
    pub fn find(&self, wanted: &[f32]) -> Option<usize> {
        wanted.iter().zip(&self.values).try_fold(0, |index, (value, values)| {
            let class = values.iter().position(|other| other == value)?;
            Some(index * values.len() + class)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_factor_is_fastest_and_find_undoes_values() {
        let factors =
            vec![Factor::discrete("a", [1.0, 2.0]), Factor::discrete("b", [0.0, 0.5, 1.0])];
        let grid = Grid::new(factors).unwrap();
        assert_eq!(grid.len(), 6);
        assert_eq!(grid.classes::<2>(4), [1, 1]);
        let mut values = [0.0; 2];
        for index in 0..grid.len() {
            grid.values(index, &mut values);
            assert_eq!(grid.find(&values), Some(index));
        }
        assert_eq!(values, [2.0, 1.0]);
        assert_eq!(grid.find(&[3.0, 0.0]), None);
    }
}
