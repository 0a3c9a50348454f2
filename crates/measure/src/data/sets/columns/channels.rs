//! What is said of each column.

use super::Named;
use super::encoding::Encoding;
use super::uses::Use;
use crate::data::about::{Channel, Holds, Role, short};
use crate::tables::profile::{Kind, Profile};

/// So many words of a column are named.
const NAMED: usize = 4;

/// A column in words.
pub(super) fn channel(profile: &Profile, used: &Use, named: &[Named]) -> Channel {
    let (role, note) = match used {
        Use::Observed(encoding) => (Role::Observed, made(encoding)),
        Use::Known { list, .. } => (named[*list].role, String::new()),
        Use::Time(reason) => (Role::Time, reason.clone()),
        Use::LeftOut(reason) => (Role::LeftOut, reason.clone()),
    };
    let (name, missing) = (profile.name.clone(), profile.missing());
    Channel { name, holds: holds(profile), missing, role, note }
}

/// A column of a factor.
pub(in crate::data::sets) fn factor(profile: &Profile) -> Channel {
    let (name, missing) = (profile.name.clone(), profile.missing());
    Channel { name, holds: holds(profile), missing, role: Role::Factor, note: String::new() }
}

fn holds(profile: &Profile) -> Holds {
    match (profile.kind(), &profile.times) {
        (Kind::Number { .. }, _) if profile.moments.count() == 0 => Holds::Nothing,
        (Kind::Number { whole }, _) => Holds::Numbers { whole, range: profile.moments.range() },
        (Kind::Time, Some(times)) => Holds::Times(times.clone()),
        (Kind::Words, _) => {
            let first = profile.words().into_iter().flat_map(|words| words.keys().take(NAMED));
            let different =
                profile.words().map_or(profile.different(), std::collections::BTreeMap::len);
            Holds::Words { different, first: first.cloned().collect() }
        }
        (Kind::Mixed, _) => Holds::Mixed,
        (Kind::Nothing | Kind::Time, _) => Holds::Nothing,
    }
}

/// What is made of an observed column.
fn made(encoding: &Encoding) -> String {
    match encoding {
        Encoding::Number { offset, scale } if (*offset, *scale) == (0.0, 1.0) => String::new(),
        Encoding::Number { offset, scale } => {
            let (sign, offset) = if *offset < 0.0 { ("plus", -offset) } else { ("less", *offset) };
            format!("{sign} {}, divided by {}", short(offset), short(*scale))
        }
        Encoding::OneHot(words) => format!("{} numbers, one for each word", words.len()),
        Encoding::Counts { .. } => "the share of rows that have the word".into(),
        Encoding::AsItStands => String::new(),
    }
}

/// The columns that nobody named and that are not observed all the same, in one sentence.
pub(super) fn left_out(channels: &[Channel]) -> Option<String> {
    let out = |channel: &&Channel| matches!(channel.role, Role::LeftOut | Role::Time);
    let ours = |channel: &&Channel| !channel.note.contains("`data.");
    let named: Vec<String> = channels
        .iter()
        .filter(out)
        .filter(ours)
        .map(|channel| format!("`{}` ({})", channel.name, channel.note))
        .collect();
    (!named.is_empty()).then(|| {
        format!(
            "not observed: {}; list columns in `data.columns` to choose them yourself",
            named.join(", ")
        )
    })
}
