//! The columns of somebody's table as observations: what is observed and what is not, each column
//! brought to a scale that a model can learn from, words as numbers, gaps dealt with. `table` and the
//! series of `mixing` are read by it, so both take the same settings.
//!
//! The file is read twice: once to see what each column holds ([`profile`]), once to fill the rows.

use std::path::Path;

use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use crate::data::about::{About, Channel, Role, Scaling};
use crate::error::{Error, Result};
use crate::info::did_you_mean;
use crate::settings::{self, words};
use crate::tables::Column;
use crate::tables::profile::{self, Kind, Profile};
use crate::tables::sheet::{Decimal, Separator, Sheet};

mod channels;
mod encoding;
mod filling;
mod kept;
mod known;
mod matrix;
mod uses;

pub(super) use channels::factor as factor_channel;
pub(super) use known::Builder;
pub(super) use matrix::{Matrix, scaled};
use uses::Use;
pub(super) use uses::check_factor;

words! {
    /// What is done to each observed number.
    pub(super) enum Scale {
        /// Less the mean, divided by the standard deviation.
        Standard = "standard",
        /// Less the median, divided by the distance of the quartiles as a normal deviation has it.
        Robust = "robust",
        /// Nothing.
        None = "none";
        /// What the data ask for.
        Auto = "auto"
    }
}

words! {
    /// What is done where a value is missing.
    pub(super) enum Gaps {
        /// The file is refused.
        Refuse = "refuse",
        /// The row is left out.
        Drop = "drop",
        /// It becomes the mean or the median.
        Impute = "impute",
    }
}

words! {
    /// What is made of a column of words.
    pub(super) enum WordsAs {
        /// A number per word, 1 in the place of the one that stands there.
        OneHot = "one-hot",
        /// One number: the share of rows that have the word.
        Counts = "counts",
    }
}

/// What a page says of these settings.
macro_rules! reading_page {
    () => {
        "\
- columns: the columns that are observed. [] takes all that are not named otherwise, but for those
  that say nothing of what was measured: columns that never change, dates and times, numbers of the
  rows, names of the rows (`unbraid data info` says which and why). [\"*\"] takes them too, as they
  stand.
- ignore: columns that are not used.
- scale: \"standard\" makes the mean of each observed column 0 and its standard deviation 1, \"robust\"
  does it by median and quartiles, where some values are far out, \"none\" leaves numbers as they are.
  By all rows of the file, whatever `variant` chooses. What is decoded is shown in the units of the
  file.
- missing: what is done with rows that have no value (an empty cell, NA, NaN, null) in an observed
  column: \"refuse\" the file, \"drop\" the row, or \"impute\" the mean (the median, if robust; of
  words, none of them).
- words: a column of words becomes one number per word (\"one-hot\"), or the share of rows that have
  the word (\"counts\"). Of more than 256 words it is left out.
- separator: \"comma\", \"semicolon\", \"tab\", \"bar\" or \"auto\"; decimal: \"point\", \"comma\" or \"auto\".
- kept: what a run keeps of the file it was trained on, so that other files are read alike; leave
  it out."
    };
}
pub(super) use reading_page;

/// How columns become observations.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(super) struct Reading {
    pub(super) columns: Vec<String>,
    pub(super) ignore: Vec<String>,
    pub(super) scale: Scale,
    pub(super) missing: Gaps,
    pub(super) words: WordsAs,
    pub(super) separator: Separator,
    pub(super) decimal: Decimal,
    pub(super) kept: Table,
}

impl Default for Reading {
    fn default() -> Self {
        Self {
            columns: Vec::new(),
            ignore: Vec::new(),
            scale: Scale::Auto,
            missing: Gaps::Refuse,
            words: WordsAs::OneHot,
            separator: Separator::Auto,
            decimal: Decimal::Auto,
            kept: Table::new(),
        }
    }
}

impl Reading {
    /// The names of its settings.
    pub(super) const KEYS: [&'static str; 8] =
        ["columns", "ignore", "scale", "missing", "words", "separator", "decimal", "kept"];

    /// Whether every column is taken as it stands, as was done before there was a scale.
    fn takes_all(&self) -> bool {
        self.columns == ["*"]
    }
}

/// Columns with a name of their own in the settings.
pub(super) struct Named<'a> {
    /// What they are used for.
    pub(super) role: Role,
    /// The setting that names them, without `data.`.
    pub(super) key: &'static str,
    /// Their names.
    pub(super) names: &'a [String],
}

/// What a file holds, as it was asked for.
pub(super) struct Columns {
    /// `[rows, width]`
    pub(super) observed: Vec<f32>,
    pub(super) width: usize,
    pub(super) rows: usize,
    /// The columns of each list that was named.
    pub(super) known: Vec<Vec<Column>>,
    /// Of rows next to each other, whether they are so in the file.
    pub(super) adjacent: Vec<bool>,
    pub(super) about: About,
    /// The settings, every choice made.
    pub(super) reading: Reading,
}

/// A file that was looked through once: what is to be made of its columns.
pub(super) struct Plan<'a> {
    sheet: Sheet,
    reading: Reading,
    named: &'a [Named<'a>],
    rows: usize,
    profiles: Vec<Profile>,
    /// One for each column.
    uses: Vec<Use>,
    /// The observed columns, in the order in which an observation has them.
    order: Vec<usize>,
}

