//! Attention along edges: a node sees its parents, each as much as it fits.
//!
//! ```text
//! a_ij = softmax_j(q_i · k_j / sqrt(width) + b_ij),   w_ij = G_ij a_ij / (Σ_j G_ij a_ij + 1e-6),   out_i = Σ_j w_ij v_j
//! ```
//!
//! For several heads, which share the edges. Scores and weights of a node are made and used while they are in the
//! cache; w / G is kept for the way back:
//!
//! ```text
//! dw_ij = do_i · v_j,  c_i = Σ_j dw_ij w_ij,  dG_ij = (dw_ij − c_i) w_ij / G_ij,  ds_ij = (dw_ij − c_i) w_ij
//! ```

use rayon::prelude::*;

use crate::cpu::{Cpu, Kernel};
use crate::lanes::{Lanes, WIDTH};
use crate::math::exp;

/// A node without any parent has nothing to divide by.
const NOTHING: f32 = 1e-6;
/// Graphs whose gradients of b are summed in one piece, however many threads there are.
const PIECE: usize = 8;
/// e to this is nothing.
const NEVER: f32 = -1e30;

/// Graphs of `nodes` children and `parents` parents.
#[derive(Clone, Copy, Debug)]
pub struct Attention {
    /// Children.
    pub nodes: usize,
    /// Parents.
    pub parents: usize,
    /// Heads.
    pub heads: usize,
    /// Numbers of a node for each head.
    pub width: usize,
    /// The instruction set.
    pub cpu: Cpu,
}

/// One array for each input of the attention, or for the gradient of each.
#[derive(Clone, Copy, Debug)]
pub struct Attended<T> {
    /// `[graphs, nodes, heads · width]`
    pub query: T,
    /// `[graphs, parents, heads · width]`
    pub key: T,
    /// `[graphs, parents, heads · width]`
    pub value: T,
    /// b, `[heads, nodes, parents]`
    pub bias: T,
    /// G, `[graphs, nodes, parents]`
    pub edges: T,
}

impl Attention {
    /// What nodes receive, `[graphs, nodes, heads · width]`, and w / G of every edge, `[graphs, heads, nodes, parents]`.
    pub fn forward(&self, of: &Attended<&[f32]>) -> (Vec<f32>, Vec<f32>) {
        let graphs = self.graphs(of);
        let (row, pairs) = (self.heads * self.width, self.nodes * self.parents);
        let mut out = vec![0.0; graphs * self.nodes * row];
        let mut kept = vec![0.0; graphs * self.heads * pairs];
        let both =
            out.par_chunks_mut(self.nodes * row).zip(kept.par_chunks_mut(self.heads * pairs));
        both.enumerate().for_each(|(graph, (out, kept))| {
            for (head, kept) in kept.chunks_exact_mut(pairs).enumerate() {
                let heard = Heard::new(self, of, [graph, head]);
                // SAFETY: the rows of what is heard are whole vectors.
                unsafe { self.cpu.run(Forward { of: self, heard: &heard, head, out, kept }) }
            }
        });
        (out, kept)
    }

    /// Back through [`forward`](Self::forward), from the gradient of its output and what it kept.
    pub fn backward(
        &self,
        of: &Attended<&[f32]>,
        kept: &[f32],
        gradient: &[f32],
    ) -> Attended<Vec<f32>> {
        let graphs = self.graphs(of);
        assert_eq!(gradient.len(), of.query.len(), "a gradient for each output");
        assert_eq!(kept.len(), of.edges.len() * self.heads, "a weight for each edge and head");
        let zeros = |like: &[f32]| vec![0.0; like.len()];
        let mut found = Attended {
            query: zeros(of.query),
            key: zeros(of.key),
            value: zeros(of.value),
            bias: zeros(of.bias),
            edges: zeros(of.edges),
        };
        let (row, pairs) = (self.heads * self.width, self.nodes * self.parents);
        let pieces = found.query.par_chunks_mut(PIECE * self.nodes * row);
        let pieces = pieces.zip(found.key.par_chunks_mut(PIECE * self.parents * row));
        let pieces = pieces.zip(found.value.par_chunks_mut(PIECE * self.parents * row));
        let pieces = pieces.zip(found.edges.par_chunks_mut(PIECE * pairs)).enumerate();
        let biases: Vec<Vec<f32>> = pieces
            .map(|(piece, (((query, key), value), edges))| {
                let mut bias = vec![0.0; of.bias.len()];
                let first = piece * PIECE;
                for graph in first..graphs.min(first + PIECE) {
                    let at = graph - first;
                    for head in 0..self.heads {
                        let heard = Heard::new(self, of, [graph, head]);
                        let back = Back {
                            of: self,
                            heard: &heard,
                            head,
                            kept: &kept[(graph * self.heads + head) * pairs..][..pairs],
                            gradient: &gradient[graph * self.nodes * row..][..self.nodes * row],
                            query: &mut query[at * self.nodes * row..][..self.nodes * row],
                            key: &mut key[at * self.parents * row..][..self.parents * row],
                            value: &mut value[at * self.parents * row..][..self.parents * row],
                            bias: &mut bias[head * pairs..][..pairs],
                            edges: &mut edges[at * pairs..][..pairs],
                        };
                        // SAFETY: the rows of what is heard are whole vectors.
                        unsafe { self.cpu.run(back) }
                    }
                }
                bias
            })
            .collect();
        for bias in biases {
            found.bias.iter_mut().zip(bias).for_each(|(sum, part)| *sum += part);
        }
        found
    }

