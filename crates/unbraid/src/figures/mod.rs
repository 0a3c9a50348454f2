//! Figures of a run, a file each.

pub mod factors;
pub mod graph;
pub mod layers;
pub mod matching;
pub mod reconstruct;
pub mod training;
pub mod traverse;
