//! Tables of results: columns of numbers or words with gaps, to and from .csv and .parquet.
//!
//! [`Table`](super::Table) is what metrics take, 32-bit numbers without gaps; a frame is what people open in
//! pandas or polars.

use std::borrow::Cow;
use std::path::Path;

use crate::error::{Error, Result};
use crate::files;
use crate::files::Draft;

#[cfg(feature = "parquet")]
mod parquet;

/// Columns of equal length with names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// The columns, in order.
    pub columns: Vec<(String, Values)>,
}

/// The values of a column; a gap is none.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Numbers.
    Numbers(Vec<Option<f64>>),
    /// Whole numbers.
    Whole(Vec<Option<i64>>),
    /// Words.
    Words(Vec<Option<String>>),
}

impl Values {
    /// How many.
    pub fn len(&self) -> usize {
        match self {
            Self::Numbers(values) => values.len(),
            Self::Whole(values) => values.len(),
            Self::Words(values) => values.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A cell as text; a gap is empty.
    pub fn text(&self, row: usize) -> String {
        match self {
            Self::Numbers(values) => values[row].map_or(String::new(), |value| value.to_string()),
            Self::Whole(values) => values[row].map_or(String::new(), |value| value.to_string()),
            Self::Words(values) => values[row].clone().unwrap_or_default(),
        }
    }

    /// A cell as a number, if it is one.
    pub fn number(&self, row: usize) -> Option<f64> {
        match self {
            Self::Numbers(values) => values[row],
            Self::Whole(values) => values[row].map(|value| value as f64),
            Self::Words(_) => None,
        }
    }

    /// Cells of text: numbers if all that are there are numbers.
    fn parsed(cells: Vec<String>) -> Self {
        let there = || cells.iter().filter(|cell| !cell.is_empty());
        if there().all(|cell| cell.parse::<i64>().is_ok()) {
            return Self::Whole(cells.iter().map(|cell| cell.parse().ok()).collect());
        }
        if there().all(|cell| cell.parse::<f64>().is_ok()) {
            return Self::Numbers(cells.iter().map(|cell| cell.parse().ok()).collect());
        }
        Self::Words(cells.into_iter().map(|cell| Some(cell).filter(|c| !c.is_empty())).collect())
    }
}

impl Frame {
    /// How many rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |(_, values)| values.len())
    }

    /// A column by name.
    pub fn column(&self, name: &str) -> Option<&Values> {
        self.columns.iter().find(|(known, _)| known == name).map(|(_, values)| values)
    }

    /// Write as .csv.
    pub fn write_csv(&self, path: &Path) -> Result<()> {
        let mut draft = Draft::create(path)?;
        let mut writer = csv::Writer::from_writer(&mut draft);
        let broken = |source: csv::Error| Error::io("write", path, &source.into());
        let names = self.columns.iter().map(|(name, _)| guarded(name));
        writer.write_record(names.map(Cow::into_owned)).map_err(broken)?;
        for row in 0..self.rows() {
            let cells = self.columns.iter().map(|(_, values)| match values {
                Values::Words(_) => guarded(&values.text(row)).into_owned(),
                _ => values.text(row),
            });
            writer.write_record(cells).map_err(broken)?;
        }
        writer.flush().map_err(|source| Error::io("write", path, &source))?;
        drop(writer);
        draft.finish()
    }

    /// Write as .parquet.
    #[cfg(feature = "parquet")]
    pub fn write_parquet(&self, path: &Path) -> Result<()> {
        parquet::write(self, path)
    }

    /// Read a .csv or a .parquet.
    pub fn read(path: &Path) -> Result<Self> {
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        match extension.as_str() {
            "csv" => Self::read_csv(path),
            #[cfg(feature = "parquet")]
            "parquet" | "pq" => parquet::read(path),
            _ => Err(Error::format(path, "is neither .csv nor .parquet; save the table as one")),
        }
    }

    fn read_csv(path: &Path) -> Result<Self> {
        let file = files::open(path)?;
        let mut reader = csv::Reader::from_reader(file);
        let broken = |source: csv::Error| Error::format(path, source);
        let names: Vec<String> =
            reader.headers().map_err(broken)?.iter().map(unguarded).map(str::to_string).collect();
        let mut cells: Vec<Vec<String>> = vec![Vec::new(); names.len()];
        for record in reader.records() {
            for (column, cell) in cells.iter_mut().zip(&record.map_err(broken)?) {
                column.push(unguarded(cell).to_string());
            }
        }
        let columns = names.into_iter().zip(cells.into_iter().map(Values::parsed)).collect();
        Ok(Self { columns })
    }
}

/// What spreadsheets take for the beginning of a formula, which would run on the machine of whoever opens the table.
const FORMULAS: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// Words as a cell that no spreadsheet takes for a formula: behind an apostrophe where they look like one.
pub fn guarded(words: &str) -> Cow<'_, str> {
    match words.starts_with(FORMULAS) && words.parse::<f64>().is_err() {
        true => Cow::Owned(format!("'{words}")),
        false => Cow::Borrowed(words),
    }
}

fn unguarded(cell: &str) -> &str {
    cell.strip_prefix('\'').filter(|words| words.starts_with(FORMULAS)).unwrap_or(cell)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_never_begin_a_formula_and_come_back_as_they_were() {
        let words = ["=1+1", "-x", "@a", "'quoted", "-3"];
        let values = Values::Words(words.map(|word| Some(word.to_string())).to_vec());
        let frame = Frame { columns: vec![("=name".into(), values)] };
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t.csv");
        frame.write_csv(&path).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text, "'=name\n'=1+1\n'-x\n'@a\n'quoted\n-3\n");
        assert_eq!(Frame::read(&path).unwrap(), frame);
    }

    fn frame() -> Frame {
        let words = |words: &[&str]| {
            Values::Words(
                words.iter().map(|w| Some(w.to_string()).filter(|w| !w.is_empty())).collect(),
            )
        };
        Frame {
            columns: vec![
                ("row".into(), words(&["β-VAE, \"4\"", "", "a\nb"])),
                ("seed".into(), Values::Whole(vec![Some(0), Some(-7), None])),
                ("value".into(), Values::Numbers(vec![Some(0.1), None, Some(1e-300)])),
            ],
        }
    }

    #[test]
    fn a_frame_comes_back_from_csv_and_parquet_as_it_was() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t.csv");
        frame().write_csv(&path).unwrap();
        assert_eq!(Frame::read(&path).unwrap(), frame());
        #[cfg(feature = "parquet")]
        {
            let path = dir.path().join("t.parquet");
            frame().write_parquet(&path).unwrap();
            assert_eq!(Frame::read(&path).unwrap(), frame());
            std::fs::write(&path, b"PAR1 nothing").unwrap();
            assert!(Frame::read(&path).unwrap_err().to_string().contains("truncated"));
        }
        let other = Frame::read(&dir.path().join("t.xlsx")).unwrap_err().to_string();
        assert!(other.contains("neither .csv nor .parquet"), "{other}");
    }
}