    fn graphs(&self, of: &Attended<&[f32]>) -> usize {
        let (row, pairs) = (self.heads * self.width, self.nodes * self.parents);
        assert!(row > 0 && pairs > 0 && of.edges.len().is_multiple_of(pairs), "whole graphs");
        let graphs = of.edges.len() / pairs;
        assert_eq!(of.query.len(), graphs * self.nodes * row, "a query for each node");
        assert_eq!(of.key.len(), graphs * self.parents * row, "a key for each parent");
        assert_eq!(of.value.len(), of.key.len(), "a value for each key");
        assert_eq!(of.bias.len(), self.heads * pairs, "a bias for each head and pair");
        graphs
    }

    /// How many numbers a row of pairs has in whole vectors, and one of a node.
    fn whole(&self) -> [usize; 2] {
        [self.parents, self.width].map(|size| size.next_multiple_of(WIDTH))
    }
}

/// One head of one graph, in rows of whole vectors with zeros behind.
struct Heard<'a> {
    /// `[nodes, width]`
    query: Vec<f32>,
    /// `[parents, width]`
    key: Vec<f32>,
    /// Keys and values, transposed: `[width, parents]`.
    key_across: Vec<f32>,
    value_across: Vec<f32>,
    /// `[parents, width]`
    value: Vec<f32>,
    bias: &'a [f32],
    edges: &'a [f32],
}

impl<'a> Heard<'a> {
    fn new(by: &Attention, of: &Attended<&'a [f32]>, [graph, head]: [usize; 2]) -> Self {
        let Attention { nodes, parents, heads, width, .. } = *by;
        let [across, along] = by.whole();
        let part = |all: &[f32], count: usize| {
            let mut out = vec![0.0; count * along];
            for (node, out) in out.chunks_exact_mut(along).enumerate() {
                let from = ((graph * count + node) * heads + head) * width;
                out[..width].copy_from_slice(&all[from..][..width]);
            }
            out
        };
        let turned = |rows: &[f32]| {
            let mut out = vec![0.0; width * across];
            for (j, row) in rows.chunks_exact(along).enumerate() {
                (0..width).for_each(|c| out[c * across + j] = row[c]);
            }
            out
        };
        let (key, value) = (part(of.key, parents), part(of.value, parents));
        let pairs = nodes * parents;
        Self {
            query: part(of.query, nodes),
            key_across: turned(&key),
            value_across: turned(&value),
            key,
            value,
            bias: &of.bias[head * pairs..][..pairs],
            edges: &of.edges[graph * pairs..][..pairs],
        }
    }
}

/// Σ_c numbers[c] · rows[c, at..], of rows of `size` numbers.
#[inline(always)]
unsafe fn mixed<L: Lanes>(numbers: &[f32], rows: &[f32], size: usize, at: usize) -> L {
    // SAFETY: the caller has as many rows as numbers, and a whole vector at `at` of each.
    unsafe {
        let mut sum = L::splat(0.0);
        for (c, number) in numbers.iter().enumerate() {
            sum = L::load(rows.as_ptr().add(c * size + at)).mul_add(L::splat(*number), sum);
        }
        sum
    }
}

#[inline(always)]
unsafe fn summed<L: Lanes>(numbers: L) -> f32 {
    let mut lanes = [0.0; WIDTH];
    // SAFETY: there is room for a vector.
    unsafe { numbers.store(lanes.as_mut_ptr()) };
    lanes.iter().sum()
}

struct Forward<'a> {
    of: &'a Attention,
    heard: &'a Heard<'a>,
    head: usize,
    out: &'a mut [f32],
    kept: &'a mut [f32],
}