/// Read a file.
pub(super) fn read(path: &Path, reading: &Reading, named: &[Named]) -> Result<Columns> {
    Plan::of(path, reading, named)?.fill()
}

/// Settings with every default spelled out; of what nothing was kept there is nothing to read.
pub(super) fn spelled_out<T: Serialize>(settings: &T) -> Table {
    let mut table = settings::to_table(settings);
    let empty = |kept: &Value| kept.as_table().is_some_and(Table::is_empty);
    if table.get("kept").is_some_and(empty) {
        table.remove("kept");
    }
    table
}

/// Whether every column that nobody named has nothing but zeros and ones.
fn are_bits(profiles: &[Profile], reading: &Reading, named: &[Named]) -> bool {
    let bits = |profile: &Profile| {
        let [low, high] = profile.moments.range();
        profile.kind() == (Kind::Number { whole: true }) && low >= 0.0 && high <= 1.0
    };
    let named = |name: &String| {
        reading.ignore.contains(name) || named.iter().any(|list| list.names.contains(name))
    };
    profiles.iter().filter(|profile| !named(&profile.name)).all(bits)
}

impl<'a> Plan<'a> {
    /// Look through a file and decide what each column is used for; refuses what cannot be.
    pub(super) fn of(path: &Path, reading: &Reading, named: &'a [Named<'a>]) -> Result<Self> {
        let sheet = Sheet::open(path, reading.separator)?;
        check_names(&sheet, reading, named)?;
        let (rows, profiles) = profile::of(&sheet, reading.decimal)?;
        let mut reading = reading.clone();
        if reading.scale == Scale::Auto {
            // A series of zeros and ones has a likelihood of its own.
            let bits = named.iter().any(|list| list.role == Role::Segment)
                && are_bits(&profiles, &reading, named);
            reading.scale = if bits { Scale::None } else { Scale::Standard };
        }
        let uses = uses::of(&sheet, &profiles, &reading, named)?;
        if !uses.iter().any(|each| matches!(each, Use::Observed(_))) {
            return Err(nothing_left(path, &profiles, &uses, named));
        }
        let order = in_order(&profiles, &uses, &reading);
        let mut plan = Self { sheet, reading, named, rows, profiles, uses, order };
        plan.reading.kept = plan.kept();
        if !plan.reading.takes_all() {
            let name = |column: &usize| plan.profiles[*column].name.clone();
            plan.reading.columns = plan.order.iter().map(name).collect();
        }
        Ok(plan)
    }

    /// Each observed column with the first of its places in an observation.
    fn places(&self) -> impl Iterator<Item = (usize, usize)> {
        let mut next = 0;
        self.order.iter().map(move |&column| {
            next += self.uses[column].width();
            (column, next - self.uses[column].width())
        })
    }

    /// How many rows the file has.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// How many numbers an observation has.
    pub(super) fn width(&self) -> usize {
        self.uses.iter().map(Use::width).sum()
    }

    fn kept(&self) -> Table {
        kept::table(self.reading.scale, &self.profiles, &self.uses)
    }

    /// What became of each column.
    pub(super) fn about(&self) -> About {
        let channels: Vec<Channel> = self
            .profiles
            .iter()
            .zip(&self.uses)
            .map(|(p, u)| channels::channel(p, u, self.named))
            .collect();
        let mut remarks = Vec::new();
        remarks.extend(channels::left_out(&channels));
        About { remarks, scaling: self.scaling(), channels }
    }

    fn scaling(&self) -> Option<Scaling> {
        let (mut names, mut offsets, mut scales) = (Vec::new(), Vec::new(), Vec::new());
        for &column in &self.order {
            let profile = &self.profiles[column];
            if let Use::Observed(encoding) = &self.uses[column] {
                names.extend(encoding.names(&profile.name));
                let [offset, scale] = encoding.scaling();
                offsets.extend(vec![offset; encoding.width()]);
                scales.extend(vec![scale; encoding.width()]);
            }
        }
        let scaled = offsets.iter().any(|v| *v != 0.0) || scales.iter().any(|v| *v != 1.0);
        let by = crate::settings::Word::word(self.reading.scale);
        scaled.then_some(Scaling { by, names, offsets, scales })
    }
}

