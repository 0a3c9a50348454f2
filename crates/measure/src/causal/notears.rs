//! NOTEARS (Zheng et al. 2018, arXiv:1803.01422): learn who causes whom where every effect is a
//! weighted sum of its causes plus noise, as one smooth problem. Of centred columns X, `[n, d]`,
//!
//! ```text
//! min over W of  |X - X W|² / (2n) + λ |W|_1     subject to  h(W) = 0
//! ```
//!
//! with h the polynomial [`acyclicity`]. W[i, j] is what i adds to j. The constraint becomes the
//! term α h + ρ h² / 2, and α and ρ grow round by round until h is gone (augmented Lagrangian).
//! |W|_1 is smooth over W = W⁺ - W⁻ with both parts at zero or above, which is what
//! `minimise_nonnegative` is for. Only XᵀX / n enters: no round costs more for more rows.
//!
//! What it finds depends on the scale of the columns (Reisach et al. 2021, arXiv:2102.13647): where
//! effects vary more than causes, it reads the order off the variances.

use ndarray::{Array2, ArrayView2, Axis, Zip};

use crate::causal::acyclicity::polynomial;
use crate::predictors::lbfgs::{Stop, minimise_nonnegative};

/// Beyond this weight of the constraint nothing else counts.
const HEAVIEST: f64 = 1e16;
/// A round must bring h below this share of what it was, or the constraint gets heavier.
const PROGRESS: f64 = 0.25;
/// L-BFGS-B stops there in the released code.
const STOP: Stop = Stop { steps: 15_000, gradient: 1e-5, decrease: 2.2e-9 };

/// The price of an edge and when to stop; the defaults are those of the released code.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// λ, the price of a weight.
    pub price: f64,
    /// Stop once h is below this.
    pub tolerance: f64,
    /// Stop after this many rounds in any case.
    pub rounds: usize,
    /// Weights that are smaller are set to zero in the end.
    pub threshold: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { price: 0.1, tolerance: 1e-8, rounds: 100, threshold: 0.3 }
    }
}

/// What was learned.
#[derive(Clone, Debug, PartialEq)]
pub struct Learned {
    /// `[cause, effect]`: what one unit of the cause adds to the effect.
    pub weights: Array2<f64>,
    /// h before small weights were set to zero.
    pub acyclicity: f64,
    /// How often the constraint was adjusted.
    pub rounds: usize,
}

/// Learn the weights of `x`, `[rows, columns]`. Columns are centred here, but not scaled.
pub fn learn(x: ArrayView2<f64>, settings: &Settings) -> Learned {
    let problem = Problem { products: products(x), price: settings.price };
    let mut parts = vec![0.0; 2 * x.ncols() * x.ncols()];
    let (mut alpha, mut rho, mut h) = (0.0, 1.0, f64::INFINITY);
    let mut rounds = 0;
    while rounds < settings.rounds && h > settings.tolerance && rho < HEAVIEST {
        rounds += 1;
        loop {
            let mut next = parts.clone();
            minimise_nonnegative(&mut next, STOP, |parts, gradient| {
                problem.value(parts, [alpha, rho], gradient)
            });
            let left = polynomial(problem.weights(&next).view()).value;
            if left > PROGRESS * h && rho < HEAVIEST {
                rho *= 10.0;
                continue;
            }
            (parts, h) = (next, left);
            break;
        }
        alpha += rho * h;
    }
    let mut weights = problem.weights(&parts);
    weights.mapv_inplace(|weight| if weight.abs() < settings.threshold { 0.0 } else { weight });
    Learned { weights, acyclicity: h, rounds }
}

/// XᵀX / n of centred columns; zero without rows.
fn products(x: ArrayView2<f64>) -> Array2<f64> {
    let Some(means) = x.mean_axis(Axis(0)) else {
        return Array2::zeros((x.ncols(), x.ncols()));
    };
    let centred = &x - &means;
    centred.t().dot(&centred) / x.nrows() as f64
}

/// What is made small for given α and ρ.
struct Problem {
    /// C = XᵀX / n
    products: Array2<f64>,
    price: f64,
}

impl Problem {
    /// W = W⁺ - W⁻, without its diagonal: nothing causes itself.
    fn weights(&self, parts: &[f64]) -> Array2<f64> {
        let nodes = self.products.nrows();
        let (plus, minus) = parts.split_at(nodes * nodes);
        Array2::from_shape_fn((nodes, nodes), |(i, j)| match i == j {
            true => 0.0,
            false => plus[i * nodes + j] - minus[i * nodes + j],
        })
    }

