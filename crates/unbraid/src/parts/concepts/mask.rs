//! The mask layer (Ng et al. 2019, arXiv:1910.08527; CausalVAE, eq. 2): each concept is predicted from
//! its causes,
//!
//! ```text
//! ẑ_i = g_i(A_i ∘ z)
//! ```
//!
//! where column A_i of the adjacency matrix masks the concepts: 0 for all but the causes. So a
//! change of a cause reaches its effects and nothing else.

use burn::module::Module;
use burn::tensor::{Device, Tensor};
use ndarray::Array2;
use unbraid_measure::graph::Graph;
use unbraid_measure::rng::Rng;

use crate::parts::nets::layers::{Activation, Dense};
use crate::parts::nets::mlp::stack;

/// The input of a mechanism.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sees {
    /// A_i ∘ z, every cause for itself: the paper's.
    Each,
    /// Σ_j A_ji z_j, their weighted sum: the released code's.
    Sum,
}

/// Factual rows, before any intervention; `[batch, concepts, dimensions]` each.
#[derive(Clone, Debug)]
pub struct Factual {
    /// The input of the mask layer.
    pub z: Tensor<3>,
    /// Its output plus noise, ẑ + ε.
    pub made: Tensor<3>,
    /// ε, the exogenous noise, which an intervention keeps.
    pub noise: Tensor<3>,
}

/// An intervention on one concept: set before the mask layer, so that it reaches its effects, and
/// after it, so that it stays; `[dimensions]` each.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The concept.
    pub concept: usize,
    /// Its latent before the layer.
    pub z: Tensor<1>,
    /// And after it.
    pub made: Tensor<1>,
}

/// A mechanism g_i for each concept.
#[derive(Module, Debug)]
pub struct MaskLayer {
    mechanisms: Vec<Mechanism>,
    #[module(skip)]
    sees: Sees,
}

/// g_i
#[derive(Module, Debug)]
struct Mechanism {
    layers: Vec<Dense>,
}

impl MaskLayer {
    /// For concepts of this many dimensions, with hidden layers of these widths.
    pub fn new(
        [concepts, dimensions]: [usize; 2],
        sees: Sees,
        hidden: &[usize],
        rng: &Rng,
        device: &Device,
    ) -> Self {
        let input = match sees {
            Sees::Each => concepts * dimensions,
            Sees::Sum => dimensions,
        };
        let sizes = [&[input], hidden, &[dimensions]].concat();
        let mechanism = |concept: usize| {
            let mut rng = rng.split("mechanism").at(concept as u64);
            Mechanism { layers: stack(&sizes, Activation::Elu, &mut rng, device) }
        };
        Self { mechanisms: (0..concepts).map(mechanism).collect(), sees }
    }

    /// With weights of 0 for concepts that are no causes: their input is 0, so they would never be
    /// trained.
    pub fn pruned(self, support: &Array2<f32>) -> Self {
        let sees = self.sees;
        let mechanisms = self.mechanisms.into_iter().enumerate();
        let pruned = |(effect, Mechanism { mut layers }): (usize, Mechanism)| {
            let first = layers.remove(0);
            let inputs = first.inputs();
            let kept = match sees {
                Sees::Each => {
                    let dimensions = inputs / support.nrows();
                    (0..inputs).map(|k| support[[k / dimensions, effect]]).collect()
                }
                Sees::Sum => {
                    let any = support.column(effect).iter().any(|edge| *edge != 0.0);
                    vec![f32::from(u8::from(any)); inputs]
                }
            };
            layers.insert(0, first.with_inputs(kept));
            Mechanism { layers }
        };
        Self { mechanisms: mechanisms.map(pruned).collect(), sees }
    }

    /// ẑ for z `[batch, concepts, dimensions]` and A `[cause, effect]`.
    pub fn forward(&self, z: &Tensor<3>, a: &Tensor<2>) -> Tensor<3> {
        let made = (0..self.mechanisms.len()).map(|concept| self.one(concept, z, a)).collect();
        Tensor::stack(made, 1)
    }

    /// Set some concepts and propagate the change in topological order. Concepts that are no
    /// descendants of a set concept stay exactly as they are.
    pub fn intervene(
        &self,
        factual: &Factual,
        a: &Tensor<2>,
        graph: &Graph,
        set: &[Setting],
    ) -> [Tensor<3>; 2] {
        let columns = |all: &Tensor<3>| -> Vec<Tensor<2>> {
            let [rows, concepts, dimensions] = all.dims();
            let one = |i| all.clone().narrow(1, i, 1).reshape([rows, dimensions]);
            (0..concepts).map(one).collect()
        };
        let (mut z, mut made) = (columns(&factual.z), columns(&factual.made));
        let noise = columns(&factual.noise);
        let mut touched = vec![false; z.len()];
        for i in graph.order() {
            if let Some(given) = set.iter().find(|given| given.concept == i) {
                let all = |code: &Tensor<1>| code.clone().unsqueeze::<2>().expand(z[i].dims());
                let (before, after) = (all(&given.z), all(&given.made));
                (z[i], made[i]) = (before, after);
                touched[i] = true;
            } else if graph.parents(i).into_iter().any(|cause| touched[cause]) {
                let new = self.one(i, &Tensor::stack(z.clone(), 1), a) + noise[i].clone();
                z[i] = z[i].clone() + new.clone() - made[i].clone();
                made[i] = new;
                touched[i] = true;
            }
        }
        [z, made].map(|columns| Tensor::stack(columns, 1))
    }

