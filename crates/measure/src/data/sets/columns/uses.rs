//! What each column of a file is used for: as the settings say, or by what it holds.

use super::encoding::Encoding;
use super::{Gaps, Named, Reading};
use crate::data::about::Role;
use crate::error::{Error, Result};
use crate::tables::profile::{Found, Kind, LISTED, Profile};
use crate::tables::sheet::Sheet;

/// What a column is used for.
pub(super) enum Use {
    /// It is part of an observation.
    Observed(Encoding),
    /// It is this column of this list of the settings.
    Known { list: usize, place: usize },
    /// It says when, and this is how.
    Time(String),
    /// It is not used, for this reason.
    LeftOut(String),
}

impl Use {
    /// How many numbers of an observation it makes.
    pub(super) fn width(&self) -> usize {
        match self {
            Self::Observed(encoding) => encoding.width(),
            _ => 0,
        }
    }
}

/// The use of every column.
pub(super) fn of(
    sheet: &Sheet,
    profiles: &[Profile],
    reading: &Reading,
    named: &[Named],
) -> Result<Vec<Use>> {
    let find = |profile: &Profile| {
        let mut lists = named.iter().enumerate();
        lists.find_map(|(list, named)| {
            let place = named.names.iter().position(|name| *name == profile.name);
            place.map(|place| Use::Known { list, place })
        })
    };
    let each = |profile: &Profile| -> Result<Use> {
        if let Some(known) = find(profile) {
            let Use::Known { list, .. } = known else { return Ok(known) };
            check_known(sheet, profile, reading, &named[list])?;
            return Ok(known);
        }
        if reading.ignore.contains(&profile.name) {
            return Ok(Use::LeftOut("is named in `data.ignore`".into()));
        }
        if !reading.columns.is_empty() && !reading.takes_all() {
            if reading.columns.contains(&profile.name) {
                return observed(sheet, profile, reading);
            }
            // A run names the columns that were chosen for it; the others still have their reasons.
            let chosen_for = || reason(profile).filter(|_| !reading.kept.is_empty());
            return Ok(match chosen_for() {
                Some(reason) if profile.is_time() => Use::Time(reason),
                Some(reason) => Use::LeftOut(reason),
                None => Use::LeftOut("is not named in `data.columns`".into()),
            });
        }
        match reason(profile).filter(|_| !reading.takes_all()) {
            Some(reason) if profile.is_time() => Ok(Use::Time(reason)),
            Some(reason) => Ok(Use::LeftOut(reason)),
            None => observed(sheet, profile, reading),
        }
    };
    profiles.iter().map(each).collect()
}

/// Why a column that nobody named says nothing of what was measured.
fn reason(profile: &Profile) -> Option<String> {
    match profile.kind() {
        Kind::Nothing => return Some("has no values".into()),
        Kind::Time => return Some("has times".into()),
        _ if profile.is_constant() && profile.missing() > 0 => {
            return Some("has one value only, and gaps".into());
        }
        _ if profile.is_constant() => return Some("never changes".into()),
        _ => {}
    }
    if let Some(reason) = profile.names_rows() {
        return Some(reason.into());
    }
    (profile.kind() == Kind::Words && profile.words().is_none())
        .then(|| format!("has {} different words, more than {LISTED}", profile.different()))
}

