//! A small network of every pair of nodes, whose first layer is split between the two:
//!
//! ```text
//! out[i, j] = Σ_k w[k] leaky(u[i, k] + v[j, k])
//! ```
//!
//! With u = x U + b and v = x V this is w · leaky([x_i ; x_j] W + b) for all pairs, without the pairs: what is
//! computed once per node is, and the hidden layer of a pair never leaves the registers.

use rayon::prelude::*;

use crate::cpu::{Cpu, Kernel};
use crate::lanes::{Lanes, WIDTH};

/// Graphs of `nodes` nodes with `hidden` numbers each.
#[derive(Clone, Copy, Debug)]
pub struct Pairs {
    /// Nodes of each graph.
    pub nodes: usize,
    /// Hidden units.
    pub hidden: usize,
    /// Of the leaky rectifier below zero, from 0 to 1.
    pub slope: f32,
    /// The instruction set.
    pub cpu: Cpu,
}

/// Of the three inputs.
#[derive(Debug)]
pub struct PairGradients {
    /// `[graphs, nodes, hidden]`
    pub u: Vec<f32>,
    /// `[graphs, nodes, hidden]`
    pub v: Vec<f32>,
    /// `[graphs, hidden]`
    pub w: Vec<f32>,
}

impl Pairs {
    /// u and v `[graphs, nodes, hidden]`, w `[graphs, hidden]` to `[graphs, nodes, nodes]`.
    pub fn forward(&self, u: &[f32], v: &[f32], w: &[f32]) -> Vec<f32> {
        let [graphs, size] = self.sizes(u, v, w);
        let columns = self.nodes.next_multiple_of(WIDTH);
        let mut out = vec![0.0; graphs * self.nodes * self.nodes];
        out.par_chunks_mut(self.nodes * self.nodes).enumerate().for_each(|(graph, out)| {
            let (u, v) = (&u[graph * size..][..size], &v[graph * size..][..size]);
            let mut across = vec![0.0; self.hidden * columns];
            for (j, v) in v.chunks_exact(self.hidden).enumerate() {
                v.iter().enumerate().for_each(|(k, v)| across[k * columns + j] = *v);
            }
            let w = &w[graph * self.hidden..][..self.hidden];
            // SAFETY: `across` has `hidden` rows of whole vectors, `out` has `nodes` rows of `nodes`.
            unsafe { self.cpu.run(Forward { of: self, u, across: &across, w, out }) }
        });
        out
    }

    /// Back through [`forward`](Self::forward), from the gradient of its output.
    pub fn backward(&self, u: &[f32], v: &[f32], w: &[f32], gradient: &[f32]) -> PairGradients {
        let [graphs, size] = self.sizes(u, v, w);
        let (nodes, hidden) = (self.nodes, self.hidden);
        assert_eq!(gradient.len(), graphs * nodes * nodes, "a number for each pair");
        let mut found =
            PairGradients { u: vec![0.0; u.len()], v: vec![0.0; v.len()], w: vec![0.0; w.len()] };
        let outputs = found.u.par_chunks_mut(size).zip(found.v.par_chunks_mut(size));
        let outputs = outputs.zip(found.w.par_chunks_mut(hidden)).enumerate();
        outputs.for_each(|(graph, ((du, dv), dw))| {
            let part = |all: &[f32]| self.padded(&all[graph * size..][..size]);
            let mut sums = Sums::zero(nodes, hidden);
            let (u, v) = (part(u), part(v));
            let gradient = &gradient[graph * nodes * nodes..][..nodes * nodes];
            // SAFETY: all rows of u, v and the sums are whole vectors.
            unsafe { self.cpu.run(Back { of: self, u: &u, v: &v, gradient, sums: &mut sums }) }
            let w = &w[graph * hidden..][..hidden];
            for (sums, out) in [(&sums.u, du), (&sums.v, dv)] {
                let rows = sums.chunks_exact(hidden.next_multiple_of(WIDTH));
                for (sums, out) in rows.zip(out.chunks_exact_mut(hidden)) {
                    out.iter_mut().zip(sums).zip(w).for_each(|((out, sum), w)| *out = sum * w);
                }
            }
            dw.copy_from_slice(&sums.w[..hidden]);
        });
        found
    }

