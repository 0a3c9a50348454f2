//! `table`: your own vectors, from a CSV or Parquet file with a name for each column.

use std::path::Path;

use serde::{Deserialize, Serialize};
use toml::Table as TomlTable;

use super::columns::{self, Columns, Named, Reading, reading_page};
use crate::data::about::Role;
use crate::data::storage::stored::{Steps, Stored};
use crate::data::{Glance, Opened, Range, Shape, Source};
use crate::error::{Error, Result};
use crate::info::Info;
use crate::settings;
use crate::tables::Column;

/// The registry entry.
pub const SOURCE: Source = Source {
    info: Info {
        name: "table",
        title: "Table",
        summary: "your own vectors from the columns of a .csv or .parquet file",
        paper: "",
        page: concat!(
            "\
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

Cells are parted by commas, semicolons, tabs or bars (.csv, .tsv or .txt); numbers may have decimal
commas. `unbraid data info machines.csv` shows what each column was taken for.

A factor of words takes the values 0, 1, 2, ... in alphabetical order. Whole numbers and words are
discrete; other numbers are discrete if they repeat. A factor need not be known of every row: rows
without it are learned from, and left out of scores. What is observed is held in memory.

Settings:
- path: the file.
- factors: a list of columns that are factors. Without them you can train, but not score against
  factors.
- episode: the column that says to which sequence a row belongs, or \"\". Rows that follow each
  other in the file and have the same number or word there follow each other in time. A column that
  is always the same makes one sequence of all rows.
",
            reading_page!()
        ),
    },
    open,
    publication: None,
};

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
struct Settings {
    path: String,
    factors: Vec<String>,
    episode: String,
    #[serde(flatten)]
    reading: Reading,
}

fn parsed(given: &TomlTable) -> Result<Settings> {
    let settings: Settings = settings::parse("data", given)?;
    if settings.path.is_empty() {
        let reason = "is missing: name the .csv or .parquet file to read";
        return Err(Error::setting("data.path", reason));
    }
    Ok(settings)
}

/// The columns that have a name of their own in the settings.
fn named(settings: &Settings) -> [Named<'_>; 2] {
    let episode = match settings.episode.is_empty() {
        true => &[],
        false => std::slice::from_ref(&settings.episode),
    };
    [
        Named { role: Role::Factor, key: "factors", names: &settings.factors },
        Named { role: Role::Episode, key: "episode", names: episode },
    ]
}

/// Look through a file without holding it.
pub(in crate::data) fn glance(given: &TomlTable) -> Result<Glance> {
    let settings = parsed(given)?;
    let named = named(&settings);
    let plan = columns::Plan::of(Path::new(&settings.path), &settings.reading, &named)?;
    let shape = Shape { channels: plan.width(), height: 1, width: 1, range: Range::Real };
    Ok(Glance {
        rows: plan.rows(),
        shape,
        about: plan.about(),
        labels: !settings.factors.is_empty(),
        sequences: !settings.episode.is_empty(),
    })
}

fn open(given: &TomlTable) -> Result<Opened> {
    let mut settings = parsed(given)?;
    let named = named(&settings);
    let columns = columns::read(Path::new(&settings.path), &settings.reading, &named)?;
    let Columns { observed, width, rows, known, adjacent, about, reading } = columns;
    let mut data = Stored::vectors(observed, width).with_about(about);
    if !settings.factors.is_empty() {
        let factors: Vec<&Column> = known[0].iter().collect();
        let whole: Vec<bool> = factors.iter().map(|column| column.whole).collect();
        let words = factors.iter().map(|column| column.classes.clone()).collect();
        data =
            data.with_values(&settings.factors, by_row(&factors, rows), &whole).with_words(words);
    }
    if let Some(episode) = known[1].first() {
        let same = episode.numbers.windows(2).map(|pair| pair[0] == pair[1]);
        let mut follows: Vec<bool> = same.zip(adjacent).map(|(same, next)| same && next).collect();
        follows.push(false);
        data = data.with_steps(Steps { follows, ..Steps::default() });
    }
    settings.reading = reading;
    Ok((Box::new(data), columns::spelled_out(&settings)))
}

/// Columns as [rows, columns].
pub(super) fn by_row(columns: &[&Column], rows: usize) -> Vec<f32> {
    (0..rows).flat_map(|row| columns.iter().map(move |column| column.numbers[row])).collect()
}

#[cfg(test)]
mod tests;
