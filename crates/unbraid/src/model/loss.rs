//! The loss of a step: a sum with a gradient, and what the log says of it.

use burn::tensor::Tensor;

use super::averages::Averages;

/// The loss, with its named terms for the log.
#[derive(Debug)]
pub struct Loss {
    /// The value that is differentiated.
    pub total: Tensor<1>,
    /// Its terms, in the order of the log.
    pub terms: Vec<(&'static str, Tensor<1>)>,
    /// KL(q(z_l|x) ‖ p(z_l)) of each latent, averaged over the batch, for models that have one.
    pub latents: Option<Tensor<1>>,
    /// How many latents each layer has, from the bottom, where there are layers.
    pub layers: Vec<usize>,
    /// A `[cause, effect]`, where a graph is learned.
    pub graph: Option<Tensor<2>>,
    /// What parameters without a gradient follow, such as the statistics of batch normalisation.
    pub averages: Option<Averages>,
}

impl Loss {
    /// A loss without named terms.
    pub fn new(total: Tensor<1>) -> Self {
        Self { total, terms: vec![], latents: None, layers: vec![], graph: None, averages: None }
    }

    /// Add the KL of each latent.
    pub fn latents(mut self, kl: Tensor<1>) -> Self {
        self.latents = Some(kl);
        self
    }

    /// Set the layer sizes of the latents.
    pub fn layers(mut self, sizes: &[usize]) -> Self {
        self.layers = sizes.to_vec();
        self
    }

    /// Add the learned graph.
    pub fn graph(mut self, a: Tensor<2>) -> Self {
        self.graph = Some(a);
        self
    }

    /// Add a named term.
    pub fn term(mut self, name: &'static str, value: Tensor<1>) -> Self {
        self.terms.push((name, value));
        self
    }

    /// Add what parameters without a gradient follow.
    pub fn averages(mut self, averages: Averages) -> Self {
        self.averages = Some(averages);
        self
    }
}
