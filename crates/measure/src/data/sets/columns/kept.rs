//! What a run keeps of the file it was trained on: offset and scale of each column, and the words.
//!
//! ```toml
//! [data.kept]
//! scale = "standard"
//! [data.kept.columns]
//! pressure = { offset = 1013.2, scale = 8.1 }
//! machine = { words = ["lathe", "press"] }
//! ```

use toml::{Table, Value};

use super::encoding::Encoding;
use super::uses::Use;
use super::{Reading, Scale};
use crate::error::{Error, Result};
use crate::settings::Word;
use crate::tables::profile::Profile;

/// What is to be kept; nothing where columns are taken as they stand.
pub(super) fn table(scale: Scale, profiles: &[Profile], uses: &[Use]) -> Table {
    let mut columns = Table::new();
    for (profile, each) in profiles.iter().zip(uses) {
        if let Use::Observed(encoding) = each
            && let Some(entry) = written(encoding)
        {
            columns.insert(profile.name.clone(), Value::Table(entry));
        }
    }
    wrapped(scale, columns)
}

/// The same of columns that are there already.
pub(super) fn wrapped(scale: Scale, columns: Table) -> Table {
    match columns.is_empty() {
        true => Table::new(),
        false => Table::from_iter([
            ("scale".to_string(), Value::String(scale.word().into())),
            ("columns".to_string(), Value::Table(columns)),
        ]),
    }
}

/// An entry of the table.
pub(super) fn written(encoding: &Encoding) -> Option<Table> {
    let number = |name: &str, number: f64| (name.to_string(), Value::Float(number));
    let words = |words: Vec<&String>| {
        let words = words.into_iter().map(|word| Value::String(word.clone())).collect();
        ("words".to_string(), Value::Array(words))
    };
    match encoding {
        Encoding::AsItStands => None,
        Encoding::Number { offset, scale } => {
            Some(Table::from_iter([number("offset", *offset), number("scale", *scale)]))
        }
        Encoding::OneHot(all) => Some(Table::from_iter([words(all.iter().collect())])),
        Encoding::Counts { shares, offset, scale } => Some(Table::from_iter([
            words(shares.keys().collect()),
            (
                "shares".to_string(),
                Value::Array(shares.values().copied().map(Value::Float).collect()),
            ),
            number("offset", *offset),
            number("scale", *scale),
        ])),
    }
}

/// What was kept of a column, if it was kept with the same scale.
pub(super) fn encoding(reading: &Reading, name: &str) -> Result<Option<Encoding>> {
    let same = reading.kept.get("scale").and_then(Value::as_str) == Some(reading.scale.word());
    let columns = reading.kept.get("columns").and_then(Value::as_table);
    let Some(entry) = columns.and_then(|columns| columns.get(name)).filter(|_| same) else {
        return Ok(None);
    };
    let read = || -> Option<Encoding> {
        let entry = entry.as_table()?;
        let number = |name: &str| entry.get(name)?.as_float();
        let list = |name: &str| entry.get(name)?.as_array();
        let words = || -> Option<Vec<String>> {
            list("words")?.iter().map(|word| Some(word.as_str()?.to_string())).collect()
        };
        if entry.contains_key("shares") {
            let shares: Vec<f64> =
                list("shares")?.iter().map(Value::as_float).collect::<Option<_>>()?;
            let shares = words()?.into_iter().zip(shares).collect();
            return Some(Encoding::Counts {
                shares,
                offset: number("offset")?,
                scale: number("scale")?,
            });
        }
        if entry.contains_key("words") {
            return Some(Encoding::OneHot(words()?));
        }
        let (offset, scale) = (number("offset")?, number("scale")?);
        (offset.is_finite() && scale.is_finite() && scale > 0.0)
            .then_some(Encoding::Number { offset, scale })
    };
    read().map(Some).ok_or_else(|| {
        let reason = "is not what a run writes: { offset, scale } or { words }; leave it out";
        Error::setting(format!("data.kept.columns.{name}"), reason)
    })
}
