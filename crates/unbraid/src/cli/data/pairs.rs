//! `unbraid data make --transitions`: what is seen before an action, what after, and the action.

use anyhow::Result;
use unbraid::Error;
use unbraid::data::{self, Dataset};
use unbraid::rng::Rng;
use unbraid_measure::npz::NpzWriter;

use super::super::args::DataMake;
use super::{CHUNK, flat, open, within, write_names, write_observations};

/// Open data that come as pairs: as they are, or else by the variant that makes pairs of rows which are
/// a step apart.
pub(super) fn open_pairs(options: &DataMake) -> Result<Box<dyn Dataset>> {
    let (name, set) = (&options.data.name, &options.data.set);
    let data = open(name, set)?;
    if !data.actions().is_empty() {
        return Ok(data);
    }
    // A section with one key is one that is asked for; all its defaults follow.
    let asked = "variant.transitions.balanced=false".to_string();
    open(name, &[&set[..], &[asked]].concat())
}

/// Write `before` and `after`, `values` and `values_after` where factors are known, `actions` and
/// `action_names`: what `arrays` reads. Each pair is written once, in the direction it has.
pub(super) fn write(options: &DataMake, data: &dyn Dataset, file: &mut NpzWriter) -> Result<usize> {
    let pairs = data.len() / 2;
    within(options.rows, pairs, "pairs")?;
    let count = options.rows.unwrap_or(pairs);
    let mut chosen = match count == pairs {
        true => (0..pairs).collect(),
        false => Rng::new(options.seed).split("make").split("pairs").distinct(count, pairs),
    };
    chosen.sort_unstable();
    let [before, after] =
        [0, 1].map(|k| chosen.iter().map(|pair| 2 * pair + k).collect::<Vec<_>>());
    write_observations(file, data, &before, ["before", "before"])?;
    write_observations(file, data, &after, ["after", "after"])?;
    if !data.factors().is_empty() {
        for (name, rows) in [("values", &before), ("values_after", &after)] {
            file.stream::<f32>(name, &[count, data.factors().len()], |sink| {
                rows.chunks(CHUNK).try_for_each(|chunk| sink(flat(&data::values(data, chunk))?))
            })?;
        }
        write_names(file, data)?;
    }
    file.array("actions", &[count], &actions(data, &before)?)?;
    file.strings("action_names", data.actions())?;
    Ok(count)
}

/// The number of what is done at each of these rows.
fn actions(data: &dyn Dataset, rows: &[usize]) -> Result<Vec<i64>> {
    let number = |row: &usize| {
        let action = data.next(*row).filter(|step| step.index == row + 1)?.action;
        action.iter().position(|number| *number == 1.0).map(|number| number as i64)
    };
    let numbers: Option<Vec<i64>> = rows.iter().map(number).collect();
    numbers.ok_or_else(|| {
        Error::Unable("some pairs of these data have no single action".into()).into()
    })
}
