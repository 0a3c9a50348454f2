//! The workbench for disentangled and causal representation learning.
//!
//! ```text
//! data ─▶ batch ─▶ model ─▶ train ─▶ run directory ─▶ representation ─▶ metrics ─▶ report
//! ```
//!
//! The modules below are in that order; each may use those above it. What needs no deep learning
//! (data sets, metrics, representations) is the crate `unbraid-measure`, re-exported here.
//!
//! ```no_run
//! use unbraid::evaluate::encode;
//! use unbraid::run::{Run, config::Config, train};
//! use unbraid::{metrics, rng::Rng, watch::{Nobody, Stage}};
//!
//! // A β-VAE on `squares`, from a configuration to scores.
//! let text = "data.name = 'squares'\nmodel.name = 'beta-vae'\ntrain.steps = 2000";
//! let plan = Config::from_table(text.parse().expect("TOML"))?.resolve()?;
//! let run = Run::create("runs/first", &plan)?;
//! train::train(&run, &plan, &Nobody)?;
//!
//! let learner = run.learner(&plan)?;
//! let codes = encode::of_run(&run, &plan, &*learner)?;
//! let mig = metrics::find("mig")?.score(&codes, &mut Rng::new(0), &Stage::unwatched())?;
//! println!("MIG {:.3}", mig.value);
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
pub mod study;

#[cfg(feature = "cli")]
pub mod fetch;

pub use error::{Error, Result};
