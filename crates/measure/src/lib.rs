//! Ground truth and measurement for representation learning: data sets with known factors, and
//! metrics that say how well a representation has found them. No deep learning in here: codes from
//! any framework will do.
//!
//! ```text
//! Dataset ─ Sampler(Supervision) ─ Draw ──▶ your learner ──▶ Representation ─ Metric ──▶ Score
//! ```
//!
//! ```
//! use unbraid_measure::{data, metrics, representation::Representation, rng::Rng, watch::Stage};
//!
//! // The true values of `squares`, used as if they were codes: a perfect representation.
//! let (squares, _) = (data::find("squares")?.open)(&toml::Table::new())?;
//! let rows: Vec<usize> = (0..squares.len()).collect();
//! let values = data::values(&*squares, &rows);
//! let perfect = Representation::new(values.clone(), values, squares.factors().to_vec())?;
//!
//! let mig = metrics::find("mig")?.score(&perfect, &mut Rng::new(0), &Stage::unwatched())?;
//! assert!(mig.value > 0.99);
//! # Ok::<(), unbraid_measure::Error>(())
//! ```

#![forbid(unsafe_code)]

pub mod error;
pub mod files;
pub mod info;
pub mod npz;
pub mod rng;
pub mod settings;
pub mod tables;
pub mod watch;

pub mod causal;
pub mod components;
pub mod factors;
pub mod graph;
pub mod predictors;
pub mod stats;

pub mod representation;

pub mod data;
pub mod metrics;

pub mod cautions;
pub mod doctor;
pub mod scoring;
pub mod stress;

pub use error::{Error, Result};
