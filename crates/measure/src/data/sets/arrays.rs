//! `arrays`: your own data, from NumPy's .npz or .npy.

use std::path::Path;

use serde::{Deserialize, Serialize};
use toml::Table;

use crate::data::storage::stored::{Steps, Stored};
use crate::data::{Dataset, Opened, Source};
use crate::error::{Error, Result};
use crate::info::Info;
use crate::npz::{self, Array, Npz, Numbers};
use crate::settings;

mod pairs;

/// The registry entry.
pub const SOURCE: Source = Source {
    info: Info {
        name: "arrays",
        title: "Arrays",
        summary: "your own images or vectors from a NumPy file, .npz or .npy",
        paper: "",
        page: "\
Your own data from a NumPy file, with their ground-truth factors where you know them:

```python
np.savez_compressed(\"mine.npz\", images=images, values=values, names=[\"size\", \"hue\"])
```

The arrays, and the names under which they are looked for:
- observations: images, imgs, observations, x or X. Images are [rows, height, width] or
  [rows, height, width, channels], vectors are [rows, numbers].
- values: values, factors, latents_values, latents_classes, labels or y. One row per observation
  and one column per factor, [rows, factors] or [rows]. They may be missing.
- names: names, factor_names or keys. One string per factor. They may be missing; then factors are
  called factor-1, factor-2, ...
- Where rows are in the order of time: targets (or interventions), 1 where the step from a row to
  the next intervenes on a factor, [rows or rows - 1, factors]; actions, what was done in that step,
  [rows or rows - 1, numbers]; episode, a number per row, where there are several sequences. Any of
  them makes the data a sequence.
- Where something is done to an observation, in place of observations: before and after, one pair
  per row; actions, [pairs] as numbers from 0 or [pairs, kinds] with a single 1 each; action_names,
  a string per kind. If these are opposites, \"x+\", \"y+\", then \"x-\", \"y-\", each pair is also a
  step back. values are those before, values_after those after. Rows are before, after, before, ...

A .npy file holds the observations alone. Without values you can train, but not score against
factors. Everything is held in memory; bytes take one byte.

Images of bytes mean 0 to 1 in 255 steps, or 0 and 1 where no byte is larger than one. Images of
floats are taken as they are. Images that hold nothing but 0 and 1 are called binary, others from 0
to 1 unit, anything else and all vectors real: the model's likelihood follows from that.

A factor stored as integers is discrete. One stored as floats is discrete if its values repeat: at
most 256 different ones, each at least twice on average.

Settings:
- path: the file.
- observations, values, names: the name of the array, or \"auto\" to look under the names above (for
  observations also the only array of two or more axes). \"\" as values or names ignores them.",
    },
    open,
    publication: None,
};

const OBSERVATIONS: [&str; 5] = ["images", "imgs", "observations", "x", "X"];
const VALUES: [&str; 6] = ["values", "factors", "latents_values", "latents_classes", "labels", "y"];
const TARGETS: [&str; 2] = ["targets", "interventions"];
const ACTIONS: [&str; 2] = ["actions", "action"];
const EPISODE: [&str; 2] = ["episode", "episodes"];
const NAMES: [&str; 3] = ["names", "factor_names", "keys"];

#[derive(Clone, Debug, Deserialize, Serialize)]
struct Settings {
    path: String,
    observations: String,
    values: String,
    names: String,
}

impl Default for Settings {
    fn default() -> Self {
        let auto = || "auto".to_string();
        Self { path: String::new(), observations: auto(), values: auto(), names: auto() }
    }
}

fn open(given: &Table) -> Result<Opened> {
    let settings: Settings = settings::parse("data", given)?;
    if settings.path.is_empty() {
        return Err(Error::setting("data.path", "is missing: name the .npz or .npy file to read"));
    }
    let path = Path::new(&settings.path);
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    let data: Box<dyn Dataset> = match extension.to_str() {
        Some("npy") => Box::new(from_npy(path, &settings)?),
        Some("npz") => from_npz(path, &settings)?,
        _ if path.is_dir() => {
            let reason = "is a folder; use the data set `images` for a folder of pictures";
            return Err(Error::format(path, reason));
        }
        _ => {
            let reason = "is neither .npz nor .npy; save it with np.savez or np.save";
            return Err(Error::format(path, reason));
        }
    };
    Ok((data, settings::to_table(&settings)))
}

