//! Which variables at one time cause which at the next, from transitions of variables that may be blocks of several
//! numbers. A search by conditional independence: i causes j if
//!
//! ```text
//! z_j^{t+1} depends on z_i^t, given all other z^t
//! ```
//!
//! since causes come before their effects, nothing else has to be searched. Whether it depends is tested by
//! prediction: a network that can be asked without any one of the blocks (`subset_predictor.rs`) predicts block j on
//! rows that it has not seen, and the edge is there if the squared error without i is larger, by more than chance
//! (a paired test over the rows) and by more than a little. Steps that intervene on j say nothing of what causes it,
//! and are left out.

use std::cmp::Ordering;

use ndarray::{Array2, ArrayView1, ArrayView2, Axis};
use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::predictors::subset_predictor::{SubsetPredictor, Training};
use crate::rng::Rng;
use crate::watch::Stage;

/// The share of rows that teach.
const TAUGHT: f64 = 0.7;
/// How many standard errors the mean difference must be from 0.
const SURE: f64 = 4.0;
/// The least share of the error that the cause must explain: without a block that tells nothing a network is never
/// quite as good as with it, although it could be.
const LEAST: f64 = 0.02;
/// Rows that are needed, for something to be tested.
const FEWEST: usize = 200;

/// Transitions of variables.
#[derive(Clone, Copy, Debug)]
pub struct Transitions<'a> {
    /// The numbers before and after each step, `[steps, numbers]`.
    pub numbers: [ArrayView2<'a, f32>; 2],
    /// The columns of each variable.
    pub blocks: &'a [Vec<usize>],
    /// Whether each variable was intervened on, `[steps, variables]`.
    pub intervened: ArrayView2<'a, bool>,
}

/// What was found, `[cause, effect]` each; causes of themselves too.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The edges.
    pub edges: Array2<bool>,
    /// The share of the error without the cause that it explains: 0 nothing, 1 all.
    pub strengths: Array2<f64>,
}

/// Search the graph.
pub fn search(steps: Transitions, rng: &Rng, watch: &Stage) -> Result<Found> {
    let variables = steps.blocks.len();
    let share = 1.0 / variables as f64;
    let effects: Vec<Vec<(f64, bool)>> = (0..variables)
        .into_par_iter()
        .map(|effect| causes(&steps, effect, &rng.at(effect as u64), (watch, share)))
        .collect::<Result<_>>()?;
    Ok(Found {
        edges: Array2::from_shape_fn((variables, variables), |(i, j)| effects[j][i].1),
        strengths: Array2::from_shape_fn((variables, variables), |(i, j)| effects[j][i].0),
    })
}

/// How much each variable tells of the next value of one, given all others, and whether that counts.
fn causes(
    steps: &Transitions,
    effect: usize,
    rng: &Rng,
    (watch, share): (&Stage, f64),
) -> Result<Vec<(f64, bool)>> {
    let free: Vec<usize> =
        (0..steps.intervened.nrows()).filter(|&row| !steps.intervened[[row, effect]]).collect();
    if free.len() < FEWEST {
        return Err(Error::Missing(format!(
            "{} steps leave variable {effect} alone, too few to tell what causes it; give at least {FEWEST}",
            free.len()
        )));
    }
    let order = rng.split("order").permutation(free.len());
    let rows: Vec<usize> = order.into_iter().map(|k| free[k]).collect();
    let [before, after] = steps.numbers;
    let x = standardised(before.select(Axis(0), &rows));
    let y = standardised(after.select(Axis(0), &rows).select(Axis(1), &steps.blocks[effect]));
    let taught = (rows.len() as f64 * TAUGHT) as usize;
    let (known, judged) = (x.view().split_at(Axis(0), taught), y.view().split_at(Axis(0), taught));
    let all: Vec<usize> = steps.blocks.concat();
    let without = |cause: usize| -> Vec<usize> {
        let left = |column: &&usize| !steps.blocks[cause].contains(column);
        all.iter().filter(left).copied().collect()
    };
    // Without the only variable there is nothing to predict from: the mean then, which is 0.
    let subsets: Vec<Vec<usize>> = (0..steps.blocks.len()).map(without).collect();
    let asked: Vec<Vec<usize>> = [all.clone()]
        .into_iter()
        .chain(subsets.iter().filter(|set| !set.is_empty()).cloned())
        .collect();
    let training = Training { most_steps: 3000, ..Training::BOUNDED };
    let predictor =
        SubsetPredictor::teach((known.0, judged.0), &asked, training, rng, (watch, share))?;
    let errors = |subset: &[usize]| -> Array2<f64> {
        let answers = match subset.is_empty() {
            true => Array2::zeros(judged.1.dim()),
            false => predictor.predict(known.1, subset),
        };
        (&answers - &judged.1).mapv(|off| f64::from(off * off))
    };
    let whole = errors(&all);
    let told = |subset: &Vec<usize>| strongest(&errors(subset), &whole);
    Ok(subsets.iter().map(told).collect())
}