/// The observed columns: in the order in which they are named, so that a file in another order gives the
/// same observations, or else in that of the file.
fn in_order(profiles: &[Profile], uses: &[Use], reading: &Reading) -> Vec<usize> {
    let observed = |column: &usize| matches!(uses[*column], Use::Observed(_));
    let mut order: Vec<usize> = (0..uses.len()).filter(observed).collect();
    let named = |column: &usize| reading.columns.iter().position(|n| *n == profiles[*column].name);
    order.sort_by_key(named);
    order
}

/// Refuse names that no column has.
fn check_names(sheet: &Sheet, reading: &Reading, named: &[Named]) -> Result<()> {
    let known = named.iter().map(|list| (list.key, list.names));
    let mut all: Vec<(&str, &[String])> = known.collect();
    all.push(("ignore", &reading.ignore));
    if !reading.takes_all() {
        all.push(("columns", &reading.columns));
    }
    for (key, names) in all {
        for (k, name) in names.iter().enumerate() {
            if !sheet.names.contains(name) {
                return Err(no_column(sheet, key, name));
            }
            if names[..k].contains(name) {
                let reason = format!("names the column `{name}` twice");
                return Err(Error::setting(format!("data.{key}"), reason));
            }
        }
    }
    for list in named {
        let twice = list.names.iter().find(|name| reading.columns.contains(name));
        if let Some(name) = twice {
            let reason = format!("names the column `{name}`, and `data.{}` does too", list.key);
            return Err(Error::setting("data.columns", reason));
        }
    }
    Ok(())
}

fn no_column(sheet: &Sheet, key: &str, name: &str) -> Error {
    let hint = did_you_mean(name, sheet.names.iter().map(String::as_str));
    let known = sheet.names.join(", ");
    let reason = format!("names the column `{name}`, which is not there{hint} (known: {known})");
    Error::setting(format!("data.{key}"), reason)
}

fn nothing_left(path: &Path, profiles: &[Profile], uses: &[Use], named: &[Named]) -> Error {
    let key = named.first().map_or("ignore", |list| list.key);
    let reasons = profiles.iter().zip(uses).filter_map(|(profile, each)| match each {
        Use::Time(reason) | Use::LeftOut(reason) => Some(format!("`{}` {reason}", profile.name)),
        _ => None,
    });
    let reasons = reasons.collect::<Vec<_>>().join(", ");
    let why = if reasons.is_empty() { String::new() } else { format!(": {reasons}") };
    let reason = format!(
        "has no column left to observe{why}; name fewer in `data.{key}`, `data.ignore`, or those to \
         observe in `data.columns`"
    );
    Error::format(path, reason)
}
