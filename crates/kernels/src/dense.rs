//! Dense layers: y = activation(x W + b), with `x: [rows][inputs]` and `W: [inputs][outputs]`.
//!
//! A batch has few rows and W may have a hundred million numbers, so each of the three products reads
//! (or writes) W once:
//!
//! * y: W is packed, two panels of a block of rows at a time, and the next block is asked for meanwhile;
//! * ∂W = xᵀ g: the rows of the product are those of W, the panels are the gradient's;
//! * ∂x = g Wᵀ, computed as its transpose: the rows are again those of W, as they lie.

use std::ops::Range;

use rayon::prelude::*;

use crate::activation::Activation;
use crate::backward::{Backward, Gradients};
use crate::cpu::{Cpu, Kernel};
use crate::fill::fill;
use crate::lanes::{Lanes, WIDTH};
use crate::layout::{pack, transpose, turn_panels};
use crate::panel::{PanelRow, whole_panels};
use crate::product::{Product, Rows};

/// Rows of W whose columns are packed, two panels at a time: a third of a first-level cache.
const PACKED: usize = 128;
/// Columns that a task takes, and how many tasks there should be, for as many columns as that gives.
const SPAN: Range<usize> = 64..288;
const TASKS: usize = 8;
/// Columns of W that the gradient of the input takes at once.
const DEPTH: usize = 512;
/// Columns of W whose gradient is computed before going on: those of the output's stay in cache.
const CHUNK: usize = 4096;
/// Rows of a batch, or of W, that a thread takes at once.
const BATCH_ROWS: usize = 384;
const WEIGHT_ROWS: usize = 96;
/// Multiplications below which a second thread costs more than it brings.
const WORTH_A_THREAD: usize = 1 << 21;
/// Numbers below which it is the same for what only undoes an activation.
const WORTH_UNDOING_APART: usize = 1 << 16;

/// A dense layer's sizes.
#[derive(Clone, Copy, Debug)]
pub struct Dense {
    /// Numbers in a row of the input.
    pub inputs: usize,
    /// Numbers in a row of the output.
    pub outputs: usize,
    /// The instructions to use.
    pub cpu: Cpu,
}

impl Dense {
    /// activation(x W + b); an empty bias is none.
    pub fn forward(&self, x: &[f32], weight: &[f32], bias: &[f32], then: Activation) -> Vec<f32> {
        let rows = self.check(x, weight);
        assert!(bias.is_empty() || bias.len() == self.outputs, "a bias per output, or none");
        let bias = whole_panels(bias);
        let mut out = Vec::with_capacity(rows * self.outputs);
        let shared = Shared(out.spare_capacity_mut()[..rows * self.outputs].as_mut_ptr().cast());
        let span = self.outputs.div_ceil(TASKS).next_multiple_of(2 * WIDTH);
        let span = span.clamp(SPAN.start, SPAN.end);
        let spans = self.outputs.div_ceil(span);
        let tasks = rows.div_ceil(BATCH_ROWS) * spans;
        let task = |task: usize| {
            let (row, column) = (task / spans * BATCH_ROWS, task % spans * span);
            let block = Forward {
                dense: self,
                x: &x[row * self.inputs..],
                rows: BATCH_ROWS.min(rows - row),
                weight,
                columns: column..(column + span).min(self.outputs),
                bias: &bias,
                then,
                // SAFETY: within the room above.
                out: unsafe { shared.at(row * self.outputs) },
            };
            // SAFETY: `x` and `out` have these rows; tasks write different rows or columns.
            unsafe { self.cpu.run(block) }
        };
        if rows * self.inputs * self.outputs < WORTH_A_THREAD {
            (0..tasks).for_each(task);
        } else {
            (0..tasks).into_par_iter().for_each(task);
        }
        // SAFETY: the tasks cover every row and column.
        unsafe { out.set_len(rows * self.outputs) };
        out
    }

