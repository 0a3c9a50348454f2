//! Rows laid out for vectors: eight rows side by side, their inputs one after the other, so that
//! one instruction works on the same input of several rows.

#![expect(clippy::inline_always, reason = "what is not inlined is compiled for an old processor")]

use ndarray::{Array2, ArrayView2};

use crate::stats::lanes::{Kernel, LANES, Lanes, run};

/// How many classes are worked on together, so that an input that was loaded is used often.
const CLASSES: usize = 4;

/// Rows `[rows, inputs]` with a constant 1 behind the inputs of each, as the input of the intercept.
#[derive(Clone, Debug)]
pub struct Strips {
    rows: usize,
    /// Inputs and the constant.
    width: usize,
    /// `[strips, width]`, each of eight rows; zeros where there is no row any more.
    values: Vec<Lanes>,
}

impl Strips {
    /// These rows of a table.
    pub fn new(inputs: ArrayView2<f64>, rows: &[usize]) -> Self {
        let width = inputs.ncols() + 1;
        let mut values = vec![Lanes::ZERO; rows.len().div_ceil(LANES) * width];
        for (position, &row) in rows.iter().enumerate() {
            let strip = &mut values[position / LANES * width..][..width];
            for (input, value) in inputs.row(row).iter().chain(&[1.0]).enumerate() {
                strip[input].0[position % LANES] = *value;
            }
        }
        Self { rows: rows.len(), width, values }
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many inputs a row has, the constant among them.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Strip after strip.
    #[inline(always)]
    pub(super) fn each(&self) -> std::slice::ChunksExact<'_, Lanes> {
        self.values.chunks_exact(self.width)
    }

    /// For each row the class with the largest linear score w_k · x, the first of equals. `weights`
    /// are `[classes, width]`.
    pub fn predict(&self, weights: &[f64]) -> Vec<usize> {
        let weights = Packed::new(weights, self.width);
        let mut found = run(Predict { strips: self, weights: &weights });
        found.truncate(self.rows);
        found
    }
}

impl Strips {
    /// The linear scores w_k · x, `[rows, classes]`.
    pub fn scores(&self, weights: &[f64]) -> Array2<f64> {
        let packed = Packed::new(weights, self.width);
        let mut out = Array2::zeros((self.rows, packed.classes));
        for (number, strip) in self.each().enumerate() {
            packed.scores::<false>(strip, |first, scores| {
                for (class, score) in (first..).zip(scores) {
                    for (row, score) in (number * LANES..).zip(score.0) {
                        // There may be neither this row nor this class any more.
                        if let Some(entry) = out.get_mut((row, class)) {
                            *entry = score;
                        }
                    }
                }
            });
        }
        out
    }
}

/// Weights in the order of their use: four classes, input by input.
#[derive(Debug)]
pub(super) struct Packed {
    classes: usize,
    width: usize,
    /// `[classes / 4, width, 4]`; the last class again where there is none any more.
    values: Vec<[f64; CLASSES]>,
}

impl Packed {
    /// From `[classes, width]`.
    pub(super) fn new(weights: &[f64], width: usize) -> Self {
        let classes = weights.len() / width;
        let mut packed = Self {
            classes,
            width,
            values: vec![[0.0; CLASSES]; classes.div_ceil(CLASSES) * width],
        };
        packed.fill(weights);
        packed
    }

    /// Other weights of the same shape.
    pub(super) fn fill(&mut self, weights: &[f64]) {
        for (group, slots) in self.values.chunks_exact_mut(self.width).enumerate() {
            for lane in 0..CLASSES {
                let class = (group * CLASSES + lane).min(self.classes - 1);
                for (slot, weight) in slots.iter_mut().zip(&weights[class * self.width..]) {
                    slot[lane] = *weight;
                }
            }
        }
    }

    /// Give `take` the scores w_k · x for the eight rows of a strip, four classes at a time, with
    /// the number of the first.
    #[inline(always)]
    pub(super) fn scores<const FUSED: bool>(
        &self,
        strip: &[Lanes],
        mut take: impl FnMut(usize, [Lanes; CLASSES]),
    ) {
        for (group, weights) in self.values.chunks_exact(self.width).enumerate() {
            let mut sums = [Lanes::ZERO; CLASSES];
            for (x, weights) in strip.iter().zip(weights) {
                for (sum, weight) in sums.iter_mut().zip(weights) {
                    *sum = Lanes::all(*weight).times_plus::<FUSED>(*x, *sum);
                }
            }
            take(group * CLASSES, sums);
        }
    }
}

struct Predict<'a> {
    strips: &'a Strips,
    weights: &'a Packed,
}

impl Kernel for Predict<'_> {
    type Output = Vec<usize>;

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> Vec<usize> {
        let mut found = Vec::with_capacity(self.strips.rows + LANES);
        for strip in self.strips.each() {
            let mut best = [f64::NEG_INFINITY; LANES];
            let mut classes = [0.0; LANES];
            self.weights.scores::<FUSED>(strip, |first, scores| {
                for (class, score) in (first..).zip(&scores) {
                    for lane in 0..LANES {
                        let better = score.0[lane] > best[lane];
                        best[lane] = if better { score.0[lane] } else { best[lane] };
                        // A number of the same size as the score, so that both are chosen alike.
                        classes[lane] = if better { class as f64 } else { classes[lane] };
                    }
                }
            });
            found.extend(classes.iter().map(|class| *class as usize));
        }
        found
    }
}
