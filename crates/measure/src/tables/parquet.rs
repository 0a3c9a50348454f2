//! Parquet, as pandas and polars write it: flat columns of numbers, booleans or words.

use std::fs::File;
use std::path::Path;

use parquet::basic::{ConvertedType, LogicalType, Type};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;

use super::{Column, Table};
use crate::error::{Error, Result};
use crate::files;

/// The values of a column, of all row groups so far.
enum Values {
    Whole(Vec<i64>),
    Real(Vec<f32>),
    Words(Vec<String>),
}

/// Read every column of a file.
pub(super) fn read(path: &Path) -> Result<Table> {
    // The crate asserts some things about a file that a damaged one breaks.
    std::panic::catch_unwind(|| read_columns(path))
        .unwrap_or_else(|_| Err(Error::format(path, "is damaged; write it again")))
}

fn read_columns(path: &Path) -> Result<Table> {
    let file = files::open(path)?;
    let broken = |source: ParquetError| {
        Error::format(path, format!("is no readable .parquet ({source}); is it truncated?"))
    };
    let reader = SerializedFileReader::new(file).map_err(broken)?;
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    let columns = schema.columns().iter().enumerate().map(|(k, description)| {
        let name = description.path().parts()[0].clone();
        check(description)
            .map_err(|reason| Error::format(path, format!("column `{name}` {reason}")))?;
        let values = values(&reader, k, description).map_err(broken)?;
        let values = values
            .ok_or_else(|| Error::format(path, format!("column `{name}` has missing values")))?;
        Ok(match values {
            Values::Whole(numbers) => Column::whole(Some(name), &numbers),
            Values::Real(numbers) => Column::real(Some(name), numbers),
            Values::Words(words) => Column::words(Some(name), &words),
        })
    });
    // pandas keeps its row labels as a column of this name.
    let columns = columns.filter(|column| {
        !column.as_ref().is_ok_and(|column| column.name.as_deref() == Some("__index_level_0__"))
    });
    Ok(Table { columns: columns.collect::<Result<_>>()? })
}

pub(super) fn check(description: &ColumnDescriptor) -> std::result::Result<(), &'static str> {
    if description.max_rep_level() > 0 || description.path().parts().len() > 1 {
        return Err("holds lists or records; save each number as its own column");
    }
    let odd = matches!(description.converted_type(), ConvertedType::DECIMAL)
        || matches!(
            description.logical_type_ref(),
            Some(LogicalType::Float16 | LogicalType::Decimal { .. })
        );
    match odd {
        true => Err("holds decimals or half floats; save it as float32"),
        false => Ok(()),
    }
}

/// All values of column `k`, or `None` if some are missing.
fn values(
    reader: &SerializedFileReader<File>,
    k: usize,
    description: &ColumnDescriptor,
) -> std::result::Result<Option<Values>, ParquetError> {
    let mut all = match description.physical_type() {
        Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY => Values::Words(Vec::new()),
        Type::FLOAT | Type::DOUBLE => Values::Real(Vec::new()),
        _ => Values::Whole(Vec::new()),
    };
    for group in 0..reader.num_row_groups() {
        let group = reader.get_row_group(group)?;
        let chunk = group.metadata().column(k);
        let start = chunk.dictionary_page_offset().unwrap_or_else(|| chunk.data_page_offset());
        if start < 0 || chunk.compressed_size() < 0 {
            return Err(ParquetError::General("a column lies outside of the file".into()));
        }
        let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
        let read = match (group.get_column_reader(k)?, &mut all) {
            (ColumnReader::FloatColumnReader(column), Values::Real(into)) => {
                column_of(column, rows, |v| v, into)?
            }
            (ColumnReader::DoubleColumnReader(column), Values::Real(into)) => {
                column_of(column, rows, |v| v as f32, into)?
            }
            (ColumnReader::BoolColumnReader(column), Values::Whole(into)) => {
                column_of(column, rows, i64::from, into)?
            }
            (ColumnReader::Int32ColumnReader(column), Values::Whole(into)) => {
                column_of(column, rows, i64::from, into)?
            }
            (ColumnReader::Int64ColumnReader(column), Values::Whole(into)) => {
                column_of(column, rows, |v| v, into)?
            }
            (ColumnReader::ByteArrayColumnReader(column), Values::Words(into)) => {
                column_of(column, rows, |v: ByteArray| text(v.data()), into)?
            }
            (ColumnReader::FixedLenByteArrayColumnReader(column), Values::Words(into)) => {
                column_of(column, rows, |v| text(v.data()), into)?
            }
            _ => return Err(ParquetError::General("unknown type of a column".into())),
        };
        if !read {
            return Ok(None);
        }
    }
    Ok(Some(all))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Append the values of one row group; false if some are missing.
fn column_of<T: DataType, V>(
    mut column: ColumnReaderImpl<T>,
    rows: usize,
    convert: impl Fn(T::T) -> V,
    into: &mut Vec<V>,
) -> std::result::Result<bool, ParquetError> {
    let mut found = 0;
    while found < rows {
        let (mut levels, mut values) = (Vec::new(), Vec::new());
        let (records, count, _) =
            column.read_records(rows - found, Some(&mut levels), None, &mut values)?;
        if records == 0 {
            return Err(ParquetError::General("fewer values than rows".into()));
        }
        if count < records {
            return Ok(false);
        }
        found += records;
        into.extend(values.into_iter().map(&convert));
    }
    Ok(true)
}
