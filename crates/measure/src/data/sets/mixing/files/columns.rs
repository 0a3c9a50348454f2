//! Columns of a .csv or .parquet file: those that are not named otherwise are observed.

use std::path::Path;

use super::super::choices::Settings;
use super::{Contents, Matrix};
use crate::data::sets::table::{by_row, check, named};
use crate::error::{Error, Result};
use crate::tables::{Column, Table};

/// The column that is taken for the segments if none is named. No `u`, as in arrays: columns have
/// names of the user's own, and that may well be a voltage.
const SEGMENT: &str = "segment";

pub(super) fn from_table(path: &Path, settings: &Settings) -> Result<Contents> {
    let table = Table::read(path, &[])?;
    let segment = match settings.segment.as_str() {
        "" => table.columns.iter().find(|column| column.name.as_deref() == Some(SEGMENT)),
        name => Some(named(&table, name, "segment")?),
    };
    let take = |names: &[String], key: &str| -> Result<Vec<&Column>> {
        names.iter().map(|name| named(&table, name, key)).collect()
    };
    let sources = take(&settings.source_columns, "source_columns")?;
    let ignored = take(&settings.ignore, "ignore")?;
    let is = |column: &Column, other: &Column| std::ptr::eq(column, other);
    if let Some(segment) = segment
        && sources.iter().any(|column| is(column, segment))
    {
        let reason = "names the column of the segments, which is no source; leave it out";
        return Err(Error::setting("data.source_columns", reason));
    }
    let apart: Vec<&Column> = sources.iter().chain(&ignored).copied().chain(segment).collect();
    let observed: Vec<&Column> = table
        .columns
        .iter()
        .filter(|column| !apart.iter().any(|other| is(column, other)))
        .collect();
    check(path, &table, &observed, "source_columns")?;

    let matrix = |columns: &[&Column]| Matrix {
        numbers: by_row(columns, table.rows()),
        rows: table.rows(),
        width: columns.len(),
    };
    Ok(Contents {
        observed: matrix(&observed),
        sources: (!sources.is_empty()).then(|| matrix(&sources)),
        names: settings.source_columns.clone(),
        segment: segment.map(|column| matrix(&[column])),
    })
}
