//! `citris`: sequences of images with interventions, in the npz files of CITRIS and its successors.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use toml::Table;

use crate::data::storage::stored::{Steps, Stored};
use crate::data::{Opened, Source};
use crate::error::{Error, Result};
use crate::factors::{Factor, Kind};
use crate::info::Info;
use crate::npz::{Array, Npz, Numbers};
use crate::settings;

mod beside;

/// The registry entry.
pub const SOURCE: Source = Source {
    info: Info {
        name: "citris",
        title: "CITRIS sequences",
        summary: "Pong, Voronoi, Ball-in-Boxes, Pinball, Causal3DIdent: sequences with interventions",
        paper: "Lippe et al., CITRIS: Causal Identifiability from Temporal Intervened Sequences, \
                2022",
        page: "\
Sequences with causal relations over time and interventions at some steps: Interventional Pong,
Voronoi, Ball-in-Boxes, Pinball and Temporal Causal3DIdent, in the files that the scripts of CITRIS
and BISCUIT write or that were published with them. Each row is a frame with the values of all
factors; each step to the next frame says which factors were intervened on.

| array                            | shape                 | meaning                           |
| -------------------------------- | --------------------- | --------------------------------- |
| images, or imgs                  | [rows, height, width, | bytes; of imgs the first three    |
|                                  | channels]             | channels are taken                |
| latents, or raw_latents and      | [rows, factors]       | the values                        |
| shape_latents                    |                       |                                   |
| targets, or interventions        | [rows - 1, factors]   | 1 where the step from this row to |
|                                  |                       | the next intervenes               |
| keys                             | [factors]             | names; Causal3DIdent has fixed    |
|                                  |                       | ones                              |
| actions (may be missing)         | [rows, numbers]       | what was done to reach the row    |

Settings:
- path: the directory with train.npz, val.npz, ... or one .npz file.
- part: the name of the file in the directory without .npz; \"\" is train. Files whose name ends in
  _indep hold frames drawn one by one: they have no steps. Those in _triplets hold rows in threes,
  two frames and a mixture of them: images [triplets, 3, height, width, channels], latents
  [triplets, 3, factors] and targets [triplets, factors], 1 where the mixture has the value of the
  second frame.

Where a settings.json beside the file has a `temporal_causal_graph` (that of Voronoi has), it says
which factors cause which a step later.

Good to know:
- Everything is held in memory as bytes: 100,000 frames of Pong are 0.4 GB.
- All columns are kept, also those that never change (ball_vel_magn of Pong) or that nobody
  intervenes on (the scores). The loader of CITRIS drops them.
- Values are as stored; the loader of CITRIS moves positions to -1 to 1.
- Pinball names its targets on their own (keys_targets): one stands for all factors whose names
  begin with it, as ball for ball_x and ball_y.
- The fourth channel of Pong is not transparency: it shows where the ball goes next.
- Directions, hues and rotations that are known as such (ball_vel_dir of Pong, hue-* and rot-* of
  Causal3DIdent) are angles: 0 and 2 pi are the same.
- Pong and Ball-in-Boxes need no files: the data sets `pong` and `ball-in-boxes` make their own.

Cite: Phillip Lippe, Sara Magliacane, Sindy Löwe, Yuki M. Asano, Taco Cohen, Efstratios Gavves,
CITRIS: Causal Identifiability from Temporal Intervened Sequences, ICML 2022.",
    },
    open,
    publication: None,
};

/// The columns of Temporal Causal3DIdent, which its files do not name.
const CAUSAL3DIDENT: [&str; 12] = [
    "pos-x",
    "pos-y",
    "pos-z",
    "rot-alpha",
    "rot-beta",
    "rot-gamma",
    "rot-spot",
    "hue-object",
    "hue-spot",
    "hue-back",
    "obj-shape",
    "obj-material",
];

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
struct Settings {
    path: String,
    part: String,
}

fn open(given: &Table) -> Result<Opened> {
    let mut settings: Settings = settings::parse("data", given)?;
    let path = file(&mut settings)?;
    let data = read(&path)?;
    Ok((Box::new(data), settings::to_table(&settings)))
}

/// The file that is meant. A directory has a part; the part of a file is the file.
fn file(settings: &mut Settings) -> Result<PathBuf> {
    if settings.path.is_empty() {
        let reason = "is missing: name the directory of train.npz, or one .npz file";
        return Err(Error::setting("data.path", reason));
    }
    let path = Path::new(&settings.path);
    if !path.is_dir() && !settings.part.is_empty() {
        let reason = "goes with a directory, but `data.path` is one file; leave it out";
        return Err(Error::setting("data.part", reason));
    }
    if !path.is_dir() {
        return Ok(path.to_path_buf());
    }
    if settings.part.is_empty() {
        settings.part = "train".into();
    }
    let file = path.join(format!("{}.npz", settings.part));
    if file.is_file() {
        return Ok(file);
    }
    let entries = path.read_dir().map_err(|source| Error::io("read", path, &source))?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut parts: Vec<String> =
        names.filter_map(|name| Some(name.strip_suffix(".npz")?.to_string())).collect();
    parts.sort();
    let known = match parts.is_empty() {
        true => "no .npz at all".to_string(),
        false => parts.join(", "),
    };
    let reason = format!("cannot be \"{}\": {} holds {known}", settings.part, path.display());
    Err(Error::setting("data.part", reason))
}

