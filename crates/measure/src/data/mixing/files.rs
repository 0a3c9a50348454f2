//! Mixtures from files: those of the released code of iVAE, and time series of one's own.

use std::path::Path;

use super::choices::Settings;
use super::whitening::Whitening;
use super::{Mixing, checks};
use crate::data::Range;
use crate::error::{Error, Result};
use crate::npz::{self, Array, Npz};

const OBSERVED: [&str; 2] = ["x", "observations"];
const SOURCES: [&str; 2] = ["s", "values"];
const SEGMENT: [&str; 2] = ["segment", "u"];

/// The arrays of a file that count.
struct Arrays {
    observed: Array,
    sources: Option<Array>,
    segment: Option<Array>,
}

/// Read the file of `path`.
pub(super) fn read(settings: &Settings) -> Result<Mixing> {
    let path = Path::new(&settings.path);
    let refuse = |reason: String| Error::format(path, reason);
    let Arrays { observed, sources, segment } = arrays(path)?;

    let (mut observed, rows, width) = table(observed, "x").map_err(refuse)?;
    let (mut sources, count) = match sources {
        None => (Vec::new(), 0),
        Some(array) => {
            let (sources, same, count) = table(array, "s").map_err(refuse)?;
            check_sources((same, count), (rows, width)).map_err(refuse)?;
            (sources, count)
        }
    };
    let (segment, segments) = match (settings.segment_length, segment) {
        (0, Some(array)) => numbered(array, rows).map_err(refuse)?,
        (0, None) => {
            let reason = "does not say to which segment a row belongs; set `data.segment_length`, \
                          or save a whole number per row as `segment`";
            return Err(refuse(reason.into()));
        }
        (length, _) => cut(rows, length),
    };
    observed.truncate(segment.len() * width);
    sources.truncate(segment.len() * count);
    checks::segments(&segment, segments).map_err(refuse)?;
    check_change(&observed, width).map_err(refuse)?;
    if settings.whiten.is_on() {
        Whitening::fit(&observed, width)?.apply(&mut observed);
    }
    let bits = observed.iter().all(|value| *value == 0.0 || *value == 1.0);
    let range = if bits { Range::Binary } else { Range::Real };
    Ok(Mixing::new((observed, width, range), (sources, count), (segment, segments)))
}

fn arrays(path: &Path) -> Result<Arrays> {
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    match extension.to_str() {
        Some("npy") => Ok(Arrays { observed: npz::read_npy(path)?, sources: None, segment: None }),
        Some("npz") => {
            let mut file = Npz::open(path)?;
            let mut first = |names: [&str; 2]| {
                let found = names.into_iter().find(|name| file.has(name));
                found.map(|name| file.array(name)).transpose()
            };
            let (observed, sources, segment) = (first(OBSERVED)?, first(SOURCES)?, first(SEGMENT)?);
            let observed = observed.ok_or_else(|| {
                let held = file.names().join(", ");
                let reason = format!("has no array `x` of what is observed; it holds {held}");
                Error::format(path, reason)
            })?;
            Ok(Arrays { observed, sources, segment })
        }
        _ => {
            let reason = "is neither .npz nor .npy; save it with np.savez or np.save";
            Err(Error::format(path, reason))
        }
    }
}

/// The numbers of a table, its rows and its columns.
fn table(array: Array, name: &str) -> std::result::Result<(Vec<f32>, usize, usize), String> {
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
        None => Ok((numbers, rows, width)),
        Some(place) => Err(format!(
            "array `{name}` has {} in row {}; remove or replace such rows first",
            numbers[place],
            place / width
        )),
    }
}

fn check_sources(
    sources: (usize, usize),
    observed: (usize, usize),
) -> std::result::Result<(), String> {
    let ((of_sources, count), (rows, width)) = (sources, observed);
    if of_sources != rows {
        return Err(format!(
            "array `s` has {of_sources} rows and `x` has {rows}; there must be one row of sources \
             per observation"
        ));
    }
    if count > width {
        return Err(format!(
            "has {count} sources and {width} observed numbers; a mixture of more sources than \
             numbers cannot be undone"
        ));
    }
    Ok(())
}

/// Segments of equal length one after the other; a shorter rest belongs to none.
fn cut(rows: usize, length: usize) -> (Vec<u32>, usize) {
    let segments = rows / length;
    ((0..segments * length).map(|row| (row / length) as u32).collect(), segments)
}

/// The segment of each row, from a number per row or from one column per segment.
fn numbered(array: Array, rows: usize) -> std::result::Result<(Vec<u32>, usize), String> {
    let shape = array.shape.clone();
    let width = match shape[..] {
        [count] if count == rows => 1,
        [count, width] if count == rows && width > 0 => width,
        _ => {
            return Err(format!(
                "has segments of the shape {shape:?} and {rows} rows of `x`; expected a whole \
                 number per row, or one column per segment"
            ));
        }
    };
    let numbers = array.into_floats();
    if width > 1 {
        return one_hot(&numbers, width);
    }
    if let Some(row) = numbers.iter().position(|number| number.fract() != 0.0) {
        let number = numbers[row];
        return Err(format!("has the segment {number} in row {row}; segments are whole numbers"));
    }
    let mut names = numbers.clone();
    names.sort_by(f32::total_cmp);
    names.dedup();
    let place = |number: &f32| names.partition_point(|name| name < number) as u32;
    Ok((numbers.iter().map(place).collect(), names.len()))
}

fn one_hot(numbers: &[f32], width: usize) -> std::result::Result<(Vec<u32>, usize), String> {
    let place = |(row, label): (usize, &[f32])| {
        let ones = label.iter().filter(|number| **number == 1.0).count();
        let zeros = label.iter().filter(|number| **number == 0.0).count();
        match label.iter().position(|number| *number == 1.0) {
            Some(place) if ones == 1 && zeros == width - 1 => Ok(place as u32),
            _ => Err(format!(
                "has segments in {width} columns, but row {row} is not a single 1 among zeros"
            )),
        }
    };
    let places = numbers.chunks_exact(width).enumerate().map(place);
    Ok((places.collect::<std::result::Result<_, _>>()?, width))
}

/// Refuse columns without any signal.
fn check_change(observed: &[f32], width: usize) -> std::result::Result<(), String> {
    let constant = |column: usize| {
        observed.iter().skip(column).step_by(width).all(|value| *value == observed[column])
    };
    match (0..width).find(|column| constant(*column)) {
        None => Ok(()),
        Some(column) => Err(format!(
            "column {column} of `x` (counted from 0) never changes: there is nothing in it to \
             learn from; leave it out"
        )),
    }
}
