//! Writing a data set into the library, row by row, and opening what was written.

use std::fs::{self, File};
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::{ABOUT, Publication, checksum, clear};
use crate::data::stored::{Steps, Stored};
use crate::error::{Error, Result};
use crate::factors::Factor;
use crate::files::{self, Draft};
use crate::npz::{Npz, NpzWriter};
use crate::watch::Watch;

/// The number of the form in which a data set lies in the library.
const FORMAT: i64 = 1;

/// An import under way: where files come from, and the directory that is being filled.
pub struct Import<'a> {
    publication: &'a Publication,
    from: &'a Path,
    /// Under a temporary name until it is whole; gone if it never is.
    staged: PathBuf,
    target: PathBuf,
    unchecked: bool,
    watch: &'a Watch<'a>,
    taken: Vec<String>,
}

impl<'a> Import<'a> {
    pub(super) fn new(
        publication: &'a Publication,
        from: &'a Path,
        target: &Path,
        unchecked: bool,
        watch: &'a Watch<'a>,
    ) -> Result<Self> {
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let staged = target.with_file_name(format!(".{name}.tmp-{}", std::process::id()));
        clear(&staged)?;
        let (target, taken) = (target.to_path_buf(), Vec::new());
        Ok(Self { publication, from, staged, target, unchecked, watch, taken })
    }