fn read(path: &Path) -> Result<Stored> {
    let mut file = Npz::open(path)?;
    let Images { bytes, rows, size, in_threes } = Images::read(path, &mut file)?;
    let latents = Latents::read(path, &mut file, rows, in_threes)?;
    let names = &latents.names;
    let whole = vec![false; names.len()];
    let graph = beside::temporal_graph(path, names.len())?;
    let steps = match in_threes {
        true => Steps::default(),
        false => steps(path, &mut file, rows, names)?,
    };
    let from_second = match in_threes {
        true => from_second(path, &mut file, rows / 3, names)?,
        false => Vec::new(),
    };
    let data = Stored::bytes(bytes, size, false).with_values(names, latents.values, &whole);
    let data = data.with_kinds(|factor| known_kind(factor, in_threes)).with_temporal_graph(graph);
    Ok(data.with_steps(steps).with_triplets(from_second))
}

/// What is known of a factor beyond its column. Every value of a triplet comes back in its mixture, so
/// that there repeated values do not make a factor discrete; whole numbers do.
fn known_kind(factor: &Factor, in_threes: bool) -> Option<Kind> {
    if is_angle(&factor.name) {
        return Some(Kind::Angle);
    }
    let Kind::Discrete(values) = &factor.kind else { return None };
    let broken = values.iter().any(|value| value.fract() != 0.0);
    (in_threes && broken).then_some(Kind::Continuous)
}

/// Whether a factor is known to be an angle; the files do not say.
fn is_angle(name: &str) -> bool {
    let of_causal3dident = || name.starts_with("hue-") || name.starts_with("rot-");
    name == "ball_vel_dir" || (CAUSAL3DIDENT.contains(&name) && of_causal3dident())
}

