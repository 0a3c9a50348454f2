//! The best cuts of an axis, by dynamic programming. Joining clumps s + 1, …, t into one column of
//! the grid loses W(s, t) = N H(bin | column), with N its rows and n_i those in bin i. With G_l(t)
//! the least loss when the first t clumps are cut into at most l columns,
//!
//! ```text
//! W(s, t) = N ln N - Σ_i n_i ln n_i
//! G_1(t)  = W(0, t),    G_l(t) = min over s <= t of  G_{l-1}(s) + W(s, t)
//! ```
//!
//! and rows · I = G_1 - G_l of all clumps. Two things make it fast. Every l needs the same W, so
//! the t are taken a tile at a time, and for a tile one l after the other. And most s are soon
//! dominated: a further cut at b never loses more, W(s, t) >= W(s, b) + W(b, t), so once
//! G_{l-1}(s) + W(s, b) >= G_{l-1}(b), the cut at s is no better than the one at b for any t from b
//! on. This leaves one s in ten or so.

use super::clumps::Counts;

/// How many t are worked on at once: as many as the registers hold.
pub(super) const TILE: usize = 16;

/// A number for each t of a tile.
type Tile = [f64; TILE];

/// The best cuts of one table after another.
pub(super) struct Cuts<'a> {
    n_ln_n: &'a [f64],
    /// W(s, t) for each s and the t of a tile.
    losses: Vec<Tile>,
    /// For each l, the s that may still be the last cut, with G_{l-1}(s).
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
        // Rounding may lift a perfect grid above 1.
        (2..=most).map(|l| (information(l) / (l.min(bins) as f64).ln()).min(1.0)).collect()
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
                self.lose(counts, tile);
                for l in 2..most {
                    *least = add_column(&mut self.candidates[l], &self.losses, tile, least);
                    found[l - 1] = least[all % TILE];
                }
            }
        }
        // The last column is wanted for all clumps only.
        let last = |s: usize| least[s] + self.loss(counts, s, all);
        found[most - 1] = (0..=all).map(last).fold(f64::INFINITY, f64::min);
        found
    }

    /// W(s, t)
    fn loss(&self, counts: &Counts, s: usize, t: usize) -> f64 {
        let n_ln_n = |counts: &[u32]| self.n_ln_n[(counts[t] - counts[s]) as usize];
        n_ln_n(&counts.total) - counts.bins().map(n_ln_n).sum::<f64>()
    }

    /// W(s, t) of every s with the t of a tile; infinite where s > t.
    fn lose(&mut self, counts: &Counts, tile: usize) {
        let start = tile * TILE;
        for (s, losses) in self.losses[..start].iter_mut().enumerate() {
            *losses = [0.0; TILE];
            for bin in counts.bins() {
                let (from, upto) = (bin[s], &bin.as_chunks::<TILE>().0[tile]);
                // Where no row is added, n ln n = 0.
                if upto[TILE - 1] > from {
                    for (loss, upto) in losses.iter_mut().zip(upto) {
                        *loss -= self.n_ln_n[(upto - from) as usize];
                    }
                }
            }
            let (from, upto) = (counts.total[s], &counts.total.as_chunks::<TILE>().0[tile]);
            for (loss, upto) in losses.iter_mut().zip(upto) {
                *loss += self.n_ln_n[(upto - from) as usize];
            }
        }
        for s in start..start + TILE {
            let loss = |t: usize| if t < s { f64::INFINITY } else { self.loss(counts, s, t) };
            self.losses[s] = std::array::from_fn(|t| loss(start + t));
        }
    }
}

/// G_l of a tile, from G_{l-1} of the candidates and of the tile itself.
fn add_column(
    candidates: &mut Vec<(u32, f64)>,
    losses: &[Tile],
    tile: usize,
    before: &Tile,
) -> Tile {
    let mut least = [f64::INFINITY; TILE];
    let last = before[TILE - 1];
    candidates.retain(|&(s, before)| {
        let losses = &losses[s as usize];
        lower(&mut least, before, losses);
        before + losses[TILE - 1] < last
    });
    for (t, &before) in before.iter().enumerate() {
        let s = tile * TILE + t;
        lower(&mut least, before, &losses[s]);
        // The last one is what dominates those that are dropped.
        if t == TILE - 1 || before + losses[s][TILE - 1] < last {
            candidates.push((s as u32, before));
        }
    }
    least
}

