//! A part of a data set in the library: written row by row, and opened.

use std::fs::File;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::FORMAT;
use super::sums::Sums;
use crate::data::storage::stored::{Steps, Stored};
use crate::error::{Error, Result};
use crate::factors::Factor;
use crate::files::Draft;
use crate::npz::{Npz, NpzWriter};

/// A part being written.
#[derive(Debug)]
pub struct PartWriter {
    directory: PathBuf,
    name: String,
    observations: Draft,
    size: [usize; 3],
    bits: bool,
    factors: Vec<Factor>,
    rows: usize,
    present: [bool; 256],
    values: Vec<f32>,
    steps: Steps,
    ranges: Vec<(String, Range<usize>)>,
}

impl PartWriter {
    /// Begin a part in a directory that is being filled; see [`Import::part`](super::Import::part).
    pub(super) fn create(
        directory: &Path,
        name: &str,
        size: [usize; 3],
        bits: bool,
        factors: Vec<Factor>,
    ) -> Result<Self> {
        Ok(Self {
            directory: directory.to_path_buf(),
            name: name.into(),
            observations: Draft::create(directory.join(format!("{name}.bin")))?,
            size,
            bits,
            factors,
            rows: 0,
            present: [false; 256],
            values: Vec::new(),
            steps: Steps::default(),
            ranges: Vec::new(),
        })
    }

    /// Add a row: its bytes, [height, width, channels], and the value of each factor.
    pub fn row(&mut self, bytes: &[u8], values: &[f32]) -> Result<()> {
        let expected = self.size.iter().product::<usize>();
        if bytes.len() != expected || values.len() != self.factors.len() {
            return Err(Error::Array(format!(
                "row {} has {} bytes and {} values, expected {expected} and {}",
                self.rows,
                bytes.len(),
                values.len(),
                self.factors.len()
            )));
        }
        for &byte in bytes {
            self.present[usize::from(byte)] = true;
        }
        self.values.extend_from_slice(values);
        self.rows += 1;
        let path = self.directory.join(format!("{}.bin", self.name));
        self.observations.write_all(bytes).map_err(|source| Error::io("write", path, &source))
    }

    /// How many rows there are so far.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Say what is known of the steps from each row to the next.
    pub fn steps(&mut self, steps: Steps) {
        self.steps = steps;
    }

    /// Make these rows a part of their own, too. An empty range is no part.
    pub fn range(&mut self, name: &str, rows: Range<usize>) {
        if !rows.is_empty() {
            self.ranges.push((name.into(), rows));
        }
    }

    /// Write the tables; the part is whole.
    pub fn finish(self) -> Result<()> {
        if self.rows == 0 {
            return Err(Error::Array(format!("there is no row for the part \"{}\"", self.name)));
        }
        let only = |largest: usize| (1..256).all(|byte| byte == largest || !self.present[byte]);
        let (one, binary) = match (self.bits && only(1), only(255)) {
            (true, _) => (1, true),
            (_, binary) => (255, binary),
        };
        self.table(&self.name, 0..self.rows, one, binary)?;
        for (name, rows) in &self.ranges {
            self.table(name, rows.clone(), one, binary)?;
        }
        self.observations.finish()
    }

    fn table(&self, part: &str, rows: Range<usize>, one: i64, binary: bool) -> Result<()> {
        let numbers = |numbers: &[usize]| numbers.iter().map(|n| *n as i64).collect::<Vec<_>>();
        let (first, count) = (rows.start, rows.len());
        let cut = |numbers: &[f32]| {
            let width = numbers.len() / self.rows;
            numbers[rows.start * width..rows.end * width].to_vec()
        };
        let mut table = NpzWriter::create(self.directory.join(format!("{part}.npz")))?;
        table.array("format", &[], &[FORMAT])?;
        table.strings("observations", std::slice::from_ref(&self.name))?;
        table.array("place", &[2], &numbers(&[first, self.rows]))?;
        table.array("shape", &[4], &numbers(&[&[count], &self.size[..]].concat()))?;
        table.array("one", &[], &[one])?;
        table.array("binary", &[], &[i64::from(binary)])?;
        if !self.factors.is_empty() {
            let names: Vec<String> = self.factors.iter().map(|f| f.name.clone()).collect();
            let discrete: Vec<u8> =
                self.factors.iter().map(|f| u8::from(f.size().is_some())).collect();
            table.array("values", &[count, names.len()], &cut(&self.values))?;
            table.strings("names", &names)?;
            table.array("discrete", &[discrete.len()], &discrete)?;
        }
        for (name, numbers) in [("targets", &self.steps.targets), ("actions", &self.steps.actions)]
        {
            if !numbers.is_empty() {
                table.array(name, &[count, numbers.len() / self.rows], &cut(numbers))?;
            }
        }
        if !self.steps.follows.is_empty() {
            let mut follows: Vec<u8> =
                self.steps.follows[rows.clone()].iter().map(|f| u8::from(*f)).collect();
            // What follows the last row of a range is outside of it.
            follows.iter_mut().last().into_iter().for_each(|last| *last = 0);
            table.array("follows", &[count], &follows)?;
        }
        table.finish()
    }
}