fn from_npy(path: &Path, settings: &Settings) -> Result<Stored> {
    let asked = [("values", &settings.values), ("names", &settings.names)];
    if let Some((key, name)) =
        asked.into_iter().find(|(_, name)| !matches!(name.as_str(), "" | "auto"))
    {
        let reason = format!("cannot be `{name}`: a .npy holds one array; save both in one .npz");
        return Err(Error::setting(format!("data.{key}"), reason));
    }
    observations(path, "the array", npz::read_npy(path)?)
}

fn from_npz(path: &Path, settings: &Settings) -> Result<Box<dyn Dataset>> {
    let mut file = Npz::open(path)?;
    let mut values = choose(&file, &settings.values, &VALUES);
    // No columns are no factors: what is written of data that have none.
    if let Some(name) = &values
        && file.array(name)?.shape.get(1) == Some(&0)
    {
        values = None;
    }
    if pairs::are_in(path, &file, settings)? {
        return Ok(Box::new(pairs::read(path, &mut file, settings, values.as_deref())?));
    }
    let (name, array) = match settings.observations.as_str() {
        "auto" => match OBSERVATIONS.into_iter().find(|name| file.has(name)) {
            Some(name) => (name.to_string(), file.array(name)?),
            None => only_wide_array(path, &mut file, values.as_deref())?,
        },
        name => (name.to_string(), file.array(name)?),
    };
    let data = observations(path, &format!("array `{name}`"), array)?;
    let data = match values {
        None => data,
        Some(name) => {
            let values = file.array(&name)?;
            let names = factor_names(path, &mut file, settings, &name, &values)?;
            with_values(path, data, &name, values, &names)?
        }
    };
    let steps = steps(path, &mut file, &data)?;
    Ok(Box::new(data.with_steps(steps)))
}

/// What the file says of the steps from each row to the next.
fn steps(path: &Path, file: &mut Npz, data: &Stored) -> Result<Steps> {
    let rows = data.len();
    let mut numbers = |names: &[&str], last: usize| -> Result<Option<Vec<f32>>> {
        let Some(name) = names.iter().find(|name| file.has(name)) else { return Ok(None) };
        let array = file.array(name)?;
        let (width, shape) = (array.shape.get(1).copied().unwrap_or(1), array.shape.clone());
        if array.shape.len() > 2 || !(rows - last..=rows).contains(&shape[0]) || width == 0 {
            let reason = format!(
                "array `{name}` has the shape {shape:?} and there are {rows} observations; \
                 it must have a row for each, or for each step between two"
            );
            return Err(Error::format(path, reason));
        }
        let mut numbers = array.into_floats();
        finite(path, &format!("array `{name}`"), &numbers, width)?;
        // Nothing follows the last row.
        numbers.resize(rows * width, 0.0);
        Ok(Some(numbers))
    };
    let targets = numbers(&TARGETS, 1)?;
    let actions = numbers(&ACTIONS, 1)?;
    let episode = numbers(&EPISODE, 0)?;
    if targets.is_none() && actions.is_none() && episode.is_none() {
        return Ok(Steps::default());
    }
    let factors = data.factors().len();
    let targets = targets.unwrap_or_default();
    if !targets.is_empty() && targets.len() != rows * factors {
        let width = targets.len() / rows;
        let reason =
            format!("has {width} columns of targets and {factors} factors; each needs one");
        return Err(Error::format(path, reason));
    }
    let same = |row: usize| episode.as_ref().is_none_or(|numbers| numbers[row] == numbers[row + 1]);
    let follows = (0..rows).map(|row| row + 1 < rows && same(row)).collect();
    Ok(Steps { follows, targets, actions: actions.unwrap_or_default() })
}

/// The array that a setting means: the one named, or under "auto" the first that is there.
fn choose(file: &Npz, setting: &str, candidates: &[&str]) -> Option<String> {
    match setting {
        "" => None,
        "auto" => candidates.iter().find(|name| file.has(name)).map(ToString::to_string),
        name => Some(name.to_string()),
    }
}

/// Observations under a name of their own: the only array of two or more axes beside the values.
fn only_wide_array(path: &Path, file: &mut Npz, values: Option<&str>) -> Result<(String, Array)> {
    let names = file.names();
    let mut found = Vec::new();
    for name in names.iter().filter(|name| Some(name.as_str()) != values) {
        // Strings and pickles cannot be read, and cannot be observations either.
        match file.array(name) {
            Ok(array) if array.shape.len() >= 2 => found.push((name.clone(), array)),
            _ => {}
        }
    }
    if found.len() == 1 {
        return Ok(found.remove(0));
    }
    let candidates: Vec<_> = found.into_iter().map(|(name, _)| name).collect();
    let problem = if candidates.is_empty() {
        format!("has no array of two or more axes; it holds {}", names.join(", "))
    } else {
        format!("has several arrays to choose from: {}", candidates.join(", "))
    };
    let reason = format!("{problem}; set `data.observations` to the name of one");
    Err(Error::format(path, reason))
}

