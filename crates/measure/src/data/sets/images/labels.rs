//! The labels of a folder of pictures: from a table with one row per picture, or from the folders within.

use std::collections::HashMap;
use std::path::Path;

use crate::data::about::Channel;
use crate::data::sets::columns::{Builder, check_factor, factor_channel};
use crate::error::{Error, Result};
use crate::tables::Column;
use crate::tables::profile::{self, Profile};
use crate::tables::sheet::{Cell, Decimal, Separator, Sheet};

/// The columns that have the path of the picture, if one is called so; else the first.
const PATHS: [&str; 5] = ["file", "file_name", "filename", "path", "image"];

/// The factors of some pictures.
pub(super) struct Labels {
    pub(super) names: Vec<String>,
    /// [pictures, factors]; what is not known is no number.
    pub(super) values: Vec<f32>,
    /// Which factors are whole numbers or words.
    pub(super) whole: Vec<bool>,
    /// What the values of each factor are called, where they are words.
    pub(super) words: Vec<Vec<String>>,
    pub(super) channels: Vec<Channel>,
}

impl Labels {
    /// Without these pictures, which are in order.
    pub(super) fn forget(&mut self, pictures: &[usize]) {
        let (width, mut picture) = (self.names.len(), 0..);
        let mut kept = Vec::with_capacity(self.values.len());
        for row in self.values.chunks(width.max(1)) {
            if picture.next().is_some_and(|k: usize| pictures.binary_search(&k).is_err()) {
                kept.extend_from_slice(row);
            }
        }
        self.values = kept;
    }

    /// How many pictures have a factor without a value.
    pub(super) fn unknown(&self) -> usize {
        let rows = self.values.chunks(self.names.len().max(1));
        rows.filter(|row| row.iter().any(|value| value.is_nan())).count()
    }

    /// From a column for each factor; `row` says which of its rows a picture has.
    fn of(columns: Vec<(Profile, Column)>, row: &[Option<usize>]) -> Self {
        let value =
            |column: &Column, row: &Option<usize>| row.map_or(f32::NAN, |r| column.numbers[r]);
        let values = row.iter().flat_map(|r| columns.iter().map(move |(_, c)| value(c, r)));
        Self {
            values: values.collect(),
            names: columns.iter().map(|(profile, _)| profile.name.clone()).collect(),
            whole: columns.iter().map(|(_, column)| column.whole).collect(),
            words: columns.iter().map(|(_, column)| column.classes.clone()).collect(),
            channels: columns.iter().map(|(profile, _)| factor_channel(profile)).collect(),
        }
    }
}

/// From texts, one for each picture that has one: numbers if all of them are, or else words.
pub(super) fn of_texts(names: &[String], texts: &[Vec<Option<&str>>]) -> Labels {
    fn cell(text: Option<&str>) -> Cell<'_> {
        text.map_or(Cell::Missing, Cell::Text)
    }
    let column = |(name, texts): (&String, &Vec<Option<&str>>)| {
        let profile = Profile::of_cells(name, texts.iter().copied().map(cell));
        let mut builder = Builder::new(&profile);
        for text in texts {
            builder.see(cell(*text));
        }
        (profile, builder.finish())
    };
    let columns: Vec<(Profile, Column)> = names.iter().zip(texts).map(column).collect();
    let rows: Vec<Option<usize>> = (0..texts.first().map_or(0, Vec::len)).map(Some).collect();
    Labels::of(columns, &rows)
}

/// The factor `class`: the folder of each picture.
pub(super) fn of_folders(folder: &Path, files: &[String]) -> Result<Labels> {
    let class = |file: &String| -> Option<String> {
        let (folder, _) = file.rsplit_once('/')?;
        Some(folder.to_string())
    };
    let classes: Vec<Option<String>> = files.iter().map(class).collect();
    if classes.iter().all(Option::is_none) {
        let reason = "has no folders within it, which were to be the labels; set `data.labels` to a \
                      table, or leave it out";
        return Err(Error::format(folder, reason));
    }
    let texts: Vec<Option<&str>> = classes.iter().map(Option::as_deref).collect();
    Ok(of_texts(&["class".into()], &[texts]))
}

/// The columns of a table.
pub(super) fn of_table(path: &Path, folder: &Path, files: &[String]) -> Result<Labels> {
    let sheet = Sheet::open(path, Separator::Auto)?;
    let paths = check_names(&sheet)?;
    let (_, profiles) = profile::of(&sheet, Decimal::Auto)?;
    let factors = || profiles.iter().enumerate().filter(|(k, _)| *k != paths);
    for (_, profile) in factors() {
        check_factor(&sheet, profile)?;
    }
    let mut builders: Vec<Option<Builder>> =
        (0..profiles.len()).map(|k| (k != paths).then(|| Builder::new(&profiles[k]))).collect();
    let mut named: Vec<(u64, String)> = Vec::new();
    sheet.each(|column, spot, cell| {
        match (&mut builders[column], cell) {
            (Some(builder), cell) => builder.see(cell),
            (None, Cell::Text(text)) => named.push((spot.line, text.to_string())),
            (None, _) => named.push((spot.line, String::new())),
        }
        Ok(())
    })?;
    let rows = in_order(&sheet, &named, folder, files)?;
    let columns = builders.into_iter().zip(profiles);
    let columns = columns.filter_map(|(builder, profile)| Some((profile, builder?.finish())));
    Ok(Labels::of(columns.collect(), &rows))
}

/// Refuse a table that cannot be one of labels; says which column has the paths.
fn check_names(sheet: &Sheet) -> Result<usize> {
    let first = "the first line must name the columns: the path of the picture, then the factors";
    let refuse = |reason: String| Err(Error::format(sheet.path(), reason));
    if sheet.names.len() < 2 {
        return refuse(format!("has no factors; {first}"));
    }
    if sheet.has_unnamed() {
        return refuse(format!("has a column without a name; {first}"));
    }
    if let Some(twice) = sheet.repeated() {
        return refuse(format!("has the column `{twice}` twice"));
    }
    let is_path = |name: &String| PATHS.contains(&name.to_lowercase().as_str());
    Ok(sheet.names.iter().position(is_path).unwrap_or(0))
}

/// The row of each picture, if it has one.
fn in_order(
    sheet: &Sheet,
    named: &[(u64, String)],
    folder: &Path,
    files: &[String],
) -> Result<Vec<Option<usize>>> {
    let refuse = |reason: String| Err(Error::format(sheet.path(), reason));
    let places: HashMap<&str, usize> =
        files.iter().enumerate().map(|(place, file)| (file.as_str(), place)).collect();
    let mut rows: Vec<Option<usize>> = vec![None; files.len()];
    for (row, (line, name)) in named.iter().enumerate() {
        let file = name.strip_prefix("./").unwrap_or(name).replace('\\', "/");
        let Some(&place) = places.get(file.as_str()) else {
            // A file that is there but is not read is counted with those.
            if !file.is_empty() && folder.join(&file).is_file() {
                continue;
            }
            return refuse(format!(
                "{} names `{file}`, which is not in the folder; paths start there, as in `{}`",
                sheet.place(*line),
                files[0]
            ));
        };
        if rows[place].replace(row).is_some() {
            return refuse(format!("{} names `{file}` a second time", sheet.place(*line)));
        }
    }
    match rows.iter().any(Option::is_some) {
        true => Ok(rows),
        false => refuse(format!("has no row for any picture, such as `{}`", files[0])),
    }
}
