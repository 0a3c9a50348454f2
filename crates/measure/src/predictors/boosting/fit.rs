//! Fitting a classifier, round by round.

use std::sync::Mutex;

use rayon::prelude::*;

use super::columns::Columns;
use super::histogram::Grid;
use super::probability::{BLOCK, logistic, softmax};
use super::tree::{Ground, LEAVES, Tree};
use super::{Classifier, RATE, ROUNDS};
use crate::error::Result;

/// A classifier that is being fitted.
pub(super) struct Fit<'a> {
    columns: &'a Columns,
    classifier: Classifier,
    /// The place of each row's class among the classes.
    places: Vec<u32>,
    grid: Grid,
    /// `[blocks of rows, trees of a round]`
    scores: Vec<[f64; BLOCK]>,
    /// The probabilities these stand for, alike.
    shares: Vec<[f64; BLOCK]>,
    /// One for each tree of a round.
    stands: Vec<Stand>,
    /// As many as there are threads.
    grounds: Mutex<Vec<Ground>>,
}

/// What stays of a tree for the next round.
struct Stand {
    /// The leaf of each row.
    leaves: Vec<u8>,
    /// What the splits of each column have gained so far.
    gains: Vec<f64>,
}

impl<'a> Fit<'a> {
    pub(super) fn new(columns: &'a Columns, labels: &[u32]) -> Self {
        let mut classes = labels.to_vec();
        classes.sort_unstable();
        classes.dedup();
        let place = |label: &u32| classes.partition_point(|class| class < label) as u32;
        let places: Vec<u32> = labels.iter().map(place).collect();
        let mut counts = vec![0.0_f64; classes.len()];
        for place in &places {
            counts[*place as usize] += 1.0;
        }
        let start: Vec<f64> = match counts[..] {
            [_] => vec![],
            [first, second] => vec![(second / first).ln()],
            _ => counts.iter().map(|count| (count / labels.len() as f64).ln()).collect(),
        };
        let (rows, width, trees) = (columns.rows, columns.values.len(), start.len());
        let stand = || Stand { leaves: vec![0; rows], gains: vec![0.0; width] };
        let blocks = rows.div_ceil(BLOCK);
        let scores = start.iter().map(|start| [*start; BLOCK]).cycle().take(blocks * trees);
        Self {
            columns,
            places,
            grid: Grid::new(rows),
            scores: scores.collect(),
            shares: vec![[0.0; BLOCK]; blocks * trees],
            stands: (0..trees).map(|_| stand()).collect(),
            grounds: Mutex::default(),
            classifier: Classifier {
                classes,
                start,
                rounds: Vec::new(),
                importances: vec![0.0; width],
                fitted: Vec::new(),
            },
        }
    }

    /// How many trees a round has.
    pub(super) fn trees(&self) -> usize {
        self.stands.len()
    }

    pub(super) fn run(mut self, advance: &(dyn Fn() -> Result<()> + Sync)) -> Result<Classifier> {
        if self.trees() == 0 {
            self.classifier.fitted = vec![self.classifier.classes[0]; self.columns.rows];
            return Ok(self.classifier);
        }
        for round in 0..ROUNDS {
            self.update_shares();
            let grown = self.grow(round);
            self.classifier.rounds.push(grown);
            self.update_scores();
            advance()?;
        }
        self.classifier.importances = importances(&self.stands);
        let blocks = self.scores.chunks_exact(self.trees()).enumerate();
        let rows = |block: usize| BLOCK.min(self.columns.rows - block * BLOCK);
        let fitted: Vec<_> =
            blocks.map(|(block, scores)| self.classifier.decide(scores, rows(block))).collect();
        self.classifier.fitted = fitted.concat();
        Ok(self.classifier)
    }

    fn update_shares(&mut self) {
        let trees = self.trees();
        let blocks =
            self.scores.par_chunks_exact(trees).zip(self.shares.par_chunks_exact_mut(trees));
        blocks.for_each(|(scores, shares)| match scores {
            [one] => logistic(one, &mut shares[0]),
            scores => softmax(scores, shares),
        });
    }

