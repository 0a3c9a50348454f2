//! The mixing: an invertible random map from the variables to as many numbers, a normalising flow that
//! nobody trained,
//!
//! ```text
//! 2 x [norm, (turn, from the second on), autoregressive affine], norm
//! ```
//!
//! so that every number that is seen depends on every variable.

use rayon::prelude::*;

use self::autoregressive::Autoregressive;
use super::choices::Version;
use crate::rng::Rng;

mod autoregressive;
mod linear;

use linear::{Norm, Turn};

const LAYERS: usize = 2;

struct Layer {
    norm: Norm,
    turn: Option<Turn>,
    affine: Autoregressive,
}

/// A fixed random flow.
pub(super) struct Flow {
    layers: Vec<Layer>,
    last: Norm,
}

impl Flow {
    /// A flow whose norms are those of these rows, `[rows, variables]`, which are passed through it.
    pub(super) fn draw(variables: usize, rows: &mut [f32], version: Version, rng: &Rng) -> Self {
        let settle = |rows: &mut [f32]| {
            let norm = Norm::of(rows, variables);
            through(rows, variables, |row| norm.apply(row));
            norm
        };
        let layer = |k: usize| {
            let rng = rng.at(k as u64);
            let norm = settle(rows);
            let turn = (k > 0).then(|| Turn::draw(variables, &mut rng.split("turn")));
            if let Some(turn) = &turn {
                through(rows, variables, |row| turn.apply(row));
            }
            let affine = Autoregressive::draw(variables, version, &rng.split("affine"));
            through(rows, variables, |row| affine.apply(row));
            Layer { norm, turn, affine }
        };
        let layers = (0..LAYERS).map(layer).collect();
        Self { layers, last: settle(rows) }
    }

    /// Mix one row.
    pub(super) fn apply(&self, row: &mut [f32]) {
        for Layer { norm, turn, affine } in &self.layers {
            norm.apply(row);
            if let Some(turn) = turn {
                turn.apply(row);
            }
            affine.apply(row);
        }
        self.last.apply(row);
    }

    #[cfg(test)]
    pub(super) fn invert(&self, row: &mut [f32]) {
        self.last.invert(row);
        for Layer { norm, turn, affine } in self.layers.iter().rev() {
            affine.invert(row);
            if let Some(turn) = turn {
                turn.invert(row);
            }
            norm.invert(row);
        }
    }
}

fn through(rows: &mut [f32], width: usize, map: impl Fn(&mut [f32]) + Send + Sync) {
    rows.par_chunks_exact_mut(width).with_min_len(256).for_each(map);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(version: Version, variables: usize) -> (Flow, Vec<f32>, Vec<f32>) {
        let mut before = vec![0.0; 3000 * variables];
        Rng::new(9).fill_normal(&mut before);
        for v in &mut before {
            *v = 0.5 * *v + 0.1;
        }
        let mut after = before.clone();
        let flow = Flow::draw(variables, &mut after, version, &Rng::new(4));
        (flow, before, after)
    }

    #[test]
    fn rows_pass_through_while_it_is_drawn_and_come_out_normal() {
        for version in [Version::Biscuit, Version::Citris] {
            let (flow, before, after) = drawn(version, 6);
            let mut row = before[60..66].to_vec();
            flow.apply(&mut row);
            assert_eq!(row, after[60..66]);
            for k in 0..6 {
                let column: Vec<f32> = after.iter().skip(k).step_by(6).copied().collect();
                let mean = column.iter().sum::<f32>() / 3000.0;
                let square = column.iter().map(|v| v * v).sum::<f32>() / 3000.0;
                assert!(mean.abs() < 1e-4 && (square - 1.0).abs() < 1e-2, "{mean} {square}");
            }
        }
    }

    #[test]
    fn it_can_be_inverted() {
        for (version, variables) in
            [(Version::Biscuit, 6), (Version::Citris, 6), (Version::Biscuit, 9)]
        {
            let (flow, before, after) = drawn(version, variables);
            let pairs = before.chunks_exact(variables).zip(after.chunks_exact(variables));
            for (before, after) in pairs.take(500) {
                let mut back = after.to_vec();
                flow.invert(&mut back);
                let gap = before.iter().zip(&back).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                assert!(gap < 1e-5, "{gap}");
            }
        }
    }

    #[test]
    fn every_number_depends_on_every_variable() {
        let (flow, before, _) = drawn(Version::Biscuit, 6);
        for variable in 0..6 {
            let [mut row, mut moved] = [before[..6].to_vec(), before[..6].to_vec()];
            moved[variable] += 0.5;
            flow.apply(&mut row);
            flow.apply(&mut moved);
            assert!(row.iter().zip(&moved).all(|(a, b)| a != b));
        }
    }
}