    /// What the user named: a file or a directory.
    pub fn from(&self) -> &'a Path {
        self.from
    }

    /// A published file by its name, checked: the one the user named, or one of this name in the
    /// directory the user named, also with `.gz` or without it. `None` if it is not there.
    pub fn find(&mut self, name: &str) -> Result<Option<PathBuf>> {
        let bare = name.strip_suffix(".gz").unwrap_or(name);
        let candidates = [name.to_string(), bare.to_string(), format!("{bare}.gz")];
        let found = match self.from.is_dir() {
            true => candidates.iter().map(|name| self.from.join(name)).find(|path| path.is_file()),
            false => candidates.contains(&name_of(self.from)).then(|| self.from.to_path_buf()),
        };
        if let Some(path) = &found {
            self.check(path, None)?;
        }
        Ok(found)
    }

    /// As [`find`](Self::find), but the file must be there.
    pub fn file(&mut self, name: &str) -> Result<PathBuf> {
        match self.find(name)? {
            Some(path) => Ok(path),
            None => Err(self.lacks(name)),
        }
    }

    /// The file of a data set that was published in several forms, one file each: the first of
    /// these names in the directory the user named, or the file the user named, whatever it is
    /// called, as long as its ending is one of theirs.
    pub fn one_of(&mut self, names: &[&'static str]) -> Result<PathBuf> {
        if self.from.is_dir() {
            let found = names.iter().find(|name| self.from.join(name).is_file());
            return self.file(found.unwrap_or(&names[0]));
        }
        let same_ending = |name: &&&str| Path::new(name).extension() == self.from.extension();
        match names.iter().find(same_ending) {
            Some(name) => {
                self.check(self.from, Some(name))?;
                Ok(self.from.to_path_buf())
            }
            None => Err(self.lacks(names[0])),
        }
    }

    /// A folder by its name, as `data/cars`: the one the user named, or one in it. Its files were
    /// published as an archive and are not checked one by one.
    pub fn folder(&mut self, name: &str) -> Option<PathBuf> {
        let itself = self.from.is_dir() && self.from.ends_with(name);
        let found = if itself { self.from.to_path_buf() } else { self.from.join(name) };
        found.is_dir().then(|| {
            self.take(name);
            found
        })
    }

    /// The error that something is missing.
    pub fn lacks(&self, name: &str) -> Error {
        let known: Vec<&str> = self.publication.files.iter().map(|file| file.name).collect();
        let reason = format!("holds no {name}; this data set is made of {}", known.join(", "));
        Error::format(self.from, reason)
    }

    /// Refuse a file that is not the published one of its name, or of the name `published_as`. One
    /// that was published under no checksum passes.
    fn check(&mut self, path: &Path, published_as: Option<&str>) -> Result<()> {
        let name = name_of(path);
        let files = self.publication.files;
        let named = |name: &str| files.iter().find(|file| file.name == name);
        let published = match named(&name) {
            Some(file) => Some((file, false)),
            None => match name.strip_suffix(".gz").and_then(named) {
                Some(file) => Some((file, true)),
                None => published_as.and_then(named).map(|file| (file, false)),
            },
        };
        if let Some((file, packed)) = published
            && !self.unchecked
        {
            checksum::check(path, file, packed)?;
        }
        self.take(&name);
        Ok(())
    }

    fn take(&mut self, name: &str) {
        if !self.taken.iter().any(|taken| taken == name) {
            self.taken.push(name.to_string());
        }
    }

    /// A share of the work is done, 1 being all of it.
    pub fn advance(&self, share: f64) -> Result<()> {
        self.watch.advance(share)
    }

    /// Row `row` of `rows` is done, in a stage that is this share of the work.
    pub fn row_done(&self, row: usize, rows: usize, share: f64) -> Result<()> {
        // Not at every row: the one who watches may draw a bar.
        const STEP: usize = 256;
        let done = row + 1;
        match done.is_multiple_of(STEP) || done == rows {
            true => self.advance(share * ((row % STEP) + 1) as f64 / rows as f64),
            false => Ok(()),
        }
    }

    /// Begin a part: images of `size` [height, width, channels], of which the byte 255 means 1; or,
    /// where `bits` allows it and there are only zeros and ones, 1 means 1. Which values a discrete
    /// factor takes is seen from the rows.
    pub fn part(
        &self,
        name: &str,
        size: [usize; 3],
        bits: bool,
        factors: Vec<Factor>,
    ) -> Result<PartWriter> {
        let observations = Draft::create(self.staged.join(format!("{name}.bin")))?;
        Ok(PartWriter {
            directory: self.staged.clone(),
            name: name.into(),
            observations,
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

    /// Keep a file as it is.
    pub fn keep(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        self.taken.push(name_of(self.from));
        files::write(self.staged.join(name), bytes)
    }

    /// Write what this is, and give the directory its name in place of an earlier import.
    pub(super) fn finish(mut self) -> Result<()> {
        let mut about = Table::new();
        about.insert("format".into(), FORMAT.into());
        about.insert("name".into(), name_of(&self.target).into());
        about.insert("licence".into(), self.publication.licence.into());
        about.insert("citation".into(), self.publication.citation.into());
        let files = std::mem::take(&mut self.taken).into_iter().map(Value::from).collect();
        about.insert("files".into(), Value::Array(files));
        about.insert("checked".into(), (!self.unchecked).into());
        files::write(self.staged.join(ABOUT), about.to_string().as_bytes())?;
        let old = self.staged.with_extension("old");
        let replace = || -> std::io::Result<()> {
            // A directory cannot be renamed over a full one; the old one is kept until the new is there.
            match fs::rename(&self.target, &old) {
                Err(source) if source.kind() != std::io::ErrorKind::NotFound => return Err(source),
                _ => {}
            }
            if let Err(source) = fs::rename(&self.staged, &self.target) {
                let _ = fs::rename(&old, &self.target);
                return Err(source);
            }
            let _ = fs::remove_dir_all(&old);
            Ok(())
        };
        replace().map_err(|source| Error::io("write", &self.target, &source))
    }
}

impl Drop for Import<'_> {
    fn drop(&mut self) {
        // After `finish` the temporary name is gone and this does nothing.
        let _ = fs::remove_dir_all(&self.staged);
    }
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

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
    let path = directory.join(format!("{part}.npz"));
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
    let observations = directory.join(format!("{owner}.bin"));
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
