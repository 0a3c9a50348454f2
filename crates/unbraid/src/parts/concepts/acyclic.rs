//! Differentiable acyclicity constraints h(A) (Zheng et al. 2018, arXiv:1803.01422; Yu et al. 2019,
//! arXiv:1904.10098) for losses; `causal/acyclicity.rs` of the measure crate has the same for searches
//! without tensors.
//!
//! ```text
//! polynomial   h(A) = tr((I + A∘A / n)ⁿ) − n
//! exponential  h(A) = tr(exp(A∘A)) − n
//! ```
//!
//! The trace of a power counts closed walks, so both are 0 if and only if there is no cycle, self-loops
//! included. With A∘A no walks cancel by their sign.

use burn::tensor::Tensor;
use unbraid_measure::settings::words;

words! {
    /// Which number says how cyclic a graph is.
    pub enum Form {
        /// tr((I + A∘A / n)ⁿ) − n: DAG-GNN's and CausalVAE's, which grows slowly.
        Polynomial = "polynomial",
        /// tr(exp(A∘A)) − n: that of NOTEARS.
        Exponential = "exponential",
    }
}

impl Form {
    /// h(A), for A `[nodes, nodes]`.
    pub fn of(self, a: Tensor<2>) -> Tensor<1> {
        let [nodes, _] = a.dims();
        let one = Tensor::eye(nodes, &a.device());
        let edges = a.square();
        let walks = match self {
            Self::Polynomial => power(one.clone() + edges / nodes as f64, nodes),
            Self::Exponential => exponential(edges, &one),
        };
        (walks * one).sum() - nodes as f64
    }
}

fn power(matrix: Tensor<2>, exponent: usize) -> Tensor<2> {
    (1..exponent).fold(matrix.clone(), |product, _| product.matmul(matrix.clone()))
}

/// exp(M) = exp(M / 2ˢ)^(2ˢ): the series of a small matrix, squared s times.
fn exponential(matrix: Tensor<2>, one: &Tensor<2>) -> Tensor<2> {
    const SQUARINGS: i32 = 6;
    const TERMS: usize = 8;
    let small = matrix / 2f64.powi(SQUARINGS);
    let mut term = one.clone();
    let mut sum = one.clone();
    for k in 1..=TERMS {
        term = term.matmul(small.clone()) / k as f64;
        sum = sum + term.clone();
    }
    (0..SQUARINGS).fold(sum, |square, _| square.clone().matmul(square))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::device;
    use crate::model::batch;

    fn h(form: Form, values: &[f32], nodes: usize) -> f32 {
        form.of(batch::matrix(values, nodes, nodes, &device::inference())).into_scalar()
    }

    #[test]
    fn no_cycle_gives_zero_in_any_order_of_the_nodes() {
        // 2 → 0 → 1 and 2 → 1, with large weights of both signs.
        let graph = [0.0, -3.0, 0.0, 0.0, 0.0, 0.0, 2.0, 5.0, 0.0];
        for form in [Form::Polynomial, Form::Exponential] {
            assert!(h(form, &graph, 3).abs() < 1e-4, "{form:?}");
        }
    }

    #[test]
    fn a_cycle_of_two_has_the_numbers_of_the_fact_sheet() {
        let cycle = [0.0, 1.0, 1.0, 0.0];
        assert!((h(Form::Polynomial, &cycle, 2) - 0.5).abs() < 1e-6);
        // 2 cosh 1 − 2
        assert!((h(Form::Exponential, &cycle, 2) - 1.086_161).abs() < 1e-4);
        for form in [Form::Polynomial, Form::Exponential] {
            assert!(h(form, &[0.5, 0.0, 0.0, 0.0], 2) > 0.1, "an edge to itself is a cycle");
        }
    }

    #[test]
    fn the_gradient_is_that_of_differences() {
        let values = [0.1, 0.7, -0.4, 0.3, 0.0, 0.9, -0.8, 0.2, 0.05];
        for form in [Form::Polynomial, Form::Exponential] {
            let a = batch::matrix(&values, 3, 3, &device::training()).require_grad();
            let gradients = form.of(a.clone()).backward();
            let gradient = batch::numbers(a.grad(&gradients).unwrap());
            for k in 0..values.len() {
                let at = |step: f32| {
                    let mut moved = values;
                    moved[k] += step;
                    h(form, &moved, 3)
                };
                let slope = (at(1e-2) - at(-1e-2)) / 2e-2;
                assert!((slope - gradient[k]).abs() < 5e-3, "{form:?} {k}: {slope} {gradient:?}");
            }
        }
    }
}
