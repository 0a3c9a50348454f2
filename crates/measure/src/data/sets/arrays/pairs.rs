//! Pairs in a file: observations before an action, those after it, and which action it was.

use std::path::Path;

use super::{ACTIONS, Settings, choose, factor_names, observations, with_values};
use crate::data::paired::{Pair, Paired};
use crate::error::{Error, Result};
use crate::npz::{Array, Npz, Numbers};

const BEFORE: &str = "before";
const AFTER: &str = "after";
const VALUES_AFTER: &str = "values_after";
const ACTION_NAMES: &str = "action_names";
/// More kinds of actions than anyone has.
const MOST: usize = 4096;

/// Whether a file holds pairs. One half without the other is a mistake.
pub(super) fn are_in(path: &Path, file: &Npz, settings: &Settings) -> Result<bool> {
    if settings.observations != "auto" {
        return Ok(false);
    }
    match (file.has(BEFORE), file.has(AFTER)) {
        (true, false) | (false, true) => {
            let reason = format!(
                "holds one of the arrays `{BEFORE}` and `{AFTER}`; pairs need both, and other data \
                 name their array in `data.observations`"
            );
            Err(Error::format(path, reason))
        }
        (both, _) => Ok(both),
    }
}

/// Read them. All that was seen before comes first in memory, then all that was seen after.
pub(super) fn read(
    path: &Path,
    file: &mut Npz,
    settings: &Settings,
    values: Option<&str>,
) -> Result<Paired> {
    let refuse = |reason: String| Error::format(path, reason);
    let before = file.array(BEFORE)?;
    let count = before.shape.first().copied().unwrap_or(0);
    let both = joined(before, file.array(AFTER)?).map_err(|shapes| {
        refuse(format!("has `{BEFORE}` and `{AFTER}` of the shapes {shapes}; they must be equal"))
    })?;
    let mut data = observations(path, &format!("arrays `{BEFORE}` and `{AFTER}`"), both)?;
    if let Some(name) = values {
        if !file.has(VALUES_AFTER) {
            return Err(refuse(format!(
                "has values before the actions, `{name}`, and not after: add `{VALUES_AFTER}`, or \
                 ignore them with `data.values = \"\"`"
            )));
        }
        let both = joined(file.array(name)?, file.array(VALUES_AFTER)?).map_err(|shapes| {
            refuse(format!(
                "has `{name}` and `{VALUES_AFTER}` of the shapes {shapes}; they must be equal"
            ))
        })?;
        let names = factor_names(path, file, settings, name, &both)?;
        data = with_values(path, data, name, both, &names)?;
    }
    let (done, names) = actions(path, file, count)?;
    let places = u32::try_from(2 * count)
        .map_err(|_| refuse(format!("has {count} pairs, which are too many")))?;
    let half = places / 2;
    let pairs =
        (0..half).zip(done).map(|(k, action)| Pair { rows: [k, half + k], action }).collect();
    Ok(Paired::new(Box::new(data), pairs, names))
}

/// One array after the other, or their shapes where these differ.
fn joined(first: Array, second: Array) -> std::result::Result<Array, String> {
    if first.shape.is_empty() || first.shape != second.shape {
        return Err(format!("{:?} and {:?}", first.shape, second.shape));
    }
    let mut shape = first.shape.clone();
    shape[0] *= 2;
    let whole = first.is_whole() && second.is_whole();
    let numbers = match (first.numbers, second.numbers) {
        (Numbers::Bytes(mut bytes), Numbers::Bytes(more)) => {
            bytes.extend(more);
            Numbers::Bytes(bytes)
        }
        (first, second) => {
            let floats = |numbers| Array { shape: vec![], numbers }.into_floats();
            let both = [floats(first), floats(second)].concat();
            if whole { Numbers::Integers(both) } else { Numbers::Floats(both) }
        }
    };
    Ok(Array { shape, numbers })
}

/// The number of what was done in each pair, and the names of all that can be done.
fn actions(path: &Path, file: &mut Npz, count: usize) -> Result<(Vec<u32>, Vec<String>)> {
    let refuse = |reason: String| Err(Error::format(path, reason));
    let Some(name) = choose(file, "auto", &ACTIONS) else {
        return refuse(format!(
            "has pairs and no array `{}`: a number from 0 for each, or a row with a single 1",
            ACTIONS[0]
        ));
    };
    let array = file.array(&name)?;
    let shape = array.shape.clone();
    let numbers = array.into_floats();
    let done: Option<Vec<u32>> = match shape[..] {
        [rows] if rows == count => numbers.iter().map(|number| whole(*number)).collect(),
        [rows, kinds] if rows == count && kinds > 0 => {
            numbers.chunks_exact(kinds).map(single).collect()
        }
        _ => {
            return refuse(format!(
                "array `{name}` has the shape {shape:?} and there are {count} pairs; each needs one \
                 action"
            ));
        }
    };
    let Some(done) = done else {
        return refuse(format!(
            "array `{name}` has entries that are no action: it takes a number from 0 to {} for each \
             pair, or a row with a single 1",
            MOST - 1
        ));
    };
    let greatest = done.iter().max().map_or(0, |action| *action as usize);
    let kinds = shape.get(1).copied().unwrap_or(greatest + 1);
    let names = match file.has(ACTION_NAMES) {
        true => file.strings(ACTION_NAMES)?,
        false => (1..=kinds).map(|k| format!("action-{k}")).collect(),
    };
    match names.len() > greatest && (shape.len() == 1 || names.len() == kinds) {
        true => Ok((done, names)),
        false => refuse(format!(
            "array `{ACTION_NAMES}` has {} names and array `{name}` has {kinds} actions",
            names.len()
        )),
    }
}

fn whole(number: f32) -> Option<u32> {
    let fits = number.fract() == 0.0 && (0.0..MOST as f32).contains(&number);
    fits.then_some(number as u32)
}

/// Where the only 1 among zeros is.
fn single(row: &[f32]) -> Option<u32> {
    let ones: Vec<usize> = (0..row.len()).filter(|&k| row[k] != 0.0).collect();
    match ones[..] {
        [one] if row[one] == 1.0 && one < MOST => Some(one as u32),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
