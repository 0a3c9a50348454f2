//! A frame as Parquet: every column may have gaps, words are UTF-8, compressed by zstd.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use super::{Frame, Values};
use crate::error::{Error, Result};
use crate::files;

type Parquet<T> = std::result::Result<T, ParquetError>;

/// Write a frame, whole or not at all.
pub(super) fn write(frame: &Frame, path: &Path) -> Result<()> {
    let bytes = bytes(frame).map_err(|source| Error::format(path, source))?;
    files::write(path, &bytes)
}

fn bytes(frame: &Frame) -> Parquet<Vec<u8>> {
    let field = |(name, values): &(String, Values)| {
        let (physical, logical) = match values {
            Values::Numbers(_) => (Physical::DOUBLE, None),
            Values::Whole(_) => (Physical::INT64, None),
            Values::Words(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let field = Type::primitive_type_builder(name, physical)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(logical);
        field.build().map(Arc::new)
    };
    let fields = frame.columns.iter().map(field).collect::<Parquet<_>>()?;
    let schema = Type::group_type_builder("results").with_fields(fields).build()?;
    let compression = Compression::ZSTD(ZstdLevel::default());
    let properties = WriterProperties::builder().set_compression(compression).build();
    let mut file = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut file, Arc::new(schema), Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    for (_, values) in &frame.columns {
        let Some(mut column) = group.next_column()? else { break };
        match (column.untyped(), values) {
            (ColumnWriter::DoubleColumnWriter(writer), Values::Numbers(values)) => {
                let there: Vec<f64> = values.iter().flatten().copied().collect();
                writer.write_batch(&there, Some(&levels(values)), None)?;
            }
            (ColumnWriter::Int64ColumnWriter(writer), Values::Whole(values)) => {
                let there: Vec<i64> = values.iter().flatten().copied().collect();
                writer.write_batch(&there, Some(&levels(values)), None)?;
            }
            (ColumnWriter::ByteArrayColumnWriter(writer), Values::Words(values)) => {
                let there = values.iter().flatten().map(|word| ByteArray::from(word.as_str()));
                let there: Vec<ByteArray> = there.collect();
                writer.write_batch(&there, Some(&levels(values)), None)?;
            }
            _ => return Err(ParquetError::General("a column is not of its own type".into())),
        }
        column.close()?;
    }
    group.close()?;
    writer.close()?;
    Ok(file)
}

/// 1 where there is a value, 0 at a gap.
fn levels<T>(values: &[Option<T>]) -> Vec<i16> {
    values.iter().map(|value| i16::from(value.is_some())).collect()
}

/// Read what we, pandas or polars wrote.
pub(super) fn read(path: &Path) -> Result<Frame> {
    let file = files::open(path)?;
    let broken = |source: ParquetError| {
        Error::format(path, format!("is no readable .parquet ({source}); is it truncated?"))
    };
    // The crate asserts some things about a file that a damaged one breaks.
    let read = std::panic::catch_unwind(|| columns(file));
    read.unwrap_or_else(|_| Err(ParquetError::General("it is damaged".into()))).map_err(broken)
}

fn columns(file: File) -> Parquet<Frame> {
    let reader = SerializedFileReader::new(file)?;
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    let mut columns = Vec::new();
    for (k, description) in schema.columns().iter().enumerate() {
        let name = description.path().parts()[0].clone();
        if description.max_rep_level() > 0 || description.path().parts().len() > 1 {
            let reason = format!("column `{name}` holds lists or records");
            return Err(ParquetError::General(reason));
        }
        let may_miss = description.max_def_level() > 0;
        let mut all: Option<Values> = None;
        for group in 0..reader.num_row_groups() {
            let group = reader.get_row_group(group)?;
            let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
            let values = values(group.get_column_reader(k)?, rows, may_miss)?;
            all = Some(match (all, values) {
                (None, values) => values,
                (Some(Values::Numbers(a)), Values::Numbers(b)) => Values::Numbers([a, b].concat()),
                (Some(Values::Whole(a)), Values::Whole(b)) => Values::Whole([a, b].concat()),
                (Some(Values::Words(a)), Values::Words(b)) => Values::Words([a, b].concat()),
                _ => return Err(ParquetError::General("a column changes its type".into())),
            });
        }
        columns.push((name, all.unwrap_or(Values::Numbers(vec![]))));
    }
    Ok(Frame { columns })
}

fn values(column: ColumnReader, rows: usize, may_miss: bool) -> Parquet<Values> {
    use ColumnReader as Of;
    let text = |value: ByteArray| String::from_utf8_lossy(value.data()).into_owned();
    Ok(match column {
        Of::DoubleColumnReader(column) => Values::Numbers(cells(column, rows, may_miss, |v| v)?),
        Of::FloatColumnReader(column) => Values::Numbers(cells(column, rows, may_miss, f64::from)?),
        Of::Int64ColumnReader(column) => Values::Whole(cells(column, rows, may_miss, |v| v)?),
        Of::Int32ColumnReader(column) => Values::Whole(cells(column, rows, may_miss, i64::from)?),
        Of::BoolColumnReader(column) => Values::Whole(cells(column, rows, may_miss, i64::from)?),
        Of::ByteArrayColumnReader(column) => Values::Words(cells(column, rows, may_miss, text)?),
        _ => return Err(ParquetError::General("a column is of a type we do not read".into())),
    })
}

/// The cells of a row group, gaps in their places.
fn cells<T: DataType, V>(
    mut column: ColumnReaderImpl<T>,
    rows: usize,
    may_miss: bool,
    convert: impl Fn(T::T) -> V,
) -> Parquet<Vec<Option<V>>> {
    let mut all = Vec::with_capacity(rows);
    while all.len() < rows {
        let (mut levels, mut values) = (Vec::new(), Vec::new());
        let (records, ..) =
            column.read_records(rows - all.len(), Some(&mut levels), None, &mut values)?;
        if records == 0 {
            return Err(ParquetError::General("fewer values than rows".into()));
        }
        let mut values = values.into_iter().map(&convert);
        match may_miss {
            true => {
                let cell = |level: &i16| if *level > 0 { values.next() } else { None };
                all.extend(levels.iter().map(cell));
            }
            false => all.extend(values.map(Some)),
        }
    }
    Ok(all)
}
