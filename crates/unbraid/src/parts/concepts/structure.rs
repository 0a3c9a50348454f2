//! The linear structural causal model (SCM): the weighted adjacency matrix, and z from exogenous noise.
//!
//! ```text
//! z = Aᵀ z + ε   ⇔   z = C ε,  C = (I − Aᵀ)⁻¹
//! ```
//!
//! A `[cause, effect]` is support ∘ weight. The support, the set of allowed edges, is found before
//! training and saved with the weights, so that no other edge can be learned. With an acyclic support,
//! det C = 1.

use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor, TensorData};
use ndarray::Array2;
use unbraid_measure::graph::Graph;

use crate::model::batch;
use crate::parts::matrices::inverse;
use crate::parts::nets::layers::fixed;

/// The smallest absolute pivot: where I − Aᵀ is singular, C is large but finite, and its gradient leads
/// away.
const LEAST: f64 = 1e-3;

/// A weighted graph over concepts.
#[derive(Module, Debug)]
pub struct Structure {
    weight: Param<Tensor<2>>,
    /// Every edge is allowed if there is none.
    support: Option<Param<Tensor<2>>>,
}

/// C with log |det C|, both differentiable with respect to A.
#[derive(Clone, Debug)]
pub struct Solved {
    /// C = (I − Aᵀ)⁻¹, `[concepts, concepts]`
    pub inverse: Tensor<2>,
    /// log |det C|
    pub log_determinant: Tensor<1>,
}

impl Structure {
    /// Every edge allowed but self-loops, with weights of 0.
    pub fn open(concepts: usize, device: &Device) -> Self {
        let none = TensorData::new(vec![0f32; concepts * concepts], [concepts, concepts]);
        Self { weight: Param::from_data(none, device), support: None }
    }

    /// With a support that is still to be found.
    pub fn new(concepts: usize, device: &Device) -> Self {
        let nothing = Array2::zeros((concepts, concepts));
        Self::with(&nothing, &nothing, device)
    }

    /// With these weights, and edges only where the support is 1.
    pub fn with(weight: &Array2<f32>, support: &Array2<f32>, device: &Device) -> Self {
        let shape = [weight.nrows(), weight.ncols()];
        let values = |matrix: &Array2<f32>| matrix.iter().copied().collect::<Vec<f32>>();
        Self {
            weight: Param::from_data(TensorData::new(values(weight), shape), device),
            support: Some(fixed(values(support), shape, device)),
        }
    }

    /// A, `[cause, effect]`.
    pub fn adjacency(&self) -> Tensor<2> {
        let weight = self.weight.val();
        let [concepts, _] = weight.dims();
        let support = match &self.support {
            Some(support) => support.val(),
            None => Tensor::eye(concepts, &weight.device()) * -1.0 + 1.0,
        };
        weight * support
    }

    /// A as numbers.
    pub fn strengths(&self) -> Array2<f32> {
        let a = self.adjacency();
        let shape = (a.dims()[0], a.dims()[1]);
        Array2::from_shape_vec(shape, batch::numbers(a)).expect("a matrix has its numbers")
    }

    /// C and log |det C|.
    ///
    /// Both are computed outside the tensor library, since the matrix is small. With M = I − Aᵀ and C
    /// held fixed, C (2 I − M C) has the value of M⁻¹ and its derivative, −C dM C.
    pub fn solve(&self) -> Solved {
        let device = self.weight.val().device();
        let a = self.adjacency();
        let [n, _] = a.dims();
        let one = Tensor::eye(n, &device);
        let m = one.clone() - a.transpose();
        let numbers = batch::numbers(m.clone().detach());
        let m64 = Array2::from_shape_fn((n, n), |(i, j)| f64::from(numbers[i * n + j]));
        let (inverse, log_determinant) = inverse(m64, LEAST);
        let numbers: Vec<f32> = inverse.iter().map(|c| *c as f32).collect();
        let c = Tensor::from_data(TensorData::new(numbers, [n, n]), &device);
        let moved = m.clone() - m.clone().detach();
        // log |det C| = −log |det M|, and d log |det M| = tr(C dM).
        let change = (c.clone().transpose() * moved).sum();
        Solved {
            inverse: c.clone().matmul(one * 2.0 - m.matmul(c)),
            log_determinant: change * -1.0 - log_determinant,
        }
    }

    /// z = C ε for ε `[batch, concepts, dimensions]`.
    pub fn endogenous(solved: &Solved, noise: Tensor<3>) -> Tensor<3> {
        let [rows, concepts, dimensions] = noise.dims();
        // [concepts, batch · dimensions], for one matrix product.
        let flat = noise.swap_dims(0, 1).reshape([concepts, rows * dimensions]);
        solved.inverse.clone().matmul(flat).reshape([concepts, rows, dimensions]).swap_dims(0, 1)
    }

    /// ε = (I − Aᵀ) z for z `[batch, concepts, dimensions]`.
    pub fn exogenous(&self, z: Tensor<3>) -> Tensor<3> {
        let [rows, concepts, dimensions] = z.dims();
        let flat = z.clone().swap_dims(0, 1).reshape([concepts, rows * dimensions]);
        let caused = self.adjacency().transpose().matmul(flat);
        z - caused.reshape([concepts, rows, dimensions]).swap_dims(0, 1)
    }
}

