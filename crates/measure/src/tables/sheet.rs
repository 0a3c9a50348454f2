//! A table as it stands in a file, read from front to back, cell by cell, and never held: a gigabyte
//! of text takes no more memory than a line of it.
//!
//! [`Table`](super::Table) is what metrics take, numbers in memory; a sheet is what somebody else's
//! program has written: other separators, decimal commas, dates, gaps.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::settings::words;
use crate::tables::Table;

pub mod cells;
mod layout;
#[cfg(feature = "parquet")]
mod parquet;
mod text;

pub use cells::Cell;

words! {
    /// What stands between the whole part of a number and the rest.
    pub enum Decimal {
        /// 1.5
        Point = "point",
        /// 1,5
        Comma = "comma";
        /// What the numbers of each column have.
        Auto = "auto"
    }
}

words! {
    /// What stands between the cells of a line.
    pub enum Separator {
        /// `,`
        Comma = "comma",
        /// `;`
        Semicolon = "semicolon",
        /// A tab.
        Tab = "tab",
        /// `|`
        Bar = "bar";
        /// What cuts the first lines into equally many cells.
        Auto = "auto"
    }
}

/// Where a cell is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The row, counted from 0.
    pub row: usize,
    /// The line of a text file, counted from 1; elsewhere the row.
    pub line: u64,
}

/// A file with columns.
pub struct Sheet {
    path: PathBuf,
    /// The names of the columns, each once.
    pub names: Vec<String>,
    /// The names as the file has them.
    given: Vec<String>,
    form: Form,
}

enum Form {
    Text(layout::Layout),
    #[cfg(feature = "parquet")]
    Parquet,
    /// Arrays of NumPy are in memory: they are not what is large.
    Held(Table),
}

impl Sheet {
    /// Look at the beginning of a file: its form, by its ending, and the names of its columns.
    pub fn open(path: &Path, separator: Separator) -> Result<Self> {
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let (names, form) = match extension.as_str() {
            "csv" | "tsv" | "txt" => {
                let layout = layout::Layout::of(path, separator)?;
                (layout.names.clone(), Form::Text(layout))
            }
            #[cfg(feature = "parquet")]
            "parquet" | "pq" => (parquet::names(path)?, Form::Parquet),
            "npz" | "npy" => {
                let table = Table::read(path, &[])?;
                let name = |column: &super::Column| column.name.clone().unwrap_or_default();
                (table.columns.iter().map(name).collect(), Form::Held(table))
            }
            _ => {
                let reason = "is neither .csv, .tsv, .parquet, .npz nor .npy; save the table as \
                              one of these";
                return Err(Error::format(path, reason));
            }
        };
        Ok(Self { path: path.to_path_buf(), names: distinct(&names), given: names, form })
    }

    /// Whether a column has no name in the file.
    pub fn has_unnamed(&self) -> bool {
        self.given.iter().any(String::is_empty)
    }

    /// A name that the file has twice.
    pub fn repeated(&self) -> Option<&str> {
        let again = |(k, name): &(usize, &String)| self.given[..*k].contains(name);
        self.given.iter().enumerate().find(again).map(|(_, name)| name.as_str())
    }

    /// Hand every cell to `see`, with the number of its column; the rows of a column come in order.
    /// Says how many rows there are.
    pub fn each(&self, mut see: impl FnMut(usize, Spot, Cell) -> Result<()>) -> Result<usize> {
        match &self.form {
            Form::Text(layout) => text::each(&self.path, layout, see),
            #[cfg(feature = "parquet")]
            Form::Parquet => parquet::each(&self.path, see),
            Form::Held(table) => {
                for (k, column) in table.columns.iter().enumerate() {
                    for (row, number) in column.numbers.iter().enumerate() {
                        let spot = Spot { row, line: row as u64 };
                        see(k, spot, held(*number, column.whole))?;
                    }
                }
                Ok(table.rows())
            }
        }
    }

    /// How to say where a cell is: "line 7" of a text, "row 6" of anything else.
    pub fn place(&self, line: u64) -> String {
        match self.form {
            Form::Text(_) => format!("line {line}"),
            _ => format!("row {line}"),
        }
    }

    /// Whether a comma may stand within a number without quotes around it.
    pub fn has_free_commas(&self) -> bool {
        matches!(&self.form, Form::Text(layout) if layout.separator != b',')
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

fn held(number: f32, whole: bool) -> Cell<'static> {
    match whole {
        _ if number.is_nan() => Cell::Missing,
        true => Cell::Whole(number as i64),
        false => Cell::Number(f64::from(number)),
    }
}

/// Names that differ: columns without one are numbered, and a name that comes again gets a number.
fn distinct(names: &[String]) -> Vec<String> {
    let mut all: Vec<String> = Vec::with_capacity(names.len());
    for (k, name) in names.iter().enumerate() {
        let plain = if name.is_empty() { format!("column-{}", k + 1) } else { name.clone() };
        let mut next = plain.clone();
        let mut count = 1;
        while all.contains(&next) {
            count += 1;
            next = format!("{plain} ({count})");
        }
        all.push(next);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(name: &str, text: &str) -> Result<(Vec<String>, Vec<String>, usize)> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        let sheet = Sheet::open(&path, Separator::Auto)?;
        let mut all = Vec::new();
        let rows = sheet.each(|column, spot, cell| {
            all.push(format!("{column}/{}:{cell:?}", sheet.place(spot.line)));
            Ok(())
        })?;
        Ok((sheet.names.clone(), all, rows))
    }

    #[test]
    fn separators_are_found_and_quotes_are_understood() {
        for (name, text) in [
            ("a.csv", "\u{feff}a,\"b, c\"\n1,x\n2,\"y, z\"\n"),
            ("a.csv", "a;\"b, c\"\r\n1;x\r\n2;y, z\r\n"),
            ("a.tsv", "a\t\"b, c\"\n1\tx\n2\ty, z\n"),
            ("a.csv", "a|\"b, c\"\n1|x\n2|y, z\n"),
        ] {
            let (names, cells, rows) = cells(name, text).unwrap();
            assert_eq!((names, rows), (vec!["a".to_string(), "b, c".into()], 2), "{text}");
            assert_eq!(cells[3], "1/line 3:Text(\"y, z\")", "{text}");
        }
        // A comma that is decimal is no separator where another one fits.
        let (names, cells, _) = cells("a.csv", "1,5;2,5\n0,5;1,0\n").unwrap();
        assert_eq!((names.join(" ").as_str(), cells.len()), ("column-1 column-2", 4));
        // One column.
        assert_eq!(super::tests::cells("a.csv", "x\n1,5\n2,5\n").unwrap().2, 2);
    }

    #[test]
    fn columns_have_names_that_differ() {
        let (names, ..) = cells("a.csv", ",x,x,\n0,a,b,c\n").unwrap();
        assert_eq!(names, ["column-1", "x", "x (2)", "column-4"]);
    }

    #[test]
    fn what_is_no_table_is_refused_with_the_line() {
        let refused = |name, text| cells(name, text).unwrap_err().to_string();
        assert!(refused("a.xlsx", "").contains("neither .csv"));
        assert!(refused("a.csv", "").contains("holds no rows"));
        let ragged = refused("a.csv", "a,b\n1,2\n3\n");
        assert!(ragged.contains("line 3") && ragged.contains("1 cell"), "{ragged}");
    }
}
