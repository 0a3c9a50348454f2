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

use ndarray::{Array1, Array2, ArrayView1, Axis, Slice};

use super::evidence::{CLEAR, COUNTS, Evidence, clarity, scores};
use super::marks::Marks;

/// Rows are compared within runs, whose answers say how sure the mean of them is.
const RUNS: usize = 8;

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
    /// Of two columns, each regressed on the other and its known causes.
    pub(super) fn between(
        [one, other]: [usize; 2],
        marks: &Marks,
        evidence: &mut Evidence,
    ) -> Self {
        let forward = dependences(one, other, marks, evidence);
        let backward = dependences(other, one, marks, evidence);
        let mean = |runs: &Array1<f64>| runs.mean().unwrap_or(0.0);
        Self {
            forward: mean(&forward),
            backward: mean(&backward),
            clarity: clarity((&backward - &forward).view()),
        }
    }

    /// Too close to call.
    pub(super) fn undecided(self) -> bool {
        self.clarity.abs() <= CLEAR || (self.backward - self.forward).abs() <= COUNTS
    }
}

/// In each run, how much what is left of `effect` depends on `cause`.
fn dependences(cause: usize, effect: usize, marks: &Marks, evidence: &mut Evidence) -> Array1<f64> {
    let given = [marks.parents(effect), vec![cause]].concat();
    // A function without noise leaves nothing that could depend, only what the regression missed.
    if evidence.share_left(effect, &given) < COUNTS {
        return Array1::zeros(RUNS);
    }
    let left = scores(evidence.left(effect, &given));
    let cause = evidence.scores(cause);
    let bound = |run: usize| run * left.len() / RUNS;
    let run = |run| {
        let rows = Slice::from(bound(run)..bound(run + 1));
        distance_correlation(cause.slice_axis(Axis(0), rows), left.slice_axis(Axis(0), rows))
    };
    (0..RUNS).map(run).collect()
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
    fn a_bent_cause_is_told_from_its_effect_and_a_straight_gaussian_one_is_not() {
        let mut rng = Rng::new(2);
        let mut ask = |bend: f32| {
            let mut labels = Array2::zeros((4000, 2));
            for mut row in labels.rows_mut() {
                row[0] = rng.normal();
                row[1] = row[0] + bend * row[0].powi(3) + rng.normal();
            }
            let mut evidence = Evidence::new(labels.view(), &rng);
            Asymmetry::between([0, 1], &Marks::complete(2), &mut evidence)
        };
        let bent = ask(0.5);
        assert!(!bent.undecided() && bent.clarity > 0.0, "{bent:?}");
        assert!(bent.forward < 0.01, "{bent:?}");
        assert!(ask(0.0).undecided());
    }
}