fn observed(sheet: &Sheet, profile: &Profile, reading: &Reading) -> Result<Use> {
    let name = &profile.name;
    let refuse = |reason: String| {
        let reason = format!("column `{name}` {reason}");
        Err(Error::format(sheet.path(), reason))
    };
    match profile.kind() {
        Kind::Nothing => return refuse("has no values; list it in `data.ignore`".into()),
        Kind::Mixed => return Err(stray(sheet, profile)),
        Kind::Time if !reading.takes_all() => {
            let reason = "has times, which are no numbers; leave it out of `data.columns`, or save \
                          what you need of it (the hour, the time that passed) as numbers";
            return refuse(reason.into());
        }
        Kind::Words | Kind::Time if reading.takes_all() => {
            let reason = "holds words, which cannot be observed as they stand; list it in \
                          `data.ignore`, or leave out `data.columns`";
            return refuse(reason.into());
        }
        Kind::Words if profile.words().is_none() => {
            let count = profile.different();
            let reason = format!(
                "has {count} different words, more than {LISTED}; leave it out, or join some"
            );
            return refuse(reason);
        }
        _ => {}
    }
    numbers_are_clear(sheet, profile)?;
    if reading.missing == Gaps::Refuse && profile.missing() > 0 {
        let count = profile.missing();
        let reason = format!(
            "{} ({count} of {} rows have none); set `data.missing` to \"drop\" or \"impute\", or \
             list the column in `data.ignore`",
            gap(sheet, profile),
            profile.rows
        );
        return Err(Error::format(sheet.path(), reason));
    }
    Ok(Use::Observed(Encoding::of(sheet, profile, reading)?))
}

/// Refuse what cannot be a factor, a segment or an episode.
fn check_known(sheet: &Sheet, profile: &Profile, reading: &Reading, list: &Named) -> Result<()> {
    match profile.kind() {
        Kind::Nothing => {
            let reason = format!("names the column `{}`, which has no values", profile.name);
            return Err(Error::setting(format!("data.{}", list.key), reason));
        }
        Kind::Mixed => return Err(stray(sheet, profile)),
        _ => numbers_are_clear(sheet, profile)?,
    }
    // A factor may be known of some rows only; what a row belongs to must be known of all.
    if list.role != Role::Factor && profile.missing() > 0 && reading.missing != Gaps::Drop {
        let reason =
            format!("{}; fill it in, or set `data.missing` to \"drop\"", gap(sheet, profile));
        return Err(Error::format(sheet.path(), reason));
    }
    Ok(())
}

/// The same of a factor that is named by nobody: a column beside the paths of pictures.
pub(in crate::data::sets) fn check_factor(sheet: &Sheet, profile: &Profile) -> Result<()> {
    let list = Named { role: Role::Factor, key: "labels", names: &[] };
    check_known(sheet, profile, &Reading::default(), &list)
}

fn numbers_are_clear(sheet: &Sheet, profile: &Profile) -> Result<()> {
    let name = &profile.name;
    if let Some((line, text)) = &profile.first_infinite {
        let reason = format!(
            "column `{name}` has {text} in {}; remove or replace such rows first",
            sheet.place(*line)
        );
        return Err(Error::format(sheet.path(), reason));
    }
    if let Some((line, text)) = profile.unclear() {
        let reason = format!(
            "column `{name}` has `{text}` in {}, whose comma or point may be decimal or part \
             thousands; set `data.decimal`, or write all numbers of the column alike",
            sheet.place(line)
        );
        return Err(Error::format(sheet.path(), reason));
    }
    Ok(())
}

/// "line 7, column `a`: `NA` is no value", of the first gap.
fn gap(sheet: &Sheet, profile: &Profile) -> String {
    let name = &profile.name;
    let first: &Found =
        if profile.first_missing.is_some() { &profile.first_missing } else { &profile.first_word };
    match first {
        Some((line, text)) if text.is_empty() => {
            format!("{}, column `{name}` is empty", sheet.place(*line))
        }
        Some((line, text)) => {
            format!("{}, column `{name}` has `{text}`, which is no value", sheet.place(*line))
        }
        None => format!("column `{name}` has missing values"),
    }
}

fn stray(sheet: &Sheet, profile: &Profile) -> Error {
    let (line, text) = profile.first_word.clone().unwrap_or_default();
    let reason = format!(
        "{} has `{text}`, which is no number, where other cells of column `{}` are; correct it, or \
         list the column in `data.ignore`",
        sheet.place(line),
        profile.name
    );
    Error::format(sheet.path(), reason)
}
