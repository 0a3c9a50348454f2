//! A run: its configuration, its directory, its training.

pub mod bench;
pub mod config;
mod directory;
mod files;
pub mod scores;
pub mod tensorboard;
pub mod train;

pub use directory::{Log, Run, VERSION};
pub use files::Content;