/// Open a part.
pub(super) fn read(directory: &Path, part: &str) -> Result<Stored> {
    let table = format!("{part}.npz");
    let sums = Sums::read(directory)?.unwrap_or_default();
    sums.check(directory, &table)?;
    let path = directory.join(table);
    let mut table = Npz::open(&path)?;
    let damaged = |what: &str| Error::format(&path, format!("{what}; import the data set again"));
    let mut whole = |name: &str| -> Result<Vec<usize>> {
        Ok(table.array(name)?.into_floats().into_iter().map(|number| number as usize).collect())
    };
    if whole("format")?.first().is_none_or(|format| *format > FORMAT as usize) {
        return Err(Error::format(&path, "was written by a newer unbraid; update to read it"));
    }
    let (shape, place) = (whole("shape")?, whole("place")?);
    let (&[rows, height, width, channels], &[first, all]) = (&shape[..], &place[..]) else {
        return Err(damaged("has no shape"));
    };
    let one = whole("one")?.first().copied().unwrap_or(255);
    let binary = whole("binary")?.first() == Some(&1);
    let owner = table.strings("observations")?.into_iter().next().unwrap_or_default();
    let observations = format!("{owner}.bin");
    sums.check(directory, &observations)?;
    let observations = directory.join(observations);
    let unreadable = |source: std::io::Error| Error::io("read", &observations, &source);
    let file = File::open(&observations).map_err(unreadable)?;
    let length = file.metadata().map_err(unreadable)?.len();
    let sizes = [all, height, width, channels];
    let expected = sizes.iter().try_fold(1_usize, |size, axis| size.checked_mul(*axis));
    if expected.map(|size| size as u64) != Some(length)
        || first.checked_add(rows).is_none_or(|end| end > all)
        || sizes.contains(&0)
    {
        return Err(damaged("and the .bin beside it disagree in length"));
    }
    let size = [height, width, channels];
    let data = Stored::file(file, first..first + rows, size, one as f32, binary);
    let data = with_values(data, &mut table, rows, &damaged)?;
    let steps = steps(&mut table)?;
    if !steps.fits(rows) {
        return Err(damaged("has steps that do not fit its rows"));
    }
    Ok(data.with_steps(steps))
}

fn with_values(
    data: Stored,
    table: &mut Npz,
    rows: usize,
    damaged: &impl Fn(&str) -> Error,
) -> Result<Stored> {
    if !table.has("values") {
        return Ok(data);
    }
    let names = table.strings("names")?;
    let discrete = table.array("discrete")?.into_floats();
    let values = table.array("values")?.into_floats();
    if values.len() != rows * names.len() || discrete.len() != names.len() {
        return Err(damaged("has values and names that disagree"));
    }
    let discrete: Vec<bool> = discrete.iter().map(|flag| *flag != 0.0).collect();
    Ok(data.with_values(&names, values, &discrete))
}

fn steps(table: &mut Npz) -> Result<Steps> {
    let mut column = |name: &str| match table.has(name) {
        true => Ok(table.array(name)?.into_floats()),
        false => Ok(Vec::new()),
    };
    let follows = column("follows")?.into_iter().map(|follows| follows != 0.0).collect();
    Ok(Steps { follows, targets: column("targets")?, actions: column("actions")? })
}
