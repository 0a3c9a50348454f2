//! Tables as text: CSV files of numbers, with or without a line of names.

use std::path::Path;

use crate::error::{Error, Result};
use crate::npz::{Array, Numbers};

/// Read a CSV file of numbers as `[rows, columns]`. A first line without any number is taken as the
/// names of the columns and passed over.
pub fn read_csv(path: impl AsRef<Path>) -> Result<Array> {
    let path = path.as_ref();
    let file = std::fs::File::open(path).map_err(|source| Error::io("read", path, &source))?;
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(file);
    let mut numbers = Vec::new();
    let mut columns = 0;
    for (line, record) in reader.records().enumerate() {
        let record = record.map_err(|source| Error::format(path, source))?;
        let cells: Vec<(&str, Option<f32>)> =
            record.iter().map(|cell| (cell, cell.trim().parse().ok())).collect();
        if line == 0 && cells.iter().all(|(_, number)| number.is_none()) {
            continue;
        }
        columns = cells.len();
        for (cell, number) in cells {
            numbers.push(number.ok_or_else(|| {
                let reason = format!("line {} has `{cell}`, which is no number", line + 1);
                Error::format(path, reason)
            })?);
        }
    }
    if numbers.is_empty() {
        return Err(Error::format(path, "holds no numbers"));
    }
    let shape = vec![numbers.len() / columns, columns];
    let whole = numbers.iter().all(|number| number.fract() == 0.0);
    let numbers = if whole { Numbers::Integers(numbers) } else { Numbers::Floats(numbers) };
    Ok(Array { shape, numbers })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Array> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t.csv");
        std::fs::write(&path, text).unwrap();
        read_csv(path)
    }

    #[test]
    fn names_are_optional_and_whole_numbers_are_noticed() {
        let codes = read("a,b\n1.5,2\n3,4\n").unwrap();
        assert_eq!(
            (codes.shape, codes.numbers),
            (vec![2, 2], Numbers::Floats(vec![1.5, 2.0, 3.0, 4.0]))
        );
        assert!(read("0,1\n2, 3\n").unwrap().is_whole());
    }

    #[test]
    fn ragged_rows_words_and_empty_files_are_errors() {
        assert!(read("1,2\n3\n").is_err());
        assert!(read("1,oops\n3,4\n").unwrap_err().to_string().contains("line 1 has `oops`"));
        assert!(read("1,2\n3,x\n").unwrap_err().to_string().contains("line 2 has `x`"));
        assert!(read("a,b\n").unwrap_err().to_string().contains("holds no numbers"));
    }
}
