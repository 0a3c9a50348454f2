//! Images drawn by index: every combination of the factors is one row, and a function draws it.

use serde::{Deserialize, Serialize};

use crate::data::drawing::grid::Grid;
use crate::data::{Dataset, Shape};
use crate::factors::Factor;

/// The settings of data whose only setting is the seed of what chance adds to a row.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
pub(crate) struct Seed {
    pub(crate) seed: u64,
}

/// A grid of `N` factors and the function that draws a row from its index and its classes.
pub(crate) struct Drawn<const N: usize, D> {
    grid: Grid,
    shape: Shape,
    draw: D,
}

impl<const N: usize, D: Fn(usize, [usize; N], &mut [f32])> Drawn<N, D> {
    pub(crate) fn new(grid: Grid, shape: Shape, draw: D) -> Self {
        Self { grid, shape, draw }
    }
}

impl<const N: usize, D> Dataset for Drawn<N, D>
where
    D: Fn(usize, [usize; N], &mut [f32]) + Send + Sync,
{
    fn factors(&self) -> &[Factor] {
        self.grid.factors()
    }

    fn shape(&self) -> Shape {
        self.shape
    }

    fn len(&self) -> usize {
        self.grid.len()
    }

    fn observe(&self, index: usize, out: &mut [f32]) {
        (self.draw)(index, self.grid.classes(index), out);
    }

    fn values(&self, index: usize, out: &mut [f32]) {
        self.grid.values(index, out);
    }

    fn label(&self, index: usize) -> Option<Vec<f32>> {
        let mut values = vec![0.0; N];
        self.grid.values(index, &mut values);
        Some(values)
    }

    fn find(&self, values: &[f32]) -> Option<usize> {
        self.grid.find(values)
    }
}
