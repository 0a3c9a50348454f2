//! Who draws what: for each place of an observation, the fewest concepts that explain it.
//!
//! Each block of pixels is predicted from single concepts and from pairs of them, by the mean of the
//! nearest other rows, and is given to the smallest set that leaves nearly as little unexplained as the
//! best; among equals, to the one furthest down the graph: an effect is nearer to its picture than its
//! causes are. A block that no pair explains is drawn from all concepts.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};
use rayon::prelude::*;

use crate::graph::Graph;
use crate::stats::correlation::ranks;

/// Blocks along the shorter side of an image.
const BLOCKS: usize = 24;
/// A smaller set is taken if it leaves at most this share of the variance more than the best.
const SLACK: f64 = 0.1;
/// A block is drawn from all concepts if the best set leaves more than this share.
const TOO_MUCH: f64 = 0.5;
/// A set that draws less than this share of all variance gets no part of its own.
const LITTLE: f64 = 0.03;
/// Blocks that vary less than this are background.
const STILL: f64 = 1e-5;
/// With more concepts than this there are too many pairs to try.
const MOST_FOR_PAIRS: usize = 12;

/// The parts of an observation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// The concepts that draw each part; at most one part more than there are concepts.
    pub sets: Vec<Vec<usize>>,
    /// The part of each number of an observation.
    pub of_number: Vec<usize>,
}

/// Find the parts of observations `[rows, numbers]` with labels `[rows, concepts]`; `shape` is channels,
/// height and width, and a vector is one pixel of many channels. The time grows with the square of the
/// rows: a few thousand are enough.
pub fn attribute(
    observations: &Array2<f32>,
    labels: &Array2<f32>,
    graph: &Graph,
    shape: [usize; 3],
) -> Parts {
    let grid = Grid::new(shape);
    let blocks = grid.means(observations);
    explain(&blocks, labels, graph, &grid)
}

/// Blocks of pixels; for vectors, the numbers themselves.
struct Grid {
    channels: usize,
    height: usize,
    width: usize,
    side: usize,
    across: usize,
    down: usize,
}

impl Grid {
    fn new([channels, height, width]: [usize; 3]) -> Self {
        let side = (height.min(width) / BLOCKS).max(1);
        let (across, down) = (width.div_ceil(side), height.div_ceil(side));
        Self { channels, height, width, side, across, down }
    }

    fn is_vector(&self) -> bool {
        self.height == 1 && self.width == 1
    }

    /// How many numbers an observation has.
    fn size(&self) -> usize {
        self.channels * self.height * self.width
    }

    /// Blocks, of all channels together; a vector has one for each number.
    fn len(&self) -> usize {
        if self.is_vector() { self.channels } else { self.across * self.down }
    }

    /// Channels that a block keeps apart.
    fn depth(&self) -> usize {
        if self.is_vector() { 1 } else { self.channels }
    }

    fn block_of(&self, number: usize) -> usize {
        if self.is_vector() {
            return number;
        }
        let pixel = number % (self.height * self.width);
        let (y, x) = (pixel / self.width, pixel % self.width);
        y / self.side * self.across + x / self.side
    }

    /// The mean of each channel over each block, `[rows, blocks · depth]`.
    fn means(&self, observations: &Array2<f32>) -> Array2<f32> {
        let depth = self.depth();
        let plane = self.height * self.width;
        let mut counts = vec![0f32; self.len() * depth];
        let place = |number: usize| {
            let channel = if self.is_vector() { 0 } else { number / plane };
            self.block_of(number) * depth + channel
        };
        (0..self.size()).for_each(|number| counts[place(number)] += 1.0);
        let mut means = Array2::zeros((observations.nrows(), counts.len()));
        let rows = means.axis_iter_mut(Axis(0)).into_par_iter();
        rows.zip(observations.axis_iter(Axis(0))).for_each(|(mut row, numbers)| {
            for (number, value) in numbers.iter().enumerate() {
                row[place(number)] += value / counts[place(number)];
            }
        });
        means
    }
}

