//! Latents that stand for labelled concepts, and the causal graph between them.

pub mod acyclic;
pub mod calibration;
pub mod canvas;
pub mod found_graph;
pub mod mask;
pub mod nets;
pub mod scaling;
pub mod structure;
