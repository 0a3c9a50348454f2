//! One network that predicts from any of several subsets of its inputs (CITRIS, Lippe et al. 2022,
//! arXiv:2202.03169): it sees the inputs of the subset, zeros for the others, and which is which,
//!
//! ```text
//! ŷ = network([x ∘ m, m]),    m_j = 1 if input j is in the subset, 0 otherwise
//! ```
//!
//! so that one training serves all subsets.

use ndarray::{Array2, ArrayView1, ArrayView2, ArrayViewMut1, Axis, concatenate};

use crate::error::Result;
use crate::predictors::perceptron::{Perceptron, Teacher};
use crate::rng::Rng;
use crate::watch::Stage;

/// Rows that are predicted at once, to bound the memory.
const ROWS: usize = 8192;

/// How the network is taught.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Training {
    /// The width of both hidden layers.
    pub hidden: usize,
    /// Rows in a batch.
    pub batch: usize,
    /// Whether a batch shows each of its rows with every subset, or with one, in turn.
    pub every_subset: bool,
    /// How many times each row is shown with each subset.
    pub epochs: usize,
    /// No more steps than this, however many rows there are.
    pub most_steps: usize,
    /// The step size of Adam.
    pub rate: f32,
    /// Whether the step size falls to zero along a straight line.
    pub falling: bool,
    /// Whether the first layer starts within ±2 / sqrt(inputs of the largest subset), not within
    /// ±1 / sqrt(all inputs). Most inputs are zero at any time, and with small weights the network
    /// starts close to a straight line and is slow to leave it.
    pub wide: bool,
}

impl Training {
    /// As in the code of CITRIS.
    pub const PAPER: Self = Self {
        hidden: 128,
        batch: 512,
        every_subset: true,
        epochs: 100,
        most_steps: usize::MAX,
        rate: 4e-3,
        falling: false,
        wide: false,
    };
    /// The same network in a time that does not grow with the rows. Steps that start large and fall
    /// to zero, and a wide start, come to rest where the authors' steps are still on their way.
    pub const BOUNDED: Self = Self {
        every_subset: false,
        epochs: 50,
        most_steps: 1000,
        rate: 1e-2,
        falling: true,
        wide: true,
        ..Self::PAPER
    };
}

/// The network, taught.
#[derive(Clone, Debug, PartialEq)]
pub struct SubsetPredictor {
    perceptron: Perceptron,
    /// The columns that are in some subset, rising.
    inputs: Vec<usize>,
}

impl SubsetPredictor {
    /// Teach it to predict `y` `[rows, outputs]` from each of these subsets of the columns of `x`
    /// `[rows, columns]`. There must be a row and a subset, and no subset may be empty. All of it
    /// is `share` of the work that is watched.
    pub fn teach(
        (x, y): (ArrayView2<f32>, ArrayView2<f32>),
        subsets: &[Vec<usize>],
        training: Training,
        rng: &Rng,
        (watch, share): (&Stage, f64),
    ) -> Result<Self> {
        let mut inputs = subsets.concat();
        inputs.sort_unstable();
        inputs.dedup();
        let widths = [2 * inputs.len(), training.hidden, training.hidden, y.ncols()];
        let largest = subsets.iter().map(Vec::len).max().unwrap_or(1) as f64;
        let stretch = match training.wide {
            true => 2.0 * (widths[0] as f64 / largest).sqrt(),
            false => 1.0,
        };
        let start = Perceptron::new(&widths, stretch, &mut rng.split("start"));
        let mut teacher = Teacher::new(start);
        let mut batches = Batches::new(x.nrows(), subsets.len(), training, rng.split("rows"));
        let places: Vec<_> = subsets.iter().map(|subset| places(&inputs, subset)).collect();
        let mut shown = Array2::zeros((batches.most_pairs(), widths[0]));
        let mut wanted = Array2::zeros((batches.most_pairs(), widths[3]));
        for step in 0..batches.steps {
            let pairs = batches.next();
            for (i, &(row, subset)) in pairs.iter().enumerate() {
                show(shown.row_mut(i), x.row(row), &places[subset]);
                wanted.row_mut(i).assign(&y.row(row));
            }
            let [x, y] =
                [&shown, &wanted].map(|all| all.slice_axis(Axis(0), (..pairs.len()).into()));
            let left = 1.0 - step as f32 / batches.steps as f32;
            teacher.step(x, y, training.rate * if training.falling { left } else { 1.0 });
            watch.advance(share / batches.steps as f64)?;
        }
        Ok(Self { perceptron: teacher.finish(), inputs })
    }

    /// What it makes of one of the subsets for rows `[rows, columns]`: `[rows, outputs]`.
    pub fn predict(&self, x: ArrayView2<f32>, subset: &[usize]) -> Array2<f32> {
        let places = places(&self.inputs, subset);
        let mut shown = Array2::zeros((ROWS.min(x.nrows()), 2 * self.inputs.len()));
        let mut parts = Vec::new();
        for rows in x.axis_chunks_iter(Axis(0), ROWS) {
            for (shown, row) in shown.rows_mut().into_iter().zip(rows.rows()) {
                show(shown, row, &places);
            }
            let shown = shown.slice_axis(Axis(0), (..rows.nrows()).into());
            parts.push(self.perceptron.predict(shown));
        }
        let parts: Vec<_> = parts.iter().map(|part| part.view()).collect();
        concatenate(Axis(0), &parts).expect("all parts have the width of the output")
    }
}

