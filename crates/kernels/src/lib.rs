//! Fast f32 CPU kernels for small convolutional models: plain slices in, plain vectors out.
//!
//! The only crate of unbraid with unsafe code. It knows nothing of tensors, graphs or models; wrong
//! sizes panic before anything is touched. Every result is the same whatever threads did which part
//! of it, and for any number of threads.

#![allow(unsafe_code)] // each block says why it is sound
#![warn(clippy::undocumented_unsafe_blocks)]
#![allow(
    clippy::inline_always,
    reason = "only what is inlined is compiled for the instruction set at hand"
)]
#![allow(
    clippy::needless_range_loop,
    reason = "indices over registers are unrolled; iterators are not"
)]

mod activation;
mod adam;
mod backward;
mod columns;
mod convolution;
mod cpu;
mod dense;
mod down;
mod fill;
mod geometry;
mod gradient;
mod lanes;
mod likelihood;
mod map;
mod math;
mod normalise;
mod outer;
mod panel;
mod pool;
mod product;
mod softmax;
mod turn;
mod undo;
mod up;

pub use activation::Activation;
pub use adam::Adam;
pub use backward::{Backward, Gradients};
pub use convolution::Convolution;
pub use cpu::Cpu;
pub use dense::Dense;
pub use geometry::Geometry;
pub use likelihood::Likelihood;
pub use map::{Map, Placement};
pub use normalise::{
    NORMALISE_EPSILON, Normalised, NormalisedGradients, normalise, normalise_backward,
};
pub use pool::Pool;
pub use softmax::cross_entropy;