/// By how much squared errors `[rows, numbers]` are larger without a cause, and whether that counts, of the number of a
/// block for which it is clearest: others of the block may be of nothing.
fn strongest(without: &Array2<f64>, whole: &Array2<f64>) -> (f64, bool) {
    let one = |(without, whole): (ArrayView1<f64>, ArrayView1<f64>)| {
        let more = &without - &whole;
        let (mean, count) = (more.mean().unwrap_or(0.0), more.len() as f64);
        let strength = mean / without.mean().unwrap_or(1.0).max(f64::MIN_POSITIVE);
        let surely = mean > SURE * more.std(1.0) / count.sqrt();
        (strength.max(0.0), surely && strength > LEAST)
    };
    let each = without.columns().into_iter().zip(whole.columns()).map(one);
    each.max_by(|a, b| (a.1, a.0).partial_cmp(&(b.1, b.0)).unwrap_or(Ordering::Equal))
        .unwrap_or((0.0, false))
}

/// Each column with mean 0 and variance 1; constant ones are 0.
fn standardised(mut numbers: Array2<f32>) -> Array2<f32> {
    for mut column in numbers.columns_mut() {
        let wide = column.mapv(f64::from);
        let (mean, spread) = (wide.mean().unwrap_or(0.0), wide.std(0.0));
        let over = if spread > 1e-6 { 1.0 / spread } else { 0.0 };
        column.mapv_inplace(|number| ((f64::from(number) - mean) * over) as f32);
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::Nobody;

    /// x follows itself, y = sin(2 x), z = y w with a w that follows itself; x is a block of two numbers.
    /// Interventions on y set it to noise.
    fn system(steps: usize) -> (Array2<f32>, Array2<bool>) {
        let mut rng = Rng::new(5);
        let mut numbers = Array2::zeros((steps, 5));
        let mut intervened = Array2::from_elem((steps - 1, 4), false);
        let mut x = 0.0f32;
        for t in 0..steps {
            let noise: [f32; 4] = std::array::from_fn(|_| rng.normal());
            let before: Vec<f32> = match t {
                0 => vec![0.0; 5],
                t => numbers.row(t - 1).to_vec(),
            };
            x = 0.8 * x + 0.6 * noise[0];
            let hit = rng.uniform() < 0.3;
            if t > 0 {
                intervened[[t - 1, 1]] = hit;
            }
            let old = before[0] + before[1];
            let y = if hit { noise[1] } else { (2.0 * old).sin() + 0.3 * noise[1] };
            let w = 0.7 * before[4] + 0.7 * noise[3];
            let z = before[2] * before[4] + 0.3 * noise[2];
            numbers.row_mut(t).assign(&ndarray::arr1(&[0.3 * x, 0.7 * x, y, z, w]));
        }
        (numbers, intervened)
    }

    #[test]
    fn causes_are_found_through_bends_products_and_interventions() {
        let (numbers, intervened) = system(6000);
        let blocks = [vec![0, 1], vec![2], vec![3], vec![4]];
        let steps = Transitions {
            numbers: [
                numbers.view().split_at(Axis(0), 5999).0,
                numbers.view().split_at(Axis(0), 1).1,
            ],
            blocks: &blocks,
            intervened: intervened.view(),
        };
        let found = search(steps, &Rng::new(0), &Stage::new(&Nobody, "test")).unwrap();
        let edges: Vec<(usize, usize)> =
            found.edges.indexed_iter().filter(|(_, edge)| **edge).map(|(pair, _)| pair).collect();
        assert_eq!(edges, [(0, 0), (0, 1), (1, 2), (3, 2), (3, 3)], "{:.3}", found.strengths);
    }
}
