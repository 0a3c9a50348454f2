//! Which of two columns is the cause (Hoyer et al. 2009, "Nonlinear causal discovery with additive
//! noise models"): if effect = f(cause) + noise, what is left of the effect does not depend on
//! the cause, while the other way round it nearly always does. Dependence is the unbiased distance
//! correlation (Székely and Rizzo 2014): for distances a_ij and b_ij between the rows of each
//! column, less their means by row and by column,
//!
//! ```text
//! R = Σ A_ij B_ij / sqrt(Σ A_ij² Σ B_ij²)
//! ```
//!
//! which is about 0 if and only if the two are independent, and 1 if they are the same.
//!
//! A label that was rounded has no additive noise: what is left of it lies on a grid that moves
//! with the cause. So the gaps between the values of the effect are filled first, by noise as
//! wide as they are.

use ndarray::{Array1, Array2, ArrayView1, Axis, Slice};

use super::evidence::{COUNTS, Evidence, clarity, scores};
use super::marks::Marks;
use crate::rng::Rng;
use crate::stats::order::sorted;

/// Rows are compared within runs, whose answers say how sure the mean of them is.
const RUNS: usize = 8;
/// One of the two directions is right, so that less will do than for the edge itself: two standard
/// errors, and three times the 0.001 that chance makes of 4,000 independent rows.
const CLEAR: f64 = 2.0;
const APART: f64 = 0.003;

/// What a column is regressed on beside the one in question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Beside {
    /// All that may cause it: what comes between the two, or causes both, must not pass for noise.
    Possible,
    /// What is known to cause it.
    Known,
}

/// What is left of each of two columns depends on the other by this much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Asymmetry {
    /// If the first is taken for the cause.
    pub(super) forward: f64,
    /// If the second is.
    pub(super) backward: f64,
    /// How many standard errors `backward` is above `forward`.
    pub(super) clarity: f64,
}

impl Asymmetry {
    /// Of two columns, each regressed on the other and more.
    pub(super) fn between(
        [one, other]: [usize; 2],
        beside: Beside,
        marks: &Marks,
        evidence: &mut Evidence,
    ) -> Self {
        let forward = dependences([one, other], beside, marks, evidence);
        let backward = dependences([other, one], beside, marks, evidence);
        let mean = |runs: &Array1<f64>| runs.mean().unwrap_or(0.0);
        Self {
            forward: mean(&forward),
            backward: mean(&backward),
            clarity: clarity((&backward - &forward).view()),
        }
    }

    /// How much depends even in the better direction.
    pub(super) fn least(self) -> f64 {
        self.forward.min(self.backward)
    }

    /// Too close to call.
    pub(super) fn undecided(self) -> bool {
        self.clarity.abs() <= CLEAR || (self.backward - self.forward).abs() <= APART
    }
}

/// In each run, how much what is left of `effect` depends on that of its possible causes on which it
/// depends most: an effect of `effect` among them gives itself away.
fn dependences(
    [cause, effect]: [usize; 2],
    beside: Beside,
    marks: &Marks,
    evidence: &mut Evidence,
) -> Array1<f64> {
    // A function without noise leaves nothing that could depend, only what the regression missed.
    let known = [marks.parents(effect), vec![cause]].concat();
    if evidence.share_left(effect, &known) < COUNTS {
        return Array1::zeros(RUNS);
    }
    let given: Vec<usize> = match beside {
        Beside::Known => known,
        Beside::Possible => (0..marks.nodes()).filter(|&n| marks.may_cause(n, effect)).collect(),
    };
    let gaps = fill(evidence.target(effect), &mut evidence.rng("gaps").at(effect as u64));
    let left = &evidence.left(effect, &given) + &gaps;
    let left = scores(left.view());
    let on = given.iter().map(|&node| by_runs(evidence.scores(node), left.view()));
    on.max_by(|one, other| one.sum().total_cmp(&other.sum())).unwrap_or(Array1::zeros(RUNS))
}

/// The distance correlation in each run.
fn by_runs(x: ArrayView1<f64>, y: ArrayView1<f64>) -> Array1<f64> {
    let bound = |run: usize| run * x.len() / RUNS;
    let run = |run| {
        let rows = Slice::from(bound(run)..bound(run + 1));
        distance_correlation(x.slice_axis(Axis(0), rows), y.slice_axis(Axis(0), rows))
    };
    (0..RUNS).map(run).collect()
}

/// For each row, noise as wide as the gap around its value: half of that to either neighbour.
fn fill(column: ArrayView1<f64>, rng: &mut Rng) -> Array1<f32> {
    let sorted = sorted(column.mapv(|value| value as f32).view());
    let runs: Vec<&[f32]> = sorted.values.chunk_by(|one, next| one == next).collect();
    let steps: Vec<f32> = runs.windows(2).map(|pair| pair[1][0] - pair[0][0]).collect();
    // At either end the gap beyond is taken to be that before it.
    let around = |run: usize| {
        let before = steps.get(run.wrapping_sub(1)).or(steps.first());
        let after = steps.get(run).or(steps.last());
        0.5 * (before.unwrap_or(&0.0) + after.unwrap_or(&0.0))
    };
    let widths = runs.iter().enumerate().flat_map(|(i, run)| vec![around(i); run.len()]);
    let mut noise = Array1::zeros(column.len());
    for (width, &row) in widths.zip(&sorted.rows) {
        noise[row as usize] = width * (rng.uniform() as f32 - 0.5);
    }
    noise
}

