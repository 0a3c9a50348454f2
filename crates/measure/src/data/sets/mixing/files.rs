//! Mixtures from files: those of the released code of iVAE, and time series of one's own.

use std::path::Path;

use super::choices::Settings;
use super::whitening::Whitening;
use super::{Mixing, Observed, Sources};
use crate::data::Range;
use crate::data::about::About;
use crate::data::sets::columns::{self, Matrix, Reading, Scale};
use crate::error::{Error, Result};

mod arrays;
mod named_columns;
mod segments;

/// What a file holds.
struct Contents {
    observed: Matrix,
    sources: Option<Matrix>,
    /// The names of the sources.
    names: Vec<String>,
    /// A number per row, or one column per segment.
    segment: Option<Matrix>,
    about: About,
    /// How it was read, every choice made.
    reading: Reading,
}

/// Read the file of `path`; also returns the settings with every choice made.
pub(super) fn read(settings: &Settings) -> Result<(Mixing, Settings)> {
    let path = Path::new(&settings.path);
    let refuse = |reason: String| Error::format(path, reason);
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    let contents = match extension.as_str() {
        "npz" => arrays::from_npz(path, settings)?,
        "npy" => arrays::from_npy(path, settings)?,
        "csv" | "tsv" | "txt" | "parquet" | "pq" => named_columns::from_table(path, settings)?,
        _ => {
            let reason = "is neither .npz, .npy, .csv, .tsv nor .parquet; save it as one of these";
            return Err(refuse(reason.into()));
        }
    };
    let Contents { observed, sources, names, segment, mut about, reading } = contents;

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
    if segment.of_row.len() < rows {
        let rest = rows - segment.of_row.len();
        about.remarks.push(format!("{rest} of {rows} rows at the end fill no segment: dropped"));
    }
    observed.truncate(segment.of_row.len() * width);
    values.truncate(segment.of_row.len() * names.len());
    check_change(&observed, width).map_err(refuse)?;
    if settings.whiten.is_on() {
        Whitening::fit(&observed, width)?.apply(&mut observed);
        // Numbers that are mixed have no units.
        about.scaling = None;
    }
    let bits = observed.iter().all(|value| *value == 0.0 || *value == 1.0);
    let range = if bits { Range::Binary } else { Range::Real };
    let observed = Observed { numbers: observed, width, range };
    let sources = Sources { values, names, truth: settings.factors, modulation: None };
    let settings = Settings { reading, ..settings.clone() };
    Ok((Mixing::new(observed, sources, segment).with_about(about), settings))
}

/// What is done to the channels of an array where nothing is said. Published files, ones and zeros, and
/// what is whitened anyway stay as they are.
fn scale_of_arrays(settings: &Settings, published: bool, numbers: &[f32]) -> Scale {
    let bits = || numbers.iter().all(|number| *number == 0.0 || *number == 1.0);
    match settings.reading.scale {
        Scale::Auto if published || settings.whiten.is_on() || bits() => Scale::None,
        Scale::Auto => Scale::Standard,
        asked => asked,
    }
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
