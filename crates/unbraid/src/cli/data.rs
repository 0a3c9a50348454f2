//! `unbraid data`: write data sets as arrays, draw sheets of them.

use std::io::{self, ErrorKind};

use anyhow::Result;
use ndarray::{Array2, ArrayView1};
use toml::Table;
use unbraid::Error;
use unbraid::data::{self, Dataset, Do, Shape};
use unbraid::factors::Kind;
use unbraid::picture::{self, Sheet, Strip, tile};
use unbraid::rng::Rng;
use unbraid::{config, encode};
use unbraid_measure::npz::NpzWriter;

use super::args::{DataChoice, DataMake, DataPreview};
use super::{note, print};

/// How many rows are drawn at once while writing: bounds the memory.
const CHUNK: usize = 256;
/// How many pictures a row of a preview has at most.
const COLUMNS: usize = 10;

fn open(choice: &DataChoice) -> Result<Box<dyn Dataset>> {
    let mut given = Table::new();
    for assignment in &choice.set {
        config::set(&mut given, assignment)?;
    }
    let (name, given) = config::data_by_name_or_path(&choice.name, given);
    Ok((data::find(&name)?.open)(&given)?.0)
}

/// Write `images` u8 `[rows, height, width, channels]` (or `observations` f32 for vectors), `values`
/// f32 `[rows, factors]` and `names`.
pub(super) fn make(options: &DataMake, quiet: bool) -> Result<()> {
    let data = open(&options.data)?;
    if options.rows.is_some_and(|rows| rows == 0 || rows > data.len()) {
        let reason = format!("--rows must be from 1 to {}, the rows of the data", data.len());
        return Err(Error::Unable(reason).into());
    }
    let rng = Rng::new(options.seed).split("make");
    let rows = encode::rows(&*data, options.rows.unwrap_or(data.len()), &rng);
    let shape = data.shape();
    let mut file = NpzWriter::create(&options.out)?;
    if shape.is_vector() {
        file.stream::<f32>("observations", &[rows.len(), shape.channels], |sink| {
            rows.chunks(CHUNK).try_for_each(|chunk| sink(flat(&data::observations(&*data, chunk))?))
        })?;
    } else {
        let axes = [rows.len(), shape.height, shape.width, shape.channels];
        file.stream::<u8>("images", &axes, |sink| {
            rows.chunks(CHUNK).try_for_each(|chunk| {
                let observations = data::observations(&*data, chunk);
                flat(&observations)?.chunks(shape.size()).try_for_each(|o| sink(&bytes(o, shape)))
            })
        })?;
    }
    file.stream::<f32>("values", &[rows.len(), data.factors().len()], |sink| {
        rows.chunks(CHUNK).try_for_each(|chunk| sink(flat(&data::values(&*data, chunk))?))
    })?;
    let names: Vec<String> = data.factors().iter().map(|factor| factor.name.clone()).collect();
    file.strings("names", &names)?;
    file.finish()?;
    note(quiet, &format!("{} rows of {shape}", rows.len()));
    print(&format!("{}\n", options.out.display()))
}

fn flat(rows: &Array2<f32>) -> io::Result<&[f32]> {
    rows.as_slice().ok_or_else(|| io::Error::from(ErrorKind::InvalidData))
}

/// Channel by channel in 0..1 to pixel by pixel in 0..255.
fn bytes(observation: &[f32], shape: Shape) -> Vec<u8> {
    let plane = shape.height * shape.width;
    let level = |i: usize| {
        let (pixel, channel) = (i / shape.channels, i % shape.channels);
        (observation[channel * plane + pixel].clamp(0.0, 1.0) * 255.0).round() as u8
    };
    (0..shape.size()).map(level).collect()
}

/// A sheet: random rows on top, then one row per factor in which only that factor changes.
pub(super) fn preview(options: &DataPreview) -> Result<()> {
    let data = open(&options.data)?;
    let mut rng = Rng::new(options.seed).split("preview");
    let random: Vec<usize> = (0..COLUMNS).map(|_| rng.below(data.len())).collect();
    let random = data::observations(&*data, &random);
    let mut strips = vec![strip("random", "rows", random.rows(), data.shape())?];
    for (column, factor) in data.factors().iter().enumerate() {
        if let Some((observations, remark)) = sweep(&*data, column) {
            strips.push(strip(&factor.name, &remark, observations.rows(), data.shape())?);
        }
    }
    let title = format!("{}: {} rows of {}", options.data.name, data.len(), data.shape());
    picture::save(&Sheet { title, columns: vec![], strips }.draw(), &options.out)?;
    print(&format!("{}\n", options.out.display()))
}

/// What is seen when this factor goes through its values: rows that are otherwise as a middle one,
/// where every combination exists, or interventions on that row, where the mechanism is known.
fn sweep(data: &dyn Dataset, column: usize) -> Option<(Array2<f32>, String)> {
    let middle = data.len() / 2;
    let mut values = vec![0.0; data.factors().len()];
    data.values(middle, &mut values);
    let shown = shown_values(data, column);
    if data.find(&values).is_some() {
        let row = |value: f32| {
            let mut wanted = values.clone();
            wanted[column] = value;
            data.find(&wanted)
        };
        let rows: Vec<usize> = shown.into_iter().map(row).collect::<Option<_>>()?;
        let size = data.factors()[column].size();
        let remark = size.map_or(String::new(), |size| format!("{size} values"));
        return Some((data::observations(data, &rows), remark));
    }
    let intervened = |value: f32| {
        data.counterfactual(middle, &[Do { factor: column, value }]).map(|row| row.observation)
    };
    let seen: Vec<Vec<f32>> = shown.into_iter().map(intervened).collect::<Option<_>>()?;
    let count = seen.len();
    let flat = seen.into_iter().flatten().collect();
    let seen = Array2::from_shape_vec((count, data.shape().size()), flat).ok()?;
    Some((seen, "do, by the true mechanism".into()))
}

/// Values from the lowest to the highest a factor takes.
fn shown_values(data: &dyn Dataset, column: usize) -> Vec<f32> {
    let spaced = |count: usize, at: &dyn Fn(f64) -> f32| -> Vec<f32> {
        (0..count).map(|i| at(i as f64 / (count - 1).max(1) as f64)).collect()
    };
    match &data.factors()[column].kind {
        Kind::Discrete(values) => {
            let last = (values.len() - 1) as f64;
            spaced(COLUMNS.min(values.len()), &|share| values[(share * last).round() as usize])
        }
        Kind::Continuous => {
            let rows: Vec<usize> = (0..data.len()).step_by(data.len().div_ceil(1000)).collect();
            let taken = data::values(data, &rows).column(column).to_vec();
            let low = taken.iter().copied().fold(f32::INFINITY, f32::min);
            let high = taken.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            spaced(COLUMNS, &|share| low + (high - low) * share as f32)
        }
    }
}

fn strip<'a>(
    label: &str,
    remark: &str,
    observations: impl IntoIterator<Item = ArrayView1<'a, f32>>,
    shape: Shape,
) -> Result<Strip> {
    let tiles = observations.into_iter().map(|row| {
        tile(&row.to_vec(), shape).ok_or_else(|| {
            Error::Unable(format!("a preview is drawn from images; these data are {shape}")).into()
        })
    });
    let tiles = tiles.collect::<Result<Vec<_>>>()?;
    Ok(Strip { label: label.into(), remark: remark.into(), faded: false, tiles })
}
