//! The tables a configuration is made of: read from a file, changed key by key, laid over another.

use std::path::Path;

use toml::{Table, Value};
use unbraid_measure::data;
use unbraid_measure::{Error as MeasureError, files};

use crate::error::{Error, Result};

/// Read a TOML file.
pub fn read_table(path: &Path) -> Result<Table> {
    let text = files::read_text(path)?;
    let parsed = text.parse::<Table>();
    Ok(parsed.map_err(|source| MeasureError::format(path, in_a_sentence(&source, &text)))?)
}

/// Where TOML is wrong, and how, without the drawing that the parser makes of it.
fn in_a_sentence(error: &toml::de::Error, text: &str) -> String {
    let start = error.span().map_or(0, |span| span.start.min(text.len()));
    let before = text.get(..start).unwrap_or_default();
    let (line, column) = (
        before.matches('\n').count() + 1,
        before.chars().rev().take_while(|c| *c != '\n').count() + 1,
    );
    let message = error.message().trim().replace('\n', ", ");
    format!("is no TOML at line {line}, column {column}: {message}")
}

/// Set one key from `section.key=value`, as in `--set model.beta=8`. What is no TOML is a word.
pub fn set(table: &mut Table, assignment: &str) -> Result<()> {
    let usage = || Error::setting(assignment, "is no assignment; write --set section.key=value");
    let (key, text) = assignment.split_once('=').ok_or_else(usage)?;
    let parsed = format!("value = {text}").parse::<Table>().ok();
    let value = parsed.and_then(|mut parsed| parsed.remove("value"));
    let value = value.unwrap_or_else(|| Value::String(text.to_string()));
    put(table, key.trim(), value)
}

/// Put a value under a dotted key, `model.beta`.
pub fn put(table: &mut Table, key: &str, value: Value) -> Result<()> {
    let (mut place, mut rest) = (table, key);
    while let Some((section, inner)) = rest.split_once('.') {
        let entry = place.entry(section).or_insert_with(|| Value::Table(Table::new()));
        let no_section =
            || Error::setting(key, format!("cannot be set: `{section}` is no section"));
        (place, rest) = (entry.as_table_mut().ok_or_else(no_section)?, inner);
    }
    place.insert(rest.into(), value);
    Ok(())
}

/// `below` with the keys of `above` in place of its own, section by section.
pub fn overlaid(mut below: Table, above: Table) -> Table {
    for (key, value) in above {
        match (below.remove(&key), value) {
            (Some(Value::Table(old)), Value::Table(new)) => {
                below.insert(key, Value::Table(overlaid(old, new)));
            }
            (_, value) => {
                below.insert(key, value);
            }
        }
    }
    below
}

/// The registry name and settings of a data set given by name, by file or by folder.
pub fn data_by_name_or_path(name: &str, mut given: Table) -> (String, Table) {
    let path = Path::new(name);
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    let array = extension == "npz" || extension == "npy";
    let folder = path.is_dir() || name.contains(std::path::MAIN_SEPARATOR);
    let registered = data::DATASETS.iter().any(|source| source.info.name == name);
    let kind = match () {
        () if registered => return (name.into(), absolute_path(given)),
        () if array => "arrays",
        () if ["csv", "tsv", "parquet"].iter().any(|known| extension == *known) => "table",
        () if folder => "images",
        () => return (name.into(), given),
    };
    given.insert("path".into(), Value::String(name.into()));
    (kind.into(), absolute_path(given))
}

/// A run directory can be scored from anywhere, so it must not depend on where it was started.
pub(in crate::run) fn absolute_path(mut given: Table) -> Table {
    for key in ["path", "labels"] {
        if let Some(Value::String(path)) = given.get_mut(key)
            // The labels of pictures may be the folders they are in.
            && path != "folders"
            && Path::new(path).exists()
            && let Ok(absolute) = std::path::absolute(&path)
        {
            *path = absolute.to_string_lossy().into_owned();
        }
    }
    given
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn set_changes_any_key_and_takes_words_without_quotes() {
        let mut table = Table::new();
        for assignment in [
            "seed=3",
            "model.beta=8",
            "model.name=vae",
            "score.metrics=['mig']",
            "data.variant.part=train",
            "data.variant.fix.scale=1",
        ] {
            set(&mut table, assignment).unwrap();
        }
        assert_eq!(table["data"]["variant"]["part"].as_str(), Some("train"));
        assert_eq!(table["data"]["variant"]["fix"]["scale"].as_integer(), Some(1));
        assert_eq!(table["seed"].as_integer(), Some(3));
        assert_eq!(table["model"]["beta"].as_integer(), Some(8));
        assert_eq!(table["model"]["name"].as_str(), Some("vae"));
        assert_eq!(table["score"]["metrics"][0].as_str(), Some("mig"));
        assert!(set(&mut table, "model.beta").is_err());
        assert!(set(&mut table, "seed.x=1").is_err());
    }
}
