//! `unbraid graph`: the learned graph beside the true one.

use super::Output;
use super::args::Graph;
use anyhow::Result;
pub(super) fn run(_options: &Graph, _output: Output) -> Result<()> {
    Ok(())
}
