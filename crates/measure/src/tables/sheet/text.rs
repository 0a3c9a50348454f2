//! The rows of a text file, one line in memory at a time.

use std::path::Path;

use csv::{ByteRecord, ErrorKind, Position, ReaderBuilder};

use super::layout::Layout;
use super::{Cell, Spot};
use crate::error::{Error, Result};
use crate::files;

/// How much is read at once.
const BUFFER: usize = 1 << 18;

pub(super) fn each(
    path: &Path,
    layout: &Layout,
    mut see: impl FnMut(usize, Spot, Cell) -> Result<()>,
) -> Result<usize> {
    let file = files::open(path)?;
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .delimiter(layout.separator)
        .buffer_capacity(BUFFER)
        .from_reader(file);
    let mut record = ByteRecord::new();
    if layout.named {
        reader.read_byte_record(&mut record).map_err(|source| broken(path, &source, layout))?;
    }
    let mut row = 0;
    while reader.read_byte_record(&mut record).map_err(|source| broken(path, &source, layout))? {
        if record.len() != layout.names.len() {
            let (found, expected) = (record.len(), layout.names.len());
            return Err(unequal(path, line(&record, layout), found, expected));
        }
        let spot = Spot { row, line: line(&record, layout) };
        for (column, cell) in record.iter().enumerate() {
            let Ok(text) = std::str::from_utf8(cell) else {
                let reason = format!("line {} is no UTF-8 text; save the file as UTF-8", spot.line);
                return Err(Error::format(path, reason));
            };
            see(column, spot, Cell::Text(text.trim()))?;
        }
        row += 1;
    }
    match row {
        0 => Err(Error::format(path, "holds no rows")),
        rows => Ok(rows),
    }
}

fn broken(path: &Path, source: &csv::Error, layout: &Layout) -> Error {
    match source.kind() {
        ErrorKind::UnequalLengths { pos, expected_len, len } => {
            let line = pos.as_ref().map_or(0, |place| counted(place, layout));
            unequal(path, line, *len as usize, *expected_len as usize)
        }
        _ => Error::format(path, source),
    }
}

/// The line on which a row begins.
fn line(record: &ByteRecord, layout: &Layout) -> u64 {
    record.position().map_or(0, |place| counted(place, layout))
}

fn counted(place: &Position, layout: &Layout) -> u64 {
    place.line() + u64::from(layout.carriage_returns && place.record() > 0)
}

fn unequal(path: &Path, line: u64, found: usize, expected: usize) -> Error {
    let cells = if found == 1 { "cell" } else { "cells" };
    let reason = format!(
        "line {line} has {found} {cells} and the first line {expected}; is `data.separator` another \
         one, or a quote not closed?"
    );
    Error::format(path, reason)
}
