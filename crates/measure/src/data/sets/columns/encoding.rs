//! How the cells of an observed column become numbers.

use std::collections::BTreeMap;

use super::{Reading, Scale, WordsAs, kept};
use crate::error::{Error, Result};
use crate::tables::profile::{Kind, Profile};
use crate::tables::sheet::Sheet;

/// The quartiles of a normal distribution lie 1.349 standard deviations apart.
const QUARTILES: f64 = 1.349;

/// How one column becomes numbers of an observation.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Encoding {
    /// (x − offset) / scale
    Number { offset: f64, scale: f64 },
    /// 1 in the place of the word.
    OneHot(Vec<String>),
    /// (share − offset) / scale, of the share of rows that have the word.
    Counts { shares: BTreeMap<String, f64>, offset: f64, scale: f64 },
    /// Its numbers as they stand.
    AsItStands,
}

impl Encoding {
    /// What was kept of the column when the run began, or what the file asks for.
    pub(super) fn of(sheet: &Sheet, profile: &Profile, reading: &Reading) -> Result<Self> {
        if reading.takes_all() {
            return Ok(Self::AsItStands);
        }
        if let Some(found) = kept::encoding(reading, &profile.name)? {
            if found.has_words() != (profile.kind() == Kind::Words) {
                let [now, then] = match found.has_words() {
                    true => ["numbers", "words"],
                    false => ["words", "numbers"],
                };
                let reason = format!(
                    "column `{}` has {now}, and had {then} in the data that were learned from",
                    profile.name
                );
                return Err(Error::format(sheet.path(), reason));
            }
            let asked = match found {
                Self::OneHot(_) => reading.words == WordsAs::OneHot,
                Self::Counts { .. } => reading.words == WordsAs::Counts,
                Self::Number { .. } | Self::AsItStands => true,
            };
            if asked {
                return Ok(found);
            }
        }
        match profile.kind() {
            Kind::Words => Self::of_words(sheet, profile, reading),
            _ => Self::of_numbers(profile, reading.scale),
        }
    }

    /// By the mean and the deviation of these numbers, or their quartiles.
    pub(super) fn of_numbers(profile: &Profile, scale: Scale) -> Result<Self> {
        let largest = profile.moments.range().map(f64::abs).into_iter().fold(0.0, f64::max);
        if scale == Scale::None && largest > f64::from(f32::MAX) {
            let reason = format!(
                "cannot be \"none\": column `{}` has numbers up to {largest:e}",
                profile.name
            );
            return Err(Error::setting("data.scale", reason));
        }
        let of_moments = || [profile.moments.mean(), profile.moments.deviation()];
        let [offset, spread] = match scale {
            Scale::None => [0.0, 1.0],
            Scale::Standard | Scale::Auto => of_moments(),
            Scale::Robust => {
                let [low, middle, high] = [0.25, 0.5, 0.75].map(|share| profile.quantile(share));
                match high > low {
                    true => [middle, (high - low) / QUARTILES],
                    // More than half of the numbers are the same.
                    false => [middle, of_moments()[1]],
                }
            }
        };
        // Of a column that never changes nothing is left to divide by.
        let scale = if spread > 0.0 && spread.is_finite() { spread } else { 1.0 };
        Ok(Self::Number { offset, scale })
    }

    fn of_words(sheet: &Sheet, profile: &Profile, reading: &Reading) -> Result<Self> {
        let counts = profile.words().cloned().unwrap_or_default();
        if reading.words == WordsAs::OneHot {
            return Ok(Self::OneHot(counts.into_keys().collect()));
        }
        let all = counts.values().sum::<u64>() as f64;
        let shares: BTreeMap<String, f64> =
            counts.iter().map(|(word, count)| (word.clone(), *count as f64 / all)).collect();
        // Over the rows, of which a share has each share.
        let mean: f64 = shares.values().map(|share| share * share).sum();
        let variance: f64 = shares.values().map(|share| share * (share - mean).powi(2)).sum();
        if variance.sqrt() < 1e-9 {
            let reason = format!(
                "column `{}` has each word equally often, so that counts tell nothing; set \
                 `data.words` to \"one-hot\", or list it in `data.ignore`",
                profile.name
            );
            return Err(Error::format(sheet.path(), reason));
        }
        Ok(match reading.scale {
            Scale::None => Self::Counts { shares, offset: 0.0, scale: 1.0 },
            _ => Self::Counts { shares, offset: mean, scale: variance.sqrt() },
        })
    }

    /// How many numbers it makes.
    pub(super) fn width(&self) -> usize {
        match self {
            Self::OneHot(words) => words.len(),
            _ => 1,
        }
    }

    /// Whether it is of words, of which another file may have unknown ones.
    pub(super) fn has_words(&self) -> bool {
        matches!(self, Self::OneHot(_) | Self::Counts { .. })
    }

    /// Offset and scale of each of them.
    pub(super) fn scaling(&self) -> [f64; 2] {
        match self {
            Self::Number { offset, scale } | Self::Counts { offset, scale, .. } => {
                [*offset, *scale]
            }
            Self::OneHot(_) | Self::AsItStands => [0.0, 1.0],
        }
    }

    /// The names of the numbers of a column of this name.
    pub(super) fn names(&self, column: &str) -> Vec<String> {
        match self {
            Self::OneHot(words) => words.iter().map(|word| format!("{column}={word}")).collect(),
            _ => vec![column.to_string()],
        }
    }
}