    /// How many graphs, and the numbers of one.
    fn sizes(&self, u: &[f32], v: &[f32], w: &[f32]) -> [usize; 2] {
        let size = self.nodes * self.hidden;
        assert!(size > 0 && u.len().is_multiple_of(size), "whole graphs");
        let graphs = u.len() / size;
        assert!(v.len() == u.len() && w.len() == graphs * self.hidden, "of each graph");
        [graphs, size]
    }

    /// Rows of whole vectors, with zeros behind.
    fn padded(&self, rows: &[f32]) -> Vec<f32> {
        let width = self.hidden.next_multiple_of(WIDTH);
        let mut out = vec![0.0; self.nodes * width];
        for (row, out) in rows.chunks_exact(self.hidden).zip(out.chunks_exact_mut(width)) {
            out[..self.hidden].copy_from_slice(row);
        }
        out
    }
}

/// One graph, sixteen second nodes at a time.
struct Forward<'a> {
    of: &'a Pairs,
    u: &'a [f32],
    /// v, transposed: `[hidden, nodes]`, rows of whole vectors.
    across: &'a [f32],
    w: &'a [f32],
    out: &'a mut [f32],
}

impl Kernel for Forward<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let Pairs { nodes, hidden, slope, .. } = *self.of;
        let columns = nodes.next_multiple_of(WIDTH);
        // SAFETY: as the caller says; the last columns of a row are stored in part.
        unsafe {
            let slope = L::splat(slope);
            for i in 0..nodes {
                for j in (0..nodes).step_by(WIDTH) {
                    let mut sum = L::splat(0.0);
                    for k in 0..hidden {
                        let across = L::load(self.across.as_ptr().add(k * columns + j));
                        let a = across.add(L::splat(self.u[i * hidden + k]));
                        sum = a.max(a.mul(slope)).mul_add(L::splat(self.w[k]), sum);
                    }
                    let to = self.out.as_mut_ptr().add(i * nodes + j);
                    match nodes - j {
                        rest if rest < WIDTH => sum.store_part(to, rest),
                        _ => sum.store(to),
                    }
                }
            }
        }
    }
}

/// Sums over pairs of the gradient times the slope of each unit; of `w` also times the unit.
struct Sums {
    u: Vec<f32>,
    v: Vec<f32>,
    w: Vec<f32>,
}

impl Sums {
    fn zero(nodes: usize, hidden: usize) -> Self {
        let width = hidden.next_multiple_of(WIDTH);
        Self { u: vec![0.0; nodes * width], v: vec![0.0; nodes * width], w: vec![0.0; width] }
    }
}

/// One graph, sixteen hidden units at a time.
struct Back<'a> {
    of: &'a Pairs,
    u: &'a [f32],
    v: &'a [f32],
    gradient: &'a [f32],
    sums: &'a mut Sums,
}

impl Kernel for Back<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let Pairs { nodes, hidden, slope, .. } = *self.of;
        let width = hidden.next_multiple_of(WIDTH);
        let Sums { u: of_u, v: of_v, w: of_w } = self.sums;
        // SAFETY: as the caller says, with `k` below the width of the rows.
        unsafe {
            for k in (0..width).step_by(WIDTH) {
                let mut of_w_here = L::splat(0.0);
                for i in 0..nodes {
                    let u = L::load(self.u.as_ptr().add(i * width + k));
                    let mut of_u_here = L::splat(0.0);
                    for j in 0..nodes {
                        let a = L::load(self.v.as_ptr().add(j * width + k)).add(u);
                        let gradient = self.gradient[i * nodes + j];
                        let g = a.if_positive(L::splat(gradient), L::splat(slope * gradient));
                        of_u_here = of_u_here.add(g);
                        of_w_here = g.mul_add(a, of_w_here);
                        let to = of_v.as_mut_ptr().add(j * width + k);
                        L::load(to).add(g).store(to);
                    }
                    of_u_here.store(of_u.as_mut_ptr().add(i * width + k));
                }
                of_w_here.store(of_w.as_mut_ptr().add(k));
            }
        }
    }
}
