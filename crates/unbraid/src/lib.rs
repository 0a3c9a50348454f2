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
//! use unbraid::{config::Config, encode, metrics, rng::Rng, run::Run, train, watch::Watch};
//!
//! // A β-VAE on `squares`, from a configuration to scores.
//! let text = "data.name = 'squares'\nmodel.name = 'beta-vae'\ntrain.steps = 2000";
//! let plan = Config::from_table(text.parse().expect("TOML"))?.resolve()?;
//! let run = Run::create("runs/first", &plan)?;
//! train::train(&run, &plan, &mut |progress| {
//!     println!("{} {:?}", progress.done, progress.terms);
//!     true
//! })?;
//!
//! let learner = run.learner(&plan)?;
//! let codes = encode::of_run(&run, &plan, &*learner)?;
//! let mig = metrics::find("mig")?.score(&codes, &mut Rng::new(0), &Watch::nobody())?;
//! println!("MIG {:.3}", mig.value);
//! # Ok::<(), unbraid::Error>(())
//! ```

#![forbid(unsafe_code)]

pub use unbraid_measure::{
    data, factors, graph, info, metrics, representation, rng, scoring, tables, watch,
};

pub mod error;

pub mod words;

#[cfg(feature = "cli")]
pub mod fetch;

pub mod device;

pub mod workers;

pub mod batch;

pub mod compute;

pub mod weights;

pub mod model;

pub mod parts;

pub mod optimizer;

pub mod learner;

pub mod models;

pub mod rotation;

pub mod config;

pub mod run;

pub mod picture;

pub mod animation;

pub mod figure;

pub mod tensorboard;

pub mod encode;

pub mod latents;

pub mod traverse;

pub mod reconstruct;

pub mod response;

pub mod intervene;

pub mod effects;

pub mod causes;

pub mod factor_figure;

pub mod matching_figure;

pub mod training_figure;

pub mod causes_figure;

pub mod layers_figure;

pub mod train;

pub mod score;

pub mod bound;

pub mod card;

pub mod published;

pub mod report;

pub mod study;

pub mod reproduce;

pub mod bench;

pub use error::{Error, Result};