impl Kernel for Forward<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let Self { of, heard, head, out, kept } = self;
        let Attention { nodes, parents, heads, width, .. } = *of;
        let [across, along] = of.whole();
        let scale = 1.0 / (width as f32).sqrt();
        let mut scores = vec![0.0; across];
        let [mut bias, mut edges] = [vec![NEVER; across], vec![0.0; across]];
        let mut received = vec![0.0; along];
        for i in 0..nodes {
            bias[..parents].copy_from_slice(&heard.bias[i * parents..][..parents]);
            edges[..parents].copy_from_slice(&heard.edges[i * parents..][..parents]);
            let query = &heard.query[i * along..][..width];
            // SAFETY: all rows are whole vectors, and `at` is within them.
            unsafe {
                let mut largest = L::splat(NEVER);
                for at in (0..across).step_by(WIDTH) {
                    let fit = mixed::<L>(query, &heard.key_across, across, at);
                    let score = fit.mul_add(L::splat(scale), L::load(bias.as_ptr().add(at)));
                    score.store(scores.as_mut_ptr().add(at));
                    largest = largest.max(score);
                }
                let mut lanes = [0.0; WIDTH];
                largest.store(lanes.as_mut_ptr());
                let largest = L::splat(lanes.into_iter().fold(NEVER, f32::max));
                let [mut all, mut through] = [L::splat(0.0); 2];
                for at in (0..across).step_by(WIDTH) {
                    let to = scores.as_mut_ptr().add(at);
                    let power = exp(L::load(to).sub(largest));
                    power.store(to);
                    all = all.add(power);
                    through = power.mul_add(L::load(edges.as_ptr().add(at)), through);
                }
                let (all, through) = (summed(all), summed(through));
                let share = 1.0 / (all * (through / all + NOTHING));
                for score in &mut scores {
                    *score *= share;
                }
            }
            kept[i * parents..][..parents].copy_from_slice(&scores[..parents]);
            scores.iter_mut().zip(&edges).for_each(|(score, edge)| *score *= edge);
            for at in (0..along).step_by(WIDTH) {
                // SAFETY: as above.
                unsafe {
                    let sum = mixed::<L>(&scores[..parents], &heard.value, along, at);
                    sum.store(received.as_mut_ptr().add(at));
                }
            }
            out[(i * heads + head) * width..][..width].copy_from_slice(&received[..width]);
        }
    }
}

struct Back<'a> {
    of: &'a Attention,
    heard: &'a Heard<'a>,
    head: usize,
    kept: &'a [f32],
    gradient: &'a [f32],
    query: &'a mut [f32],
    key: &'a mut [f32],
    value: &'a mut [f32],
    bias: &'a mut [f32],
    edges: &'a mut [f32],
}

impl Kernel for Back<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let Attention { nodes, parents, heads, width, .. } = *self.of;
        let (heard, head) = (self.heard, self.head);
        let [across, along] = self.of.whole();
        let scale = 1.0 / (width as f32).sqrt();
        let [mut keys, mut values] = [vec![0.0; parents * along], vec![0.0; parents * along]];
        let mut wanted = vec![0.0; across];
        let mut gradient = vec![0.0; along];
        let mut turned = vec![0.0; along];
        for i in 0..nodes {
            let place = (i * heads + head) * width;
            gradient[..width].copy_from_slice(&self.gradient[place..][..width]);
            let kept = &self.kept[i * parents..][..parents];
            let edges = &heard.edges[i * parents..][..parents];
            for at in (0..across).step_by(WIDTH) {
                // SAFETY: all rows are whole vectors, and `at` is within them.
                unsafe {
                    let sum = mixed::<L>(&gradient[..width], &heard.value_across, across, at);
                    sum.store(wanted.as_mut_ptr().add(at));
                }
            }
            let weighed = wanted.iter().zip(kept).zip(edges);
            let mean: f32 = weighed.map(|((wanted, kept), edge)| wanted * kept * edge).sum();
            let of_edges = &mut self.edges[i * parents..][..parents];
            let of_bias = &mut self.bias[i * parents..][..parents];
            for j in 0..parents {
                let edge = (wanted[j] - mean) * kept[j];
                of_edges[j] += edge;
                wanted[j] = edge * edges[j];
                of_bias[j] += wanted[j];
            }
            let query = &heard.query[i * along..][..along];
            for at in (0..along).step_by(WIDTH) {
                // SAFETY: as above.
                unsafe {
                    let sum = mixed::<L>(&wanted[..parents], &heard.key, along, at);
                    sum.mul(L::splat(scale)).store(turned.as_mut_ptr().add(at));
                    let (q, g) =
                        (L::load(query.as_ptr().add(at)), L::load(gradient.as_ptr().add(at)));
                    for j in 0..parents {
                        let to = keys.as_mut_ptr().add(j * along + at);
                        q.mul_add(L::splat(scale * wanted[j]), L::load(to)).store(to);
                        let to = values.as_mut_ptr().add(j * along + at);
                        g.mul_add(L::splat(kept[j] * edges[j]), L::load(to)).store(to);
                    }
                }
            }
            self.query[place..][..width].copy_from_slice(&turned[..width]);
        }
        for j in 0..parents {
            let place = (j * heads + head) * width;
            self.key[place..][..width].copy_from_slice(&keys[j * along..][..width]);
            self.value[place..][..width].copy_from_slice(&values[j * along..][..width]);
        }
    }
}
