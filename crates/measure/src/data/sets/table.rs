//! `table`: your own vectors, from a CSV or Parquet file with a name for each column.

use std::path::Path;

use serde::{Deserialize, Serialize};
use toml::Table as TomlTable;

use crate::data::storage::stored::{Steps, Stored};
use crate::data::{Opened, Source};
use crate::error::{Error, Result};
use crate::info::{Info, did_you_mean};
use crate::settings;
use crate::tables::{Column, Table};

/// The registry entry.
pub const SOURCE: Source = Source {
    info: Info {
        name: "table",
        title: "Table",
        summary: "your own vectors from the columns of a .csv or .parquet file",
        paper: "",
        page: "\
Your own vectors, one per line of a CSV or Parquet file whose columns have names. Columns that you
name as factors are ground truth; the others are observed:

```csv
sensor_a,sensor_b,temperature,machine
0.31,1.20,21.5,press
0.28,1.19,21.7,lathe
```

```sh
unbraid train --model beta-vae --data machines.csv --set data.factors='[\"temperature\", \"machine\"]'
```

A factor of words takes the values 0, 1, 2, ... in alphabetical order. Whole numbers and words are
discrete; other numbers are discrete if they repeat. Observed columns are numbers. Everything is
held in memory.

Settings:
- path: the file.
- factors: a list of columns that are factors. Without them you can train, but not score against
  factors.
- ignore: a list of columns that are neither.
- episode: the column that says to which sequence a row belongs, or \"\". Rows that follow each
  other in the file and have the same number or word there follow each other in time. A column that
  is always the same makes one sequence of all rows.",
    },
    open,
    publication: None,
};

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
struct Settings {
    path: String,
    factors: Vec<String>,
    ignore: Vec<String>,
    episode: String,
}

fn open(given: &TomlTable) -> Result<Opened> {
    let settings: Settings = settings::parse("data", given)?;
    if settings.path.is_empty() {
        let reason = "is missing: name the .csv or .parquet file to read";
        return Err(Error::setting("data.path", reason));
    }
    let path = Path::new(&settings.path);
    let table = Table::read(path, &[])?;
    let take = |names: &[String], key: &str| -> Result<Vec<&Column>> {
        names.iter().map(|name| named(&table, name, key)).collect()
    };
    let factors = take(&settings.factors, "factors")?;
    take(&settings.ignore, "ignore")?;
    let episode = match settings.episode.as_str() {
        "" => None,
        name => Some(named(&table, name, "episode")?),
    };
    let apart = |column: &&Column| {
        let name = column.name.as_ref();
        let listed = |list: &[String]| name.is_some_and(|name| list.contains(name));
        !listed(&settings.factors)
            && !listed(&settings.ignore)
            && name != Some(&settings.episode).filter(|name| !name.is_empty())
    };
    let observed: Vec<&Column> = table.columns.iter().filter(apart).collect();
    check(path, &table, &observed, "factors")?;

    let mut data = Stored::vectors(by_row(&observed, table.rows()), observed.len());
    if !factors.is_empty() {
        let whole: Vec<bool> = factors.iter().map(|column| column.whole).collect();
        data = data.with_values(&settings.factors, by_row(&factors, table.rows()), &whole);
    }
    if let Some(episode) = episode {
        let mut follows: Vec<bool> =
            episode.numbers.windows(2).map(|pair| pair[0] == pair[1]).collect();
        follows.push(false);
        data = data.with_steps(Steps { follows, ..Steps::default() });
    }
    Ok((Box::new(data), settings::to_table(&settings)))
}

/// The column that the setting `data.{key}` names.
pub(super) fn named<'t>(table: &'t Table, name: &str, key: &str) -> Result<&'t Column> {
    let names = || table.columns.iter().filter_map(|column| column.name.as_deref());
    let found = table.columns.iter().find(|column| column.name.as_deref() == Some(name));
    found.ok_or_else(|| {
        let known = names().collect::<Vec<_>>().join(", ");
        let hint = did_you_mean(name, names());
        let reason =
            format!("names the column `{name}`, which is not there{hint} (known: {known})");
        Error::setting(format!("data.{key}"), reason)
    })
}

/// Refuse what cannot be observed. `key` is the setting that lists the columns which are known.
pub(super) fn check(path: &Path, table: &Table, observed: &[&Column], key: &str) -> Result<()> {
    if table.rows() == 0 {
        return Err(Error::format(path, "has no rows: there is nothing in it to learn from"));
    }
    if observed.is_empty() {
        let reason =
            format!("has no column left to observe; name fewer in `data.{key}`, `data.ignore`");
        return Err(Error::format(path, reason));
    }
    let name = |column: &Column| column.name.clone().unwrap_or_default();
    if let Some(words) = observed.iter().find(|column| column.words) {
        let reason = format!(
            "column `{}` holds words, which cannot be observed; list it in `data.{key}` or \
             `data.ignore`",
            name(words)
        );
        return Err(Error::format(path, reason));
    }
    for column in &table.columns {
        if let Some(row) = column.numbers.iter().position(|number| !number.is_finite()) {
            let reason = format!(
                "column `{}` has {} in row {row}; remove or replace such rows first",
                name(column),
                column.numbers[row]
            );
            return Err(Error::format(path, reason));
        }
    }
    Ok(())
}

/// Columns as [rows, columns].
pub(super) fn by_row(columns: &[&Column], rows: usize) -> Vec<f32> {
    (0..rows).flat_map(|row| columns.iter().map(move |column| column.numbers[row])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Dataset;
    use crate::data::testing::{assert_refused, row};

    const TEXT: &str = "a,b,temperature,machine,run\n\
                        0.5,1,20,press,1\n0.25,2,21,lathe,1\n-1,3,20,press,2\n";

    fn read(text: &str, more: &str) -> Result<Box<dyn Dataset>> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("mine.csv");
        std::fs::write(&path, text).unwrap();
        let mut settings: TomlTable = more.parse().unwrap();
        settings.insert("path".into(), path.to_str().unwrap().into());
        Ok(open(&settings)?.0)
    }

    #[test]
    fn columns_are_observed_or_factors_or_neither() {
        let more = "factors = ['temperature', 'machine']\nepisode = 'run'";
        let data = read(TEXT, more).unwrap();
        assert_eq!((data.len(), data.shape().channels), (3, 2));
        assert_eq!(row(&*data, 1), [0.25, 2.0]);
        assert_eq!(data.label(1), Some(vec![21.0, 0.0]));
        let next = |row| data.next(row).map(|step| step.index);
        assert_eq!((next(0), next(1), next(2)), (Some(1), None, None));
        let data = read(TEXT, "ignore = ['machine', 'run']").unwrap();
        assert_eq!((data.shape().channels, data.factors().len()), (3, 0));
    }

    #[test]
    fn mistakes_are_named() {
        let refused = |text, more, part| assert_refused(read(text, more), &[part]);
        refused(TEXT, "factors = ['temprature']", "did you mean `temperature`?");
        refused(TEXT, "", "column `machine` holds words");
        refused("a,b\n1,2\n", "ignore = ['a', 'b']", "has no column left to observe");
        refused("a,b\n1,nan\n", "", "column `b` has NaN in row 0");
    }
}
