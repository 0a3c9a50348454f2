//! The columns of a Parquet file, one row group of one column in memory at a time.

use std::fs::File;
use std::path::Path;

use parquet::basic::{ConvertedType, LogicalType, TimeUnit};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;

use super::{Cell, Spot};
use crate::error::{Error, Result};
use crate::files;
use crate::tables::parquet::check;

/// pandas keeps its row labels as a column of this name.
const LABELS: &str = "__index_level_0__";

pub(super) fn names(path: &Path) -> Result<Vec<String>> {
    guarded(path, || {
        let reader = open(path)?;
        let schema = reader.metadata().file_metadata().schema_descr_ptr();
        let columns = schema.columns().iter().map(|column| {
            let name = column.path().parts()[0].clone();
            check(column)
                .map_err(|reason| Error::format(path, format!("column `{name}` {reason}")))?;
            Ok(name)
        });
        let names = columns.collect::<Result<Vec<String>>>()?;
        Ok(names.into_iter().filter(|name| name != LABELS).collect())
    })
}

pub(super) fn each(
    path: &Path,
    mut see: impl FnMut(usize, Spot, Cell) -> Result<()>,
) -> Result<usize> {
    let reader = open(path)?;
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    let wanted = schema.columns().iter().enumerate();
    let wanted = wanted.filter(|(_, column)| column.path().parts()[0] != LABELS);
    for (number, (k, column)) in wanted.enumerate() {
        let mut first = 0;
        for group in 0..reader.num_row_groups() {
            // The crate asserts some things about a file that a damaged one breaks.
            let cells = guarded(path, || {
                group_cells(&reader, group, k, column).map_err(|source| broken(path, &source))
            })?;
            first = cells.each(first, |spot, cell| see(number, spot, cell))?;
        }
    }
    let rows = reader.metadata().file_metadata().num_rows();
    Ok(usize::try_from(rows).unwrap_or(0))
}

fn open(path: &Path) -> Result<SerializedFileReader<File>> {
    let file = files::open(path)?;
    SerializedFileReader::new(file).map_err(|source| broken(path, &source))
}

fn broken(path: &Path, source: &ParquetError) -> Error {
    Error::format(path, format!("is no readable .parquet ({source}); is it truncated?"))
}

fn guarded<T>(path: &Path, read: impl FnOnce() -> Result<T>) -> Result<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(read))
        .unwrap_or_else(|_| Err(Error::format(path, "is damaged; write it again")))
}

/// The cells of one column in one row group; a gap is none.
enum Group {
    Whole(Vec<Option<i64>>),
    Real(Vec<Option<f64>>),
    Times(Vec<Option<f64>>),
    Words(Vec<Option<String>>),
}

impl Group {
    /// Hand on each cell; says which row comes after the last.
    fn each(self, first: usize, mut see: impl FnMut(Spot, Cell) -> Result<()>) -> Result<usize> {
        let mut row = first;
        let mut next = |cell: Cell| {
            let spot = Spot { row, line: row as u64 };
            row += 1;
            see(spot, cell)
        };
        match self {
            Self::Whole(cells) => {
                cells.iter().try_for_each(|c| next(c.map_or(Cell::Missing, Cell::Whole)))?;
            }
            Self::Real(cells) => cells.iter().try_for_each(|cell| {
                // pandas writes gaps of numbers as NaN.
                next(cell.filter(|number| !number.is_nan()).map_or(Cell::Missing, Cell::Number))
            })?,
            Self::Times(cells) => {
                cells.iter().try_for_each(|c| next(c.map_or(Cell::Missing, Cell::Time)))?;
            }
            Self::Words(cells) => cells.iter().try_for_each(|cell| {
                next(cell.as_deref().map_or(Cell::Missing, |word| Cell::Text(word.trim())))
            })?,
        }
        Ok(row)
    }
}

/// What a number of a column of times is in seconds; none for other columns.
fn unit(column: &ColumnDescriptor) -> Option<f64> {
    match column.logical_type_ref() {
        Some(LogicalType::Date) => Some(86_400.0),
        Some(LogicalType::Timestamp(time) | LogicalType::Time(time)) => Some(match time.unit {
            TimeUnit::MILLIS => 1e-3,
            TimeUnit::MICROS => 1e-6,
            TimeUnit::NANOS => 1e-9,
        }),
        _ => match column.converted_type() {
            ConvertedType::DATE => Some(86_400.0),
            ConvertedType::TIMESTAMP_MILLIS => Some(1e-3),
            ConvertedType::TIMESTAMP_MICROS => Some(1e-6),
            _ => None,
        },
    }
}

fn group_cells(
    reader: &SerializedFileReader<File>,
    group: usize,
    k: usize,
    column: &ColumnDescriptor,
) -> std::result::Result<Group, ParquetError> {
    let group = reader.get_row_group(group)?;
    let chunk = group.metadata().column(k);
    let start = chunk.dictionary_page_offset().unwrap_or_else(|| chunk.data_page_offset());
    if start < 0 || chunk.compressed_size() < 0 {
        return Err(ParquetError::General("a column lies outside of the file".into()));
    }
    let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
    let may_miss = column.max_def_level() > 0;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let seconds = unit(column);
    let whole = |cells: Vec<Option<i64>>| match seconds {
        None => Group::Whole(cells),
        Some(unit) => {
            Group::Times(cells.into_iter().map(|cell| Some(cell? as f64 * unit)).collect())
        }
    };
    Ok(match group.get_column_reader(k)? {
        ColumnReader::FloatColumnReader(c) => Group::Real(cells(c, rows, may_miss, f64::from)?),
        ColumnReader::DoubleColumnReader(c) => Group::Real(cells(c, rows, may_miss, |v| v)?),
        ColumnReader::BoolColumnReader(c) => whole(cells(c, rows, may_miss, i64::from)?),
        ColumnReader::Int32ColumnReader(c) => whole(cells(c, rows, may_miss, i64::from)?),
        ColumnReader::Int64ColumnReader(c) => whole(cells(c, rows, may_miss, |v| v)?),
        ColumnReader::Int96ColumnReader(c) => {
            Group::Times(cells(c, rows, may_miss, |v| v.to_millis() as f64 * 1e-3)?)
        }
        ColumnReader::ByteArrayColumnReader(c) => {
            Group::Words(cells(c, rows, may_miss, |v| text(v.data()))?)
        }
        ColumnReader::FixedLenByteArrayColumnReader(c) => {
            Group::Words(cells(c, rows, may_miss, |v| text(v.data()))?)
        }
    })
}

/// The values of a row group, gaps in their places.
fn cells<T: DataType, V>(
    mut column: ColumnReaderImpl<T>,
    rows: usize,
    may_miss: bool,
    convert: impl Fn(T::T) -> V,
) -> std::result::Result<Vec<Option<V>>, ParquetError> {
    let mut all = Vec::new();
    while all.len() < rows {
        let (mut levels, mut values) = (Vec::new(), Vec::new());
        let (records, ..) =
            column.read_records(rows - all.len(), Some(&mut levels), None, &mut values)?;
        if records == 0 {
            return Err(ParquetError::General("fewer values than rows".into()));
        }
        let mut values = values.into_iter().map(&convert);
        match may_miss {
            true => all.extend(levels.iter().map(|l| if *l > 0 { values.next() } else { None })),
            false => all.extend(values.map(Some)),
        }
    }
    Ok(all)
}