/// R; 0 if a column is constant or has fewer than four rows.
fn distance_correlation(x: ArrayView1<f64>, y: ArrayView1<f64>) -> f64 {
    if x.len() < 4 {
        return 0.0;
    }
    let (a, b) = (centred_distances(x), centred_distances(y));
    let product = |a: &Array2<f64>, b: &Array2<f64>| (a * b).sum();
    let spread = (product(&a, &a) * product(&b, &b)).sqrt();
    if spread > 0.0 { product(&a, &b) / spread } else { 0.0 }
}

/// Distances between rows, less the means by row and by column, without the bias of the diagonal.
fn centred_distances(x: ArrayView1<f64>) -> Array2<f64> {
    let n = x.len() as f64;
    let mut distances = Array2::from_shape_fn((x.len(), x.len()), |(i, j)| (x[i] - x[j]).abs());
    let sums: Array1<f64> = distances.rows().into_iter().map(|row| row.sum()).collect();
    let all = sums.sum() / ((n - 1.0) * (n - 2.0));
    for ((i, j), distance) in distances.indexed_iter_mut() {
        *distance = match i == j {
            true => 0.0,
            false => *distance - (sums[i] + sums[j]) / (n - 2.0) + all,
        };
    }
    distances
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    fn normal(rows: usize, rng: &mut Rng) -> Array1<f64> {
        (0..rows).map(|_| f64::from(rng.normal())).collect()
    }

    #[test]
    fn dependence_is_one_of_a_copy_none_by_chance_and_seen_without_correlation() {
        let mut rng = Rng::new(0);
        let (x, y) = (normal(500, &mut rng), normal(500, &mut rng));
        assert!((distance_correlation(x.view(), x.view()) - 1.0).abs() < 1e-12);
        assert!(distance_correlation(x.view(), y.view()).abs() < 0.02);
        let squares = x.mapv(|x| x * x);
        assert!(distance_correlation(x.view(), squares.view()) > 0.1);
        assert_eq!(distance_correlation(x.view(), Array1::ones(500).view()), 0.0);
    }

    #[test]
    fn by_chance_it_is_zero_on_average() {
        let mut rng = Rng::new(1);
        let draws: Array1<f64> = (0..400)
            .map(|_| distance_correlation(normal(20, &mut rng).view(), normal(20, &mut rng).view()))
            .collect();
        // The usual, biased one would be at 0.1.
        assert!(clarity(draws.view()).abs() < 3.0, "{}", draws.mean().unwrap());
    }

    #[test]
    fn gaps_are_filled_up_to_the_middle_and_a_constant_has_none() {
        let column = Array1::from_shape_fn(3000, |row| [0.0, 1.0, 5.0][row % 3]);
        let noise = fill(column.view(), &mut Rng::new(0));
        for (level, width) in [1.0, 2.5, 4.0].into_iter().enumerate() {
            let widest =
                noise.iter().skip(level).step_by(3).fold(0f32, |most, n| most.max(n.abs()));
            assert!((0.49 * width..=0.5 * width).contains(&widest), "{level}: {widest}");
        }
        assert_eq!(fill(Array1::ones(5).view(), &mut Rng::new(0)), Array1::<f32>::zeros(5));
    }

    #[test]
    fn a_rounded_effect_is_still_told_from_its_cause() {
        let mut rng = Rng::new(3);
        let mut labels = Array2::zeros((4000, 2));
        for mut row in labels.rows_mut() {
            row[0] = 2.0 * rng.normal();
            row[1] = ((0.5 * row[0]).exp().min(9.0) + 3.0 * rng.uniform() as f32).floor();
        }
        let mut evidence = Evidence::new(labels.view(), &rng);
        let rounded = Asymmetry::between([0, 1], Beside::Known, &Marks::complete(2), &mut evidence);
        assert!(!rounded.undecided() && rounded.clarity > 0.0, "{rounded:?}");
    }

    #[test]
    fn a_bent_cause_is_told_from_its_effect_and_a_straight_gaussian_one_is_not() {
        let mut rng = Rng::new(2);
        let mut ask = |bend: f32| {
            let mut labels = Array2::zeros((4000, 2));
            for mut row in labels.rows_mut() {
                row[0] = rng.normal();
                row[1] = row[0] + bend * row[0].powi(3) + rng.normal();
            }
            let mut evidence = Evidence::new(labels.view(), &rng);
            Asymmetry::between([0, 1], Beside::Known, &Marks::complete(2), &mut evidence)
        };
        let bent = ask(0.5);
        assert!(!bent.undecided() && bent.clarity > 0.0, "{bent:?}");
        assert!(bent.forward < 0.01, "{bent:?}");
        assert!(ask(0.0).undecided());
    }
}
