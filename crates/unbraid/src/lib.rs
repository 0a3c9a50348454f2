//! The workbench for disentangled and causal representation learning.
//!
//! ```text
//! data ─▶ batch ─▶ model ─▶ train ─▶ run directory ─▶ representation ─▶ metrics ─▶ report
//! ```
//!
//! The modules below are in the order of the pipeline; each may use those above it
//! (`docs/architecture.md`). What needs no deep learning (data sets, metrics, representations) is the
//! crate `unbraid-measure`, re-exported here.
//!
//! ```no_run
//! use unbraid::run::config::Config;
//! use unbraid::run::score::Scoring;
//! use unbraid::run::{Run, TrainedRun, train};
//! use unbraid::watch::Nobody;
//!
//! // A β-VAE on `squares`, from a configuration to scores and a page.
//! let text = "data.name = 'squares'\nmodel.name = 'beta-vae'\ntrain.steps = 2000";
//! let plan = Config::from_table(text.parse().expect("TOML"))?.resolve()?;
//! let run = Run::create("runs/first", &plan)?;
//! train::train(&run, &plan, &Nobody)?;
//!
//! let trained = TrainedRun::open("runs/first")?;
//! let scored = trained.score(&Scoring::default(), &Nobody)?;
//! for outcome in &scored.report.outcomes {
//!     println!("{} {:?}", outcome.metric.info().name, outcome.score);
//! }
//! trained.report(None, &Nobody)?;
//! # Ok::<(), unbraid::Error>(())
//! ```

#![forbid(unsafe_code)]

pub use unbraid_measure::{
    data, factors, graph, info, metrics, representation, rng, scoring, tables, watch,
};

pub mod error;

pub mod compute;
pub mod model;
pub mod models;
pub mod parts;

pub mod draw;
pub mod evaluate;
pub mod figures;
pub mod intervene;

pub mod report;
pub mod run;
pub mod stress;
pub mod study;

#[cfg(feature = "cli")]
pub mod fetch;

pub use error::{Error, Result};
