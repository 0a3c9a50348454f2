//! Mixtures from files: those of the released code of iVAE, and time series of one's own.

use std::path::Path;

use super::choices::Settings;
use super::whitening::Whitening;
use super::{Mixing, Observed, Sources};
use crate::data::Range;
use crate::error::{Error, Result};

mod arrays;
mod columns;
mod segments;

/// Numbers by row.
struct Matrix {
    numbers: Vec<f32>,
    rows: usize,
    width: usize,
}

/// What a file holds.
struct Contents {
    observed: Matrix,
    sources: Option<Matrix>,
    /// The names of the sources.
    names: Vec<String>,
    /// A number per row, or one column per segment.
    segment: Option<Matrix>,
}

/// Read the file of `path`.
pub(super) fn read(settings: &Settings) -> Result<Mixing> {
    let path = Path::new(&settings.path);
    let refuse = |reason: String| Error::format(path, reason);
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    let contents = match extension.as_str() {
        "npz" => arrays::from_npz(path, settings)?,
        "npy" => arrays::from_npy(path, settings)?,
        "csv" | "parquet" | "pq" => columns::from_table(path, settings)?,
        _ => {
            let reason = "is neither .npz, .npy, .csv nor .parquet; save it as one of these";
            return Err(refuse(reason.into()));
        }
    };
    let Contents { observed, sources, names, segment } = contents;

    let Matrix { numbers: mut observed, rows, width } = observed;
    let mut values = match sources {
        None => Vec::new(),
        Some(sources) if sources.rows == rows => sources.numbers,
        Some(sources) => {
            return Err(refuse(format!(
                "array `s` has {} rows and `x` has {rows}; there must be one row of sources per \
                 observation",
                sources.rows
            )));
        }
    };
    let segment = match (settings.segment_length, segment) {
        (0, Some(labels)) => segments::named(&labels).map_err(refuse)?,
        (0, None) => {
            let reason = "does not say to which segment a row belongs; set `data.segment_length`, \
                          or save a whole number per row and name it in `data.segment`";
            return Err(refuse(reason.into()));
        }
        (length, _) => segments::cut(rows, length)?,
    };
    observed.truncate(segment.of_row.len() * width);
    values.truncate(segment.of_row.len() * names.len());
    check_change(&observed, width).map_err(refuse)?;
    if settings.whiten.is_on() {
        Whitening::fit(&observed, width)?.apply(&mut observed);
    }
    let bits = observed.iter().all(|value| *value == 0.0 || *value == 1.0);
    let range = if bits { Range::Binary } else { Range::Real };
    let observed = Observed { numbers: observed, width, range };
    let sources = Sources { values, names, truth: settings.factors, modulation: None };
    Ok(Mixing::new(observed, sources, segment))
}

/// Refuse columns without any signal.
fn check_change(observed: &[f32], width: usize) -> std::result::Result<(), String> {
    let constant = |column: usize| {
        observed.iter().skip(column).step_by(width).all(|value| *value == observed[column])
    };
    match (0..width).find(|column| constant(*column)) {
        None => Ok(()),
        Some(column) => Err(format!(
            "column {column} of what is observed (counted from 0) never changes: there is nothing \
             in it to learn from; leave it out"
        )),
    }
}