/// least = min(least, before + losses)
fn lower(least: &mut Tile, before: f64, losses: &Tile) {
    for (least, loss) in least.iter_mut().zip(losses) {
        let sum = before + loss;
        // `f64::min` would cost more, to be right about NaN.
        *least = if sum < *least { sum } else { *least };
    }
}

#[cfg(test)]
mod tests {
    use super::super::axis::Axis;
    use super::super::clumps::Clumps;
    use super::*;
    use crate::rng::Rng;

    fn n_ln_n(rows: usize) -> Vec<f64> {
        (0..=rows).map(|n| if n == 0 { 0.0 } else { n as f64 * (n as f64).ln() }).collect()
    }

    /// G_l of the first `t` clumps by trying every last column.
    fn by_trying_all(cuts: &Cuts, counts: &Counts, l: usize, t: usize) -> f64 {
        match l {
            1 => cuts.loss(counts, 0, t),
            _ => (0..=t)
                .map(|s| by_trying_all(cuts, counts, l - 1, s) + cuts.loss(counts, s, t))
                .fold(f64::INFINITY, f64::min),
        }
    }

    #[test]
    fn no_other_cuts_lose_less() {
        let mut rng = Rng::new(0);
        for trial in 0..20 {
            let rows = 20 + 5 * trial;
            let x: Vec<f32> = (0..rows).map(|_| rng.normal()).collect();
            let y: Vec<f32> = x.iter().map(|x| (3.0 * x).sin() + 0.5 * rng.normal()).collect();
            let (x, y) = (Axis::new(&x), Axis::new(&y));
            let mut clumps = Clumps::new(&y, &x);
            clumps.cut(2 + trial % 4, rows);
            let (counts, table) = (clumps.counts(TILE), n_ln_n(rows));
            let mut cuts = Cuts::new(&table);
            let found = cuts.least_losses(&counts, 4);
            for (l, found) in (1..).zip(&found) {
                let expected = by_trying_all(&cuts, &counts, l, counts.clumps);
                assert!((found - expected).abs() < 1e-9, "{l} columns: {found}, not {expected}");
            }
        }
    }

    #[test]
    fn dropping_dominated_cuts_changes_nothing() {
        // Several tiles, and every number of columns up to that of the clumps.
        let mut rng = Rng::new(1);
        let x: Vec<f32> = (0..150).map(|row| row as f32).collect();
        let y: Vec<f32> = (0..150).map(|row| (row / 40) as f32 + 2.0 * rng.normal()).collect();
        let (x, y) = (Axis::new(&x), Axis::new(&y));
        let mut clumps = Clumps::new(&y, &x);
        clumps.cut(3, 150);
        let (counts, table) = (clumps.counts(TILE), n_ln_n(150));
        let mut cuts = Cuts::new(&table);
        let (all, most) = (counts.clumps, counts.clumps);
        assert!(all > 3 * TILE);
        let found = cuts.least_losses(&counts, most);
        let mut least: Vec<f64> = (0..=all).map(|t| cuts.loss(&counts, 0, t)).collect();
        for l in 1..=most {
            assert!((found[l - 1] - least[all]).abs() < 1e-9, "{l} columns");
            least = (0..=all)
                .map(|t| (0..=t).map(|s| least[s] + cuts.loss(&counts, s, t)).fold(1e9, f64::min))
                .collect();
        }
        assert!(found[most - 1].abs() < 1e-9, "a column for each clump loses nothing");
    }

    #[test]
    fn information_is_a_share_of_what_bins_or_columns_allow() {
        // Four values on both sides: 2 columns tell ln 2 of ln 2, 4 tell ln 4 of ln 4.
        let column: Vec<f32> = (0..40).map(|row| (row % 4) as f32).collect();
        let axis = Axis::new(&column);
        let mut clumps = Clumps::new(&axis, &axis);
        clumps.cut(4, 99);
        let table = n_ln_n(40);
        let found = Cuts::new(&table).information(&clumps.counts(TILE), 6);
        let three = (0.5 * 2f64.ln() + 0.5 * 4f64.ln()) / 3f64.ln();
        for (found, expected) in found.iter().zip([1.0, three, 1.0, 1.0, 1.0]) {
            assert!((found - expected).abs() < 1e-12, "{found}, not {expected}");
        }
    }
}
