//! How far a weighted graph is from having no cycles: zero exactly if it has none, and smooth, so
//! that it can be lowered step by step. With A = W∘W, entry by entry, over d nodes,
//!
//! ```text
//! polynomial   h = tr (I + s A)^d - d    ∇h = s d ((I + s A)^(d-1))ᵀ ∘ 2W    (Yu et al. 2019)
//! exponential  h = tr exp A - d          ∇h = (exp A)ᵀ ∘ 2W                  (Zheng et al. 2018)
//! ```
//!
//! The trace of Aᵏ sums the weights of all closed walks of k steps, and both count each length with
//! a positive factor. s is 1/d unless given: then the gradient has the factor 1, and the powers stay
//! small. The exponential grows fast, and overflows where the polynomial does not.

use ndarray::{Array2, ArrayView2};

/// The powers of A beyond which the series of exp (A / 2ᵏ), with |A / 2ᵏ| ≤ 1/2, is exact.
const TERMS: usize = 16;

/// A value and its gradient by every weight.
#[derive(Clone, Debug, PartialEq)]
pub struct Acyclicity {
    /// h: 0 without cycles, more with more and heavier ones.
    pub value: f64,
    /// `[d, d]`
    pub gradient: Array2<f64>,
}

/// The polynomial form with s = 1/d.
pub fn polynomial(weights: ArrayView2<f64>) -> Acyclicity {
    polynomial_scaled(weights, 1.0 / weights.nrows().max(1) as f64)
}

/// The polynomial form with a given s (c/m in the paper of DAG-GNN).
pub fn polynomial_scaled(weights: ArrayView2<f64>, scale: f64) -> Acyclicity {
    let nodes = weights.nrows();
    let step = Array2::eye(nodes) + squares(weights) * scale;
    let mut below = Array2::eye(nodes);
    for _ in 1..nodes {
        below = below.dot(&step);
    }
    let value = below.dot(&step).diag().sum() - nodes as f64;
    let gradient = &below.t() * &weights * (2.0 * scale * nodes as f64);
    Acyclicity { value, gradient }
}

/// The exponential form.
pub fn exponential(weights: ArrayView2<f64>) -> Acyclicity {
    let power = exp(squares(weights));
    let value = power.diag().sum() - weights.nrows() as f64;
    Acyclicity { value, gradient: &power.t() * &weights * 2.0 }
}

fn squares(weights: ArrayView2<f64>) -> Array2<f64> {
    weights.mapv(|weight| weight * weight)
}

/// exp A = (exp (A / 2ᵏ))^(2ᵏ), the inner one by its series.
fn exp(mut a: Array2<f64>) -> Array2<f64> {
    let norm = a.rows().into_iter().map(|row| row.sum()).fold(0.0, f64::max);
    if !norm.is_finite() {
        return Array2::from_elem(a.dim(), f64::INFINITY);
    }
    let halvings = if norm > 0.5 { (norm / 0.5).log2().ceil() as i32 } else { 0 };
    a /= 2f64.powi(halvings);
    let eye = Array2::eye(a.nrows());
    // Horner: I + A (I + A/2 (I + A/3 (...)))
    let mut sum: Array2<f64> = eye.clone();
    for term in (1..=TERMS).rev() {
        sum = &eye + &(a.dot(&sum) / term as f64);
    }
    for _ in 0..halvings {
        sum = sum.dot(&sum);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use ndarray::arr2;

    type Form = fn(ArrayView2<f64>) -> Acyclicity;
    const FORMS: [Form; 2] = [polynomial, exponential];

    fn normal(nodes: usize, rng: &mut Rng) -> Array2<f64> {
        Array2::from_shape_simple_fn((nodes, nodes), || f64::from(rng.normal()))
    }

    #[test]
    fn a_graph_with_an_order_has_none_whatever_its_order_is() {
        let mut rng = Rng::new(0);
        for nodes in 1..8 {
            let weights = normal(nodes, &mut rng);
            let place = rng.permutation(nodes);
            let ordered =
                Array2::from_shape_fn((nodes, nodes), |(i, j)| match place[i] < place[j] {
                    true => weights[[i, j]],
                    false => 0.0,
                });
            for form in FORMS {
                let value = form(ordered.view()).value;
                assert!(value.abs() < 1e-12, "{value}");
            }
        }
    }

    #[test]
    fn two_nodes_that_cause_each_other_have_the_values_worked_out_by_hand() {
        let both = arr2(&[[0.0, 1.0], [1.0, 0.0]]);
        assert!((polynomial(both.view()).value - 0.5).abs() < 1e-12);
        let expected = 2.0 * 1f64.cosh() - 2.0;
        assert!((exponential(both.view()).value - expected).abs() < 1e-12);
        assert!((expected - 1.0862).abs() < 1e-4);
    }

    #[test]
    fn a_node_that_causes_itself_is_a_cycle() {
        let alone = arr2(&[[0.0, 0.0], [0.0, -0.3]]);
        for form in FORMS {
            assert!(form(alone.view()).value > 0.05);
        }
    }

    #[test]
    fn gradients_are_those_of_finite_differences() {
        let weights = normal(5, &mut Rng::new(1));
        let scaled: Form = |weights| polynomial_scaled(weights, 0.7);
        for form in [polynomial, exponential, scaled] {
            let Acyclicity { gradient, .. } = form(weights.view());
            let largest = gradient.iter().fold(0.0, |most: f64, g| most.max(g.abs()));
            for at in ndarray::indices(weights.dim()) {
                let [up, down] = [1e-5, -1e-5].map(|step| {
                    let mut moved = weights.clone();
                    moved[at] += step;
                    form(moved.view()).value
                });
                let off = gradient[at] - (up - down) / 2e-5;
                assert!(off.abs() < 1e-6 * largest, "{at:?}: {} off by {off}", gradient[at]);
            }
        }
    }

    #[test]
    fn the_exponential_of_large_weights_is_infinite_rather_than_not_a_number() {
        let huge = Array2::from_elem((3, 3), 1e200);
        assert_eq!(exponential(huge.view()).value, f64::INFINITY);
    }

    #[test]
    fn no_nodes_have_no_cycles() {
        for form in FORMS {
            assert_eq!(form(Array2::zeros((0, 0)).view()).value, 0.0);
        }
    }
}
