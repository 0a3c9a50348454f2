//! Arrays of NumPy: `x`, and where they are known `s` and the segments.

use std::path::Path;

use super::super::choices::Settings;
use super::super::numbered;
use super::{Contents, Matrix, columns, scale_of_arrays};
use crate::data::about::About;
use crate::data::sets::columns::Reading;
use crate::error::{Error, Result};
use crate::npz::{self, Array, Npz};

const OBSERVED: [&str; 2] = ["x", "observations"];
const SOURCES: [&str; 2] = ["s", "values"];
const SEGMENT: [&str; 2] = ["segment", "u"];

/// The published form, and ours.
pub(super) fn from_npz(path: &Path, settings: &Settings) -> Result<Contents> {
    no_columns(settings)?;
    let refuse = |reason: String| Error::format(path, reason);
    let mut file = Npz::open(path)?;
    let found = |file: &Npz, names: [&'static str; 2]| names.into_iter().find(|n| file.has(n));
    let Some(observed) = found(&file, OBSERVED) else {
        let held = file.names().join(", ");
        return Err(refuse(format!("has no array `x` of what is observed; it holds {held}")));
    };
    let mut observed = matrix(file.array(observed)?, "x").map_err(refuse)?;
    let sources = match found(&file, SOURCES) {
        None => None,
        Some(name) => Some(matrix(file.array(name)?, "s").map_err(refuse)?),
    };
    let segment = match settings.segment.as_str() {
        "" => found(&file, SEGMENT),
        name => Some(name),
    };
    let segment = match segment {
        // Where rows are cut by length, nobody asks what else the file says.
        Some(name) if settings.segment_length == 0 => {
            let array = file.array(name)?;
            Some(labels(array, observed.rows).map_err(refuse)?)
        }
        _ => None,
    };
    let names = numbered(sources.as_ref().map_or(0, |sources| sources.width));
    // Only the released code calls the segments so.
    let (about, reading) = scaled(path, &mut observed, settings, file.has("u"))?;
    Ok(Contents { observed, sources, names, segment, about, reading })
}

fn scaled(
    path: &Path,
    observed: &mut Matrix,
    settings: &Settings,
    published: bool,
) -> Result<(About, Reading)> {
    super::check_change(&observed.numbers, observed.width)
        .map_err(|reason| Error::format(path, reason))?;
    let scale = scale_of_arrays(settings, published, &observed.numbers);
    columns::scaled(observed, &Reading { scale, ..settings.reading.clone() })
}

/// Observations alone.
pub(super) fn from_npy(path: &Path, settings: &Settings) -> Result<Contents> {
    no_columns(settings)?;
    if !settings.segment.is_empty() {
        let name = &settings.segment;
        let reason = format!("cannot be `{name}`: a .npy holds one array; save both in one .npz");
        return Err(Error::setting("data.segment", reason));
    }
    let refuse = |reason: String| Error::format(path, reason);
    let mut observed = matrix(npz::read_npy(path)?, "x").map_err(refuse)?;
    let (about, reading) = scaled(path, &mut observed, settings, false)?;
    Ok(Contents { observed, sources: None, names: Vec::new(), segment: None, about, reading })
}

/// Arrays have no names of columns.
fn no_columns(settings: &Settings) -> Result<()> {
    let Reading { columns, ignore, .. } = &settings.reading;
    let lists = [("source_columns", &settings.source_columns), ("ignore", ignore)];
    // "*" is what runs of earlier versions are given.
    let columns = Some(("columns", columns)).filter(|(_, list)| *list != &["*"]);
    let mut lists = lists.into_iter().chain(columns);
    match lists.find(|(_, list)| !list.is_empty()) {
        None => Ok(()),
        Some((key, _)) => Err(Error::setting(
            format!("data.{key}"),
            "names columns of a .csv or .parquet file, and arrays have none; leave it out, and \
             save sources as the array `s`",
        )),
    }
}

fn matrix(array: Array, name: &str) -> std::result::Result<Matrix, String> {
    let shape = array.shape.clone();
    let [rows, width] = shape[..] else {
        return Err(format!(
            "array `{name}` has the shape {shape:?}; expected [time, channels], a row for each time"
        ));
    };
    if rows == 0 || width == 0 {
        return Err(format!("array `{name}` has the shape {shape:?}: there is nothing in it"));
    }
    let numbers = array.into_floats();
    match numbers.iter().position(|number| !number.is_finite()) {
        None => Ok(Matrix { numbers, rows, width }),
        Some(place) => Err(format!(
            "array `{name}` has {} in row {}; remove or replace such rows first",
            numbers[place],
            place / width
        )),
    }
}

/// A number per row, or one column per segment.
fn labels(array: Array, rows: usize) -> std::result::Result<Matrix, String> {
    let width = match array.shape[..] {
        [count] if count == rows => 1,
        [count, width] if count == rows && width > 0 => width,
        _ => {
            return Err(format!(
                "has segments of the shape {:?} and {rows} rows of `x`; expected a whole number \
                 per row, or one column per segment",
                array.shape
            ));
        }
    };
    Ok(Matrix { numbers: array.into_floats(), rows, width })
}