    /// tr (I - W)ᵀ C (I - W) / 2 + λ Σ (W⁺ + W⁻) + α h + ρ h² / 2, and its gradient.
    fn value(&self, parts: &[f64], [alpha, rho]: [f64; 2], gradient: &mut [f64]) -> f64 {
        let weights = self.weights(parts);
        let nodes = weights.nrows();
        let left = Array2::eye(nodes) - &weights;
        let turned = self.products.dot(&left);
        let loss = 0.5 * Zip::from(&left).and(&turned).fold(0.0, |sum, l, t| sum + l * t);
        let h = polynomial(weights.view());
        let slope = h.gradient * (alpha + rho * h.value) - turned;
        let (plus, minus) = gradient.split_at_mut(nodes * nodes);
        for (((i, j), slope), (plus, minus)) in slope.indexed_iter().zip(plus.iter_mut().zip(minus))
        {
            let slope = if i == j { 0.0 } else { *slope };
            (*plus, *minus) = (self.price + slope, self.price - slope);
        }
        let price = self.price * parts.iter().sum::<f64>();
        loss + price + alpha * h.value + 0.5 * rho * h.value * h.value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// A random graph with weights of ±0.5 to ±2 and noise of variance 1, and rows drawn from it.
    fn draw(nodes: usize, rows: usize, rng: &mut Rng) -> (Array2<f64>, Array2<f64>) {
        let order = rng.permutation(nodes);
        let mut weights = Array2::zeros((nodes, nodes));
        for effect in 1..nodes {
            for cause in 0..effect {
                if rng.below(3) == 0 {
                    let sign = if rng.below(2) == 0 { 1.0 } else { -1.0 };
                    weights[[order[cause], order[effect]]] = sign * (0.5 + 1.5 * rng.uniform());
                }
            }
        }
        let mut x = Array2::zeros((rows, nodes));
        for mut row in x.rows_mut() {
            for &node in &order {
                row[node] = row.dot(&weights.column(node)) + f64::from(rng.normal());
            }
        }
        (weights, x)
    }

    #[test]
    fn graphs_with_equal_noise_are_found_exactly() {
        for seed in 0..6 {
            let (truth, mut x) = draw(4 + seed as usize % 3, 2000, &mut Rng::new(seed));
            x += 5.0;
            // With so many rows a low price is enough, and shrinks weights less.
            let settings = Settings { price: 0.02, ..Settings::default() };
            let learned = learn(x.view(), &settings);
            assert!(learned.acyclicity <= 1e-8, "{learned:?}");
            let edges = |weights: &Array2<f64>| weights.mapv(|weight| weight != 0.0);
            assert_eq!(edges(&learned.weights), edges(&truth), "{seed}: {learned:?} {truth:?}");
            let off = (&learned.weights - &truth).mapv(f64::abs);
            assert!(off.iter().all(|off| *off < 0.3), "{off:?}");
        }
    }

    #[test]
    fn the_gradient_is_that_of_finite_differences() {
        let (_, x) = draw(4, 100, &mut Rng::new(9));
        let problem = Problem { products: products(x.view()), price: 0.1 };
        let mut rng = Rng::new(10);
        let parts: Vec<f64> = (0..32).map(|_| rng.uniform()).collect();
        let mut gradient = vec![0.0; 32];
        problem.value(&parts, [0.7, 3.0], &mut gradient);
        // Those of the diagonal only cost their price.
        for i in 0..32 {
            let [up, down] = [1e-5, -1e-5].map(|step| {
                let mut moved = parts.clone();
                moved[i] += step;
                problem.value(&moved, [0.7, 3.0], &mut [0.0; 32])
            });
            let expected = (up - down) / 2e-5;
            assert!((gradient[i] - expected).abs() < 1e-4 * expected.abs().max(1.0), "{i}");
        }
    }

    #[test]
    fn nothing_comes_of_nothing() {
        for x in [Array2::zeros((0, 3)), Array2::ones((10, 3)), Array2::zeros((5, 0))] {
            let learned = learn(x.view(), &Settings::default());
            assert_eq!(learned.weights, Array2::<f64>::zeros((x.ncols(), x.ncols())));
            assert!(learned.acyclicity <= 1e-8, "{learned:?}");
        }
        // A constant column beside others has no edges.
        let (_, mut x) = draw(3, 500, &mut Rng::new(3));
        x.column_mut(1).fill(7.0);
        let learned = learn(x.view(), &Settings::default());
        assert!(learned.weights.iter().all(|weight| weight.is_finite()));
        assert!(learned.weights.row(1).iter().chain(learned.weights.column(1)).all(|w| *w == 0.0));
    }
}
