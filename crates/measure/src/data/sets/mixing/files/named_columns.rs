//! Columns of a .csv or .parquet file: those that are not named otherwise are observed.

use std::path::Path;

use super::super::choices::Settings;
use super::{Contents, Matrix};
use crate::data::about::Role;
use crate::data::sets::columns::{self, Columns, Named, Reading, Scale};
use crate::data::sets::table::by_row;
use crate::error::{Error, Result};
use crate::tables::Column;
use crate::tables::sheet::Sheet;

/// The column that is taken for the segments if none is named. No `u`, as in arrays: columns have
/// names of the user's own, and that may well be a voltage.
const SEGMENT: &str = "segment";

pub(super) fn from_table(path: &Path, settings: &Settings) -> Result<Contents> {
    let segment: Vec<String> = segment(path, settings)?.into_iter().collect();
    if segment.iter().any(|name| settings.source_columns.contains(name)) {
        let reason = "names the column of the segments, which is no source; leave it out";
        return Err(Error::setting("data.source_columns", reason));
    }
    let named = [
        Named { role: Role::Factor, key: "source_columns", names: &settings.source_columns },
        Named { role: Role::Segment, key: "segment", names: &segment },
    ];
    // What is whitened is scaled by that.
    let scale = match settings.reading.scale {
        Scale::Auto if settings.whiten.is_on() => Scale::None,
        asked => asked,
    };
    let reading = Reading { scale, ..settings.reading.clone() };
    let columns = columns::read(path, &reading, &named)?;
    let Columns { observed, width, rows, known, about, reading, .. } = columns;
    let matrix = |columns: &[Column]| {
        let columns: Vec<&Column> = columns.iter().collect();
        let (numbers, width) = (by_row(&columns, rows), columns.len());
        (width > 0).then_some(Matrix { numbers, rows, width })
    };
    Ok(Contents {
        observed: Matrix { numbers: observed, rows, width },
        sources: matrix(&known[0]),
        names: settings.source_columns.clone(),
        segment: matrix(&known[1]),
        about,
        reading,
    })
}

/// The column of the segments: the one named, or one of this name.
fn segment(path: &Path, settings: &Settings) -> Result<Option<String>> {
    if !settings.segment.is_empty() {
        return Ok(Some(settings.segment.clone()));
    }
    let ignored = |name: &String| settings.reading.ignore.contains(name);
    let found = Sheet::open(path, settings.reading.separator)?;
    Ok(found.names.into_iter().find(|name| name == SEGMENT && !ignored(name)))
}
