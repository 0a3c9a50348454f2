//! Building blocks of models, by kind: a folder may use those above it.

pub mod labels;
pub mod linear;
pub mod matrices;
pub mod schedule;
pub mod segments;

pub mod distributions;

pub mod nets;

pub mod concepts;

pub mod quantised;

pub mod time;

pub mod actions;
