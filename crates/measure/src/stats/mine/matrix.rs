//! The characteristic matrix: what the best grid of each size tells, and the statistics read from it.

/// Where a statistic asks for the grids that reach a score, this much less is enough, so that
/// rounding does not choose a larger grid.
const NEARLY: f64 = 1e-4;

/// M: entry (i, j) is the normalised information of the best grid with i + 2 rows and j + 2 columns.
/// Rows get shorter downwards, as the number of cells is limited.
#[derive(Clone, Debug, PartialEq)]
pub struct CharacteristicMatrix {
    rows: Vec<Vec<f64>>,
}

impl CharacteristicMatrix {
    pub(super) fn new(rows: Vec<Vec<f64>>) -> Self {
        Self { rows }
    }

    /// The rows.
    pub fn rows(&self) -> &[Vec<f64>] {
        &self.rows
    }

    /// Maximal information coefficient: the largest entry.
    pub fn mic(&self) -> f64 {
        self.entries().fold(0.0, |most, (_, _, entry)| most.max(entry))
    }

    /// Total information coefficient: the sum of all entries.
    pub fn tic(&self) -> f64 {
        self.entries().map(|(_, _, entry)| entry).sum()
    }

    /// The mean of all entries: TIC on a scale from 0 to 1.
    pub fn normalised_tic(&self) -> f64 {
        self.tic() / self.entries().count() as f64
    }

    /// Maximum asymmetry score: the largest change of an entry when the axes are exchanged. Near 0
    /// for a relation that only rises or falls.
    pub fn mas(&self) -> f64 {
        let asymmetry = |(i, j, entry): (usize, usize, f64)| (entry - self.rows[j][i]).abs();
        self.entries().map(asymmetry).fold(0.0, f64::max)
    }

    /// Maximum edge value: the largest entry of grids with two bins on an axis. Near MIC for a
    /// relation that is a function.
    pub fn mev(&self) -> f64 {
        let edge = self.entries().filter(|(i, j, _)| i.min(j) == &0);
        edge.fold(0.0, |most, (_, _, entry)| most.max(entry))
    }

    /// Minimum cell number: log2 of the fewest cells with which a grid reaches (1 - epsilon) MIC.
    pub fn mcn(&self, epsilon: f64) -> f64 {
        let enough = (1.0 - epsilon) * self.mic() - NEARLY;
        let reached = self.entries().filter(|(_, _, entry)| *entry >= enough);
        reached.map(|(i, j, _)| (((i + 2) * (j + 2)) as f64).log2()).fold(f64::INFINITY, f64::min)
    }

    /// Generalised mean information coefficient (arXiv:1308.5712): the mean of order `p`, not 0, of
    /// the MIC that grids of at most (i + 2)(j + 2) cells would have, over all (i, j).
    pub fn gmic(&self, p: f64) -> f64 {
        let mut by_cells: Vec<(usize, f64)> =
            self.entries().map(|(i, j, entry)| ((i + 2) * (j + 2), entry)).collect();
        by_cells.sort_by_key(|(cells, _)| *cells);
        let (mut most, mut sum) = (0f64, 0.0);
        for same in by_cells.chunk_by(|a, b| a.0 == b.0) {
            most = same.iter().fold(most, |most, (_, entry)| most.max(*entry));
            sum += same.len() as f64 * most.powf(p);
        }
        (sum / by_cells.len() as f64).powf(1.0 / p)
    }

    fn entries(&self) -> impl Iterator<Item = (usize, usize, f64)> {
        let row = |(i, row): (usize, &Vec<f64>)| {
            row.iter().copied().enumerate().map(move |(j, entry)| (i, j, entry)).collect::<Vec<_>>()
        };
        self.rows.iter().enumerate().flat_map(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_statistic_by_hand() {
        let matrix =
            CharacteristicMatrix::new(vec![vec![0.2, 0.5, 0.4], vec![0.3, 0.8], vec![0.1]]);
        assert_eq!(matrix.mic(), 0.8);
        assert!((matrix.tic() - 2.3).abs() < 1e-12);
        assert!((matrix.normalised_tic() - 2.3 / 6.0).abs() < 1e-12);
        assert!((matrix.mas() - 0.3).abs() < 1e-12);
        assert_eq!(matrix.mev(), 0.5);
        assert_eq!(matrix.mcn(0.0), 9f64.log2());
        assert_eq!(matrix.mcn(0.4), 6f64.log2());
        // The best grid of at most 4, 6, 8, 6, 9, 8 cells: 0.2, 0.5, 0.5, 0.5, 0.8, 0.5.
        let inverse = (5.0 + 4.0 * 2.0 + 1.25) / 6.0;
        assert!((matrix.gmic(-1.0) - 1.0 / inverse).abs() < 1e-12);
    }
}
