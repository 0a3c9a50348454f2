//! Tables as users have them: columns of numbers or words, from .npy, .npz, .csv or .parquet.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::npz::{Array, Contents, Npz, read_any};

mod csv;
pub mod frame;
#[cfg(feature = "parquet")]
mod parquet;
pub mod profile;
pub mod sheet;

/// Whole numbers beyond this are no longer told apart by 32-bit floats.
const LARGEST_WHOLE: i64 = 1 << 24;

/// Columns of equal length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// The columns, in order.
    pub columns: Vec<Column>,
}

/// A named column of numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its name, where the file has one.
    pub name: Option<String>,
    /// Its numbers; words have become the numbers of their alphabetical order.
    pub numbers: Vec<f32>,
    /// Whether it was stored as whole numbers or words, so that each value is a class.
    pub whole: bool,
    /// Whether it was stored as words: the order of its numbers means nothing.
    pub words: bool,
    /// Its words in alphabetical order; empty where there are none.
    pub classes: Vec<String>,
}

impl Column {
    /// A column of floating-point numbers.
    pub fn real(name: Option<String>, numbers: Vec<f32>) -> Self {
        Self { name, numbers, whole: false, words: false, classes: vec![] }
    }

    /// A column of whole numbers. Numbers too large for a 32-bit float become their order.
    pub fn whole(name: Option<String>, numbers: &[i64]) -> Self {
        let fits = numbers.iter().all(|number| number.abs() <= LARGEST_WHOLE);
        let numbers = match fits {
            true => numbers.iter().map(|number| *number as f32).collect(),
            false => order(numbers),
        };
        Self { name, numbers, whole: true, words: false, classes: vec![] }
    }

    /// A column of words, numbered in alphabetical order.
    pub fn words<S: AsRef<str>>(name: Option<String>, words: &[S]) -> Self {
        let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
        let mut classes = words.clone();
        classes.sort_unstable();
        classes.dedup();
        let classes = classes.into_iter().map(String::from).collect();
        Self { name, numbers: order(&words), whole: true, words: true, classes }
    }
}

/// The place of each value among the sorted distinct ones.
fn order<T: Ord>(values: &[T]) -> Vec<f32> {
    let mut distinct: Vec<&T> = values.iter().collect();
    distinct.sort_unstable();
    distinct.dedup();
    values.iter().map(|value| distinct.partition_point(|other| *other < value) as f32).collect()
}

impl Table {
    /// How many rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.numbers.len())
    }

    /// From an array `[rows, columns]`; a vector is one column.
    pub fn from_array(array: Array) -> Result<Self> {
        let (rows, columns) = rows_and_columns(&array.shape)?;
        let (whole, numbers) = (array.is_whole(), array.into_floats());
        let column = |k: usize| Column {
            name: None,
            numbers: (0..rows).map(|row| numbers[row * columns + k]).collect(),
            whole,
            words: false,
            classes: vec![],
        };
        Ok(Self { columns: (0..columns).map(column).collect() })
    }

    fn from_contents(contents: Contents) -> Result<Self> {
        let (shape, words) = match contents {
            Contents::Numbers(array) => return Self::from_array(array),
            Contents::Words { shape, words } => (shape, words),
        };
        let (rows, columns) = rows_and_columns(&shape)?;
        let column = |k: usize| {
            let words: Vec<&String> = (0..rows).map(|row| &words[row * columns + k]).collect();
            Column::words(None, &words)
        };
        Ok(Self { columns: (0..columns).map(column).collect() })
    }

    /// Read a file by its extension. Of an .npz the first of `members` that is there is taken; or
    /// its only array; or all its arrays, if each is one column; or `FILE.npz:NAME` says which.
    pub fn read(path: &Path, members: &[&str]) -> Result<Self> {
        let (path, member) = path_and_member(path);
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        match (extension.as_str(), member) {
            ("npz", Some(name)) => Self::from_contents(Npz::open(&path)?.any(&name)?),
            ("npz", None) => Self::from_npz(&path, members),
            ("npy", _) => Self::from_contents(read_any(&path)?),
            ("csv", _) => csv::read(&path),
            #[cfg(feature = "parquet")]
            ("parquet" | "pq", _) => parquet::read(&path),
            _ => Err(Error::format(
                &path,
                "is neither .npy, .npz, .csv nor .parquet; save the array as one of these",
            )),
        }
        .map_err(|error| match error {
            // A shape is wrong in some file: say in which.
            Error::Array(reason) => Error::format(&path, reason),
            other => other,
        })
    }

    fn from_npz(path: &Path, members: &[&str]) -> Result<Self> {
        let mut file = Npz::open(path)?;
        let names = file.names();
        if let Some(name) = members.iter().find(|name| file.has(name)) {
            return Self::from_contents(file.any(name)?);
        }
        if let [only] = &names[..] {
            return Self::from_contents(file.any(only)?);
        }
        let mut columns = Vec::new();
        for name in names {
            let table = Self::from_contents(file.any(&name)?)?;
            let [column] = <[Column; 1]>::try_from(table.columns).map_err(|_| {
                let wanted = members.join("` or `");
                Error::format(
                    path,
                    format!(
                        "has no array `{wanted}`, and `{name}` is not one column; rename the one \
                         that is meant, or write {}:NAME",
                        path.display()
                    ),
                )
            })?;
            columns.push(Column { name: Some(name), ..column });
        }
        let table = Self { columns };
        match table.columns.iter().all(|column| column.numbers.len() == table.rows()) {
            true => Ok(table),
            false => Err(Error::format(path, "has columns of different lengths")),
        }
    }
}