/// The unexplained share of each block for each set, then the choice.
fn explain(blocks: &Array2<f32>, labels: &Array2<f32>, graph: &Graph, grid: &Grid) -> Parts {
    let n = labels.ncols();
    let mut sets: Vec<Vec<usize>> = (0..n).map(|k| vec![k]).collect();
    if n <= MOST_FOR_PAIRS {
        sets.extend((0..n).flat_map(|a| (a + 1..n).map(move |b| vec![a, b])));
    }
    let places = ranked(labels);
    let variance = per_block(&spread(blocks), grid);
    let left: Vec<Array1<f64>> = sets
        .iter()
        .map(|set| {
            let left = per_block(&unexplained(blocks, &places, set), grid);
            &left / &variance.mapv(|v| v.max(STILL))
        })
        .collect();
    let depth = depths(graph);
    let choice = |block: usize| -> Option<usize> {
        if variance[block] < STILL {
            return None;
        }
        Some(choose(&sets, &left, block, &depth))
    };
    let chosen: Vec<Option<usize>> = (0..grid.len()).map(choice).collect();
    settle(sets, &left, &variance, chosen, n, grid)
}

/// The smallest set that is nearly as good as the best; `sets.len()` where none is good.
fn choose(sets: &[Vec<usize>], left: &[Array1<f64>], block: usize, depth: &[usize]) -> usize {
    let best = left.iter().map(|left| left[block]).fold(f64::INFINITY, f64::min);
    if best > TOO_MUCH {
        return sets.len();
    }
    let good = (0..sets.len()).filter(|&k| left[k][block] <= best + SLACK);
    let order = |&k: &usize| {
        let down: usize = sets[k].iter().map(|&concept| depth[concept]).sum();
        (sets[k].len(), usize::MAX - down)
    };
    good.min_by(|a, b| order(a).cmp(&order(b)).then(left[*a][block].total_cmp(&left[*b][block])))
        .unwrap_or(sets.len())
}

/// Keep the sets that draw much, give the blocks of the others to the best of those, and background to
/// its nearest neighbour.
fn settle(
    mut sets: Vec<Vec<usize>>,
    left: &[Array1<f64>],
    variance: &Array1<f64>,
    mut chosen: Vec<Option<usize>>,
    concepts: usize,
    grid: &Grid,
) -> Parts {
    let everything = sets.len();
    sets.push((0..concepts).collect());
    let drawn = |set: usize| {
        let blocks = chosen.iter().enumerate().filter(|(_, chosen)| **chosen == Some(set));
        blocks.map(|(block, _)| variance[block]).sum::<f64>()
    };
    let mut kept: Vec<(usize, f64)> = (0..sets.len()).map(|set| (set, drawn(set))).collect();
    kept.retain(|(_, amount)| *amount > LITTLE * variance.sum());
    kept.sort_by(|a, b| b.1.total_cmp(&a.1));
    kept.truncate(concepts + 1);
    let mut kept: Vec<usize> = kept.into_iter().map(|(set, _)| set).collect();
    if kept.is_empty() {
        kept.push(everything);
    }
    let unexplained = |set: usize, block: usize| {
        if set == everything { TOO_MUCH } else { left[set][block] }
    };
    for (block, chosen) in chosen.iter_mut().enumerate() {
        if chosen.is_some_and(|set| !kept.contains(&set)) {
            let by = |a: &&usize, b: &&usize| {
                unexplained(**a, block).total_cmp(&unexplained(**b, block))
            };
            *chosen = kept.iter().min_by(by).copied();
        }
    }
    let all = spread_out(&chosen, grid, kept[0]);
    let part = |set: usize| kept.iter().position(|kept| *kept == set).unwrap_or(0);
    let of_number = (0..grid.size()).map(|number| part(all[grid.block_of(number)])).collect();
    Parts { sets: kept.iter().map(|&set| sets[set].clone()).collect(), of_number }
}

