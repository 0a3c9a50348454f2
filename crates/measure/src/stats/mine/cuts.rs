//! The best cuts of an axis, by dynamic programming. What is lost by joining clumps s+1, …, t into
//! one column is W(s, t) = n H(bins | column) with n its rows. With G_l(t) the least loss of cutting
//! the first t clumps into at most l columns,
//!
//! ```text
//! W(s, t) = N ln N - Σ_i n_i ln n_i                       N, n_i: the column's rows, in all and in bin i
//! G_1(t)  = W(0, t),   G_l(t) = min over s <= t of G_{l-1}(s) + W(s, t)
//! ```
//!
//! and n I = G_1(clumps) - G_l(clumps). Two things make it fast. Losses W are needed by every
//! l, so clumps t are taken a tile at a time, and for a tile every l in turn. And most s are dominated: no cut
//! can raise the loss, W(s, t) >= W(s, b) + W(b, t), so where G_{l-1}(s) + W(s, b) >= G_{l-1}(b), s is
//! never better than b for any t from b on and is dropped. Of all pairs this leaves a tenth or so.

use super::clumps::Counts;

/// How many t are worked on at once: enough to fill the registers.
pub(super) const TILE: usize = 16;

/// W(s, t) or G(t) for the t of a tile.
type Tile = [f64; TILE];

/// The best cuts of one table after another.
pub(super) struct Cuts<'a> {
    n_ln_n: &'a [f64],
    /// W(s, t) for each s and the t of a tile.
    losses: Vec<Tile>,
    /// For l = 2, 3, …: each s that may still be the last cut but one, with G_{l-1}(s).
    candidates: Vec<Vec<(u32, f64)>>,
}

impl<'a> Cuts<'a> {
    pub(super) fn new(n_ln_n: &'a [f64]) -> Self {
        Self { n_ln_n, losses: Vec::new(), candidates: Vec::new() }
    }

    /// I / ln min(l, bins) of the best cuts into l = 2, 3, …, `most` columns.
    pub(super) fn information(&mut self, counts: &Counts, most: usize) -> Vec<f64> {
        if counts.clumps == 1 {
            return vec![0.0; most - 1];
        }
        let bins = counts.bins().count();
        let losses = self.least_losses(counts, most.min(counts.clumps));
        let rows = f64::from(counts.total[counts.clumps]);
        let information = |l: usize| (losses[0] - losses[l.min(losses.len()) - 1]) / rows;
        (2..=most).map(|l| information(l) / (l.min(bins) as f64).ln()).collect()
    }

    /// G_1, …, G_most of all clumps.
    fn least_losses(&mut self, counts: &Counts, most: usize) -> Vec<f64> {
        let all = counts.clumps;
        let mut least: Vec<f64> = (0..counts.width).map(|t| self.loss(counts, 0, t)).collect();
        let mut found = vec![least[all]; most];
        if most > 2 {
            self.losses.resize(counts.width, [0.0; TILE]);
            self.candidates.resize(self.candidates.len().max(most), Vec::new());
            self.candidates.iter_mut().for_each(Vec::clear);
            for (tile, least) in least.as_chunks_mut().0.iter_mut().enumerate() {
                self.lose(counts, tile * TILE);
                for l in 2..most {
                    *least = add_column(&mut self.candidates[l], &self.losses, tile, least);
                    found[l - 1] = least[all % TILE];
                }
            }
        }
        // One column less is known up to every clump; the last is wanted for all of them only.
        let last = |s: usize| least[s] + self.loss(counts, s, all);
        found[most - 1] = (0..=all).map(last).fold(f64::INFINITY, f64::min);
        found
    }

    /// W(s, t)
    fn loss(&self, counts: &Counts, s: usize, t: usize) -> f64 {
        let n_ln_n = |counts: &[u32]| self.n_ln_n[(counts[t] - counts[s]) as usize];
        n_ln_n(&counts.total) - counts.bins().map(n_ln_n).sum::<f64>()
    }

    /// W(s, t) of all s, for the t of the tile from `start` on; infinite where s > t.
    fn lose(&mut self, counts: &Counts, start: usize) {
        let add = |losses: &mut Tile, sign: f64, counts: &[u32], s: usize| {
            let (from, upto) = (counts[s], &counts.as_chunks::<TILE>().0[start / TILE]);
            // Where no row is added, n ln n = 0.
            if upto[TILE - 1] > from {
                for (loss, upto) in losses.iter_mut().zip(upto) {
                    *loss += sign * self.n_ln_n[(upto - from) as usize];
                }
            }
        };
        for s in 0..start {
            let losses = &mut self.losses[s];
            *losses = [0.0; TILE];
            add(losses, 1.0, &counts.total, s);
            counts.bins().for_each(|bin| add(losses, -1.0, bin, s));
        }
        for s in start..start + TILE {
            let loss = |t: usize| if t < s { f64::INFINITY } else { self.loss(counts, s, t) };
            self.losses[s] = std::array::from_fn(|t| loss(start + t));
        }
    }
}

/// G_l of a tile from its G_{l-1}.
fn add_column(
    candidates: &mut Vec<(u32, f64)>,
    losses: &[Tile],
    tile: usize,
    least: &Tile,
) -> Tile {
    let mut best = [f64::INFINITY; TILE];
    let last = least[TILE - 1];
    candidates.retain(|&(s, before)| {
        let losses = &losses[s as usize];
        lower(&mut best, before, losses);
        before + losses[TILE - 1] < last
    });
    for (t, &before) in least.iter().enumerate() {
        let s = tile * TILE + t;
        lower(&mut best, before, &losses[s]);
        // The last dominates those that are dropped.
        if t == TILE - 1 || before + losses[s][TILE - 1] < last {
            candidates.push((s as u32, before));
        }
    }
    best
}

/// best = min(best, before + losses)
fn lower(best: &mut Tile, before: f64, losses: &Tile) {
    for (best, loss) in best.iter_mut().zip(losses) {
        let sum = before + loss;
        // Not `f64::min`, which costs more to get NaN right.
        *best = if sum < *best { sum } else { *best };
    }
}