    /// The gradients of [`forward`](Self::forward).
    pub fn backward(&self, layer: &Backward) -> Gradients {
        let rows = self.check(layer.input, layer.weight);
        let size = rows * self.outputs;
        assert!(layer.kept.len() == size && layer.gradient.len() == size);
        let (panels, bias) = self.gradient_panels(layer, rows);
        let weight = self.weight_gradient(layer.input, rows, &panels);
        let input = if layer.want_input {
            self.input_gradient(layer.weight, rows, &panels)
        } else {
            vec![]
        };
        Gradients { input, weight, bias }
    }

    /// The gradient of the sums as panels, `[panel of outputs][row][16]`, and of the bias.
    fn gradient_panels(&self, layer: &Backward, rows: usize) -> (Vec<PanelRow>, Vec<f32>) {
        let count = self.outputs.div_ceil(WIDTH);
        let mut panels = vec![PanelRow::default(); count * rows];
        let mut bias = vec![0.0; count * WIDTH];
        let task = |(panel, (out, bias)): (usize, (&mut [PanelRow], &mut [f32]))| {
            let kernel = UndoPanel {
                activation: layer.activation,
                gradient: layer.gradient,
                kept: layer.kept,
                outputs: self.outputs,
                column: panel * WIDTH,
                out,
                bias,
            };
            // SAFETY: the kernel reads only the slices it holds, and its own rows are checked.
            unsafe { self.cpu.run(kernel) }
        };
        if rows * self.outputs < WORTH_UNDOING_APART {
            panels.chunks_mut(rows).zip(bias.chunks_mut(WIDTH)).enumerate().for_each(task);
        } else {
            let tasks = panels.par_chunks_mut(rows).zip(bias.par_chunks_mut(WIDTH));
            tasks.enumerate().for_each(task);
        }
        bias.truncate(self.outputs);
        (panels, bias)
    }

    /// ∂W = xᵀ g
    fn weight_gradient(&self, x: &[f32], rows: usize, panels: &[PanelRow]) -> Vec<f32> {
        let turned = transpose(x, rows, self.inputs);
        let block = self.weight_rows(rows);
        fill(self.inputs * self.outputs, block * self.outputs, |i, out| {
            let count = out.len() / self.outputs;
            for column in (0..self.outputs).step_by(CHUNK) {
                let product = Product {
                    rows: &Rows::matrix(count, rows, rows, self.outputs),
                    count,
                    left: turned[i * block * rows..].as_ptr(),
                    panels: &panels[column / WIDTH * rows..],
                    panel_rows: rows,
                    columns: CHUNK.min(self.outputs - column),
                    out: out[column..].as_mut_ptr().cast(),
                    bias: &[],
                    accumulate: false,
                    activation: Activation::None,
                };
                // SAFETY: `turned` has a row per input, and `out` a row per input of this block.
                unsafe { self.cpu.run(product) }
            }
        })
    }

    /// ∂x = g Wᵀ, through (∂x)ᵀ = W gᵀ.
    fn input_gradient(&self, weight: &[f32], rows: usize, panels: &[PanelRow]) -> Vec<f32> {
        let turned = turn_panels(panels, rows, self.outputs);
        let block = self.weight_rows(rows);
        let out = fill(self.inputs * rows, block * rows, |i, out| {
            let count = out.len() / rows;
            for start in (0..self.outputs).step_by(DEPTH) {
                let depth = DEPTH.min(self.outputs - start);
                let product = Product {
                    rows: &Rows::matrix(count, depth, self.outputs, rows),
                    count,
                    left: weight[i * block * self.outputs + start..].as_ptr(),
                    panels: &turned[start..],
                    panel_rows: self.outputs,
                    columns: rows,
                    out: out.as_mut_ptr().cast(),
                    bias: &[],
                    accumulate: start > 0,
                    activation: Activation::None,
                };
                // SAFETY: `weight` has a row per input, and `out` a row per input of this block.
                unsafe { self.cpu.run(product) }
            }
        });
        transpose(&out, self.inputs, rows)
    }

    /// How many rows of W a task takes: all of them where a thread is not worth it.
    fn weight_rows(&self, rows: usize) -> usize {
        if rows * self.inputs * self.outputs < WORTH_A_THREAD {
            return self.inputs;
        }
        WEIGHT_ROWS.min(self.inputs.div_ceil(4))
    }

