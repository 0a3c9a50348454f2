//! `unbraid data`: write data sets as arrays, draw sheets of them.

use std::io::{self, ErrorKind};

use anyhow::Result;
use toml::Table;
use unbraid::Error;
use unbraid::data::{self, Dataset, Shape};
use unbraid::factors::{Factor, Kind};
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

fn flat(rows: &ndarray::Array2<f32>) -> io::Result<&[f32]> {
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
    let mut strips = vec![strip(&*data, "random", String::new(), &random)?];
    for (column, factor) in data.factors().iter().enumerate() {
        if let Some((rows, remark)) = sweep(&*data, column, factor) {
            strips.push(strip(&*data, &factor.name, remark, &rows)?);
        }
    }
    let title = format!("{}: {} rows of {}", options.data.name, data.len(), data.shape());
    picture::save(&Sheet { title, columns: vec![], strips }.draw(), &options.out)?;
    print(&format!("{}\n", options.out.display()))
}

/// Rows in which this factor goes through its values and the others stay as in a middle row; where
/// not every combination exists, the rows nearest to that.
fn sweep(data: &dyn Dataset, column: usize, factor: &Factor) -> Option<(Vec<usize>, String)> {
    let Kind::Discrete(values) = &factor.kind else { return None };
    let shown = COLUMNS.min(values.len());
    let mut middle = vec![0.0; data.factors().len()];
    data.values(data.len() / 2, &mut middle);
    let pick = |i: usize| values[i * (values.len() - 1) / (shown - 1).max(1)];
    let row = |i: usize| {
        let mut wanted = middle.clone();
        wanted[column] = pick(i);
        data.find(&wanted)
    };
    let rows: Option<Vec<usize>> = (0..shown).map(row).collect();
    Some((rows?, format!("{} values", values.len())))
}

fn strip(data: &dyn Dataset, label: &str, remark: String, rows: &[usize]) -> Result<Strip> {
    let shape = data.shape();
    let observations = data::observations(data, rows);
    let tiles = observations.rows().into_iter().map(|row| {
        tile(&row.to_vec(), shape).ok_or_else(|| {
            Error::Unable(format!("a preview is drawn from images; these data are {shape}")).into()
        })
    });
    let tiles = tiles.collect::<Result<Vec<_>>>()?;
    Ok(Strip { label: label.into(), remark, faded: false, tiles })
}
