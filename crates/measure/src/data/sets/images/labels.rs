//! The labels of a folder of pictures: a CSV with one row per picture.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use csv::{ReaderBuilder, StringRecord, Trim};

use crate::error::{Error, Result};

/// Factors as read from a CSV.
pub(super) struct Labels {
    pub(super) names: Vec<String>,
    /// [pictures, factors]
    pub(super) values: Vec<f32>,
    /// Which factors are whole numbers or words.
    pub(super) whole: Vec<bool>,
}

/// Read the labels of `files`, in the order of `files`.
pub(super) fn read(path: &Path, files: &[String]) -> Result<Labels> {
    let refuse = |reason: String| Error::format(path, reason);
    let file = std::fs::File::open(path).map_err(|source| Error::io("read", path, &source))?;
    let mut reader = ReaderBuilder::new().trim(Trim::All).from_reader(file);
    let malformed = |source: csv::Error| refuse(format!("is no readable CSV: {source}"));

    let header = reader.headers().map_err(malformed)?;
    let names: Vec<String> = header.iter().skip(1).map(ToString::to_string).collect();
    check_names(&names).map_err(refuse)?;
    let records: Vec<StringRecord> =
        reader.records().collect::<std::result::Result<_, _>>().map_err(malformed)?;
    let rows = in_order(&records, files).map_err(refuse)?;

    let columns = names.iter().enumerate().map(|(k, name)| column(&rows, k + 1, name));
    let columns: Vec<(Vec<f32>, bool)> =
        columns.collect::<std::result::Result<_, _>>().map_err(refuse)?;
    let row = |k: usize| columns.iter().map(move |(numbers, _)| numbers[k]);
    Ok(Labels {
        values: (0..files.len()).flat_map(row).collect(),
        whole: columns.iter().map(|(_, whole)| *whole).collect(),
        names,
    })
}

fn check_names(names: &[String]) -> std::result::Result<(), String> {
    let first = "the first line must name the columns: the path of the picture, then the factors";
    if names.is_empty() {
        return Err(format!("has no factors; {first}"));
    }
    match names.iter().enumerate().find(|(k, n)| n.is_empty() || names[..*k].contains(n)) {
        Some((_, name)) if name.is_empty() => Err(format!("has a column without a name; {first}")),
        Some((_, name)) => Err(format!("has the column `{name}` twice")),
        None => Ok(()),
    }
}

/// The record of each picture.
fn in_order<'a>(
    records: &'a [StringRecord],
    files: &[String],
) -> std::result::Result<Vec<&'a StringRecord>, String> {
    let places: HashMap<&str, usize> =
        files.iter().enumerate().map(|(place, file)| (file.as_str(), place)).collect();
    let mut rows: Vec<Option<&StringRecord>> = vec![None; files.len()];
    for record in records {
        let file = record[0].strip_prefix("./").unwrap_or(&record[0]);
        let Some(&place) = places.get(file) else {
            return Err(format!(
                "line {} names `{file}`, which is not in the folder; paths start there, as in `{}`",
                line(record),
                files[0]
            ));
        };
        if rows[place].replace(record).is_some() {
            return Err(format!("line {} names `{file}` a second time", line(record)));
        }
    }
    let missing: Vec<&String> =
        rows.iter().zip(files).filter(|(row, _)| row.is_none()).map(|(_, file)| file).collect();
    match missing.first() {
        Some(file) => Err(format!(
            "has no row for `{file}` ({} of {} pictures have none); every picture needs one",
            missing.len(),
            files.len()
        )),
        None => Ok(rows.into_iter().flatten().collect()),
    }
}

/// The numbers of a column and whether they are whole; words are numbered in alphabetical order.
fn column(
    rows: &[&StringRecord],
    place: usize,
    name: &str,
) -> std::result::Result<(Vec<f32>, bool), String> {
    let refuse = |record: &StringRecord, reason: &str| {
        Err(format!("line {}, column `{name}`: `{}` {reason}", line(record), &record[place]))
    };
    let numbers: Vec<Option<f32>> = rows.iter().map(|row| row[place].parse().ok()).collect();
    let any_number = numbers.iter().any(Option::is_some);
    for (record, number) in rows.iter().zip(&numbers) {
        match number {
            None if record[place].is_empty() => return refuse(record, "is empty; fill it in"),
            None if any_number => return refuse(record, "is no number, but others in it are"),
            Some(number) if !number.is_finite() => return refuse(record, "is no finite number"),
            _ => {}
        }
    }
    if any_number {
        let whole = rows.iter().all(|row| row[place].parse::<i64>().is_ok());
        return Ok((numbers.into_iter().flatten().collect(), whole));
    }
    let words: BTreeSet<&str> = rows.iter().map(|row| &row[place]).collect();
    let numbers: HashMap<&str, f32> =
        words.into_iter().enumerate().map(|(k, word)| (word, k as f32)).collect();
    Ok((rows.iter().map(|row| numbers[&row[place]]).collect(), true))
}

fn line(record: &StringRecord) -> u64 {
    record.position().map_or(0, csv::Position::line)
}
