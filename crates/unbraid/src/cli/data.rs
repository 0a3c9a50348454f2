//! `unbraid data`: write data sets as arrays, draw sheets of them.

use std::io::{self, ErrorKind};

use anyhow::Result;
use ndarray::{Array2, ArrayView1, Axis};
use toml::Table;
use unbraid::Error;
use unbraid::data::{self, Dataset, Do, Glance, Range, Shape};
use unbraid::draw::picture::{self, Sheet, Strip, tile};
use unbraid::factors::{Factor, Kind};
use unbraid::rng::Rng;
use unbraid::run::config;
use unbraid_measure::npz::NpzWriter;

use super::Output;
use super::args::{DataMake, DataPreview};

mod pairs;

/// How many rows are drawn at once while writing: bounds the memory.
const CHUNK: usize = 256;
/// How many pictures a row of a preview has at most.
const COLUMNS: usize = 10;

/// Open data by name, file or folder, with `KEY=VALUE` settings.
pub(super) fn open(name: &str, set: &[String]) -> Result<Box<dyn Dataset>> {
    let (name, given) = config::data_by_name_or_path(name, settings(set)?);
    Ok(data::open(&name, &given)?.0)
}

/// A look through a file that is too large to be opened for it; nothing for other data.
pub(super) fn glance(name: &str, set: &[String]) -> Result<Option<Glance>> {
    let (name, given) = config::data_by_name_or_path(name, settings(set)?);
    Ok(data::glance(&name, &given)?)
}

/// `KEY=VALUE` settings as a table.
pub(super) fn settings(set: &[String]) -> Result<Table> {
    let mut given = Table::new();
    for assignment in set {
        // `data.size=64`, as a configuration has it, is as good as `size=64`.
        config::set(&mut given, assignment.strip_prefix("data.").unwrap_or(assignment))?;
    }
    Ok(given)
}

/// Write the arrays that such data are published as, where there is such a form, and else ours.
pub(super) fn make(options: &DataMake, output: Output) -> Result<()> {
    if options.transitions {
        let data = pairs::open_pairs(options)?;
        let mut file = NpzWriter::create(&options.out)?;
        let count = pairs::write(options, &*data, &mut file)?;
        file.finish()?;
        output.note(&format!("{count} pairs of {}", data.shape()));
        return output.file(&options.out);
    }
    let data = open(&options.data.name, &options.data.set)?;
    within(options.rows, data.len(), "rows")?;
    let rng = Rng::new(options.seed).split("make");
    let rows = data::rows(&*data, options.rows.unwrap_or(data.len()), &rng);
    let mut file = NpzWriter::create(&options.out)?;
    if !data.write_published(&rows, &mut file)? {
        write_arrays(&mut file, &*data, &rows)?;
    }
    file.finish()?;
    output.note(&format!("{} rows of {}", rows.len(), data.shape()));
    output.file(&options.out)
}

/// Refuse to write more than there is.
fn within(asked: Option<usize>, count: usize, what: &str) -> Result<()> {
    if asked.is_some_and(|asked| asked == 0 || asked > count) {
        let reason = format!("--rows must be from 1 to {count}, the {what} of the data");
        return Err(Error::Unable(reason).into());
    }
    Ok(())
}

/// `images` u8 `[rows, height, width, channels]` (or `observations` f32 where the numbers are not
/// within 0..1), `values` f32 `[rows, factors]` and `names`.
fn write_arrays(file: &mut NpzWriter, data: &dyn Dataset, rows: &[usize]) -> Result<()> {
    write_observations(file, data, rows, ["images", "observations"])?;
    if !data.factors().is_empty() {
        file.stream::<f32>("values", &[rows.len(), data.factors().len()], |sink| {
            rows.chunks(CHUNK).try_for_each(|chunk| sink(flat(&data::values(data, chunk))?))
        })?;
        write_names(file, data)?;
    }
    Ok(())
}

fn write_names(file: &mut NpzWriter, data: &dyn Dataset) -> Result<()> {
    let names: Vec<String> = data.factors().iter().map(|factor| factor.name.clone()).collect();
    Ok(file.strings("names", &names)?)
}

/// Images as bytes under the first of two names, or other numbers as they are under the second.
fn write_observations(
    file: &mut NpzWriter,
    data: &dyn Dataset,
    rows: &[usize],
    [bytes, numbers]: [&str; 2],
) -> Result<()> {
    let shape = data.shape();
    let images = [rows.len(), shape.height, shape.width, shape.channels];
    // Calls `row` with the numbers of one observation after the other, pixel by pixel.
    let each = |row: &mut dyn FnMut(&[f32]) -> io::Result<()>| {
        rows.chunks(CHUNK).try_for_each(|chunk| {
            // A model sees a table scaled; who reads a file wants its units.
            let observations = data::observations_in_units(data, chunk);
            flat(&observations)?.chunks(shape.size()).try_for_each(|o| row(&by_pixel(o, shape)))
        })
    };
    if shape.is_vector() {
        let vectors = [rows.len(), shape.channels];
        return Ok(file.stream::<f32>(numbers, &vectors, |sink| each(sink))?);
    }
    if shape.range == Range::Real {
        return Ok(file.stream::<f32>(numbers, &images, |sink| each(sink))?);
    }
    let level = |value: &f32| (value.clamp(0.0, 1.0) * 255.0).round() as u8;
    Ok(file.stream::<u8>(bytes, &images, |sink| {
        each(&mut |row| sink(&row.iter().map(level).collect::<Vec<u8>>()))
    })?)
}

