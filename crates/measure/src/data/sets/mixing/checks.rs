//! What cannot be learned from, or is a slip of the finger, refused before anything is drawn.

use toml::Table;

use super::choices::Settings;
use crate::data::sets::columns::Reading;
use crate::error::{Error, Result};
use crate::settings;

/// More numbers than this are taken for a slip of the finger: 8 GiB.
const MOST_NUMBERS: usize = 1 << 31;
/// The condition of a matrix takes the cube of its width; wider ones would take minutes.
const WIDEST: usize = 512;
/// After that many the observations are noise to any learner.
const MOST_LAYERS: usize = 100;
/// The settings that count if a file is read.
const OF_FILES: [&str; 6] =
    ["path", "segment", "segment_length", "source_columns", "whiten", "factors"];

/// Check settings that are complete.
pub(super) fn generated(settings: &Settings) -> Result<()> {
    invertible(settings)?;
    affordable(settings)?;
    let refuse = |key: &str, reason: String| Err(Error::setting(format!("data.{key}"), reason));
    let Settings { slope, noisy, .. } = *settings;
    if !slope.is_finite() || slope < 0.0 {
        return refuse("slope", format!("is {slope}; use a number above 0"));
    }
    if !noisy.is_finite() || noisy < 0.0 {
        let reason = format!("is {noisy}; it is a standard deviation, 0 or more");
        return refuse("noisy", reason);
    }
    if settings.staircase && settings.sources < 2 {
        let reason = "needs a second source beside the one with the stairs; raise `data.sources`";
        return refuse("staircase", reason.into());
    }
    if settings.discrete && settings.whiten.is_on() {
        let reason = "would make ones and zeros into other numbers; set it to false, or leave out \
                      `data.discrete`";
        return refuse("whiten", reason.into());
    }
    Ok(())
}

/// Whether the mixture can be undone.
fn invertible(settings: &Settings) -> Result<()> {
    let Settings { sources, observed, .. } = *settings;
    if sources > observed {
        let reason = format!(
            "is {sources}, more than the {observed} observed numbers; such a mixture cannot be \
             undone. Raise `data.observed`, or leave it out"
        );
        return Err(Error::setting("data.sources", reason));
    }
    Ok(())
}

/// Whether time and memory suffice.
fn affordable(settings: &Settings) -> Result<()> {
    let Settings { sources, observed, segments, points, layers, .. } = *settings;
    if observed > WIDEST {
        let reason = format!("is {observed}; {WIDEST} is the most that is drawn");
        return Err(Error::setting("data.observed", reason));
    }
    if layers > MOST_LAYERS {
        let reason = format!("is {layers}; {MOST_LAYERS} is the most that is drawn");
        return Err(Error::setting("data.layers", reason));
    }
    let numbers =
        segments.checked_mul(points).and_then(|rows| rows.checked_mul(sources + observed));
    if numbers.is_none_or(|numbers| numbers > MOST_NUMBERS) {
        let reason = format!(
            "is {segments}, with {points} points of {sources} sources and {observed} observed \
             numbers each: more than 2^31 numbers are too many to hold; use fewer"
        );
        return Err(Error::setting("data.segments", reason));
    }
    Ok(())
}

/// With a file, settings of what is drawn would change nothing, which nobody would notice.
pub(super) fn nothing_to_generate(given: &Table) -> Result<()> {
    let defaults = settings::to_table(&Settings::default());
    let idle = given.iter().find(|(key, value)| {
        !OF_FILES.contains(&key.as_str())
            && !Reading::KEYS.contains(&key.as_str())
            && defaults.get(*key) != Some(*value)
    });
    match idle {
        None => Ok(()),
        Some((key, _)) => Err(Error::setting(
            format!("data.{key}"),
            "says how data are drawn, and `data.path` says to read them; leave one of them out",
        )),
    }
}

/// Without a file there is nothing to cut, and no column to name.
pub(super) fn nothing_to_read(settings: &Settings) -> Result<()> {
    let Settings { segment, segment_length, source_columns, .. } = settings;
    let (given, unsaid) =
        (settings::to_table(&settings.reading), settings::to_table(&Reading::default()));
    let reads = |key: &'static str| (key, given.get(key) != unsaid.get(key));
    let idle = [
        ("segment", !segment.is_empty()),
        ("segment_length", *segment_length > 0),
        ("source_columns", !source_columns.is_empty()),
    ];
    let mut idle = idle.into_iter().chain(Reading::KEYS.map(reads));
    match idle.find(|(_, is_set)| *is_set) {
        None => Ok(()),
        Some((key, _)) => Err(Error::setting(
            format!("data.{key}"),
            "says how a file is read; name the file in `data.path`, or leave this out",
        )),
    }
}

/// Segments come from one place.
pub(super) fn one_kind_of_segment(settings: &Settings) -> Result<()> {
    match !settings.segment.is_empty() && settings.segment_length > 0 {
        false => Ok(()),
        true => Err(Error::setting(
            "data.segment_length",
            "cuts the rows into segments, and `data.segment` says where they are; leave one out",
        )),
    }
}
