//! A regression tree of depth three: how it grows, and where it puts rows.

use super::columns::{BINS, Columns};
use super::edges::Edges;
use super::histogram::{Cell, Grid, fill, fill_child};
use super::probability::BLOCK;
use super::split::{Node, Rows, best_split};

/// How many times rows are parted.
const DEPTH: usize = 3;

/// How many leaves a tree has; some may be empty.
pub(super) const LEAVES: usize = 1 << DEPTH;

/// A tree. Node i of a level has the children 2i and 2i + 1 on the next; a node that is not parted
/// has all its rows in its left child.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    /// Which column each node looks at, level by level.
    columns: [u32; LEAVES - 1],
    /// A row goes right if it is above.
    thresholds: [f32; LEAVES - 1],
    /// What each leaf adds to the scores of its rows.
    pub(super) values: [f64; LEAVES],
}

impl Tree {
    /// The leaf of each row; columns hold the same rows.
    pub(super) fn find_leaves(&self, columns: &[&[f32]], nodes: &mut [u8]) {
        nodes.fill(0);
        (0..DEPTH).for_each(|depth| self.descend(depth, columns, nodes));
    }

    /// One level down.
    fn descend(&self, depth: usize, columns: &[&[f32]], nodes: &mut [u8]) {
        const STEP: usize = 32;
        let first = (1 << depth) - 1;
        let split = |node: usize| {
            let at = (first + node).min(LEAVES - 2);
            (columns[self.columns[at] as usize], self.thresholds[at])
        };
        let splits: [(&[f32], f32); LEAVES / 2] = std::array::from_fn(split);
        // All nodes look at all rows, and the one a row is in decides: more comparisons, but no
        // row by itself.
        let (steps, rest) = nodes.as_chunks_mut::<STEP>();
        for (step, nodes) in steps.iter_mut().enumerate() {
            let mut right = [0; STEP];
            for (node, (values, threshold)) in (0..1 << depth).zip(&splits) {
                let values = values[step * STEP..].first_chunk::<STEP>().expect("rows of nodes");
                let above: [u8; STEP] = std::array::from_fn(|i| u8::from(values[i] > *threshold));
                for i in 0..STEP {
                    right[i] |= above[i] & u8::from(nodes[i] == node);
                }
            }
            nodes.iter_mut().zip(right).for_each(|(node, right)| *node = 2 * *node + right);
        }
        for (node, row) in rest.iter_mut().zip(steps.len() * STEP..) {
            let (values, threshold) = splits[usize::from(*node)];
            *node = 2 * *node + u8::from(values[row] > threshold);
        }
    }

    /// Add to each score the value of its leaf.
    pub(super) fn add(&self, leaves: &[u8], scores: &mut [f64; BLOCK]) {
        for (score, leaf) in scores.iter_mut().zip(leaves) {
            *score += self.values[usize::from(*leaf) % LEAVES];
        }
    }
}

/// What a tree needs to grow, used again for the next.
pub(super) struct Ground {
    /// The residual of each row, on the grid.
    pub(super) wholes: Vec<i64>,
    /// Their sum in each leaf.
    pub(super) sums: [i64; LEAVES],
    histograms: [Vec<[Cell; BINS]>; LEAVES / 2],
    edges: Vec<Edges>,
}

/// A node while its tree grows, with the number of its histogram if it may be parted.
type Growing = (Node, Option<usize>);

impl Ground {
    pub(super) fn new(columns: &Columns) -> Self {
        let width = columns.values.len();
        Self {
            wholes: vec![0; columns.rows],
            sums: [0; LEAVES],
            histograms: std::array::from_fn(|_| vec![[[0; 2]; BINS]; width]),
            edges: vec![Edges::NEW; width],
        }
    }

    /// Grow a tree for the residuals, which must be set. Sets the leaf of each row and the sums of
    /// leaves, and adds what each column gained.
    pub(super) fn grow(
        &mut self,
        columns: &Columns,
        grid: Grid,
        leaves: &mut [u8],
        gains: &mut [f64],
        seed: u64,
    ) -> Tree {
        let mut tree = Tree {
            columns: [0; LEAVES - 1],
            thresholds: [f32::INFINITY; LEAVES - 1],
            values: [0.0; LEAVES],
        };
        let values: Vec<&[f32]> = columns.values.iter().map(|column| &column[..]).collect();
        leaves.fill(0);
        fill(&mut self.histograms[0], columns, &self.wholes, grid);
        let root = Node { id: 0, count: columns.rows as i64, sum: self.wholes.iter().sum() };
        let mut growing: [Growing; LEAVES] = [(root, Some(0)); LEAVES];
        for depth in 0..DEPTH {
            let rows = Rows { columns, wholes: &self.wholes, grid, nodes: leaves };
            // From the right, so that children do not take the place of those still to be parted.
            for at in (0..1 << depth).rev() {
                let number = (1 << depth) - 1 + at;
                let (node, histogram) = growing[at];
                let split = histogram.filter(|_| node.count > 1).and_then(|histogram| {
                    let seed = seed * LEAVES as u64 + number as u64;
                    best_split(&rows, &self.histograms[histogram], &mut self.edges, node, seed)
                });
                let (mut left, mut right) = (node, Node { id: 0, count: 0, sum: 0 });
                if let Some(split) = split {
                    tree.columns[number] = split.column as u32;
                    tree.thresholds[number] = split.threshold;
                    gains[split.column] += split.gain;
                    left = Node { id: 0, count: split.count, sum: split.sum };
                    right.count = node.count - split.count;
                    right.sum = node.sum - split.sum;
                }
                (left.id, right.id) = (2 * at as u8, 2 * at as u8 + 1);
                let histogram = split.and(histogram);
                (growing[2 * at], growing[2 * at + 1]) = ((left, histogram), (right, histogram));
            }
            tree.descend(depth, &values, leaves);
            if depth + 1 < DEPTH {
                self.part_histograms(columns, grid, leaves, &mut growing[..2 << depth]);
            }
        }
        self.sums = growing.map(|(node, _)| node.sum);
        tree
    }

    /// Siblings still share their parent's histogram: the smaller one gets its own, and what is
    /// left is the larger one's.
    fn part_histograms(
        &mut self,
        columns: &Columns,
        grid: Grid,
        nodes: &[u8],
        growing: &mut [Growing],
    ) {
        let parents = growing.len() / 2;
        for (at, pair) in growing.chunks_exact_mut(2).enumerate() {
            let Some(parent) = pair[0].1 else { continue };
            let small = usize::from(pair[1].0.count < pair[0].0.count);
            pair[small].1 = Some(parents + at);
            let (old, new) = self.histograms.split_at_mut(parents);
            let histograms = (&mut old[parent][..], &mut new[at][..]);
            fill_child(histograms, columns, &self.wholes, grid, (nodes, pair[small].0.id));
        }
    }
}