/// The first of these arrays that is there.
fn first_of(file: &Npz, names: [&'static str; 2]) -> &'static str {
    if file.has(names[1]) && !file.has(names[0]) { names[1] } else { names[0] }
}

/// Images as bytes, [rows, height, width, channels].
struct Images {
    bytes: Vec<u8>,
    rows: usize,
    /// Height, width, channels.
    size: [usize; 3],
    /// Whether they are triplets, one after the other.
    in_threes: bool,
}

impl Images {
    fn read(path: &Path, file: &mut Npz) -> Result<Self> {
        let name = first_of(file, ["images", "imgs"]);
        let refuse = |reason: String| Err(Error::format(path, format!("array `{name}` {reason}")));
        let shape = file.shape(name)?;
        let (rows, in_threes, height, width, channels) = match shape[..] {
            _ if shape.contains(&0) => {
                return refuse(format!("has the shape {shape:?}: no images"));
            }
            [triplets, 3, height, width, channels] => (triplets * 3, true, height, width, channels),
            [rows, height, width, channels] => (rows, false, height, width, channels),
            _ => {
                return refuse(format!(
                    "has the shape {shape:?}, expected [rows, height, width, channels], or \
                     [triplets, 3, height, width, channels]"
                ));
            }
        };
        let kept = if name == "imgs" { channels.min(3) } else { channels };
        if kept > 4 {
            return refuse(format!("has the shape {shape:?}: more than 4 channels"));
        }
        let Numbers::Bytes(mut bytes) = file.array(name)?.numbers else {
            return refuse("holds no bytes; images are uint8".into());
        };
        if kept < channels {
            bytes = bytes.chunks_exact(channels).flat_map(|pixel| pixel[..kept].to_vec()).collect();
        }
        Ok(Self { bytes, rows, size: [height, width, kept], in_threes })
    }
}

/// The values of the factors and their names.
struct Latents {
    names: Vec<String>,
    /// [rows, names]
    values: Vec<f32>,
}

impl Latents {
    fn read(path: &Path, file: &mut Npz, rows: usize, in_threes: bool) -> Result<Self> {
        let table = |file: &mut Npz, name: &str, columns: usize| {
            table(path, file, name, rows, columns, in_threes)
        };
        if file.has("raw_latents") {
            let raw = table(file, "raw_latents", 10)?;
            let shape = table(file, "shape_latents", 2)?;
            let row = |(raw, shape): (&[f32], &[f32])| [raw, shape].concat();
            let values = raw.chunks_exact(10).zip(shape.chunks_exact(2)).flat_map(row).collect();
            return Ok(Self { names: CAUSAL3DIDENT.map(String::from).to_vec(), values });
        }
        let names = names(path, file, "keys")?;
        let values = table(file, "latents", names.len())?;
        Ok(Self { names, values })
    }
}

/// Names, of which there is one at least and none twice.
fn names(path: &Path, file: &mut Npz, array: &str) -> Result<Vec<String>> {
    let names = file.strings(array)?;
    let twice = (1..names.len()).find(|&k| names[..k].contains(&names[k]));
    match twice {
        _ if names.is_empty() => Err(Error::format(path, format!("array `{array}` is empty"))),
        Some(k) => {
            let reason = format!("array `{array}` has the name `{}` twice", names[k]);
            Err(Error::format(path, reason))
        }
        None => Ok(names),
    }
}

/// The numbers of an array that must be [rows, columns], or in threes [rows / 3, 3, columns], and
/// finite.
fn table(
    path: &Path,
    file: &mut Npz,
    name: &str,
    rows: usize,
    columns: usize,
    in_threes: bool,
) -> Result<Vec<f32>> {
    let mut array = file.array(name)?;
    if let (true, &[triplets, 3, width]) = (in_threes, &array.shape[..]) {
        array.shape = vec![triplets * 3, width];
    }
    check(path, name, &array, &[rows], columns)?;
    Ok(array.into_floats())
}

/// Refuse an array of another shape or with what is no number. Returns its rows.
fn check(path: &Path, name: &str, array: &Array, rows: &[usize], columns: usize) -> Result<usize> {
    let refuse = |reason: String| Err(Error::format(path, format!("array `{name}` {reason}")));
    let &[found, width] = &array.shape[..] else {
        return refuse(format!("has the shape {:?}, expected two axes", array.shape));
    };
    if !rows.contains(&found) || width != columns {
        let shape = &array.shape;
        return refuse(format!("has the shape {shape:?}, expected [{}, {columns}]", rows[0]));
    }
    match &array.numbers {
        Numbers::Floats(numbers) if numbers.iter().any(|number| !number.is_finite()) => {
            refuse("has a value that is no number".into())
        }
        _ => Ok(found),
    }
}

/// What is known of the steps. Frames that were drawn one by one have none: there every factor of
/// every row is intervened on, the last row included.
fn steps(path: &Path, file: &mut Npz, rows: usize, names: &[String]) -> Result<Steps> {
    let name = first_of(file, ["targets", "interventions"]);
    let array = file.array(name)?;
    let (width, groups) = groups(path, file, names)?;
    let found = check(path, name, &array, &[rows - 1, rows], width)?;
    let table = array.into_floats();
    let single = path.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with("_indep"));
    if single || (found == rows && table.iter().all(|target| *target == 1.0)) {
        return Ok(Steps::default());
    }
    // Row t is the step from t to t + 1; the last row has none.
    let mut targets = vec![0.0; rows * names.len()];
    for (row, out) in targets.chunks_exact_mut(names.len()).enumerate().take(rows - 1) {
        for (target, group) in out.iter_mut().zip(&groups) {
            *target = table[row * width + group];
        }
    }
    let mut follows = vec![true; rows];
    follows[rows - 1] = false;
    Ok(Steps { follows, targets, actions: actions(path, file, rows)? })
}

/// [triplets, factors]: where the mixture has the value of the second frame.
fn from_second(
    path: &Path,
    file: &mut Npz,
    triplets: usize,
    names: &[String],
) -> Result<Vec<bool>> {
    let name = first_of(file, ["targets", "interventions"]);
    let array = file.array(name)?;
    let (width, groups) = groups(path, file, names)?;
    check(path, name, &array, &[triplets], width)?;
    let table = array.into_floats();
    let of_factors =
        |row: &[f32]| groups.iter().map(|group| row[*group] != 0.0).collect::<Vec<_>>();
    Ok(table.chunks_exact(width).flat_map(of_factors).collect())
}

/// How many columns the targets have, and which of them is about each factor.
fn groups(path: &Path, file: &mut Npz, factors: &[String]) -> Result<(usize, Vec<usize>)> {
    if !file.has("keys_targets") {
        return Ok((factors.len(), (0..factors.len()).collect()));
    }
    let groups = names(path, file, "keys_targets")?;
    let group = |factor: &String| {
        // The longest, so that a factor's own name comes before that of its group.
        let stands_for = |group: &(usize, &String)| factor.starts_with(group.1.as_str());
        let found = groups.iter().enumerate().filter(stands_for).max_by_key(|group| group.1.len());
        let missing = || format!("has no name in `keys_targets` that `{factor}` begins with");
        found.map(|group| group.0).ok_or_else(|| Error::format(path, missing()))
    };
    Ok((groups.len(), factors.iter().map(group).collect::<Result<_>>()?))
}

/// [rows, numbers]: what is done in the step from each row; empty if nothing is known.
fn actions(path: &Path, file: &mut Npz, rows: usize) -> Result<Vec<f32>> {
    if !file.has("actions") {
        return Ok(Vec::new());
    }
    let array = file.array("actions")?;
    let width = array.shape.get(1).copied().unwrap_or(0);
    let found = check(path, "actions", &array, &[rows, rows - 1], width)?;
    let mut table = array.into_floats();
    // With one per row, each says what led to its row: that of the first is of a step before.
    if found == rows {
        table.drain(..width);
    }
    table.resize(rows * width, 0.0);
    Ok(table)
}

#[cfg(test)]
mod tests;