/// Pairs of a row and a subset, batch by batch. A pass goes through all rows in a new random order.
struct Batches {
    training: Training,
    rows: usize,
    subsets: usize,
    /// How many batches there are.
    steps: usize,
    rng: Rng,
    passes: usize,
    /// The rows of this pass, and how many of them were shown.
    order: Vec<usize>,
    shown: usize,
    pairs: Vec<(usize, usize)>,
}

impl Batches {
    fn new(rows: usize, subsets: usize, training: Training, rng: Rng) -> Self {
        let passes = training.epochs * if training.every_subset { 1 } else { subsets };
        let steps = (passes * rows.div_ceil(training.batch)).min(training.most_steps);
        let (order, pairs) = (Vec::new(), Vec::new());
        Self { training, rows, subsets, steps, rng, passes: 0, order, shown: 0, pairs }
    }

    fn most_pairs(&self) -> usize {
        let each = if self.training.every_subset { self.subsets } else { 1 };
        self.training.batch.min(self.rows) * each
    }

    fn next(&mut self) -> &[(usize, usize)] {
        if self.shown == self.order.len() {
            self.order = self.rng.at(self.passes as u64).permutation(self.rows);
            self.passes += 1;
            self.shown = 0;
        }
        let last = (self.shown + self.training.batch).min(self.rows);
        self.pairs.clear();
        for place in self.shown..last {
            let row = self.order[place];
            match self.training.every_subset {
                true => self.pairs.extend((0..self.subsets).map(|subset| (row, subset))),
                // By the place in a random order: rows in the order of a grid would give each
                // subset other values to see.
                false => self.pairs.push((row, (place + self.passes) % self.subsets)),
            }
        }
        self.shown = last;
        &self.pairs
    }
}

/// Pairs of a column in the subset and its place among the inputs.
fn places(inputs: &[usize], subset: &[usize]) -> Vec<(usize, usize)> {
    let place = |column: &usize| inputs.binary_search(column).expect("subsets are of the inputs");
    subset.iter().map(|column| (*column, place(column))).collect()
}

/// [x ∘ m, m]
fn show(mut shown: ArrayViewMut1<f32>, row: ArrayView1<f32>, places: &[(usize, usize)]) {
    shown.fill(0.0);
    let inputs = shown.len() / 2;
    for &(column, place) in places {
        shown[place] = row[column];
        shown[inputs + place] = 1.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_is_shown_as_often_as_said_and_subsets_take_turns() {
        let training = Training { batch: 4, epochs: 3, ..Training::BOUNDED };
        let mut batches = Batches::new(10, 2, training, Rng::new(0));
        // 3 epochs of 2 subsets, each in batches of 4, 4 and 2.
        assert_eq!((batches.steps, batches.most_pairs()), (18, 4));
        let (mut rows, mut subsets) = ([0; 10], [0; 2]);
        for step in 0..18 {
            let pairs = batches.next();
            assert_eq!(pairs.len(), [4, 4, 2][step % 3]);
            for &(row, subset) in pairs {
                rows[row] += 1;
                subsets[subset] += 1;
            }
        }
        assert_eq!((rows, subsets), ([6; 10], [30; 2]));

        let every = Training { every_subset: true, ..training };
        let mut batches = Batches::new(10, 2, every, Rng::new(0));
        assert_eq!((batches.steps, batches.most_pairs()), (9, 8));
        let pairs = batches.next();
        assert_eq!((pairs.len(), pairs[0].0, pairs[0].1, pairs[1].1), (8, pairs[1].0, 0, 1));
        let bounded = Training { most_steps: 5, ..training };
        assert_eq!(Batches::new(1_000_000, 2, bounded, Rng::new(0)).steps, 5);
    }

    #[test]
    fn a_subset_is_shown_alone_and_marked() {
        let places = places(&[1, 3, 4], &[4, 1]);
        let mut shown = ndarray::arr1(&[9.0; 6]);
        show(shown.view_mut(), ndarray::arr1(&[10.0, 11.0, 12.0, 13.0, 14.0]).view(), &places);
        assert_eq!(shown, ndarray::arr1(&[11.0, 0.0, 14.0, 1.0, 0.0, 1.0]));
    }

    #[test]
    fn each_subset_predicts_what_it_can_and_the_mean_of_the_rest() {
        let mut rng = Rng::new(1);
        let x = Array2::from_shape_simple_fn((2000, 3), || rng.normal());
        // The sum of two inputs, and the third, which no subset has.
        let y = Array2::from_shape_fn((2000, 2), |(row, k)| match k {
            0 => x[[row, 0]] + x[[row, 1]],
            _ => x[[row, 2]],
        });
        let subsets = [vec![0], vec![0, 1]];
        let watch = (&Stage::unwatched(), 1.0);
        let training = Training { most_steps: 300, hidden: 32, ..Training::BOUNDED };
        let predictor =
            SubsetPredictor::teach((x.view(), y.view()), &subsets, training, &Rng::new(2), watch)
                .unwrap();
        let error = |subset: &[usize], k: usize| {
            let off = &predictor.predict(x.view(), subset).column(k) - &y.column(k);
            off.mapv(|off| off * off).mean().unwrap()
        };
        // What is left is the variance of what a subset does not have.
        let found = [error(&[0], 0), error(&[0, 1], 0), error(&[0], 1), error(&[0, 1], 1)];
        for (found, expected) in found.into_iter().zip([1.0, 0.0, 1.0, 1.0]) {
            assert!((found - expected).abs() < 0.1, "{found}, not {expected}");
        }
    }
}