    /// F += value of the leaf
    fn update_scores(&mut self) {
        let trees = self.classifier.rounds.last().expect("a round was grown");
        let blocks = self.scores.par_chunks_exact_mut(trees.len()).enumerate();
        blocks.for_each(|(block, scores)| {
            for ((scores, tree), stand) in scores.iter_mut().zip(trees).zip(&self.stands) {
                let rows = &stand.leaves[block * BLOCK..];
                tree.add(&rows[..rows.len().min(BLOCK)], scores);
            }
        });
    }

    /// The trees of a round: each sees the shares as they were before the round.
    fn grow(&mut self, round: usize) -> Vec<Tree> {
        let trees = self.trees();
        let (columns, places, grid, shares) = (self.columns, &self.places, self.grid, &self.shares);
        let (factor, first) = match trees {
            1 => (RATE, 1),
            trees => (RATE * (trees - 1) as f64 / trees as f64, 0),
        };
        let grow = |(number, stand): (usize, &mut Stand)| {
            let idle = self.grounds.lock().expect("no thread has panicked").pop();
            let mut ground = idle.unwrap_or_else(|| Ground::new(columns));
            let shares = || shares.iter().skip(number).step_by(trees);
            residuals(shares(), places, number as u32 + first, grid, &mut ground.wholes);
            let seed = (round * trees + number) as u64;
            let mut tree = ground.grow(columns, grid, &mut stand.leaves, &mut stand.gains, seed);
            let sums = ground.sums.map(|sum| sum as f64 / grid.scale);
            tree.values = newton_steps(sums, curvatures(shares(), &stand.leaves), factor);
            self.grounds.lock().expect("no thread has panicked").push(ground);
            tree
        };
        self.stands.par_iter_mut().enumerate().map(grow).collect()
    }
}

/// r = 1[y = k] - p_k, on the grid.
fn residuals<'a>(
    shares: impl Iterator<Item = &'a [f64; BLOCK]>,
    places: &[u32],
    place: u32,
    grid: Grid,
    wholes: &mut [i64],
) {
    for ((shares, places), wholes) in shares.zip(places.chunks(BLOCK)).zip(wholes.chunks_mut(BLOCK))
    {
        for ((share, other), whole) in shares.iter().zip(places).zip(wholes) {
            let target = if *other == place { 1.0 } else { 0.0 };
            *whole = grid.whole(target - share);
        }
    }
}

/// Σ p (1 - p) in each leaf. In four lanes, because neighbouring rows are mostly in one leaf, and
/// its sum would have to wait for itself.
fn curvatures<'a>(shares: impl Iterator<Item = &'a [f64; BLOCK]>, leaves: &[u8]) -> [f64; LEAVES] {
    let mut lanes = [[0.0; LEAVES]; 4];
    for (shares, leaves) in shares.zip(leaves.chunks(BLOCK)) {
        for (shares, leaves) in shares.chunks(4).zip(leaves.chunks(4)) {
            for ((share, leaf), lane) in shares.iter().zip(leaves).zip(&mut lanes) {
                lane[usize::from(*leaf) % LEAVES] += share * (1.0 - share);
            }
        }
    }
    std::array::from_fn(|leaf| lanes.iter().map(|lane| lane[leaf]).sum())
}

/// Σ r / Σ p (1 - p), or nothing where all is told already.
fn newton_steps(sums: [f64; LEAVES], curvatures: [f64; LEAVES], factor: f64) -> [f64; LEAVES] {
    std::array::from_fn(|leaf| match curvatures[leaf] < 1e-150 {
        true => 0.0,
        false => factor * sums[leaf] / curvatures[leaf],
    })
}

fn importances(stands: &[Stand]) -> Vec<f64> {
    let mut sums = vec![0.0; stands[0].gains.len()];
    for stand in stands {
        sums.iter_mut().zip(&stand.gains).for_each(|(sum, gain)| *sum += gain);
    }
    let total: f64 = sums.iter().sum();
    match total > 0.0 {
        true => sums.iter().map(|sum| sum / total).collect(),
        false => sums,
    }
}