/// Background goes to the nearest block that has a set.
fn spread_out(chosen: &[Option<usize>], grid: &Grid, otherwise: usize) -> Vec<usize> {
    let place = |block: usize| [(block / grid.across) as i64, (block % grid.across) as i64];
    let known: Vec<(usize, usize)> =
        chosen.iter().enumerate().filter_map(|(block, set)| Some((block, (*set)?))).collect();
    let nearest = |block: usize| {
        let [y, x] = place(block);
        let far = |&&(other, _): &&(usize, usize)| {
            let [v, u] = place(other);
            (y - v).pow(2) + (x - u).pow(2)
        };
        known.iter().min_by_key(far).map_or(otherwise, |(_, set)| *set)
    };
    chosen.iter().enumerate().map(|(block, set)| set.unwrap_or_else(|| nearest(block))).collect()
}

/// Ranks as shares of the rows, so that every concept counts alike.
fn ranked(labels: &Array2<f32>) -> Vec<Vec<f32>> {
    let rows = labels.nrows() as f64;
    let column = |column: ArrayView1<f32>| {
        ranks(column).into_iter().map(|rank| (rank / rows) as f32).collect()
    };
    labels.axis_iter(Axis(1)).map(column).collect()
}

/// How far down the graph each concept is: its longest way from a root.
fn depths(graph: &Graph) -> Vec<usize> {
    let mut depths = vec![0; graph.len()];
    for node in graph.order() {
        let above = graph.parents(node).into_iter().map(|cause| depths[cause] + 1).max();
        depths[node] = above.unwrap_or(0);
    }
    depths
}

/// The variance of each column.
fn spread(blocks: &Array2<f32>) -> Array1<f64> {
    let mean = blocks.mean_axis(Axis(0)).expect("there are rows");
    squared(blocks.view(), |_| mean.clone())
}

/// The squared error of each column, if each row is predicted by the mean of its nearest others.
fn unexplained(blocks: &Array2<f32>, places: &[Vec<f32>], set: &[usize]) -> Array1<f64> {
    let near = if set.len() == 1 { 8 } else { 4 };
    let rows = blocks.nrows();
    let predict = |row: usize| {
        let distance = |other: usize| {
            set.iter().map(|&k| (places[k][row] - places[k][other]).powi(2)).sum::<f32>()
        };
        let mut others: Vec<(f32, usize)> =
            (0..rows).filter(|other| *other != row).map(|other| (distance(other), other)).collect();
        let near = near.min(others.len());
        if near == 0 {
            return blocks.row(row).to_owned();
        }
        others.select_nth_unstable_by(near - 1, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut sum: Array1<f32> = Array1::zeros(blocks.ncols());
        others[..near].iter().for_each(|(_, other)| sum += &blocks.row(*other));
        sum / near as f32
    };
    squared(blocks.view(), predict)
}

/// The mean squared difference between each row and what is predicted for it, by column.
fn squared(blocks: ArrayView2<f32>, predict: impl Fn(usize) -> Array1<f32> + Sync) -> Array1<f64> {
    // Strips of rows, added in their order: the number of threads does not change a bit.
    const STRIP: usize = 64;
    let strip = |strip: usize| {
        let mut sum: Array1<f64> = Array1::zeros(blocks.ncols());
        for row in strip * STRIP..blocks.nrows().min((strip + 1) * STRIP) {
            let apart = &blocks.row(row) - &predict(row);
            sum += &apart.mapv(|d| f64::from(d * d));
        }
        sum
    };
    let strips: Vec<Array1<f64>> =
        (0..blocks.nrows().div_ceil(STRIP)).into_par_iter().map(strip).collect();
    let total = strips.into_iter().fold(Array1::zeros(blocks.ncols()), |sum, part| sum + part);
    total / blocks.nrows() as f64
}

/// Channels of a block added up.
fn per_block(columns: &Array1<f64>, grid: &Grid) -> Array1<f64> {
    let depth = grid.depth();
    (0..grid.len()).map(|block| (0..depth).map(|c| columns[block * depth + c]).sum()).collect()
}

#[cfg(test)]
mod tests;
