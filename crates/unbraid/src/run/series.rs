//! The way on from a table whose rows have no label to a model that learns from one: a column, or segments of time.

use ndarray::Array2;
use toml::Value;
use unbraid_measure::data::about::Holds;
use unbraid_measure::data::{self, Dataset, Role};
use unbraid_measure::stats::changes::changes;

use super::config::Config;
use crate::error::Error;

/// More rows are not looked at for changes.
const LOOKED_AT: usize = 50_000;
/// A column with more different words is no kind of row.
const KINDS: usize = 50;
/// As many segments as this tell variances apart, where nothing is seen to change.
const SEGMENTS: usize = 20;

/// Why this model cannot learn from these rows, and what would do; the plain error where it is another matter.
pub(super) fn explained(error: Error, model: &str, config: &Config, data: &dyn Dataset) -> Error {
    let path = config.data.get("path").and_then(Value::as_str).unwrap_or_default();
    if config.data_name() != "table" || !data.factors().is_empty() || path.is_empty() {
        return error;
    }
    let channels = &data.about().channels;
    let kind = channels.iter().find(|channel| {
        matches!(channel.holds, Holds::Words { different, .. } if (2..=KINDS).contains(&different))
            && channel.role != Role::Time
    });
    let by_column = kind.map_or(String::new(), |channel| {
        format!(", or by a column, `--set data.segment={}`", quoted(&channel.name))
    });
    let label = kind.map_or("COLUMN", |channel| &channel.name);
    let (length, why) = length(data);
    Error::Unable(format!(
        "`{model}` learns from a label of each row, and {} names none; name the columns that are labels, `--set \
         data.factors='[\"{label}\"]'`, or, if its rows follow each other in time, read it as a series, `--data mixing \
         --set data.path={}`, and say its segments: by length, `--set data.segment_length={length}` ({why}){by_column}",
        config.data_title(),
        quoted(path)
    ))
}

/// A length of segments, and how it was come by.
fn length(data: &dyn Dataset) -> (usize, String) {
    let rows: Vec<usize> = (0..data.len().min(LOOKED_AT)).collect();
    let seen: Array2<f32> = data::observations(data, &rows);
    let found = changes(seen.view());
    let even = (data.len() / SEGMENTS).max(2);
    if found.len() < 2 {
        return (even, format!("{SEGMENTS} equal ones; no change of means or spreads is seen"));
    }
    let mut between: Vec<usize> = found.windows(2).map(|pair| pair[1] - pair[0]).collect();
    between.sort_unstable();
    let first: Vec<String> = found.iter().take(4).map(usize::to_string).collect();
    let more = if found.len() > first.len() { ", …" } else { "" };
    (
        between[between.len() / 2],
        format!("means or spreads change at about rows {}{more}", first.join(", ")),
    )
}

/// As a shell takes it for one word.
fn quoted(word: &str) -> String {
    match word.chars().all(|c| c.is_alphanumeric() || "-_./".contains(c)) {
        true => word.into(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}
