//! Networks: layers with seeded weights, and the encoders and decoders made of them.

pub mod autoencoder;
pub mod critic;
pub mod fitted;
pub mod hierarchy;
pub mod layers;
pub mod mlp;
pub mod normalised;
pub mod pixels;
pub mod reader_settings;
pub mod simple;
pub mod size;