fn observations(path: &Path, name: &str, array: Array) -> Result<Stored> {
    let refuse = |reason: String| Err(Error::format(path, format!("{name} {reason}")));
    let shape = array.shape.clone();
    let size = match shape[..] {
        [_, width] => [1, 1, width],
        [_, height, width] => [height, width, 1],
        [_, height, width, channels] => [height, width, channels],
        _ => {
            return refuse(format!(
                "has the shape {shape:?}; expected [rows, height, width, channels], \
                 [rows, height, width] or [rows, numbers]"
            ));
        }
    };
    if shape.contains(&0) {
        return refuse(format!("has the shape {shape:?}: there is nothing in it to learn from"));
    }
    if shape.len() == 4 && size[2] > 4 {
        let turn = if shape[1] <= 4 { "; turn it with np.moveaxis(images, 1, -1)" } else { "" };
        return refuse(format!(
            "has the shape {shape:?}, read as [rows, height, width, channels]: \
             {} channels are more than 4{turn}",
            size[2]
        ));
    }
    let vectors = shape.len() == 2;
    let floats = match array.numbers {
        Numbers::Bytes(bytes) if !vectors => return Ok(Stored::bytes(bytes, size, true)),
        Numbers::Integers(v) if !vectors && v.iter().all(|v| (0.0..256.0).contains(v)) => {
            let bytes = v.into_iter().map(|number| number as u8).collect();
            return Ok(Stored::bytes(bytes, size, true));
        }
        _ => array.into_floats(),
    };
    finite(path, name, &floats, size.iter().product())?;
    let greatest = floats.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let bytes_in_disguise = |v: &f32| (0.0..=255.0).contains(v) && v.fract() == 0.0;
    if !vectors && greatest > 1.0 && floats.iter().all(bytes_in_disguise) {
        return refuse(format!(
            "holds whole numbers from 0 to {greatest} as floats; save them as bytes with \
             images.astype(np.uint8), or divide them by 255"
        ));
    }
    Ok(if vectors { Stored::vectors(floats, size[2]) } else { Stored::floats(floats, size) })
}

fn with_values(
    path: &Path,
    data: Stored,
    name: &str,
    values: Array,
    names: &[String],
) -> Result<Stored> {
    if values.shape[0] != data.len() {
        let reason = format!(
            "array `{name}` has {} rows and the observations have {}; \
             there must be one row of values per observation",
            values.shape[0],
            data.len()
        );
        return Err(Error::format(path, reason));
    }
    let whole = vec![values.is_whole(); names.len()];
    let values = values.into_floats();
    finite(path, &format!("array `{name}`"), &values, names.len())?;
    Ok(data.with_values(names, values, &whole))
}

/// One name per column of the values: those in the file, or factor-1, factor-2, ...
fn factor_names(
    path: &Path,
    file: &mut Npz,
    settings: &Settings,
    values: &str,
    array: &Array,
) -> Result<Vec<String>> {
    let refuse = |reason: String| Err(Error::format(path, reason));
    let count = match array.shape[..] {
        [_] => 1,
        [_, columns] if columns > 0 => columns,
        _ => {
            return refuse(format!(
                "array `{values}` has the shape {:?}; values are [rows, factors] or [rows] \
                 (`data.values = \"\"` ignores them)",
                array.shape
            ));
        }
    };
    let Some(source) = choose(file, &settings.names, &NAMES) else {
        return Ok((1..=count).map(|k| format!("factor-{k}")).collect());
    };
    let names = file.strings(&source)?;
    if names.len() != count {
        return refuse(format!(
            "array `{source}` has {} names and array `{values}` has {count} columns \
             (`data.names = \"\"` numbers them)",
            names.len()
        ));
    }
    match names.iter().enumerate().find(|(k, name)| names[..*k].contains(name)) {
        Some((_, twice)) => refuse(format!("array `{source}` has the name `{twice}` twice")),
        None => Ok(names),
    }
}

/// Refuse numbers that are none, and say where.
fn finite(path: &Path, name: &str, numbers: &[f32], width: usize) -> Result<()> {
    match numbers.iter().position(|number| !number.is_finite()) {
        None => Ok(()),
        Some(place) => Err(Error::format(
            path,
            format!(
                "{name} has {} in row {}; remove or replace such rows first",
                numbers[place],
                place / width
            ),
        )),
    }
}

#[cfg(test)]
mod tests;
