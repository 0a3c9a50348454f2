//! Causal discovery from tables, and how far two graphs are apart.

pub mod acyclicity;
pub mod discovery;
pub mod graph_distance;
pub mod label_search;
pub mod notears;
pub mod temporal;
