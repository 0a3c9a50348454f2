//! What `settings.json`, beside the arrays, says of the system that made them.

use std::path::Path;

use ndarray::Array2;
use serde_json::Value;

use crate::error::{Error, Result};

/// The key of the graph: entry `[i][j]` is 1 where i causes j a step later.
const GRAPH: &str = "temporal_causal_graph";

/// The temporal graph over this many factors, `[cause, effect]`, where the settings beside `path` have
/// one. A file of that name may be about anything else: only a graph of another size is refused.
pub(super) fn temporal_graph(path: &Path, factors: usize) -> Result<Option<Array2<bool>>> {
    let beside = path.with_file_name("settings.json");
    let Ok(text) = std::fs::read_to_string(&beside) else { return Ok(None) };
    let settings: Value = serde_json::from_str(&text).unwrap_or_default();
    let Some(graph) = settings.get(GRAPH) else { return Ok(None) };
    let edges: Option<Vec<bool>> = entries(graph, factors);
    let graph = edges.and_then(|edges| Array2::from_shape_vec((factors, factors), edges).ok());
    let reason = || format!("`{GRAPH}` is not {factors} lists of {factors} zeros and ones");
    graph.map(Some).ok_or_else(|| Error::format(&beside, reason()))
}

/// The entries of a square table, row by row, if that is what it is.
fn entries(graph: &Value, side: usize) -> Option<Vec<bool>> {
    let rows = graph.as_array().filter(|rows| rows.len() == side)?;
    let mut edges = Vec::with_capacity(side * side);
    for row in rows {
        for entry in row.as_array().filter(|row| row.len() == side)? {
            edges.push(entry.as_bool().or_else(|| entry.as_f64().map(|number| number != 0.0))?);
        }
    }
    Some(edges)
}
