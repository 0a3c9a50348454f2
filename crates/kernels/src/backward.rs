//! What the backward pass of any layer is given, and gives.

use crate::activation::Activation;

/// The gradients of a layer.
#[derive(Clone, Debug)]
pub struct Gradients {
    /// Of its input, as a map; empty if it was not asked for.
    pub input: Vec<f32>,
    /// Of its weights.
    pub weight: Vec<f32>,
    /// Of its bias.
    pub bias: Vec<f32>,
}

/// What a layer was given, and what came back.
#[derive(Clone, Copy, Debug)]
pub struct Backward<'a> {
    /// The layer's input.
    pub input: &'a [f32],
    /// Its weights.
    pub weight: &'a [f32],
    /// Its output; with SiLU its sums.
    pub kept: &'a [f32],
    /// The gradient of its output, with zeros in the border.
    pub gradient: &'a [f32],
    /// Its activation.
    pub activation: Activation,
    /// Whether the gradient of the input is wanted.
    pub want_input: bool,
}