    /// ẑ of one concept, `[batch, dimensions]`.
    pub fn one(&self, concept: usize, z: &Tensor<3>, a: &Tensor<2>) -> Tensor<2> {
        let [rows, concepts, dimensions] = z.dims();
        let column: Tensor<3> = a.clone().narrow(1, concept, 1).reshape([1, concepts, 1]);
        let weighed = z.clone() * column;
        let seen = match self.sees {
            Sees::Each => weighed.reshape([rows, concepts * dimensions]),
            Sees::Sum => weighed.sum_dim(1).reshape([rows, dimensions]),
        };
        self.mechanisms[concept].layers.iter().fold(seen, |x, layer| layer.forward(x))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::device;
    use crate::model::batch;

    fn layer(sees: Sees) -> MaskLayer {
        MaskLayer::new([3, 2], sees, &[8], &Rng::new(1), &device::inference())
    }

    fn concepts(values: &[f32]) -> Tensor<3> {
        batch::matrix(values, 1, 6, &device::inference()).reshape([1, 3, 2])
    }

    fn graph(values: &[f32]) -> Tensor<2> {
        batch::matrix(values, 3, 3, &device::inference())
    }

    #[test]
    fn without_edges_every_concept_is_a_constant() {
        let none = graph(&[0.0; 9]);
        for sees in [Sees::Each, Sees::Sum] {
            let layer = layer(sees);
            let one = layer.forward(&concepts(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), &none);
            let other = layer.forward(&concepts(&[-9.0; 6]), &none);
            assert_eq!(batch::numbers(one), batch::numbers(other));
        }
    }

    #[test]
    fn a_change_reaches_effects_and_nothing_else() {
        // 0 → 2 and 1 → 2.
        let a = graph(&[0.0, 0.0, 1.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0]);
        for sees in [Sees::Each, Sees::Sum] {
            let layer = layer(sees);
            let made = |values: &[f32]| batch::numbers(layer.forward(&concepts(values), &a));
            let before = made(&[0.1, 0.2, 0.3, 0.4, 0.5, 0.6]);
            let cause = made(&[2.1, 0.2, 0.3, 0.4, 0.5, 0.6]);
            assert_eq!(before[..4], cause[..4]);
            assert!(before[4..] != cause[4..]);
            let effect = made(&[0.1, 0.2, 0.3, 0.4, 9.5, 0.6]);
            assert_eq!(before, effect);
        }
    }

    /// 0 → 1 → 2: what is set at 0 reaches 2 through 1; what is set at 1 leaves 0 alone.
    #[test]
    fn an_intervention_flows_down_a_chain_and_never_up() {
        let a = graph(&[0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
        let chain = Graph::new(["0", "1", "2"], &[(0, 1), (1, 2)]).unwrap();
        let layer = layer(Sees::Each);
        let z = concepts(&[0.1, 0.2, 0.3, 0.4, 0.5, 0.6]);
        let noise = concepts(&[0.0, 0.0, 0.1, 0.1, -0.2, 0.3]);
        let made = layer.forward(&z, &a) + noise.clone();
        let factual = Factual { z: z.clone(), made: made.clone(), noise: noise.clone() };
        let set = |concept, value: f32| {
            let code = Tensor::<1>::from_floats([value; 2], &device::inference());
            let setting = Setting { concept, z: code.clone(), made: code };
            let [z, made] = layer.intervene(&factual, &a, &chain, &[setting]);
            (batch::numbers(z), batch::numbers(made))
        };
        let before = batch::numbers(made);
        let (z1, root) = set(0, 2.0);
        assert_eq!(root[..2], [2.0, 2.0]);
        assert!(root[2..4] != before[2..4] && root[4..] != before[4..]);
        // The same noise: g(2, 2) + ε, by hand.
        let by_hand = layer.one(1, &concepts(&[2.0, 2.0, 0.3, 0.4, 0.5, 0.6]), &a);
        let by_hand = batch::numbers(by_hand);
        assert!((root[2] - (by_hand[0] + 0.1)).abs() < 1e-6);
        assert!((z1[2] - (0.3 + root[2] - before[2])).abs() < 1e-6);
        let (_, middle) = set(1, 2.0);
        assert!(middle[..2] == before[..2] && middle[4..] != before[4..]);
        let (_, end) = set(2, 2.0);
        assert!(end[..4] == before[..4] && end[4..] == [2.0, 2.0]);
    }

    #[test]
    fn a_vector_tells_causes_apart_that_a_sum_cannot() {
        let a = graph(&[0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
        // The same sum of the two causes.
        let (one, other) = ([1.0, 0.0, 2.0, 0.0, 0.0, 0.0], [2.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
        let made = |sees, z: &[f32]| batch::numbers(layer(sees).one(2, &concepts(z), &a));
        assert_eq!(made(Sees::Sum, &one), made(Sees::Sum, &other));
        assert!(made(Sees::Each, &one) != made(Sees::Each, &other));
    }
}
