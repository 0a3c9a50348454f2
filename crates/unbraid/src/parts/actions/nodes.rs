//! A grid of codes as nodes: one for each cell, with the sum of what its codes and its place are embedded as.

use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor};
use unbraid_measure::rng::Rng;

use crate::model::{Grid, batch};
use crate::parts::nets::layers::glorot;

/// Embeddings of codes and places.
#[derive(Module, Debug)]
pub struct Nodes {
    /// Of each code of each book, `[books · codes, width]`.
    codes: Param<Tensor<2>>,
    /// Of each cell, `[cells, width]`.
    places: Param<Tensor<2>>,
    #[module(skip)]
    grid: Grid,
}

impl Nodes {
    /// With seeded embeddings of this width.
    pub fn new(grid: Grid, width: usize, rng: &mut Rng, device: &Device) -> Self {
        // Numbers of about 1, whatever the number of codes.
        let mut table = |rows: usize| glorot([rows, width], 1, 1, rng, device);
        Self { codes: table(grid.books * grid.codes), places: table(grid.cells()), grid }
    }

    /// Codes cell by cell, `[rows, books · cells]` to `[rows · cells · books]`.
    pub fn by_cell(&self, codes: Tensor<2>) -> Tensor<1> {
        let (rows, books, cells) = (codes.dims()[0], self.grid.books, self.grid.cells());
        let codes = codes.reshape([rows, books, cells]).swap_dims(1, 2);
        codes.reshape([rows * cells * books])
    }

    /// Codes by cell as ones, `[rows · cells · books, codes]`.
    pub fn ones(&self, codes: Tensor<1>) -> Tensor<2> {
        let (device, count) = (codes.device(), self.grid.codes);
        let codes = batch::numbers(codes);
        let mut ones = vec![0.0; codes.len() * count];
        for (row, code) in ones.chunks_exact_mut(count).zip(&codes) {
            row[(code.max(0.0) as usize).min(count - 1)] = 1.0;
        }
        batch::matrix(&ones, codes.len(), count, &device)
    }

    /// Features of the nodes, from the codes as ones: `[rows, cells, width]`.
    pub fn features(&self, ones: Tensor<2>) -> Tensor<3> {
        let (Grid { books, codes, .. }, cells) = (self.grid, self.grid.cells());
        let (all, width) = (ones.dims()[0] / books, self.places.dims()[1]);
        let ones = ones.reshape([all, books * codes]);
        let features = ones.matmul(self.codes.val()).reshape([all / cells, cells, width]);
        features + self.places.val().unsqueeze::<3>()
    }

    /// The grid.
    pub fn grid(&self) -> Grid {
        self.grid
    }
}
