//! CSV: numbers and words, with or without a line of names.

use std::path::Path;

use super::{Column, Table};
use crate::error::{Error, Result};
use crate::files;

/// What a column holds.
#[derive(Clone, Copy, PartialEq)]
enum Cells {
    Whole,
    Real,
    Words,
}

/// Read a file. A first line without any number is taken as the names of the columns, unless
/// there is no other line. A column is one of words if none of its cells is a number.
pub(super) fn read(path: &Path) -> Result<Table> {
    let mut records = Vec::new();
    let file = files::open(path)?;
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(file);
    for record in reader.records() {
        records.push(record.map_err(|source| Error::format(path, source))?);
    }
    let named = records.len() > 1 && records[0].iter().all(|cell| number(cell).is_none());
    let names = named.then(|| records.remove(0));
    let Some(first) = records.first() else {
        return Err(Error::format(path, "holds no rows"));
    };
    let column = |k: usize| {
        let name = names.as_ref().map(|names| names[k].trim().to_string());
        let cells: Vec<&str> = records.iter().map(|record| record[k].trim()).collect();
        column(name, &cells).map_err(|row| {
            let (line, cell) = (row + 1 + usize::from(named), cells[row]);
            let reason = format!(
                "line {line} has `{cell}`, which is no number, where other lines of column {} do",
                k + 1
            );
            Error::format(path, reason)
        })
    };
    let columns = (0..first.len()).map(column).collect::<Result<_>>()?;
    Ok(Table { columns })
}

/// The column of these cells, or the row that does not fit to the others.
fn column(name: Option<String>, cells: &[&str]) -> std::result::Result<Column, usize> {
    Ok(match kind(cells)? {
        Cells::Words => Column::words(name, cells),
        Cells::Whole => {
            let numbers: Vec<i64> = cells.iter().filter_map(|cell| cell.parse().ok()).collect();
            Column::whole(name, &numbers)
        }
        Cells::Real => Column::real(name, cells.iter().filter_map(|cell| number(cell)).collect()),
    })
}

fn kind(cells: &[&str]) -> std::result::Result<Cells, usize> {
    let numbers = cells.iter().filter(|cell| number(cell).is_some()).count();
    if numbers == 0 && cells.iter().all(|cell| !cell.is_empty()) {
        return Ok(Cells::Words);
    }
    if let Some(row) = cells.iter().position(|cell| number(cell).is_none()) {
        return Err(row);
    }
    let whole = cells.iter().all(|cell| cell.parse::<i64>().is_ok());
    Ok(if whole { Cells::Whole } else { Cells::Real })
}

fn number(cell: &str) -> Option<f32> {
    cell.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Table> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t.csv");
        std::fs::write(&path, text).unwrap();
        super::read(&path)
    }

    #[test]
    fn names_are_optional_and_columns_have_their_own_kind() {
        let table = read("x,shape,n\n1.5,ellipse,2\n3,heart,4\n").unwrap();
        let [x, shape, n] = &table.columns[..] else { panic!("{table:?}") };
        assert_eq!(
            (x.name.as_deref(), &x.numbers[..], x.whole),
            (Some("x"), &[1.5, 3.0][..], false)
        );
        assert_eq!((&shape.numbers[..], shape.words), (&[0.0, 1.0][..], true));
        assert_eq!((&n.numbers[..], n.whole, n.words), (&[2.0, 4.0][..], true, false));
        let bare = read("0,1\n2, 3\n").unwrap();
        assert_eq!((bare.rows(), bare.columns[1].name.as_deref()), (2, None));
    }

    #[test]
    fn ragged_rows_stray_words_gaps_and_empty_files_are_errors() {
        assert!(read("1,2\n3\n").is_err());
        let stray = read("a,b\n1,2\n3,x\n").unwrap_err().to_string();
        assert!(stray.contains("line 3 has `x`, which is no number, where other lines"), "{stray}");
        let gap = read("a,b\n1,\n3,4\n").unwrap_err().to_string();
        assert!(gap.contains("line 2 has ``"), "{gap}");
        assert!(read("").unwrap_err().to_string().contains("holds no rows"));
    }
}