/// `FILE.npz:NAME` in its two parts, unless there is a file of that very name.
fn path_and_member(path: &Path) -> (PathBuf, Option<String>) {
    let text = path.to_string_lossy();
    match text.rsplit_once(".npz:") {
        Some((file, name)) if !path.exists() => (format!("{file}.npz").into(), Some(name.into())),
        _ => (path.to_path_buf(), None),
    }
}

fn rows_and_columns(shape: &[usize]) -> Result<(usize, usize)> {
    match *shape {
        // A file of no bytes may claim any number of empty rows.
        [0] | [0, _] | [_, 0] => {
            Err(Error::Array(format!("has shape {shape:?}: there is nothing in it")))
        }
        [rows] => Ok((rows, 1)),
        [rows, columns] => Ok((rows, columns)),
        _ => Err(Error::Array(format!("has shape {shape:?}; it must be [rows, columns]"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::npz::NpzWriter;

    fn npz(write: impl Fn(&mut NpzWriter)) -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.npz");
        let mut file = NpzWriter::create(&path).unwrap();
        write(&mut file);
        file.finish().unwrap();
        (dir, path)
    }

    #[test]
    fn words_and_huge_whole_numbers_become_their_order() {
        let words = Column::words(None, &["red", "blue", "red", "green"]);
        assert_eq!((words.numbers, words.whole), (vec![2.0, 0.0, 2.0, 1.0], true));
        let near = Column::whole(None, &[1 << 40, (1 << 40) + 1, 1 << 40]);
        assert_eq!(near.numbers, [0.0, 1.0, 0.0]);
        assert_eq!(Column::whole(None, &[-3, 7]).numbers, [-3.0, 7.0]);
    }

    #[test]
    fn a_member_is_found_by_name_by_being_alone_or_as_named() {
        let (_dir, path) = npz(|file| {
            file.array("mu", &[2, 2], &[1.0f32, 2.0, 3.0, 4.0]).unwrap();
            file.array("codes", &[2, 1], &[5.0f32, 6.0]).unwrap();
        });
        assert_eq!(Table::read(&path, &["codes"]).unwrap().columns[0].numbers, [5.0, 6.0]);
        let named = PathBuf::from(format!("{}:mu", path.display()));
        assert_eq!(Table::read(&named, &["codes"]).unwrap().columns[1].numbers, [2.0, 4.0]);
        let error = Table::read(&path, &["values"]).unwrap_err().to_string();
        assert!(error.contains("has no array `values`, and `mu` is not one column"), "{error}");
    }

    #[test]
    fn arrays_that_are_columns_are_factors_with_names() {
        let (_dir, path) = npz(|file| {
            file.array("size", &[3], &[0.5f32, 1.5, 2.5]).unwrap();
            file.strings("color", &["red".into(), "blue".into(), "red".into()]).unwrap();
        });
        let table = Table::read(&path, &["values"]).unwrap();
        let color = table.columns.iter().find(|c| c.name.as_deref() == Some("color")).unwrap();
        assert_eq!((table.columns.len(), &color.numbers[..]), (2, &[1.0, 0.0, 1.0][..]));
    }
}