fn flat(rows: &Array2<f32>) -> io::Result<&[f32]> {
    rows.as_slice().ok_or_else(|| io::Error::from(ErrorKind::InvalidData))
}

/// From channel by channel to pixel by pixel.
fn by_pixel(observation: &[f32], shape: Shape) -> Vec<f32> {
    let plane = shape.height * shape.width;
    let number = |i: usize| observation[i % shape.channels * plane + i / shape.channels];
    (0..shape.size()).map(number).collect()
}

/// A sheet: random rows on top, then one row per factor in which only that factor changes.
pub(super) fn preview(options: &DataPreview, output: Output) -> Result<()> {
    let data = open(&options.data.name, &options.data.set)?;
    let mut rng = Rng::new(options.seed).split("preview");
    let middle = middle_row(&*data);
    let mut sweeps = Vec::new();
    for (column, factor) in data.factors().iter().enumerate() {
        if let Some((observations, remark)) = sweep(&*data, middle, column) {
            sweeps.push(strip(&factor.name, &remark, observations.rows(), data.shape())?);
        }
    }
    // Where no factor can be moved alone, rows of each of its values, or more at random, make up for it.
    let mut strips = Vec::new();
    if sweeps.is_empty() {
        strips = by_value(&*data, &mut rng)?;
    }
    let more = match (sweeps.is_empty(), strips.is_empty()) {
        (true, true) => 4,
        (true, false) => 0,
        _ => 1,
    };
    for _ in 0..more {
        let random: Vec<usize> = (0..COLUMNS).map(|_| rng.below(data.len())).collect();
        let random = data::observations(&*data, &random);
        strips.push(strip("random", "rows", random.rows(), data.shape())?);
    }
    strips.extend(sweeps);
    let title = format!("{}: {} rows of {}", options.data.name, data.len(), data.shape());
    picture::save(&Sheet { title, columns: vec![], strips }.draw(), &options.out)?;
    output.file(&options.out)
}

/// So many values of a factor have a row each.
const VALUES: usize = 12;

/// Rows at random for each value of a factor that has a few: what its values look like. Nothing without such a factor.
fn by_value(data: &dyn Dataset, rng: &mut Rng) -> Result<Vec<Strip>> {
    let few = |factor: &Factor| factor.size().is_some_and(|size| (2..=VALUES).contains(&size));
    let Some(column) = data.factors().iter().position(few) else { return Ok(vec![]) };
    let factor = &data.factors()[column];
    let Kind::Discrete(values) = &factor.kind else { return Ok(vec![]) };
    let looked_at = data::labelled_rows(data, 10_000, rng);
    let known = data::values(data, &looked_at);
    let mut strips = Vec::new();
    for value in values {
        let mut rows: Vec<usize> = (0..looked_at.len())
            .filter(|row| known[[*row, column]] == *value)
            .map(|row| looked_at[row])
            .collect();
        if rows.is_empty() {
            continue;
        }
        let remark = format!("{} rows", rows.len());
        let chosen = rng.distinct(COLUMNS.min(rows.len()), rows.len());
        rows = chosen.into_iter().map(|place| rows[place]).collect();
        let label = format!("{} = {}", factor.name, factor.called(*value));
        strips.push(strip(&label, &remark, data::observations(data, &rows).rows(), data.shape())?);
    }
    Ok(strips)
}

/// The row whose values are nearest to the mean, among a thousand or two spread over the data.
fn middle_row(data: &dyn Dataset) -> usize {
    let mut rows: Vec<usize> = (0..data.len()).step_by(data.len().div_ceil(2000)).collect();
    rows.retain(|row| data.is_labelled(*row));
    let values = data::values(data, &rows);
    let Some(mean) = values.mean_axis(Axis(0)) else { return 0 };
    let spread = values.std_axis(Axis(0), 0.0).mapv(|spread| spread.max(f32::MIN_POSITIVE));
    let distance = |i: &usize| ((&values.row(*i) - &mean) / &spread).mapv(|d| d * d).sum();
    let nearest = (0..rows.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)));
    nearest.map_or(0, |i| rows[i])
}

/// What is seen when this factor goes through its values: rows that are otherwise as the middle one,
/// where every combination exists, or interventions on that row, where the mechanism is known.
fn sweep(data: &dyn Dataset, middle: usize, column: usize) -> Option<(Array2<f32>, String)> {
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
        Kind::Continuous | Kind::Angle => {
            let mut rows: Vec<usize> = (0..data.len()).step_by(data.len().div_ceil(1000)).collect();
            rows.retain(|row| data.is_labelled(*row));
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