/// The edges stronger than `least`, without cycles: the weakest edges are removed until the graph is
/// acyclic.
pub fn acyclic(strengths: &Array2<f32>, least: f32) -> Graph {
    let names = || (0..strengths.nrows()).map(|node| node.to_string());
    let mut edges: Vec<((usize, usize), f32)> = strengths
        .indexed_iter()
        .filter(|((cause, effect), strength)| cause != effect && strength.abs() > least)
        .map(|(edge, strength)| (edge, strength.abs()))
        .collect();
    edges.sort_by(|a, b| b.1.total_cmp(&a.1));
    loop {
        let kept: Vec<(usize, usize)> = edges.iter().map(|(edge, _)| *edge).collect();
        match Graph::new(names(), &kept) {
            Ok(graph) => return graph,
            Err(_) => edges.truncate(edges.len() - 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::device;
    use ndarray::array;

    fn structure(weight: &Array2<f32>) -> Structure {
        let support = Array2::ones(weight.raw_dim());
        Structure::with(weight, &support, &device::training())
    }

    #[test]
    fn causes_reach_their_effects_along_every_way() {
        // 0 → 1 (2), 1 → 2 (3), 0 → 2 (−1): ε₀ = 1 gives z = (1, 2, −1 + 6).
        let graph = structure(&array![[0.0, 2.0, -1.0], [0.0, 0.0, 3.0], [0.0, 0.0, 0.0]]);
        let noise = batch::matrix(&[1.0, 0.0, 0.0], 1, 3, &device::training()).reshape([1, 3, 1]);
        let solved = graph.solve();
        let z = Structure::endogenous(&solved, noise.clone());
        assert_eq!(batch::numbers(z.clone()), [1.0, 2.0, 5.0]);
        assert_eq!(batch::numbers(graph.exogenous(z)), batch::numbers(noise));
        assert!(solved.log_determinant.into_scalar::<f32>().abs() < 1e-6);
    }

    #[test]
    fn without_edges_the_codes_are_their_noise() {
        let graph = Structure::new(3, &device::training());
        let noise = batch::matrix(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 1, 6, &device::training());
        let noise: Tensor<3> = noise.reshape([1, 3, 2]);
        let z = Structure::endogenous(&graph.solve(), noise.clone());
        assert_eq!(batch::numbers(z), batch::numbers(noise));
    }

    #[test]
    fn the_gradients_of_inverse_and_determinant_are_those_of_differences() {
        let values = array![[0.1, 0.7, -0.4], [0.3, 0.0, 0.9], [-0.8, 0.2, 0.05]];
        // A sum of C with uneven weights, so that no entry hides another.
        let weigh = batch::matrix(
            &[1.0, -2.0, 0.5, 3.0, 1.5, -1.0, 0.2, 2.0, -0.7],
            3,
            3,
            &device::training(),
        );
        let number = |values: &Array2<f32>| {
            let solved = structure(values).solve();
            (solved.inverse * weigh.clone()).sum() + solved.log_determinant * 2.0
        };
        let graph = structure(&values);
        let solved = graph.solve();
        let total = (solved.inverse * weigh.clone()).sum() + solved.log_determinant * 2.0;
        let gradients = total.backward();
        let gradient = batch::numbers(graph.weight.val().grad(&gradients).unwrap());
        for k in 0..9 {
            let at = |step: f32| {
                let mut moved = values.clone();
                moved[[k / 3, k % 3]] += step;
                number(&moved).into_scalar::<f32>()
            };
            let slope = (at(5e-3) - at(-5e-3)) / 1e-2;
            assert!((slope - gradient[k]).abs() < 0.02 * slope.abs() + 2e-2, "{k}: {slope}");
        }
    }

    #[test]
    fn a_graph_that_cannot_be_solved_stays_finite() {
        // z₀ = z₁ and z₁ = z₀: I − Aᵀ is singular.
        let graph = structure(&array![[0.0, 1.0], [1.0, 0.0]]);
        let solved = graph.solve();
        let numbers = batch::numbers(solved.inverse);
        assert!(numbers.iter().all(|c| c.is_finite()), "{numbers:?}");
        assert!(solved.log_determinant.into_scalar::<f32>().is_finite());
    }

    #[test]
    fn the_weakest_edges_of_a_cycle_go() {
        let graph = acyclic(&array![[9.0, 0.8, 0.0], [0.0, 0.0, -0.9], [0.4, 0.1, 0.0]], 0.3);
        assert!(graph.has_edge(0, 1) && graph.has_edge(1, 2));
        assert!(!graph.has_edge(2, 0) && !graph.has_edge(2, 1) && !graph.has_edge(0, 0));
    }

    #[test]
    fn what_is_not_supported_has_no_strength() {
        let (weight, support) = (array![[0.0, 5.0], [7.0, 0.0]], array![[0.0, 1.0], [0.0, 0.0]]);
        let graph = Structure::with(&weight, &support, &device::training());
        assert_eq!(graph.strengths(), array![[0.0, 5.0], [0.0, 0.0]]);
    }
}
