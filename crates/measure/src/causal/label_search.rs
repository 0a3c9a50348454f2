//! How CausalVAE (Yang et al. 2021, arXiv:2004.08697, appendix C.3) looks for a graph in labels: from
//! zero, minimise
//!
//! ```text
//! E ‖u − σ(Aᵀ u)‖² + λ h(A) + (c / 2) h(A)²
//! ```
//!
//! and after each round λ += c h, and c *= 10 where h did not fall to a quarter (the augmented Lagrangian
//! of DAG-GNN, Yu et al. 2019, arXiv:1904.10098), until A has no cycle. σ is the logistic function: the
//! paper's labels are 0 or 1. The diagonal of A stays 0.

use ndarray::{Array2, ArrayView2};

use crate::causal::acyclicity;
use crate::predictors::lbfgs::{Stop, minimise};

const ROUNDS: usize = 40;
const STOP: Stop = Stop { steps: 500, gradient: 1e-7, decrease: 1e-12 };
/// Where h is below this, a graph has no cycle.
const ENOUGH: f64 = 1e-8;
/// c is not made larger than this.
const HEAVIEST: f64 = 1e16;

/// A, `[cause, effect]`, for labels within 0..1, `[rows, columns]`.
pub fn search(labels: ArrayView2<f64>) -> Array2<f64> {
    let n = labels.ncols();
    let mut a = vec![0.0; n * n];
    let mut prices = Prices { multiplier: 0.0, penalty: 1.0 };
    let mut before = f64::INFINITY;
    for _ in 0..ROUNDS {
        minimise(&mut a, STOP, |a, gradient| value(labels, a, prices, gradient));
        let h = acyclicity::polynomial(square(&a, n).view()).value;
        if h < ENOUGH {
            break;
        }
        prices.multiplier += prices.penalty * h;
        if h > 0.25 * before {
            prices.penalty = (10.0 * prices.penalty).min(HEAVIEST);
        }
        before = h;
    }
    square(&a, n)
}

/// λ and c.
#[derive(Clone, Copy)]
struct Prices {
    multiplier: f64,
    penalty: f64,
}

fn square(a: &[f64], n: usize) -> Array2<f64> {
    Array2::from_shape_fn((n, n), |(i, j)| a[i * n + j])
}

/// What is minimised, and its gradient.
fn value(u: ArrayView2<f64>, a: &[f64], prices: Prices, gradient: &mut [f64]) -> f64 {
    let (rows, n) = u.dim();
    let matrix = square(a, n);
    let predicted = u.dot(&matrix).mapv(|t| 1.0 / (1.0 + (-t).exp()));
    let apart = &u - &predicted;
    let loss = apart.mapv(|d| d * d).sum() / rows as f64;
    let back = &apart * &predicted.mapv(|s| s * (1.0 - s)) * (-2.0 / rows as f64);
    let of_loss = u.t().dot(&back);
    let cycles = acyclicity::polynomial(matrix.view());
    let h = cycles.value;
    let slope = prices.multiplier + prices.penalty * h;
    for (k, out) in gradient.iter_mut().enumerate() {
        let place = [k / n, k % n];
        let diagonal = place[0] == place[1];
        *out = if diagonal { 0.0 } else { of_loss[place] + slope * cycles.gradient[place] };
    }
    loss + prices.multiplier * h + 0.5 * prices.penalty * h * h
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// Two coins, and a label that is likely where either has fallen on 1.
    fn labels(rows: usize) -> Array2<f64> {
        let mut rng = Rng::new(4);
        let mut labels = Array2::zeros((rows, 3));
        for mut row in labels.rows_mut() {
            let [a, b] = [(); 2].map(|()| f64::from(u8::from(rng.uniform() < 0.5)));
            let likely = 1.0 / (1.0 + (4.0 - 8.0 * a.max(b)).exp());
            let c = f64::from(u8::from(rng.uniform() < likely));
            row.assign(&ndarray::array![a, b, c]);
        }
        labels
    }

    #[test]
    fn the_gradient_is_that_of_differences() {
        let labels = labels(50);
        let a: Vec<f64> = (0..9).map(|k| 0.3 * f64::from(k % 4) - 0.2).collect();
        let prices = Prices { multiplier: 0.7, penalty: 3.0 };
        let at = |a: &[f64]| {
            let mut gradient = vec![0.0; 9];
            (value(labels.view(), a, prices, &mut gradient), gradient)
        };
        let (_, gradient) = at(&a);
        for k in (0..9).filter(|k| k / 3 != k % 3) {
            let moved = |step: f64| {
                let mut a = a.clone();
                a[k] += step;
                at(&a).0
            };
            let slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            assert!((slope - gradient[k]).abs() < 1e-7, "{k}: {slope} {}", gradient[k]);
        }
        assert!((0..3).all(|k| gradient[4 * k] == 0.0), "nothing causes itself");
    }

    #[test]
    fn it_ends_without_a_cycle_and_with_an_edge() {
        let a = search(labels(500).view());
        assert!(acyclicity::polynomial(a.view()).value < 1e-6, "{a}");
        assert!(a.iter().any(|weight| weight.abs() > 0.3), "{a}");
    }
}