    /// The rows of the batch.
    fn check(&self, x: &[f32], weight: &[f32]) -> usize {
        assert!(self.inputs > 0 && self.outputs > 0 && !x.is_empty(), "nothing to multiply");
        assert!(x.len().is_multiple_of(self.inputs), "whole rows of inputs");
        assert_eq!(weight.len(), self.inputs * self.outputs, "a weight per input and output");
        x.len() / self.inputs
    }
}

/// Some rows of the batch times some columns of W.
struct Forward<'a> {
    dense: &'a Dense,
    x: &'a [f32],
    rows: usize,
    weight: &'a [f32],
    columns: Range<usize>,
    bias: &'a [f32],
    then: Activation,
    /// The first of these rows of the output, at the first of all columns.
    out: *mut f32,
}

impl Kernel for Forward<'_> {
    type Output = ();

    /// # Safety
    /// The output has these rows, and nobody else uses these columns of them.
    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let Dense { inputs, outputs, .. } = *self.dense;
        let mut panels = vec![PanelRow::default(); 2 * PACKED.min(inputs)];
        let mut rows = Rows::matrix(self.rows, PACKED, inputs, outputs);
        for start in (0..inputs).step_by(PACKED) {
            rows.run = PACKED.min(inputs - start);
            let last = start + rows.run == inputs;
            for column in self.columns.clone().step_by(2 * WIDTH) {
                let columns = (2 * WIDTH).min(self.columns.end - column);
                let from = &self.weight[start * outputs + column..];
                // SAFETY: the processor has the instructions; the caller answers for the memory.
                unsafe {
                    pack::<L>(from, outputs, rows.run, columns, &mut panels);
                    let product = Product {
                        rows: &rows,
                        count: self.rows,
                        left: self.x[start..].as_ptr(),
                        panels: &panels,
                        panel_rows: rows.run,
                        columns,
                        out: self.out.add(column),
                        bias: if self.bias.is_empty() { &[] } else { &self.bias[column..] },
                        accumulate: start > 0,
                        activation: if last { self.then } else { Activation::None },
                    };
                    product.run::<L>();
                }
            }
        }
    }
}

/// A pointer that several threads may use, each for floats of its own.
struct Shared(*mut f32);
// SAFETY: whoever calls `at` answers for different threads using different floats.
unsafe impl Sync for Shared {}

impl Shared {
    /// # Safety
    /// `offset` lies within the memory, and no two threads use the same floats.
    unsafe fn at(&self, offset: usize) -> *mut f32 {
        // SAFETY: the caller's.
        unsafe { self.0.add(offset) }
    }
}

/// One panel of the gradient of the sums, and of the bias.
struct UndoPanel<'a> {
    activation: Activation,
    gradient: &'a [f32],
    kept: &'a [f32],
    outputs: usize,
    column: usize,
    out: &'a mut [PanelRow],
    bias: &'a mut [f32],
}

impl Kernel for UndoPanel<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let width = WIDTH.min(self.outputs - self.column);
        // SAFETY: the slices have `width` numbers, and the sum's room sixteen.
        unsafe {
            let mut sum = L::splat(0.0);
            for (row, out) in self.out.iter_mut().enumerate() {
                let at = row * self.outputs + self.column;
                let gradient = loaded::<L>(&self.gradient[at..at + width]);
                let kept = loaded::<L>(&self.kept[at..at + width]);
                let value = self.activation.undo(gradient, kept);
                sum = sum.add(value);
                value.store(out.0.as_mut_ptr());
            }
            sum.store(self.bias[..WIDTH].as_mut_ptr());
        }
    }
}

/// Sixteen numbers, or fewer and zeros. Not a closure: those given to `array::map` are not inlined, and what is not
/// inlined is compiled without the instructions.
///
/// # Safety
/// The processor has the instructions of `L`.
#[inline(always)]
unsafe fn loaded<L: Lanes>(from: &[f32]) -> L {
    // SAFETY: the slice has as many numbers as are read; the caller answers for the instructions.
    unsafe {
        match from.len() {
            WIDTH => L::load(from.as_ptr()),
            width => L::load_part(from.as_ptr(), width),
        }
    }
}
