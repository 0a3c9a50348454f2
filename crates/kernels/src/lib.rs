//! Fast f32 CPU kernels for small convolutional models: plain slices in, plain vectors out.
//!
//! The only crate of unbraid with unsafe code. It knows nothing of tensors, graphs or models; wrong
//! sizes panic before anything is touched. Every result is the same whatever threads did which part
//! of it, and for any number of threads.
//!
//! Layers, and what a training step needs beside them:
//!
//! * `convolution`: both directions between a big map and a small one; `down` and `up` compute them,
//!   `gradient` goes back through either.
//! * `dense`: layers of one big matrix, which is read once per pass.
//! * `normalise`: batch normalisation with the activation behind it, forward and back.
//! * `pairs`, `attention`: a small network of all pairs of nodes, and messages along their edges.
//! * `likelihood`, `softmax`: losses with their gradients in one pass over what was decoded.
//! * `adam`, `adagrad`: optimisers, in one pass over weights, gradients and what they remember of them.
//! * `pool`: an allocator that keeps large blocks, so that a step does not ask the system for them.
//!
//! What layers are made of, from the caller's arrays to the registers:
//!
//! * `map`, `geometry`: images with a border of zeros, and how kernel, stride and padding connect two.
//! * `activation`, `undo`: applied while sums are in registers; and back through it, with the gradient
//!   of the bias added up on the way, so that the gradient is read once.
//! * `backward`: what every backward pass is given and gives.
//! * `product`, `outer`: the two inner loops, a tile of sums at a time in registers; `outer` is for the
//!   gradient of a convolution's weights, `product` for everything else.
//! * `panel`, `layout`: panels of sixteen columns, which both loops work on, and how matrices are
//!   packed into them and transposed.
//! * `fill`: new vectors written by several threads and not zeroed first, which would be one more pass
//!   over memory.
//! * `lanes`, `math`: sixteen floats at once on any processor, and their functions.
//! * `cpu`: which instructions to use, decided once at run time.

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
mod adagrad;
mod adam;
mod attention;
mod backward;
mod convolution;
mod cpu;
mod dense;
mod down;
mod fill;
mod geometry;
mod gradient;
mod lanes;
mod layout;
mod likelihood;
mod map;
mod math;
mod normalise;
mod outer;
mod pairs;
mod panel;
mod pool;
mod product;
mod softmax;
mod undo;
mod up;

pub use activation::Activation;
pub use adagrad::Adagrad;
pub use adam::Adam;
pub use attention::{Attended, Attention};
pub use backward::{Backward, Gradients};
pub use convolution::Convolution;
pub use cpu::Cpu;
pub use dense::Dense;
pub use geometry::Geometry;
pub use likelihood::{Likelihood, Places};
pub use map::{Map, Placement};
pub use normalise::{
    NORMALISE_EPSILON, Normalised, NormalisedGradients, normalise, normalise_backward,
};
pub use pairs::{PairGradients, Pairs};
pub use pool::Pool;
pub use softmax::{cross_entropy, log_probability};
