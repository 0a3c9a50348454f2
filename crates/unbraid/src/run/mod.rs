//! A run: its configuration, its directory, its training, and what can be asked of it once it is
//! trained.
//!
//! [`Run`] is a directory, [`TrainedRun`] a directory with its data and its method. Every stage adds what
//! it can ask of a trained run in a file of its own: `score.rs`, `pictures.rs`, `intervene.rs`, …

mod actions;
mod agreement;
mod base;
pub mod bench;
pub mod card;
mod chance;
pub mod check;
pub mod config;
mod directory;
mod evaluate;
pub mod files;
mod first_loss;
mod glimpse;
mod graph;
mod interactions;
mod intervene;
mod kept;
mod log;
mod pictures;
mod plan;
mod resume;
mod rollout;
mod rotate;
pub mod score;
mod series;
mod temporal;
pub mod tensorboard;
pub mod train;
mod trained;
mod triplets;

pub use agreement::agreement;
pub use base::Base;
pub(crate) use directory::check_settings;
pub use directory::{Run, VERSION};
pub use files::Content;
pub use intervene::{Counterfactuals, Interventions};
pub use log::{Log, Mark};
pub use pictures::Traversal;
pub use plan::Plan;
pub use rotate::Rotated;
pub use trained::TrainedRun;
